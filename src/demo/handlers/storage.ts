import { DemoHttpError, type HandlerRequest, type HandlerTable } from '../types.ts';
import { digestOf } from '../world/digests.ts';
import type { DemoBackup, DemoStorage, DemoVolume, DemoWorld } from '../world/types.ts';
import { badParameter, demand, directory, isSet, nodeOf, parameter } from './answers.ts';
import { unordered } from './guest-lookup.ts';
import { type GuestVolume, guestVolumes } from './guest-volumes.ts';
import type { Row } from './resource-rows.ts';
import { markBackups, parseRetention } from './retention.ts';
import { doubleEncoded } from './task-rows.ts';

const STORAGE_DIRECTORY = [
  'content',
  'download-url',
  'file-restore',
  'import-metadata',
  'prunebackups',
  'rrd',
  'rrddata',
  'status',
  'upload',
];
/** Kinds that keep volumes as files. */
const FILE_KINDS: ReadonlySet<string> = new Set(['dir', 'nfs', 'cifs', 'cephfs', 'btrfs']);

/** /storage and /nodes/{node}/storage with what lies below, without RRD. */
export function storageHandlers(world: DemoWorld): HandlerTable {
  const root = '/nodes/{node}/storage/{storage}';
  const digest = digestOf(world.storages.map(({ storage, section }) => [storage, section]));
  return {
    '/storage': (request) => storageConfigs(world, request, digest),
    '/storage/{storage}': (request) => sectionOf(knownStorage(world, parameter(request, 'storage')), digest),
    '/nodes/{node}/storage': (request) => nodeStorages(world, request),
    [root]: directory('subdir', STORAGE_DIRECTORY),
    [`${root}/status`]: (request) => storageStatus(world, request),
    [`${root}/content`]: (request) => content(world, request),
    [`${root}/content/{volume}`]: (request) => volumeDetail(world, request),
    [`${root}/prunebackups`]: (request) => pruneDryRun(world, request),
    [`${root}/import-metadata`]: (request) => importMetadata(world, request),
  };
}

const AUDIT = ['Datastore.Audit', 'Datastore.AllocateSpace'];

function storageConfigs(world: DemoWorld, request: HandlerRequest, digest: string): Row[] {
  const rows = world.storages
    .filter((storage) => request.may(`/storage/${storage.storage}`, ...AUDIT))
    .filter((storage) => request.query.type === undefined || storage.type === request.query.type)
    .map((storage) => sectionOf(storage, digest));
  return unordered(rows, 31);
}

/** A section of storage.cfg; the digest is that of the whole file. */
function sectionOf(storage: DemoStorage, digest: string): Row {
  return {
    ...storage.section,
    storage: storage.storage,
    type: storage.type,
    content: storage.content.join(','),
    digest,
    ...(storage.disabled ? { disable: 1 } : {}),
    ...(storage.nodes ? { nodes: storage.nodes.join(',') } : {}),
    ...(storage.shared ? { shared: 1 } : {}),
  };
}

function knownStorage(world: DemoWorld, name: string): DemoStorage {
  const found = world.storages.find((storage) => storage.storage === name);
  if (found) return found;
  throw new DemoHttpError(500, `storage '${name}' does not exist`);
}

/** The storage of the path, which must be usable on the node of the path right now. */
function usableStorage(world: DemoWorld, request: HandlerRequest): { storage: DemoStorage; node: string } {
  const { node } = nodeOf(world, request);
  const storage = knownStorage(world, parameter(request, 'storage'));
  if (storage.nodes && !storage.nodes.includes(node)) {
    throw new DemoHttpError(500, `storage '${storage.storage}' is not available on node '${node}'`);
  }
  if (storage.disabled) throw new DemoHttpError(500, `storage '${storage.storage}' is disabled`);
  if (!storage.use(node).active) throw new DemoHttpError(500, `storage '${storage.storage}' is not online`);
  return { storage, node };
}

