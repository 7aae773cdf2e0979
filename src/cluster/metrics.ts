import type { Call } from '../api/call.ts';
import { listOf, numberOf, timeOf } from '../api/lenient.ts';
import type { GuestType } from './inventory.ts';

export const TIMEFRAMES = ['hour', 'day', 'week', 'month', 'year', 'decade'] as const;
export type Timeframe = (typeof TIMEFRAMES)[number];

/** What the measurements are of. */
export type MetricsTarget =
  | { readonly kind: 'node'; readonly node: string }
  | { readonly kind: 'guest'; readonly node: string; readonly vmid: number; readonly type: GuestType }
  | { readonly kind: 'storage'; readonly node: string; readonly storage: string };

/** Unit of a series; rates are bytes per second, shares fractions of 1. */
export type Unit = 'share' | 'bytes' | 'rate' | 'number';

export interface SeriesSpec {
  /** Name as the API has it. */
  readonly name: string;
  readonly unit: Unit;
  /** Series that holds its upper limit. */
  readonly limit?: string;
  /** Shown without being asked for. */
  readonly byDefault?: true;
  /** Percent in the API's answer, a fraction in ours. */
  readonly percent?: true;
}

const PRESSURE: readonly SeriesSpec[] = [
  'pressurecpusome',
  'pressurecpufull',
  'pressureiosome',
  'pressureiofull',
  'pressurememorysome',
  'pressurememoryfull',
].map((name) => ({ name, unit: 'share', percent: true }));

/** Every series there is, by kind, in the order of the answer. CPU is a fraction of the own cores, of any number. */
export const SERIES: Readonly<Record<MetricsTarget['kind'], readonly SeriesSpec[]>> = {
  node: [
    { name: 'cpu', unit: 'share', byDefault: true },
    { name: 'iowait', unit: 'share', byDefault: true },
    ...PRESSURE,
    { name: 'memused', unit: 'bytes', limit: 'memtotal', byDefault: true },
    { name: 'memavailable', unit: 'bytes', limit: 'memtotal' },
    { name: 'swapused', unit: 'bytes', limit: 'swaptotal', byDefault: true },
    { name: 'rootused', unit: 'bytes', limit: 'roottotal', byDefault: true },
    { name: 'arcsize', unit: 'bytes' },
    { name: 'netin', unit: 'rate', byDefault: true },
    { name: 'netout', unit: 'rate', byDefault: true },
    { name: 'loadavg', unit: 'number', limit: 'maxcpu', byDefault: true },
  ],
  guest: [
    { name: 'cpu', unit: 'share', byDefault: true },
    ...PRESSURE,
    { name: 'mem', unit: 'bytes', limit: 'maxmem', byDefault: true },
    { name: 'memhost', unit: 'bytes' },
    // A virtual machine's use of its disk is not known to the host: only containers have this.
    { name: 'disk', unit: 'bytes', limit: 'maxdisk', byDefault: true },
    { name: 'netin', unit: 'rate', byDefault: true },
    { name: 'netout', unit: 'rate', byDefault: true },
    { name: 'diskread', unit: 'rate', byDefault: true },
    { name: 'diskwrite', unit: 'rate', byDefault: true },
  ],
  storage: [{ name: 'used', unit: 'bytes', limit: 'total', byDefault: true }],
};

/** One moment: what was measured, by series. Without any value it is a hole in the collection. */
export interface Point {
  /** Seconds since the epoch. */
  readonly time: number;
  readonly values: ReadonlyMap<string, number>;
}

/**
 * Measurements in one request, oldest first. Those of nodes and guests come from the entry node's own copy, also when
 * their node is offline; those of storages from the node in the path.
 *
 * Source: GET /nodes/{node}/rrddata, /nodes/{node}/{qemu,lxc}/{vmid}/rrddata, /nodes/{node}/storage/{storage}/rrddata.
 */
export async function readMetrics(call: Call, target: MetricsTarget, timeframe: Timeframe): Promise<readonly Point[]> {
  const query = { timeframe, cf: 'AVERAGE' };
  const { node } = target;
  if (target.kind === 'node') return parsePoints((await call.get('/nodes/{node}/rrddata', { node }, query)).data);
  if (target.kind === 'storage') {
    const { storage } = target;
    return parsePoints((await call.get('/nodes/{node}/storage/{storage}/rrddata', { node, storage }, query)).data);
  }
  const { vmid, type } = target;
  const got = await call.get(`/nodes/{node}/${type}/{vmid}/rrddata`, { node, vmid }, query);
  return parsePoints(got.data).map(withoutNoDisk);
}

/** Containers that are stopped, and all virtual machines, are recorded with a use of 0: it is not known then. */
function withoutNoDisk(point: Point): Point {
  if (point.values.get('disk') !== 0) return point;
  return { ...point, values: new Map([...point.values].filter(([name]) => name !== 'disk')) };
}

/**
 * Points with their values as numbers (pressure of containers comes as text), sorted and each moment once. The newest
 * one is left out while it is empty: its time is not over yet, which is no hole.
 */
export function parsePoints(data: unknown): readonly Point[] {
  const points = new Map<number, Point>();
  for (const row of listOf(data, 'metrics')) {
    const time = timeOf(row['time']);
    if (time === undefined) continue;
    const values = new Map<string, number>();
    for (const [key, value] of Object.entries(row)) {
      const number = key === 'time' ? undefined : numberOf(value);
      if (number !== undefined) values.set(key, number);
    }
    // Where the old and the new format meet, a moment can come twice.
    if (values.size > 0 || !points.has(time)) points.set(time, { time, values });
  }
  const sorted = [...points.values()].sort((a, b) => a.time - b.time);
  if (sorted.at(-1)?.values.size === 0) sorted.pop();
  return sorted;
}
