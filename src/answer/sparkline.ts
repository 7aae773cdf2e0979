/** Series of measurements in few characters. A gap is a measurement that is missing: never a zero. */

const BLOCKS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;
const GAP = '·';

export type Series = readonly (number | null | undefined)[];

function known(value: number | null | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/**
 * A line of block characters, each the average of its slice of the series; `·` where the slice holds nothing.
 * Without a range the line starts at zero (or below, if values do), so that small noise does not look like a storm.
 *
 * @param width most characters; a shorter series gets one character a value
 * @param range what the lowest and the highest block stand for
 */
export function sparkline(values: Series, width: number, range: { readonly min?: number; readonly max?: number } = {}): string {
  const slots = Math.min(Math.max(0, Math.floor(width)), values.length);
  const averages: (number | undefined)[] = [];
  for (let slot = 0; slot < slots; slot += 1) {
    const from = Math.floor((slot * values.length) / slots);
    const to = Math.floor(((slot + 1) * values.length) / slots);
    averages.push(digest(values.slice(from, to)).avg);
  }
  const { min = 0, max = 0 } = digest(averages);
  const low = range.min ?? Math.min(0, min);
  const high = range.max ?? Math.max(low, max);
  return averages
    .map((average) => {
      if (average === undefined) return GAP;
      const height = high > low ? (average - low) / (high - low) : 0;
      const block = Math.min(Math.max(Math.round(height * (BLOCKS.length - 1)), 0), BLOCKS.length - 1);
      return BLOCKS[block] ?? GAP;
    })
    .join('');
}

/** A series in numbers, in the unit of its values. Without a single known value only the counts are told. */
export interface Digest {
  /** Known values. */
  readonly count: number;
  /** Missing values. */
  readonly gaps: number;
  readonly min?: number;
  readonly avg?: number;
  /** Nearest rank: 95% of the known values are not above it. */
  readonly p95?: number;
  readonly max?: number;
  readonly first?: number;
  readonly last?: number;
  /** Slope of the best straight line (least squares), per step of the series; needs two known values. */
  readonly trend?: number;
}

/** What is worth knowing about a series. Gaps count as steps of time but not as values. */
export function digest(values: Series): Digest {
  const points: { at: number; value: number }[] = [];
  values.forEach((value, at) => {
    if (known(value)) points.push({ at, value });
  });
  const count = points.length;
  const gaps = values.length - count;
  const first = points[0]?.value;
  const last = points[count - 1]?.value;
  if (first === undefined || last === undefined) return { count, gaps };
  const sorted = points.map((point) => point.value).sort((a, b) => a - b);
  // Rounding must not carry the average outside of its values.
  const min = sorted[0] ?? first;
  const max = sorted[count - 1] ?? first;
  const avg = Math.min(
    Math.max(
      sorted.reduce((sum, value) => sum + value / count, 0),
      min,
    ),
    max,
  );
  const p95 = sorted[Math.ceil(count * 0.95) - 1] ?? max;
  const numbers = { count, gaps, min, avg, p95, max, first, last };
  const middle = points.reduce((sum, point) => sum + point.at / count, 0);
  let covariance = 0;
  let variance = 0;
  for (const { at, value } of points) {
    covariance += (at - middle) * (value - avg);
    variance += (at - middle) ** 2;
  }
  return variance > 0 ? { ...numbers, trend: covariance / variance } : numbers;
}
