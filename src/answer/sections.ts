/** An answer's sections, checked against their declaration and ready to be rendered in either form. */
import { ApiError } from '../api/errors.ts';
import type { Answer } from './answer.ts';
import { type Page, pageOf } from './page.ts';
import { compareNatural } from './sort-key.ts';
import type { Column, Columns, OutputSpec, Paged, SortKey } from './spec.ts';

export type Row = Readonly<Record<string, unknown>>;
export type NamedColumn = readonly [key: string, column: Column];

export interface TableSection {
  readonly form: 'table';
  readonly name: string;
  /** Those to show, in order. */
  readonly columns: readonly NamedColumn[];
  /** Columns without a value are shown too: they were asked for by name. */
  readonly asked: boolean;
  readonly rows: readonly Row[];
  /** For the one table that a cursor continues; `rows` are then the page's. */
  readonly page?: Page<Row>;
}
export interface RecordSection {
  readonly form: 'record';
  readonly name: string;
  readonly columns: readonly NamedColumn[];
  readonly row: Row;
}
export interface EntriesSection {
  readonly form: 'entries';
  readonly name: string;
  /** Sorted by key. */
  readonly entries: readonly (readonly [string, unknown])[];
}
export interface ProseSection {
  readonly form: 'prose';
  readonly name: string;
  readonly text: string;
}
export type Section = TableSection | RecordSection | EntriesSection | ProseSection;

export interface SectionOptions {
  readonly fields?: readonly string[] | undefined;
  readonly limit?: number | undefined;
  readonly after?: SortKey | undefined;
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isPaged(value: unknown): value is Paged<Row> {
  return isRow(value) && Array.isArray(value.rows) && typeof value.key === 'function';
}

/** Only the columns that were asked for, in that order. */
function pickColumns(columns: Columns, fields: readonly string[]): NamedColumn[] {
  return [...new Set(fields)].map((field) => {
    // Own keys only: `constructor` is no column.
    const column = Object.hasOwn(columns, field) ? columns[field] : undefined;
    if (column !== undefined) return [field, column];
    throw new ApiError('bad-argument', `fields: unknown field ${JSON.stringify(field.slice(0, 60))}`, {
      hint: `Allowed: ${Object.keys(columns).join(', ')}.`,
    });
  });
}

function tableSection(name: string, columns: Columns, data: unknown, options: SectionOptions): TableSection {
  const all = Object.entries(columns);
  if (isPaged(data)) {
    const page = pageOf(data, options);
    const picked = options.fields === undefined || options.fields.length === 0 ? undefined : pickColumns(columns, options.fields);
    return {
      form: 'table',
      name,
      columns: picked ?? all,
      asked: picked !== undefined,
      rows: page.rows.map(({ row }) => row),
      page,
    };
  }
  return { form: 'table', name, columns: all, asked: false, rows: Array.isArray(data) ? data.filter(isRow) : [] };
}

/**
 * The sections that an answer has, in the order of their declaration.
 *
 * @throws ApiError `bad-argument` for a field that the paged table does not have, or fields without such a table
 */
export function resolveSections<O extends OutputSpec>(output: O, answer: Answer<O>, options: SectionOptions): Section[] {
  // The declaration checked the types where the answer was made; from here on the form alone tells what is what.
  const given: ReadonlyMap<string, unknown> = new Map<string, unknown>(Object.entries(answer.sections));
  const sections: Section[] = [];
  let paged = false;
  for (const [name, spec] of Object.entries(output)) {
    const data = given.get(name);
    if (data === undefined || data === null) continue;
    if (spec.form === 'table') {
      // One cursor continues one table; a second one is shown as a plain table, in its order.
      const plain = paged && isPaged(data) ? pageOf(data, {}).rows.map(({ row }) => row) : data;
      const section = tableSection(name, spec.columns, plain, options);
      paged ||= section.page !== undefined;
      sections.push(section);
    } else if (spec.form === 'record') {
      if (isRow(data)) sections.push({ form: 'record', name, columns: Object.entries(spec.columns), row: data });
    } else if (spec.form === 'entries') {
      const entries = isRow(data) ? Object.entries(data).sort(([a], [b]) => compareNatural(a, b)) : [];
      sections.push({ form: 'entries', name, entries });
    } else {
      sections.push({ form: 'prose', name, text: String(data) });
    }
  }
  if (!paged && options.fields !== undefined && options.fields.length > 0) {
    throw new ApiError('bad-argument', 'fields: this answer has no list to choose fields of', { hint: 'Leave out fields.' });
  }
  return sections;
}

/** The page of the one table that a cursor continues. */
export function pagedTable(sections: readonly Section[]): { readonly name: string; readonly page: Page<Row> } | undefined {
  for (const section of sections) {
    if (section.form === 'table' && section.page !== undefined) return { name: section.name, page: section.page };
  }
  return undefined;
}
