/** One answer out of those of several clusters: every row says whose it is, and what one cluster lacks is told as its own. */
import type { ApiError } from '../api/errors.ts';
import { byText } from '../api/lenient.ts';
import { type Gaps, mergeGaps, type Problem } from '../api/reading.ts';
import type { Answer } from './answer.ts';
import { inOrder, pageOf } from './page.ts';
import { compareFolded, compareSortKeys, foldKey } from './sort-key.ts';
import { type Cell, type OutputSpec, type Paged, type SectionSpec, type SortKey, text } from './spec.ts';

/** What one cluster said: an answer, or why there is none. */
export interface ClusterAnswer {
  readonly cluster: string;
  readonly answer: Answer | ApiError;
}

/** Where a page begins, in merged keys, and how many rows it may have. */
export interface Place {
  readonly after?: SortKey | undefined;
  readonly limit?: number | undefined;
}

/** Rows of each cluster that are handed on when no limit is given: more than an answer has room for. */
const MOST_ROWS = 500;

type Row = Readonly<Record<string, Cell>>;
interface Own<T> {
  readonly cluster: string;
  readonly data: T;
}

/** Longest headline that still names every cluster's own; beyond it they become notes. */
const HEADLINE_CHARS = 280;

/** The declaration of the merged answer: tables and records become tables whose first column is the cluster. */
export function overClusters(output: OutputSpec): OutputSpec {
  return Object.fromEntries(
    Object.entries(output).map(([name, section]): [string, SectionSpec] => {
      if (section.form !== 'table' && section.form !== 'record') return [name, section];
      const columns = Object.fromEntries(Object.entries(section.columns).map(([key, column]) => [ownColumn(key), column]));
      const about = section.about === undefined ? {} : { about: section.about };
      return [name, { form: 'table', columns: { cluster: text(), ...columns }, ...about }];
    }),
  );
}

/** A tool's own column of that name is about something else. */
function ownColumn(key: string): string {
  return key === 'cluster' ? 'cluster_name' : key;
}

/**
 * Merges what the clusters said. Paged tables stay in the tool's own order (the newest task of all clusters first), equal
 * keys by cluster; everything else stands cluster by cluster. A cluster without an answer is a problem, and no more.
 *
 * @param parts in the order in which they are to be told
 * @param place what of the paged table will be shown
 */
export function mergeAnswers(output: OutputSpec, parts: readonly ClusterAnswer[], place: Place = {}): Answer {
  const answered = parts.flatMap(({ cluster, answer }) => (answer instanceof Error ? [] : [{ cluster, answer }]));
  const failed = parts.flatMap(({ cluster, answer }) => (answer instanceof Error ? [{ cluster, error: answer }] : []));
  const sections = Object.entries(output).flatMap(([name, spec]) => {
    const own = answered.flatMap(({ cluster, answer }): Own<unknown>[] => {
      const data: unknown = answer.sections[name];
      return data === undefined || data === null ? [] : [{ cluster, data }];
    });
    return own.length === 0 ? [] : [[name, mergeSection(spec, own, place)] as const];
  });
  const headlines = answered.map(({ cluster, answer }) => `${cluster}: ${answer.headline}`);
  const lead = `${answered.length === parts.length ? '' : `${answered.length} of `}${parts.length} clusters`;
  const whole = [lead, headlines.join(' | ')].join(failed.length === 0 ? ': ' : ' answered: ');
  const fits = whole.length <= HEADLINE_CHARS;
  return {
    headline: fits ? whole : `${lead}${failed.length === 0 ? '' : ' answered'}`,
    sections: Object.fromEntries(sections),
    gaps: mergeGaps(...answered.map(({ cluster, answer }) => gapsOf(cluster, answer.gaps)), failureGaps(failed)),
    notes: [
      ...(fits ? [] : headlines),
      ...answered.flatMap(({ cluster, answer }) => (answer.notes ?? []).map((note) => `${cluster}: ${note}`)),
    ],
    next: answered.flatMap(({ cluster, answer }) => (answer.next ?? []).map((call) => `${call} (cluster=${cluster})`)),
  };
}

function gapsOf(cluster: string, gaps: Gaps): Gaps {
  return {
    coverage: gaps.coverage,
    problems: gaps.problems.map((problem) => ({ ...problem, where: { ...problem.where, cluster } })),
    hidden: gaps.hidden.map((hidden) => ({ ...hidden, cluster })),
    // Each clause on its own, or one that two clusters have would be told of the first of them only.
    why: gaps.why?.replace(/^|; /g, (joint) => `${joint}cluster ${cluster}: `),
  };
}

function failureGaps(failed: readonly { readonly cluster: string; readonly error: ApiError }[]): Gaps {
  const problems = failed.map(
    ({ cluster, error }): Problem => ({
      where: { cluster },
      kind: error.kind,
      message: error.message,
      needs: error.needs,
    }),
  );
  return { problems, coverage: problems.length === 0 ? 'complete' : 'partial', hidden: [] };
}

function mergeSection(spec: SectionSpec, own: readonly Own<unknown>[], place: Place): readonly Row[] | Paged<Row> | Row | string {
  switch (spec.form) {
    case 'record':
      return own.flatMap(({ cluster, data }) => (isRow(data) ? [ownRow(cluster, data)] : []));
    case 'table': {
      const paged = own.flatMap(({ cluster, data }) => (isPaged(data) ? [{ cluster, data }] : []));
      if (paged.length === own.length) return mergePaged(paged, place);
      return own.flatMap(({ cluster, data }) => rowsOf(data).map((row) => ownRow(cluster, row)));
    }
    case 'entries':
      return Object.fromEntries(
        own.flatMap(({ cluster, data }) =>
          isRow(data) ? Object.entries(data).map(([key, value]): [string, Cell] => [`${cluster} ${key}`, value]) : [],
        ),
      );
    case 'prose':
      return own.map(({ cluster, data }) => `${cluster}:\n${String(data)}`).join('\n\n');
  }
}

