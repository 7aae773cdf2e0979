import { byText } from '../api/lenient.ts';
import type { JobVolumes } from '../cluster/backup-coverage.ts';
import type { BackupJob } from '../cluster/backup-jobs.ts';
import type { Backup } from '../cluster/backups.ts';
import type { Guest, GuestType } from '../cluster/inventory.ts';
import { longestPause } from './backup-schedule.ts';

/**
 * - `covered`: in an enabled job, and its last good backup is as young as the schedule promises
 * - `stale`: older than that
 * - `job-but-no-backup`: in an enabled job, and no good backup is there
 * - `no-job`: in no enabled job
 * - `hidden`: can't be known without another privilege
 * - `unreachable`: can't be known now: the job's storage or the storage's node does not answer
 * - `template`: not judged
 */
export const COVERAGE_STATES = ['job-but-no-backup', 'no-job', 'stale', 'unreachable', 'hidden', 'covered', 'template'] as const;
export type CoverageState = (typeof COVERAGE_STATES)[number];

/** A target of the guest's jobs whose backups were not read. */
export interface UnreadTarget {
  readonly storage: string;
  readonly why: 'hidden' | 'unreachable' | 'missing' | 'disabled';
  /** `Datastore.Audit on /storage/x`, when a right is missing. */
  readonly needs: string | undefined;
}

export interface CoverageFacts {
  readonly guest: Guest;
  /** Enabled jobs that select the guest; undefined when jobs may not be read. */
  readonly jobs: readonly BackupJob[] | undefined;
  /** Its backups on everything that was read. */
  readonly backups: readonly Backup[];
  readonly unread: readonly UnreadTarget[];
  /** Undefined: not told. */
  readonly volumes: JobVolumes | undefined;
  /** Retention of storages, by name. */
  readonly retention: ReadonlyMap<string, string | undefined>;
  readonly nodeOnline: boolean;
  /** Every storage that may hold backups of it was read; absent: not known. */
  readonly allRead?: boolean;
}

export interface CoverageOptions {
  /** Seconds since the epoch. */
  readonly now: number;
  /** Seconds; instead of what the schedules promise. */
  readonly maxAge: number | undefined;
}

export interface GuestCoverage {
  readonly guest: Guest;
  readonly state: CoverageState;
  readonly jobs: readonly string[] | undefined;
  /** Newest backup that is good, as far as that can be seen. */
  readonly last: Backup | undefined;
  /** Seconds: how old the last one may be; undefined without a job. */
  readonly allowed: number | undefined;
  /** Backups that were found; undefined where there may be some although none was found. */
  readonly count: number | undefined;
  readonly protectedCount: number;
  readonly excluded: readonly string[];
  readonly retention: string | undefined;
  /** What is wrong or to be known beside the state. */
  readonly issues: readonly string[];
}

const HOUR = 3_600;
const DAY = 86_400;
/** Allowance for a job whose schedule is not understood. */
const UNKNOWN_SCHEDULE = 8 * DAY;
/** No archive of a guest, however small, is below this. */
const LEAST_BYTES = 1_024;

/**
 * How old the last backup of a job may be, in seconds: the longest pause of its schedule, and half of it again (at least
 * two hours, at most a day) for the run itself. Daily: 36 h; weekly: 8 d.
 */
export function allowedAge(job: Pick<BackupJob, 'schedule'>): number {
  const pause = job.schedule === undefined ? undefined : longestPause(job.schedule);
  return pause === undefined ? UNKNOWN_SCHEDULE : pause + Math.min(DAY, Math.max(2 * HOUR, pause / 2));
}

/** Why a backup does not count, or undefined for a good one. What can't be seen is not held against it. */
export function flawOf(backup: Backup): string | undefined {
  if (backup.verification === 'failed') return 'failed verification';
  if (backup.size !== undefined && backup.size < LEAST_BYTES) return `is only ${backup.size} B`;
  return undefined;
}

/** Judges one guest. */
export function coverageOf(facts: CoverageFacts, options: CoverageOptions): GuestCoverage {
  const { guest, jobs } = facts;
  const backups = [...facts.backups].sort((a, b) => (b.time ?? 0) - (a.time ?? 0) || byText(a.volid, b.volid));
  const last = backups.find((b) => flawOf(b) === undefined);
  const allowed =
    jobs === undefined || jobs.length === 0 ? undefined : (options.maxAge ?? Math.min(...jobs.map((job) => allowedAge(job))));
  return {
    guest,
    state: stateOf(facts, last, allowed, options.now),
    jobs: jobs?.map((j) => j.id),
    last,
    allowed,
    count: backups.length === 0 && facts.allRead !== true ? undefined : backups.length,
    protectedCount: backups.filter((b) => b.protected === true).length,
    excluded: (facts.volumes?.excluded ?? []).map((v) => v.key),
    retention: retentionOf(facts),
    issues: issuesOf(facts, backups, last),
  };
}

