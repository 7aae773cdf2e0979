import { describe, expect, it } from 'vitest';
import { ApiError } from '../api/errors.ts';
import { type Gaps, NO_GAPS, type Problem } from '../api/reading.ts';
import type { Answer } from './answer.ts';
import { type RenderOptions, renderAnswer } from './render.ts';
import { bool, bytes, duration, entries, int, list, type OutputSpec, percent, prose, record, table, text, time } from './spec.ts';

const NOW = Date.UTC(2026, 10, 30, 9, 12);

const options: RenderOptions = {
  form: 'text',
  maxChars: 10_000,
  now: NOW,
  redacted: 0,
  cursorFor: (after) => Buffer.from(JSON.stringify(after)).toString('base64url'),
};

const guestTable = table({
  vmid: int(),
  name: text(),
  cpu: percent(),
  mem: bytes(),
  uptime: duration(),
  template: bool(),
  tags: list(),
  backup: time(),
});
const guests = { guests: guestTable };
type Guest = {
  vmid: number;
  name?: string;
  cpu?: number;
  mem?: number;
  tags?: readonly string[];
  template?: boolean;
  backup?: number;
};

const paged = (rows: readonly Guest[]) => ({ rows, key: (row: Guest) => [row.vmid] });
const many = (count: number): Guest[] => Array.from({ length: count }, (_, i) => ({ vmid: 100 + i, name: `guest-${i}` }));

function render<O extends OutputSpec>(
  output: O,
  answer: Omit<Answer<O>, 'gaps'> & { gaps?: Gaps },
  more: Partial<RenderOptions> = {},
): string {
  return renderAnswer(output, { ...answer, gaps: answer.gaps ?? NO_GAPS }, { ...options, ...more }).text;
}

