import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callAs, type Harness, openHarness } from '../../../test/support/harness.ts';
import { tableOf } from '../../../test/support/read-answer.ts';

describe('list_storage_content', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await openHarness();
  });
  afterAll(() => h.close());

  const backupsIn = (storage: string, node: string) => h.demo.world.backups(storage, node);

  test('T5 an auditor sees every backup of a file storage, by the dry run', async () => {
    const { text } = await h.call('list_storage_content', { storage: 'nas-backup', content: 'backup' }, { maxChars: 40_000 });
    expect(
      tableOf(text)
        .map((r) => r['volid'])
        .sort(),
    ).toEqual(
      backupsIn('nas-backup', 'pve1')
        .map((b) => b.volid)
        .sort(),
    );
    expect(text).toContain('found by the prune dry run');
    expect(text).not.toMatch(/no backups/i);
  });

  test('T5 on PBS the backups are hidden, not none; with a guest they are found', async () => {
    const { text } = await h.call('list_storage_content', { storage: 'pbs-main', content: 'backup' });
    expect(text).toContain('Hidden: backups on pbs-main: needs Datastore.AllocateSpace on /storage/pbs-main');
    expect(text).toContain('VM.Backup on /vms');
    expect(text).toMatch(/^Next: list_storage_content storage=pbs-main vmid=/m);
    const vmid = backupsIn('pbs-main', 'pve1')[0]?.vmid;
    const narrowed = await h.call('list_storage_content', { storage: 'pbs-main', content: 'backup', vmid });
    expect(tableOf(narrowed.text)).toHaveLength(backupsIn('pbs-main', 'pve1').filter((b) => b.vmid === vmid).length);
  });

  test.each([{ storage: 'local-lvm' }, { storage: 'pbs-main', content: 'backup' }, { storage: 'local' }])(
    '%j as an auditor: the headline counts what is visible, since more is hidden',
    async (args) => {
      const { text } = await h.call('list_storage_content', args);
      expect(text).toMatch(/^\d+ visible volumes/);
      expect(text).toContain('Hidden: ');
    },
  );

  test('backups that could not be read are not counted as none', async () => {
    const off = h.demo.faults.add({ kind: 'status-500', match: /\/storage\/nas-backup\// });
    const { text } = await callAs(h.demo, 'full', 'list_storage_content', { storage: 'nas-backup', content: 'backup' });
    off();
    expect(text).toMatch(/^0 readable volumes on nas-backup/);
    expect(text).toContain('Problem: pve1/nas-backup');
  });

  test('a storage that is not reachable is not called unconfigured', async () => {
    const { errorKind } = await h.call('list_storage_content', { storage: 'nas-media' });
    expect(errorKind).toBe('unreachable');
  });

  test('T6 with the backup privileges: sizes, verification, encryption, protection as they are', async () => {
    const { text } = await callAs(
      h.demo,
      'full',
      'list_storage_content',
      { storage: 'pbs-main', content: 'backup' },
      { maxChars: 40_000 },
    );
    const rows = tableOf(text);
    for (const backup of backupsIn('pbs-main', 'pve1')) {
      const row = rows.find((r) => r['volid'] === backup.volid);
      expect(row, backup.volid).toBeDefined();
      expect(row?.['vmid']).toBe(String(backup.vmid));
      expect(row?.['verified']).toBe(backup.verification?.state ?? 'none');
      expect(row?.['encrypted']).toBe(backup.encrypted === undefined ? 'no' : 'yes');
      expect((row?.['flags'] ?? '').includes('protected')).toBe(backup.protected !== undefined);
    }
    expect(text).not.toContain('Hidden: backups');
  });

  test('rights on one guest only: the rest still comes from the dry run', async () => {
    const { text } = await callAs(
      h.demo,
      'backup-one',
      'list_storage_content',
      { storage: 'nas-backup', content: 'backup' },
      { maxChars: 40_000 },
    );
    const rows = tableOf(text);
    expect(rows).toHaveLength(backupsIn('nas-backup', 'pve1').length);
    expect(rows.some((r) => r['size'] !== '')).toBe(true);
    expect(rows.some((r) => r['size'] === '')).toBe(true);
  });

  test('disks and snippets that the API leaves out are named as hidden', async () => {
    const { text } = await h.call('list_storage_content', { storage: 'local' });
    expect(text).toContain('Hidden: guest disks on local: needs VM.Config.Disk on /vms');
    expect(text).toContain('Hidden: snippets on local');
    expect(text).toContain('iso');
  });

  test('names with umlauts come out right', async () => {
    const { text } = await h.call('list_storage_content', { storage: 'local', content: 'iso' });
    expect(text).toContain('Übung');
  });

  test.each([
    [{ storage: 'nope' }, 'There is no storage "nope"'],
    [{ storage: 'loca' }, 'Did you mean local?'],
    [{ storage: 'nas-media' }, 'not reachable from'],
    [{ storage: 'old-smb' }, 'is disabled'],
    [{ storage: 'local', node: 'pve3' }, 'is offline'],
    [{ storage: 'local', node: 'PVE1' }, 'Did you mean pve1?'],
    [{ storage: '../x' }, 'storage:'],
    [{}, 'storage'],
  ])('%j is answered with what is wrong', async (args, said) => {
    const { isError, text } = await h.call('list_storage_content', args);
    expect(isError).toBe(true);
    expect(text).toContain(said);
    expect(text.length).toBeLessThanOrEqual(1_000);
  });

  test('without rights', async () => {
    const { isError, text } = await callAs(h.demo, 'noacl', 'list_storage_content', { storage: 'local' });
    expect(isError).toBe(true);
    expect(text).toContain('Needs: Datastore.Audit on /storage/local');
  });

  test('a dead storage answers within its time-out and leaves the others alone', async () => {
    const slow = await openHarness({ cluster: { timeoutMs: 400 } });
    slow.demo.faults.add({ kind: 'hang', match: '/nodes/pve1/storage/nas-backup' });
    const first = await slow.call('list_storage_content', { storage: 'nas-backup', node: 'pve1', content: 'backup' });
    expect(first.text).toMatch(/no answer within 0\.4 s/);
    const again = await slow.call('list_storage_content', { storage: 'nas-backup', node: 'pve1', content: 'backup' });
    expect(again.text).toContain('did not answer');
    expect(tableOf((await slow.call('list_storage_content', { storage: 'local', node: 'pve1' })).text).length).toBeGreaterThan(0);
    await slow.close();
  });
});
