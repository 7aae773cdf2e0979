import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callAs, type Harness, openHarness } from '../../../test/support/harness.ts';
import { cursorOf, recordOf, tableOf } from '../../../test/support/read-answer.ts';

describe('list_recent_tasks and get_task', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await openHarness();
  });
  afterAll(() => h.close());

  const all = () => [...h.demo.world.tasks.entries()].filter(([node]) => node !== 'pve3').flatMap(([, tasks]) => tasks);
  const rowsFor = async (args: Record<string, unknown>) =>
    tableOf((await h.call('list_recent_tasks', args, { maxChars: 40_000 })).text);

  test('newest first over all nodes, running ones too', async () => {
    const rows = await rowsFor({ limit: 20 });
    const expected = all()
      .sort((a, b) => b.starttime - a.starttime)
      .slice(0, 20);
    expect(rows.map((r) => r['upid'])).toEqual(expected.map((t) => t.upid));
    expect(rows.filter((r) => r['state'] === 'running')).toHaveLength(2);
  });

  test('with a node offline nothing is said of the tasks of all', async () => {
    const { text } = await h.call('list_recent_tasks', { type: 'no-such-type' });
    expect(text).toMatch(/^0 tasks on the nodes that answered/);
    expect((await h.call('list_recent_tasks', { node: 'pve1', type: 'no-such-type' })).text).toMatch(/^0 tasks$/m);
  });

  test('of no node that answered nothing is counted: that is an error', async () => {
    for (const [match, args] of [
      ['/nodes/pve1/tasks', { node: 'pve1', state: 'problem' }],
      [/^\/nodes\/[^/]+\/tasks/, {}],
    ] as const) {
      const off = h.demo.faults.add({ kind: 'status-500', match });
      const { text, isError } = await h.call('list_recent_tasks', args);
      off();
      expect(isError, text).toBe(true);
      expect(text).toMatch(/The tasks of pve[12] can't be read/);
    }
  });

  test('a period that ends before it begins is an error, not an empty list', async () => {
    const { text, isError } = await h.call('list_recent_tasks', { since: '1d', until: '2d' });
    expect(isError, text).toBe(true);
    expect(text).toContain('since is not before until');
  });

  test('that nodes forget old tasks is told above all where none is found', async () => {
    const { text } = await h.call('list_recent_tasks', { vmid: 9999 });
    expect(text).toMatch(/^0 tasks/);
    expect(text).toContain('Nodes keep only their last');
  });

  test('every task once by following the cursor', async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { text } = await h.call('list_recent_tasks', { limit: 30, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...tableOf(text).map((r) => r['upid'] ?? ''));
      cursor = cursorOf(text);
    } while (cursor !== undefined && seen.length < 2_000);
    expect(seen.length).toBe(new Set(seen).size);
    expect(new Set(seen)).toEqual(new Set(all().map((t) => t.upid)));
  });

  test('T11 warnings are no failure, a running task is running, a lost log is unknown', async () => {
    const failed = await rowsFor({ state: 'failed', limit: 200 });
    expect(failed.length).toBeGreaterThan(0);
    expect(failed.some((r) => /^WARNINGS/.test(r['status'] ?? ''))).toBe(false);
    expect(failed.some((r) => r['status'] === 'unexpected status')).toBe(false);
    const expected = all().filter(
      (t) => t.status !== undefined && t.status !== 'OK' && !/^WARNINGS: \d+$/.test(t.status) && t.status !== 'unexpected status',
    );
    expect(failed.length).toBe(expected.length);
    expect((await rowsFor({ state: 'warning' })).every((r) => /^WARNINGS: \d+$/.test(r['status'] ?? ''))).toBe(true);
    expect((await rowsFor({ state: 'running' })).length).toBe(2);
  });

  test.each([
    [{ type: 'vzdump' }, 'type'],
    [{ node: 'pve2' }, 'node'],
  ])('filter %j', async (args, column) => {
    const rows = await rowsFor(args);
    expect(rows.length).toBeGreaterThan(0);
    expect(new Set(rows.map((r) => r[column]))).toEqual(new Set(Object.values(args)));
  });

  test('times as ISO and age; a wrong one is told', async () => {
    const recent = await rowsFor({ since: '24h', limit: 500 });
    const floor = h.demo.world.now / 1000 - 86_400;
    expect(recent.length).toBe(all().filter((t) => t.starttime >= floor).length);
    const wrong = await h.call('list_recent_tasks', { since: 'yesterdayish' });
    expect(wrong.isError).toBe(true);
    expect(wrong.text).toContain('24h, 7d');
  });

  test('one request a node; the offline node is a problem and is not asked', async () => {
    const before = h.demo.requests.length;
    const { text, stats } = await h.call('list_recent_tasks', { limit: 3 });
    expect(text).toContain('Problem: pve3');
    expect(stats.requests).toBeLessThanOrEqual(6);
    expect(h.demo.requests.slice(before).some((r) => r.path.includes('pve3'))).toBe(false);
  });

  test('without rights the tasks of others are hidden', async () => {
    expect((await callAs(h.demo, 'noacl', 'list_recent_tasks')).text).toMatch(
      /^0 visible tasks[\s\S]*Hidden: other users' tasks: needs Sys\.Audit/,
    );
  });

  test('T12 the tail of a long log is its end, with the true total', async () => {
    const long = all().find((t) => (t.log()?.length ?? 0) > 1_000);
    const lines = long?.log() ?? [];
    const { text, stats } = await h.call('get_task', { upid: long?.upid, lines: 5, log: 'tail' });
    expect(text).toContain(`log of ${lines.length} lines`);
    expect(text).toContain(`\n${lines.length}: `);
    expect(text).toContain(`${lines.length - 4}: `);
    expect(stats.requests).toBeLessThanOrEqual(4);
    expect((await h.call('get_task', { upid: long?.upid, lines: 2, log: 'head' })).text).toMatch(/\n1: .*\n2: /);
  });

  test('a failed backup: each guest, the telling lines, the state of what it touched', async () => {
    const failed = all().find((t) => t.type === 'vzdump' && t.status === 'job errors');
    const { text } = await h.call('get_task', { upid: failed?.upid });
    expect(recordOf(text, 'task')).toMatchObject({ state: 'failed', exit_status: 'job errors' });
    expect(tableOf(text, 'guests').some((r) => r['result'] === 'failed')).toBe(true);
    expect(text).toContain('## relevant');
    const failedGuests = tableOf(text, 'guests').filter((r) => r['result'] !== 'ok');
    const touched = tableOf(text, 'touched').map((r) => r['what']);
    for (const g of failedGuests) expect(touched).toContain(`guest ${g['vmid']} ${g['name']}`);
  });

  test('grep says how many lines have the text', async () => {
    const long = all().find((t) => (t.log()?.length ?? 0) > 1_000);
    expect((await h.call('get_task', { upid: long?.upid, grep: 'no such text anywhere' })).text).toContain(
      'No line has that text',
    );
  });

  test.each([
    ['UPID:pve3:00000FAD:00061F94:6B0CCA90:vzdump::root@pam:', 'is offline'],
    ['UPID:PVE1:00000FAD:00061F94:6B0CCA90:vzdump::root@pam:', 'Did you mean pve1?'],
    ['UPID:pve1:00000FAD:00061F94:6B0CCA90:vzdump:../../x:root@pam:', 'upid'],
    ['nonsense-nonsense', 'upid'],
  ])('%s', async (upid, said) => {
    const { isError, text } = await h.call('get_task', { upid });
    expect(isError).toBe(true);
    expect(text).toContain(said);
  });

  test('a task that is not there', async () => {
    const { isError, text } = await h.call('get_task', { upid: 'UPID:pve1:0000FFFF:00061F94:6B0CCA90:qmstart:100:root@pam:' });
    expect(isError).toBe(true);
    expect(text).toMatch(/no such task|not-found/);
    // The inventory knows no tasks, and the list may still tell how it ended.
    expect(text).toMatch(/^Next: .*list_recent_tasks/m);
  });
});
