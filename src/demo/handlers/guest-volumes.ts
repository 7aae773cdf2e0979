import { sizeOf } from '../world/guest-builder.ts';
import type { DemoGuest, DemoWorld, GuestConfig } from '../world/types.ts';

/** A disk that a guest's configuration or snapshot refers to. */
export interface GuestVolume {
  readonly volid: string;
  readonly storage: string;
  /** Part of the volume id after the storage. */
  readonly name: string;
  readonly guest: DemoGuest;
  /** Bytes. */
  readonly size: number;
}

const DISK_KEY = /^(?:(?:ide|sata|scsi|virtio|efidisk|tpmstate|unused|mp)\d+|rootfs|vmstate)$/;
/** Cloud-init and EFI volumes without a size in the configuration. */
const SMALL = 4_194_304;

function* volumesIn(config: GuestConfig, guest: DemoGuest): Generator<GuestVolume> {
  for (const [key, value] of Object.entries(config)) {
    if (!DISK_KEY.test(key) || typeof value !== 'string') continue;
    const volid = value.split(',')[0] ?? '';
    const match = /^([A-Za-z][\w.-]*):(.+)$/.exec(volid);
    if (!match || match[1] === undefined || match[2] === undefined || match[2].startsWith('iso/')) continue;
    const size =
      sizeOf(value) || (key === 'vmstate' ? Math.floor(guest.maxmem * 1.1) : key.startsWith('unused') ? guest.maxdisk : SMALL);
    yield { volid, storage: match[1], name: match[2], guest, size };
  }
}

const indexes = new WeakMap<DemoWorld, ReadonlyMap<string, readonly GuestVolume[]>>();

/** Disks by storage, each volume once; built at the first use, for it reads every guest's configuration. */
export function guestVolumes(world: DemoWorld): ReadonlyMap<string, readonly GuestVolume[]> {
  const known = indexes.get(world);
  if (known) return known;
  const byStorage = new Map<string, GuestVolume[]>();
  const seen = new Set<string>();
  for (const guest of world.guests.values()) {
    const { config, snapshots } = guest.detail;
    for (const section of [config, ...snapshots.map((snapshot) => snapshot.config)]) {
      for (const volume of volumesIn(section, guest)) {
        const key = `${guest.node}/${volume.volid}`;
        if (seen.has(key)) continue;
        seen.add(key);
        const list = byStorage.get(volume.storage);
        if (list) list.push(volume);
        else byStorage.set(volume.storage, [volume]);
      }
    }
  }
  indexes.set(world, byStorage);
  return byStorage;
}
