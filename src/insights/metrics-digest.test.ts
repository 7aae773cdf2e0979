import { describe, expect, test } from 'vitest';
import type { Point, SeriesSpec } from '../cluster/metrics.ts';
import { digestSeries, gridOf, holesOf, thinned } from './metrics-digest.ts';

const CPU: SeriesSpec = { name: 'cpu', unit: 'share' };
const point = (time: number, values: Record<string, number> = {}): Point => ({ time, values: new Map(Object.entries(values)) });
const HALF = 1_800;
const DAY = 86_400;

describe('a step that changes mid-series', () => {
  // Twelve hours at 100%, then three half hours at 0%.
  const mixed = [
    point(0, { cpu: 1 }),
    point(DAY / 2, { cpu: 0 }),
    point(DAY / 2 + HALF, { cpu: 0 }),
    point(DAY / 2 + 2 * HALF, { cpu: 0 }),
  ];

  test('each moment counts for as long as it lasts', () => {
    const grid = gridOf(mixed);
    expect(grid.step).toBe(HALF);
    expect(grid.slots).toHaveLength(24 + 3);
    expect(digestSeries(grid, CPU)?.avg).toBeCloseTo(24 / 27);
  });

  test('the resolutions are told, the seam is none', () => {
    const points = [
      ...Array.from({ length: 3 }, (_u, i) => point(i * DAY, { cpu: 1 })),
      ...Array.from({ length: 4 }, (_u, i) => point(2.5 * DAY + i * HALF, { cpu: 1 })),
    ];
    expect(gridOf(points).resolutions).toEqual([
      { points: 2, step: DAY },
      { points: 4, step: HALF },
    ]);
  });
});

describe('digest', () => {
  const steady = Array.from({ length: 5 * 48 }, (_u, i) => point(i * HALF, { cpu: (i * HALF) / DAY, max: 4 }));

  test('min, avg, p95, max, last, trend a day and the limit', () => {
    const found = digestSeries(gridOf(steady), { ...CPU, limit: 'max' });
    expect(found?.perDay).toBeCloseTo(1);
    expect(found).toMatchObject({ min: 0, limit: 4, missing: 0, last: found?.max });
  });

  test('no trend over a day: load goes up and down with it', () => {
    expect(digestSeries(gridOf(steady.slice(0, 48)), CPU)?.perDay).toBeUndefined();
  });

  test('a missing value is a gap, never a zero', () => {
    const found = digestSeries(gridOf([point(0, { cpu: 0.5 }), point(60), point(120), point(180, { cpu: 0.5 })]), CPU);
    expect(found).toMatchObject({ min: 0.5, avg: 0.5, missing: 0.5 });
    expect(found?.spark).toContain('·');
  });

  test('pressure is told in percent by the API', () => {
    expect(
      digestSeries(gridOf([point(0, { p: 50 }), point(60, { p: 50 })]), { name: 'p', unit: 'share', percent: true })?.avg,
    ).toBe(0.5);
  });

  test('a series without any value is none', () => {
    expect(digestSeries(gridOf([point(0), point(60)]), CPU)).toBeUndefined();
    expect(digestSeries(gridOf([]), CPU)).toBeUndefined();
  });
});

test('holes are runs without any value', () => {
  const points = [point(0), point(60, { cpu: 1 }), point(120), point(180), point(240, { mem: 1 }), point(300)];
  expect(holesOf(points)).toEqual([
    { from: 0, to: 60 },
    { from: 120, to: 240 },
    { from: 300, to: 300 },
  ]);
});

test('a nonsense span does not become a giant grid', () => {
  expect(gridOf([point(1, { cpu: 1 }), point(2, { cpu: 1 }), point(2_000_000_000, { cpu: 1 })]).slots.length).toBeLessThan(
    45_000,
  );
});

test('thinning averages, and keeps holes empty', () => {
  const points = Array.from({ length: 120 }, (_u, i) => (i < 60 ? point(i * 60, { cpu: i % 2 }) : point(i * 60)));
  const rows = thinned(gridOf(points), [CPU], 60);
  expect(rows).toHaveLength(60);
  expect(rows[0]).toEqual({ time: 0, values: new Map([['cpu', 0.5]]) });
  expect(rows[59]?.values.size).toBe(0);
});
