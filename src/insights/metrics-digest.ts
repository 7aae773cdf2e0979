import { type Digest, digest, sparkline } from '../answer/sparkline.ts';
import type { Point, SeriesSpec } from '../cluster/metrics.ts';

/** A run of moments without a value. */
export interface Hole {
  /** Seconds since the epoch. */
  readonly from: number;
  readonly to: number;
}

/** Part of a span that was measured at one step. */
export interface Resolution {
  readonly points: number;
  /** Seconds. */
  readonly step: number;
}

/** Points laid on even steps, so that each moment counts for as long as it lasts. */
export interface Grid {
  /** Seconds between two slots. */
  readonly step: number;
  /** The point that stands in each slot; a coarse one stands in several. */
  readonly slots: readonly Point[];
  readonly resolutions: readonly Resolution[];
}

/** A grid of this many slots is enough for every format; more only comes out of nonsense. */
const MAX_SLOTS = 20_000;

/**
 * Lays points on a grid of their finest step. The step changes mid-series where measurements of before and after an
 * upgrade meet: a coarse point fills all the slots up to the next one.
 */
export function gridOf(points: readonly Point[]): Grid {
  const steps = points.slice(1).map((point, index) => point.time - (points[index]?.time ?? point.time));
  const [first] = steps;
  if (first === undefined) return { step: 0, slots: points, resolutions: [{ points: points.length, step: 0 }] };
  const finest = Math.max(1, Math.min(...steps));
  const span = (points.at(-1)?.time ?? 0) - (points[0]?.time ?? 0);
  const step = Math.max(finest, Math.ceil(span / MAX_SLOTS));
  const slots: Point[] = [];
  const resolutions: { points: number; step: number }[] = [];
  points.forEach((point, index) => {
    // The newest point lasts as long as the one before it.
    const lasts = steps[index] ?? steps.at(-1) ?? step;
    const current = resolutions.at(-1);
    if (current?.step === lasts) current.points += 1;
    else resolutions.push({ points: 1, step: lasts });
    for (let n = 0; n < Math.max(1, Math.round(lasts / step)); n += 1) slots.push(point);
  });
  return { step, slots, resolutions: joined(resolutions) };
}

/** The seam between two steps has a length of its own, which is no resolution. */
function joined(resolutions: readonly Resolution[]): readonly Resolution[] {
  const real = resolutions.filter((r) => r.points > 1);
  return real.length === 0 ? resolutions : real;
}

/** Runs of moments without any value. */
export function holesOf(points: readonly Point[]): readonly Hole[] {
  const holes: { from: number; to: number }[] = [];
  let open = false;
  points.forEach((point, index) => {
    const missing = point.values.size === 0;
    const next = points[index + 1]?.time ?? point.time;
    const current = holes.at(-1);
    if (missing && open && current !== undefined) current.to = next;
    else if (missing) holes.push({ from: point.time, to: next });
    open = missing;
  });
  return holes;
}

/** A series in numbers, in the unit of its values. */
export interface SeriesDigest extends Digest {
  readonly series: SeriesSpec;
  /** Latest value of the series that holds the limit. */
  readonly limit: number | undefined;
  /** Straight-line change in a day; undefined for spans too short to tell. */
  readonly perDay: number | undefined;
  /** Share of the span without a value. */
  readonly missing: number;
  readonly spark: string;
}

const SPARK_WIDTH = 32;
const DAY = 86_400;

/** Digest of one series; undefined when it has no value at all. */
export function digestSeries(grid: Grid, series: SeriesSpec): SeriesDigest | undefined {
  const values = grid.slots.map((point) => seriesValue(point, series));
  const numbers = digest(values);
  if (numbers.count === 0) return undefined;
  const known = grid.step * numbers.count;
  return {
    ...numbers,
    series,
    limit: series.limit === undefined ? undefined : latest(grid.slots, series.limit),
    // Load goes up and down with the day: over less than two the slope says nothing.
    perDay: numbers.trend === undefined || known < 2 * DAY ? undefined : (numbers.trend * DAY) / grid.step,
    missing: numbers.gaps / values.length,
    spark: sparkline(values, SPARK_WIDTH),
  };
}

export function seriesValue(point: Point, { name, percent }: SeriesSpec): number | undefined {
  const value = point.values.get(name);
  return value === undefined || percent !== true ? value : value / 100;
}

function latest(points: readonly Point[], name: string): number | undefined {
  const value = points.findLast((point) => point.values.has(name))?.values.get(name);
  return value === 0 ? undefined : value;
}

/** At most `max` moments: each the average of its share of the grid, at the time where that begins. */
export function thinned(
  grid: Grid,
  series: readonly SeriesSpec[],
  max: number,
): readonly { readonly time: number; readonly values: ReadonlyMap<string, number> }[] {
  const { slots, step } = grid;
  const count = Math.min(max, slots.length);
  const start = slots[0]?.time ?? 0;
  return Array.from({ length: count }, (_unused, index) => {
    const from = Math.floor((index * slots.length) / count);
    const part = slots.slice(from, Math.floor(((index + 1) * slots.length) / count));
    const values = new Map<string, number>();
    for (const one of series) {
      const { avg } = digest(part.map((point) => seriesValue(point, one)));
      if (avg !== undefined) values.set(one.name, avg);
    }
    return { time: start + from * step, values };
  });
}
