import { int, record, table, text, time } from '../../answer/spec.ts';
import { counted } from '../../answer/units.ts';
import { mergeGaps, visibleWord } from '../../api/reading.ts';
import { type BackupJob, readBackupJobs } from '../../cluster/backup-jobs.ts';
import { type Guest, guestCoverage, readInventory } from '../../cluster/inventory.ts';
import { jobCoverage, jobSelects } from '../../insights/job-coverage.ts';
import { defineTool } from '../define-tool.ts';
import { RIGHTS_READS } from '../rights-reads.ts';

const MAX_NAMED = 30;

export const listBackupJobs = defineTool({
  name: 'list_backup_jobs',
  title: 'List backup jobs',
  toolset: 'backups',
  description: 'Backup jobs with schedule, next run, target, retention, and which guests are in no enabled job.',
  params: {},
  paged: true,
  output: {
    jobs: table({
      id: text(),
      state: text(),
      schedule: text(),
      next_run: time(),
      storage: text(),
      selects: text(),
      guests: int('visible guests it covers, templates included'),
      mode: text(),
      retention: text(),
      mail: text(),
      comment: text(),
    }),
    uncovered: record({ count: int('guests in no enabled job, templates apart'), guests: text() }),
  },
  reads: ['/cluster/backup', '/cluster/resources', ...RIGHTS_READS],
  async run(_args, call) {
    const [jobs, inventory, coverage] = await Promise.all([readBackupJobs(call), readInventory(call), guestCoverage(call)]);
    const { uncovered, missing } = jobCoverage(jobs, inventory.guests);
    const enabled = jobs.filter((j) => j.enabled).length;
    return {
      headline: `${counted(jobs.length, 'backup job')}, ${enabled} enabled; ${uncovered.length} of ${inventory.guests.filter((g) => !g.template).length} ${visibleWord(coverage)}guests in no enabled job`,
      sections: {
        jobs: { rows: jobs.map((job) => toRow(job, inventory.guests)), key: (row) => [row.id ?? ''] },
        uncovered: uncovered.length === 0 ? undefined : { count: uncovered.length, guests: named(uncovered) },
      },
      gaps: mergeGaps(coverage),
      notes: [...missing].map(([id, vmids]) => `Job ${id} names ${vmids.join(', ')}: no such guest is visible.`),
      next: uncovered.length === 0 ? [] : ['check_backup_coverage tells the age of the last backups'],
    };
  },
});

function toRow(job: BackupJob, guests: readonly Guest[]) {
  return {
    id: job.id,
    state: job.enabled ? 'enabled' : 'disabled',
    schedule: job.schedule,
    next_run: job.enabled ? job.nextRun : undefined,
    storage: job.storage,
    selects: selectionText(job),
    guests: guests.filter((g) => jobSelects(job, g)).length,
    mode: job.mode,
    retention: job.retention,
    mail: job.mailto,
    comment: job.comment,
  };
}

/** What a job picks, in words: `all except 102,111 on pve1`. */
export function selectionText(job: BackupJob): string {
  const { selection } = job;
  const what =
    selection.kind === 'all'
      ? `all${selection.exclude.length === 0 ? '' : ` except ${selection.exclude.join(',')}`}`
      : selection.kind === 'pool'
        ? `pool ${selection.pool}`
        : `guests ${selection.vmids.join(',')}`;
  return job.node === undefined ? what : `${what} on ${job.node}`;
}

function named(guests: readonly Guest[]): string {
  const shown = guests.slice(0, MAX_NAMED).map((g) => (g.name === undefined ? String(g.vmid) : `${g.vmid} ${g.name}`));
  const rest = guests.length - shown.length;
  return shown.join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
