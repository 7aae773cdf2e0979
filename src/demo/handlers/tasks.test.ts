import { describe, expect, it } from 'vitest';
import { createWorld } from '../world/create-world.ts';
import { createHandlers } from './create-handlers.ts';
import { call, type TestCall } from './test-request.ts';

const NOW = Date.UTC(2026, 0, 14, 11, 30);
const world = createWorld({ now: NOW });
const table = createHandlers(world);
const all = world.tasks.get('pve1') ?? [];

function tasks(options: TestCall = {}): { rows: Record<string, unknown>[]; total: unknown } {
  const { data, extra } = call(table, '/nodes/pve1/tasks', { now: NOW, ...options });
  if (!Array.isArray(data)) throw new Error('no list');
  return { rows: data, total: extra.total };
}

const upidOf = (type: string, id = '') => all.find((task) => task.type === type && task.id === id)?.upid ?? '';
const log = (upid: string, query: Record<string, string> = {}, options: TestCall = {}) =>
  call(table, `/nodes/pve1/tasks/${upid}/log`, { query, ...options });

describe('task list', () => {
  it('has fifty finished tasks at first, newest first, and the true total', () => {
    const { rows, total } = tasks();
    expect(rows).toHaveLength(50);
    expect(total).toBe(all.length - 1);
    const times = rows.map((row) => Number(row.starttime));
    expect(times).toEqual([...times].sort((left, right) => right - left));
    expect(rows.every((row) => row.endtime !== undefined)).toBe(true);
  });

  it('pages, counts with a limit of 0, and leaves the total out when it is 0', () => {
    expect(tasks({ query: { start: '60', limit: '5' } }).rows).toHaveLength(5);
    expect(tasks({ query: { limit: '0' } })).toEqual({ rows: [], total: all.length - 1 });
    expect(tasks({ query: { typefilter: 'nosuch' } })).toEqual({ rows: [], total: undefined });
  });

  it('shows running tasks only when asked', () => {
    expect(tasks({ query: { source: 'active' } }).rows).toEqual([
      expect.objectContaining({ status: 'RUNNING', type: 'vzdump', id: '116', saved: '0' }),
    ]);
    expect(tasks({ query: { source: 'all', limit: '1' } }).total).toBe(all.length);
  });

  it('takes warnings and unknown ends for errors with `errors`, and sorts them out with `statusfilter`', () => {
    const statuses = (query: Record<string, string>) =>
      new Set(tasks({ query: { limit: '500', ...query } }).rows.map((row) => row.status));
    expect(statuses({ errors: '1' })).toContain('WARNINGS: 2');
    expect(statuses({ errors: '1' })).toContain('unexpected status');
    expect(statuses({ errors: '1' })).not.toContain('OK');
    expect([...statuses({ statusfilter: 'warning' })].every((status) => String(status).startsWith('WARNINGS: '))).toBe(true);
    expect(statuses({ statusfilter: 'unknown' })).toEqual(new Set(['unexpected status']));
    expect(statuses({ statusfilter: 'ok' })).toEqual(new Set(['OK']));
  });

  it('filters by user, guest, type and start', () => {
    expect(tasks({ query: { userfilter: 'ERIK', limit: '500' } }).rows.every((row) => row.user === 'erik@pve')).toBe(true);
    expect(tasks({ query: { vmid: '104', limit: '500' } }).rows.every((row) => row.id === '104')).toBe(true);
    const since = NOW / 1000 - 86_400;
    expect(tasks({ query: { since: String(since), limit: '500' } }).rows.every((row) => Number(row.starttime) >= since)).toBe(
      true,
    );
    expect(tasks({ query: { until: String(since), limit: '500' } }).rows.every((row) => Number(row.starttime) <= since)).toBe(
      true,
    );
  });

  it('shows a token its own tasks only, by its whole name', () => {
    const own = tasks({ rights: 'none', identity: 'ops@pve!full', query: { limit: '500' } }).rows;
    expect(own.length).toBeGreaterThan(0);
    expect(own.every((row) => row.user === 'ops@pve' && row.tokenid === 'full')).toBe(true);
    expect(tasks({ rights: 'none', identity: 'nobody@pve!x' }).rows).toEqual([]);
  });
});

describe('task log', () => {
  it('pages with a start from 0 and numbers from 1', () => {
    const upid = all.find((task) => task.log()?.length === 1201)?.upid ?? '';
    expect(log(upid).extra.total).toBe(1201);
    expect(log(upid).data).toHaveLength(50);
    expect(log(upid, { start: '1199', limit: '50' }).data).toEqual([
      expect.objectContaining({ n: 1200 }),
      { n: 1201, t: 'TASK OK' },
    ]);
    expect(log(upid, { start: '5000' })).toEqual({ data: [], extra: { total: 1201 } });
  });

  it('makes up a line for an empty log and for a missing one', () => {
    expect(log(upidOf('srvreload', 'networking'))).toEqual({ data: [{ n: 1, t: 'no content' }], extra: { total: 1 } });
    expect(log(upidOf('qmclone', '103')).data).toEqual([{ n: 1, t: 'unable to open file - No such file or directory' }]);
  });

  it('comes double-encoded', () => {
    const text = JSON.stringify(log(upidOf('vzdump', '104'), { limit: '500' }).data);
    expect(text).toContain('GrÃ¶Ã');
  });

  it('names each guest of a multi-guest backup', () => {
    const run = all.find((task) => task.type === 'vzdump' && task.status === 'job errors');
    const text = JSON.stringify(log(run?.upid ?? '', { limit: '500' }).data);
    expect(text).toContain('ERROR: Backup of VM 116 failed - ');
    expect(text).toContain('INFO: Finished Backup of VM 100 (00:05:10)');
    expect(text).toContain('TASK ERROR: job errors');
  });

  it('is refused to others', () => {
    expect(() => log(upidOf('vzdump', '104'), {}, { rights: 'none' })).toThrow(
      'Permission check failed (/nodes/pve1, Sys.Audit)',
    );
  });
});

describe('task status', () => {
  const status = (upid: string) => call(table, `/nodes/pve1/tasks/${upid}/status`).data;

  it('takes the end from the last line of the log', () => {
    expect(status(upidOf('vzcreate', '204'))).toMatchObject({
      status: 'stopped',
      exitstatus: 'WARNINGS: 2',
      user: 'ops@pve',
      tokenid: 'full',
    });
    expect(status(upidOf('vncproxy', '100'))).toMatchObject({ exitstatus: 'unexpected status' });
  });

  it('says `running` of a running one', () => {
    expect(status(all.find((task) => task.endtime === undefined)?.upid ?? '')).toMatchObject({ status: 'running' });
  });

  it('does not know a task whose log is gone, nor nonsense', () => {
    expect(() => status(upidOf('qmclone', '103'))).toThrow('Parameter verification failed.');
    expect(() => status('xyz')).toThrow('Parameter verification failed.');
  });
});
