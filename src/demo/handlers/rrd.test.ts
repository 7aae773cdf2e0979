import { describe, expect, it } from 'vitest';
import type { DemoRelease } from '../types.ts';
import { createWorld } from '../world/create-world.ts';
import { createHandlers } from './create-handlers.ts';
import { call } from './test-request.ts';

const NOW = Date.UTC(2026, 0, 14, 11, 30, 20);
const table = createHandlers(createWorld({ now: NOW }));

function points(path: string, timeframe: string, release: DemoRelease = '9.2.11', cf?: string): Record<string, number>[] {
  const { data } = call(table, `${path}/rrddata`, { query: { timeframe, ...(cf ? { cf } : {}) }, release, now: NOW });
  if (!Array.isArray(data)) throw new Error('no list');
  return data;
}

const steps = (rows: Record<string, number>[]) =>
  new Set(rows.slice(1).map((row, index) => (row.time ?? 0) - (rows[index]?.time ?? 0)));

describe('RRD data', () => {
  it('comes on the grid of the release', () => {
    expect(points('/nodes/pve1', 'day')).toHaveLength(1439);
    expect(steps(points('/nodes/pve1', 'day'))).toEqual(new Set([60]));
    expect(steps(points('/nodes/pve1', 'week'))).toEqual(new Set([1800]));
    expect(points('/nodes/pve1', 'day', '8.4')).toHaveLength(70);
    expect(steps(points('/nodes/pve1', 'day', '8.4'))).toEqual(new Set([1800]));
  });

  it('has the old keys before 9', () => {
    expect(points('/nodes/pve1', 'hour', '8.4')[3]).not.toHaveProperty('memavailable');
    expect(points('/nodes/pve1/qemu/100', 'hour', '8.4')[3]).not.toHaveProperty('memhost');
  });

  it('changes its step in the middle after an upgrade', () => {
    expect(steps(points('/nodes/pve1', 'month', '9.0')).size).toBeGreaterThan(1);
  });

  it('has an empty newest point before 9.2', () => {
    expect(Object.keys(points('/nodes/pve1', 'hour', '9.0').at(-1) ?? {})).toEqual(['time']);
    expect(points('/nodes/pve1', 'hour').at(-1)).toHaveProperty('cpu');
  });

  it('has gaps as points with nothing but a time', () => {
    const gap = points('/nodes/pve2', 'day').filter((row) => Object.keys(row).length === 1);
    expect(gap.length).toBeGreaterThan(30);
    expect(gap.length).toBeLessThan(60);
  });

  it('stops with the node that died, also for its guests', () => {
    for (const path of ['/nodes/pve3', '/nodes/pve3/qemu/130']) {
      expect(points(path, 'day').every((row) => Object.keys(row).length === 1)).toBe(true);
      expect(points(path, 'week').some((row) => Object.keys(row).length > 1)).toBe(true);
    }
  });

  it('shows a stopped guest with its limits only', () => {
    expect(points('/nodes/pve1/qemu/108', 'hour')[5]).not.toHaveProperty('cpu');
    expect(points('/nodes/pve1/qemu/108', 'hour')[5]).toHaveProperty('maxmem');
  });

  it('lets storages grow steadily to what they are', () => {
    const rows = points('/nodes/pve1/storage/tank', 'month').filter((row) => row.used !== undefined);
    const first = rows[0]?.used ?? 0;
    const last = rows.at(-1)?.used ?? 0;
    const days = ((rows.at(-1)?.time ?? 0) - (rows[0]?.time ?? 0)) / 86_400;
    expect((last - first) / days / 1024 ** 3).toBeCloseTo(11, 0);
  });

  it('is the same for the same moment, and higher as maximum', () => {
    expect(points('/nodes/pve1', 'hour')).toEqual(points('/nodes/pve1', 'hour'));
    expect(points('/nodes/pve1', 'hour', '9.2.11', 'MAX')[5]?.cpu).toBeGreaterThan(points('/nodes/pve1', 'hour')[5]?.cpu ?? 1);
  });
});
