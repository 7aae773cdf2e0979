import { describe, expect, test } from 'vitest';
import { guestOf } from '../../test/support/guest-of.ts';
import { assembleNetwork, networkNotes, parseLxcInterfaces } from './guest-network.ts';
import { parseNics } from './guest-nics.ts';

const nics = parseNics(
  new Map([
    ['net0', 'virtio=BC:24:11:00:00:00,bridge=b'],
    ['net1', 'virtio=BC:24:11:00:00:01,bridge=b'],
    ['ipconfig0', 'ip=192.0.2.10/24,ip6=2001:db8::10/64'],
    ['ipconfig1', 'ip=dhcp'],
  ]),
  'qemu',
);
const ip = (text: string, prefix: number | undefined = 24) => ({ ip: text, prefix });

describe('addresses', () => {
  test('live ones by hardware address; configured ones only where the guest does not show them', () => {
    const network = assembleNetwork(nics, {
      source: 'agent',
      interfaces: [
        { name: 'lo', mac: undefined, addresses: [ip('127.0.0.1', 8), ip('::1', 128)] },
        { name: 'docker0', mac: '02:42:00:00:00:01', addresses: [ip('172.17.0.1', 16)] },
        { name: 'ens18', mac: 'BC:24:11:00:00:00', addresses: [ip('fe80::1', 64), ip('192.0.2.10'), ip('169.254.3.4', 16)] },
      ],
    });
    expect(network.addresses.map((a) => [a.address, a.nic, a.interface, a.source])).toEqual([
      ['192.0.2.10/24', 'net0', 'ens18', 'agent'],
      ['2001:db8::10/64', 'net0', undefined, 'config'],
      ['172.17.0.1/16', undefined, 'docker0', 'agent'],
    ]);
    expect(network.leftOut).toBe(4);
    const notes = networkNotes(network, guestOf()).join(' ');
    expect(notes).toContain('Configured but not seen in the guest: 2001:db8::10/64 (net0)');
    expect(notes).toContain('no interface of its configuration: docker0');
    expect(notes).toContain('net1: by DHCP, without an address now');
    expect(notes).toContain('4 loopback and link-local');
  });

  test('of a stopped guest the configuration is all there is, and DHCP is not known', () => {
    const network = assembleNetwork(nics, undefined);
    expect(network.addresses.every((a) => a.source === 'config')).toBe(true);
    expect(networkNotes(network, guestOf({ status: 'stopped' }))).toEqual([
      'net1: by DHCP; the address is not known to the host while the guest is not running.',
    ]);
  });

  test('where the configuration is not known, nothing is called foreign', () => {
    const network = assembleNetwork(undefined, {
      source: 'lxc-interfaces',
      interfaces: [{ name: 'eth0', mac: undefined, addresses: [ip('192.0.2.1')] }],
    });
    expect(network.nicsKnown).toBe(false);
    expect(networkNotes(network, guestOf({ type: 'lxc' }))).toEqual([]);
  });

  test('a container interface is also found by its name', () => {
    const own = parseNics(new Map([['net0', 'name=eth0,bridge=b,hwaddr=BC:24:11:00:00:09,ip=dhcp']]), 'lxc');
    const network = assembleNetwork(own, {
      source: 'lxc-interfaces',
      interfaces: [{ name: 'eth0', mac: '02:FC:00:00:00:01', addresses: [ip('192.0.2.2')] }],
    });
    expect(network.addresses[0]?.nic).toBe('net0');
  });
});

describe('interfaces of a container', () => {
  test('one address a family up to 8.3, all of them since 8.4', () => {
    expect(
      parseLxcInterfaces([{ name: 'eth0', hwaddr: 'bc:24:11:00:00:01', inet: '192.0.2.2/24', inet6: 'fd00::2/64' }]),
    ).toEqual([{ name: 'eth0', mac: 'BC:24:11:00:00:01', addresses: [ip('192.0.2.2'), ip('fd00::2', 64)] }]);
    const [modern] = parseLxcInterfaces([
      {
        name: 'eth0',
        'hardware-address': 'bc:24:11:00:00:01',
        inet: '192.0.2.3/24',
        'ip-addresses': [
          { 'ip-address': '192.0.2.2', prefix: '24' },
          { 'ip-address': '192.0.2.3', prefix: '24' },
        ],
      },
      { name: 'ifb0', 'ip-addresses': [] },
      { hwaddr: 'x' },
    ]);
    expect(modern?.addresses).toEqual([ip('192.0.2.2'), ip('192.0.2.3')]);
  });
});
