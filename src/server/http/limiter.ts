import { LRUCache } from 'lru-cache';
import type { CallerLimits } from './options.ts';

/** Whether a request may go on; `release` must then be called once, when it has ended. */
export type Admission =
  | { readonly release: () => void; readonly refused?: undefined }
  | { readonly refused: 'rate' | 'concurrency' | 'batch'; readonly retryAfterSeconds: number };

/** Bounds how often and how much at a time each caller may ask. */
export interface Limiter {
  /** @param messages how many requests it carries (a JSON-RPC batch carries several) */
  admit(caller: string, limits: CallerLimits, messages: number): Admission;
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

  return {
    admit(caller, { ratePerMinute, maxConcurrent }, messages) {
      const t = now();
      const account = accounts.get(caller) ?? { tokens: ratePerMinute, at: t, running: 0 };
      accounts.set(caller, account);
      account.tokens = Math.min(ratePerMinute, account.tokens + ((t - account.at) * ratePerMinute) / 60_000);
      account.at = t;
      // Waiting would not help: so many never fit.
      if (messages > Math.min(maxConcurrent, ratePerMinute)) return { refused: 'batch', retryAfterSeconds: 0 };
      if (account.tokens < messages) {
        const wait = ((messages - account.tokens) * 60) / ratePerMinute;
        return { refused: 'rate', retryAfterSeconds: Math.max(1, Math.ceil(wait)) };
      }
      if (account.running + messages > maxConcurrent) return { refused: 'concurrency', retryAfterSeconds: 1 };
      account.tokens -= messages;
      account.running += messages;
      let open = true;
      return {
        release: () => {
          if (open) account.running -= messages;
          open = false;
        },
      };
    },
  };
}
