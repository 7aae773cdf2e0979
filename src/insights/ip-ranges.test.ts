import { describe, expect, test } from 'vitest';
import { type IpRange, parseIpRange, relationOf, relationToAny, relationToSet } from './ip-ranges.ts';

function range(text: string): IpRange {
  const found = parseIpRange(text);
  if (found === undefined) throw new Error(`no range: ${text}`);
  return found;
}

test.each([
  ['192.0.2.1', 4, 1n],
  ['192.0.2.9/24', 4, 256n],
  ['0.0.0.0/0', 4, 2n ** 32n],
  ['192.0.2.1-192.0.2.10', 4, 10n],
  ['2001:db8::1', 6, 1n],
  ['2001:db8::/64', 6, 2n ** 64n],
  ['::/0', 6, 2n ** 128n],
  ['::ffff:192.0.2.1', 6, 1n],
  ['fe80::1%eth0', 6, 1n],
] as const)('%s: family %d, %d addresses', (text, family, count) => {
  const { family: found, low, high } = range(text);
  expect([found, high - low + 1n]).toEqual([family, count]);
});

test.each([
  '',
  'web-01',
  '192.0.2.256',
  '192.0.2.1/33',
  '2001:db8::/129',
  '192.0.2.9-192.0.2.1',
  '192.0.2.1-::1',
  '1.2.3.4/8/9',
  '10.0.0.0/x',
])('%j is no range', (text) => {
  expect(parseIpRange(text)).toBeUndefined();
});

test('different spellings are the same address', () => {
  expect(range('2001:db8:0:0:0:0:0:1')).toEqual(range('2001:DB8::1'));
  expect(range('::ffff:192.0.2.1')).toEqual(range('::ffff:c000:201'));
});

test.each([
  ['192.0.2.7', '192.0.2.0/24', 'inside'],
  ['192.0.2.0/25', '192.0.2.0/24', 'inside'],
  ['192.0.2.0/24', '192.0.2.0/25', 'partly'],
  ['198.51.100.1', '192.0.2.0/24', 'outside'],
  ['192.0.2.7', '::/0', 'outside'],
  ['0.0.0.0/0', '192.0.2.7', 'partly'],
] as const)('%s is %s: %s', (a, b, relation) => {
  expect(relationOf(range(a), range(b))).toBe(relation);
});

test('several targets', () => {
  const targets = [range('10.0.0.0/8'), range('192.0.2.7')];
  expect(relationToAny(range('192.0.2.7'), targets)).toBe('inside');
  expect(relationToAny(range('192.0.2.0/24'), targets)).toBe('partly');
  expect(relationToAny(range('203.0.113.1'), targets)).toBe('outside');
  expect(relationToAny(range('203.0.113.1'), [])).toBe('outside');
});

describe('an IP set', () => {
  const set = [
    { range: range('10.20.0.0/24'), nomatch: false },
    { range: range('10.20.0.96/28'), nomatch: true },
    { range: range('10.20.0.99'), nomatch: false },
  ];
  test.each([
    ['10.20.0.5', 'inside'],
    ['10.20.0.97', 'outside'],
    ['10.20.0.99', 'inside'],
    ['10.20.0.0/24', 'partly'],
    ['10.20.0.0/27', 'inside'],
    ['10.21.0.1', 'outside'],
    ['10.20.0.96/28', 'partly'],
  ] as const)('%s is %s', (address, relation) => {
    expect(relationToSet(range(address), set)).toBe(relation);
  });
});
