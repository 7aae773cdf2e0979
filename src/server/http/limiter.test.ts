import { describe, expect, it } from 'vitest';
import { createLimiter } from './limiter.ts';

const limits = { ratePerMinute: 60, maxConcurrent: 3 };

function at() {
  const clock = { now: 1_000_000 };
  return { clock, limiter: createLimiter(() => clock.now) };
}

describe('the limits of a caller', () => {
  it('let a minute of requests through at once, then one at a time', () => {
    const { clock, limiter } = at();
    for (let i = 0; i < 60; i += 1) {
      const admission = limiter.admit('a', limits, 1);
      expect(admission.refused).toBeUndefined();
      if (admission.refused === undefined) admission.release();
    }
    expect(limiter.admit('a', limits, 1)).toEqual({ refused: 'rate', retryAfterSeconds: 1 });
    clock.now += 1_000;
    expect(limiter.admit('a', limits, 1).refused).toBeUndefined();
    expect(limiter.admit('a', limits, 1).refused).toBe('rate');
    expect(limiter.admit('b', limits, 1).refused).toBeUndefined();
  });

  it('count what is under way, and a batch by its messages', () => {
    const { limiter } = at();
    const first = limiter.admit('a', limits, 2);
    expect(limiter.admit('a', limits, 2)).toEqual({ refused: 'concurrency', retryAfterSeconds: 1 });
    if (first.refused === undefined) {
      first.release();
      first.release();
    }
    expect(limiter.admit('a', limits, 3).refused).toBeUndefined();
    expect(limiter.admit('a', limits, 1).refused).toBe('concurrency');
    expect(limiter.admit('a', limits, 4).refused).toBe('batch');
  });

  it('do not charge for what is refused', () => {
    const { limiter } = at();
    limiter.admit('a', limits, 3);
    for (let i = 0; i < 100; i += 1) limiter.admit('a', limits, 1);
    expect(limiter.admit('a', { ...limits, maxConcurrent: 100 }, 57).refused).toBeUndefined();
  });

  it('tell how long to wait', () => {
    const { limiter } = at();
    const slow = { ratePerMinute: 2, maxConcurrent: 10 };
    limiter.admit('a', slow, 2);
    expect(limiter.admit('a', slow, 1)).toEqual({ refused: 'rate', retryAfterSeconds: 30 });
  });
});
