/** The rows that an answer may show: sorted, after the cursor, at most `limit`. */
import { byText } from '../api/lenient.ts';
import { compareFolded, foldKey, MAX_PARTS } from './sort-key.ts';
import type { Paged, SortKey } from './spec.ts';

export interface PageRow<R> {
  readonly row: R;
  /** Folded; unique within the table. */
  readonly key: SortKey;
}

export interface Page<R> {
  /** In order. How many of them fit is for the renderer to find out. */
  readonly rows: readonly PageRow<R>[];
  /** Rows after the cursor that were handed over, shown or not. */
  readonly available: number;
  /** Rows before the cursor, as far as they were handed over. */
  readonly before: number;
  /** All rows that are known of. */
  readonly of: number;
  /** The page goes on after a cursor. */
  readonly continued: boolean;
  /** Set when rows after this key were not looked at. */
  readonly unfinished?: { readonly after: SortKey; readonly why: string } | undefined;
}

function sorted<R>(rows: readonly R[], key: (row: R) => SortKey): PageRow<R>[] {
  return rows
    .map((row) => ({ row, key: foldKey(key(row)) }))
    .sort((a, b) => compareFolded(a.key, b.key) || byText(JSON.stringify(a.row), JSON.stringify(b.row)));
}

/** Rows in the order of their keys, for a table that is `ordered`: worth it where many answers are made of the same rows. */
export function inOrder<R>(rows: readonly R[], key: (row: R) => SortKey): readonly R[] {
  return sorted(rows, key).map(({ row }) => row);
}

/** Every row with a key of its own: those with equal keys are numbered, so that a cut may fall between them. */
function numbered<R>(rows: readonly PageRow<R>[]): PageRow<R>[] {
  let last: SortKey | undefined;
  let equal = 0;
  return rows.map(({ row, key }) => {
    equal = last !== undefined && compareFolded(last, key) === 0 ? equal + 1 : 0;
    last = key;
    return { row, key: equal > 0 && key.length < MAX_PARTS ? [...key, equal] : key };
  });
}

/**
 * Sorts a table and drops what the cursor has behind it.
 *
 * @param options.after the last key that was shown before, from a cursor
 * @param options.limit most rows to show
 */
export function pageOf<R>(
  paged: Paged<R>,
  options: { readonly after?: SortKey | undefined; readonly limit?: number | undefined },
): Page<R> {
  const { after } = options;
  if (paged.ordered === true && paged.unfinished === undefined) return pageOfOrdered(paged, options);
  const end = paged.unfinished === undefined ? undefined : foldKey(paged.unfinished.after);
  // Rows behind the point where the reader stopped would hide the ones that it did not look at: they come again later.
  const all = numbered(sorted(paged.rows, (row) => paged.key(row))).filter(
    ({ key }) => end === undefined || compareFolded(key, end) <= 0,
  );
  const rest = after === undefined ? all : all.filter(({ key }) => compareFolded(key, after) > 0);
  const { before, behind } = paged.beyond ?? { before: 0, behind: 0 };
  return {
    rows: rest.slice(0, Math.max(1, options.limit ?? rest.length)),
    available: rest.length + behind,
    before: before + all.length - rest.length,
    of: Math.max(paged.total ?? 0, before + all.length + behind),
    continued: after !== undefined,
    unfinished: end === undefined ? undefined : { after: end, why: paged.unfinished?.why ?? '' },
  };
}

/** The same, of rows that are in order: looks at those that are shown, and at a few on the way to them. */
function pageOfOrdered<R>(
  paged: Paged<R>,
  { after, limit }: { readonly after?: SortKey | undefined; readonly limit?: number | undefined },
): Page<R> {
  const { rows } = paged;
  const most = Math.max(1, limit ?? rows.length);
  const keyOf = (row: R): SortKey => foldKey(paged.key(row));
  const first = after === undefined ? 0 : firstWhere(rows, (row) => compareFolded(keyOf(row), after) > 0);
  // Rows with equal keys are numbered from the first of them, and the cursor may point between them.
  const last = rows[first - 1];
  const from = last === undefined ? first : firstWhere(rows, (row) => compareFolded(keyOf(row), keyOf(last)) >= 0);
  const looked = numbered(rows.slice(from, first + most).map((row) => ({ row, key: keyOf(row) })));
  const rest = after === undefined ? looked : looked.filter(({ key }) => compareFolded(key, after) > 0);
  const before = from + looked.length - rest.length;
  return {
    rows: rest.slice(0, most),
    available: rows.length - before,
    before,
    of: Math.max(paged.total ?? 0, rows.length),
    continued: after !== undefined,
  };
}

/** Index of the first item for which it holds, given that it holds for all behind that; their number when for none. */
function firstWhere<T>(items: readonly T[], holds: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    // Below `high`, so that there is an item.
    if (items.slice(middle, middle + 1).every(holds)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** How far a page of `shown` rows got. */
export interface Progress {
  readonly shown: number;
  readonly of: number;
  /** Number of the first row, when the page is not the first one and rows before it are known. */
  readonly from?: number | undefined;
  /** The reader stopped early: `of` counts only what was looked at. */
  readonly soFar: boolean;
  /** After which row to go on; absent when nothing is left. */
  readonly after?: SortKey | undefined;
}

export function progressOf<R>(page: Page<R>, shown: number): Progress {
  const cut = shown < page.available;
  const lastShown = shown > 0 ? page.rows[shown - 1]?.key : undefined;
  return {
    shown,
    of: page.of,
    from: page.before > 0 && shown > 0 ? page.before + 1 : undefined,
    soFar: page.unfinished !== undefined,
    after: cut ? lastShown : page.unfinished?.after,
  };
}

/** `50 of 500 shown, from row 51, so far`; undefined when the page is all there is. */
export function describeProgress(progress: Progress): string | undefined {
  const parts: string[] = [];
  if (progress.shown < progress.of) parts.push(`${progress.shown} of ${progress.of} shown`);
  if (progress.from !== undefined) parts.push(`from row ${progress.from}`);
  if (progress.soFar) parts.push('so far');
  return parts.length === 0 ? undefined : parts.join(', ');
}
