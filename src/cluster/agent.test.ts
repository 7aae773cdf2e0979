import { expect, test } from 'vitest';
import { guestOf } from '../../test/support/guest-of.ts';
import {
  mayAskAgent,
  parseAgentClock,
  parseAgentCpus,
  parseAgentInterfaces,
  parseAgentUsers,
  parseFileSystems,
  parseOsInfo,
  parseTimezone,
} from './agent.ts';

test('only a running machine with the agent enabled is asked', () => {
  expect(mayAskAgent(guestOf(), true)).toBe(true);
  expect(mayAskAgent(guestOf(), false)).toBe(false);
  expect(mayAskAgent(guestOf({ status: 'paused' }), true)).toBe(false);
  expect(mayAskAgent(guestOf({ type: 'lxc' }), true)).toBe(false);
});

test('interfaces: one without addresses has no list, junk is left out', () => {
  const found = parseAgentInterfaces({
    result: [
      {
        name: 'eth0',
        'hardware-address': 'bc:24:11:aa:bb:01',
        'ip-addresses': [{ 'ip-address': '192.0.2.1', prefix: '24' }, {}, null],
      },
      { name: 'docker0' },
      { 'hardware-address': 'x' },
      3,
    ],
  });
  expect(found).toEqual([
    { name: 'eth0', mac: 'BC:24:11:AA:BB:01', addresses: [{ ip: '192.0.2.1', prefix: 24 }] },
    { name: 'docker0', mac: undefined, addresses: [] },
  ]);
  for (const data of [null, { result: null }, { result: { error: 'x' } }])
    expect(() => parseAgentInterfaces(data)).toThrow('no list');
});

test('file systems: the fullest first, images and unmeasured ones last', () => {
  const found = parseFileSystems({
    result: [
      { mountpoint: '/snap/x', type: 'squashfs', 'total-bytes': 10, 'used-bytes': 10 },
      { mountpoint: '/', type: 'ext4', 'total-bytes': 100, 'used-bytes': '90', disk: [{ dev: '/dev/sda1' }], name: 'sda1' },
      { mountpoint: 'C:\\', type: 'NTFS', 'total-bytes': 100, 'used-bytes': 95, disk: [] },
      { mountpoint: '/boot/efi', type: 'vfat', name: 'sda15' },
      { type: 'no mount point' },
    ],
  });
  expect(found.map((f) => [f.mount, f.used])).toEqual([
    ['C:\\', 95],
    ['/', 90],
    ['/boot/efi', undefined],
    ['/snap/x', 10],
  ]);
  expect(found[1]?.device).toBe('/dev/sda1');
});

test('the system under its pretty name, or what there is', () => {
  expect(parseOsInfo({ result: { 'pretty-name': 'Debian 13', name: 'Debian', 'kernel-release': '6.12' } })).toMatchObject({
    name: 'Debian 13',
    kernel: '6.12',
  });
  expect(parseOsInfo({ result: { name: 'FreeBSD', version: '14' } }).name).toBe('FreeBSD 14');
  expect(parseOsInfo({ result: { id: 'arch' } }).name).toBe('arch');
  expect(parseOsInfo({}).name).toBeUndefined();
});

test('users and time zone', () => {
  expect(parseAgentUsers({ result: [{ user: 'b', 'login-time': 1790000000.5 }, { user: 'a', domain: 'CORP' }, {}] })).toEqual([
    { user: 'a', domain: 'CORP', since: undefined },
    { user: 'b', domain: undefined, since: 1790000000.5 },
  ]);
  expect(parseTimezone({ result: { zone: 'CET', offset: 3600 } })).toBe('CET (UTC+1)');
  expect(parseTimezone({ result: { offset: '-12600' } })).toBe('UTC-3.5');
  expect(parseTimezone({ result: {} })).toBeUndefined();
});

test('the clock in nanoseconds, the CPUs with and without a state', () => {
  expect(parseAgentClock({ result: 1_796_025_002_039_526_400 }, 1_796_025_000_000)).toBe(2);
  expect(parseAgentClock({ result: '1796025002039526400' }, 1_796_025_602_000)).toBe(-600);
  expect(parseAgentClock({ result: 1_796_025_002_039_526_400 }, 1_796_025_002_100)).toBe(0);
  expect(parseAgentClock({ result: null }, 0)).toBeUndefined();
  expect(parseAgentCpus({ result: [{ online: true }, { online: '0' }, { 'logical-id': 2 }, 'junk'] })).toEqual({
    online: 2,
    present: 3,
  });
  expect(parseAgentCpus({ result: [] })).toBeUndefined();
  expect(parseAgentCpus(null)).toBeUndefined();
});
