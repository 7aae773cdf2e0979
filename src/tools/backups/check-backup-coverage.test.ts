import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { worldOf } from '../../../test/support/demo-world.ts';
import { callAs, type Harness, openHarness } from '../../../test/support/harness.ts';
import { cursorOf, tableOf } from '../../../test/support/read-answer.ts';
import type { DemoRole } from '../../demo/types.ts';

type Rows = Record<string, string>[];

describe('check_backup_coverage', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await openHarness();
  });
  afterAll(() => h.close());

  const as = async (role: DemoRole, args: Record<string, unknown> = {}) => {
    const outcome = await callAs(h.demo, role, 'check_backup_coverage', args);
    return { ...outcome, rows: guestsOf(outcome.text) };
  };
  /** A section that is alone has no title. */
  const guestsOf = (text: string): Rows => tableOf(text, text.includes('## guests') ? 'guests' : undefined);
  const states = (rows: Rows) => Object.fromEntries(rows.map((r) => [r['vmid'], r['state']]));

  test.each(['auditor', 'full'] as const)('as %s: every state, the same as the data says', async (role) => {
    const { rows, text } = await as(role);
    expect(rows).toHaveLength([...worldOf(h.demo).guests.values()].filter((g) => !g.template).length);
    expect(states(rows)).toMatchObject({
      100: 'covered',
      105: 'job-but-no-backup',
      113: 'stale',
      116: 'stale',
      117: 'no-job',
      121: 'stale',
      122: 'stale',
      124: 'no-job',
      130: 'stale',
      205: 'no-job',
      221: 'covered',
    });
    // A disabled job covers nobody: 124 is in the pool of one.
    expect(rows.find((r) => r['vmid'] === '124')?.['jobs']).toBe('');
    expect(rows.find((r) => r['vmid'] === '100')?.['excluded']).toBe('scsi1');
    // 220 is not in it: by age alone its last backup is exactly at the limit.
    expect(text).toContain('8 no-job');
    expect(text.length).toBeLessThan(6_000);
  });

  test('last backups are those of the data, also where only the dry run tells them', async () => {
    const { rows } = await as('auditor');
    const world = worldOf(h.demo);
    const all = world.nodes
      .filter((n) => n.online)
      .flatMap((n) => world.storages.filter((s) => s.use(n.node).active).flatMap((s) => world.backups(s.storage, n.node)));
    for (const row of rows) {
      const times = all.filter((b) => b.vmid === Number(row['vmid'])).map((b) => b.ctime);
      const newest = times.length === 0 ? '' : new Date(Math.max(...times) * 1000).toISOString().slice(0, 16);
      expect(row['last_backup']?.slice(0, 16), `guest ${row['vmid']}`).toBe(newest);
    }
  });

  test('worst first: what has no backup at all, covered last', async () => {
    const { rows } = await as('auditor');
    const order = rows.map((r) => r['state']);
    expect(order[0]).toBe('job-but-no-backup');
    expect(order.at(-1)).toBe('covered');
    expect(order.lastIndexOf('stale')).toBeLessThan(order.indexOf('covered'));
  });

  test('with the backup privileges a broken newest backup does not count, without them it is said that this is not known', async () => {
    const full = await as('full');
    expect(full.rows.find((r) => r['vmid'] === '220')).toMatchObject({
      state: 'stale',
      storage: 'local',
      issues: 'newest backup is only 161 B (backup-dir)',
    });
    expect(full.rows.find((r) => r['vmid'] === '200')?.['issues']).toContain('failed verification');
    const auditor = await as('auditor');
    expect(auditor.rows.find((r) => r['vmid'] === '220')).toMatchObject({ storage: 'backup-dir' });
    expect(auditor.text).toContain('Hidden: size, verification and encryption of backups: needs VM.Backup on /vms');
    expect(auditor.text).toContain('a backup counts as good by being there');
  });

  test('orphans: what is on the backup server is only known with the privileges', async () => {
    const of = (text: string) => tableOf(text, 'orphans').map((r) => `${r['vmid']} ${r['guest']}`);
    expect(of((await as('full')).text)).toEqual(['777 gone', '901 gone', '9001 gone']);
    const auditor = await as('auditor');
    expect(of(auditor.text)).toEqual(['901 gone', '9001 gone']);
    expect(auditor.text).toContain('those without a guest there are not known');
    expect(auditor.text).toContain("may be another cluster's");
  });

  test('a closed guest looks like one that is gone, and is told apart', async () => {
    const { blindVmid } = worldOf(h.demo).areas.access.scenario;
    const { text, rows } = await as('blind-one');
    expect(rows.every((r) => r['vmid'] !== String(blindVmid))).toBe(true);
    expect(tableOf(text, 'orphans').find((r) => r['vmid'] === String(blindVmid))?.['guest']).toBe(
      'exists, not visible to this token',
    );
    expect(text).toContain(`Hidden: guests at /vms/${blindVmid}`);
  });

  test('as scoped: jobs are hidden, so no verdict; as noacl: nothing reads as none', async () => {
    const scoped = await as('scoped');
    expect(scoped.rows.length).toBeGreaterThan(5);
    expect(new Set(scoped.rows.map((r) => r['state']))).toEqual(new Set(['hidden']));
    expect(scoped.rows[0]).not.toHaveProperty('backups');
    expect(scoped.text).toContain('Hidden: backup jobs and the volumes that they leave out: needs Sys.Audit on /');
    expect(scoped.text).toContain('Hidden: storages: needs Datastore.Audit on /storage');
    const none = await as('noacl');
    expect(none.text).toMatch(/^0 visible guests to judge/);
    expect(none.text).toContain('Hidden: guests: needs VM.Audit on /vms');
  });

  test('the offline node and the dead backup server are told, and a guest is not called without backups because of them', async () => {
    const { text, rows } = await as('auditor');
    expect(text).toContain('Problem: pve3/local (node-unreachable)');
    expect(text).toContain('pbs-offsite (unreachable)');
    expect(rows.find((r) => r['vmid'] === '131')?.['backups']).toBe('');
    expect(rows.find((r) => r['vmid'] === '130')?.['issues']).toBe('its node is not online, so no job runs');
  });

  test('a job whose server does not answer: unreachable, not stale', async () => {
    const other = await openHarness({ authDelayMs: 1 });
    try {
      other.demo.faults.add({ kind: 'status-500', match: /\/storage\/pbs-main\/prunebackups/ });
      const { text } = await other.call('check_backup_coverage', { vmid: 122 });
      expect(guestsOf(text)[0]).toMatchObject({
        state: 'unreachable',
        issues: 'pbs-main does not answer, and its job writes there',
      });
      expect(text).toContain('Problem:');
    } finally {
      await other.close();
    }
  });

  test("filters, and an age of one's own", async () => {
    expect(new Set((await as('auditor', { state: 'stale' })).rows.map((r) => r['state']))).toEqual(new Set(['stale']));
    expect(new Set((await as('auditor', { node: 'pve2' })).rows.map((r) => r['node']))).toEqual(new Set(['pve2']));
    expect((await as('auditor', { pool: 'prod' })).rows.length).toBeGreaterThan(3);
    expect((await as('auditor', { vmid: 100, max_age: '1h' })).rows).toMatchObject([{ vmid: '100', state: 'stale' }]);
    const templates = (await as('auditor', { state: 'template' })).rows;
    expect(templates).toHaveLength(3);
  });

  test.each([
    [{ max_age: 'soon' }, 'is no age'],
    [{ node: 'PVE1' }, 'Did you mean pve1?'],
    [{ vmid: 99_999 }, 'There is no guest 99999'],
    [{ state: 'bad' }, 'state'],
  ])('%j is refused', async (args, said) => {
    const { text, isError } = await as('auditor', args);
    expect(isError).toBe(true);
    expect(text).toContain(said);
  });

  test('requests: one a job, one a place, one a guest on a backup server', async () => {
    const before = h.demo.requests.length;
    const fresh = await openHarness({ demo: h.demo });
    const { stats } = await fresh.call('check_backup_coverage');
    await fresh.close();
    const asked = h.demo.requests.slice(before).map((r) => r.path);
    const world = worldOf(h.demo);
    expect(asked.filter((p) => p.includes('/included_volumes'))).toHaveLength(world.backupJobs.filter((j) => j.enabled).length);
    expect(asked.filter((p) => p.includes('pbs-main'))).toHaveLength(
      [...world.guests.values()].filter((g) => !g.template).length,
    );
    // Jobs, their volumes, inventory, definitions, six places, two looked-up rights a storage, the rights themselves.
    expect(stats.requests - 32).toBeLessThanOrEqual(24);
    expect(asked.every((p) => !p.startsWith('/nodes/pve3'))).toBe(true);
  });

  test('many guests on servers that only answer guest by guest: pages by number, no verdict before the last', async () => {
    const big = await openHarness({ nodes: 5, guests: 200 });
    try {
      const seen: string[] = [];
      let cursor: string | undefined;
      let pages = 0;
      do {
        const before = big.demo.requests.length;
        const { text } = await big.call(
          'check_backup_coverage',
          { ...(cursor === undefined ? {} : { cursor }) },
          { maxChars: 40_000 },
        );
        expect(
          big.demo.requests.slice(before).filter((r) => r.path.includes('/prunebackups') && r.query['vmid'] !== undefined).length,
        ).toBeLessThanOrEqual(120);
        seen.push(...guestsOf(text).map((r) => r['vmid'] ?? ''));
        cursor = cursorOf(text);
        expect(text.split('\n')[0]).toContain('On this page');
        if (cursor !== undefined) expect(text).toContain('so far');
        pages += 1;
      } while (cursor !== undefined && pages < 20);
      const real = [...worldOf(big.demo).guests.values()].filter((g) => !g.template).map((g) => String(g.vmid));
      expect(seen).toEqual(real);
      expect(pages).toBeGreaterThan(2);
    } finally {
      await big.close();
    }
  });

  test('a slow backup server: what was reached in time, and a cursor for the rest', async () => {
    const other = await openHarness();
    try {
      other.demo.faults.add({ kind: 'slow', match: /\/storage\/pbs-main\/prunebackups/, delayMs: 400 });
      const seen: string[] = [];
      let cursor: string | undefined;
      let pages = 0;
      do {
        const args = cursor === undefined ? {} : { cursor };
        // A page without guests still has backups of no visible guest, which text would show as its only table.
        const { text } = await other.call('check_backup_coverage', args, { budgetMs: 1_340, form: 'structured' });
        const page: { summary: string; guests?: { vmid: number }[]; cursor?: string } = JSON.parse(text);
        expect(page.summary).toContain('On this page');
        seen.push(...(page.guests ?? []).map((r) => String(r.vmid)));
        cursor = page.cursor;
        pages += 1;
      } while (cursor !== undefined && pages < 12);
      expect(pages).toBeGreaterThan(1);
      expect(seen).toEqual([...worldOf(other.demo).guests.values()].filter((g) => !g.template).map((g) => String(g.vmid)));
    } finally {
      await other.close();
    }
  });

  test('with the privileges the whole of a large cluster comes at once, within the budget', async () => {
    const big = await openHarness({ nodes: 5, guests: 500, role: 'full' });
    try {
      const { stats, text } = await big.call('check_backup_coverage');
      expect(stats.requests).toBeLessThanOrEqual(45);
      expect(text.length).toBeLessThanOrEqual(10_000);
      expect(text).not.toContain('On this page');
      for (const canary of big.demo.canaries) expect(text).not.toContain(canary);
    } finally {
      await big.close();
    }
  });

  test('structured form', async () => {
    const { structured } = await h.call('check_backup_coverage', { vmid: 100 }, { form: 'structured' });
    expect(structured).toMatchObject({ guests: [{ vmid: 100, state: 'covered', may_be_s: 129_600, excluded: ['scsi1'] }] });
  });
});
