import { describe, expect, test } from 'vitest';
import { parseDisks } from './guest-disks.ts';

const GIB = 2 ** 30;
const parse = (values: Record<string, string>, type: 'qemu' | 'lxc' = 'qemu') =>
  parseDisks(new Map(Object.entries(values)), type);

describe('disks of a machine', () => {
  test('volume, size and options; excluded from backups only when the configuration says so', () => {
    const [first, second] = parse({
      scsi0: 'local-lvm:vm-100-disk-0,iothread=1,size=32G,ssd=1',
      scsi10: 'nas:100/vm-100-disk-1.raw,backup=0,size=1.5T',
    });
    expect(first).toEqual({
      key: 'scsi0',
      kind: 'disk',
      storage: 'local-lvm',
      volume: 'local-lvm:vm-100-disk-0',
      size: 32 * GIB,
      mount: undefined,
      backup: true,
      cloneOf: undefined,
      options: ['iothread=1', 'ssd=1'],
    });
    expect(second).toMatchObject({ key: 'scsi10', backup: false, size: 1.5 * 1024 * GIB });
  });

  test.each([
    ['ide2', 'none,media=cdrom', 'cdrom', undefined],
    ['ide2', 'local:iso/x.iso,media=cdrom,size=3M', 'cdrom', 'local'],
    ['ide3', 'local-lvm:vm-100-cloudinit,media=cdrom', 'cloud-init', 'local-lvm'],
    ['ide3', 'local:100/vm-100-cloudinit.qcow2,media=cdrom', 'cloud-init', 'local'],
    ['efidisk0', 'l:vm-1-disk-0,efitype=4m', 'efi', 'l'],
    ['tpmstate0', 'l:vm-1-disk-2,version=v2.0', 'tpm', 'l'],
    ['unused3', 'l:vm-1-disk-9', 'unused', 'l'],
    ['virtio0', '/dev/disk/by-id/ata-X,size=9G', 'disk', undefined],
    ['scsi1', 'file=l:vm-1-disk-1,size=1G', 'disk', 'l'],
    ['vmstate', 'l:vm-1-state-suspend', 'state', 'l'],
  ])('%s=%s is a %s', (key, value, kind, storage) => {
    expect(parse({ [key]: value })).toMatchObject([{ key, kind, storage }]);
  });

  test('drives and unused volumes are no question of backups', () => {
    expect(parse({ ide2: 'none,media=cdrom', unused0: 'l:x' }).map((d) => d.backup)).toEqual([undefined, undefined]);
  });

  test.each([
    ['local:103/base-103-disk-0.qcow2/104/vm-104-disk-0.qcow2,size=8G', 103],
    ['ceph:base-123-disk-0/vm-124-disk-0', 123],
    ['local:103/base-103-disk-0.qcow2', undefined],
  ])('linked clone %s', (value, of) => {
    expect(parse({ scsi0: value })[0]?.cloneOf).toBe(of);
  });

  test('order: disks by number, then the rest, unused ones last', () => {
    const keys = parse({ unused0: 'l:u', scsi10: 'l:b', ide2: 'none,media=cdrom', scsi2: 'l:a', efidisk0: 'l:e' }).map(
      (d) => d.key,
    );
    expect(keys).toEqual(['scsi2', 'scsi10', 'efidisk0', 'ide2', 'unused0']);
  });

  test('other keys and disks without a volume are none', () => {
    expect(parse({ scsihw: 'virtio-scsi-single', scsi: 'l:x', mp0: 'l:x,mp=/x', sata0: 'size=3G' })).toEqual([]);
  });
});

describe('volumes of a container', () => {
  test('mount points are backed up only when included, bind mounts never, the root always', () => {
    const disks = parse(
      {
        rootfs: 'l:vm-1-disk-0,size=8G',
        mp0: 'nas:x.raw,mp=/srv,backup=1,size=4G',
        mp1: 'nas:y.raw,mp=/tmp/x,size=4G',
        mp2: '/mnt/bind,mp=/data',
      },
      'lxc',
    );
    expect(disks.map((d) => [d.key, d.kind, d.mount, d.backup])).toEqual([
      ['rootfs', 'root', '/', true],
      ['mp0', 'mount', '/srv', true],
      ['mp1', 'mount', '/tmp/x', false],
      ['mp2', 'bind', '/data', false],
    ]);
    expect(disks[3]?.storage).toBeUndefined();
  });
});