/** Cells were checked where the answer was made; here only the form is told apart. */
function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isPaged(value: unknown): value is Paged<Row> {
  return typeof value === 'object' && value !== null && 'rows' in value && 'key' in value && typeof value.key === 'function';
}

function rowsOf(data: unknown): readonly Row[] {
  if (isPaged(data)) return inOrder(data.rows, (row) => data.key(row));
  return Array.isArray(data) ? data.filter(isRow) : [];
}

function ownRow(cluster: string, row: Row): Row {
  return { cluster, ...Object.fromEntries(Object.entries(row).map(([key, value]) => [ownColumn(key), value])) };
}

/** The last part of a merged key; marked, so that it is never taken for a part of the tool's own key. */
function clusterPart(cluster: string): string {
  return `@${cluster}`;
}

function mergePaged(own: readonly Own<Paged<Row>>[], place: Place): Paged<Row> {
  return own.some(({ data }) => data.unfinished !== undefined) ? mergeUnfinished(own) : mergePages(own, place);
}

/** As many of each as the page could show: to copy all rows of large clusters would cost far more than the rest. */
function mergePages(own: readonly Own<Paged<Row>>[], { after, limit = MOST_ROWS }: Place): Paged<Row> {
  const keys = new Map<Row, SortKey>();
  let total = 0;
  const beyond = { before: 0, behind: 0 };
  for (const { cluster, data } of own) {
    const page = pageOf<Row>({ ...data, key: (row) => [...data.key(row), clusterPart(cluster)] }, { after, limit });
    for (const { row, key } of page.rows) keys.set(ownRow(cluster, row), key);
    total += page.of;
    beyond.before += page.before;
    beyond.behind += page.available - page.rows.length;
  }
  return { rows: [...keys.keys()], key: (row) => keys.get(row) ?? [], total, beyond };
}

function mergeUnfinished(own: readonly Own<Paged<Row>>[]): Paged<Row> {
  const keys = new Map<Row, SortKey>();
  let total = 0;
  let first: { readonly after: SortKey; readonly why: string } | undefined;
  for (const { cluster, data } of own) {
    for (const row of data.rows) keys.set(ownRow(cluster, row), [...data.key(row), clusterPart(cluster)]);
    total += Math.max(data.total ?? 0, data.rows.length);
    const end = endOf(cluster, data);
    if (end !== undefined && (first === undefined || compareSortKeys(end.after, first.after) < 0)) first = end;
  }
  return {
    rows: [...keys.keys()],
    key: (row) => keys.get(row) ?? [],
    total,
    // Behind the point where the first of them stopped, rows of that one would be missing among those of the others.
    ...(first === undefined ? {} : { unfinished: first }),
  };
}

/** Where a cluster's reader stopped, in merged keys: behind the row of that key, or between rows when there is none. */
function endOf(cluster: string, { rows, key, unfinished }: Paged<Row>): { after: SortKey; why: string } | undefined {
  if (unfinished === undefined) return undefined;
  const end = foldKey(unfinished.after);
  const isRowOfIt = rows.some((row) => compareFolded(foldKey(key(row)), end) === 0);
  return { after: isRowOfIt ? [...end, clusterPart(cluster)] : end, why: `cluster ${cluster}: ${unfinished.why}` };
}

/**
 * What a cluster's reader is told of a merged position: a key of its own, up to which its rows have been shown. It may be
 * a little early, never late: the renderer leaves out what was shown before. Undefined: from the start.
 */
export function resumeAt(after: SortKey | undefined, cluster: string): SortKey | undefined {
  if (after === undefined) return undefined;
  const last = after.at(-1);
  // Rows with equal keys in one cluster carry a number behind it.
  const at = typeof last === 'number' ? after.length - 2 : after.length - 1;
  const part = after[at];
  if (typeof part !== 'string' || !part.startsWith('@')) return after;
  const own = after.slice(0, at);
  const order = byText(clusterPart(cluster), part);
  if (order === 0) return orNone([...own, ...after.slice(at + 1)]);
  // The row of an equal key in a later cluster is still to come.
  return orNone(order < 0 ? own : justBefore(own));
}

function orNone(key: SortKey): SortKey | undefined {
  return key.length === 0 ? undefined : key;
}

/**
 * A key before this one, and behind nearly every other that is before it. A much earlier one would do as well for what is
 * shown, but a reader that takes so many rows at a time would then read the same ones for ever.
 */
function justBefore(key: SortKey): SortKey {
  const rest = key.slice(0, -1);
  const last = key.at(-1);
  if (typeof last === 'number') {
    const before = last - Math.max(Number.MIN_VALUE, Math.abs(last) * Number.EPSILON);
    return Number.isFinite(before) ? [...rest, before] : rest;
  }
  // Long texts are folded in keys, which keeps the order of their beginnings only.
  const start = (last ?? '').slice(0, /^[\x20-\x7e]*$/.test(last ?? '') ? 40 : 14);
  const code = start.charCodeAt(start.length - 1);
  return start === '' || code === 0 ? rest : [...rest, `${start.slice(0, -1)}${String.fromCharCode(code - 1)}\uffff`];
}
