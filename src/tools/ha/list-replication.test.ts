import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callAs, type Harness, openHarness } from '../../../test/support/harness.ts';
import { tableOf } from '../../../test/support/read-answer.ts';

describe('list_replication', () => {
  let h: Harness;
  let text: string;
  let rows: Record<string, string>[];
  beforeAll(async () => {
    h = await openHarness();
    text = (await h.call('list_replication')).text;
    rows = tableOf(text);
  });
  afterAll(() => h.close());

  const job = (id: string) => rows.find((r) => r['job'] === id);

  test('every job of the cluster, those of an offline source too', () => {
    expect(rows.map((r) => r['job']).sort()).toEqual(h.demo.world.areas.replication.jobs.map((j) => j.id).sort());
  });

  test('the worst first: failing, unknown, late, never ran; then the others', () => {
    expect(rows.map((r) => r['state'])).toEqual(['failing', 'unknown', 'late', 'never ran', 'ok', 'ok', 'disabled']);
    expect(text).toMatch(/^7 replication jobs: 1 failing, 1 unknown, 1 late, 1 never ran, 2 ok, 1 disabled/);
  });

  test('failures with their reason; lateness judged by the schedule', () => {
    expect(job('112-0')).toMatchObject({
      state: 'failing',
      failures: '4',
      error: expect.stringContaining('zfs snapshot'),
      lag: '3 h',
    });
    // No error, a next run in a few minutes, and yet 26 hours behind.
    expect(job('203-0')).toMatchObject({ state: 'late', every: '15 min', lag: '1.1 d', error: '' });
    // Takes a minute, and is on time.
    expect(job('101-0')).toMatchObject({ state: 'ok', every: '30 min', took: '1 min', comment: 'database – täglich geprüft' });
    expect(job('109-0')).toMatchObject({ state: 'disabled', next: '' });
    expect(job('205-0')).toMatchObject({ state: 'never ran', lag: '', last_sync: '' });
    expect(job('121-0')).toMatchObject({ schedule: '*/15' });
  });

  test('an offline source: its jobs are unknown, and that is a problem', () => {
    expect(job('131-0')).toMatchObject({ source: 'pve3', state: 'unknown', last_sync: '' });
    expect(text).toContain('Problem: pve3 (node-unreachable)');
  });

  test('one job alone has its log, the newest line first', async () => {
    const { text: one } = await h.call('list_replication', { job: '112-0' });
    expect(tableOf(one).map((r) => r['job'])).toEqual(['112-0']);
    const { log = [] } = h.demo.world.areas.replication.jobs.find((j) => j.id === '112-0') ?? {};
    const at = log.map((line) => one.indexOf(line));
    expect(at.length).toBeGreaterThan(2);
    expect(Math.min(...at)).toBeGreaterThan(0);
    expect(at).toEqual([...at].sort((a, b) => b - a));
    expect((await h.call('list_replication', { job: '205-0' })).text).toContain('Its node keeps no log of it.');
    const unknown = await h.call('list_replication', { job: '131-0' });
    expect(unknown.text).toContain('Problem: pve3 (node-unreachable)');
    expect(unknown.text).not.toContain('keeps no log');
  });

  test('a job that is not there, and one that can not be a job', async () => {
    expect((await h.call('list_replication', { job: '112-9' })).text).toContain('Jobs: 101-0');
    expect(await h.call('list_replication', { job: '../x' })).toMatchObject({ isError: true, errorKind: 'bad-argument' });
    const hidden = await callAs(h.demo, 'noacl', 'list_replication', { job: '112-0' });
    expect(hidden.text).toContain('No replication job 112-0 is visible');
  });

  test('one request a source, none to the offline node', async () => {
    const fresh = await openHarness({ demo: h.demo });
    const before = h.demo.requests.length;
    await fresh.call('list_replication');
    const asked = h.demo.requests.slice(before).map((r) => r.path);
    expect(asked.filter((p) => p.endsWith('/replication')).sort()).toEqual([
      '/cluster/replication',
      '/nodes/pve1/replication',
      '/nodes/pve2/replication',
    ]);
    await fresh.close();
  });

  test('of one source', async () => {
    const answer = await h.call('list_replication', { node: 'pve2' });
    expect(tableOf(answer.text).map((r) => r['job'])).toEqual(['121-0']);
    expect(answer.text).not.toContain('pve3');
  });

  test('a node that hangs costs its own jobs', async () => {
    const slow = await openHarness({ demo: h.demo, cluster: { timeoutMs: 700 } });
    const off = h.demo.faults.add({ kind: 'hang', match: '/nodes/pve2' });
    const answer = await slow.call('list_replication');
    off();
    const found = tableOf(answer.text);
    expect(found).toHaveLength(7);
    expect(found.find((r) => r['job'] === '121-0')?.['state']).toBe('unknown');
    expect(found.find((r) => r['job'] === '112-0')?.['state']).toBe('failing');
    expect(answer.text).toMatch(/^Problem: pve2 \(timeout\)/m);
    await slow.close();
  });

  test('T5 what the token may not see is hidden, and never "none"', async () => {
    const answer = await callAs(h.demo, 'noacl', 'list_replication');
    expect(answer.text).toMatch(/^No visible replication jobs/);
    expect(answer.text).toContain('Hidden: guests: needs VM.Audit on /vms');
  });

  test('the configuration that can not be read is no empty list', async () => {
    const off = h.demo.faults.add({ kind: 'status-500', match: /replication$/ });
    const answer = await h.call('list_replication');
    off();
    expect(answer.text).toMatch(/^No replication job seen, but not everything could be read/);
  });

  test('T3 wrong case of a node', async () => {
    const answer = await h.call('list_replication', { node: 'PVE1' });
    expect(answer.isError).toBe(true);
    expect(answer.text).toContain('Did you mean pve1?');
  });

  test('secrets stay out; the structured form has units in its keys', async () => {
    const { structured } = await h.call('list_replication', {}, { form: 'structured' });
    for (const canary of h.demo.canaries) expect(JSON.stringify(structured)).not.toContain(canary);
    expect(structured).toMatchObject({
      jobs: expect.arrayContaining([expect.objectContaining({ job: '112-0', failures: 4, every_s: 900 })]),
    });
  });
});

test.each(['8.4', '7.4'] as const)('release %s', async (release) => {
  const h = await openHarness({ release });
  expect(tableOf((await h.call('list_replication')).text)).toHaveLength(7);
  await h.close();
});

test('no jobs at all, and that is known', async () => {
  const h = await openHarness({ standalone: true });
  expect((await h.call('list_replication')).text).toBe('No replication jobs');
  await h.close();
});
