/** The structured form: typed data under unit-marked keys, and the same as JSON text. */
import type { Where } from '../api/reading.ts';
import { cleanText, oneLine } from '../redact/plain-text.ts';
import type { Answer } from './answer.ts';
import { shareOut } from './budget.ts';
import { portion, shorten } from './cut.ts';
import { coverageWhy, groupHidden, groupProblems, type HiddenGroup, type ProblemGroup } from './gap-groups.ts';
import { describeProgress, type Progress, progressOf } from './page.ts';
import type { Rendered, RenderOptions } from './render.ts';
import { type NamedColumn, pagedTable, type Row, type Section } from './sections.ts';
import type { Kind } from './spec.ts';
import { columnKey, sectionKey } from './structured-shape.ts';
import { isAbsent, isoTime, textItems } from './units.ts';
import { cutWords, unfinishedWords, unreachedWords } from './words.ts';

/** Longest texts of a row, from generous to tight. */
const TEXT_CAPS = [1000, 300, 100, 40, 16, 6] as const;
/** Most places or paths of one problem or hidden thing. */
const MAX_PLACES = 10;
/** Two or three are enough, unless the budget is too small for the least that must be said. */
const MAX_ATTEMPTS = 12;

type Value = string | number | boolean | readonly string[];

/** A number as long as it needs to be: measurements are not exact to the fifteenth digit. */
function tidy(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(6));
}

function numeric(kind: Kind, value: number): number | string | undefined {
  switch (kind) {
    case 'percent':
      // What is above nothing never reads as nothing.
      return Number((value * 100).toFixed(1)) || Number((value * 100).toPrecision(1));
    case 'time':
      return isoTime(value);
    case 'bytes':
    case 'rate':
      return Math.round(value);
    case 'duration':
      return Number(value.toFixed(1));
    default:
      return tidy(value);
  }
}

/** Items of a list as far as they are worth showing within the cap, and how many more there are. */
function listValue(items: readonly string[], cap: number): string[] {
  const most = Math.max(3, Math.floor(cap / 10));
  const shown = items.slice(0, most).map((item) => oneLine(item, cap));
  return items.length > most ? [...shown, `+${items.length - most} more`] : shown;
}

/** A cell by the kind of its column; what is not of that kind is left out, so that the data always fits its schema. */
function typedValue(kind: Kind, value: unknown, cap: number): Value | undefined {
  if (isAbsent(value)) return undefined;
  if (kind === 'list') return Array.isArray(value) ? listValue(textItems(value), cap) : undefined;
  if (kind === 'text') return Array.isArray(value) ? undefined : oneLine(String(value), cap);
  if (kind === 'bool') return typeof value === 'boolean' ? value : undefined;
  return typeof value === 'number' ? numeric(kind, value) : undefined;
}

/** A value of which only the API knows the kind. */
function looseValue(value: unknown, cap: number): Value | undefined {
  if (isAbsent(value)) return undefined;
  if (typeof value === 'number') return tidy(value);
  if (typeof value === 'boolean') return value;
  return Array.isArray(value) ? listValue(textItems(value), cap) : shorten(cleanText(String(value), { multiline: true }), cap);
}

type Pair = readonly [string, Value];

function rowPairs(columns: readonly NamedColumn[], row: Row, cap: number): Pair[] {
  return columns.flatMap(([name, { kind }]) => {
    const value = typedValue(kind, row[name], cap);
    return value === undefined ? [] : [[columnKey(name, kind), value] as const];
  });
}

/** A row as generous as its length allows. */
function rowObject(columns: readonly NamedColumn[], row: Row, rowMax: number): Record<string, Value> {
  let object: Record<string, Value> = {};
  for (const cap of TEXT_CAPS) {
    object = Object.fromEntries(rowPairs(columns, row, cap));
    if (jsonSize(object) <= rowMax) break;
  }
  return object;
}

function jsonSize(value: unknown): number {
  return JSON.stringify(value).length;
}

/** A key of the answer whose value can be cut at the ends of its units. */
interface Block {
  readonly key: string;
  readonly weight: number;
  readonly min: number;
  readonly full: number;
  /** Units in all: rows, keys or lines. */
  readonly units: number;
  readonly show: (room: number) => { readonly value: unknown; readonly count: number };
}

