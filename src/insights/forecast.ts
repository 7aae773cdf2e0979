import type { Point } from '../cluster/metrics.ts';

/** One measurement of how full something is. */
export interface FillPoint {
  /** Seconds since the epoch. */
  readonly time: number;
  /** Bytes. */
  readonly used: number;
}

export type Confidence = 'high' | 'medium' | 'low';

/**
 * - `fills`: grows steadily enough to say when it is full
 * - `flat`, `shrinks`
 * - `noisy`: goes up and down too much for a forecast
 * - `too-short`: too little was measured
 */
export type Trend = 'fills' | 'flat' | 'shrinks' | 'noisy' | 'too-short';

export interface Forecast {
  readonly trend: Trend;
  /** Bytes a day; undefined without a forecast. */
  readonly perDay: number | undefined;
  /** Seconds until it is full. */
  readonly fullIn: number | undefined;
  readonly confidence: Confidence | undefined;
  /** How much of the ups and downs the straight line explains, 0..1. */
  readonly fit: number;
  /** Days with a measurement, and days from the first to the last. */
  readonly days: number;
  readonly span: number;
}

const DAY = 86_400;
const LEAST_DAYS = 4;
/** Less than this share of the size in a month is no growth. */
const FLAT_SHARE = 0.005;
/** A line that explains less is not worth a date. */
const LEAST_FIT = 0.5;
/** Later than this is never, for practical purposes. */
const HORIZON_DAYS = 3_650;

/**
 * When something is full, from a robust straight line (Theil-Sen) through the medians of its days: a day's peak or a
 * clean-up moves it little. Confidence: high from a fit of 0.9 over three weeks, medium from 0.7 over one.
 *
 * @param total bytes that it holds, now
 */
export function forecast(points: readonly FillPoint[], total: number): Forecast {
  const days = mediansByDay(points);
  const first = days[0];
  const last = days.at(-1);
  const span = first === undefined || last === undefined ? 0 : last.day - first.day;
  const none = (trend: Trend, fit = 0): Forecast => ({
    trend,
    perDay: undefined,
    fullIn: undefined,
    confidence: undefined,
    fit,
    days: days.length,
    span,
  });
  if (first === undefined || last === undefined || days.length < LEAST_DAYS || span < LEAST_DAYS - 1 || total <= 0)
    return none('too-short');
  const slope = median(slopes(days));
  const offset = median(days.map((d) => d.used - slope * d.day));
  const fit = explained(days, slope, offset);
  // What moves little overall is flat, however it wiggles.
  if (Math.abs(slope) * 30 < total * FLAT_SHARE && range(days) < total * FLAT_SHARE * 4) return none('flat', fit);
  if (fit < LEAST_FIT) return none('noisy', fit);
  if (slope <= 0) return { ...none('shrinks', fit), perDay: slope };
  const left = Math.max(0, total - Math.max(last.used, slope * last.day + offset)) / slope;
  if (left > HORIZON_DAYS) return { ...none('flat', fit), perDay: slope };
  return { trend: 'fills', perDay: slope, fullIn: left * DAY, confidence: confidenceOf(fit, span), fit, days: days.length, span };
}

/** The points at which it was measured how full a storage was. */
export function fillPoints(points: readonly Point[]): readonly FillPoint[] {
  return points.flatMap(({ time, values }) => {
    const used = values.get('used');
    return used === undefined ? [] : [{ time, used }];
  });
}

function confidenceOf(fit: number, span: number): Confidence {
  if (fit >= 0.9 && span >= 21) return 'high';
  return fit >= 0.7 && span >= 7 ? 'medium' : 'low';
}

interface DayFill {
  readonly day: number;
  readonly used: number;
}

function mediansByDay(points: readonly FillPoint[]): readonly DayFill[] {
  const byDay = new Map<number, number[]>();
  for (const { time, used } of points) {
    const day = Math.floor(time / DAY);
    byDay.set(day, [...(byDay.get(day) ?? []), used]);
  }
  return [...byDay].map(([day, values]) => ({ day, used: median(values) })).sort((a, b) => a.day - b.day);
}

function slopes(days: readonly DayFill[]): readonly number[] {
  return days.flatMap((a, index) => days.slice(index + 1).map((b) => (b.used - a.used) / (b.day - a.day)));
}

/** Coefficient of determination of a given line; a worse one than the mean explains nothing. */
function explained(days: readonly DayFill[], slope: number, offset: number): number {
  const mean = days.reduce((sum, d) => sum + d.used, 0) / days.length;
  const all = days.reduce((sum, d) => sum + (d.used - mean) ** 2, 0);
  const rest = days.reduce((sum, d) => sum + (d.used - slope * d.day - offset) ** 2, 0);
  return all === 0 ? 0 : Math.max(0, 1 - rest / all);
}

function range(days: readonly DayFill[]): number {
  const values = days.map((d) => d.used);
  return Math.max(...values) - Math.min(...values);
}

/** The middle of the values; 0 for none. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value that a share `q` of the values do not exceed, linear in between; 0 for none. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * q;
  const low = sorted[Math.floor(at)] ?? 0;
  const high = sorted[Math.ceil(at)] ?? low;
  return low + (high - low) * (at - Math.floor(at));
}
