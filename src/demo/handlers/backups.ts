import { DemoHttpError, type HandlerRequest, type HandlerTable } from '../types.ts';
import { localOffset } from '../world/nights.ts';
import type { ConfigValue, DemoBackupJob, DemoGuest, DemoWorld, GuestConfig } from '../world/types.ts';
import { badParameter, demand, forbidden, nodeOf, parameter, seconds } from './answers.ts';
import { nextEvents } from './calendar-event.ts';
import { isKnown, unordered } from './guest-lookup.ts';
import type { Row } from './resource-rows.ts';

/** vzdump: jobs, what they cover, defaults, and configurations inside backups. */
export function backupsHandlers(world: DemoWorld): HandlerTable {
  return {
    '/cluster/backup': (request) =>
      unordered(world.backupJobs, 59).map((job) => ({ ...jobRow(request, job), ...nextRun(request, job) })),
    '/cluster/backup/{id}': (request) => jobRow(request, jobOf(world, request)),
    '/cluster/backup/{id}/included_volumes': (request) => includedVolumes(world, request, jobOf(world, request)),
    '/cluster/backup-info': () => {
      throw new DemoHttpError(403, 'Permission check failed (user != root@pam)');
    },
    '/cluster/backup-info/not-backed-up': (request) => notBackedUp(world, request),
    '/nodes/{node}/vzdump/defaults': (request) => defaults(world, request),
    '/nodes/{node}/vzdump/extractconfig': (request) => extractConfig(world, request),
  };
}

function jobOf(world: DemoWorld, request: HandlerRequest): DemoBackupJob {
  const id = parameter(request, 'id');
  const found = world.backupJobs.find((job) => job.id === id);
  if (found) return found;
  throw badParameter('id', `No such job '${id}'`);
}

/** Keys that a release does not have yet. */
const SINCE_8 = ['fleecing', 'notification-mode', 'notes-template', 'repeat-missed', 'pbs-change-detection-mode', 'performance'];

function jobRow(request: HandlerRequest, job: DemoBackupJob): Row {
  const options: Row = { ...job.options };
  if (request.release === '7.4') for (const key of SINCE_8) delete options[key];
  return {
    ...options,
    id: job.id,
    type: 'vzdump',
    enabled: job.enabled ? 1 : 0,
    schedule: job.schedule,
    ...(job.all ? { all: 1 } : {}),
    ...(job.vmids.length > 0 ? { vmid: job.vmids.join(',') } : {}),
    ...(job.exclude.length > 0 ? { exclude: job.exclude.join(',') } : {}),
    ...(job.pool === undefined ? {} : { pool: job.pool }),
    ...(job.node === undefined ? {} : { node: job.node }),
    ...(job.storage === undefined ? {} : { storage: job.storage }),
  };
}

/** The next moment the schedule fires, for disabled jobs too; without one the key is missing. */
function nextRun(request: HandlerRequest, job: DemoBackupJob): Row {
  const next = nextEvents(job.schedule, seconds(request), 1, localOffset)?.[0];
  return next === undefined ? {} : { 'next-run': next };
}

/** Guests a job selects, whether it is enabled or not. Guests that are gone are left out. */
function selected(world: DemoWorld, job: DemoBackupJob): DemoGuest[] {
  return [...world.guests.values()].filter((guest) => {
    if (job.node !== undefined && job.node !== guest.node) return false;
    if (job.exclude.includes(guest.vmid)) return false;
    return job.all || job.vmids.includes(guest.vmid) || (job.pool !== undefined && guest.pool === job.pool);
  });
}

/** Guests in no job. Upstream counts disabled jobs as covering, and so must this. */
function notBackedUp(world: DemoWorld, request: HandlerRequest): Row[] {
  const covered = new Set(world.backupJobs.flatMap((job) => selected(world, job).map((guest) => guest.vmid)));
  const rows = [...world.guests.values()]
    .filter((guest) => !covered.has(guest.vmid) && request.may(`/vms/${guest.vmid}`, 'VM.Audit'))
    .map(
      (guest): Row => ({
        vmid: guest.vmid,
        type: guest.type,
        // Read from the configuration file, so that it is known even for a dead node.
        ...(nameOf(guest) === undefined ? {} : { name: nameOf(guest) }),
      }),
    );
  return unordered(rows, 61);
}

function nameOf(guest: DemoGuest): ConfigValue | undefined {
  return guest.detail.config[guest.type === 'qemu' ? 'name' : 'hostname'];
}

