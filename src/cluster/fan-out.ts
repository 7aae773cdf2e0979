import type { Call } from '../api/call.ts';
import { ApiError, toApiError } from '../api/errors.ts';
import { type Gaps, gapFrom, mergeGaps, NO_GAPS, type Where } from '../api/reading.ts';

/** What a fan-out brought back. */
export interface FanOut<K, T> {
  readonly results: readonly { readonly item: K; readonly data: T }[];
  /** One problem for each item that failed. */
  readonly gaps: Gaps;
  /** Items that were not asked because the time was used up, in order. */
  readonly left: readonly K[];
}

/**
 * Reads something for each item, in order. One that fails costs its own row only; when the call's time is used up the
 * rest is left and told. Concurrency is bounded below, per node and cluster, so all are started at once.
 */
export async function fanOut<K, T>(
  call: Call,
  items: readonly K[],
  where: (item: K) => Where,
  read: (item: K) => Promise<T>,
): Promise<FanOut<K, T>> {
  const results: { item: K; data: T }[] = [];
  const gaps: Gaps[] = [];
  const left: K[] = [];
  let done = 0;
  const outcomes = await Promise.all(
    items.map(async (item) => {
      if (call.remaining() <= 0) return { item, state: 'left' as const };
      try {
        const data = await withinBudget(call, read(item));
        if (data === OUT_OF_TIME) return { item, state: 'late' as const };
        return { item, state: 'read' as const, data };
      } catch (thrown) {
        const { kind } = toApiError(thrown);
        if (kind === 'cancelled') throw thrown;
        // Reads end with the call's time, too, and a timer may fire a little early.
        if (kind === 'timeout' && call.remaining() <= EARLY_MS) return { item, state: 'late' as const };
        return { item, state: 'failed' as const, thrown };
      } finally {
        done += 1;
        call.progress(done, items.length, 'read');
      }
    }),
  );
  for (const outcome of outcomes) {
    if (outcome.state === 'read') results.push({ item: outcome.item, data: outcome.data });
    else if (outcome.state === 'failed') gaps.push(gapFrom(asRead(outcome.thrown), where(outcome.item)));
    else left.push(outcome.item);
  }
  if (left.length > 0)
    gaps.push({ problems: [], coverage: 'partial', hidden: [], why: `${left.length} of ${items.length} were not read in time` });
  return { results, gaps: mergeGaps(NO_GAPS, ...gaps), left };
}

/**
 * Reads that only tell something together: fails as soon as all have ended when one has failed, so that no request of a
 * call is still under way when its answer is there.
 */
export async function together<const T extends readonly Promise<unknown>[]>(
  reads: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(reads);
  return Promise.all(reads);
}

/** Items come from the API's own lists: one with a name that can't be asked for is its oddity, not the caller's mistake. */
function asRead(thrown: unknown): unknown {
  const error = toApiError(thrown);
  return error.kind === 'bad-argument' ? new ApiError('malformed-answer', error.message, { cause: error }) : error;
}

const EARLY_MS = 50;
const OUT_OF_TIME = Symbol('out of time');

/** The read's outcome, or OUT_OF_TIME when the call must begin to put its answer together. */
async function withinBudget<T>(call: Call, read: Promise<T>): Promise<T | typeof OUT_OF_TIME> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<typeof OUT_OF_TIME>((resolve) => {
    timer = setTimeout(() => resolve(OUT_OF_TIME), Math.max(0, call.remaining()));
  });
  try {
    return await Promise.race([read, late]);
  } finally {
    clearTimeout(timer);
    // Lost the race: its failure, if any, has been told as "not read in time".
    read.catch(() => undefined);
  }
}
