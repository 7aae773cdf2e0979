import { describe, expect, test } from 'vitest';
import { stubCall } from '../../test/support/stub-call.ts';
import { parsePoints, readMetrics } from './metrics.ts';

describe('points', () => {
  test('text as numbers, sorted, each moment once, junk left out', () => {
    const points = parsePoints([
      { time: '120', pressurecpusome: '0.50', cpu: 0.2, note: 'x', mem: null },
      { time: 60 },
      { time: 120 },
      { cpu: 1 },
      'junk',
      { time: 180, cpu: 1.2e-5 },
    ]);
    expect(points.map((p) => [p.time, Object.fromEntries(p.values)])).toEqual([
      [60, {}],
      [120, { pressurecpusome: 0.5, cpu: 0.2 }],
      [180, { cpu: 1.2e-5 }],
    ]);
  });

  test('the newest bucket is left out while it is empty, and only that', () => {
    expect(parsePoints([{ time: 60, cpu: 1 }, { time: 120 }, { time: 180 }]).map((p) => p.time)).toEqual([60, 120]);
    expect(parsePoints([{ time: 60 }])).toEqual([]);
    expect(() => parsePoints(null)).toThrow('no list');
  });
});

test('a disk use of 0 is not known, whatever the record says', async () => {
  const call = stubCall(() => [
    { time: 60, disk: 0, maxdisk: 8 },
    { time: 120, disk: 5, maxdisk: 8 },
  ]);
  const points = await readMetrics(call, { kind: 'guest', node: 'a', vmid: 100, type: 'lxc' }, 'hour');
  expect(points.map((p) => p.values.get('disk'))).toEqual([undefined, 5]);
});

test('one request, of the right endpoint', async () => {
  const asked: unknown[] = [];
  const call = stubCall((path, params, query) => {
    asked.push([path, params, query]);
    return [];
  });
  await readMetrics(call, { kind: 'storage', node: 'a', storage: 's' }, 'week');
  expect(asked).toEqual([
    ['/nodes/{node}/storage/{storage}/rrddata', { node: 'a', storage: 's' }, { timeframe: 'week', cf: 'AVERAGE' }],
  ]);
});
