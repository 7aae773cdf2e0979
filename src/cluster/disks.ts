import type { Call } from '../api/call.ts';
import { ApiError } from '../api/errors.ts';
import { boolOf, byText, listOf, numberOf, type Raw, rawOf, rowsOf, textOf, timeOf } from '../api/lenient.ts';
import { closest } from '../config/suggest.ts';
import { cleaned } from './shown-text.ts';

/** A disk of a node. */
export interface Disk {
  /** `/dev/sda` */
  readonly path: string;
  readonly model: string | undefined;
  readonly serial: string | undefined;
  /** Bytes. */
  readonly size: number | undefined;
  /** `ssd`, `hdd`, `nvme`, `usb`, `unknown`. */
  readonly type: string | undefined;
  /** What it is used for: `LVM`, `ZFS`, `ext4`, `BIOS boot`, `Ceph OSD 3`, ...; undefined when it is free. */
  readonly use: string | undefined;
  /** `PASSED`, `OK`, `FAILED!`, ...; undefined when it was not read or the disk does not tell. */
  readonly health: string | undefined;
  /** Fraction 0..1 of its life that is left; undefined when not read or not told. */
  readonly lifeLeft: number | undefined;
}

/**
 * Disks of a node. Without `health` the node does not talk to the disks at all: asking may wake up sleeping ones.
 *
 * Source: GET /nodes/{node}/disks/list (Sys.Audit on /).
 */
export async function readDisks(call: Call, node: string, health: boolean): Promise<readonly Disk[]> {
  const { data } = await call.get('/nodes/{node}/disks/list', { node }, { skipsmart: health ? undefined : true });
  return parseDisks(data, health);
}

export function parseDisks(data: unknown, health: boolean): readonly Disk[] {
  return listOf(data, 'disks')
    .flatMap((row) => {
      const path = cleaned(row['devpath']);
      if (path === undefined || textOf(row['parent']) !== undefined) return [];
      return [
        {
          path,
          model: cleaned(row['model']),
          serial: cleaned(row['serial']),
          size: numberOf(row['size']),
          type: cleaned(row['type']),
          use: useOf(row),
          health: health ? healthOf(row['health']) : undefined,
          lifeLeft: health ? lifeLeft(row['wearout']) : undefined,
        },
      ];
    })
    .sort((a, b) => byText(a.path, b.path));
}

/** `UNKNOWN` is not a state of health: the disk did not tell. */
function healthOf(value: unknown): string | undefined {
  const text = cleaned(value);
  return text === undefined || text.toUpperCase() === 'UNKNOWN' ? undefined : text;
}

/** The API's "wearout" counts down from 100; `N/A` and nonsense are nothing. */
function lifeLeft(value: unknown): number | undefined {
  const percent = numberOf(value);
  return percent === undefined || percent < 0 || percent > 100 ? undefined : percent / 100;
}

function useOf(row: Raw): string | undefined {
  const osds = (Array.isArray(row['osdid-list']) ? row['osdid-list'] : [row['osdid']]).flatMap((id: unknown) => {
    const n = numberOf(id);
    return n === undefined || n < 0 ? [] : [n];
  });
  const used = cleaned(row['used']);
  if (osds.length > 0) return `Ceph OSD ${osds.sort((a, b) => a - b).join(', ')}`;
  return used ?? (boolOf(row['mounted']) === true ? 'mounted' : undefined);
}

/** True when the disk itself says that it fails. */
export function isFailing(disk: Pick<Disk, 'health'>): boolean {
  return disk.health !== undefined && !/^(passed|ok)$/i.test(disk.health);
}

/** An attribute of a SMART table, in the disk's own words. */
export interface SmartAttribute {
  readonly id: string;
  readonly name: string;
  readonly value: string | undefined;
  readonly worst: string | undefined;
  readonly threshold: string | undefined;
  readonly raw: string | undefined;
  /** The disk's word for it, or our own when a value is at or below its threshold; undefined while it holds. */
  readonly failed: string | undefined;
}

export interface Smart {
  readonly health: string | undefined;
  readonly lifeLeft: number | undefined;
  /** SATA and most others tell a table, ... */
  readonly attributes: readonly SmartAttribute[];
  /** ... NVMe and SAS tell text. */
  readonly text: string | undefined;
}

/** `sda` and `/dev/sda` both name a disk. Anything but a device path is refused before it is sent. */
export function devicePath(disk: string): string {
  const path = disk.startsWith('/dev/') ? disk : `/dev/${disk}`;
  if (/^\/dev\/[A-Za-z0-9][A-Za-z0-9/]{0,60}$/.test(path)) return path;
  throw new ApiError('bad-argument', `smart: ${JSON.stringify(disk.slice(0, 60))} is no disk.`, {
    hint: 'Give a device such as /dev/sda; list_node_disks shows them.',
  });
}

