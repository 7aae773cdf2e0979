import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callAs, type Harness, openHarness } from '../../../test/support/harness.ts';
import { recordOf, tableOf } from '../../../test/support/read-answer.ts';

describe('get_ceph_status', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await openHarness();
  });
  afterAll(() => h.close());

  test('health with its reasons, counts, flags, pools and versions, in five requests', async () => {
    const { text, stats } = await h.call('get_ceph_status');
    const { ceph } = h.demo.world.areas;
    const up = ceph.osds.filter((osd) => osd.up).length;
    expect(text).toMatch(new RegExp(`^Ceph health HEALTH_WARN: ${up} of ${ceph.osds.length} OSDs up, ${ceph.osds.length} in`));
    expect(stats.requests).toBeLessThanOrEqual(5);
    expect(recordOf(text, 'ceph')).toMatchObject({
      monitors: `${ceph.monitors.length} of ${ceph.monitors.length} in quorum (${ceph.monitors.join(', ')})`,
      flags: 'noscrub',
      degraded: '11.1%',
      fsid: ceph.fsid,
    });
    expect(tableOf(text, 'checks').find((r) => r['check'] === 'OSD_DOWN')?.['details']).toContain('osd.3');
    expect(
      tableOf(text, 'pools')
        .map((r) => r['pool'])
        .sort(),
    ).toEqual(ceph.pools.map((p) => p.name).sort());
    expect(tableOf(text, 'pools')[0]).toMatchObject({ pool: 'vm-pool', copies: '3 / 2', groups: '128', groups_wanted: '32' });
    expect(text).toContain('Note: Daemons run 2 versions: 19.2.2, 19.2.3.');
  });

  test('daemons, file systems, rules, configuration and map by name; secrets of the configuration stay out', async () => {
    const sections = ['daemons', 'filesystems', 'rules', 'config', 'crush'];
    const { ceph } = h.demo.world.areas;
    const { text, stats } = await h.call('get_ceph_status', { sections }, { maxChars: 40_000 });
    const daemons = tableOf(text, 'daemons');
    expect(daemons.filter((d) => d['kind'] === 'mon').map((d) => d['name'])).toEqual([...ceph.monitors].sort());
    expect(daemons.find((d) => d['kind'] === 'mgr' && d['state'] === 'active')?.['name']).toBe(ceph.monitors[0]);
    expect(tableOf(text, 'filesystems')).toMatchObject([{ name: ceph.fileSystem, metadata_pool: 'cephfs_metadata' }]);
    expect(recordOf(text, 'placement')['rules']).toContain('replicated_rule');
    expect(tableOf(text, 'settings').length).toBe(ceph.configDb.length);
    expect(text).toContain('## crush');
    expect(text).toContain('fsid');
    expect(text).toMatch(/^Redacted: \d+ secret values? in what was read/m);
    for (const canary of h.demo.canaries) expect(text).not.toContain(canary);
    expect(text).not.toContain('## pools');
    expect(stats.requests).toBeLessThanOrEqual(12);
  });

  test('a part that fails costs its own section', async () => {
    const off = h.demo.faults.add({ kind: 'status-500', match: /ceph\/mgr/ });
    const { text, isError } = await h.call('get_ceph_status', { sections: ['daemons', 'rules'] });
    off();
    expect(isError).toBe(false);
    expect(text).toMatch(/^Problem \(upstream\): /m);
    expect(text).toContain('## placement');
    expect(text).not.toContain('## daemons');
  });

  test('structured form, without secrets', async () => {
    const { structured } = await h.call('get_ceph_status', {}, { form: 'structured' });
    expect(structured).toMatchObject({
      coverage: 'complete',
      ceph: { health: 'HEALTH_WARN', used_share_pct: expect.any(Number) },
    });
    for (const canary of h.demo.canaries) expect(JSON.stringify(structured)).not.toContain(canary);
  });

  test('what hangs costs its own section', async () => {
    const slow = await openHarness({ demo: h.demo, cluster: { timeoutMs: 700 } });
    const off = h.demo.faults.add({ kind: 'hang', match: /ceph\/pool/ });
    const { text, isError } = await slow.call('get_ceph_status');
    off();
    expect(isError).toBe(false);
    expect(text).toMatch(/^Ceph health HEALTH_WARN/);
    expect(text).toMatch(/^Problem.*timeout/m);
    expect(tableOf(text, 'pools')).toEqual([]);
    await slow.close();
  });

  test('a health that can not be read is the first thing that is said', async () => {
    const slow = await openHarness({ demo: h.demo, cluster: { timeoutMs: 700 } });
    const off = h.demo.faults.add({ kind: 'hang', match: /ceph\/status/ });
    const { text } = await slow.call('get_ceph_status');
    off();
    expect(text).toMatch(/^Ceph: its health could not be read/);
    await slow.close();
  });

  test('a Ceph that hangs altogether is an error, and leaves the rest of the cluster alone', async () => {
    const slow = await openHarness({ demo: h.demo, cluster: { timeoutMs: 700 } });
    const off = h.demo.faults.add({ kind: 'hang', match: /ceph/ });
    const { text, isError } = await slow.call('get_ceph_status');
    const nodes = await slow.call('list_nodes');
    off();
    expect(isError).toBe(true);
    expect(text).toContain('Error (timeout)');
    expect(nodes.text).toMatch(/^3 nodes, 2 online/);
    await slow.close();
  });

  test('T29 a missing right is named', async () => {
    const { text, isError } = await callAs(h.demo, 'noacl', 'get_ceph_status');
    expect(isError).toBe(true);
    expect(text).toContain('Sys.Audit or Datastore.Audit on /');
  });

  test('a wrong argument', async () => {
    expect((await h.call('get_ceph_status', { node: 'pve1' })).text).toContain('Error (bad-argument)');
  });
});

test.each(['absent', 'bare'] as const)('Ceph that is %s is a state; the node that is off was not asked', async (state) => {
  const h = await openHarness();
  h.demo.world.areas.ceph.state = state;
  const { text, isError } = await h.call('get_ceph_status');
  expect(isError).toBe(false);
  expect(text).toMatch(/^Ceph is not in use on pve1, pve2; not asked: pve3/);
  expect(text).toContain('Problem: pve3');
  await h.close();
});

test.each(['8.4', '7.4'] as const)('release %s', async (release) => {
  const h = await openHarness({ release });
  const { text } = await h.call('get_ceph_status');
  expect(text).toMatch(/^Ceph health HEALTH_WARN/);
  expect(tableOf(text, 'pools')).toHaveLength(4);
  await h.close();
});
