/** What ties a guest to the node it is on. */
import { byText } from '../api/lenient.ts';
import type { GuestConfig } from '../cluster/guest-config.ts';
import type { DiskKind, GuestDisk } from '../cluster/guest-disks.ts';
import { claimedDevices } from '../cluster/hardware.ts';
import type { Inventory } from '../cluster/inventory.ts';
import type { StorageDefinition } from '../cluster/storage.ts';

/** Where else a storage's volumes can be reached from; `unknown`: the token does not see the storage. */
export type Reach = 'shared' | 'local' | 'unknown';

/** A storage's reach, by its definition, else by what the nodes say of it. */
export function reachOf(storage: string, definitions: readonly StorageDefinition[] | undefined, inventory: Inventory): Reach {
  const definition = definitions?.find((d) => d.storage === storage);
  if (definition !== undefined) return definition.shared ? 'shared' : 'local';
  const row = inventory.storages.find((s) => s.storage === storage);
  return row === undefined ? 'unknown' : row.shared ? 'shared' : 'local';
}

/** Volumes that a guest can't run without. */
const NEEDED: ReadonlySet<DiskKind> = new Set(['root', 'disk', 'mount', 'efi', 'tpm']);

export function isNeeded(disk: GuestDisk): boolean {
  return NEEDED.has(disk.kind);
}

/** Needed disks by how they are tied to the node: on its own storage or a path of its own, or on one that can't be seen. */
export function diskTies(
  config: GuestConfig,
  definitions: readonly StorageDefinition[] | undefined,
  inventory: Inventory,
): { readonly local: readonly GuestDisk[]; readonly paths: readonly GuestDisk[]; readonly unseen: readonly GuestDisk[] } {
  const needed = config.disks.filter(isNeeded);
  const reach = (disk: GuestDisk) => (disk.storage === undefined ? undefined : reachOf(disk.storage, definitions, inventory));
  return {
    local: needed.filter((disk) => reach(disk) === 'local'),
    paths: [...needed.filter((disk) => disk.storage === undefined), ...config.disks.filter(isOwnBind)],
    unseen: needed.filter((disk) => reach(disk) === 'unknown'),
  };
}

/** A directory of the host that is not said to be the same everywhere. */
function isOwnBind(disk: GuestDisk): boolean {
  return disk.kind === 'bind' && !disk.options.includes('shared=1');
}

/** Whether a node has a storage, by its definition, else by what the nodes say of it. */
export function isOnNode(
  storage: string,
  node: string,
  definitions: readonly StorageDefinition[] | undefined,
  inventory: Inventory,
): boolean {
  const definition = definitions?.find((d) => d.storage === storage);
  if (definition === undefined) return inventory.storages.some((s) => s.storage === storage && s.node === node);
  return definition.enabled && (definition.nodes.length === 0 || definition.nodes.includes(node));
}

/**
 * Whether replication to some nodes puts a copy of a local volume there: not of one that it is told to leave out, nor of
 * a path, nor onto a node without the storage.
 */
export function isReplicated(
  disk: GuestDisk,
  targets: readonly string[],
  has: (storage: string, node: string) => boolean,
): boolean {
  const { storage } = disk;
  return storage !== undefined && !disk.options.includes('replicate=0') && targets.some((node) => has(storage, node));
}

/** A device of the host that a guest claims. */
export interface DeviceTie {
  /** `hostpci0` */
  readonly key: string;
  readonly device: string;
  /** Name of the cluster-wide mapping, when it is claimed by one. */
  readonly mapping: string | undefined;
}

/** Devices and directories of the host that a guest claims, by key. */
export function deviceTies(config: GuestConfig): readonly DeviceTie[] {
  const claims = claimedDevices(config).map(({ key, device }) => ({ key, device, mapping: mappingOf(device, key) }));
  const ivshmem = config.values.get('ivshmem');
  const all = ivshmem === undefined ? claims : [...claims, { key: 'ivshmem', device: ivshmem, mapping: undefined }];
  return all.sort((a, b) => byText(a.key, b.key));
}

/** Directories are claimed by their mapping alone, in the first place or by name. */
function mappingOf(device: string, key: string): string | undefined {
  const named = /(?:^|,)(?:mapping|dirid)=([^,]+)/.exec(device)?.[1];
  if (named !== undefined || !key.startsWith('virtiofs')) return named;
  return /^[^,=]+(?=,|$)/.exec(device)?.[0];
}

/** `scsi0 on tank`, `virtio0 (/dev/disk/by-id/..)`, at most four of them. */
export function diskNames(disks: readonly GuestDisk[]): string {
  const names = disks.map((d) => (d.storage === undefined ? `${d.key} (${short(d.volume)})` : `${d.key} on ${d.storage}`));
  return names.length <= 4 ? names.join(', ') : `${names.slice(0, 4).join(', ')} and ${names.length - 4} more`;
}

function short(text: string): string {
  return text.length <= 40 ? text : `${text.slice(0, 39)}…`;
}
