import { describe, expect, test } from 'vitest';
import { guestOf } from '../../test/support/guest-of.ts';
import { nestedPools, parsePoolMembers, parsePools, sumGuests } from './pools.ts';

test('pools by name, comments cleaned, junk left out', () => {
  expect(
    parsePools([{ poolid: 'prod/web' }, { comment: 'x' }, { poolid: 'lab', comment: 'token=abcdef0123456789abcdef\nline' }, 1]),
  ).toEqual([
    { pool: 'lab', comment: expect.stringContaining('[redacted]') },
    { pool: 'prod/web', comment: undefined },
  ]);
});

describe('parsePoolMembers', () => {
  const members = [
    { type: 'qemu', id: 'qemu/100', vmid: '100', node: 'a', status: 'running', name: 'web', maxcpu: 2 },
    { type: 'storage', id: 'storage/a/local', storage: 'local', node: 'a', status: 'available', maxdisk: 10, disk: 5 },
    { type: 'mystery' },
  ];

  test('the newer answer is a list with one entry, the older one is the entry', () => {
    const newer = parsePoolMembers([{ poolid: 'prod', comment: 'c', members }], 'prod');
    const older = parsePoolMembers({ comment: 'c', members }, 'prod');
    expect(newer).toEqual(older);
    expect(newer.guests.map((g) => g.vmid)).toEqual([100]);
    expect(newer.storages.map((s) => s.storage)).toEqual(['local']);
  });

  test('a pool without members', () => {
    expect(parsePoolMembers([], 'x')).toEqual({ pool: 'x', comment: undefined, guests: [], storages: [] });
    expect(parsePoolMembers({ members: null }, 'x').guests).toEqual([]);
  });
});

test('templates use nothing, stopped guests hold what they are assigned', () => {
  const sums = sumGuests([
    guestOf({ vmid: 100, status: 'running', cpu: 0.5, maxCpu: 4, mem: 10, maxMem: 20, maxDisk: 7 }),
    guestOf({ vmid: 101, status: 'stopped', cpu: undefined, maxCpu: 2, mem: undefined, maxMem: 30, maxDisk: 1, template: false }),
    guestOf({ vmid: 102, status: 'stopped', maxCpu: 8, maxMem: 80, maxDisk: 9, template: true }),
  ]);
  expect(sums).toEqual({ guests: 3, running: 1, cpus: 6, cpusRunning: 4, cpusUsed: 2, memory: 50, memoryUsed: 10, disk: 8 });
});

test('without any figure the use is not told, rather than zero', () => {
  expect(sumGuests([guestOf({ status: 'unknown', cpu: undefined, mem: undefined })])).toMatchObject({
    cpusUsed: undefined,
    memoryUsed: undefined,
  });
});

test('a pool is above those that begin with its name and a slash', () => {
  const pools = ['prod', 'prod/web', 'prod/web/x', 'production'].map((pool) => ({ pool, comment: undefined }));
  expect(nestedPools(pools, 'prod').map((p) => p.pool)).toEqual(['prod/web', 'prod/web/x']);
});
