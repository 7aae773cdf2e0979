import { describe, expect, test } from 'vitest';
import { parseGuestConfig } from './guest-config.ts';
import {
  checkPciMapping,
  claimedDevices,
  type MappingEntry,
  parseCpuModels,
  parseMachines,
  parseMappings,
  parseMediatedTypes,
  parsePciDevices,
  parseUsbDevices,
} from './hardware.ts';

describe('parsePciDevices', () => {
  test('kind by class, ids as mappings write them, no group where the IOMMU is off', () => {
    const devices = parsePciDevices([
      {
        id: '0000:02:00.0',
        class: '0x030000',
        vendor: '0x10DE',
        device: '0x2684',
        vendor_name: 'NVIDIA',
        iommugroup: '12',
        mdev: 1,
      },
      { id: '0000:01:00.0', class: '0xffff00', iommugroup: -1 },
      { class: '0x01' },
      null,
    ]);
    expect(devices).toMatchObject([
      { address: '0000:01:00.0', kind: 'ffff00', iommuGroup: undefined, ids: undefined, mediated: false },
      { address: '0000:02:00.0', kind: 'display', iommuGroup: 12, ids: '10de:2684', mediated: true, vendor: 'NVIDIA' },
    ]);
  });

  test('group 0 is a group', () => {
    expect(parsePciDevices([{ id: '0000:00:01.0', iommugroup: 0 }])[0]?.iommuGroup).toBe(0);
  });
});

test('USB: hubs are left out, ports are bus and path', () => {
  const devices = parseUsbDevices([
    { class: 9, vendid: '1d6b', prodid: '0002', busnum: 1 },
    { class: '255', vendid: '10c4', prodid: 'ea60', busnum: '1', usbpath: '2.1', speed: '12' },
    { class: 8, vendid: '0781', prodid: '5581', busnum: 1 },
  ]);
  expect(devices.map((d) => [d.port, d.ids, d.speed])).toEqual([
    [undefined, '0781:5581', undefined],
    ['1-2.1', '10c4:ea60', 12],
  ]);
});

describe('mappings', () => {
  test('one entry a node; a description that was encoded twice is put right', () => {
    const entries = parseMappings(
      [
        {
          id: 'gpu',
          description: 'RTX \u00e2\u0080\u0093 A',
          map: ['iommugroup=12,node=b,path=0000:01:00.0,id=10DE:2204', 'node=a'],
        },
        {},
      ],
      'pci',
    );
    expect(entries).toEqual([
      { kind: 'pci', id: 'gpu', node: 'a', path: undefined, ids: undefined, about: 'RTX – A' },
      { kind: 'pci', id: 'gpu', node: 'b', path: '0000:01:00.0', ids: '10de:2204', about: 'RTX – A' },
    ]);
    expect(parseMappings([{ id: 'x', map: 'junk' }], 'dir')).toEqual([]);
  });

  const devices = parsePciDevices([
    { id: '0000:01:00.0', vendor: '0x10de', device: '0x2204' },
    { id: '0000:01:00.1', vendor: '0x10de', device: '0x1aef' },
  ]);
  const entry = (part: Partial<MappingEntry>): MappingEntry => ({
    kind: 'pci',
    id: 'gpu',
    node: 'a',
    path: '0000:01:00.0',
    ids: '10de:2204',
    about: undefined,
    ...part,
  });

  test.each([
    [{}, 'yes'],
    [{ path: '01:00' }, 'yes'],
    [{ path: '0000:02:00.0' }, 'no'],
    [{ ids: '8086:1592' }, 'differs'],
    [{ ids: undefined }, 'yes'],
    [{ path: '0000:01:00.0;0000:09:00.0' }, 'no'],
    [{ path: undefined }, undefined],
    [{ kind: 'usb' as const }, undefined],
  ])('%j is there: %s', (part, verdict) => {
    expect(checkPciMapping(entry(part), devices)).toBe(verdict);
  });

  test('a node that was not read says nothing', () => {
    expect(checkPciMapping(entry({}), undefined)).toBeUndefined();
  });
});

test('devices that a machine claims, and what only looks like it', () => {
  const config = parseGuestConfig(
    {
      hostpci0: 'mapping=gpu-a',
      usb0: 'host=10c4:ea60',
      usb1: 'spice,usb3=1',
      serial0: 'socket',
      serial1: '/dev/ttyS0',
      net0: 'x',
    },
    'qemu',
  );
  expect(claimedDevices(config).map((c) => c.key)).toEqual(['hostpci0', 'serial1', 'usb0']);
  const container = parseGuestConfig({ dev0: '/dev/dri/renderD128,gid=104', hostpci0: 'x' }, 'lxc');
  expect(claimedDevices(container)).toEqual([{ key: 'dev0', device: '/dev/dri/renderD128,gid=104' }]);
});

test('machine types: newest first, by number', () => {
  const machines = parseMachines([
    { id: 'pc-q35-9.2', type: 'q35' },
    { id: 'pc-q35-10.1+pve1', type: 'q35' },
    { id: 'pc-q35-10.1', type: 'q35' },
    { id: 'pc-i440fx-7.1', type: 'i440fx' },
    {},
  ]);
  expect(machines).toEqual([
    { type: 'i440fx', ids: ['pc-i440fx-7.1'] },
    { type: 'q35', ids: ['pc-q35-10.1+pve1', 'pc-q35-10.1', 'pc-q35-9.2'] },
  ]);
});

test('CPU models of your own first; mediated types with what is left of them', () => {
  expect(parseCpuModels([{ name: 'host', custom: 0 }, { name: 'custom-x', custom: '1' }, {}]).map((m) => m.name)).toEqual([
    'custom-x',
    'host',
  ]);
  expect(parseMediatedTypes([{ type: 'nvidia-63', available: '4' }, { name: 'x' }])).toEqual([
    { type: 'nvidia-63', name: undefined, available: 4, about: undefined },
  ]);
});
