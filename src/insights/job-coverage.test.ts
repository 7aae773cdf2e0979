import { describe, expect, test } from 'vitest';
import { parseBackupJobs } from '../cluster/backup-jobs.ts';
import { parseInventory } from '../cluster/inventory.ts';
import { jobCoverage, jobSelects } from './job-coverage.ts';

const job = (row: Record<string, unknown>) => {
  const [parsed] = parseBackupJobs([{ id: 'j', ...row }]);
  if (parsed === undefined) throw new Error('no job');
  return parsed;
};
const { guests } = parseInventory([
  { type: 'qemu', vmid: 100, node: 'a', pool: 'prod', status: 'running' },
  { type: 'lxc', vmid: '101', node: 'b', pool: 'prod/web', status: 'stopped' },
  { type: 'qemu', vmid: 102, node: 'a', template: 1, status: 'stopped' },
]);

describe('which guests a job selects', () => {
  test.each([
    [{ all: 1 }, [100, 101, 102]],
    [{ all: '1', exclude: '101, 102' }, [100]],
    [{ all: 1, exclude: '101;102' }, [100]],
    [{ vmid: '100,101' }, [100, 101]],
    [{ vmid: 101 }, [101]],
    [{ pool: 'prod' }, [100]],
    [{ all: 1, node: 'b' }, [101]],
    [{ vmid: '100', node: 'b' }, []],
    [{}, []],
  ])('%j', (row, expected) => {
    expect(guests.filter((g) => jobSelects(job(row), g)).map((g) => g.vmid)).toEqual(expected);
  });

  test('disabled jobs cover nobody, templates are not missed, missing guests are named', () => {
    const jobs = [job({ id: 'off', all: 1, enabled: 0 }), job({ id: 'on', vmid: '100,999' })];
    const { uncovered, missing, jobsOf } = jobCoverage(jobs, guests);
    expect(uncovered.map((g) => g.vmid)).toEqual([101]);
    expect(jobsOf.get(100)).toEqual(['on']);
    expect([...missing]).toEqual([['on', [999]]]);
  });

  test('rows without id are left out, old jobs keep their weekdays, retention is text in every form', () => {
    const jobs = parseBackupJobs([
      { all: 1 },
      null,
      { id: 'old', dow: 'mon,fri', starttime: '02:00', maxfiles: '3' },
      { id: 'new', 'prune-backups': { 'keep-last': '3' } },
    ]);
    expect(jobs.map((j) => [j.id, j.schedule, j.retention])).toEqual([
      ['new', undefined, 'keep-last=3'],
      ['old', 'mon,fri 02:00', 'keep-last=3'],
    ]);
  });
});
