import { describe, expect, test } from 'vitest';
import { endpoints } from './endpoints.ts';
import { checkSegment, fillPath } from './segments.ts';

const HOSTILE = [
  '..',
  '.',
  '',
  ' ',
  'a/b',
  'a%2Fb',
  'a%2fb',
  'a?b',
  'a#b',
  'a;b',
  'a&b',
  'a\nb',
  'a\\b',
  'ä',
  'a b',
  '../access/domains/sso#',
  'pve1/qemu/100',
  'x'.repeat(500),
  '\u202e',
  '%00',
];

describe('path segments', () => {
  const names = [
    ...new Set(Object.keys(endpoints).flatMap((path) => [...path.matchAll(/\{([^}]+)\}/g)].flatMap((m) => m[1] ?? []))),
  ];

  test.each(names)('every hostile value is refused for {%s}', (name) => {
    for (const value of HOSTILE) expect(() => checkSegment(name, value), JSON.stringify(value)).toThrow(name);
  });

  test.each([
    ['node', 'pve1'],
    ['node', 'PVE-01'],
    ['vmid', 100],
    ['vmid', '999999999'],
    ['storage', 'local-lvm'],
    ['storage', 'ceph.rbd_1'],
    ['userid', 'mcp@pve'],
    ['upid', 'UPID:pve1:00000FA2:00061B48:6B093666:vzdump::root@pam:'],
    ['upid', 'UPID:pve1:00000FA2:00061B48:6B093666:qmigrate:104:alice@pve!cli:'],
    ['ipam', 'pve'],
  ])('{%s} accepts %s', (name, value) => {
    expect(checkSegment(name, value)).toBe(String(value));
  });

  test.each([
    ['vmid', 99],
    ['vmid', '1e3'],
    ['vmid', '0100'],
    ['vmid', -100],
    ['node', '-x'],
    ['storage', '1abc'],
    ['upid', 'UPID:x'],
  ])('{%s} refuses %s', (name, value) => {
    expect(() => checkSegment(name, value)).toThrow(String(name));
  });

  test('a filled path has no placeholder and no unchecked character left', () => {
    expect(
      fillPath('/nodes/{node}/tasks/{upid}/log', {
        node: 'pve1',
        upid: 'UPID:pve1:00000FA2:00061B48:6B093666:vzdump::root@pam:',
      }),
    ).toBe('/nodes/pve1/tasks/UPID%3Apve1%3A00000FA2%3A00061B48%3A6B093666%3Avzdump%3A%3Aroot%40pam%3A/log');
    expect(() => fillPath('/nodes/{node}/status', {})).toThrow('missing');
  });
});
