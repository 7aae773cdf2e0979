import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { worldOf } from '../../../test/support/demo-world.ts';
import { callAs, type Harness, openHarness } from '../../../test/support/harness.ts';
import { recordOf, tableOf } from '../../../test/support/read-answer.ts';

/** Requests about rights are kept for the identity and do not grow; everything else is data. */
const isData = (path: string): boolean => !path.startsWith('/access/');

describe('get_cluster_overview', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await openHarness();
  });
  afterAll(() => h.close());

  test('one answer: quorum, nodes, use, guests, storages, tasks; seven requests for data', async () => {
    const { text } = await h.call('get_cluster_overview');
    const world = worldOf(h.demo);
    const guests = [...world.guests.values()].filter((g) => !g.template);
    const cluster = recordOf(text, 'cluster');
    expect(text.split('\n')[0]).toMatch(
      /^Cluster demo \(Proxmox VE 9\.2\.11\): quorate, 2 of 3 nodes online; \d+ guests, \d+ running/,
    );
    expect(cluster).toMatchObject({ nodes: '3', online: '2', quorum: 'yes, 2 of 3 votes present, 2 needed' });
    expect(Number(cluster['cores'])).toBe(world.nodes.filter((n) => n.online).reduce((sum, n) => sum + n.maxcpu, 0));
    expect(world.guests.has(Number(cluster['next_vmid']))).toBe(false);
    expect(Number(cluster['next_vmid'])).toBeGreaterThanOrEqual(100);
    const counted = recordOf(text, 'guests');
    expect(Number(counted['total']) + Number(counted['templates'])).toBe(world.guests.size);
    expect(Number(counted['unknown'])).toBe(guests.filter((g) => g.node === 'pve3').length);
    expect(tableOf(text, 'nodes').map((n) => [n['node'], n['status']])).toEqual([
      ['pve3', 'offline'],
      ['pve2', 'online'],
      ['pve1', 'online'],
    ]);
    expect(
      h.demo.requests
        .filter((r) => isData(r.path))
        .map((r) => r.path)
        .sort(),
    ).toEqual([
      '/cluster/config/nodes',
      '/cluster/config/qdevice',
      '/cluster/nextid',
      '/cluster/resources',
      '/cluster/status',
      '/cluster/tasks',
      '/version',
    ]);
  });

  test('running and failed tasks of a day; warnings are no failure', async () => {
    const { text } = await h.call('get_cluster_overview');
    const world = worldOf(h.demo);
    const tasks = world.nodes.flatMap((n) => (world.tasks.get(n.node) ?? []).slice(0, 25));
    const day = world.now / 1000 - 86_400;
    const failed = tasks.filter(
      (t) =>
        t.endtime !== undefined &&
        t.endtime >= day &&
        !['OK', 'unexpected status'].includes(t.status ?? '') &&
        !/^WARNINGS/.test(t.status ?? ''),
    );
    const rows = tableOf(text, 'tasks');
    expect(rows.filter((r) => r['state'] === 'failed')).toHaveLength(failed.length);
    expect(rows.filter((r) => r['state'] === 'running')).toHaveLength(tasks.filter((t) => t.endtime === undefined).length);
    expect(text).toContain('at most 25 a node');
  });

  test('storages: unreachable ones once each, then the fullest', async () => {
    const { text } = await h.call('get_cluster_overview');
    const rows = tableOf(text, 'storages');
    const inactive = rows.filter((r) => r['state'] === 'inactive').map((r) => r['storage']);
    expect(inactive.length).toBeGreaterThan(0);
    expect(new Set(inactive).size).toBe(inactive.length);
    const used = rows.filter((r) => r['state'] === 'available').map((r) => Number.parseFloat(r['used'] ?? ''));
    expect(used).toEqual([...used].sort((a, b) => b - a));
  });

  test('FIELD T7: a standalone node is a state: no quorum, no votes asked for, no problem', async () => {
    const alone = await openHarness({ standalone: true });
    const { text } = await alone.call('get_cluster_overview');
    expect(text).toMatch(/^Standalone node pve1 \(Proxmox VE 9\.2\.11\), no cluster;/);
    expect(recordOf(text, 'cluster')['quorum']).toBe('not needed: standalone node');
    expect(text).not.toMatch(/Problem|NOT QUORATE/);
    expect(alone.demo.requests.some((r) => r.path.startsWith('/cluster/config'))).toBe(false);
    await alone.close();
  });

  test('without rights: what is known, and everything else as hidden', async () => {
    const { text } = await callAs(h.demo, 'noacl', 'get_cluster_overview');
    expect(text.split('\n')[0]).toBe('Cluster (Proxmox VE 9.2.11): 2 of 3 nodes online; no guest is visible to this token');
    for (const what of ["the cluster's name and quorum", 'guests', 'storages', 'tasks', 'figures of nodes'])
      expect(text).toContain(`Hidden: ${what}: needs`);
    expect(text).not.toContain('## guests');
    expect(text).not.toContain('failed tasks');
  });

  test('half the rights: a pool and a storage', async () => {
    const { text, isError } = await callAs(h.demo, 'scoped', 'get_cluster_overview');
    expect(isError).toBe(false);
    expect(text).toMatch(/\d+ visible guests/);
    expect(text).toContain('Hidden: ');
  });

  test('a lost quorum is the first thing said', async () => {
    const lost = await openHarness();
    const { nodes } = worldOf(lost.demo);
    nodes.splice(0, nodes.length, ...nodes.map((node) => ({ ...node, online: node.local === true })));
    const { text } = await lost.call('get_cluster_overview');
    expect(text.split('\n')[0]).toContain('NOT QUORATE');
    expect(recordOf(text, 'cluster')['quorum']).toBe('NO: the configuration is read-only, 1 of 3 votes present, 2 needed');
    await lost.close();
  });

  test('votes that cannot be read cost only themselves', async () => {
    const off = h.demo.faults.add({ kind: 'status-500', match: '/cluster/config' });
    const { text } = await h.call('get_cluster_overview');
    off();
    expect(recordOf(text, 'cluster')['quorum']).toBe('yes');
    expect(text).toContain('Problem (upstream)');
  });

  test('32 nodes and 5,000 guests: as many requests, and an answer that stays short', async () => {
    const big = await openHarness({ nodes: 32, guests: 5_000 });
    const { text } = await big.call('get_cluster_overview');
    expect(big.demo.requests.filter((r) => isData(r.path))).toHaveLength(7);
    expect(text.length).toBeLessThan(5_000);
    expect(text).toContain('12 of 32 nodes shown');
    expect(recordOf(text, 'cluster')['nodes']).toBe('32');
    await big.close();
  });

  test('structured: the same figures, typed', async () => {
    const { structured, isError } = await h.call('get_cluster_overview', {}, { form: 'structured' });
    expect(isError).toBe(false);
    expect(JSON.stringify(structured)).toContain('"nodes"');
  });
});
