import { boolOf, byText, propertiesOf, sizeOf, textOf } from '../api/lenient.ts';
import type { GuestType } from './inventory.ts';

/** What a volume of a guest is for. */
export type DiskKind = 'disk' | 'cdrom' | 'cloud-init' | 'efi' | 'tpm' | 'root' | 'mount' | 'bind' | 'state' | 'unused';

/** One volume of a guest, as its configuration names it. */
export interface GuestDisk {
  /** `scsi0`, `rootfs`, `mp1`, `unused0`, ... */
  readonly key: string;
  readonly kind: DiskKind;
  /** Absent for a path on the host, an empty drive and a bind mount. */
  readonly storage: string | undefined;
  /** Volume id (`local-lvm:vm-100-disk-0`), host path, or `none` for an empty drive. */
  readonly volume: string;
  /** Bytes. */
  readonly size: number | undefined;
  /** Where a container mounts it. */
  readonly mount: string | undefined;
  /** Whether a backup of the guest holds it; undefined where that is no question (drives, unused volumes). */
  readonly backup: boolean | undefined;
  /** Guest whose template this is a linked clone of. */
  readonly cloneOf: number | undefined;
  /** What else is set, `key=value`, sorted. */
  readonly options: readonly string[];
}

const QEMU_KEY = /^(?:(?:ide|sata|scsi|virtio)\d+|efidisk\d+|tpmstate\d+|unused\d+|vmstate)$/;
const LXC_KEY = /^(?:rootfs|mp\d+|unused\d+)$/;
const LINKED_CLONE = /(?:^|[:/])base(?:vol)?-(\d+)-disk-[^/]*\/(?:\d+\/)?(?:vm|subvol)-/;
/** Told in columns of their own. */
const OWN_COLUMNS: ReadonlySet<string> = new Set(['file', 'volume', 'size', 'media', 'mp', 'backup']);

/** Whether a configuration key names a volume. */
export function isDiskKey(key: string, type: GuestType): boolean {
  return (type === 'qemu' ? QEMU_KEY : LXC_KEY).test(key);
}

/** The storage part of a volume id; undefined for host paths, `none` and `cdrom`. */
export function storageOf(volume: string): string | undefined {
  return /^([A-Za-z][\w.-]*):/.exec(volume)?.[1];
}

/** Every volume of a configuration, sorted by key: root file system and disks first, unused ones last. */
export function parseDisks(config: ReadonlyMap<string, string>, type: GuestType): readonly GuestDisk[] {
  const disks: GuestDisk[] = [];
  for (const [key, value] of config) {
    if (!isDiskKey(key, type)) continue;
    const disk = parseDisk(key, value, type);
    if (disk !== undefined) disks.push(disk);
  }
  return disks.sort((a, b) => rank(a) - rank(b) || compareKeys(a.key, b.key));
}

function parseDisk(key: string, value: string, type: GuestType): GuestDisk | undefined {
  const defaultKey = type === 'qemu' ? 'file' : 'volume';
  const properties = propertiesOf(value, defaultKey);
  const volume = properties.get(defaultKey);
  if (volume === undefined) return undefined;
  const kind = kindOf(key, volume, textOf(properties.get('media')), type);
  const clone = LINKED_CLONE.exec(volume)?.[1];
  return {
    key,
    kind,
    storage: storageOf(volume),
    volume,
    size: sizeOf(properties.get('size')),
    mount: kind === 'root' ? '/' : properties.get('mp'),
    backup: inBackup(kind, boolOf(properties.get('backup')), type),
    cloneOf: clone === undefined ? undefined : Number(clone),
    options: [...properties]
      .filter(([name]) => !OWN_COLUMNS.has(name))
      .map(([name, option]) => `${name}=${option}`)
      .sort(byText),
  };
}

function kindOf(key: string, volume: string, media: string | undefined, type: GuestType): DiskKind {
  if (key.startsWith('unused')) return 'unused';
  if (key === 'vmstate') return 'state';
  if (type === 'lxc') return key === 'rootfs' ? 'root' : storageOf(volume) === undefined ? 'bind' : 'mount';
  if (key.startsWith('efidisk')) return 'efi';
  if (key.startsWith('tpmstate')) return 'tpm';
  if (/(?:^|[:/-])cloudinit(?:$|[.,])/.test(volume)) return 'cloud-init';
  return media === 'cdrom' || volume === 'none' || volume === 'cdrom' ? 'cdrom' : 'disk';
}

/** A machine's disks are backed up unless excluded; a container's mount points only when included, bind mounts never. */
function inBackup(kind: DiskKind, flag: boolean | undefined, type: GuestType): boolean | undefined {
  if (kind === 'root' || kind === 'efi' || kind === 'tpm') return true;
  if (kind === 'bind') return false;
  if (kind === 'disk' || kind === 'mount') return flag ?? type === 'qemu';
  return undefined;
}

const RANKS: Readonly<Record<DiskKind, number>> = {
  root: 0,
  disk: 1,
  mount: 1,
  bind: 2,
  efi: 3,
  tpm: 3,
  'cloud-init': 4,
  cdrom: 4,
  state: 5,
  unused: 6,
};

function rank(disk: GuestDisk): number {
  return RANKS[disk.kind];
}

/** `scsi2` before `scsi10`. */
export function compareKeys(a: string, b: string): number {
  return byText(a.replace(/\d+$/, ''), b.replace(/\d+$/, '')) || numberAtEnd(a) - numberAtEnd(b) || byText(a, b);
}

function numberAtEnd(key: string): number {
  return Number(/\d+$/.exec(key)?.[0] ?? -1);
}
