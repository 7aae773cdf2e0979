/** The text form: a headline, sections, and the lines about what is missing. */
import { cleanText, fenceText, oneLine } from '../redact/plain-text.ts';
import type { Answer } from './answer.ts';
import { shareOut } from './budget.ts';
import { firstFitting, portion, shorten } from './cut.ts';
import { countKinds, coverageWhy, groupHidden, groupProblems, hiddenText, manyClusters, problemText } from './gap-groups.ts';
import { describeProgress, type Page, type Progress, progressOf } from './page.ts';
import type { RenderOptions } from './render.ts';
import {
  type EntriesSection,
  type ProseSection,
  pagedTable,
  type RecordSection,
  type Row,
  type Section,
  type TableSection,
} from './sections.ts';
import { formatCell, isAbsent } from './units.ts';
import { cutWords, redactedWords, unfinishedWords, unreachedWords } from './words.ts';

/** Longest cells of a table, from generous to tight. */
const CELL_CAPS = [200, 100, 50, 25, 12, 6] as const;

/** Two or three are enough, unless the budget is too small for the least that must be said. */
const MAX_ATTEMPTS = 12;

/** How long single pieces may be, given the whole budget. */
interface Limits {
  readonly now: number;
  readonly total: number;
  readonly headline: number;
  /** A row of a table, a value of a record, a line of prose. */
  readonly row: number;
  /** A line about what is missing, a note. */
  readonly remark: number;
}

function limitsOf(options: RenderOptions): Limits {
  const { maxChars, now } = options;
  return {
    now,
    total: maxChars,
    headline: portion(maxChars, 0.15, 60, 300),
    row: portion(maxChars, 0.2, 60, 2000),
    remark: portion(maxChars, 0.12, 60, 400),
  };
}

interface Shown {
  readonly lines: readonly string[];
  /** How many units (rows, lines) of the block. */
  readonly count: number;
}

/** A part of the text that can be cut at the ends of its lines. */
interface Block {
  readonly weight: number;
  /** Characters with as little as possible, and with all. */
  readonly min: number;
  readonly full: number;
  readonly units: number;
  readonly show: (room: number) => Shown;
}

interface ListParts {
  readonly weight: number;
  readonly head?: readonly string[];
  /** As many as could ever fit. */
  readonly lines: readonly string[];
  /** How many lines there would be in all. */
  readonly units?: number;
  /** Lines that are shown whatever the room is. */
  readonly least?: number;
  /** What to say after `shown` lines, when there are more. */
  readonly more?: (shown: number) => string | undefined;
  /** Puts the lines into their final form; the number of characters that this adds is `wrapping`. */
  readonly wrap?: (lines: readonly string[]) => readonly string[];
  readonly wrapping?: number;
}

/** Characters of lines with their line ends. */
function sizeOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

function block(parts: ListParts): Block {
  const {
    weight,
    head = [],
    lines,
    units = lines.length,
    least = 0,
    more = () => undefined,
    wrap = (all) => all,
    wrapping = 0,
  } = parts;
  const moreLines = (shown: number): string[] => {
    const line = shown < units ? more(shown) : undefined;
    return line === undefined ? [] : [line];
  };
  const base = sizeOf(head) + wrapping;
  const full = base + sizeOf(lines);
  const first = Math.min(least, lines.length);
  const min = Math.min(base + sizeOf(lines.slice(0, first)) + sizeOf(moreLines(first)), full);
  const show = (room: number): Shown => {
    let count = lines.length;
    if (units > lines.length || full > room) {
      count = 0;
      let size = base;
      // The line about the rest is longest when nothing is shown.
      const rest = sizeOf(moreLines(0));
      for (const line of lines) {
        size += line.length + 1;
        if (size + rest > room) break;
        count += 1;
      }
      count = Math.max(count, first);
    }
    return { lines: [...head, ...wrap(lines.slice(0, count)), ...moreLines(count)], count };
  };
  return { weight, min, full, units, show };
}

/** Builds lines until no more could fit anyway: an answer of ten thousand rows costs what it shows. */
function linesUpTo<T>(items: readonly T[], total: number, build: (item: T) => string): string[] {
  const lines: string[] = [];
  let size = 0;
  for (const item of items) {
    const line = build(item);
    lines.push(line);
    size += line.length + 1;
    if (size > total) break;
  }
  return lines;
}

const cutLine = (units: number) => (shown: number) => `... ${shown} of ${units} shown`;

/** Nothing in a known-empty list, nor in an empty text: a column of those alone is not worth its place. */
function isBlank(value: unknown): boolean {
  return isAbsent(value) || value === '' || (Array.isArray(value) && value.length === 0);
}

