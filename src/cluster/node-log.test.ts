import { describe, expect, test } from 'vitest';
import { stubCall } from '../../test/support/stub-call.ts';
import { parseClusterLog, parseJournal, parseLogPage, readJournal, readSyslog } from './node-log.ts';

const DAY = 86_400;

test('journal: the cursors around the lines are no lines', () => {
  expect(parseJournal(['s=0b3;i=1;b=9', 'Nov 30 07:00:01 pve1 a[1]: x', 7, null, 's=0b3;i=2'])).toEqual([
    'Nov 30 07:00:01 pve1 a[1]: x',
    '7',
  ]);
  expect(() => parseJournal(null)).toThrow('no list');
});

test('log pages: in order of their numbers; the made-up line of an empty log is none', () => {
  expect(parseLogPage([{ n: '2', t: 'b' }, { n: 1, t: 'a' }, {}, null])).toEqual(['a', 'b']);
  expect(parseLogPage([{ n: 1, t: 'no content' }])).toEqual([]);
  expect(parseLogPage([{ n: 1, t: 'unable to open file - No such file' }])).toEqual([]);
});

test('cluster log: newest first, repaired, without secrets, levels in words', () => {
  const lines = parseClusterLog([
    { time: '1000', node: 'a', user: 'x@pve', tag: 't', pri: '3', msg: 'one password=hunter2', uid: '1' },
    { time: 2000, msg: 'naÃ¯ve' },
    { time: 3000 },
    'junk',
  ]).map((entry) => entry.line);
  expect(lines[0]).toBe('1970-01-01T00:33:20Z: naïve');
  expect(lines[1]).toMatch(/^1970-01-01T00:16:40Z a x@pve t \[err\]: one password=/);
  expect(lines.join()).not.toContain('hunter2');
});

describe('journal', () => {
  test('without a span the API limits the lines; newest first', async () => {
    const seen: unknown[] = [];
    const call = stubCall((_path, _params, query) => {
      seen.push(query);
      return ['s=a;i=1', 'old', 'â\u0080\u0093 new', 's=a;i=2'];
    });
    expect(await readJournal(call, { node: 'a', lines: 2, since: undefined, until: undefined })).toMatchObject({
      lines: ['– new', 'old'],
      total: undefined,
    });
    expect(seen).toEqual([{ lastentries: 2 }]);
  });

  test('with a span it can not: a day before the end when no start is said, and the total is known', async () => {
    const seen: unknown[] = [];
    const call = stubCall((_path, _params, query) => {
      seen.push(query);
      return ['1', '2', '3'];
    });
    const part = await readJournal(call, { node: 'a', lines: 2, since: undefined, until: 5 * DAY });
    expect(part).toMatchObject({ lines: ['3', '2'], total: 3, since: 4 * DAY });
    expect(seen).toEqual([{ since: 4 * DAY, until: 5 * DAY }]);
  });
});

describe('T12 syslog', () => {
  const log = Array.from({ length: 10 }, (_unused, index) => ({ n: index + 1, t: `line ${index + 1}` }));

  /** Pages from the oldest line, as the API does. */
  function paged(seen: unknown[], clock: unknown) {
    const call = stubCall((path, _params, query) => {
      if (path.endsWith('/time')) return clock;
      seen.push(query);
      const start = Number(query['start']);
      return log.slice(start, start + Number(query['limit']));
    });
    return { ...call, get: withTotal(call.get) };
  }
  const withTotal =
    (get: ReturnType<typeof stubCall>['get']): typeof get =>
    async (path, params, query) => ({
      ...(await get(path, params, query)),
      total: path.endsWith('/syslog') ? log.length : undefined,
    });

  test('the newest lines, not the oldest; the span in the time zone of the node', async () => {
    const seen: unknown[] = [];
    const call = paged(seen, { time: 1_000, localtime: '8200' });
    const part = await readSyslog(call, { node: 'a', lines: 3, since: 0, until: 3_600 });
    expect(part).toMatchObject({ lines: ['line 10', 'line 9', 'line 8'], total: 10, notes: [] });
    const span = { since: '1970-01-01 02:00:00', until: '1970-01-01 03:00:00' };
    expect(seen).toEqual([
      { ...span, start: 0, limit: 3 },
      { ...span, start: 7, limit: 3 },
    ]);
  });

  test('there always is a span; an unknown time zone is said', async () => {
    const seen: unknown[] = [];
    const part = await readSyslog(paged(seen, {}), { node: 'a', lines: 50, since: undefined, until: 2 * DAY });
    expect(seen).toEqual([{ since: '1970-01-02 00:00:00', until: '1970-01-03 00:00:00', start: 0, limit: 50 }]);
    expect(part.notes.join()).toContain('time zone');
  });
});
