import { describe, expect, test } from 'vitest';
import { rule } from '../../test/support/health-facts.ts';
import type { FirewallRule } from '../cluster/firewall.ts';
import { scopesOf } from '../cluster/firewall-names.ts';
import { macroPatterns } from './firewall-macros.ts';
import { NAMES, ranges } from './firewall-match.fixture.ts';
import { matchRule, type Packet, protoName, sourceInSet } from './firewall-match.ts';

const PACKET: Packet = { family: 4, source: ranges('198.51.100.7'), dest: ranges('192.0.2.10'), proto: 'tcp', port: 22 };
const match = (r: Partial<FirewallRule>, packet: Partial<Packet> = {}, nic = 'net0', direction: 'in' | 'out' = 'in') =>
  matchRule(rule(r), { ...PACKET, ...packet }, NAMES, direction, nic).result;

describe('a rule applies', () => {
  test.each<[string, Partial<FirewallRule>, Partial<Packet>, string]>([
    ['without conditions', {}, {}, 'match'],
    ['switched off: never', { enabled: false }, {}, 'off'],
    ['with errors: the firewall skips it', { errors: 'source: no such alias' }, {}, 'ignored'],
    ['of the other direction', { type: 'out' }, {}, 'no-match'],
    ['on this interface', { iface: 'net0' }, {}, 'match'],
    ['on another interface', { iface: 'net1' }, {}, 'no-match'],
    ['protocol', { proto: 'tcp' }, {}, 'match'],
    ['protocol by number', { proto: '6' }, {}, 'match'],
    ['another protocol', { proto: 'udp' }, {}, 'no-match'],
    ['port', { proto: 'tcp', dport: '22' }, {}, 'match'],
    ['port in a list and span', { proto: 'tcp', dport: '80,20:25' }, {}, 'match'],
    ['another port', { proto: 'tcp', dport: '80' }, {}, 'no-match'],
    ['port by name', { proto: 'tcp', dport: 'ssh' }, {}, 'match'],
    ['port by a name that is not known', { proto: 'tcp', dport: 'gopher' }, {}, 'unknown'],
    ['a port without protocol is no rule to iptables', { dport: '22' }, {}, 'ignored'],
    ['any client port', { proto: 'tcp', sport: '1024:65535' }, {}, 'match'],
    ['a server port as source port', { proto: 'tcp', sport: '53' }, {}, 'no-match'],
    ['some client ports', { proto: 'tcp', sport: '40000:50000' }, {}, 'unknown'],
    ['macro', { macro: 'SSH' }, {}, 'match'],
    ['macro in another case', { macro: 'ssh' }, {}, 'match'],
    ['another macro', { macro: 'HTTP' }, {}, 'no-match'],
    ['a macro that is not known', { macro: 'Frobnicate' }, {}, 'unknown'],
    ['macro of several patterns', { macro: 'DNS' }, { proto: 'udp', port: 53 }, 'match'],
    ['ping', { macro: 'Ping' }, { proto: 'icmp', port: undefined }, 'match'],
    [
      'ping over IPv6',
      { macro: 'Ping' },
      { family: 6, proto: 'icmpv6', port: undefined, source: ranges('2001:db8::1'), dest: [] },
      'match',
    ],
    ['another ICMP type', { proto: 'icmp', icmpType: 'timestamp-request' }, { proto: 'icmp', port: undefined }, 'no-match'],
    ['source address', { source: '198.51.100.7' }, {}, 'match'],
    ['source network', { source: '198.51.100.0/24' }, {}, 'match'],
    ['one of several sources', { source: '10.0.0.1,198.51.100.7' }, {}, 'match'],
    ['source span', { source: '198.51.100.1-198.51.100.9' }, {}, 'match'],
    ['another source', { source: '203.0.113.0/24' }, {}, 'no-match'],
    ['a source of the other family', { source: '2001:db8::/32' }, {}, 'no-match'],
    ['only a part of the source', { source: '198.51.100.0/25' }, { source: ranges('198.51.100.0/24') }, 'unknown'],
    ['one of the possible sources', { source: '198.51.100.7' }, { source: ranges('198.51.100.7', '10.0.0.1') }, 'unknown'],
    ['a source that is not known', { source: '198.51.100.7' }, { source: [] }, 'unknown'],
    ['a destination that is not known', { dest: '192.0.2.10' }, { dest: [] }, 'unknown'],
    [
      'a destination that is not known does not matter when the port differs',
      { dest: '192.0.2.10', proto: 'tcp', dport: '80' },
      { dest: [] },
      'no-match',
    ],
    ['destination', { dest: '192.0.2.0/24' }, {}, 'match'],
    ['alias of the datacenter', { source: 'dc/office' }, {}, 'match'],
    ['alias without prefix', { source: 'office' }, {}, 'match'],
    ['alias of the guest', { source: 'guest/own' }, { source: ranges('192.0.2.99') }, 'match'],
    ['alias of the other family', { source: 'dc/six' }, {}, 'no-match'],
    ['alias that does not exist', { source: 'dc/nowhere' }, {}, 'ignored'],
    ['alias that can not be read', { source: 'dc/secret' }, {}, 'unknown'],
    ['set', { source: '+dc/management' }, { source: ranges('10.20.0.5') }, 'match'],
    ['what a set leaves out', { source: '+dc/management' }, { source: ranges('10.20.0.99') }, 'no-match'],
    ['alias in a set', { source: '+management' }, {}, 'match'],
    ['set of the guest', { dest: '+guest/local' }, {}, 'match'],
    ['set that does not exist', { source: '+nope' }, {}, 'ignored'],
    ['set that can not be read', { source: '+dc/dark' }, {}, 'unknown'],
    ['set made by SDN', { source: '+sdn/lab-all' }, {}, 'unknown'],
  ])('%s', (_what, r, packet, result) => {
    expect(match(r, packet)).toBe(result);
  });

  test('outgoing rules count on the way out', () => {
    expect(match({ type: 'out' }, {}, 'net0', 'out')).toBe('match');
    expect(match({ type: 'in' }, {}, 'net0', 'out')).toBe('no-match');
  });
});

test('names with and without a prefix', () => {
  expect(scopesOf('dc/Office')).toEqual({ scopes: ['dc'], name: 'office' });
  expect(scopesOf('guest/x')).toEqual({ scopes: ['guest'], name: 'x' });
  expect(scopesOf('x')).toEqual({ scopes: ['guest', 'dc'], name: 'x' });
});

test('whether the source is in a set', () => {
  expect(sourceInSet(PACKET, 'dc', 'management', NAMES)).toBe('yes');
  expect(sourceInSet({ ...PACKET, source: ranges('203.0.113.1') }, 'dc', 'management', NAMES)).toBe('no');
  expect(sourceInSet(PACKET, 'dc', 'dark', NAMES)).toBe('unknown');
  expect(sourceInSet(PACKET, 'dc', 'blacklist', NAMES)).toBe('missing');
});

test.each([
  ['17', 'udp'],
  ['IPv6-ICMP', 'icmpv6'],
  ['58', 'icmpv6'],
  ['gre', 'gre'],
])('protocol %s is %s', (given, name) => {
  expect(protoName(given)).toBe(name);
});

test('every macro of the table can be matched', () => {
  for (const [macro, port] of [
    ['Web', 443],
    ['PBS', 8007],
    ['RDP', 3389],
    ['Ceph', 6900],
    ['SMB', 445],
  ] as const)
    expect(match({ macro }, { port }), macro).toBe('match');
  expect(macroPatterns('SMB', 4)?.length).toBe(4);
});
