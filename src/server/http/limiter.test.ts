import { describe, expect, it } from 'vitest';
import { type Admission, createLimiter } from './limiter.ts';

const limits = { ratePerMinute: 60, maxConcurrent: 3 };

function at(): { clock: { now: number }; limiter: ReturnType<typeof createLimiter> } {
  const clock = { now: 1_000_000 };
  return { clock, limiter: createLimiter(() => clock.now) };
}

function admitted(admission: Admission) {
  if (admission.refused !== undefined) throw new Error(`refused: ${admission.refused}`);
  return admission;
}

describe('the limits of a caller', () => {
  it('let a minute of requests through at once, then one at a time', () => {
    const { clock, limiter } = at();
    for (let i = 0; i < 60; i += 1) admitted(limiter.admit('a', limits)).release();
    expect(limiter.admit('a', limits)).toEqual({ refused: 'rate', retryAfterSeconds: 1 });
    clock.now += 1_000;
    admitted(limiter.admit('a', limits));
    expect(limiter.admit('a', limits).refused).toBe('rate');
    admitted(limiter.admit('b', limits));
  });

  it('count what is under way, from before its body is read, and a batch by its messages', () => {
    const { limiter } = at();
    const first = admitted(limiter.admit('a', limits));
    expect(first.add(1)).toBeUndefined();
    const second = admitted(limiter.admit('a', limits));
    expect(limiter.admit('a', limits)).toEqual({ refused: 'concurrency', retryAfterSeconds: 1 });
    expect(second.add(1)).toEqual({ refused: 'concurrency', retryAfterSeconds: 1 });
    first.release();
    first.release();
    expect(second.add(2)).toBeUndefined();
    expect(limiter.admit('a', limits).refused).toBe('concurrency');
    second.release();
    const third = admitted(limiter.admit('a', limits));
    expect(third.add(3)).toEqual({ refused: 'batch', retryAfterSeconds: 0 });
  });

  it('do not charge for what is refused', () => {
    const { limiter } = at();
    admitted(limiter.admit('a', limits)).add(2);
    for (let i = 0; i < 100; i += 1) limiter.admit('a', limits);
    expect(admitted(limiter.admit('a', { ...limits, maxConcurrent: 100 })).add(56)).toBeUndefined();
  });

  it('tell how long to wait', () => {
    const { limiter } = at();
    const slow = { ratePerMinute: 2, maxConcurrent: 10 };
    admitted(limiter.admit('a', slow)).add(1);
    expect(limiter.admit('a', slow)).toEqual({ refused: 'rate', retryAfterSeconds: 30 });
  });

  it('lock nobody out when the clock is set back', () => {
    const { clock, limiter } = at();
    admitted(limiter.admit('a', limits)).release();
    clock.now -= 3_600_000;
    admitted(limiter.admit('a', limits)).release();
    for (let i = 0; i < 58; i += 1) admitted(limiter.admit('a', limits)).release();
    expect(limiter.admit('a', limits).refused).toBe('rate');
  });
});
