/**
 * How a tool declares the shape of its answer. One declaration drives the text form (units, columns), the structured
 * form (typed, unit-marked keys), the output schema, the `fields` parameter and the generated docs.
 */

/** What a cell holds, and in which unit a reader hands it over. */
export type Kind =
  | 'text'
  | 'int'
  | 'number'
  | 'bytes' // bytes
  | 'percent' // fraction 0..1
  | 'duration' // seconds
  | 'time' // seconds since the epoch
  | 'rate' // bytes per second
  | 'bool'
  | 'list'; // of texts

export interface Column<K extends Kind = Kind> {
  readonly kind: K;
  /** For the output schema, when the name does not say it all. */
  readonly about?: string;
}

interface ValueOfKind {
  text: string;
  int: number;
  number: number;
  bytes: number;
  percent: number;
  duration: number;
  time: number;
  rate: number;
  bool: boolean;
  list: readonly string[];
}

/** A cell; `undefined` and `null` mean "not told by the API", never zero or "no". */
export type Cell = string | number | boolean | readonly string[] | null | undefined;

export type Columns = Readonly<Record<string, Column>>;
export type RowOf<C extends Columns> = { readonly [K in keyof C]?: ValueOfKind[C[K]['kind']] | null | undefined };

const column =
  <K extends Kind>(kind: K) =>
  (about?: string): Column<K> =>
    about === undefined ? { kind } : { kind, about };

export const text = column('text');
export const int = column('int');
export const number = column('number');
export const bytes = column('bytes');
export const percent = column('percent');
export const duration = column('duration');
export const time = column('time');
export const rate = column('rate');
export const bool = column('bool');
export const list = column('list');

/** Rows under fixed columns. */
export interface TableSpec<C extends Columns = Columns> {
  readonly form: 'table';
  readonly columns: C;
  readonly about?: string;
}
/** One thing with fixed fields. */
export interface RecordSpec<C extends Columns = Columns> {
  readonly form: 'record';
  readonly columns: C;
  readonly about?: string;
}
/** One thing whose keys only the API knows (a guest's configuration). */
export interface EntriesSpec {
  readonly form: 'entries';
  readonly about?: string;
}
/** Long free text of others (a log, notes): shown in a fence with a random tag. */
export interface ProseSpec {
  readonly form: 'prose';
  readonly about?: string;
}
export type SectionSpec = TableSpec | RecordSpec | EntriesSpec | ProseSpec;
export type OutputSpec = Readonly<Record<string, SectionSpec>>;

export function table<const C extends Columns>(columns: C, about?: string): TableSpec<C> {
  return about === undefined ? { form: 'table', columns } : { form: 'table', columns, about };
}
export function record<const C extends Columns>(columns: C, about?: string): RecordSpec<C> {
  return about === undefined ? { form: 'record', columns } : { form: 'record', columns, about };
}
export function entries(about?: string): EntriesSpec {
  return about === undefined ? { form: 'entries' } : { form: 'entries', about };
}
export function prose(about?: string): ProseSpec {
  return about === undefined ? { form: 'prose' } : { form: 'prose', about };
}

/** Position of a row in a total order, ascending; negate a number to sort it downwards. Ends with something unique. */
export type SortKey = readonly (string | number)[];

/** Rows with their total order: what can be cut and continued by a cursor. One such table an answer. */
export interface Paged<R> {
  readonly rows: readonly R[];
  /** A method, so that a table of a narrower row type fits. */
  key(row: R): SortKey;
  /** Set when the reader stopped early (time budget): rows after this key were not looked at yet. */
  readonly unfinished?: { readonly after: SortKey; readonly why: string } | undefined;
  /**
   * The rows stand in their order already (see `inOrder`), so that a page of thousands costs what it shows. All keys have
   * the same number of parts.
   */
  readonly ordered?: boolean | undefined;
  /** Set when `rows` are only those around the page: how many others stand before and behind them. */
  readonly beyond?: { readonly before: number; readonly behind: number } | undefined;
  /** Known number of all matches where it is more than `rows` holds. */
  readonly total?: number | undefined;
}

export type SectionData<S extends SectionSpec> =
  S extends TableSpec<infer C>
    ? readonly RowOf<C>[] | Paged<RowOf<C>>
    : S extends RecordSpec<infer C>
      ? RowOf<C>
      : S extends EntriesSpec
        ? Readonly<Record<string, Cell>>
        : S extends ProseSpec
          ? string
          : never;

export type SectionsOf<O extends OutputSpec> = { readonly [K in keyof O]?: SectionData<O[K]> | undefined };