function stateOf(facts: CoverageFacts, last: Backup | undefined, allowed: number | undefined, now: number): CoverageState {
  if (facts.guest.template) return 'template';
  if (facts.jobs === undefined) return 'hidden';
  if (allowed === undefined) return 'no-job';
  if (last?.time !== undefined && now - last.time <= allowed) return 'covered';
  if (facts.unread.some((t) => t.why === 'hidden')) return 'hidden';
  if (facts.unread.some((t) => t.why === 'unreachable')) return 'unreachable';
  return last === undefined ? 'job-but-no-backup' : 'stale';
}

function retentionOf({ jobs, retention }: CoverageFacts): string | undefined {
  const found = (jobs ?? []).flatMap(
    (j) => j.retention ?? (j.storage === undefined ? undefined : retention.get(j.storage)) ?? [],
  );
  return found.length === 0 ? undefined : [...new Set(found)].join('; ');
}

function issuesOf(facts: CoverageFacts, newestFirst: readonly Backup[], last: Backup | undefined): readonly string[] {
  const issues: string[] = [];
  for (const { storage, why, needs } of facts.unread) {
    if (why === 'hidden') issues.push(`backups on ${storage} not visible${needs === undefined ? '' : `: needs ${needs}`}`);
    else if (why === 'unreachable') issues.push(`${storage} does not answer, and its job writes there`);
    else issues.push(why === 'disabled' ? `job target ${storage} is disabled` : `job target ${storage} does not exist`);
  }
  if (facts.volumes?.none === true) issues.push('no volume of it is in its backups, only its configuration');
  const flawed = newestFirst.filter((b) => flawOf(b) !== undefined);
  const [worst] = flawed;
  if (worst !== undefined) {
    const newer = last === undefined || (worst.time ?? 0) > (last.time ?? 0);
    issues.push(`${newer ? 'newest backup' : `${flawed.length} older`} ${flawOf(worst)} (${worst.storage})`);
  }
  if (!facts.nodeOnline && (facts.jobs?.length ?? 0) > 0) issues.push('its node is not online, so no job runs');
  return issues;
}

/** Worst first. */
export function coverageRank(c: GuestCoverage): number {
  const rank = COVERAGE_STATES.indexOf(c.state) * 10;
  // Without any backup "no job" is worse than with one.
  if (c.state === 'no-job') return c.last === undefined ? 1 : rank;
  return c.state === 'covered' && c.issues.length + c.excluded.length === 0 ? rank + 5 : rank;
}

/** Backups that belong to no visible guest. */
export interface OrphanGroup {
  readonly vmid: number | undefined;
  readonly type: GuestType | undefined;
  readonly storage: string;
  readonly count: number;
  readonly newest: Backup;
  /** Bytes; undefined where sizes can't be seen. */
  readonly size: number | undefined;
  readonly protectedCount: number;
  /** A guest with this number is visible, but of the other kind: the number was given anew. */
  readonly numberReused: boolean;
}

export function orphansOf(backups: readonly Backup[], guests: readonly Guest[]): readonly OrphanGroup[] {
  const kinds = new Map(guests.map((g) => [g.vmid, g.type]));
  const groups = new Map<string, Backup[]>();
  for (const backup of backups) {
    if (belongsTo(backup, kinds)) continue;
    const key = `${backup.storage}\n${backup.vmid ?? ''}\n${backup.type ?? ''}`;
    groups.set(key, [...(groups.get(key) ?? []), backup]);
  }
  return [...groups.values()]
    .flatMap((group): OrphanGroup[] => {
      const sorted = [...group].sort((a, b) => (b.time ?? 0) - (a.time ?? 0));
      const [newest] = sorted;
      if (newest === undefined) return [];
      const sizes = sorted.flatMap((b) => b.size ?? []);
      return [
        {
          vmid: newest.vmid,
          type: newest.type,
          storage: newest.storage,
          count: sorted.length,
          newest,
          size: sizes.length === 0 ? undefined : sizes.reduce((sum, s) => sum + s, 0),
          protectedCount: sorted.filter((b) => b.protected === true).length,
          numberReused: newest.vmid !== undefined && kinds.has(newest.vmid),
        },
      ];
    })
    .sort((a, b) => (a.vmid ?? 0) - (b.vmid ?? 0) || byText(a.storage, b.storage));
}

function belongsTo(backup: Backup, kinds: ReadonlyMap<number, GuestType>): boolean {
  const kind = backup.vmid === undefined ? undefined : kinds.get(backup.vmid);
  return kind !== undefined && (backup.type === undefined || backup.type === kind);
}

/** The backups of each guest, for many guests: each backup is looked at once and not once a guest. */
export function backupsByGuest(backups: readonly Backup[]): (guest: Guest) => readonly Backup[] {
  const byVmid = new Map<number, Backup[]>();
  for (const backup of backups) {
    if (backup.vmid === undefined) continue;
    const known = byVmid.get(backup.vmid);
    if (known === undefined) byVmid.set(backup.vmid, [backup]);
    else known.push(backup);
  }
  return (guest) => (byVmid.get(guest.vmid) ?? []).filter((backup) => isOf(backup, guest));
}

/** Whether a backup is of the guest: same number and same kind. */
export function isOf(backup: Backup, guest: Guest): boolean {
  return backup.vmid === guest.vmid && (backup.type === undefined || backup.type === guest.type);
}
