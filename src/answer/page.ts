/** The rows that an answer may show: sorted, after the cursor, at most `limit`. */
import { compareFolded, compareText, foldKey, MAX_PARTS } from './sort-key.ts';
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

/** Every row with a key of its own: rows with equal keys are put in an order and numbered, so that a cut may fall between them. */
function keyed<R>(paged: Paged<R>): PageRow<R>[] {
  const rows = paged.rows.map((row) => ({ row, key: foldKey(paged.key(row)) }));
  rows.sort((a, b) => compareFolded(a.key, b.key) || compareText(JSON.stringify(a.row), JSON.stringify(b.row)));
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
  const end = paged.unfinished === undefined ? undefined : foldKey(paged.unfinished.after);
  // Rows behind the point where the reader stopped would hide the ones that it did not look at: they come again later.
  const all = keyed(paged).filter(({ key }) => end === undefined || compareFolded(key, end) <= 0);
  const rest = after === undefined ? all : all.filter(({ key }) => compareFolded(key, after) > 0);
  return {
    rows: rest.slice(0, Math.max(1, options.limit ?? rest.length)),
    available: rest.length,
    before: all.length - rest.length,
    of: Math.max(paged.total ?? 0, all.length),
    continued: after !== undefined,
    unfinished: end === undefined ? undefined : { after: end, why: paged.unfinished?.why ?? '' },
  };
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
