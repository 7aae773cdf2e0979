import { counted, formatAge, formatDuration } from '../../answer/units.ts';
import type { PlaceReading } from '../../cluster/backup-coverage.ts';
import type { BackupJob } from '../../cluster/backup-jobs.ts';
import { type Guest, isOnline } from '../../cluster/inventory.ts';
import type { StorageDefinition } from '../../cluster/storage.ts';
import { backupsByGuest, coverageOf, flawOf, type GuestCoverage, orphansOf, type UnreadTarget } from '../backup-coverage.ts';
import { jobCoverage, jobSelects } from '../job-coverage.ts';
import {
  type Check,
  CLUSTER,
  defineCheck,
  type Finding,
  type Judging,
  onGuest,
  onStorage,
  onThing,
  some,
  type Target,
} from './check.ts';

/** Backup jobs, and with a deep check the backups themselves. */
export const backupChecks: readonly Check[] = [
  defineCheck({
    id: 'PVE-B01',
    area: 'backups',
    severity: 'warning',
    what: 'Guest in no backup job',
    why: 'nothing backs it up',
    command: 'pvesh set /cluster/backup/JOB (or add the guest to a pool that a job covers)',
    needs: ['jobs', 'guests'],
    judge: ({ jobs, guests }) =>
      jobs.some((j) => j.enabled)
        ? jobCoverage(jobs, guests).uncovered.map((g) => ({ on: onGuest(g), evidence: disabledFor(jobs, g) }))
        : [],
  }),
  defineCheck({
    id: 'PVE-B02',
    area: 'backups',
    severity: 'critical',
    what: 'No backup job at all',
    why: 'no guest is backed up by the cluster',
    command: 'pvesh create /cluster/backup --all 1 --storage STORAGE --schedule 02:00',
    needs: ['jobs', 'guests'],
    judge: ({ jobs, guests }) =>
      guests.some((g) => !g.template) && !jobs.some((j) => j.enabled)
        ? [{ on: CLUSTER, evidence: jobs.length === 0 ? 'none defined' : `${counted(jobs.length, 'job')}, all disabled` }]
        : [],
  }),
  defineCheck({
    id: 'PVE-B03',
    area: 'backups',
    severity: 'info',
    what: 'Backup job disabled',
    why: 'it covers nobody, although the list of jobs looks as if it did',
    command: 'pvesh set /cluster/backup/<name> --enabled 1',
    needs: ['jobs'],
    judge: ({ jobs }) =>
      jobs.flatMap((j) =>
        j.enabled ? [] : [{ on: onJob(j), evidence: [selectionText(j), j.schedule].filter((p) => p !== undefined).join(', ') }],
      ),
  }),
  defineCheck({
    id: 'PVE-B04',
    area: 'backups',
    severity: 'critical',
    what: 'Backup job writes to a storage that is not there',
    why: 'every run of it fails',
    command: 'pvesh set /cluster/backup/<name> --storage STORAGE',
    needs: ['jobs', 'allStorages', 'storages'],
    judge: ({ jobs, allStorages, storages }) =>
      jobs.flatMap((j): Finding[] => {
        if (!j.enabled || j.storage === undefined) return [];
        const target = allStorages.find((d) => d.storage === j.storage);
        if (target === undefined) return [{ on: onJob(j), evidence: `${j.storage} is not defined` }];
        if (!target.enabled) return [{ on: onJob(j), evidence: `${j.storage} is disabled` }];
        if (!target.content.includes('backup')) return [{ on: onJob(j), evidence: `${j.storage} takes no backups` }];
        const parts = storages.filter((s) => s.storage === j.storage);
        return parts.length > 0 && parts.every((s) => s.state === 'inactive')
          ? [{ on: onJob(j), evidence: `${j.storage} is not reachable` }]
          : [];
      }),
  }),
  defineCheck({
    id: 'PVE-B05',
    area: 'backups',
    severity: 'info',
    what: 'Backup job names guests that do not exist',
    why: 'left over; a new guest with the number is backed up unasked',
    command: 'pvesh get /cluster/backup/<name>',
    // Only a list that is known to be whole can show that a guest is gone.
    needs: ['jobs', 'allGuests'],
    judge: ({ jobs, allGuests }) => {
      const vmids = new Set(allGuests.map((g) => g.vmid));
      return jobs.flatMap((j) => {
        const gone = j.selection.kind === 'guests' ? j.selection.vmids.filter((v) => !vmids.has(v)) : [];
        return gone.length === 0 ? [] : [{ on: onJob(j), evidence: some(gone) }];
      });
    },
  }),
  defineCheck({
    id: 'PVE-B06',
    area: 'backups',
    severity: 'info',
    what: 'Backups are never pruned',
    why: 'the storage fills up until backups fail',
    command: "pvesm set <storage> --prune-backups 'keep-daily=7,keep-weekly=4'",
    needs: ['jobs', 'definitions'],
    judge: ({ jobs, definitions }) =>
      definitions.flatMap((d) => {
        const writers = jobs.filter((j) => j.enabled && j.storage === d.storage && j.retention === undefined);
        return d.retention !== undefined || writers.length === 0
          ? []
          : [{ on: onStorage(d.storage), evidence: `job ${some(writers.map((j) => j.id))}` }];
      }),
  }),
  defineCheck({
    id: 'PVE-B07',
    area: 'backups',
    severity: 'warning',
    what: 'Backup job bound to a node that is not online',
    why: 'it does not run',
    command: 'pvesh get /cluster/backup/<name>',
    needs: ['jobs', 'nodes'],
    judge: ({ jobs, nodes }) =>
      jobs.flatMap((j) => {
        const node = j.enabled && j.node !== undefined ? j.node : undefined;
        if (node === undefined) return [];
        const found = nodes.find((n) => n.node === node);
        return found?.status === 'online'
          ? []
          : [{ on: onJob(j), evidence: `${node} ${found === undefined ? 'does not exist' : `is ${found.status}`}` }];
      }),
  }),
  defineCheck({
    id: 'PVE-B08',
    area: 'backups',
    severity: 'warning',
    what: 'Backup job selects nothing',
    why: 'its pool is empty or gone, so it looks like a backup and is none',
    command: 'pvesh get /cluster/backup/<name>',
    needs: ['jobs', 'allGuests'],
    judge: ({ jobs, allGuests }) =>
      jobs.flatMap((j) =>
        j.enabled && !allGuests.some((g) => jobSelects(j, g)) ? [{ on: onJob(j), evidence: selectionText(j) }] : [],
      ),
  }),
  defineCheck({
    id: 'PVE-B09',
    area: 'backups',
    severity: 'warning',
    what: 'Last backup too old',
    why: 'its job should have made a newer one',
    command: 'check_backup_coverage; pvenode task list --typefilter vzdump --errors 1',
    needs: ['jobs', 'guests', 'nodes', 'backups', 'definitions'],
    judge: (facts, by) =>
      judged(facts, by).flatMap((c) =>
        c.state === 'stale' && c.last?.time !== undefined
          ? [
              {
                on: onGuest(c.guest),
                evidence: `${formatAge(c.last.time, by.now * 1000)}, allowed ${formatDuration(c.allowed ?? 0)}`,
              },
            ]
          : [],
      ),
  }),
  defineCheck({
    id: 'PVE-B10',
    area: 'backups',
    severity: 'critical',
    what: 'In a backup job, but without a good backup',
    why: 'there is nothing to restore it from',
    command: 'vzdump <vmid> --storage STORAGE',
    needs: ['jobs', 'guests', 'nodes', 'backups', 'definitions'],
    judge: (facts, by) =>
      judged(facts, by).flatMap((c) =>
        c.state === 'job-but-no-backup'
          ? [{ on: onGuest(c.guest), evidence: c.issues[0] ?? `job ${some(c.jobs ?? [], 2)}` }]
          : [],
      ),
  }),
  defineCheck({
    id: 'PVE-B11',
    area: 'backups',
    severity: 'warning',
    what: 'Backup failed its verification, or is empty',
    why: 'it cannot be restored',
    command: 'proxmox-backup-client snapshot list (verify state on the backup server)',
    needs: ['guests', 'backups'],
    judge: ({ guests, backups }) => {
      const flawed = backupsByGuest(backups.backups.filter((b) => flawOf(b) !== undefined));
      return guests.flatMap((g) => {
        const bad = flawed(g);
        const [first] = bad;
        return first === undefined ? [] : [{ on: onGuest(g), evidence: `${counted(bad.length, 'backup')} on ${first.storage}` }];
      });
    },
  }),
  defineCheck({
    id: 'PVE-B12',
    area: 'backups',
    severity: 'info',
    what: 'Backups of guests that are gone',
    why: 'they are pruned by no job and take space',
    command: 'pvesm list <storage> --vmid VMID',
    needs: ['allGuests', 'backups'],
    judge: ({ allGuests, backups }) =>
      orphansOf(backups.backups, allGuests).map((o) => ({
        on: onStorage(o.storage),
        evidence: `${o.type === 'lxc' ? 'CT' : 'VM'} ${o.vmid ?? '?'}: ${counted(o.count, 'backup')}${o.numberReused ? ', number is another guest now' : ''}`,
      })),
  }),
  defineCheck({
    id: 'PVE-B13',
    area: 'backups',
    severity: 'info',
    what: 'Disk left out of backups',
    why: 'a restored guest comes back without it',
    command: 'qm set <vmid> --DISK VOLUME,backup=1',
    needs: ['jobs', 'details'],
    judge: ({ jobs, details }) =>
      [...details.values()].flatMap(({ guest, config }) => {
        if (config === undefined || !jobs.some((j) => j.enabled && jobSelects(j, guest))) return [];
        const out = config.disks.filter((d) => d.backup === false && (d.kind === 'disk' || d.kind === 'mount')).map((d) => d.key);
        return out.length === 0 ? [] : [{ on: onGuest(guest), evidence: `${guest.vmid} ${out.join(', ')}` }];
      }),
  }),
];

