import { describe, expect, it } from 'vitest';
import { compareNatural, compareSortKeys, foldKey, MAX_PARTS } from './sort-key.ts';

describe('compareSortKeys', () => {
  it.each([
    [[1], [2]],
    [[2], [10]],
    [[-5], [0]],
    [['a'], ['b']],
    [['B'], ['a']],
    [
      ['a', 2],
      ['a', 10],
    ],
    [['a'], ['a', 0]],
    [[9], ['1']],
    [
      [1, 'a'],
      ['a', 1],
    ],
    [[Number.NEGATIVE_INFINITY], [-1e308]],
    [[1e308], [Number.NaN]],
    [[], [0]],
  ])('%j comes before %j', (a, b) => {
    expect(compareSortKeys(a, b)).toBeLessThan(0);
    expect(compareSortKeys(b, a)).toBeGreaterThan(0);
  });

  it.each([[[1, 'a']], [[0]], [[Number.NaN]], [['x'.repeat(500)]]])('%j equals itself', (key) =>
    expect(compareSortKeys(key, key)).toBe(0),
  );

  it('knows no negative zero', () => expect(compareSortKeys([0], [-0])).toBe(0));
});

describe('foldKey', () => {
  const keys = [
    ['short', 5],
    ['x'.repeat(500)],
    ['\u0000'.repeat(50)],
    ['😀'.repeat(60)],
    ['"'.repeat(80), '\\'.repeat(80)],
    ['\ud800'.repeat(40)],
    Array.from({ length: 30 }, (_, i) => `part ${i} ${'y'.repeat(200)}`),
    [Number.NaN, Number.POSITIVE_INFINITY, -0],
  ];

  it.each(keys.map((key) => [key]))('is stable and small: %#', (key) => {
    const folded = foldKey(key);
    expect(foldKey(folded)).toEqual(folded);
    expect(folded.length).toBeLessThanOrEqual(MAX_PARTS);
    expect(JSON.parse(JSON.stringify(folded))).toEqual(folded);
    for (const part of folded) expect(Buffer.byteLength(JSON.stringify(part))).toBeLessThanOrEqual(90);
  });

  it('keeps volume ids and UPIDs as they are', () => {
    const key = [
      'local:backup/vzdump-qemu-100-2026_01_02-03_04_05.vma.zst',
      'UPID:pve1:0003A1B2:00C0FFEE:692A5F10:vzdump:100:root@pam!monitor:',
    ];
    expect(foldKey(key)).toEqual(key);
  });

  it('tells long strings apart that begin alike', () => {
    const long = 'z'.repeat(300);
    expect(foldKey([`${long}1`])).not.toEqual(foldKey([`${long}2`]));
    expect(foldKey([...Array(20).fill('p'), '1'])).not.toEqual(foldKey([...Array(20).fill('p'), '2']));
  });

  it('keeps the order of strings that differ at the start', () => {
    expect(compareSortKeys([`a${'z'.repeat(300)}`], [`b${'a'.repeat(300)}`])).toBeLessThan(0);
  });
});

describe('compareNatural', () => {
  it('counts', () => {
    expect(['net10', 'net2', 'cores', 'net0', 'scsi1', 'scsi01', ''].sort(compareNatural)).toEqual([
      '',
      'cores',
      'net0',
      'net2',
      'net10',
      'scsi01',
      'scsi1',
    ]);
  });
});
