import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { worldOf } from '../../../test/support/demo-world.ts';
import { callAs, type Harness, openHarness } from '../../../test/support/harness.ts';
import { cursorOf, tableOf } from '../../../test/support/read-answer.ts';

let logs: Harness;
let auditor: Harness;
beforeAll(async () => {
  logs = await openHarness({ role: 'logs' });
  auditor = await openHarness({ demo: logs.demo });
});
afterAll(async () => {
  await auditor.close();
  await logs.close();
});

const WIDE = { maxChars: 40_000 };
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** The rows of a timeline, without how long ago they were; a page has no columns that are empty in all of its rows. */
function eventsOf(text: string): string[] {
  return tableOf(text).map(({ time, ...row }) => [time?.slice(0, 17), ...Object.values(row).filter((v) => v !== '')].join(' '));
}

describe('get_incident_timeline', () => {
  test('tasks, log, starts, HA and replication of a day, oldest first, compared with the data set', async () => {
    logs.session.forget();
    const { text, stats } = await logs.call('get_incident_timeline', { since: '24h' }, WIDE);
    const rows = tableOf(text);
    expect(new Set(rows.map((r) => r['source']))).toEqual(new Set(['task', 'log', 'boot', 'ha', 'replication', 'metrics']));
    const times = rows.map((r) => r['time']?.slice(0, 17) ?? '');
    expect(times).toEqual([...times].sort());
    const world = worldOf(logs.demo);
    const now = world.now / 1000;
    const failed = [...world.tasks.values()]
      .flat()
      .filter(
        (t) => t.endtime !== undefined && t.endtime > now - 86_000 && t.status !== undefined && !/^OK$|^WARN/.test(t.status),
      );
    expect(failed.length).toBeGreaterThan(0);
    const errors = rows.filter((r) => r['source'] === 'task' && r['severity'] === 'error').map((r) => r['what'] ?? '');
    for (const t of failed)
      expect(
        errors.some((what) => what.startsWith(t.type) && what.includes(t.status ?? '')),
        t.upid,
      ).toBe(true);
    expect(text).toContain('last sign of life of the local HA manager of pve2');
    expect(text).toContain('replication 112-0 to pve2 failed');
    expect(text).toMatch(/authentication failure.*\(2 times in/);
    // 2 nodes' tasks, 3 nodes' measurements, 2 sources of replication, and one each of the rest.
    expect(stats.requests).toBeLessThanOrEqual(16);
  });

  test('without the right to the log: the rest, and what is hidden', async () => {
    const { text } = await auditor.call('get_incident_timeline', { since: '24h' }, WIDE);
    expect(text).toContain('Hidden: entries of others in the cluster log: needs Sys.Syslog on /');
    expect(text).toMatch(/visible events from .*, of what could be read:/);
    expect(text).toMatch(/pve3 \(node-unreachable\)/);
    expect(tableOf(text).map((r) => r['source'])).not.toContain('log');
  });

  test('one guest: what HA says of it now, and what is left out', async () => {
    const { text } = await auditor.call('get_incident_timeline', { vmid: 220 }, WIDE);
    expect(text).toMatch(/^Note: HA keeps no history; as of now: ct:220 error\.$/m);
    expect(text).toMatch(/^Note: .*The cluster log names no guests and is left out/m);
    expect((await auditor.call('get_incident_timeline', { vmid: 113 }, WIDE)).text).not.toContain('ct:220');
  });

  test('one guest, one node, only errors', async () => {
    const guest = tableOf((await auditor.call('get_incident_timeline', { vmid: 116, since: '3d' }, WIDE)).text);
    expect(guest.length).toBeGreaterThan(0);
    expect(new Set(guest.map((r) => r['vmid']))).toEqual(new Set(['116']));
    const here = tableOf((await auditor.call('get_incident_timeline', { node: 'pve2', since: '24h' }, WIDE)).text);
    expect(new Set(here.map((r) => r['node']))).toEqual(new Set(['pve2']));
    const errors = tableOf((await auditor.call('get_incident_timeline', { since: '24h', severity: 'error' }, WIDE)).text);
    expect(new Set(errors.map((r) => r['severity']))).toEqual(new Set(['error']));
  });

  test('the span bounds what is told', async () => {
    const { text } = await auditor.call('get_incident_timeline', { since: '7d', until: '6d' }, { form: 'structured', ...WIDE });
    const { events }: { events: { time: string }[] } = JSON.parse(text);
    const now = Date.now();
    for (const { time } of events) {
      expect(Date.parse(time)).toBeGreaterThanOrEqual(now - 7 * 86_400_000 - 60_000);
      expect(Date.parse(time)).toBeLessThanOrEqual(now - 6 * 86_400_000 + 60_000);
    }
  });

  test('pages continue without loss or repeat, however long a reader takes over one', async () => {
    let late = 0;
    const harness = await openHarness({ demo: logs.demo, clock: () => Date.now() + late });
    const asked = Date.now();
    const span = { since: new Date(asked - 2 * DAY).toISOString(), until: new Date(asked - 2 * HOUR).toISOString() };
    for (const args of [span, { since: '2d', until: '2h' }, { since: '2d' }]) {
      late = asked - Date.now();
      const all = eventsOf((await harness.call('get_incident_timeline', args, WIDE)).text);
      late = asked - Date.now();
      const pages: string[][] = [];
      let cursor: string | undefined;
      do {
        const { text } = await harness.call('get_incident_timeline', { ...args, limit: 5, cursor }, WIDE);
        pages.push(eventsOf(text));
        expect(text).toContain(`of ${all.length} shown`);
        cursor = cursorOf(text);
        // What was read is not used again after this long.
        late += 10 * 60_000;
      } while (cursor !== undefined);
      expect(pages.slice(0, -1).map((page) => page.length)).toEqual(pages.slice(0, -1).map(() => 5));
      expect(pages.flat()).toEqual(all);
    }
    await harness.close();
  });

  test('without rights nothing is claimed', async () => {
    const { text, isError } = await callAs(logs.demo, 'noacl', 'get_incident_timeline', {}, WIDE);
    expect(isError).toBe(false);
    expect(text).toMatch(/^0 visible events/);
    expect(text).toContain("Hidden: other users' tasks: needs Sys.Audit on /nodes");
  });

  test('no secret of the data set is in it', async () => {
    const { text } = await logs.call('get_incident_timeline', { since: '30d' }, WIDE);
    expect(logs.demo.canaries.filter((canary) => text.includes(canary))).toEqual([]);
  });

  test('a node that hangs costs its own part', async () => {
    const off = logs.demo.faults.add({ kind: 'hang', match: '/nodes/pve2/tasks' });
    const harness = await openHarness({ demo: logs.demo, cluster: { timeoutMs: 500 } });
    const { text } = await harness.call('get_incident_timeline', { since: '24h' }, WIDE);
    off();
    await harness.close();
    expect(text).toMatch(/pve2 \(timeout\)/);
    expect(text).toContain('vzdump');
  });

  test.each([
    [{ since: '1h', until: '2h' }, /since is not before until/],
    [{ node: 'PVE1' }, /Did you mean pve1/],
    [{ vmid: 999 }, /no guest 999/],
    [{ since: 'yesterday' }, /is no time/],
  ])('%j is refused', async (args, words) => {
    const { isError, text } = await auditor.call('get_incident_timeline', args);
    expect(isError).toBe(true);
    expect(text).toMatch(words);
  });
});