function usage(storage: DemoStorage, node: string): Row {
  const use = storage.use(node);
  return {
    type: storage.type,
    content: storage.content.join(','),
    enabled: storage.disabled ? 0 : 1,
    active: use.active ? 1 : 0,
    shared: storage.shared ? 1 : 0,
    total: use.total,
    used: use.used,
    avail: use.avail,
  };
}

function nodeStorages(world: DemoWorld, request: HandlerRequest): Row[] {
  const { node } = nodeOf(world, request);
  const { content: wanted, storage: only, target } = request.query;
  const rows = world.storages
    .filter((storage) => storage.nodes?.includes(node) ?? true)
    .filter((storage) => request.may(`/storage/${storage.storage}`, ...AUDIT))
    .filter((storage) => only === undefined || storage.storage === only)
    .filter((storage) => wanted === undefined || wanted.split(',').some((kind) => storage.content.includes(kind)))
    .filter((storage) => target === undefined || storage.shared || (storage.nodes?.includes(target) ?? true))
    .filter((storage) => !(isSet(request, 'enabled') && storage.disabled))
    .map((storage): Row => {
      const use = storage.use(node);
      return {
        storage: storage.storage,
        ...usage(storage, node),
        ...(use.total > 0 ? { used_fraction: use.used / use.total } : {}),
      };
    });
  return unordered(rows, 37);
}

function storageStatus(world: DemoWorld, request: HandlerRequest): Row {
  const { node } = nodeOf(world, request);
  const name = parameter(request, 'storage');
  const storage = world.storages.find((candidate) => candidate.storage === name);
  if (storage === undefined || (storage.nodes && !storage.nodes.includes(node)))
    throw badParameter('storage', 'No such storage.');
  return usage(storage, node);
}

/** True when the caller may know of a volume: the rule differs by its content (FACTS of the row filter). */
function mayAccess(request: HandlerRequest, storage: string, kind: string, vmid: number | undefined): boolean {
  const path = `/storage/${storage}`;
  if (request.may(path, 'Datastore.Allocate')) return true;
  if (kind === 'iso' || kind === 'vztmpl' || kind === 'import') return request.may(path, ...AUDIT);
  if (kind === 'backup' && vmid !== undefined) {
    return request.may(path, 'Datastore.AllocateSpace') && request.may(`/vms/${vmid}`, 'VM.Backup');
  }
  if ((kind === 'images' || kind === 'rootdir') && vmid !== undefined) {
    return request.may(path, 'Datastore.Audit') && request.may(`/vms/${vmid}`, 'VM.Config.Disk');
  }
  return false;
}

function backupRow(request: HandlerRequest, backup: DemoBackup): Row {
  return {
    volid: backup.volid,
    content: 'backup',
    format: backup.format,
    size: backup.size,
    ctime: backup.ctime,
    vmid: backup.vmid,
    subtype: backup.subtype,
    ...(backup.notes === undefined ? {} : { notes: backup.notes.split('\n')[0] }),
    ...(backup.protected ? { protected: 1 } : {}),
    ...(backup.encrypted === undefined ? {} : { encrypted: backup.encrypted }),
    ...(backup.verification === undefined || request.release === '7.4' ? {} : { verification: backup.verification }),
  };
}

function volumeRow(volume: DemoVolume): Row {
  return {
    // File names come out double-encoded.
    volid: doubleEncoded(volume.volid),
    content: volume.content,
    format: volume.format,
    size: volume.size,
    ctime: volume.ctime,
    ...(volume.vmid === undefined ? {} : { vmid: volume.vmid }),
  };
}

