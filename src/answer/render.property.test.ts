import { describe, expect, it } from 'vitest';
import type { ErrorKind } from '../api/errors.ts';
import type { Gaps } from '../api/reading.ts';
import type { Answer } from './answer.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { outputSchema } from './output-schema.ts';
import { type RenderOptions, renderAnswer } from './render.ts';
import type { Cell, Column, Columns, Kind, OutputSpec, Paged, SortKey } from './spec.ts';
import { columnKey, sectionKey } from './structured-shape.ts';

type Random = () => number;

/** mulberry32: the same answers on every run; a failure names its seed. */
function randomFrom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const KINDS: readonly Kind[] = ['text', 'int', 'number', 'bytes', 'percent', 'duration', 'time', 'rate', 'bool', 'list'];
const ERRORS: readonly ErrorKind[] = ['timeout', 'forbidden', 'node-unreachable', 'upstream'];
const BITS = [
  'a',
  'Zz',
  ' ',
  '\n',
  '\t',
  '"',
  '\\',
  '\u0000',
  '\u001b[31m',
  'é',
  '😀',
  '\ud83d',
  '\u202e',
  'Problem: ',
  '## ',
  '[redacted]',
  '0',
];

const below = (random: Random, n: number) => Math.floor(random() * n);
function pick<T>(random: Random, from: readonly T[]): T {
  for (const [index, item] of from.entries()) if (random() < 1 / (from.length - index)) return item;
  throw new Error('nothing to pick from');
}
/** Mostly short, sometimes huge. */
const length = (random: Random, most: number) => (random() < 0.1 ? below(random, most) : below(random, Math.min(most, 12)));
const words = (random: Random, most: number) => Array.from({ length: length(random, most) }, () => pick(random, BITS)).join('');
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));

function cell(random: Random, kind: Kind): Cell {
  if (random() < 0.2) return random() < 0.5 ? undefined : null;
  if (kind === 'text') return words(random, 3000);
  if (kind === 'bool') return random() < 0.5;
  if (kind === 'list') return times(length(random, 300), () => words(random, 100));
  return pick(random, [0, 1, -1, random(), random() * 1e6, 1.8e9, 2 ** 64, 1e300, 1e-9, Number.NaN, Number.POSITIVE_INFINITY]);
}

function columns(random: Random): Columns {
  return Object.fromEntries(times(1 + below(random, 14), (i): [string, Column] => [`col${i}`, { kind: pick(random, KINDS) }]));
}

const row = (random: Random, of: Columns) =>
  Object.fromEntries(Object.entries(of).map(([key, { kind }]) => [key, cell(random, kind)]));

function gaps(random: Random): Gaps {
  const place = () => ({
    node: `pve${below(random, 500)}`,
    ...(random() < 0.3 ? { vmid: below(random, 900) } : {}),
    ...(random() < 0.2 ? { storage: words(random, 50) } : {}),
  });
  return {
    coverage: pick(random, ['complete', 'partial', 'unknown'] as const),
    why: random() < 0.3 ? words(random, 2000) : undefined,
    problems: times(random() < 0.5 ? 0 : length(random, 600), () => ({
      where: random() < 0.1 ? {} : place(),
      kind: pick(random, ERRORS),
      message: random() < 0.5 ? 'no answer' : words(random, 1000),
      needs: random() < 0.2 ? words(random, 300) : undefined,
    })),
    hidden: times(random() < 0.5 ? 0 : length(random, 600), (i) => ({
      what: words(random, 400),
      privilege: 'Sys.Audit',
      path: `/nodes/${i}`,
    })),
  };
}

interface Case {
  readonly output: OutputSpec;
  readonly answer: Answer;
}

/** An answer of any shape: up to seven sections of all forms, one of them perhaps paged. */
function anyCase(random: Random): Case {
  const output: Record<string, OutputSpec[string]> = {};
  const sections: Record<string, NonNullable<Answer['sections'][string]>> = {};
  const count = below(random, 8);
  for (let i = 0; i < count; i += 1) {
    const name = i === 3 ? 'notes' : `section${i}`;
    const form = pick(random, ['table', 'record', 'entries', 'prose'] as const);
    if (form === 'table') {
      const of = columns(random);
      const rows = times(length(random, 400), () => row(random, of));
      output[name] = { form, columns: of };
      sections[name] = random() < 0.5 ? rows : { rows, key: (r) => [String(r.col0 ?? '')] };
    } else if (form === 'record') {
      const of = columns(random);
      output[name] = { form, columns: of };
      sections[name] = row(random, of);
    } else if (form === 'entries') {
      output[name] = { form };
      sections[name] = Object.fromEntries(
        times(length(random, 300), (k) => [`${words(random, 200)}${k}`, cell(random, pick(random, KINDS))]),
      );
    } else {
      output[name] = { form };
      sections[name] = times(length(random, 600), () => words(random, 600)).join('\n');
    }
  }
  const answer: Answer = {
    headline: words(random, 20_000),
    sections,
    gaps: gaps(random),
    notes: times(length(random, 80), () => words(random, 800)),
    next: times(length(random, 80), () => words(random, 800)),
  };
  return { output, answer };
}

