import type { BackupJob } from '../cluster/backup-jobs.ts';
import type { Guest } from '../cluster/inventory.ts';

/**
 * Whether a job would back up a guest, by the job's own rules: everything but its exclusions, the members of a pool,
 * or named guests; and only on the job's node when it has one. Says nothing about whether the job is enabled.
 */
export function jobSelects(job: BackupJob, guest: Pick<Guest, 'vmid' | 'node' | 'pool'>): boolean {
  if (job.node !== undefined && job.node !== guest.node) return false;
  if (job.selection.kind === 'all') return !job.selection.exclude.includes(guest.vmid);
  if (job.selection.kind === 'pool') return guest.pool === job.selection.pool;
  return job.selection.vmids.includes(guest.vmid);
}

export interface JobCoverage {
  /** Enabled jobs that select the guest, by vmid. */
  readonly jobsOf: ReadonlyMap<number, readonly string[]>;
  /** Guests in no enabled job, templates apart. */
  readonly uncovered: readonly Guest[];
  /** Vmids that a job names although no visible guest has them. */
  readonly missing: ReadonlyMap<string, readonly number[]>;
}

/**
 * Which guests are in which enabled job. A disabled job covers nobody, whatever the API's own "not backed up" list
 * says. Needs no further request.
 */
export function jobCoverage(jobs: readonly BackupJob[], guests: readonly Guest[]): JobCoverage {
  const enabled = jobs.filter((job) => job.enabled);
  const jobsOf = new Map(guests.map((g) => [g.vmid, enabled.filter((job) => jobSelects(job, g)).map((job) => job.id)]));
  const known = new Set(guests.map((g) => g.vmid));
  const missing = new Map(
    jobs.flatMap((job) => {
      const named = job.selection.kind === 'guests' ? job.selection.vmids.filter((v) => !known.has(v)) : [];
      return named.length === 0 ? [] : [[job.id, named] as const];
    }),
  );
  return { jobsOf, uncovered: guests.filter((g) => !g.template && (jobsOf.get(g.vmid)?.length ?? 0) === 0), missing };
}