const VM_DISK = /^(?:ide|sata|scsi|virtio|efidisk|tpmstate)\d+$/;
const MOUNT_POINT = /^(?:rootfs|mp\d+)$/;

/** The tree of guests and volumes of a job, with the reason a volume is in or out. */
function includedVolumes(world: DemoWorld, request: HandlerRequest, job: DemoBackupJob): Row {
  const children = selected(world, job)
    .filter((guest) => request.may(`/vms/${guest.vmid}`, 'VM.Audit'))
    .map((guest): Row => {
      const volumes = volumesOf(guest);
      return {
        id: guest.vmid,
        name: nameOf(guest) ?? null,
        type: guest.type,
        children: volumes,
        leaf: volumes.length === 0 ? 1 : 0,
      };
    });
  return { children: unordered(children, 67) };
}

function volumesOf(guest: DemoGuest): Row[] {
  return Object.entries(guest.detail.config).flatMap(([key, value]): Row[] => {
    const text = String(value);
    const name = text.split(',')[0] ?? '';
    const row = (included: boolean, reason: string): Row[] => [
      { id: `${guest.vmid}:${key}`, name, included: included ? 1 : 0, leaf: 1, reason },
    ];
    if (guest.type === 'qemu') {
      if (!VM_DISK.test(key) || text.includes('media=cdrom')) return [];
      const skipped = /,backup=(?:0|no)\b/.test(text);
      return row(!skipped, skipped ? 'backup=no' : 'backup=yes');
    }
    if (!MOUNT_POINT.test(key)) return [];
    if (key === 'rootfs') return row(true, 'rootfs');
    if (name.startsWith('/')) return row(false, 'not a volume');
    return /,backup=1\b/.test(text) ? row(true, 'enabled') : row(false, 'disabled');
  });
}

/** Defaults of a backup; with a storage its retention. */
function defaults(world: DemoWorld, request: HandlerRequest): Row {
  nodeOf(world, request);
  const { storage } = request.query;
  if (storage !== undefined) demand(request, `/storage/${storage}`, 'Datastore.Audit', 'Datastore.AllocateSpace');
  const found = world.storages.find((candidate) => candidate.storage === (storage ?? 'local'));
  if (found === undefined) throw new DemoHttpError(500, `storage '${storage}' does not exist`);
  const old = request.release === '7.4';
  return {
    all: 0,
    bwlimit: 0,
    compress: '0',
    ionice: 7,
    lockwait: 180,
    mailnotification: 'always',
    mode: 'snapshot',
    pigz: 0,
    'prune-backups': found.section['prune-backups'] ?? 'keep-all=1',
    quiet: 0,
    remove: 1,
    stdexcludes: 1,
    stop: 0,
    stopwait: 10,
    storage: storage ?? 'local',
    zstd: 1,
    ...(old
      ? { 'exclude-path': '/tmp/?*' }
      : {
          fleecing: { enabled: 0 },
          'notification-mode': 'auto',
          performance: { 'max-workers': 16, 'pbs-entries-max': 1_048_576 },
        }),
  };
}

function configText(config: GuestConfig): string {
  return Object.entries(config)
    .map(([key, value]) =>
      typeof value === 'object'
        ? value.map(([name, text]) => `${name}: ${text}`).join('\n')
        : `${key}: ${String(value).replaceAll('\n', '%0A')}`,
    )
    .join('\n')
    .concat('\n');
}

/** The configuration file inside a backup, in clear. */
function extractConfig(world: DemoWorld, request: HandlerRequest): string {
  const { node } = nodeOf(world, request);
  const volume = parameter(request, 'volume');
  const storage = volume.split(':')[0] ?? '';
  const path = `/storage/${storage}`;
  if (!request.may(path, 'Datastore.Allocate', 'Datastore.AllocateSpace')) throw forbidden(path, 'Datastore.AllocateSpace');
  const backup = world.backups(storage, node).find((candidate) => candidate.volid === volume);
  if (backup === undefined) throw new DemoHttpError(500, `volume '${volume}' does not exist`);
  demand(request, `/vms/${backup.vmid}`, 'VM.Backup');
  const guest = world.guests.get(backup.vmid);
  return guest === undefined || !isKnown(world, guest)
    ? `name: gone-${backup.vmid}\nmemory: 2048\n`
    : configText(guest.detail.config);
}
