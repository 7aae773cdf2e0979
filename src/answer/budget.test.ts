import { describe, expect, it } from 'vitest';
import { shareOut } from './budget.ts';

const claim = (full: number, min = 0, weight = 1) => ({ full, min, weight });

describe('shareOut', () => {
  it.each([
    ['all fits', 100, [claim(10), claim(20)], [10, 20]],
    ['the small get all, the big share the rest', 100, [claim(1000), claim(10), claim(1000)], [45, 10, 45]],
    ['by weight', 90, [claim(1000, 0, 2), claim(1000, 0, 1)], [60, 30]],
    ['minimums first', 100, [claim(1000, 60), claim(1000, 0)], [80, 20]],
    ['minimums always', 10, [claim(50, 20), claim(50, 20)], [20, 20]],
    ['nothing to share', 10, [], []],
  ])('%s', (_, room, claims, grants) => expect(shareOut(room, claims)).toEqual(grants));

  it('never gives out more than there is, if the minimums fit', () => {
    for (let n = 1; n < 12; n += 1) {
      const claims = Array.from({ length: n }, (_, i) => claim((i * 7919) % 500, (i * 31) % 20, (i % 4) + 1));
      const sum = shareOut(400, claims).reduce((a, b) => a + b, 0);
      expect(sum).toBeLessThanOrEqual(400);
    }
  });
});