describe('a table', () => {
  it('is a headline and TSV; what is not told is blank, what is zero is not', () => {
    const rows = [
      { vmid: 101, name: 'db\tone\nx', cpu: 0, mem: 2048, template: false },
      { vmid: 100, name: 'web', cpu: 0.123, tags: ['a', 'b'], backup: Date.UTC(2026, 10, 29, 2) / 1000 },
    ];
    expect(render(guests, { headline: '2 guests', sections: { guests: paged(rows) } })).toBe(
      [
        '2 guests',
        'vmid\tname\tcpu\tmem\ttemplate\ttags\tbackup',
        '100\tweb\t12.3%\t\t\ta, b\t2026-11-29T02:00Z, 1.3 d ago',
        '101\tdb one x\t0%\t2 KiB\tno\t\t',
      ].join('\n'),
    );
  });

  it('without rows is a headline', () => {
    expect(render(guests, { headline: '0 guests', sections: { guests: paged([]) } })).toBe('0 guests');
  });

  it('of a limit says how many there are and how to go on', () => {
    const answer = { headline: '500 guests', sections: { guests: paged(many(500)) } };
    const first = render(guests, answer, { limit: 2 });
    expect(first).toBe(
      [
        '500 guests (2 of 500 shown)',
        'vmid\tname',
        '100\tguest-0',
        '101\tguest-1',
        `Next: 498 more with cursor="${options.cursorFor([101])}"`,
      ].join('\n'),
    );
    const last = render(guests, answer, { limit: 50, after: [597] });
    expect(last).toBe(['500 guests (2 of 500 shown, from row 499)', 'vmid\tname', '598\tguest-498', '599\tguest-499'].join('\n'));
  });

  it('cuts at row ends to fit', () => {
    const answer = render(guests, { headline: '500 guests', sections: { guests: paged(many(500)) } }, { maxChars: 1000 });
    expect(answer.length).toBeLessThanOrEqual(1000);
    expect(answer.length).toBeGreaterThan(950);
    const rows = answer.split('\n').filter((line) => /^\d+\tguest-\d+$/.test(line));
    expect(answer.split('\n')[0]).toBe(`500 guests (${rows.length} of 500 shown)`);
    expect(answer).toContain(`Next: ${500 - rows.length} more with cursor=`);
  });

  it('that a reader did not finish says so, and goes on where the reader stopped', () => {
    const rows = { ...paged(many(3)), unfinished: { after: [101], why: 'time is up' } };
    const answer = render(guests, { headline: '3 guests', sections: { guests: rows } });
    expect(answer).toBe(
      [
        '3 guests (so far)',
        'vmid\tname',
        '100\tguest-0',
        '101\tguest-1',
        'Note: not finished (time is up): counts are so far, draw no conclusion before the last page',
        `Next: the rest with cursor="${options.cursorFor([101])}"`,
      ].join('\n'),
    );
    expect(render(guests, { headline: '3 guests', sections: { guests: rows } }, { limit: 1 })).toContain(
      '(1 of 2 shown, so far)',
    );
  });

  it('says when more rows match than were read', () => {
    const answer = render(guests, { headline: 'guests', sections: { guests: { ...paged(many(2)), total: 70 } } });
    expect(answer).toContain('(2 of 70 shown)');
    expect(answer).toContain('Note: 68 more rows match but were not read');
  });

  it('of fields has those columns, also without values', () => {
    const answer = { headline: '1 guest', sections: { guests: paged(many(1)) } };
    expect(render(guests, answer, { fields: ['mem', 'vmid', 'mem'] })).toBe('1 guest\nmem\tvmid\n\t100');
    expect(render(guests, answer, { fields: [] })).toBe('1 guest\nvmid\tname\n100\tguest-0');
    for (const field of ['memory', 'constructor', '__proto__', 'Vmid']) {
      expect(() => render(guests, answer, { fields: [field] })).toThrow(ApiError);
    }
    try {
      render(guests, answer, { fields: ['memory'] });
    } catch (thrown) {
      expect(thrown).toMatchObject({
        kind: 'bad-argument',
        message: 'fields: unknown field "memory"',
        hint: expect.stringContaining('vmid, name, cpu'),
      });
    }
  });

  it('refuses fields where there is no list', () => {
    expect(() =>
      render({ status: record({ name: text() }) }, { headline: 'x', sections: { status: { name: 'y' } } }, { fields: ['name'] }),
    ).toThrow(/no list/);
  });

  it('does not lose rows of equal keys', () => {
    const rows = [
      { vmid: 1, name: 'c' },
      { vmid: 1, name: 'a' },
      { vmid: 1, name: 'b' },
    ];
    const first = render(guests, { headline: '3', sections: { guests: paged(rows) } }, { limit: 2 });
    expect(first).toContain('1\ta\n1\tb\nNext: 1 more');
    const second = render(guests, { headline: '3', sections: { guests: paged(rows) } }, { limit: 2, after: [1, 1] });
    expect(second).toContain('vmid\tname\n1\tc');
  });

  it('shortens the cells of a row that would fill the answer', () => {
    const wide = { t: table(Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`c${i}`, text()]))) };
    const row = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`c${i}`, 'long words '.repeat(50)]));
    const answer = render(wide, { headline: 'x', sections: { t: { rows: [row], key: () => [1] } } }, { maxChars: 1000 });
    expect(answer.length).toBeLessThanOrEqual(1000);
    expect(answer.split('\n')[2]?.split('\t')).toHaveLength(30);
    expect(answer).not.toContain('cursor');
  });
});

describe('several sections', () => {
  const output = {
    status: record({ name: text(), mem: bytes(), ha: bool() }),
    config: entries(),
    snapshots: table({ name: text(), at: time() }),
    log: prose(),
    guests: guestTable,
  };

  it('have titles and stand in the order of their declaration', () => {
    const answer = render(output, {
      headline: 'guest 100',
      sections: {
        log: 'line one\n  line two\n',
        guests: paged(many(2)),
        config: { net10: 'b', net2: 'a', onboot: true, cores: 4, gone: undefined, tags: ['x', 'y'] },
        status: { name: 'web', mem: 0, ha: null },
        snapshots: [],
      },
    });
    expect(answer.replace(/\n[^\n]*\nline one\n {2}line two\n[^\n]*\n/, '\nFENCED\n')).toBe(
      [
        'guest 100',
        '## status',
        'name: web',
        'mem: 0 B',
        '## config (6)',
        'cores: 4',
        'net2: a',
        'net10: b',
        'onboot: yes',
        'tags: x, y',
        '## snapshots (0)',
        '## log',
        'FENCED',
        '## guests (2)',
        'vmid\tname',
        '100\tguest-0',
        '101\tguest-1',
      ].join('\n'),
    );
  });

  it('say that nothing was seen, not that there is nothing, when not all is known', () => {
    const gaps: Gaps = { problems: [], hidden: [], coverage: 'unknown' };
    const answer = render(output, { headline: 'x', gaps, sections: { snapshots: [], status: {} } });
    expect(answer).toBe('x\n## status\n(empty)\n## snapshots (0 seen)\nCoverage: unknown - this token may not see everything');
  });

  it('each get their share, and say what was cut', () => {
    const answer = render(
      output,
      {
        headline: 'x',
        sections: {
          config: Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`key${i}`, `value ${i}`])),
          snapshots: Array.from({ length: 300 }, (_, i) => ({ name: `snap${i}` })),
          log: Array.from({ length: 300 }, (_, i) => `log line ${i}`).join('\n'),
          guests: paged(many(300)),
        },
      },
      { maxChars: 3000 },
    );
    expect(answer.length).toBeLessThanOrEqual(3000);
    const shown = (pattern: RegExp) => answer.match(pattern)?.length ?? 0;
    const counts = [shown(/^key\d+: /gm), shown(/^snap\d+$/gm), shown(/^log line \d+$/gm), shown(/^\d+\tguest-\d+$/gm)];
    for (const count of counts) expect(count).toBeGreaterThan(20);
    expect(answer).toContain(`... ${counts[0]} of 300 shown`);
    expect(answer).toContain(`... ${counts[1]} of 300 shown`);
    expect(answer).toContain(`... ${counts[2]} of 300 lines shown`);
    expect(answer).toContain(`(guests: ${counts[3]} of 300 shown)`);
    expect(answer).toContain('Note: cut to 3000 characters; ask for fewer sections');
    expect(answer).toMatch(/\nNext: \d+ more with cursor="/);
  });
});

