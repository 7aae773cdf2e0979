import { expect, test } from 'vitest';
import { parseCephDaemons, parseCephFileSystems, parseCephOsdDetail, parseCephSettings } from './ceph-details.ts';

test('daemons: truth values as they come, junk is left out', () => {
  expect(
    parseCephDaemons('mon', [
      { name: 'b', quorum: '1', state: 'running', addr: '192.0.2.2:6789/0' },
      { name: 'a', quorum: 0 },
      null,
      {},
    ]),
  ).toMatchObject([
    { kind: 'mon', name: 'a', inQuorum: false, state: undefined },
    { kind: 'mon', name: 'b', inQuorum: true, address: '192.0.2.2:6789/0' },
  ]);
  expect(parseCephDaemons('mds', [{ name: 'x', state: 'up:active', fs_name: 'fs', quorum: 1 }])).toMatchObject([
    { fileSystem: 'fs', inQuorum: undefined },
  ]);
  expect(() => parseCephDaemons('mgr', 'x')).toThrow('no list');
});

test('file systems of old and new releases', () => {
  expect(
    parseCephFileSystems([
      { name: 'new', metadata_pool: 'm', data_pool: 'd1', data_pools: ['d1', 'd2', null] },
      { name: 'old', data_pool: 'd' },
      { metadata_pool: 'nameless' },
    ]),
  ).toEqual([
    { name: 'new', metadataPool: 'm', dataPools: ['d1', 'd2'] },
    { name: 'old', metadataPool: undefined, dataPools: ['d'] },
  ]);
});

test('settings in order, values of any type on one line', () => {
  expect(
    parseCephSettings([
      { section: 'osd', name: 'b', value: 'x\ny', mask: 'class:ssd' },
      { section: 'global', name: 'a', value: 3, mask: '' },
      { name: 'c' },
      7,
    ]),
  ).toEqual([
    { section: 'global', name: 'a', value: '3', mask: undefined },
    { section: 'global', name: 'c', value: undefined, mask: undefined },
    { section: 'osd', name: 'b', value: 'x y', mask: 'class:ssd' },
  ]);
});

test('an OSD: what is not told is undefined, a daemon that is down uses no memory', () => {
  expect(
    parseCephOsdDetail(
      {
        devices: [{ device: 'block', physical_device: 'nvme0n1', type: 'ssd' }, { device: 'db', dev_node: '/dev/dm-1' }, 'x'],
        osd: { encrypted: '0', mem_usage: 0, osd_objectstore: 'bluestore', version: '19.2.3 (abc) squid (stable)' },
      },
      { vg_name: 'vg', lv_name: 'lv', creation_time: '2025-03-02 10:11:12.000000000 +0100' },
    ),
  ).toEqual({
    devices: ['block on nvme0n1 (ssd)', 'db on /dev/dm-1'],
    store: 'bluestore',
    encrypted: false,
    memory: undefined,
    front: undefined,
    back: undefined,
    version: '19.2.3',
    volume: 'vg/lv',
    created: Date.UTC(2025, 2, 2, 9, 11, 12) / 1000,
  });
  expect(parseCephOsdDetail(undefined, null)).toMatchObject({ devices: [], volume: undefined, encrypted: undefined });
});