/** A guest's disk; each kind of storage tells something else about it. */
function diskRow(storage: DemoStorage, volume: GuestVolume, now: number): Row {
  const { guest, name } = volume;
  const row: Row = {
    volid: volume.volid,
    content: guest.type === 'lxc' ? 'rootdir' : 'images',
    size: volume.size,
    vmid: guest.vmid,
  };
  const base = /^(?:\d+\/)?(base-[^/]+)\/(.+)$/.exec(name);
  if (FILE_KINDS.has(storage.type)) {
    return {
      ...row,
      format: /\.(qcow2|raw|vmdk)$/.exec(name)?.[1] ?? 'raw',
      parent: base ? `../${name.split('/').slice(0, 2).join('/')}` : null,
      used: Math.floor(volume.size * 0.43),
      ctime: now - 30 * 86_400,
    };
  }
  if (storage.type === 'lvm' || storage.type === 'lvmthin') {
    return { ...row, format: 'raw', ctime: String(now - 90 * 86_400 - guest.vmid) };
  }
  if (storage.type === 'zfspool' || storage.type === 'rbd') {
    return {
      ...row,
      name: base?.[2] ?? name,
      format: name.startsWith('subvol-') ? 'subvol' : 'raw',
      parent: base ? `${base[1]}@__base__` : null,
    };
  }
  return { ...row, format: 'raw' };
}

function content(world: DemoWorld, request: HandlerRequest): Row[] {
  const { storage, node } = usableStorage(world, request);
  const { content: wanted, vmid } = request.query;
  const now = Math.floor(world.now / 1000);
  const kinds = (kind: string): boolean => storage.content.includes(kind) && (wanted === undefined || wanted === kind);
  const owner = (id: number | undefined): boolean => vmid === undefined || id === Number(vmid);
  const seen = (kind: string, id: number | undefined): boolean => mayAccess(request, storage.storage, kind, id);
  const rows: Row[] = [];
  for (const disk of guestVolumes(world).get(storage.storage) ?? []) {
    const row = diskRow(storage, disk, now);
    if (!storage.shared && disk.guest.node !== node) continue;
    if (kinds(String(row.content)) && owner(disk.guest.vmid) && seen(String(row.content), disk.guest.vmid)) rows.push(row);
  }
  if (kinds('backup')) {
    for (const backup of world.backups(storage.storage, node)) {
      if (owner(backup.vmid) && seen('backup', backup.vmid)) rows.push(backupRow(request, backup));
    }
  }
  for (const volume of world.volumes(storage.storage, node)) {
    if (!kinds(volume.content) || !seen(volume.content, volume.vmid)) continue;
    // Asked for one guest, images of installation media are left out, and what has no owner is not.
    const listed =
      vmid === undefined ||
      (volume.vmid === undefined ? volume.content !== 'iso' && volume.content !== 'vztmpl' : owner(volume.vmid));
    if (listed) rows.push(volumeRow(volume));
  }
  return unordered(rows, storage.storage.length);
}

/** Path of a volume on its node. */
function pathOf(storage: DemoStorage, name: string): string {
  const root = String(storage.section.path ?? '');
  if (storage.type === 'zfspool') return `/dev/zvol/${storage.section.pool}/${name.split('/').at(-1) ?? name}`;
  if (storage.type === 'lvmthin' || storage.type === 'lvm') return `/dev/${storage.section.vgname}/${name}`;
  if (storage.type === 'pbs')
    return `${storage.section.username}@${storage.section.server}:${storage.section.datastore}:${name.replace('backup/', '')}`;
  const [kind = '', ...rest] = name.split('/');
  const folder: Record<string, string> = { iso: 'template/iso', vztmpl: 'template/cache', backup: 'dump' };
  return `${root}/${folder[kind] ?? (/^\d+$/.test(kind) ? `images/${kind}` : kind)}/${rest.join('/')}`;
}

