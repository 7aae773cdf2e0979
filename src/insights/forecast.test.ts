import { describe, expect, test } from 'vitest';
import { type FillPoint, forecast, median, quantile } from './forecast.ts';

const DAY = 86_400;
const START = 2_000_000_000 - (2_000_000_000 % DAY);
const GB = 1e9;

/** A value every two hours for some days. */
function series(days: number, used: (day: number, hour: number) => number): FillPoint[] {
  return Array.from({ length: days * 12 }, (_, i) => ({ time: START + i * 7_200, used: used(i / 12, (i * 2) % 24) }));
}

/** Deterministic noise in [-1, 1]. */
const noise = (x: number): number => ((Math.sin(x * 12.9898) * 43_758.5453) % 1) * 2 - 1;

describe('forecast', () => {
  test('a steady month: the day it is full, with high confidence', () => {
    const f = forecast(
      series(30, (day) => 500 * GB + day * 10 * GB),
      1_000 * GB,
    );
    expect(f).toMatchObject({ trend: 'fills', confidence: 'high' });
    expect((f.perDay ?? 0) / GB).toBeCloseTo(10, 3);
    expect((f.fullIn ?? 0) / DAY).toBeCloseTo(20.5, 0);
    expect(f.fit).toBeGreaterThan(0.99);
  });

  test('single outliers do not move it', () => {
    const f = forecast(
      series(30, (day) => 500 * GB + day * 10 * GB + (Math.floor(day) === 12 ? 400 * GB : 0)),
      2_000 * GB,
    );
    expect((f.perDay ?? 0) / GB).toBeGreaterThan(9);
    expect((f.perDay ?? 0) / GB).toBeLessThan(11);
  });

  test.each<[string, FillPoint[], string, string | undefined]>([
    ['constant', series(30, () => 400 * GB), 'flat', undefined],
    ['a little noise around a level', series(30, (day) => 400 * GB + noise(day) * GB), 'flat', undefined],
    ['shrinking', series(30, (day) => 900 * GB - day * 10 * GB), 'shrinks', undefined],
    ['a saw tooth of prunes', series(30, (day) => 300 * GB + (day % 5) * 100 * GB), 'noisy', undefined],
    ['two days only', series(2, (day) => day * 100 * GB), 'too-short', undefined],
    ['nothing', [], 'too-short', undefined],
    ['ten days of clear growth', series(10, (day) => 300 * GB + day * 20 * GB), 'fills', 'medium'],
    ['five days of clear growth', series(5, (day) => 300 * GB + day * 20 * GB), 'fills', 'low'],
    [
      'growth with a lot of noise',
      series(30, (day) => 300 * GB + day * 8 * GB + noise(Math.floor(day)) * 36 * GB),
      'fills',
      'low',
    ],
    ['growth that takes decades', series(30, (day) => 10 * GB + day * 0.2 * GB), 'flat', undefined],
  ])('%s: %#', (_what, points, trend, confidence) => {
    const f = forecast(points, 1_000 * GB);
    expect(f.trend).toBe(trend);
    expect(f.confidence).toBe(confidence);
    expect(f.fullIn === undefined).toBe(trend !== 'fills');
  });

  test('what is full already is full now, never in the past', () => {
    expect(
      forecast(
        series(30, (day) => 900 * GB + day * 10 * GB),
        1_000 * GB,
      ).fullIn,
    ).toBe(0);
  });

  test('a size of nothing has no forecast', () => {
    expect(
      forecast(
        series(30, (day) => day),
        0,
      ).trend,
    ).toBe('too-short');
  });
});

test('quantiles lie between the values', () => {
  expect(quantile([1, 2, 3, 4], 0.5)).toBe(2.5);
  expect(quantile([5], 0.95)).toBe(5);
  expect(quantile([], 0.5)).toBe(0);
  expect(median([3, 1, 2])).toBe(2);
});
