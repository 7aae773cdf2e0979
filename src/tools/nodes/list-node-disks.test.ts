import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { worldOf } from '../../../test/support/demo-world.ts';
import { callAs, type Harness, openHarness } from '../../../test/support/harness.ts';
import { recordOf, tableOf } from '../../../test/support/read-answer.ts';

describe('list_node_disks', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await openHarness();
  });
  afterAll(() => h.close());

  test('disks, groups, thin pools with metadata, broken ZFS pools with their faults, directories', async () => {
    const { text, stats } = await h.call('list_node_disks', { node: 'pve1' });
    const disks = worldOf(h.demo)
      .disks('pve1')
      .disks.filter((d) => d.parent === undefined);
    expect(tableOf(text, 'disks').map((d) => d['disk'])).toEqual(disks.map((d) => d.devpath).sort());
    expect(tableOf(text, 'lvmthin')[0]).toMatchObject({ pool: 'pve/data', used: '78%', metadata_used: '96%' });
    expect(tableOf(text, 'zfs')[0]).toMatchObject({ pool: 'tank', health: 'DEGRADED' });
    expect(tableOf(text, 'zfs_faults')[0]).toMatchObject({ pool: 'tank', state: 'FAULTED', checksum_errors: '217' });
    expect(tableOf(text, 'directories')[0]?.['path']).toBe('/mnt/backup');
    expect(text.split('\n')[0]).toBe('Node pve1: 6 disks; thin pool pve/data 96% full (metadata); ZFS pool tank DEGRADED');
    // Inventory, five lists, one look into the pool.
    expect(stats.requests).toBe(7);
  });

  test('sleeping disks are let sleep unless health is asked for', async () => {
    const before = h.demo.requests.length;
    const quiet = await h.call('list_node_disks', { node: 'pve2', sections: ['disks'] });
    expect(quiet.text).toContain('Health and wear were not read');
    expect(tableOf(quiet.text)[0]).not.toHaveProperty('health');
    const health = await h.call('list_node_disks', { node: 'pve2', sections: ['disks'], health: true });
    expect(tableOf(health.text)[0]).toMatchObject({ health: 'PASSED', life_left: '38%' });
    const asked = h.demo.requests.slice(before).filter((r) => r.path === '/nodes/pve2/disks/list');
    expect(asked.map((r) => r.query['skipsmart'])).toEqual(['1', undefined]);
  });

  test('a failing disk stands in the headline', async () => {
    const { text } = await h.call('list_node_disks', { node: 'pve1', sections: ['disks'], health: true });
    expect(text.split('\n')[0]).toBe('Node pve1: 6 disks; /dev/sdb failing');
  });

  test('SMART values of one disk, as a table or as text', async () => {
    const sata = await h.call('list_node_disks', { node: 'pve1', smart: 'sdb' });
    expect(sata.text.split('\n')[0]).toBe('/dev/sdb on pve1: FAILED!, 1 failed attribute');
    expect(tableOf(sata.text, 'smart_attributes')[0]).toMatchObject({
      attribute: 'Reallocated_Sector_Ct',
      raw: '2216',
      failed: 'at or below threshold',
    });
    const nvme = await h.call('list_node_disks', { node: 'pve1', smart: '/dev/nvme0n1' });
    expect(nvme.text).toContain('Percentage Used:                    9%');
    expect(recordOf(nvme.text, 'smart')['life_left']).toBe('91%');
  });

  test.each([
    [{ node: 'pve1', smart: 'sdz' }, /Did you mean \/dev\/sda\?/],
    [{ node: 'pve1', smart: '../../etc/shadow' }, /is no disk/],
    [{ node: 'pve9' }, /There is no node "pve9"/],
  ])('%j is refused with a hint', async (args, words) => {
    const { text, isError } = await h.call('list_node_disks', args);
    expect(isError).toBe(true);
    expect(text).toMatch(words);
  });

  test('a token without rights sees no disks, and no claim that there are none', async () => {
    const { text } = await callAs(h.demo, 'noacl', 'list_node_disks', { node: 'pve1' });
    expect(text.split('\n')[0]).toBe('Node pve1: this token may not see its disks');
    expect(text).toContain('needs Sys.Audit on /');
    expect(text).not.toContain('## disks');
  });

  test('a list that fails costs only itself', async () => {
    // Answers are kept for a minute: another session asks anew.
    const fresh = await openHarness({ demo: h.demo });
    const off = h.demo.faults.add({ kind: 'status-500', match: '/nodes/pve1/disks/zfs' });
    const { text } = await fresh.call('list_node_disks', { node: 'pve1' });
    const alone = await fresh.call('list_node_disks', { node: 'pve1', sections: ['zfs'] });
    expect(alone.text.split('\n')[0]).toBe('Node pve1: not all that was asked for could be read');
    off();
    expect(tableOf(text, 'disks')).toHaveLength(6);
    expect(text).toContain('Problem: pve1 (upstream)');
    expect(text).not.toContain('## zfs');
    await fresh.close();
  });
});