/** @param sizes JSON characters of each unit, separators included; as many as could ever fit */
function block(
  key: string,
  weight: number,
  sizes: readonly number[],
  make: (count: number) => unknown,
  { units = sizes.length, least = 0 }: { readonly units?: number; readonly least?: number } = {},
): Block {
  // `"key":[],` and, for what is cut, its entry in `shown`.
  const base = key.length + 6;
  const mark = key.length + 30;
  const full = base + sizes.reduce((sum, size) => sum + size, 0);
  const first = Math.min(least, sizes.length);
  const min = Math.min(full, base + mark + sizes.slice(0, first).reduce((sum, size) => sum + size, 0));
  const show = (room: number) => {
    let count = sizes.length;
    if (units > count || full > room) {
      let size = base + mark;
      count = 0;
      for (const each of sizes) {
        size += each;
        if (size > room) break;
        count += 1;
      }
      count = Math.max(count, first);
    }
    return { value: make(count), count };
  };
  return { key, weight, min, full, units, show };
}

function listBlock<T>(
  key: string,
  weight: number,
  items: readonly T[],
  total: number,
  build: (item: T) => unknown,
  least = 0,
): Block {
  const values: unknown[] = [];
  const sizes: number[] = [];
  let size = 0;
  for (const item of items) {
    const value = build(item);
    values.push(value);
    sizes.push(jsonSize(value) + 1);
    size += jsonSize(value) + 1;
    if (size > total) break;
  }
  return block(key, weight, sizes, (count) => values.slice(0, count), { units: items.length, least });
}

function pairBlock(key: string, pairs: readonly Pair[]): Block {
  const sizes = pairs.map(([name, value]) => jsonSize(name) + jsonSize(value) + 2);
  return block(key, 3, sizes, (count) => Object.fromEntries(pairs.slice(0, count)));
}

function sectionBlock(section: Section, total: number, rowMax: number): Block {
  const key = sectionKey(section.name);
  switch (section.form) {
    case 'table': {
      const build = (row: Row) => rowObject(section.columns, row, rowMax);
      return section.page === undefined
        ? listBlock(key, 3, section.rows, total, build)
        : listBlock(key, 4, section.rows, total, build, 1);
    }
    case 'record':
      return pairBlock(key, rowPairs(section.columns, section.row, Math.min(rowMax, 1000)));
    case 'entries': {
      const pairs = section.entries.flatMap(([name, value]) => {
        const loose = looseValue(value, Math.min(rowMax, 1000));
        return loose === undefined ? [] : [[oneLine(name, 100), loose] as const];
      });
      return pairBlock(key, pairs);
    }
    case 'prose': {
      const lines = cleanText(section.text, { multiline: true })
        .trimEnd()
        .split('\n')
        .map((line) => shorten(line, rowMax));
      // A line's end is `\n` in JSON: as long as the quotes that are counted here.
      return block(key, 3, lines.map(jsonSize), (count) => lines.slice(0, count).join('\n'));
    }
  }
}

function cleanPlace(where: Where): Where {
  const name = (text: string) => oneLine(text, 80);
  return {
    ...(where.cluster === undefined ? {} : { cluster: name(where.cluster) }),
    ...(where.node === undefined ? {} : { node: name(where.node) }),
    ...(where.storage === undefined ? {} : { storage: name(where.storage) }),
    ...(where.vmid === undefined ? {} : { vmid: where.vmid }),
  };
}

function problemObject(group: ProblemGroup, max: number): Record<string, unknown> {
  const more = group.places.length - MAX_PLACES;
  return {
    kind: group.kind,
    message: oneLine(group.message, max),
    ...(group.needs === undefined ? {} : { needs: oneLine(group.needs, max) }),
    where: group.places.slice(0, MAX_PLACES).map(cleanPlace),
    ...(more > 0 ? { more_places: more } : {}),
  };
}

function hiddenObject(group: HiddenGroup, max: number): Record<string, unknown> {
  const more = group.paths.length - MAX_PLACES;
  return {
    what: oneLine(group.what, max),
    privilege: oneLine(group.privilege, 80),
    ...(group.cluster === undefined ? {} : { cluster: oneLine(group.cluster, 80) }),
    paths: group.paths.slice(0, MAX_PLACES).map((path) => oneLine(path, 80)),
    ...(more > 0 ? { more_paths: more } : {}),
  };
}

type Remarks = Pick<Answer, 'headline' | 'gaps' | 'notes' | 'next'>;
type Frame = Record<string, unknown>;

