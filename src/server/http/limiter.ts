import { LRUCache } from 'lru-cache';
import type { CallerLimits } from './options.ts';

/** Why a request may not go on. */
export interface Overload {
  readonly refused: 'rate' | 'concurrency' | 'batch';
  readonly retryAfterSeconds: number;
}

/** A request that may go on. */
export interface Admitted {
  readonly refused?: undefined;
  /** Counts what it turns out to carry besides the one message; undefined when there is room for it. */
  add(messages: number): Overload | undefined;
  /** To be called when it has ended. */
  release(): void;
}

export type Admission = Admitted | Overload;

/** Bounds how often and how much at a time each caller may ask. */
export interface Limiter {
  /** Before its body is read: bodies take memory too. It counts as one message until `add` tells more. */
  admit(caller: string, limits: CallerLimits): Admission;
}

interface Account {
  tokens: number;
  at: number;
  running: number;
}

/** A proxy may name any number of callers; those longest unseen are forgotten. */
const MAX_ACCOUNTS = 10_000;

/** A token bucket for each caller that holds one minute's worth, and a count of what is under way. */
export function createLimiter(now: () => number = Date.now): Limiter {
  const accounts = new LRUCache<string, Account>({ max: MAX_ACCOUNTS });

  function take(account: Account, { ratePerMinute, maxConcurrent }: CallerLimits, messages: number): Overload | undefined {
    const t = now();
    // A clock that is set back must not take away what a caller had.
    const passed = Math.max(0, t - account.at);
    account.tokens = Math.min(ratePerMinute, account.tokens + (passed * ratePerMinute) / 60_000);
    account.at = t;
    if (account.tokens < messages) {
      const wait = ((messages - account.tokens) * 60) / ratePerMinute;
      return { refused: 'rate', retryAfterSeconds: Math.max(1, Math.ceil(wait)) };
    }
    if (account.running + messages > maxConcurrent) return { refused: 'concurrency', retryAfterSeconds: 1 };
    account.tokens -= messages;
    account.running += messages;
    return undefined;
  }

  return {
    admit(caller, limits) {
      const account = accounts.get(caller) ?? { tokens: limits.ratePerMinute, at: now(), running: 0 };
      accounts.set(caller, account);
      const overload = take(account, limits, 1);
      if (overload !== undefined) return overload;
      let held = 1;
      return {
        add(messages) {
          // Waiting would not help: so many never fit.
          if (messages + 1 > Math.min(limits.maxConcurrent, limits.ratePerMinute))
            return { refused: 'batch', retryAfterSeconds: 0 };
          const more = messages === 0 ? undefined : take(account, limits, messages);
          if (more === undefined) held += messages;
          return more;
        },
        release() {
          account.running -= held;
          held = 0;
        },
      };
    },
  };
}
