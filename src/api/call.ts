import { setMaxListeners } from 'node:events';
import type { EndpointPath, PathParams, QueryOf } from './endpoints.ts';
import { type ApiError, type ErrorKind, toApiError } from './errors.ts';
import type { Release } from './release.ts';
import { NEWEST_KNOWN } from './release.ts';
import { createRights, type Rights } from './rights.ts';
import type { Caller, Got, Session } from './session.ts';

/** Time one tool call may take, in milliseconds. */
export const CALL_BUDGET_MS = 20_000;
/** What is kept back at the end of the budget for putting the answer together; of a small budget a tenth. */
const RESERVE_MS = 1_500;

/** Failures in which the cluster itself said nothing. */
const UNANSWERED: ReadonlySet<ErrorKind> = new Set(['unreachable', 'tls', 'timeout', 'malformed-answer', 'too-large']);

/** What a call has cost so far. */
export interface CallStats {
  /** Requests that went out for it. */
  requests: number;
  /** Secret values hidden in what it read. */
  redacted: number;
}

/** One tool call at one cluster: what readers are handed to ask with. */
export interface Call {
  readonly session: Session;
  readonly stats: CallStats;
  readonly rights: Rights;
  readonly signal: AbortSignal;
  get<P extends EndpointPath>(path: P, params: PathParams<P>, query?: QueryOf<P>): Promise<Got>;
  /** The cluster's release; the newest known one when it cannot be told. */
  release(): Promise<Release>;
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds left for reading; a fan-out stops when it is used up. */
  remaining(): number;
  /** The first failure, when nothing at all that this call asked has been answered: there is nothing to tell then. */
  failure(): ApiError | undefined;
  /** Tells a waiting client how far a long read is. */
  progress(done: number, total: number, what: string): void;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly budgetMs?: number | undefined;
  readonly progress?: ((done: number, total: number, what: string) => void) | undefined;
}

export function createCall(session: Session, options: CallOptions = {}): Call {
  const started = session.now();
  const budget = options.budgetMs ?? CALL_BUDGET_MS;
  // One moment for both: a read that is given up with its call is over before the next call can come to wait for it.
  const readUntil = started + budget - Math.min(RESERVE_MS, budget / 10);
  const signal = options.signal ?? new AbortController().signal;
  // Every read under way listens for the call's end; dozens at once are normal, and no leak.
  setMaxListeners(0, signal);
  const stats: CallStats = { requests: 0, redacted: 0 };
  const counted = new Set<Got>();
  let answered = false;
  let firstFailure: ApiError | undefined;
  const caller: Caller = {
    signal,
    deadline: readUntil,
    sent: () => {
      stats.requests += 1;
    },
  };

  async function get<P extends EndpointPath>(path: P, params: PathParams<P>, query?: QueryOf<P>): Promise<Got> {
    const got = await session.get(path, params, query ?? {}, caller).catch((thrown: unknown) => {
      const error = toApiError(thrown, path);
      if (UNANSWERED.has(error.kind)) firstFailure ??= error;
      else answered = true;
      throw error;
    });
    answered = true;
    if (!counted.has(got)) {
      counted.add(got);
      stats.redacted += got.redacted;
    }
    return got;
  }

  return {
    session,
    stats,
    signal,
    rights: createRights(get, session.identity, session.derive),
    get,
    release: async () => (await session.release(caller)) ?? NEWEST_KNOWN,
    now: session.now,
    remaining: () => readUntil - session.now(),
    failure: () => (answered ? undefined : firstFailure),
    progress: options.progress ?? (() => undefined),
  };
}
