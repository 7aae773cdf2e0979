import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { worldOf } from '../../../test/support/demo-world.ts';
import { callAs, type Harness, openHarness } from '../../../test/support/harness.ts';
import { cursorOf, tableOf } from '../../../test/support/read-answer.ts';

describe('list_node_network', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await openHarness();
  });
  afterAll(() => h.close());

  test('every interface of the node with its addresses, ports, bond and VLAN', async () => {
    const { text, stats } = await h.call('list_node_network', { node: 'pve1' });
    const rows = tableOf(text);
    expect(rows.map((r) => r['iface']).sort()).toEqual(
      worldOf(h.demo)
        .areas.maintenance.node('pve1')
        .network.map((n) => n.iface)
        .sort(),
    );
    const byName = new Map(rows.map((r) => [r['iface'], r]));
    expect(byName.get('vmbr0')).toMatchObject({
      type: 'bridge',
      addresses: '10.20.0.11/24, 2001:db8:20::11/64',
      gateway: '10.20.0.1',
      ports: 'eno1',
      vlan_aware: '2-4094',
    });
    expect(byName.get('bond0')).toMatchObject({ ports: 'enp5s0, enp6s0', bond: '802.3ad, layer3+4' });
    expect(byName.get('eno1.50')).toMatchObject({ vlan: '50 on eno1', mtu: '9000', active: 'no' });
    // Inventory, interfaces, and the token's rights.
    expect(stats.requests).toBeLessThanOrEqual(7);
  });

  test('pending edits are counted, and shown without secrets only when asked for', async () => {
    const usual = await h.call('list_node_network', { node: 'pve1' });
    expect(usual.text).toContain('lines added: 2, removed: 1');
    expect(usual.text).not.toContain('mtu 1500');
    const shown = await h.call('list_node_network', { node: 'pve1', changes: true });
    expect(shown.text).toContain('-\tmtu 1500');
    expect(shown.text).toContain('--password [redacted]');
    const quiet = await h.call('list_node_network', { node: 'pve2', changes: true });
    expect(quiet.text).not.toContain('not applied');
  });

  test('secrets in options, comments and edits stay in', async () => {
    for (const form of ['text', 'structured'] as const) {
      const { text, structured, stats } = await h.call('list_node_network', { node: 'pve1', changes: true }, { form });
      for (const canary of h.demo.canaries) expect(text + JSON.stringify(structured ?? '')).not.toContain(canary);
      expect(stats.redacted).toBeGreaterThanOrEqual(4);
    }
  });

  test('bridges that are left out silently are told as hidden', async () => {
    const { text } = await callAs(h.demo, 'noacl', 'list_node_network', { node: 'pve1' });
    expect(tableOf(text).some((r) => r['type'] === 'bridge')).toBe(false);
    expect(text).toContain('Hidden: bridges: needs SDN.Audit on /sdn/zones/localnetwork');
    expect(text).toMatch(/^6 visible interfaces/);
  });

  test('on 7.4 bridges are shown to everybody', async () => {
    const old = await openHarness({ release: '7.4', role: 'noacl' });
    const { text } = await old.call('list_node_network', { node: 'pve1' });
    expect(tableOf(text).filter((r) => r['type'] === 'bridge')).toHaveLength(2);
    expect(text).not.toContain('Hidden');
    await old.close();
  });

  test('Open vSwitch ports with their VLAN', async () => {
    const { text } = await h.call('list_node_network', { node: 'pve2' });
    expect(tableOf(text).find((r) => r['iface'] === 'ovsmgmt')).toMatchObject({
      type: 'OVSIntPort',
      vlan: '77',
      bridge: 'vmbr9',
    });
  });

  test('fields, limit and the rest by cursor', async () => {
    const first = await h.call('list_node_network', { node: 'pve1', limit: 3, fields: ['iface'] });
    const cursor = cursorOf(first.text);
    const second = await h.call('list_node_network', { node: 'pve1', fields: ['iface'], cursor });
    expect(first.text).toContain('bond0\neno1\neno1.50');
    expect(second.text).toContain('enp5s0\nenp6s0\nvmbr0\nvmbr1\nwlp7s0');
  });

  test('an offline node is not asked', async () => {
    const before = h.demo.requests.length;
    const { text, isError } = await h.call('list_node_network', { node: 'pve3' });
    expect(isError).toBe(true);
    expect(text).toContain('Node pve3 is offline');
    expect(h.demo.requests.slice(before).some((r) => r.path.startsWith('/nodes/'))).toBe(false);
  });
});