/** How much of something is shown; only told where it is not all. */
function shownEntry(progress: Progress): Frame {
  return {
    rows: progress.shown,
    of: progress.of,
    ...(progress.from === undefined ? {} : { from: progress.from }),
    ...(progress.soFar ? { so_far: true } : {}),
  };
}

/**
 * Renders the structured form; its JSON text has at most `options.maxChars` characters (300 at least: JSON cannot be cut
 * anywhere).
 */
export function renderStructured(sections: readonly Section[], answer: Remarks, options: RenderOptions): Rendered {
  const { maxChars } = options;
  const rowMax = portion(maxChars, 0.2, 60, 4000);
  const remarkMax = portion(maxChars, 0.12, 60, 400);
  const headline = oneLine(answer.headline, portion(maxChars, 0.15, 60, 300));
  const paged = pagedTable(sections);
  const why = coverageWhy(answer.gaps);

  const bodies = sections.map((section) => sectionBlock(section, maxChars, rowMax));
  const problems = listBlock('problems', 2, groupProblems(answer.gaps.problems), maxChars, (group) =>
    problemObject(group, remarkMax),
  );
  const hidden = listBlock('hidden', 2, groupHidden(answer.gaps.hidden), maxChars, (group) => hiddenObject(group, remarkMax));
  const notes = listBlock('notes', 1, answer.notes ?? [], maxChars, (note) => oneLine(note, remarkMax));
  const next = listBlock('next', 1, answer.next ?? [], maxChars, (call) => oneLine(call, remarkMax));
  const blocks = [...bodies, problems, hidden, notes, next];

  const compose = (room: number): { structured: Frame; used: number } => {
    const grants = shareOut(room, blocks);
    const values = new Map<string, unknown>();
    const shown: Frame = {};
    let progress: Progress | undefined;
    let cut = false;
    let used = 0;
    for (const [index, each] of blocks.entries()) {
      const { value, count } = each.show(grants[index] ?? each.min);
      values.set(each.key, value);
      used += each.key.length + 4 + jsonSize(value);
      if (paged !== undefined && each.key === sectionKey(paged.name)) {
        progress = progressOf(paged.page, count);
        if (describeProgress(progress) !== undefined) shown[each.key] = shownEntry(progress);
      } else if (count < each.units) {
        shown[each.key] = { rows: count, of: each.units };
        cut = true;
      }
    }
    const words = progress === undefined ? undefined : describeProgress(progress);
    const unreached = progress === undefined || paged === undefined ? undefined : unreachedWords(paged.page, progress);
    const given = values.get('notes');
    const remarks: unknown[] = [
      ...(paged?.page.unfinished === undefined ? [] : [unfinishedWords(paged.page.unfinished.why, remarkMax)]),
      ...(Array.isArray(given) ? given : []),
      ...(unreached === undefined ? [] : [unreached]),
      ...(cut ? [cutWords(maxChars)] : []),
    ];
    const steps = values.get('next');
    const structured = {
      summary: words === undefined ? headline : `${headline} (${words})`,
      ...(Object.keys(shown).length === 0 ? {} : { shown }),
      ...Object.fromEntries(bodies.map(({ key }) => [key, values.get(key)])),
      coverage: answer.gaps.coverage,
      ...(why === undefined ? {} : { coverage_why: oneLine(why, remarkMax) }),
      problems: values.get('problems'),
      hidden: values.get('hidden'),
      redacted: options.redacted,
      ...(remarks.length === 0 ? {} : { notes: remarks }),
      ...(Array.isArray(steps) && steps.length > 0 ? { next: steps } : {}),
      ...(progress?.after === undefined ? {} : { cursor: options.cursorFor(progress.after) }),
    };
    return { structured, used };
  };

  let room = maxChars;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const { structured, used } = compose(room);
    const text = JSON.stringify(structured);
    if (text.length <= maxChars) return { text, structured };
    room = Math.min(room, used) - (text.length - maxChars);
  }
  return tooSmall(headline, answer, options);
}

/** What can be said when the budget is too small for anything but that. No cursor: nothing was shown. */
function tooSmall(headline: string, { gaps }: Remarks, { maxChars, redacted }: RenderOptions): Rendered {
  const structured = {
    summary: shorten(headline, 60),
    shown: { problems: { rows: 0, of: gaps.problems.length }, hidden: { rows: 0, of: gaps.hidden.length } },
    coverage: gaps.coverage,
    problems: [],
    hidden: [],
    redacted,
    notes: [`nothing else fits in ${maxChars} characters: ask for less`],
  };
  return { text: JSON.stringify(structured), structured };
}
