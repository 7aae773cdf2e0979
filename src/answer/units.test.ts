import { describe, expect, it } from 'vitest';
import {
  formatAge,
  formatBool,
  formatBytes,
  formatCell,
  formatDuration,
  formatList,
  formatNumber,
  formatPercent,
  formatRate,
  formatTime,
  isoTime,
} from './units.ts';

const GIB = 1024 ** 3;
const NOW = Date.UTC(2026, 10, 30, 9, 12);
const at = (iso: string) => Date.parse(iso) / 1000;

describe('formatBytes', () => {
  it.each([
    [0, '0 B'],
    [-0, '0 B'],
    [1, '1 B'],
    [0.4, '0 B'],
    [1023, '1023 B'],
    [1024, '1 KiB'],
    [1536, '1.5 KiB'],
    [12.3 * GIB, '12.3 GiB'],
    [GIB - 1, '1 GiB'],
    [1023.9 * GIB, '1023.9 GiB'],
    [1023.96 * GIB, '1 TiB'],
    [2 ** 53 + 2, '8 PiB'],
    [2 ** 63, '8 EiB'],
    [2 ** 64 - 2 ** 34, '16 EiB'],
    [-1.5 * GIB, '-1.5 GiB'],
  ])('%d is %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));

  it('stays short for absurd sizes', () => expect(formatBytes(Number.MAX_VALUE).length).toBeLessThan(30));
});

describe('formatRate', () => {
  it.each([
    [0, '0 B/s'],
    [1.2 * 1024 ** 2, '1.2 MiB/s'],
    [12.7, '13 B/s'],
  ])('%d is %s', (rate, text) => expect(formatRate(rate)).toBe(text));
});

describe('formatPercent', () => {
  it.each([
    [0, '0%'],
    [-0, '0%'],
    [0.123, '12.3%'],
    [0.1234, '12.3%'],
    [0.5, '50%'],
    [1, '100%'],
    [1.021, '102.1%'],
    [0.00004, '<0.1%'],
    [1.2e-5, '<0.1%'],
    [0.0005, '0.1%'],
  ])('%d is %s', (fraction, text) => expect(formatPercent(fraction)).toBe(text));
});

describe('formatDuration', () => {
  it.each([
    [0, '0 s'],
    [0.4, '0.4 s'],
    [40, '40 s'],
    [59.4, '59 s'],
    [59.6, '1 min'],
    [60, '1 min'],
    [90, '1.5 min'],
    [720, '12 min'],
    [3599, '1 h'],
    [3600, '1 h'],
    [5 * 3600, '5 h'],
    [5400, '1.5 h'],
    [86_399, '1 d'],
    [3.2 * 86_400, '3.2 d'],
    [45.4 * 86_400, '45 d'],
    [800 * 86_400, '800 d'],
    [-720, '-12 min'],
  ])('%d is %s', (seconds, text) => expect(formatDuration(seconds)).toBe(text));
});

describe('formatTime', () => {
  it.each([
    ['2026-11-29T02:00:00Z', '2026-11-29T02:00Z, 1.3 d ago'],
    ['2026-12-03T09:12:00Z', '2026-12-03T09:12Z, in 3 d'],
    ['2026-11-30T09:11:20Z', '2026-11-30T09:11Z, 40 s ago'],
    ['2026-11-30T09:12:00Z', '2026-11-30T09:12Z, now'],
  ])('%s is %s', (iso, text) => expect(formatTime(at(iso), NOW)).toBe(text));

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 253_402_300_800, 1e18])('%d is no time', (epoch) => {
    expect(formatTime(epoch, NOW)).toBeUndefined();
    expect(isoTime(epoch)).toBeUndefined();
  });

  it('tells seconds in the ISO form', () => expect(isoTime(at('2026-11-30T09:11:20Z') + 0.7)).toBe('2026-11-30T09:11:20Z'));
  it('tells ages both ways', () =>
    expect([formatAge(at('2026-11-30T04:12:00Z'), NOW), formatAge(at('2026-11-30T10:12:00Z'), NOW)]).toEqual([
      '5 h ago',
      'in 1 h',
    ]));
});

describe('formatNumber', () => {
  it.each([
    [0, '0'],
    [-0, '0'],
    [3, '3'],
    [0.12, '0.12'],
    [0.123456, '0.12'],
    [0.000012, '0.000012'],
    [3.256, '3.26'],
    [1234.56, '1234.6'],
    [2 ** 64, '18446744073709552000'],
  ])('%d is %s', (value, text) => expect(formatNumber(value)).toBe(text));
});

describe('formatList', () => {
  it.each([
    [[], '-'],
    [['a'], 'a'],
    [['a', 'b'], 'a, b'],
    [['a\tb', 'c\nd'], 'a b, c d'],
  ])('%j is %s', (items, text) => expect(formatList(items, 50)).toBe(text));

  it('cuts at the end of an item and counts the rest', () => {
    expect(formatList(['alpha', 'beta', 'gamma', 'delta'], 17)).toBe('alpha, beta +2');
  });

  it('keeps to its length whatever it is given', () => {
    for (const size of [1, 2, 3, 10, 5000]) {
      for (const length of [1, 5, 300]) {
        const items = Array.from({ length: size }, (_, i) => `${i}`.padEnd(length, 'x'));
        for (const max of [12, 25, 100]) {
          const text = formatList(items, max);
          expect(text.length).toBeLessThanOrEqual(max);
          if (items.join(', ').length > max && size > 1) expect(text).toMatch(/\+\d+$/);
        }
      }
    }
  });
});

describe('formatCell', () => {
  const options = { now: NOW, max: 40 };

  it.each([
    ['bytes', 0, '0 B'],
    ['percent', 0, '0%'],
    ['int', 0, '0'],
    ['duration', 0, '0 s'],
    ['bool', false, 'no'],
    ['bool', true, 'yes'],
    ['text', '', ''],
    ['time', 0, undefined],
    ['rate', 1024, '1 KiB/s'],
    ['list', ['x', 'y'], 'x, y'],
    ['text', 'a\tb\r\nc', 'a b c'],
    [undefined, 12.5, '12.5'],
    [undefined, true, 'yes'],
    // Not of its kind: shown, not hidden.
    ['bytes', 'unknown', 'unknown'],
    ['text', 5, '5'],
  ] as const)('%s %j is %j', (kind, value, text) => expect(formatCell(kind, value, options)).toBe(text));

  it.each(['text', 'int', 'number', 'bytes', 'percent', 'duration', 'time', 'rate', 'bool', 'list'] as const)(
    'an absent %s is absent',
    (kind) => {
      for (const value of [undefined, null, Number.NaN, Number.POSITIVE_INFINITY]) {
        expect(formatCell(kind, value, options)).toBeUndefined();
      }
    },
  );

  it('caps long texts', () => expect(formatCell('text', 'x'.repeat(500), options)?.length).toBeLessThanOrEqual(40));
});

it('formatBool says yes or no', () => expect([formatBool(true), formatBool(false)]).toEqual(['yes', 'no']));
