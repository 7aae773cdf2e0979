import { describe, expect, test } from 'vitest';
import type { AddressSources } from '../cluster/address-sources.ts';
import { parseGuestConfig } from '../cluster/guest-config.ts';
import type { LiveInterfaces } from '../cluster/guest-network.ts';
import {
  type AddressEntry,
  addressesOpen,
  duplicatesOf,
  duplicateWords,
  entriesOfConfig,
  entriesOfLive,
  entriesOfSources,
  entryWords,
  holdsVlan,
  matchEntries,
  parseAddressQuery,
} from './address-book.ts';

const machine = parseGuestConfig(
  {
    net0: 'virtio=BC:24:11:00:00:01,bridge=vmbr0,tag=20',
    net1: 'virtio=BC:24:11:00:00:02,bridge=office',
    net2: 'virtio=BC:24:11:00:00:03,bridge=vmbr1,trunks=10;20-30',
    ipconfig0: 'ip=192.0.2.10/24,gw=192.0.2.1,ip6=2001:db8::10/64',
    ipconfig1: 'ip=dhcp',
  },
  'qemu',
);
const container = parseGuestConfig({ net0: 'name=eth0,bridge=vmbr0,hwaddr=BC:24:11:00:01:01,ip=10.20.0.53/24,type=veth' }, 'lxc');

describe('what is asked for', () => {
  test.each([
    ['192.0.2.10', 'ip'],
    ['192.0.2.0/24', 'ip'],
    ['192.0.2.1-192.0.2.9', 'ip'],
    ['10.20.0', 'ip'],
    ['10.20.', 'ip'],
    ['2001:DB8::10', 'ip'],
    ['BC:24:11:00:00:01', 'mac'],
    ['bc-24-11', 'mac'],
    ['vlan 20', 'vlan'],
    ['VLAN20', 'vlan'],
    ['tag=20', 'vlan'],
  ])('%s is an address of kind %s', (text, kind) => {
    expect(parseAddressQuery(text)?.kind).toBe(kind);
  });
  test.each(['web-01', '100', '9.2', '300.1.1', 'vlan 5000', 'bc:24', 'local-lvm:vm-100-disk-0', '192.0.2.0/33', ''])(
    '%s is none',
    (text) => {
      expect(parseAddressQuery(text)).toBeUndefined();
    },
  );
});

function found(entries: readonly AddressEntry[], query: string): readonly string[] {
  const parsed = parseAddressQuery(query);
  return parsed === undefined ? [] : entryWords(matchEntries(entries, parsed));
}

describe('configurations', () => {
  const entries = entriesOfConfig(100, machine, [{ vnet: 'office', zone: 'campus', vlan: 40 }]);
  test.each([
    ['192.0.2.10', ['192.0.2.10/24: cloud-init net0']],
    ['192.0.2.1', []],
    ['192.0.2.0/24', ['192.0.2.10/24: cloud-init net0']],
    ['2001:0db8:0:0::10', ['2001:db8::10/64: cloud-init net0']],
    ['bc:24:11:00:00:02', ['BC:24:11:00:00:02: configured net1 on office']],
    ['vlan 20', ['VLAN 20: configured net0 on vmbr0', 'VLAN 10;20-30: configured net2 on vmbr1, trunk']],
    ['vlan 30', ['VLAN 10;20-30: configured net2 on vmbr1, trunk']],
    ['vlan 31', []],
    ['vlan 40', ['VLAN 40: configured net1 on VNet office']],
    ['vlan 2', []],
  ])('%s', (query, words) => {
    expect(found(entries, query)).toEqual(words);
  });
  test("a container's address stands in its interface", () => {
    expect(found(entriesOfConfig(203, container), '10.20.0.53')).toEqual(['10.20.0.53/24: configured net0']);
  });
  test('which ones leave addresses open', () => {
    expect(addressesOpen(machine)).toBe(true);
    expect(addressesOpen(container)).toBe(false);
    expect(addressesOpen(parseGuestConfig({}, 'qemu'))).toBe(false);
  });
});

const agent: LiveInterfaces = {
  source: 'agent',
  interfaces: [
    { name: 'lo', mac: '00:00:00:00:00:00', addresses: [{ ip: '127.0.0.1', prefix: 8 }] },
    {
      name: 'ens18',
      mac: 'BC:24:11:00:00:01',
      addresses: [
        { ip: '192.0.2.10', prefix: 24 },
        { ip: 'fe80::1%2', prefix: 64 },
        { ip: 'no address', prefix: undefined },
      ],
    },
    { name: 'docker0', mac: '02:42:00:00:00:01', addresses: [{ ip: '172.17.0.1', prefix: 16 }] },
  ],
};

describe('what a guest tells', () => {
  test('interfaces are matched with the configuration; loopback, link-local and junk are left out', () => {
    const entries = entriesOfLive(100, machine, agent);
    expect(entries.filter((e) => e.what === 'ip').map((e) => [e.value, e.at, e.unique])).toEqual([
      ['192.0.2.10/24', 'ens18 (net0)', true],
      ['172.17.0.1/16', 'docker0', false],
    ]);
  });
  test('the same address from two sources is one, with both named', () => {
    const all = [...entriesOfConfig(100, machine), ...entriesOfLive(100, machine, agent)];
    expect(found(all, '192.0.2.10')).toEqual(['192.0.2.10/24: cloud-init net0, agent ens18 (net0)']);
  });
  test('without a configuration only the names tell which interface counts', () => {
    const unique = entriesOfLive(100, undefined, agent).filter((e) => e.what === 'ip' && e.unique);
    expect(unique.map((e) => e.value)).toEqual(['192.0.2.10/24']);
  });
});

