import { describe, expect, it } from 'vitest';
import { inOrder, pageOf } from './page.ts';
import type { SortKey } from './spec.ts';

interface Row {
  readonly a: number;
  readonly b: string;
}

const key = ({ a, b }: Row): SortKey => (a < 0 ? [a] : [a, b]);
/** Few different values: most keys are there several times, and some rows are the same through and through. */
const rows: readonly Row[] = Array.from({ length: 60 }, (_, i) => ({
  a: ((i * 7) % 5) - 1,
  b: ['x', 'yy', 'long'.repeat(40)][(i * 11) % 3] ?? '',
}));

describe('a page of rows that are in order already', () => {
  const ordered = inOrder(rows, key);

  it('has the same rows', () => {
    const texts = (all: readonly Row[]) => all.map((row) => JSON.stringify(row)).sort();
    expect(texts(ordered)).toEqual(texts(rows));
  });

  it.each([1, 2, 7, 59, 60, 61, undefined])('is the page of rows that are not, from first to last: limit %s', (limit) => {
    let after: SortKey | undefined;
    const seen: Row[] = [];
    for (let turn = 0; turn <= rows.length; turn += 1) {
      const slow = pageOf({ rows, key }, { after, limit });
      const fast = pageOf({ rows: ordered, key, ordered: true }, { after, limit });
      expect(fast).toEqual({ ...slow, unfinished: undefined });
      seen.push(...fast.rows.map(({ row }) => row));
      after = fast.rows.at(-1)?.key;
      if (after === undefined || fast.rows.length === fast.available) break;
    }
    expect(seen).toEqual(ordered);
  });

  it('is the same behind any position, also one that no row has', () => {
    const positions: SortKey[] = [[-5], [-1], [-1, 3], [0], [0, 'x', 2], [0, 'z'], [1, 'yy'], [9], ['text'], [0, 'x', 2, 2]];
    for (const after of positions) {
      for (const limit of [1, 5]) {
        const slow = pageOf({ rows, key }, { after, limit });
        expect(pageOf({ rows: ordered, key, ordered: true }, { after, limit })).toEqual({ ...slow, unfinished: undefined });
      }
    }
  });

  it('looks at few of them', () => {
    const many = Array.from({ length: 5_000 }, (_, a) => ({ a, b: '' }));
    let looks = 0;
    const counted = (row: Row): SortKey => {
      looks += 1;
      return key(row);
    };
    const page = pageOf({ rows: many, key: counted, ordered: true }, { after: [2_500, ''], limit: 20 });
    expect(page).toMatchObject({ before: 2_501, available: 2_499, of: 5_000 });
    expect(looks).toBeLessThan(80);
  });
});