function onJob(job: BackupJob): Target {
  return onThing(job.id.length > 24 ? `${job.id.slice(0, 20)}...` : job.id, { node: job.node });
}

function selectionText(job: BackupJob): string {
  const { selection } = job;
  if (selection.kind === 'all') return 'all guests';
  return selection.kind === 'pool' ? `pool ${selection.pool}` : `guests ${some(selection.vmids)}`;
}

function disabledFor(jobs: readonly BackupJob[], guest: Guest): string {
  const off = jobs.filter((j) => !j.enabled && jobSelects(j, guest)).map((j) => j.id);
  return off.length === 0 ? 'no enabled job selects it' : `only in disabled ${some(off, 2)}`;
}

interface CoverageInput {
  readonly jobs: readonly BackupJob[];
  readonly guests: readonly Guest[];
  readonly nodes: readonly { readonly node: string; readonly status: string }[];
  readonly definitions: readonly StorageDefinition[];
  readonly backups: { readonly backups: Parameters<typeof orphansOf>[0]; readonly places: readonly PlaceReading[] };
}

/** Guests whose job targets were all read: anything else would be a guess. */
function judged({ jobs, guests, nodes, definitions, backups }: CoverageInput, by: Judging): readonly GuestCoverage[] {
  const backupsOf = backupsByGuest(backups.backups);
  return guests.flatMap((guest) => {
    const mine = jobs.filter((j) => j.enabled && jobSelects(j, guest));
    if (guest.template || mine.length === 0) return [];
    const unread = mine.flatMap((j) => unreadTarget(j, guest, backups.places, definitions) ?? []);
    return [
      coverageOf(
        {
          guest,
          jobs: mine,
          backups: backupsOf(guest),
          unread,
          allRead: unread.length === 0,
          volumes: undefined,
          retention: new Map(),
          nodeOnline: isOnline(nodes, guest.node),
        },
        { now: by.now, maxAge: undefined },
      ),
    ];
  });
}

function unreadTarget(
  job: BackupJob,
  guest: Guest,
  places: readonly PlaceReading[],
  definitions: readonly StorageDefinition[],
): UnreadTarget | undefined {
  const { storage } = job;
  if (storage === undefined) return { storage: "the node's default", why: 'hidden', needs: undefined };
  const place = places.find((p) => p.storage === storage && (p.node === undefined || p.node === guest.node));
  if (place === undefined)
    return {
      storage,
      why: definitions.find((d) => d.storage === storage)?.enabled === false ? 'disabled' : 'hidden',
      needs: undefined,
    };
  // Servers that can only be asked guest by guest were not asked here.
  if (place.state === 'guests') return { storage, why: 'hidden', needs: undefined };
  return place.state === 'read' ? undefined : { storage, why: place.state, needs: place.needs };
}
