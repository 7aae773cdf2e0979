import { describe, expect, test } from 'vitest';
import {
  devicePath,
  isFailing,
  parseDirectories,
  parseDisks,
  parseSmart,
  parseThinPools,
  parseVolumeGroups,
  parseZfsDetail,
  parseZfsPools,
} from './disks.ts';

describe('parseDisks', () => {
  const row = { devpath: '/dev/sda', size: '480103981056', model: 'X', type: 'ssd', osdid: -1, 'osdid-list': null };

  test('partitions are no disks, and neither is junk', () => {
    expect(parseDisks([row, { devpath: '/dev/sda1', parent: '/dev/sda' }, { model: 'nameless' }, 7], true)).toHaveLength(1);
    expect(() => parseDisks(null, true)).toThrow('no list');
  });

  test('what was not read is not told: UNKNOWN and N/A are no state', () => {
    const [quiet] = parseDisks([{ ...row, health: 'UNKNOWN', wearout: 'N/A' }], true);
    expect(quiet).toMatchObject({ health: undefined, lifeLeft: undefined, size: 480_103_981_056 });
    const [unread] = parseDisks([{ ...row, health: 'PASSED', wearout: 90 }], false);
    expect(unread).toMatchObject({ health: undefined, lifeLeft: undefined });
  });

  test('wear counts what is left, 0 included', () => {
    expect(parseDisks([{ ...row, wearout: '97' }], true)[0]?.lifeLeft).toBe(0.97);
    expect(parseDisks([{ ...row, wearout: 0 }], true)[0]?.lifeLeft).toBe(0);
    expect(parseDisks([{ ...row, wearout: -1 }], true)[0]?.lifeLeft).toBeUndefined();
  });

  test.each([
    [{ osdid: '3' }, 'Ceph OSD 3'],
    [{ 'osdid-list': ['12', 2], used: 'LVM' }, 'Ceph OSD 2, 12'],
    [{ used: 'ZFS' }, 'ZFS'],
    [{ mounted: 1 }, 'mounted'],
    [{}, undefined],
  ])('%j is used for %s', (extra, use) => {
    const { osdid: _osd, 'osdid-list': _list, ...bare } = row;
    expect(parseDisks([{ ...bare, ...extra }], false)[0]?.use).toBe(use);
  });

  test.each([
    ['PASSED', false],
    ['OK', false],
    ['FAILED!', true],
    [undefined, false],
  ])('health %s fails: %s', (health, failing) => {
    expect(isFailing({ health })).toBe(failing);
  });
});

test.each(['sda', '/dev/sda', '/dev/nvme0n1', '/dev/mapper/x1'])('%s is a device', (name) => {
  expect(devicePath(name)).toMatch(/^\/dev\/[A-Za-z0-9/]+$/);
});

test.each(['../etc/passwd', '/dev/../sda', '/dev/sda;x', '/dev/sda?x=1', '', '/dev/', '/dev/sd a'])('%j is no device', (name) => {
  expect(() => devicePath(name)).toThrow(/is no disk/);
});

test('SMART attributes that are at or below their threshold have failed, whoever says so', () => {
  const smart = parseSmart({
    health: 'PASSED',
    attributes: [
      { id: '  5', name: 'Reallocated_Sector_Ct', value: '8', worst: '8', threshold: '10', fail: '-', raw: '2216' },
      { id: 9, name: 'Power_On_Hours', value: 95, threshold: 0, fail: '-' },
      { id: 10, name: 'Spin', value: 100, threshold: 50, fail: 'Past' },
      { id: 11 },
    ],
  });
  expect(smart.attributes.map((a) => [a.name, a.failed])).toEqual([
    ['Reallocated_Sector_Ct', 'at or below threshold'],
    ['Power_On_Hours', undefined],
    ['Spin', 'Past'],
  ]);
  expect(parseSmart({ health: 'UNKNOWN', text: '\n a\n' })).toEqual({
    health: undefined,
    lifeLeft: undefined,
    attributes: [],
    text: 'a',
  });
});

test('volume groups hang below the root, their devices below them', () => {
  const tree = {
    leaf: 0,
    children: [{ name: 'pve', size: 100, free: '20', lvcount: 6, children: [{ name: '/dev/sdb3' }, { name: '/dev/sda3' }] }, {}],
  };
  expect(parseVolumeGroups(tree)).toEqual([
    { name: 'pve', size: 100, free: 20, volumes: 6, devices: ['/dev/sda3', '/dev/sdb3'] },
  ]);
  expect(parseVolumeGroups({ children: [] })).toEqual([]);
  expect(() => parseVolumeGroups([])).toThrow('no list');
});

test('thin pools tell data and metadata', () => {
  const row = { lv: 'data', vg: 'pve', lv_size: 800, used: '123', metadata_size: 8, metadata_used: 4, ctime: '1700000000' };
  expect(parseThinPools([row, {}])).toEqual([
    { name: 'pve/data', size: 800, used: 123, metadataSize: 8, metadataUsed: 4, created: 1_700_000_000 },
  ]);
});

test('pools, and only the leaves of a tree that are not in order', () => {
  expect(
    parseZfsPools([{ name: 'tank', size: 10, alloc: 4, free: 6, frag: '12', dedup: 1, health: 'DEGRADED' }])[0],
  ).toMatchObject({
    health: 'DEGRADED',
    used: 4,
    fragmentation: 0.12,
  });
  const leaf = (name: string, state: string, cksum: number) => ({ name, state, read: 0, write: 0, cksum, leaf: 1, msg: '' });
  const detail = parseZfsDetail({
    scan: 'scrub repaired 0B',
    errors: 'No known data errors',
    children: [
      {
        name: 'tank',
        state: 'DEGRADED',
        leaf: 0,
        children: [
          { name: 'mirror-0', leaf: 0, children: [leaf('a', 'ONLINE', 0), leaf('b', 'UNAVAIL', 0), leaf('c', 'ONLINE', 3)] },
        ],
      },
      { name: 'spares', leaf: 0, children: [{ name: 'd', state: 'AVAIL', leaf: 1 }] },
    ],
  });
  expect(detail.faults.map((f) => [f.name, f.state, f.checksumErrors])).toEqual([
    ['b', 'UNAVAIL', 0],
    ['c', 'ONLINE', 3],
  ]);
  expect(detail.scan).toBe('scrub repaired 0B');
  expect(parseZfsDetail(null).faults).toEqual([]);
});

test('a tree that never ends is cut', () => {
  let tree: Record<string, unknown> = { name: 'leaf', state: 'FAULTED', leaf: 1 };
  for (let i = 0; i < 5_000; i += 1) tree = { name: `n${i}`, children: [tree] };
  expect(parseZfsDetail(tree).faults).toEqual([]);
});

test('directories by path', () => {
  expect(parseDirectories([{ path: '/mnt/b', type: 'ext4' }, { device: 'x' }, { path: '/mnt/a' }]).map((d) => d.path)).toEqual([
    '/mnt/a',
    '/mnt/b',
  ]);
});
