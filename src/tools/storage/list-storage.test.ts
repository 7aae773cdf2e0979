import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callAs, type Harness, openHarness } from '../../../test/support/harness.ts';
import { tableOf } from '../../../test/support/read-answer.ts';

describe('list_storage', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await openHarness();
  });
  afterAll(() => h.close());

  const rowsFor = async (args = {}): Promise<Record<string, string>[]> =>
    tableOf((await h.call('list_storage', args, { maxChars: 40_000 })).text);

  test('T21 shared storage is counted once, local ones for each node', async () => {
    const rows = await rowsFor();
    for (const storage of h.demo.world.storages) {
      const mine = rows.filter((r) => r['storage'] === storage.storage);
      // A network storage is one thing, whether or not its definition says that it is shared.
      if (storage.shared || storage.disabled || storage.type === 'esxi' || storage.type === 'iscsi')
        expect(mine, storage.storage).toHaveLength(1);
      else expect(mine, storage.storage).toHaveLength((storage.nodes ?? ['pve1', 'pve2', 'pve3']).length);
    }
  });

  test('an enabled storage that is not reachable is inactive, never available or empty', async () => {
    const rows = await rowsFor();
    const media = rows.find((r) => r['storage'] === 'nas-media');
    expect(media).toMatchObject({ state: 'inactive', used: '', total: '' });
    expect(rows.find((r) => r['storage'] === 'old-smb')?.['state']).toBe('disabled');
    expect(rows.filter((r) => r['nodes'] === 'pve3').every((r) => r['state'] === 'unknown')).toBe(true);
  });

  test('usage is what the cluster says', async () => {
    const local = (await rowsFor({ node: 'pve2', content: 'iso' })).find((r) => r['storage'] === 'local');
    const use = h.demo.world.storages.find((s) => s.storage === 'local')?.use('pve2');
    expect(use).toBeDefined();
    expect(Number.parseFloat(local?.['used'] ?? '')).toBeCloseTo(((use?.used ?? 0) / (use?.total ?? 1)) * 100, 0);
  });

  test('filters by state and content', async () => {
    expect((await rowsFor({ state: 'inactive' })).every((r) => r['state'] === 'inactive')).toBe(true);
    expect((await rowsFor({ content: 'backup' })).every((r) => r['content']?.includes('backup'))).toBe(true);
  });

  test('two data requests whatever the size; offline and hidden are said', async () => {
    const { stats, text } = await h.call('list_storage');
    expect(stats.requests).toBeLessThanOrEqual(6);
    expect(text).toContain('Problem: pve3');
    expect((await callAs(h.demo, 'noacl', 'list_storage')).text).toContain('Hidden: storages: needs Datastore.Audit on /storage');
  });

  test('wrong node', async () => {
    const { isError, text } = await h.call('list_storage', { node: 'pve11' });
    expect(isError).toBe(true);
    expect(text).toContain('Did you mean pve1?');
  });
});