/**
 * SMART values of one disk. The disk has to be one that the node lists.
 *
 * Source: GET /nodes/{node}/disks/smart (Sys.Audit on /).
 */
export async function readSmart(call: Call, node: string, disks: readonly Disk[], path: string): Promise<Smart> {
  if (!disks.some((d) => d.path === path)) {
    const paths = disks.map((d) => d.path);
    const near = closest(path, paths);
    throw new ApiError('bad-argument', `Node ${node} has no disk ${path}.`, {
      hint: near === undefined ? `Disks: ${paths.slice(0, 24).join(', ') || 'none'}.` : `Did you mean ${near}?`,
    });
  }
  return parseSmart((await call.get('/nodes/{node}/disks/smart', { node }, { disk: path })).data);
}

export function parseSmart(data: unknown): Smart {
  const row = rawOf(data);
  return {
    health: healthOf(row['health']),
    lifeLeft: lifeLeft(row['wearout']),
    attributes: rowsOf(row['attributes']).flatMap((a) => {
      const name = cleaned(a['name']);
      if (name === undefined) return [];
      return [
        {
          id: cleaned(a['id']) ?? '',
          name,
          value: cleaned(a['value']),
          worst: cleaned(a['worst']),
          threshold: cleaned(a['threshold']),
          raw: cleaned(a['raw']),
          failed: failedAttribute(a),
        },
      ];
    }),
    text: textOf(row['text'])?.trim(),
  };
}

function failedAttribute(row: Raw): string | undefined {
  const told = cleaned(row['fail']);
  if (told !== undefined && told !== '-') return told;
  const value = numberOf(row['value']);
  const threshold = numberOf(row['threshold']);
  return value !== undefined && threshold !== undefined && threshold > 0 && value <= threshold
    ? 'at or below threshold'
    : undefined;
}

export interface VolumeGroup {
  readonly name: string;
  /** Bytes. */
  readonly size: number | undefined;
  readonly free: number | undefined;
  readonly volumes: number | undefined;
  readonly devices: readonly string[];
}

/** Source: GET /nodes/{node}/disks/lvm (Sys.Audit on /). */
export async function readVolumeGroups(call: Call, node: string): Promise<readonly VolumeGroup[]> {
  return parseVolumeGroups((await call.get('/nodes/{node}/disks/lvm', { node })).data);
}

/** The answer is a tree: groups below the root, devices below a group. */
export function parseVolumeGroups(data: unknown): readonly VolumeGroup[] {
  return listOf(rawOf(data)['children'], 'volume groups')
    .flatMap((row) => {
      const name = cleaned(row['name']);
      if (name === undefined) return [];
      return [
        {
          name,
          size: numberOf(row['size']),
          free: numberOf(row['free']),
          volumes: numberOf(row['lvcount']),
          devices: rowsOf(row['children'])
            .flatMap((child) => cleaned(child['name']) ?? [])
            .sort(byText),
        },
      ];
    })
    .sort((a, b) => byText(a.name, b.name));
}

/** A thin pool: when its data or its metadata is full, every volume in it stops writing. */
export interface ThinPool {
  /** `vg/lv` */
  readonly name: string;
  /** Bytes. */
  readonly size: number | undefined;
  readonly used: number | undefined;
  readonly metadataSize: number | undefined;
  readonly metadataUsed: number | undefined;
  /** Epoch seconds. */
  readonly created: number | undefined;
}

/** Source: GET /nodes/{node}/disks/lvmthin (Sys.Audit on /). */
export async function readThinPools(call: Call, node: string): Promise<readonly ThinPool[]> {
  return parseThinPools((await call.get('/nodes/{node}/disks/lvmthin', { node })).data);
}

export function parseThinPools(data: unknown): readonly ThinPool[] {
  return listOf(data, 'thin pools')
    .flatMap((row) => {
      const lv = cleaned(row['lv']);
      if (lv === undefined) return [];
      return [
        {
          name: `${cleaned(row['vg']) ?? '?'}/${lv}`,
          size: numberOf(row['lv_size']),
          used: numberOf(row['used']),
          metadataSize: numberOf(row['metadata_size']),
          metadataUsed: numberOf(row['metadata_used']),
          created: timeOf(row['ctime']),
        },
      ];
    })
    .sort((a, b) => byText(a.name, b.name));
}

