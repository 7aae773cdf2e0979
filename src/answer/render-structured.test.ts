import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { NO_GAPS } from '../api/reading.ts';
import { outputSchema } from './output-schema.ts';
import { type RenderOptions, renderAnswer } from './render.ts';
import { bool, bytes, duration, entries, int, list, number, percent, prose, rate, record, table, text, time } from './spec.ts';

const every = {
  name: text('its name'),
  vmid: int(),
  load: number(),
  mem: bytes(),
  cpu: percent('of the assigned cpus'),
  uptime: duration(),
  at: time(),
  net: rate(),
  on: bool(),
  tags: list(),
};
const output = { guests: table(every, 'All guests'), status: record(every), config: entries('As configured'), notes: prose() };
const row = {
  name: 'we\tb',
  vmid: 100,
  load: 0.123456789,
  mem: 2 ** 64,
  cpu: 0.12345,
  uptime: 12.34,
  at: 1796004720.9,
  net: 1.5,
  on: false,
  tags: ['a', 'b'],
};
const options: RenderOptions = {
  form: 'structured',
  maxChars: 10_000,
  now: 0,
  redacted: 2,
  cursorFor: (after) => `c-${after.join('-')}`,
};

describe('the structured form', () => {
  const answer = {
    headline: '2 guests',
    sections: {
      guests: {
        rows: [row, { vmid: 99, mem: null, at: 0, load: Number.NaN, tags: [] }],
        key: (r: { vmid?: number | null | undefined }) => [r.vmid ?? 0],
      },
      status: { mem: 0 },
      config: { net10: 'b', net2: 'line\nline', cores: 4, onboot: true, gone: null, tags: ['x'], ['__proto__']: 'p' },
      notes: 'one\ntwo\n',
    },
    gaps: { ...NO_GAPS, problems: [{ where: { node: 'pve1' }, kind: 'timeout', message: 'no answer' }], coverage: 'partial' },
    next: ['get_guest vmid=100'],
  } as const;
  const rendered = renderAnswer(output, answer, options);

  it.each([
    [0, 0],
    [0.12345, 12.3],
    [0.00042, 0.04],
    [0.0000003, 0.00003],
  ])('a share of %d is %d percent: what is above nothing never reads as nothing', (share, shown) => {
    const { structured } = renderAnswer(
      { one: record({ cpu: percent() }) },
      { headline: '', sections: { one: { cpu: share } }, gaps: NO_GAPS },
      options,
    );
    expect(structured?.['one']).toEqual({ cpu_pct: shown });
  });

  it('has typed values under keys that tell their unit; what is absent is left out', () => {
    expect(JSON.parse(JSON.stringify(rendered.structured))).toEqual({
      summary: '2 guests',
      guests: [
        { vmid: 99, tags: [] },
        {
          name: 'we b',
          vmid: 100,
          load: 0.123457,
          mem_bytes: 18446744073709552000,
          cpu_pct: 12.3,
          uptime_s: 12.3,
          at: '2026-11-30T02:12:00Z',
          net_bytes_per_s: 2,
          on: false,
          tags: ['a', 'b'],
        },
      ],
      status: { mem_bytes: 0 },
      config: JSON.parse('{"__proto__":"p","cores":4,"net2":"line\\nline","net10":"b","onboot":true,"tags":["x"]}'),
      notes_section: 'one\ntwo',
      coverage: 'partial',
      problems: [{ kind: 'timeout', message: 'no answer', where: [{ node: 'pve1' }] }],
      hidden: [],
      redacted: 2,
      next: ['get_guest vmid=100'],
    });
  });

  it('is the same as its text', () => expect(JSON.parse(rendered.text)).toEqual(rendered.structured));
  it('fits its schema', () => expect(() => outputSchema(output).parse(rendered.structured)).not.toThrow());

  it('tells what is not shown, and how to go on', () => {
    const { structured } = renderAnswer(output, answer, { ...options, limit: 1, fields: ['vmid'] });
    expect(structured).toMatchObject({
      summary: '2 guests (1 of 2 shown)',
      shown: { guests: { rows: 1, of: 2 } },
      guests: [{ vmid: 99 }],
      cursor: 'c-99',
    });
    const last = renderAnswer(output, answer, { ...options, after: [99] }).structured;
    expect(last).toMatchObject({ shown: { guests: { rows: 1, of: 2, from: 2 } } });
    expect(last).not.toHaveProperty('cursor');
  });

  it('says so far when the reader stopped', () => {
    const guests = { ...answer.sections.guests, unfinished: { after: [99], why: 'time is up' } };
    const { structured } = renderAnswer(output, { ...answer, sections: { guests } }, options);
    expect(structured).toMatchObject({
      shown: { guests: { rows: 1, of: 1, so_far: true } },
      cursor: 'c-99',
      notes: [expect.stringContaining('time is up')],
    });
  });

  it('explains a coverage that nothing else explains', () => {
    const { structured } = renderAnswer(output, { ...answer, gaps: { ...NO_GAPS, coverage: 'unknown' } }, options);
    expect(structured).toMatchObject({ coverage: 'unknown', coverage_why: 'this token may not see everything' });
  });

  it('leaves out what is not of its kind, so that it always fits its schema', () => {
    const wrong = JSON.parse('{"vmid":"x","mem":"many","on":1,"tags":"a","at":"now","name":["a"],"load":{}}');
    const { structured } = renderAnswer(output, { headline: 'x', gaps: NO_GAPS, sections: { status: wrong } }, options);
    expect(structured).toMatchObject({ status: {} });
    expect(() => outputSchema(output).parse(structured)).not.toThrow();
  });

  it('is small but valid where nothing fits', () => {
    const { text: json, structured } = renderAnswer(
      output,
      { ...answer, headline: 'x'.repeat(9999) },
      { ...options, maxChars: 320 },
    );
    expect(json.length).toBeLessThanOrEqual(320);
    expect(JSON.parse(json)).toEqual(structured);
    expect(() => outputSchema(output).parse(structured)).not.toThrow();
  });
});

describe('the output schema', () => {
  it('is plain JSON Schema', () => {
    const schema = z.toJSONSchema(outputSchema(output));
    const json = JSON.stringify(schema);
    expect(schema).toMatchObject({ type: 'object', required: ['summary', 'coverage', 'problems', 'hidden', 'redacted'] });
    // No pattern of dates, no bounds of integers, no lists of types.
    expect(json).not.toMatch(/"pattern"|9007199254740991|"type":\[|"anyOf"/);
    expect(schema).toMatchObject({
      properties: {
        guests: {
          type: 'array',
          description: 'All guests',
          items: {
            type: 'object',
            properties: {
              mem_bytes: { type: 'number' },
              cpu_pct: { type: 'number', description: 'of the assigned cpus; 0..100' },
            },
          },
        },
        notes_section: { type: 'string' },
        config: { type: 'object' },
      },
    });
  });

  it('refuses what the form never is', () => {
    const schema = outputSchema(output);
    const good = { summary: 'x', coverage: 'complete', problems: [], hidden: [], redacted: 0 };
    expect(schema.safeParse(good).success).toBe(true);
    for (const bad of [
      { summary: 1 },
      { coverage: 'all' },
      { guests: {} },
      { guests: [{ mem_bytes: '1 GiB' }] },
      { guests: [{ on: 1 }] },
      { redacted: undefined },
    ]) {
      expect(schema.safeParse({ ...good, ...bad }).success).toBe(false);
    }
  });
});
