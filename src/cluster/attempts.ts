/** Reads that may fail, or have nothing to read, without costing the rest of an answer. */
import { attempt, type Gaps, NO_GAPS, type Problem, type Reading, type Where, withGaps } from '../api/reading.ts';

/** A reader that brings its own gaps; one that fails whole becomes a gap. */
export async function whole<T>(read: () => Promise<Reading<T>>, where: Where = {}): Promise<Reading<T | undefined>> {
  const outcome = await attempt(where, read);
  return outcome.data === undefined ? { ...outcome, data: undefined } : outcome.data;
}

/** The release does not have it, or the cluster does not use it: that is an answer, and nothing is missing. */
export function isNotHere({ kind }: Pick<Problem, 'kind'>): boolean {
  return kind === 'not-configured' || kind === 'unsupported-by-this-release';
}

/** A part that may fail, and that need not be there. */
export async function optional<T>(read: () => Promise<T>): Promise<Reading<T | undefined>> {
  const { data, ...gaps } = await attempt({}, read);
  return withGaps(data, gaps.problems.every(isNotHere) ? NO_GAPS : gaps);
}

/** What lies beyond the most that is read of many. */
export function cutGaps(cut: boolean, why: string): Gaps {
  return cut ? { ...NO_GAPS, coverage: 'partial', why } : NO_GAPS;
}