/** One volume; the volume may be given with or without its storage. */
function volumeDetail(world: DemoWorld, request: HandlerRequest): Row {
  const { storage, node } = usableStorage(world, request);
  const asked = parameter(request, 'volume');
  const volid = asked.startsWith(`${storage.storage}:`) ? asked : `${storage.storage}:${asked}`;
  const path = pathOf(storage, volid.slice(storage.storage.length + 1));
  const check = (kind: string, vmid: number | undefined): void => {
    if (mayAccess(request, storage.storage, kind, vmid)) return;
    if (kind === 'backup' && request.may(`/storage/${storage.storage}`, 'Datastore.AllocateSpace'))
      demand(request, `/vms/${vmid}`, 'VM.Backup');
    if (kind === 'backup') demand(request, `/storage/${storage.storage}`, 'Datastore.AllocateSpace');
    if (kind === 'images' || kind === 'rootdir') demand(request, `/vms/${vmid}`, 'VM.Config.Disk');
    demand(request, `/storage/${storage.storage}`, 'Datastore.Allocate');
  };
  const backup = world.backups(storage.storage, node).find((candidate) => candidate.volid === volid);
  if (backup) {
    check('backup', backup.vmid);
    return {
      path,
      size: backup.size,
      used: backup.size,
      format: backup.format,
      protected: backup.protected ? 1 : 0,
      ...(backup.notes === undefined ? {} : { notes: backup.notes }),
    };
  }
  const volume = world.volumes(storage.storage, node).find((candidate) => candidate.volid === volid);
  if (volume) {
    check(volume.content, volume.vmid);
    return { path, size: volume.size, used: volume.used ?? 0, format: volume.content === 'iso' ? 'raw' : volume.format };
  }
  const disk = (guestVolumes(world).get(storage.storage) ?? []).find((candidate) => candidate.volid === volid);
  if (disk && (storage.shared || disk.guest.node === node)) {
    check(disk.guest.type === 'lxc' ? 'rootdir' : 'images', disk.guest.vmid);
    return { path, size: disk.size, used: Math.floor(disk.size * 0.43), format: /\.(qcow2|vmdk)$/.exec(volid)?.[1] ?? 'raw' };
  }
  // Without the file nothing tells whose it was, so only the storage's own right lets the caller learn that.
  demand(request, `/storage/${storage.storage}`, 'Datastore.Allocate', 'Datastore.AllocateSpace');
  throw new DemoHttpError(500, `volume '${volid}' does not exist`);
}

/** What a prune run would do. No right per backup is checked here: whoever may audit the storage learns of all. */
function pruneDryRun(world: DemoWorld, request: HandlerRequest): Row[] {
  const named = knownStorage(world, parameter(request, 'storage'));
  if (!named.content.includes('backup')) throw new DemoHttpError(500, `storage '${named.storage}' does not support backups`);
  const text = request.query['prune-backups'] ?? named.section['prune-backups'];
  if (text === undefined) throw new DemoHttpError(500, `no prune-backups options configured for storage '${named.storage}'`);
  const { storage, node } = usableStorage(world, request);
  const { vmid, type } = request.query;
  const chosen = world
    .backups(storage.storage, node)
    .filter((backup) => (vmid === undefined || backup.vmid === Number(vmid)) && (type === undefined || backup.subtype === type));
  const rows = [...markBackups(chosen, parseRetention(String(text)))].map(
    ([backup, mark]): Row => ({ volid: backup.volid, ctime: backup.ctime, mark, type: backup.subtype, vmid: backup.vmid }),
  );
  return unordered(rows, 41);
}

function importMetadata(world: DemoWorld, request: HandlerRequest): Row {
  const { storage, node } = usableStorage(world, request);
  demand(request, `/storage/${storage.storage}`, ...AUDIT);
  const volume = parameter(request, 'volume').replace(`${storage.storage}:`, '');
  if (
    !world.volumes(storage.storage, node).some((row) => row.volid === `${storage.storage}:${volume}` && row.content === 'import')
  ) {
    throw new DemoHttpError(500, `unable to parse directory volume name '${volume}'`);
  }
  return {
    type: 'vm',
    source: 'ova',
    'create-args': { name: 'appliance', cores: 2, memory: 4096 },
    disks: { scsi0: `${storage.storage}:${volume}/appliance-disk1.vmdk` },
    net: {},
    warnings: [],
  };
}