const scope = { tool: 'list_things', args: {}, identity: 'someone' };
const cursorFor = (after: SortKey) => encodeCursor({ ...scope, after, asked: 1_800_000_000 });
const base = { now: 1.8e12, redacted: 0, cursorFor };

describe('any answer', () => {
  it('stays within its size, in both forms, and fits its schema', () => {
    for (let seed = 1; seed <= 120; seed += 1) {
      const random = randomFrom(seed);
      const { output, answer } = anyCase(random);
      const maxChars = pick(random, [1000, 1500, 3000, 10_000, 40_000]);
      const options = {
        ...base,
        maxChars,
        redacted: below(random, 3),
        limit: random() < 0.3 ? 1 + below(random, 50) : undefined,
      };

      const { text } = renderAnswer(output, answer, { ...options, form: 'text' });
      expect(text.length, `text, seed ${seed}`).toBeLessThanOrEqual(maxChars);
      expect(text, `whole characters, seed ${seed}`).not.toMatch(/\p{Surrogate}/u);
      if (answer.gaps.coverage !== 'complete') expect(text, `coverage, seed ${seed}`).toMatch(/^(Problem|Hidden|Coverage)/m);
      if (answer.gaps.problems.length > 0) expect(text, `problems, seed ${seed}`).toMatch(/^Problem/m);
      if (answer.gaps.hidden.length > 0) expect(text, `hidden, seed ${seed}`).toMatch(/^Hidden/m);

      const rendered = renderAnswer(output, answer, { ...options, form: 'structured' });
      expect(rendered.text.length, `structured, seed ${seed}`).toBeLessThanOrEqual(maxChars);
      expect(JSON.parse(rendered.text), `same, seed ${seed}`).toEqual(rendered.structured);
      const { coverage, coverage_why, problems, hidden, shown = {} } = rendered.structured ?? {};
      const silent = JSON.stringify([coverage_why ?? null, problems, hidden, shown]) === '[null,[],[],{}]';
      expect(silent && coverage !== 'complete', `silent, seed ${seed}`).toBe(false);
      const parsed = outputSchema(output).safeParse(rendered.structured);
      expect(parsed.error, `schema, seed ${seed}`).toBeUndefined();
    }
  });

  it('is within any size at all as text', () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const { output, answer } = anyCase(randomFrom(seed));
      for (const maxChars of [0, 1, 10, 50, 137, 400, 700]) {
        const { text } = renderAnswer(output, answer, { ...base, maxChars, form: 'text' });
        expect(text.length, `seed ${seed}`).toBeLessThanOrEqual(maxChars);
      }
    }
  });

  it('has only declared keys in its rows', () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const { output, answer } = anyCase(randomFrom(seed));
      const { structured } = renderAnswer(output, answer, { ...base, maxChars: 40_000, form: 'structured' });
      for (const [name, section] of Object.entries(output)) {
        const rows = structured?.[sectionKey(name)];
        if (section.form !== 'table' || !Array.isArray(rows)) continue;
        const allowed = Object.entries(section.columns).map(([key, { kind }]) => columnKey(key, kind));
        for (const each of rows) expect(allowed).toEqual(expect.arrayContaining(Object.keys(each)));
      }
    }
  });
});

interface Thing {
  readonly id: string;
  readonly order: SortKey;
  readonly more: Readonly<Record<string, Cell>>;
}

/** Ids of the rows shown, and the cursor, from either form. */
function readPage(rendered: { text: string; structured?: Record<string, unknown> }): {
  ids: string[];
  cursor: string | undefined;
} {
  const { structured, text } = rendered;
  if (structured === undefined) {
    const ids = [...text.matchAll(/^(id-\d+)(?:\t|$)/gm)].map((match) => match[1] ?? '');
    return { ids, cursor: /cursor="([\w-]+)"$/.exec(text)?.[1] };
  }
  const rows = structured.things;
  const ids = Array.isArray(rows) ? rows.map((each) => String(each.id)) : [];
  return { ids, cursor: typeof structured.cursor === 'string' ? structured.cursor : undefined };
}

function follow(output: OutputSpec, answer: Answer, options: Omit<RenderOptions, 'after'>): string[] {
  const seen: string[] = [];
  let after: SortKey | undefined;
  for (let page = 0; page < 2000; page += 1) {
    const rendered = renderAnswer(output, answer, { ...options, after });
    expect(rendered.text.length).toBeLessThanOrEqual(options.maxChars);
    const { ids, cursor } = readPage(rendered);
    seen.push(...ids);
    if (cursor === undefined) return seen;
    expect(ids.length).toBeGreaterThan(0);
    after = decodeCursor(cursor, scope).after;
  }
  throw new Error('the cursors do not end');
}

