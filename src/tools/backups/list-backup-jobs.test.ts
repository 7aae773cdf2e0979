import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callAs, type Harness, openHarness } from '../../../test/support/harness.ts';
import { recordOf, tableOf } from '../../../test/support/read-answer.ts';

describe('list_backup_jobs', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await openHarness();
  });
  afterAll(() => h.close());

  test('every job with schedule, target and what it selects; next runs lie ahead', async () => {
    const { text, stats } = await h.call('list_backup_jobs');
    const rows = tableOf(text, 'jobs');
    expect(rows.map((r) => r['id']).sort()).toEqual(h.demo.world.backupJobs.map((j) => j.id).sort());
    for (const job of h.demo.world.backupJobs) {
      const row = rows.find((r) => r['id'] === job.id);
      expect(row?.['state']).toBe(job.enabled ? 'enabled' : 'disabled');
      expect(row?.['schedule']).toBe(job.schedule);
      if (job.enabled) expect(row?.['next_run']).toMatch(/in \d/);
    }
    expect(stats.requests).toBeLessThanOrEqual(5);
  });

  test('a disabled job covers nobody', async () => {
    const { text } = await h.call('list_backup_jobs');
    const uncovered = recordOf(text, 'uncovered');
    const covered = new Set<number>();
    for (const job of h.demo.world.backupJobs.filter((j) => j.enabled)) {
      for (const g of h.demo.world.guests.values()) {
        const selected = job.all
          ? !job.exclude.includes(g.vmid)
          : job.pool !== undefined
            ? g.pool === job.pool
            : job.vmids.includes(g.vmid);
        if (selected && (job.node === undefined || job.node === g.node)) covered.add(g.vmid);
      }
    }
    const expected = [...h.demo.world.guests.values()].filter((g) => !covered.has(g.vmid) && !(g.template && g.node !== 'pve3'));
    expect(uncovered['count']).toBe(String(expected.length));
  });

  test('a job that names a guest which is not there is told', async () => {
    expect((await h.call('list_backup_jobs')).text).toContain('Job backup-two names 9001');
  });

  test('without rights it is forbidden, with what is needed; the scoped token is told its guests are not all', async () => {
    const { isError, text } = await callAs(h.demo, 'noacl', 'list_backup_jobs');
    expect(isError).toBe(true);
    expect(text).toContain('Needs: Sys.Audit on /');
    expect((await callAs(h.demo, 'blind-one', 'list_backup_jobs')).text).toContain('visible guests');
  });
});