function tableBlock(section: TableSection, title: readonly string[], limits: Limits): Block {
  const { rows, page } = section;
  const columns = section.asked ? section.columns : section.columns.filter(([key]) => rows.some((row) => !isBlank(row[key])));
  const rowLine = (row: Row) =>
    firstFitting(CELL_CAPS, limits.row, (max) =>
      columns.map(([key, { kind }]) => formatCell(kind, row[key], { now: limits.now, max }) ?? '').join('\t'),
    );
  const header = rows.length === 0 ? [] : [columns.map(([key]) => key).join('\t')];
  const lines = linesUpTo(rows, limits.total, rowLine);
  const parts = { head: [...title, ...header], lines, units: rows.length };
  // The headline tells how much of a page is shown, and each page moves on by one row at least.
  return block(page === undefined ? { ...parts, weight: 3, more: cutLine(rows.length) } : { ...parts, weight: 4, least: 1 });
}

function pairBlock(pairs: readonly (readonly [string, string | undefined])[], title: readonly string[]): Block {
  const lines = pairs.flatMap(([key, value]) => (value === undefined ? [] : [`${key}: ${value}`.trimEnd()]));
  return block({ weight: 3, head: title, lines: lines.length === 0 ? ['(empty)'] : lines, more: cutLine(lines.length) });
}

function recordBlock(section: RecordSection, title: readonly string[], limits: Limits): Block {
  const options = { now: limits.now, max: Math.min(limits.row, 1000) };
  return pairBlock(
    section.columns.map(([key, { kind }]) => [key, formatCell(kind, section.row[key], options)] as const),
    title,
  );
}

function entriesBlock(section: EntriesSection, title: readonly string[], limits: Limits): Block {
  const options = { now: limits.now, max: Math.min(limits.row, 1000) };
  return pairBlock(
    section.entries.map(([key, value]) => [oneLine(key, 100), formatCell(undefined, value, options)] as const),
    title,
  );
}

function proseBlock(section: ProseSection, title: readonly string[], limits: Limits): Block {
  const cleaned = cleanText(section.text, { multiline: true }).trimEnd();
  if (cleaned.trim() === '') return block({ weight: 3, head: title, lines: ['(empty)'] });
  const all = cleaned.split('\n');
  const lines = linesUpTo(all, limits.total, (line) => shorten(line, limits.row));
  return block({
    weight: 3,
    head: title,
    lines,
    units: all.length,
    more: (shown) => `... ${shown} of ${all.length} lines shown`,
    wrap: (shown) => (shown.length === 0 ? [] : [fenceText(shown.join('\n'))]),
    wrapping: fenceText('x').length + 1,
  });
}

/** `## guests (12)`; a zero that may not be the truth says that nothing was seen. */
function titleOf(section: Section, partly: boolean): string {
  if (section.form === 'record' || section.form === 'prose') return `## ${section.name}`;
  const count = section.form === 'entries' ? section.entries.length : (section.page?.of ?? section.rows.length);
  return `## ${section.name} (${count === 0 && partly ? '0 seen' : count})`;
}

function sectionBlock(section: Section, title: readonly string[], limits: Limits): Block {
  switch (section.form) {
    case 'table':
      return tableBlock(section, title, limits);
    case 'record':
      return recordBlock(section, title, limits);
    case 'entries':
      return entriesBlock(section, title, limits);
    case 'prose':
      return proseBlock(section, title, limits);
  }
}

type Remarks = Pick<Answer, 'headline' | 'gaps' | 'notes' | 'next'>;

function problemsBlock({ gaps }: Remarks, limits: Limits): Block {
  const groups = groupProblems(gaps.problems);
  const many = manyClusters(gaps.problems);
  const lines = groups.map((group) => {
    const words = problemText(group, limits.remark, many);
    return words.startsWith('(') ? `Problem ${words}` : `Problem: ${words}`;
  });
  const more = (shown: number) => {
    const rest = groups.slice(shown);
    const count = rest.reduce((sum, group) => sum + group.places.length, 0);
    return shorten(`Problem: ${count} more, not shown (${countKinds(rest)})`, Math.min(limits.remark, 160));
  };
  return block({ weight: 2, lines, more });
}

function hiddenBlock({ gaps }: Remarks, limits: Limits): Block {
  const groups = groupHidden(gaps.hidden);
  const lines = groups.map((group) => `Hidden: ${hiddenText(group, limits.remark)}`);
  return block({ weight: 2, lines, more: (shown) => `Hidden: ${groups.length - shown} more kinds of things, not shown` });
}

