import { expect, test } from 'vitest';
import type { Point } from '../cluster/metrics.ts';
import { sizingOf } from './right-sizing.ts';

const GIB = 2 ** 30;

function week(cpu: (i: number) => number, memShare: number, memory: number, count = 336): Point[] {
  return Array.from({ length: count }, (_, i) => ({
    time: 2_000_000_000 + i * 1_800,
    values: new Map([
      ['cpu', cpu(i)],
      ['mem', memShare * memory],
      ['maxmem', memory],
    ]),
  }));
}

const vm = (cores: number, gib: number) => ({ type: 'qemu' as const, cores, memory: gib * GIB });
const ct = (cores: number, gib: number) => ({ type: 'lxc' as const, cores, memory: gib * GIB });

test.each([
  ['idle and large', vm(8, 32), 0.02, 0.1, ['1 of its 8 cores would do', '5 of its 32 GiB would do']],
  ['right', vm(4, 8), 0.5, 0.6, []],
  ['at its limit', vm(4, 8), 0.97, 0.6, ['more cores: it is at its limit']],
  ['two cores are not worth a word', vm(2, 2), 0.01, 0.6, []],
  ['a full machine may only cache', vm(4, 8), 0.5, 1, []],
  ['a full container is full', ct(4, 8), 0.5, 0.98, ['more memory: it is at its limit']],
  ['small memory is left alone', vm(4, 1), 0.5, 0.1, []],
] as const)('%s', (_what, guest, cpu, mem, advice) => {
  expect(
    sizingOf(
      guest,
      week(() => cpu, mem, guest.memory),
    ).advice,
  ).toEqual(advice);
});

test('rare peaks neither grow nor keep it', () => {
  expect(
    sizingOf(
      vm(8, 4),
      week((i) => (i === 7 ? 1 : 0.03), 0.6, 4 * GIB),
    ).advice,
  ).toEqual(['1 of its 8 cores would do']);
});

test('two days of measurements are no advice', () => {
  const sizing = sizingOf(
    vm(8, 32),
    week(() => 0.01, 0.01, 32 * GIB, 96),
  );
  expect(sizing.advice).toEqual([]);
  expect(sizing.days).toBeLessThan(3);
});

test('nothing measured', () => {
  expect(sizingOf(vm(8, 32), [{ time: 1, values: new Map() }])).toMatchObject({
    cpuTypical: undefined,
    memMost: undefined,
    advice: [],
  });
});