describe('following cursors', () => {
  it('reaches every row exactly once, in order, in both forms', () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const random = randomFrom(seed * 1000);
      const of: Columns = { id: { kind: 'text' }, ...columns(random) };
      const output: OutputSpec = { things: { form: 'table', columns: of }, log: { form: 'prose' } };
      const part = () => (random() < 0.5 ? below(random, 5) - 2 : words(random, 400));
      const things: Thing[] = times(below(random, 200), (i) => ({
        id: `id-${i}`,
        // Few different keys, so that many are equal: the last part is unique for most seeds only.
        order: [part(), ...(seed % 5 === 0 ? [] : [part(), i])],
        more: row(random, of),
      }));
      const orders = new Map(things.map((thing) => [thing.id, thing.order]));
      const rows = things.map((thing) => ({ ...thing.more, id: thing.id }));
      const paged: Paged<Readonly<Record<string, Cell>>> = {
        rows,
        key: (each) => orders.get(String(each.id)) ?? [],
      };
      const answer: Answer = {
        headline: 'things',
        sections: { things: paged, log: words(random, 5000) },
        gaps: gaps(random),
        notes: [words(random, 500)],
      };
      const maxChars = pick(random, [1000, 2000, 4000, 10_000]);
      const limit = random() < 0.5 ? 1 + below(random, 40) : undefined;
      for (const form of ['text', 'structured'] as const) {
        const seen = follow(output, answer, { ...base, maxChars, limit, form });
        expect(seen.length, `${form}, seed ${seed}`).toBe(things.length);
        expect(new Set(seen).size, `${form}, seed ${seed}`).toBe(things.length);
        const shuffled = { ...answer, sections: { ...answer.sections, things: { ...paged, rows: [...paged.rows].reverse() } } };
        expect(follow(output, shuffled, { ...base, maxChars, limit, form }), `shuffled, seed ${seed}`).toEqual(seen);
      }
    }
  }, 60_000);

  it('skips what came and repeats nothing when rows change between pages', () => {
    const output: OutputSpec = { things: { form: 'table', columns: { id: { kind: 'text' } } } };
    const answer = (ids: readonly number[]): Answer => ({
      headline: 'things',
      sections: { things: { rows: ids.map((id) => ({ id: `id-${id}` })), key: (each) => [Number(String(each.id).slice(3))] } },
      gaps: { problems: [], hidden: [], coverage: 'complete' },
    });
    const options = { ...base, maxChars: 1000, form: 'text', limit: 2 } as const;
    const first = readPage(renderAnswer(output, answer([1, 3, 5, 7]), options));
    expect(first.ids).toEqual(['id-1', 'id-3']);
    const { after } = decodeCursor(first.cursor ?? '', scope);
    // 3 is gone, 2 and 4 are new.
    expect(readPage(renderAnswer(output, answer([1, 2, 4, 5, 7]), { ...options, after })).ids).toEqual(['id-4', 'id-5']);
  });
});

describe('the same answer', () => {
  it('is the same text, whatever the order of rows, problems and keys', () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const random = randomFrom(seed * 77);
      const of = columns(random);
      const output: OutputSpec = {
        things: { form: 'table', columns: { id: { kind: 'text' }, ...of } },
        config: { form: 'entries' },
      };
      const rows = times(200, (i) => ({ ...row(random, of), id: `id-${i}` }));
      const entries = times(30, (i) => [`key${i}`, words(random, 50)] as const);
      const missing = gaps(random);
      const build = (turn: <T>(list: readonly T[]) => readonly T[]): Answer => ({
        headline: 'things',
        sections: {
          things: { rows: turn(rows), key: (each) => [String(each.col0 ?? ''), String(each.id)] },
          config: Object.fromEntries(turn(entries)),
        },
        gaps: { ...missing, problems: turn(missing.problems), hidden: turn(missing.hidden) },
      });
      const shuffle = <T>(items: readonly T[]) =>
        items
          .map((item) => ({ item, at: random() }))
          .sort((a, b) => a.at - b.at)
          .map(({ item }) => item);
      for (const form of ['text', 'structured'] as const) {
        const options = { ...base, form, maxChars: 4000 };
        expect(renderAnswer(output, build(shuffle), options).text, `${form}, seed ${seed}`).toBe(
          renderAnswer(
            output,
            build((list) => list),
            options,
          ).text,
        );
      }
    }
  });
});

it('ten thousand rows cost what is shown', () => {
  const output: OutputSpec = { things: { form: 'table', columns: { id: { kind: 'int' }, name: { kind: 'text' } } } };
  let reads = 0;
  const rows = times(10_000, (id) => ({
    id,
    get name() {
      reads += 1;
      return `thing ${id}`;
    },
  }));
  const answer: Answer = {
    headline: 'x',
    sections: { things: { rows, key: (each) => [Number(each.id)] } },
    gaps: { problems: [], hidden: [], coverage: 'complete' },
  };
  for (const form of ['text', 'structured'] as const) renderAnswer(output, answer, { ...base, form, maxChars: 10_000 });
  expect(reads).toBeGreaterThan(200);
  expect(reads).toBeLessThan(2000);
});
