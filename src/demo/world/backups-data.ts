import { plant } from './canaries.ts';
import { WEEKLY_GUESTS } from './jobs-data.ts';
import { localTime, night } from './nights.ts';
import { createRandom, fingerprintOf } from './random.ts';
import type { CanarySink, DemoBackup, DemoVolume, GuestType } from './types.ts';
import { DAY, GIB, gib, HOUR, MIB } from './units.ts';

/** `2026_01_02-03_04_05` in the nodes' local time, as file names of backups carry it. */
function stamp(ctime: number): string {
  return localTime(ctime).replaceAll('-', '_').replaceAll(':', '_').replace(' ', '-');
}

type BackupExtra = Partial<Pick<DemoBackup, 'node' | 'notes' | 'protected' | 'encrypted' | 'verification' | 'size'>>;

/** A backup file on a directory-like storage. */
export function fileBackup(
  storage: string,
  vmid: number,
  subtype: GuestType,
  ctime: number,
  extra: BackupExtra = {},
  plain = false,
): DemoBackup {
  const format = subtype === 'qemu' ? (plain ? 'vma' : 'vma.zst') : plain ? 'tar' : 'tar.zst';
  return {
    volid: `${storage}:backup/vzdump-${subtype}-${vmid}-${stamp(ctime)}.${format}`,
    storage,
    vmid,
    subtype,
    ctime,
    size: 2 * GIB + ((vmid * 7_919_113 + ctime) % (9 * GIB)),
    format,
    ...extra,
  };
}

/** A snapshot on a backup server. */
export function serverBackup(
  storage: string,
  vmid: number,
  subtype: GuestType,
  ctime: number,
  extra: BackupExtra = {},
): DemoBackup {
  const group = subtype === 'qemu' ? 'vm' : 'ct';
  const time = `${new Date(ctime * 1000).toISOString().slice(0, 19)}Z`;
  return {
    volid: `${storage}:backup/${group}/${vmid}/${time}`,
    storage,
    vmid,
    subtype,
    ctime,
    size: 4 * GIB + ((vmid * 15_485_863) % (60 * GIB)),
    format: `pbs-${group}`,
    ...extra,
  };
}

/**
 * Backups of the hand-made cluster: fresh, stale, none, orphaned, protected, with notes, encrypted, verified, failed
 * verification. `now` is epoch seconds.
 */
export function handMadeBackups(sink: CanarySink, now: number): DemoBackup[] {
  const key = fingerprintOf('pbs-main/key').toLowerCase();
  const fileNote = plant(sink, '/nodes/pve1/storage/local/content notes', 'CANARY-bknote-Kw0pQ9uDh1');
  const secondLine = plant(sink, '/nodes/pve1/storage/local/content/{volume} notes', 'CANARY-bknoteline-Uj6lX3yZr0');
  const serverNote = plant(sink, '/nodes/pve1/storage/pbs-main/content notes', 'CANARY-pbsnote-Lx6qP5vEi7');
  const rows: DemoBackup[] = [];
  const nightly = (
    vmid: number,
    subtype: GuestType,
    from: number,
    to: number,
    minute: number,
    extra: (day: number) => BackupExtra,
  ): void => {
    for (let day = from; day <= to; day++)
      rows.push(serverBackup('pbs-main', vmid, subtype, night(now, day, 2, minute), extra(day)));
  };
  const verified = (day: number, state: 'ok' | 'failed' = 'ok'): BackupExtra =>
    day === 0
      ? {}
      : {
          verification: {
            state,
            upid: `UPID:pbs:000012${String(day).padStart(2, '0')}:0A1B2C3D:00000001:65F00000:verify:main:root@pam:`,
          },
        };
  const sealed: BackupExtra = { encrypted: key };
  nightly(100, 'qemu', 0, 6, 2, (day) => ({
    ...sealed,
    ...verified(day),
    notes: 'web-01 on pve1',
    ...(day === 3 ? { protected: true } : {}),
  }));
  nightly(101, 'qemu', 0, 6, 9, (day) => ({
    ...sealed,
    ...verified(day),
    notes: day === 1 ? `db-primary, restore password: ${serverNote}` : 'db-primary.demo.example on pve1',
  }));
  nightly(111, 'qemu', 0, 4, 41, (day) => ({ ...verified(day), notes: 'win-legacy on pve1' }));
  nightly(116, 'qemu', 2, 6, 52, (day) => ({ ...sealed, ...verified(day) }));
  nightly(120, 'qemu', 0, 6, 4, (day) => ({ ...sealed, ...verified(day), notes: 'nextcloud on pve2' }));
  nightly(122, 'qemu', 12, 16, 20, (day) => verified(day));
  nightly(130, 'qemu', 6, 8, 30, (day) => verified(day));
  nightly(200, 'lxc', 0, 6, 58, (day) => ({
    ...sealed,
    ...verified(day, day === 1 ? 'failed' : 'ok'),
    notes: 'proxy.demo.example on pve1',
  }));
  nightly(203, 'lxc', 0, 6, 59, (day) => ({ ...verified(day), size: gib(1) + day * MIB }));
  nightly(221, 'lxc', 0, 6, 33, (day) => ({ encrypted: '1', ...verified(day) }));
  // Owned by another cluster that shares the datastore: the vmid is free here.
  rows.push(serverBackup('pbs-main', 777, 'qemu', now - 200 * DAY, { notes: 'other-cluster vm' }));

  WEEKLY_GUESTS.forEach(([vmid, subtype], index) => {
    for (const week of [0, 1, 2]) rows.push(fileBackup('nas-backup', vmid, subtype, night(now, 3 + 7 * week, 1, index * 3)));
  });
  rows.push(fileBackup('nas-backup', 117, 'qemu', now - 402 * DAY, { notes: 'last one before the holiday' }));
  rows.push(fileBackup('nas-backup', 113, 'qemu', now - 24 * DAY));

  rows.push(
    fileBackup('local', 104, 'qemu', now - 2 * DAY - HOUR, {
      node: 'pve1',
      protected: true,
      notes: `before the migration 🚀 admin password: ${fileNote}\nrestore key secret=${secondLine}`,
    }),
  );
  rows.push(fileBackup('local', 104, 'qemu', now - 1 * DAY - HOUR, { node: 'pve1' }));
  rows.push(fileBackup('local', 9001, 'qemu', now - 330 * DAY, { node: 'pve1', notes: 'orphaned' }, true));
  rows.push(fileBackup('local', 220, 'lxc', now - 15 * DAY, { node: 'pve2' }));
  rows.push(fileBackup('backup-dir', 121, 'qemu', now - 40 * DAY, { node: 'pve2' }, true));
  rows.push(fileBackup('backup-dir', 220, 'lxc', now - 5 * DAY, { node: 'pve2', size: 161 }));
  rows.push(fileBackup('smb-archive', 901, 'lxc', now - 800 * DAY, { notes: 'old wiki', protected: true }));
  return rows;
}

