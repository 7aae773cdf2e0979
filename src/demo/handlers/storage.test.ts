import { describe, expect, it } from 'vitest';
import { createWorld } from '../world/create-world.ts';
import type { DemoBackup } from '../world/types.ts';
import { createHandlers } from './create-handlers.ts';
import { markBackups, parseRetention } from './retention.ts';
import { call, type TestCall } from './test-request.ts';

const NOW = Date.UTC(2026, 0, 14, 11, 30);
const world = createWorld({ now: NOW });
const table = createHandlers(world);

function rows(path: string, options: TestCall = {}): Record<string, unknown>[] {
  const { data } = call(table, path, { now: NOW, ...options });
  if (!Array.isArray(data)) throw new Error(`${path} is no list`);
  return data;
}

const content = (storage: string) => `/nodes/pve1/storage/${storage}/content`;
const kindsOf = (list: Record<string, unknown>[]) => [...new Set(list.map((row) => row.content))].sort();

describe('content', () => {
  it('shows an auditor images of media and templates, and neither disks nor backups nor snippets', () => {
    expect(kindsOf(rows(content('local'), { rights: 'auditor' }))).toEqual(['import', 'iso', 'vztmpl']);
    expect(rows(content('pbs-main'), { rights: 'auditor' })).toEqual([]);
  });

  it('shows everything to the almighty', () => {
    expect(kindsOf(rows(content('local')))).toEqual(['backup', 'images', 'import', 'iso', 'rootdir', 'snippets', 'vztmpl']);
  });

  it('shows backups with AllocateSpace on the storage and VM.Backup on their guest', () => {
    const seen = rows(content('nas-backup'), {
      rights: (path, privilege) =>
        (path === '/storage/nas-backup' && ['Datastore.AllocateSpace', 'Datastore.Audit'].includes(privilege)) ||
        (path === '/vms/100' && privilege === 'VM.Backup'),
    });
    expect(new Set(seen.filter((row) => row.content === 'backup').map((row) => row.vmid))).toEqual(new Set([100]));
    expect(seen.length).toBeGreaterThan(2);
  });

  it('shows disks with VM.Config.Disk', () => {
    const seen = rows(content('ceph-rbd'), {
      rights: (path, privilege) => privilege === 'Datastore.Audit' || (path === '/vms/120' && privilege === 'VM.Config.Disk'),
    });
    expect(seen.map((row) => row.volid)).toEqual(['ceph-rbd:vm-120-disk-0']);
  });

  it('filters by content and guest', () => {
    expect(kindsOf(rows(content('local'), { query: { content: 'iso' } }))).toEqual(['iso']);
    const mine = rows(content('local'), { query: { vmid: '104' } });
    expect(mine.some((row) => row.content === 'iso')).toBe(false);
    expect(mine.filter((row) => row.vmid !== undefined).every((row) => row.vmid === 104)).toBe(true);
  });

  it('names linked clones with their base, and double-encodes file names', () => {
    expect(rows(content('local')).find((row) => row.vmid === 104 && row.content === 'images')).toMatchObject({
      volid: 'local:103/base-103-disk-0.qcow2/104/vm-104-disk-0.qcow2',
      parent: '../103/base-103-disk-0.qcow2',
    });
    expect(rows(content('local')).some((row) => String(row.volid).includes('Ã'))).toBe(true);
  });

  it('says why there is nothing to list', () => {
    expect(() => rows(content('nas-media'))).toThrow("storage 'nas-media' is not online");
    expect(() => rows(content('old-smb'))).toThrow("storage 'old-smb' is disabled");
    expect(() => rows(content('nope'))).toThrow("storage 'nope' does not exist");
    expect(() => rows(content('vg-fast'))).toThrow("storage 'vg-fast' is not available on node 'pve1'");
  });

  it('differs between equal names on different nodes', () => {
    const names = (node: string) => rows(`/nodes/${node}/storage/local/content`).map((row) => row.volid);
    expect(names('pve2')).not.toContain('local:snippets/hook.pl');
  });

  it('gives one volume with or without its storage, and none of a backup to an auditor', () => {
    const iso = 'iso/debian-13.2.0-amd64-netinst.iso';
    expect(call(table, `${content('local')}/${iso}`).data).toEqual(call(table, `${content('local')}/local:${iso}`).data);
    const backup = world.backups('local', 'pve1')[0]?.volid ?? '';
    expect(() => call(table, `${content('local')}/${backup}`, { rights: 'auditor' })).toThrow(
      'Permission check failed (/storage/local, Datastore.AllocateSpace)',
    );
  });
});