export interface ZfsPool {
  readonly name: string;
  /** `ONLINE` is the only good one: `DEGRADED`, `FAULTED`, `SUSPENDED`, ... */
  readonly health: string | undefined;
  /** Bytes. */
  readonly size: number | undefined;
  readonly used: number | undefined;
  readonly free: number | undefined;
  /** Fraction 0..1. */
  readonly fragmentation: number | undefined;
  /** Ratio, 1 = no deduplication. */
  readonly dedup: number | undefined;
}

/** Source: GET /nodes/{node}/disks/zfs (Sys.Audit on /). */
export async function readZfsPools(call: Call, node: string): Promise<readonly ZfsPool[]> {
  return parseZfsPools((await call.get('/nodes/{node}/disks/zfs', { node })).data);
}

export function parseZfsPools(data: unknown): readonly ZfsPool[] {
  return listOf(data, 'ZFS pools')
    .flatMap((row) => {
      const name = cleaned(row['name']);
      if (name === undefined) return [];
      const frag = numberOf(row['frag']);
      return [
        {
          name,
          health: cleaned(row['health']),
          size: numberOf(row['size']),
          used: numberOf(row['alloc']),
          free: numberOf(row['free']),
          fragmentation: frag === undefined ? undefined : frag / 100,
          dedup: numberOf(row['dedup']),
        },
      ];
    })
    .sort((a, b) => byText(a.name, b.name));
}

/** A device or group of devices in a pool that is not in order. */
export interface ZfsFault {
  readonly name: string;
  readonly state: string | undefined;
  readonly readErrors: number | undefined;
  readonly writeErrors: number | undefined;
  readonly checksumErrors: number | undefined;
  readonly message: string | undefined;
}

export interface ZfsDetail {
  readonly status: string | undefined;
  readonly action: string | undefined;
  /** Last scrub or resilver, in the system's words. */
  readonly scan: string | undefined;
  readonly errors: string | undefined;
  /** Leaves of the device tree that are not online or count errors. */
  readonly faults: readonly ZfsFault[];
}

/** Names that ZFS allows and a path of the API does not carry safely (`my pool`) are not asked for. */
const PLAIN_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;

/** Source: GET /nodes/{node}/disks/zfs/{name} (Sys.Audit on /). */
export async function readZfsDetail(call: Call, node: string, pool: string): Promise<ZfsDetail> {
  if (!PLAIN_NAME.test(pool))
    throw new ApiError('upstream', `Details of the ZFS pool ${JSON.stringify(pool)} can't be asked for because of its name.`);
  return parseZfsDetail((await call.get('/nodes/{node}/disks/zfs/{name}', { node, name: pool })).data);
}

export function parseZfsDetail(data: unknown): ZfsDetail {
  const row = rawOf(data);
  return {
    status: cleaned(row['status']),
    action: cleaned(row['action']),
    scan: cleaned(row['scan']),
    errors: cleaned(row['errors']),
    faults: leaves(row, 0).filter(
      (leaf) => leaf.state !== 'ONLINE' || (leaf.readErrors ?? 0) + (leaf.writeErrors ?? 0) + (leaf.checksumErrors ?? 0) > 0,
    ),
  };
}

/** Nesting is three deep in practice; the bound is against nonsense. */
const MAX_DEPTH = 8;

function leaves(row: Raw, depth: number): readonly ZfsFault[] {
  const children = rowsOf(row['children']);
  if (children.length > 0) return depth >= MAX_DEPTH ? [] : children.flatMap((child) => leaves(child, depth + 1));
  // A node without children that is not marked as a leaf is a heading (`spares`) or the pool itself.
  if (boolOf(row['leaf']) === false) return [];
  const name = cleaned(row['name']);
  const state = cleaned(row['state']);
  if (name === undefined || state === undefined || state === 'AVAIL') return [];
  return [
    {
      name,
      state,
      readErrors: numberOf(row['read']),
      writeErrors: numberOf(row['write']),
      checksumErrors: numberOf(row['cksum']),
      message: cleaned(row['msg']),
    },
  ];
}

/** A directory that the node mounts by a unit of its own. */
export interface MountedDirectory {
  readonly path: string;
  readonly device: string | undefined;
  readonly type: string | undefined;
  readonly options: string | undefined;
}

/** Source: GET /nodes/{node}/disks/directory (Sys.Audit on /). */
export async function readDirectories(call: Call, node: string): Promise<readonly MountedDirectory[]> {
  return parseDirectories((await call.get('/nodes/{node}/disks/directory', { node })).data);
}

export function parseDirectories(data: unknown): readonly MountedDirectory[] {
  return listOf(data, 'directories')
    .flatMap((row) => {
      const path = cleaned(row['path']);
      if (path === undefined) return [];
      return [{ path, device: cleaned(row['device']), type: cleaned(row['type']), options: cleaned(row['options']) }];
    })
    .sort((a, b) => byText(a.path, b.path));
}