function remarkBlock(label: string, remarks: readonly string[], limits: Limits): Block {
  const lines = remarks.map((remark) => `${label}: ${oneLine(remark, limits.remark)}`);
  return block({ weight: 1, lines, more: (shown) => `${label}: ${lines.length - shown} more, not shown` });
}

function headlineText(headline: string, limits: Limits, progress: string | undefined, name: string | undefined): string {
  const words = oneLine(headline, limits.headline);
  if (progress === undefined) return words;
  return `${words} (${name === undefined ? '' : `${name}: `}${progress})`;
}

function cursorLine(
  progress: Progress | undefined,
  page: Page<Row> | undefined,
  cursorFor: RenderOptions['cursorFor'],
): string[] {
  if (progress?.after === undefined || page === undefined) return [];
  const left = page.available - progress.shown;
  const rest = left > 0 ? `${left}${progress.soFar ? '+' : ''} more` : 'the rest';
  return [`Next: ${rest} with cursor="${cursorFor(progress.after)}"`];
}

/** Keeps the end (the cursor) and cuts what is before it: only for budgets too small for an honest answer. */
function clamp(body: readonly string[], end: readonly string[], maxChars: number): string {
  const last = end.join('\n');
  const text = body.join('\n');
  const room = maxChars - last.length - 1;
  return room < 40 ? shorten(text, maxChars) : `${shorten(text, room)}\n${last}`;
}

/**
 * Renders the text form, within `options.maxChars` characters.
 *
 * @param answer the headline, gaps, notes and next steps; the data comes in `sections`
 */
export function renderText(sections: readonly Section[], answer: Remarks, options: RenderOptions): string {
  const limits = limitsOf(options);
  const { maxChars } = options;
  const several = sections.length > 1;
  const partly = answer.gaps.coverage !== 'complete';
  const paged = pagedTable(sections);
  const unfinished = paged?.page.unfinished;
  const why = coverageWhy(answer.gaps);

  const bodies = sections.map((section) => sectionBlock(section, several ? [titleOf(section, partly)] : [], limits));
  const pagedBody = bodies[sections.findIndex((section) => section.name === paged?.name)];
  const problems = problemsBlock(answer, limits);
  const hidden = hiddenBlock(answer, limits);
  const notes = remarkBlock('Note', answer.notes ?? [], limits);
  const next = remarkBlock('Next', answer.next ?? [], limits);
  const blocks = [...bodies, problems, hidden, notes, next];

  const unfinishedLine = unfinished === undefined ? [] : [`Note: ${unfinishedWords(unfinished.why, limits.remark)}`];
  const coverageLine = why === undefined ? [] : [`Coverage: ${answer.gaps.coverage} - ${oneLine(why, limits.remark)}`];
  const redactedLine = options.redacted > 0 ? [`Redacted: ${redactedWords(options.redacted)}`] : [];

  const compose = (room: number): { body: string[]; end: string[]; used: number } => {
    const grants = shareOut(room, blocks);
    const shown = new Map(blocks.map((each, index) => [each, each.show(grants[index] ?? each.min)]));
    const linesOf = (each: Block) => shown.get(each)?.lines ?? [];
    let progress: Progress | undefined;
    let cut = false;
    for (const each of bodies) {
      const count = shown.get(each)?.count ?? 0;
      if (each === pagedBody && paged !== undefined) progress = progressOf(paged.page, count);
      else if (count < each.units) cut = true;
    }
    const unreached = progress === undefined || paged === undefined ? undefined : unreachedWords(paged.page, progress);
    const body = [
      headlineText(answer.headline, limits, progress && describeProgress(progress), several ? paged?.name : undefined),
      ...bodies.flatMap(linesOf),
      ...unfinishedLine,
      ...linesOf(problems),
      ...linesOf(hidden),
      ...coverageLine,
      ...linesOf(notes),
      ...(unreached === undefined ? [] : [`Note: ${unreached}`]),
      ...(cut ? [`Note: ${cutWords(maxChars)}`] : []),
      ...redactedLine,
      ...linesOf(next),
    ];
    const used = [...shown.values()].reduce((sum, { lines }) => sum + sizeOf(lines), 0);
    return { body, end: cursorLine(progress, paged?.page, options.cursorFor), used };
  };

  // What is around the blocks depends on how much of them is shown (the cursor above all): measure, then take it off.
  let room = maxChars;
  let draft = compose(room);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const over = sizeOf([...draft.body, ...draft.end]) - 1 - maxChars;
    if (over <= 0) return [...draft.body, ...draft.end].join('\n');
    room = Math.min(room, draft.used) - over;
    draft = compose(room);
  }
  return clamp(draft.body, draft.end, maxChars);
}
