import { describe, expect, test } from 'vitest';
import { boolOf, commaList, listOf, numberOf, propertiesOf, rowsOf, sizeOf, tagsOf, textOf, timeOf, vmidOf } from './lenient.ts';

test('an answer that is no list does not read as an empty one', () => {
  expect(listOf([{ a: 1 }, null, 'x', [2], { b: 2 }], 'tasks')).toEqual([{ a: 1 }, { b: 2 }]);
  expect(listOf([], 'tasks')).toEqual([]);
  for (const data of [null, undefined, {}, 'x', 0])
    expect(() => listOf(data, 'tasks')).toThrow(
      expect.objectContaining({ kind: 'malformed-answer', message: "The API's answer for tasks is no list." }),
    );
});

describe('lenient parsing', () => {
  test.each([
    [1, true],
    ['1', true],
    [true, true],
    ['yes', true],
    ['2', true],
    [0, false],
    ['0', false],
    ['', false],
    [false, false],
    ['off', false],
    [undefined, undefined],
    [null, undefined],
    ['maybe', undefined],
  ])('boolOf(%j) is %j', (value, expected) => expect(boolOf(value)).toBe(expected));

  test.each([
    ['2.5', 2.5],
    [0, 0],
    ['0', 0],
    ['', undefined],
    [' ', undefined],
    ['N/A', undefined],
    [null, undefined],
    [Number.NaN, undefined],
    ['1e-05', 0.00001],
    ['18446744073692774400', 2 ** 64 - 2 ** 24],
    [{}, undefined],
  ])('numberOf(%j) is %j', (value, expected) => expect(numberOf(value)).toBe(expected));

  test('0 is no time, and what is no guest id is none', () => {
    expect(timeOf(0)).toBeUndefined();
    expect(timeOf('1796004600')).toBe(1796004600);
    expect(vmidOf('101')).toBe(101);
    expect(vmidOf(99)).toBeUndefined();
    expect(vmidOf('1x')).toBeUndefined();
  });

  test('lists keep their good rows', () => {
    expect(rowsOf([{ a: 1 }, null, 'x', [1], { b: 2 }])).toEqual([{ a: 1 }, { b: 2 }]);
    expect(rowsOf(null)).toEqual([]);
    expect(rowsOf({ a: 1 })).toEqual([]);
  });

  test('tags with every separator, each once, sorted', () => {
    expect(tagsOf('b;a,c a')).toEqual(['a', 'b', 'c']);
    expect(tagsOf(undefined)).toEqual([]);
    expect(commaList('images,iso')).toEqual(['images', 'iso']);
    expect(commaList(['a', 1])).toEqual(['a', '1']);
  });

  test('property strings', () => {
    const nic = propertiesOf('virtio=BC:24:11:00:00:01,bridge=vmbr0,firewall=1,host-managed=1', 'model');
    expect(Object.fromEntries(nic)).toEqual({ virtio: 'BC:24:11:00:00:01', bridge: 'vmbr0', firewall: '1', 'host-managed': '1' });
    const disk = propertiesOf('local-lvm:vm-100-disk-0,size=32G,backup=0', 'volume');
    expect(disk.get('volume')).toBe('local-lvm:vm-100-disk-0');
    expect(propertiesOf(1, 'enabled').get('enabled')).toBe('1');
    expect(propertiesOf(undefined).size).toBe(0);
  });

  test.each([
    ['32G', 32 * 2 ** 30],
    ['4M', 4 * 2 ** 20],
    ['528K', 528 * 1024],
    ['1.5T', 1.5 * 2 ** 40],
    ['100', 100],
    ['none', undefined],
  ])('sizeOf(%j) is %j', (value, expected) => expect(sizeOf(value)).toBe(expected));

  test('text', () => {
    expect(textOf(5)).toBe('5');
    expect(textOf('')).toBeUndefined();
    expect(textOf({})).toBeUndefined();
  });
});