const sources: AddressSources = {
  ipam: [
    { ip: '10.30.0.1', mac: undefined, vmid: undefined, hostName: undefined, vnet: 'lab', gateway: true },
    { ip: '10.30.0.100', mac: 'BC:24:11:30:00:10', vmid: 100, hostName: 'web', vnet: 'lab', gateway: false },
  ],
  nodes: [
    { node: 'n1', address: '10.0.0.11', at: undefined, source: 'cluster membership' },
    { node: 'n1', address: '10.0.0.11/24', at: 'vmbr0', source: 'node network' },
  ],
  nodeVlans: [{ node: 'n1', at: 'eno1.50', vlan: 50 }],
  vnets: [{ vnet: 'office', zone: 'campus', vlan: 20 }],
  foreignIpams: [],
};

test('nodes, VNets and the IPAM', () => {
  const entries = entriesOfSources(sources);
  expect(found(entries, '10.0.0.11')).toEqual(['10.0.0.11/24: cluster membership, node network vmbr0']);
  expect(found(entries, '10.30.0.100')).toEqual(['10.30.0.100: SDN IPAM lab']);
  expect(found(entries, '10.30.0.1')).toEqual(['10.30.0.1: SDN IPAM lab, gateway']);
  expect(found(entries, 'vlan 50')).toEqual(['VLAN 50: node network eno1.50']);
  expect(found(entries, 'vlan 20')).toEqual(['VLAN 20: configured VNet of zone campus']);
});

describe('duplicates', () => {
  const copy = entriesOfConfig(101, machine);
  test('an address and a hardware address at two guests are named once each', () => {
    const duplicates = duplicatesOf([...entriesOfConfig(100, machine), ...copy]);
    expect(duplicates.map((d) => d.value)).toEqual([
      '192.0.2.10',
      '2001:db8::10',
      'BC:24:11:00:00:01',
      'BC:24:11:00:00:02',
      'BC:24:11:00:00:03',
    ]);
    expect(duplicateWords(duplicates.slice(0, 1))).toEqual([
      'The same address at several places: 192.0.2.10 at guest 100 (cloud-init net0) and guest 101 (cloud-init net0). A virtual address that moves between guests looks the same.',
    ]);
  });
  test('written differently it is the same address', () => {
    const entry = (vmid: number, value: string): AddressEntry => ({
      holder: { kind: 'guest', vmid },
      what: 'ip',
      value,
      at: undefined,
      origin: 'agent',
      unique: true,
    });
    expect(duplicatesOf([entry(1, '2001:db8::1/64'), entry(2, '2001:DB8:0::1')])).toHaveLength(1);
    expect(duplicatesOf([entry(1, '10.0.0.1'), entry(2, '10.0.0.11')])).toEqual([]);
  });
  test('a guest and a node count as two', () => {
    const guest = parseGuestConfig({ net0: 'virtio=BC:24:11:00:00:09,bridge=b', ipconfig0: 'ip=10.0.0.11/24' }, 'qemu');
    const [one] = duplicatesOf([...entriesOfSources(sources), ...entriesOfConfig(7, guest)]);
    expect(one?.holders.map((h) => h.holder)).toEqual([
      { kind: 'node', node: 'n1' },
      { kind: 'guest', vmid: 7 },
    ]);
  });
  test('no duplicates: one guest in two sources, inner networks, VLANs, gateways', () => {
    expect(duplicatesOf([...entriesOfConfig(100, machine), ...entriesOfLive(100, machine, agent)])).toEqual([]);
    const inner = [...entriesOfLive(100, machine, agent), ...entriesOfLive(101, undefined, agent)].filter((e) =>
      e.value.startsWith('172.'),
    );
    expect(inner).toHaveLength(2);
    expect(duplicatesOf(inner)).toEqual([]);
    const vlans = [...entriesOfConfig(100, machine), ...copy].filter((e) => e.what === 'vlan');
    expect(duplicatesOf(vlans)).toEqual([]);
    expect(duplicateWords([])).toEqual([]);
  });
});

test.each([
  ['20', 20, true],
  ['20', 2, false],
  ['10;20-30', 25, true],
  ['10;20-30', 31, false],
  ['', 0, false],
  ['x;y-z', 5, false],
])('trunk %j lets VLAN %i through: %s', (vlans, vlan, expected) => {
  expect(holdsVlan(vlans, vlan)).toBe(expected);
});

test('many addresses of one holder are counted', () => {
  const entries = Array.from(
    { length: 9 },
    (_, i): AddressEntry => ({
      holder: { kind: 'guest', vmid: 100 },
      what: 'ip',
      value: `10.0.0.${i}`,
      at: undefined,
      origin: 'agent',
      unique: true,
    }),
  );
  expect(entryWords(entries).at(-1)).toBe('3 more addresses');
});
