import { describe, expect, test } from 'vitest';
import { parseInterfaces, parsePendingNetwork } from './node-network.ts';

describe('parseInterfaces', () => {
  test('sorted, whatever the order; rows without a name fall out', () => {
    const names = parseInterfaces([{ iface: 'vmbr0' }, { type: 'eth' }, null, { iface: 'eno1' }]).map((i) => i.name);
    expect(names).toEqual(['eno1', 'vmbr0']);
    expect(() => parseInterfaces(undefined)).toThrow('no list');
  });

  test('a bridge with both families, ports as a text of words', () => {
    const [bridge] = parseInterfaces([
      {
        iface: 'vmbr0',
        type: 'bridge',
        active: 1,
        autostart: '1',
        cidr: '10.0.0.11/24',
        cidr6: '2001:db8::11/64',
        gateway: '10.0.0.1',
        bridge_ports: 'eno1 eno2',
        bridge_vlan_aware: 1,
        bridge_vids: '2-4094',
        mtu: '9000',
        comments: 'uplink, password: hunter2butlonger\n',
      },
    ]);
    expect(bridge).toMatchObject({
      active: true,
      autostart: true,
      addresses: ['10.0.0.11/24', '2001:db8::11/64'],
      gateways: ['10.0.0.1'],
      ports: ['eno1', 'eno2'],
      vlanAware: true,
      vids: '2-4094',
      mtu: 9000,
    });
    expect(bridge?.comment).not.toContain('hunter2');
  });

  test('address and mask apart, as 7.x wrote them', () => {
    const [eth] = parseInterfaces([{ iface: 'eno1', type: 'eth', address: '10.0.0.5', netmask: 24 }]);
    expect(eth?.addresses).toEqual(['10.0.0.5/24']);
  });

  test('a bridge without ports has none, and absent flags are no', () => {
    const [bridge] = parseInterfaces([{ iface: 'vmbr1', type: 'bridge', bridge_ports: 'none', exists: null }]);
    expect(bridge).toMatchObject({ ports: [], active: false, autostart: false, vlanAware: false, exists: undefined });
  });

  test.each([
    [{ iface: 'eno1.50', type: 'vlan', 'vlan-id': '50', 'vlan-raw-device': 'eno1' }, 50, 'eno1'],
    [{ iface: 'eno1.51', type: 'vlan' }, 51, undefined],
    [{ iface: 'mgmt', type: 'OVSIntPort', ovs_options: 'tag=77' }, 77, undefined],
    [{ iface: 'eno3', type: 'OVSPort', ovs_options: 'vlan_mode=trunk' }, undefined, undefined],
  ])('the VLAN of %j', (row, id, device) => {
    const [found] = parseInterfaces([row]);
    expect([found?.vlanId, found?.vlanDevice]).toEqual([id, device]);
  });

  test('a bond tells its mode and members', () => {
    const [bond] = parseInterfaces([
      { iface: 'bond0', type: 'bond', slaves: 'eno2 eno3', bond_mode: 'active-backup', 'bond-primary': 'eno2' },
    ]);
    expect(bond).toMatchObject({ bond: 'active-backup, primary eno2', ports: ['eno2', 'eno3'] });
  });
});

test('lines of a diff are counted without its head', () => {
  const diff =
    '--- /etc/network/interfaces\n+++ /etc/network/interfaces.new\n@@ -1 +1,2 @@\n-\tmtu 9000\n+\tmtu 1500\n+\n auto lo\n';
  expect(parsePendingNetwork(diff)).toEqual({ added: 2, removed: 1, diff });
  expect(parsePendingNetwork(undefined)).toBeUndefined();
  expect(parsePendingNetwork(' \n')).toBeUndefined();
});