/** Snapshots of generated guests on the large backup server: most fresh, some stale, some without any. */
export function generatedBackups(guests: Iterable<{ vmid: number; type: GuestType }>, now: number, seed: string): DemoBackup[] {
  const rows: DemoBackup[] = [];
  for (const { vmid, type } of guests) {
    const random = createRandom(`${seed}/backup/${vmid}`);
    if (random.chance(0.06)) continue;
    const age = random.chance(0.08) ? random.int(5, 60) : 0;
    const count = random.int(2, 4);
    for (let day = 0; day < count; day++) {
      rows.push(
        serverBackup(
          'pbs-bulk',
          vmid,
          type,
          night(now, age + day, 4, vmid % 60),
          day > 0 ? { verification: { state: 'ok', upid: 'UPID:pbs2:00000001:0:0:65F00000:verify:bulk:root@pam:' } } : {},
        ),
      );
    }
  }
  return rows;
}

/** ISO images, templates, snippets, imports and orphaned disks of the hand-made cluster. */
export function handMadeVolumes(now: number): DemoVolume[] {
  const old = now - 120 * DAY;
  return [
    {
      volid: 'local:iso/debian-13.2.0-amd64-netinst.iso',
      storage: 'local',
      node: 'pve1',
      content: 'iso',
      format: 'iso',
      size: 821_035_008,
      ctime: old,
    },
    { volid: 'local:iso/Übung Ä.iso', storage: 'local', node: 'pve1', content: 'iso', format: 'iso', size: 4096, ctime: old },
    {
      volid: 'local:iso/virtio-win-0.1.271.iso',
      storage: 'local',
      node: 'pve1',
      content: 'iso',
      format: 'iso',
      size: 726_503_424,
      ctime: old,
    },
    {
      volid: 'local:vztmpl/debian-13-standard_13.1-2_amd64.tar.zst',
      storage: 'local',
      node: 'pve1',
      content: 'vztmpl',
      format: 'tzst',
      size: 129_710_398,
      ctime: old,
    },
    {
      volid: 'local:vztmpl/alpine-3.22-default_20250617_amd64.tar.xz',
      storage: 'local',
      node: 'pve2',
      content: 'vztmpl',
      format: 'txz',
      size: 3_316_464,
      ctime: old,
    },
    {
      volid: 'local:snippets/hook.pl',
      storage: 'local',
      node: 'pve1',
      content: 'snippets',
      format: 'snippet',
      size: 1822,
      ctime: old,
    },
    {
      volid: 'local:snippets/vendor.yaml',
      storage: 'local',
      node: 'pve1',
      content: 'snippets',
      format: 'snippet',
      size: 411,
      ctime: old,
    },
    {
      volid: 'local:import/appliance.ova',
      storage: 'local',
      node: 'pve1',
      content: 'import',
      format: 'ova',
      size: 512_000_000,
      ctime: old,
    },
    {
      volid: 'nas-backup:iso/proxmox-ve_9.1-1.iso',
      storage: 'nas-backup',
      content: 'iso',
      format: 'iso',
      size: 1_834_987_520,
      ctime: old,
    },
    {
      volid: 'ceph-fs:iso/ubuntu-24.04.3-live-server-amd64.iso',
      storage: 'ceph-fs',
      content: 'iso',
      format: 'iso',
      size: 3_303_444_480,
      ctime: old,
    },
    {
      volid: 'ceph-fs:vztmpl/ubuntu-24.04-standard_24.04-2_amd64.tar.zst',
      storage: 'ceph-fs',
      content: 'vztmpl',
      format: 'tzst',
      size: 141_589_318,
      ctime: old,
    },
    // Left behind by guests that are gone.
    {
      volid: 'local-lvm:vm-300-disk-0',
      storage: 'local-lvm',
      node: 'pve1',
      content: 'images',
      format: 'raw',
      size: gib(32),
      ctime: old,
      vmid: 300,
    },
    {
      volid: 'ceph-rbd:vm-301-disk-0',
      storage: 'ceph-rbd',
      content: 'images',
      format: 'raw',
      size: gib(100),
      ctime: old,
      vmid: 301,
    },
    {
      volid: 'flash-array:vm-302-disk-0',
      storage: 'flash-array',
      content: 'images',
      format: 'raw',
      size: gib(500),
      ctime: old,
      vmid: 302,
    },
  ];
}