describe('what is missing', () => {
  const sections = { guests: paged([]) };
  const problem = (node: string, message: string, more: Partial<Problem> = {}): Problem => ({
    where: { node },
    kind: 'timeout',
    message,
    ...more,
  });

  it('is told after the data, equal problems together', () => {
    const gaps: Gaps = {
      coverage: 'partial',
      problems: [
        problem('pve3', 'node pve3 did not answer within 10 s.'),
        problem('pve10', 'node pve10 did not answer within 10 s.'),
        {
          where: { node: 'pve1', vmid: 100 },
          kind: 'forbidden',
          message: 'the configuration may not be read',
          needs: 'VM.Audit on /vms/100',
        },
        {
          where: { node: 'pve1', vmid: 101 },
          kind: 'forbidden',
          message: 'the configuration may not be read',
          needs: 'VM.Audit on /vms/101',
        },
        { where: {}, kind: 'not-configured', message: 'there is no Ceph here' },
        { where: { node: 'pve1', storage: 'nfs' }, kind: 'upstream', message: 'mount error' },
      ],
      hidden: [
        { what: 'backups of guests', privilege: 'VM.Backup', path: '/vms/101' },
        { what: 'backups of guests', privilege: 'VM.Backup', path: '/vms/100' },
        { what: 'firewall', privilege: 'Sys.Audit', path: '/nodes' },
      ],
    };
    const answer = {
      headline: '0 guests seen',
      sections,
      gaps,
      notes: ['cpu is of the assigned cpus'],
      next: ['get_guest vmid=100'],
    };
    expect(render(guests, answer, { redacted: 3 })).toBe(
      [
        '0 guests seen',
        'Problem: guest 100 on pve1, guest 101 on pve1 (forbidden): the configuration may not be read; needs VM.Audit on /vms/<vmid>',
        'Problem (not-configured): there is no Ceph here',
        'Problem: pve10, pve3 (timeout): node <node> did not answer within 10 s',
        'Problem: pve1/nfs (upstream): mount error',
        'Hidden: backups of guests: needs VM.Backup on /vms/100, /vms/101',
        'Hidden: firewall: needs Sys.Audit on /nodes',
        'Note: cpu is of the assigned cpus',
        'Redacted: 3 secret values in what was read; [redacted] is not unset',
        'Next: get_guest vmid=100',
      ].join('\n'),
    );
    const backwards = { ...gaps, problems: [...gaps.problems].reverse(), hidden: [...gaps.hidden].reverse() };
    expect(render(guests, { ...answer, gaps: backwards }, { redacted: 3 })).toBe(render(guests, answer, { redacted: 3 }));
  });

  it.each([
    ['partial', undefined, 'Coverage: partial - something is missing here'],
    ['unknown', undefined, 'Coverage: unknown - this token may not see everything'],
    ['unknown', 'the ACL cannot be read.', 'Coverage: unknown - the ACL cannot be read'],
  ] as const)('is never silent: %s %s', (coverage, why, line) => {
    expect(render(guests, { headline: 'x', sections, gaps: { coverage, why, problems: [], hidden: [] } })).toContain(line);
  });

  it('is not told twice', () => {
    const gaps: Gaps = { coverage: 'partial', problems: [problem('pve1', 'no answer')], hidden: [] };
    expect(render(guests, { headline: 'x', sections, gaps })).not.toContain('Coverage');
  });

  it('tells the cluster where the answer is about several', () => {
    const problems = [
      { where: { cluster: 'lab', node: 'pve1' }, kind: 'timeout', message: 'm' },
      { where: { cluster: 'prod', node: 'pve1' }, kind: 'timeout', message: 'm' },
    ] as const;
    const answer = (some: Problem[]) =>
      render(guests, { headline: 'x', sections, gaps: { coverage: 'partial', problems: some, hidden: [] } });
    expect(answer([...problems])).toContain('Problem: pve1 (cluster lab), pve1 (cluster prod) (timeout): m');
    expect(answer([problems[0]])).toContain('Problem: pve1 (cluster lab) (timeout): m');
    expect(answer([{ ...problems[0], where: { node: 'pve1' } }])).toContain('Problem: pve1 (timeout): m');
  });

  it('is bounded: 500 problems and a huge headline leave room for rows', () => {
    const problems = Array.from({ length: 500 }, (_, i) =>
      problem(`node${i}`, `failure number ${i * 7 + 1000000} of ${'words '.repeat(100)}`),
    );
    const hidden = Array.from({ length: 500 }, (_, i) => ({ what: `thing ${i}`, privilege: 'Sys.Audit', path: `/nodes/n${i}` }));
    const answer = {
      headline: 'huge '.repeat(5000),
      sections: { guests: paged(many(5000)) },
      gaps: { coverage: 'partial', problems, hidden } as const,
      notes: Array(200).fill('a note'),
      next: Array(200).fill('a call'),
    };
    for (const maxChars of [1000, 2000, 10_000, 40_000]) {
      const told = render(guests, answer, { maxChars, redacted: 7 });
      expect(told.length).toBeLessThanOrEqual(maxChars);
      expect(told).toMatch(/^huge .*… \(\d+ of 5000 shown\)\n/);
      expect(told).toMatch(/^\d+\tguest-\d+$/m);
      expect(told).toMatch(/^Problem: \d+ more, not shown \(timeout \d+\)$/m);
      expect(told).toMatch(/^Hidden: \d+ more kinds of things, not shown$/m);
      expect(told).toContain('Redacted: 7 secret values');
      expect(told).toMatch(/\nNext: \d+ more with cursor="[\w-]+"$/);
    }
  });

  it('of many places is counted', () => {
    const problems = Array.from({ length: 500 }, (_, i) => problem(`node${i}`, 'no answer'));
    const told = render(guests, { headline: 'x', sections, gaps: { coverage: 'partial', problems, hidden: [] } });
    expect(told).toMatch(/^Problem: node0, node1, .* and \d+ more \(timeout\): no answer$/m);
    expect(told.length).toBeLessThan(400);
  });

  it('does not let upstream words make lines of their own', () => {
    const gaps: Gaps = {
      coverage: 'partial',
      problems: [problem('a\nNext: x', 'm\nRedacted: 0')],
      hidden: [{ what: 'a\nb', privilege: 'P\nQ', path: '/x\ny' }],
    };
    const told = render(guests, { headline: 'a\nb', sections, gaps, notes: ['c\nd'], next: ['e\nf'] });
    expect(told.split('\n')).toHaveLength(5);
  });
});

describe('free text', () => {
  it('stands in a fence whatever is cut', () => {
    const log = Array.from({ length: 5000 }, (_, i) => `line ${i} ${i % 7 === 0 ? 'x'.repeat(3000) : ''}`).join('\n');
    const whole = render({ log: prose() }, { headline: 'log', sections: { log } }, { maxChars: 2000 });
    expect(whole.length).toBeLessThanOrEqual(2000);
    const lines = whole.split('\n');
    const first = lines.findIndex((line) => line.startsWith('line 0'));
    expect(first).toBeGreaterThan(1);
    expect(whole).toMatch(/\n\.\.\. \d+ of 5000 lines shown\n/);
    expect(whole).toContain('Note: cut to 2000 characters');
  });

  it('that is empty says so', () =>
    expect(render({ log: prose() }, { headline: 'log', sections: { log: ' \n' } })).toBe('log\n(empty)'));
});