describe('prune dry run', () => {
  const prune = (storage: string) => `/nodes/pve1/storage/${storage}/prunebackups`;

  it('tells an auditor every backup', () => {
    const seen = rows(prune('nas-backup'), { rights: 'auditor', query: { 'prune-backups': 'keep-all=1' } });
    expect(seen).toHaveLength(world.backups('nas-backup', 'pve1').length);
    expect(new Set(seen.map((row) => row.mark))).toEqual(new Set(['keep']));
  });

  it('marks protected ones', () => {
    expect(
      rows(prune('local'), { query: { 'prune-backups': 'keep-all=1', vmid: '104', type: 'qemu' } })
        .map((row) => row.mark)
        .sort(),
    ).toEqual(['keep', 'protected']);
  });

  it('needs a retention', () => {
    expect(() => rows(prune('backup-dir'))).toThrow("no prune-backups options configured for storage 'backup-dir'");
    expect(rows(prune('backup-dir'), { query: { 'prune-backups': 'keep-all=1' } })).toEqual([]);
    expect(() => rows(prune('local-lvm'))).toThrow("storage 'local-lvm' does not support backups");
  });

  it('keeps by last, day and week', () => {
    const day = 86_400;
    const backups = Array.from(
      { length: 20 },
      (_unused, index): DemoBackup => ({
        volid: `s:${index}`,
        storage: 's',
        vmid: 1,
        subtype: 'qemu',
        ctime: NOW / 1000 - index * day,
        size: 1,
        format: 'vma',
      }),
    );
    const kept = (options: string) =>
      [...markBackups(backups, parseRetention(options))].filter(([, mark]) => mark === 'keep').length;
    expect(kept('keep-last=3')).toBe(3);
    expect(kept('keep-daily=7,keep-last=3')).toBe(10);
    expect(kept('keep-weekly=2')).toBe(2);
    expect(kept('keep-all=1')).toBe(20);
  });
});

describe('storage lists', () => {
  it('are filtered', () => {
    expect(rows('/storage', { rights: 'none' })).toEqual([]);
    expect(rows('/nodes/pve1/storage', { rights: (path) => path === '/storage/tank' }).map((row) => row.storage)).toEqual([
      'tank',
    ]);
  });

  it('show an unreachable storage as enabled, inactive and empty', () => {
    const dead = rows('/nodes/pve1/storage').find((row) => row.storage === 'nas-media');
    expect(dead).toMatchObject({ enabled: 1, active: 0, total: 0, used: 0, avail: 0 });
    expect(dead).not.toHaveProperty('used_fraction');
  });

  it('hold the plain key of a foreign plugin', () => {
    expect(String(rows('/storage').find((row) => row.type === 'purestorage')?.api_key)).toContain('CANARY');
  });

  it('filter by content and state', () => {
    expect(
      rows('/nodes/pve1/storage', { query: { content: 'backup', enabled: '1' } })
        .map((row) => row.storage)
        .sort(),
    ).toEqual(['backup-dir', 'local', 'nas-backup', 'pbs-main', 'pbs-offsite', 'smb-archive']);
  });
});

describe('backup jobs', () => {
  it('count disabled jobs as covering', () => {
    const missing = rows('/cluster/backup-info/not-backed-up').map((row) => row.vmid);
    expect(missing).not.toContain(104);
    expect(missing).toContain(102);
    expect(missing).toContain(117);
    expect(missing).not.toContain(113);
  });

  it('know why a volume is in or out', () => {
    expect(call(table, '/cluster/backup/backup-nightly/included_volumes').data).toMatchObject({
      children: expect.arrayContaining([
        expect.objectContaining({
          id: 100,
          children: expect.arrayContaining([expect.objectContaining({ id: '100:scsi1', included: 0, reason: 'backup=no' })]),
        }),
        expect.objectContaining({
          id: 200,
          children: expect.arrayContaining([expect.objectContaining({ reason: 'not a volume', included: 0 })]),
        }),
      ]),
    });
  });

  it('are not found by a wrong id', () => {
    expect(() => call(table, '/cluster/backup/nope')).toThrow('Parameter verification failed.');
  });

  it('have a next run, also when disabled', () => {
    for (const job of rows('/cluster/backup')) expect(Number(job['next-run'])).toBeGreaterThan(NOW / 1000);
  });
});
