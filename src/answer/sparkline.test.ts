import { describe, expect, it } from 'vitest';
import { digest, sparkline } from './sparkline.ts';

describe('sparkline', () => {
  it.each([
    ['rises from zero', [0, 1, 2, 3, 4, 5, 6, 7], 8, {}, '▁▂▃▄▅▆▇█'],
    ['gaps are no zeros', [0, undefined, null, Number.NaN, 7], 8, {}, '▁···█'],
    ['averages slices', [0, 2, 7, 7, 0, 0], 3, {}, '▂█▁'],
    ['ignores gaps within a slice', [7, undefined, 0, 0], 2, {}, '█▁'],
    ['starts at zero: steady is flat', [50, 51, 50], 3, {}, '███'],
    ['all zero', [0, 0], 2, {}, '▁▁'],
    ['negative values', [-7, 0], 2, {}, '▁█'],
    ['within a range', [0, 0.5, 1], 3, { min: 0, max: 1 }, '▁▅█'],
    ['beyond a range', [-1, 2], 2, { min: 0, max: 1 }, '▁█'],
    ['nothing known', [undefined, undefined], 2, {}, '··'],
    ['no values', [], 10, {}, ''],
    ['no room', [1, 2], 0, {}, ''],
  ])('%s', (_, values, width, range, line) => expect(sparkline(values, width, range)).toBe(line));

  it('is as wide as asked for', () => {
    const values = Array.from({ length: 1440 }, (_, i) => Math.sin(i / 100));
    for (const width of [1, 7, 60, 1440]) expect(sparkline(values, width)).toHaveLength(width);
  });
});

describe('digest', () => {
  it('of a straight line', () => {
    expect(digest([1, 2, 3, 4, 5])).toEqual({ count: 5, gaps: 0, min: 1, avg: 3, p95: 5, max: 5, first: 1, last: 5, trend: 1 });
  });

  it('counts gaps as time, not as values', () => {
    expect(digest([undefined, 2, null, 6, Number.NaN])).toEqual({
      count: 2,
      gaps: 3,
      min: 2,
      avg: 4,
      p95: 6,
      max: 6,
      first: 2,
      last: 6,
      trend: 2,
    });
  });

  it('of nothing tells nothing', () => {
    expect(digest([])).toEqual({ count: 0, gaps: 0 });
    expect(digest([undefined, null])).toEqual({ count: 0, gaps: 2 });
  });

  it('has no trend in one value', () => {
    expect(digest([7])).toEqual({ count: 1, gaps: 0, min: 7, avg: 7, p95: 7, max: 7, first: 7, last: 7 });
  });

  it('has the nearest rank as p95', () => {
    const values = Array.from({ length: 100 }, (_, i) => 100 - i);
    expect(digest(values).p95).toBe(95);
  });

  it('keeps the average within the values', () => {
    const { min, avg, max } = digest(Array(3).fill(0.1));
    expect([min, avg, max]).toEqual([0.1, 0.1, 0.1]);
  });

  it('takes a hundred thousand values', () =>
    expect(digest(Array.from({ length: 100_000 }, (_, i) => i)).trend).toBeCloseTo(1, 6));
});
