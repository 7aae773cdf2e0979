import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callAs, type Harness, openHarness } from '../../../test/support/harness.ts';
import { recordOf, tableOf } from '../../../test/support/read-answer.ts';

describe('list_ceph_osds', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await openHarness();
  });
  afterAll(() => h.close());

  test('every OSD with its host and state, the one that is down first and without figures, in two requests', async () => {
    const { text, stats } = await h.call('list_ceph_osds');
    const rows = tableOf(text);
    const { osds } = h.demo.world.areas.ceph;
    expect(rows).toHaveLength(osds.length);
    expect(rows[0]).toMatchObject({ osd: 'osd.3', status: 'down, in', problem: 'down', full: '', size: '' });
    for (const osd of osds.filter((o) => o.up)) {
      expect(rows.find((r) => r['osd'] === `osd.${osd.id}`)).toMatchObject({
        host: osd.node,
        class: osd.deviceClass,
        status: 'up, in',
        version: osd.version,
        full: `${Number(((osd.used / osd.total) * 100).toFixed(1))}%`,
      });
    }
    expect(text).toMatch(/^4 OSDs: 1 down, 0 out, 0 near full/);
    expect(text).toContain('Note: Flags set: noscrub.');
    expect(stats.requests).toBeLessThanOrEqual(2);
  });

  test('of one host; a host without any says so', async () => {
    expect(tableOf((await h.call('list_ceph_osds', { node: 'pve2' })).text).map((r) => r['osd'])).toEqual(['osd.3', 'osd.2']);
    expect((await h.call('list_ceph_osds', { node: 'pve3' })).text).toMatch(/^No OSDs on pve3 \(4 in the cluster\)/);
    expect((await h.call('list_ceph_osds', { node: 'pve4' })).text).toContain('Did you mean');
  });

  test('one OSD with its devices, from its host; one that is not there', async () => {
    const osd = h.demo.world.areas.ceph.osds[0];
    const { text, stats } = await h.call('list_ceph_osds', { osd: osd?.id });
    expect(tableOf(text).map((r) => r['osd'])).toEqual([`osd.${osd?.id}`]);
    expect(recordOf(text, 'detail')).toMatchObject({
      devices: `block on nvme${osd?.id}n1 (ssd)`,
      store: 'bluestore',
      encrypted: 'no',
      volume: `ceph-vg${osd?.id}/osd-block-${osd?.id}`,
      version: osd?.version,
    });
    expect(stats.requests).toBeLessThanOrEqual(4);
    expect((await h.call('list_ceph_osds', { osd: 99 })).text).toContain('There is no osd.99 here.');
  });

  test('the first node hangs: another one knows as much', async () => {
    const slow = await openHarness({ demo: h.demo, cluster: { timeoutMs: 700 } });
    const off = h.demo.faults.add({ kind: 'hang', match: '/nodes/pve1' });
    const { text } = await slow.call('list_ceph_osds');
    off();
    expect(tableOf(text)).toHaveLength(4);
    expect(text).toContain('Note: pve1 did not answer; read from pve2.');
    await slow.close();
  });

  test('T29 a missing right is named; the structured form has no secrets', async () => {
    expect((await callAs(h.demo, 'noacl', 'list_ceph_osds')).text).toContain('Sys.Audit or Datastore.Audit on /');
    const { structured } = await h.call('list_ceph_osds', {}, { form: 'structured' });
    for (const canary of h.demo.canaries) expect(JSON.stringify(structured)).not.toContain(canary);
    expect(JSON.stringify(structured)).not.toContain('"rank"');
  });
});

test.each(['8.4', '7.4'] as const)('release %s', async (release) => {
  const h = await openHarness({ release });
  expect(tableOf((await h.call('list_ceph_osds')).text)).toHaveLength(4);
  await h.close();
});

test('no Ceph is a state', async () => {
  const h = await openHarness({ nodes: 2, guests: 2 });
  const { text, isError } = await h.call('list_ceph_osds');
  expect(isError).toBe(false);
  expect(text).toMatch(/^Ceph is not in use on/);
  await h.close();
});
