import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { worldOf } from '../../../test/support/demo-world.ts';
import { callAs, type Harness, openHarness } from '../../../test/support/harness.ts';
import { tableOf } from '../../../test/support/read-answer.ts';

describe('list_updates', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await openHarness();
  });
  afterAll(() => h.close());

  test('an auditor gets what the core packages tell, and is told that the rest is hidden', async () => {
    const { text } = await h.call('list_updates');
    expect(tableOf(text, 'updates').map((u) => [u['package'], u['nodes']])).toEqual([
      ['pve-manager', 'pve2'],
      ['pve-qemu-kvm', 'pve2'],
    ]);
    expect(text.split('\n')[0]).toMatch(/^2 known packages to update on 2 nodes; 1 node waits for a reboot/);
    expect(text).toContain('needs Sys.Modify on /nodes/<node>');
    expect(text).toContain('others may be waiting, too');
    expect(text).toContain('Problem: pve3 (node-unreachable)');
    expect(tableOf(text, 'nodes')[0]).not.toHaveProperty('updates');
    // Nothing was sent that is known to be refused.
    expect(h.demo.requests.filter((r) => r.path.endsWith('/apt/update'))).toEqual([]);
    expect(
      h.demo.requests
        .filter((r) => r.path.startsWith('/nodes/'))
        .map((r) => r.path)
        .sort(),
    ).toEqual(['/nodes/pve1/apt/versions', '/nodes/pve2/apt/versions']);
  });

  test('with the right: every update once with its nodes, security first', async () => {
    const { text } = await callAs(h.demo, 'full', 'list_updates');
    const { maintenance } = worldOf(h.demo).areas;
    const names = new Set(['pve1', 'pve2'].flatMap((n) => maintenance.node(n).updates.map((u) => String(u['Package']))));
    const rows = tableOf(text, 'updates');
    expect(rows.map((r) => r['package']).sort()).toEqual([...names].sort());
    expect(rows.slice(0, 2).map((r) => r['security'])).toEqual(['yes', 'yes']);
    expect(rows.find((r) => r['package'] === 'tzdata')?.['nodes']).toBe('pve1, pve2');
    expect(tableOf(text, 'nodes').map((n) => [n['node'], n['updates'], n['security']])).toEqual([
      ['pve1', '2', '0'],
      ['pve2', '6', '2'],
    ]);
    expect(text).not.toContain('forbidden');
  });

  test('packages that differ between nodes', async () => {
    const { text } = await h.call('list_updates');
    expect(tableOf(text, 'drift').find((d) => d['package'] === 'pve-manager')?.['versions']).toBe('9.2.11: pve1, 9.2.4: pve2');
    const one = await h.call('list_updates', { node: 'pve2' });
    expect(one.text).not.toContain('## drift');
    expect(one.text).not.toContain('pve3');
  });

  test('package sources with the warnings of the node, credentials hidden', async () => {
    const { text } = await h.call('list_updates', { node: 'pve2', repositories: true });
    expect(tableOf(text, 'repositories')).toHaveLength(3);
    expect(text).toContain('not recommended for production use');
    for (const canary of h.demo.canaries) expect(text).not.toContain(canary);
  });

  test('without any right nothing is claimed', async () => {
    const { text } = await callAs(h.demo, 'noacl', 'list_updates');
    expect(text.split('\n')[0]).toBe('Updates and versions of 2 nodes could not be read');
    expect(text).not.toContain('## updates');
    expect(text).toContain('needs Sys.Audit on /nodes/<node>');
  });

  test('an offline or unknown node is refused before it is asked', async () => {
    expect((await h.call('list_updates', { node: 'pve3' })).errorKind).toBe('node-unreachable');
    expect((await h.call('list_updates', { node: 'pve' })).text).toContain('Did you mean');
  });

  test('one node that hangs: the others answer', async () => {
    const stuck = await openHarness({ cluster: { timeoutMs: 600 } });
    stuck.demo.faults.add({ kind: 'hang', match: '/nodes/pve2/' });
    const { text } = await stuck.call('list_updates');
    expect(text.split('\n')[0]).toMatch(/on 1 node/);
    expect(tableOf(text, 'nodes').find((n) => n['node'] === 'pve1')?.['pve_manager']).toBe('9.2.11');
    expect(text).toMatch(/Problem: pve2 \(timeout\)/);
    await stuck.close();
  });
});
