import type { DemoRelease, HandlerRequest, HandlerTable } from '../types.ts';
import { hash } from '../world/random.ts';
import type { DemoGuest, DemoNode, DemoStorage, DemoWorld } from '../world/types.ts';
import { badParameter, isNine, nodeOf, parameter, seconds } from './answers.ts';
import { guestOf } from './guest-lookup.ts';
import type { Row } from './resource-rows.ts';

/** Seconds between two points, and how many points an answer has. */
interface Grid {
  readonly step: number;
  readonly count: number;
}

const MINUTE = 60;
const DAY = 86_400;

/** Grids of the format that came with 9.0. */
const NEW_GRID: Readonly<Record<string, Grid>> = {
  hour: { step: MINUTE, count: 60 },
  day: { step: MINUTE, count: 1440 },
  week: { step: 30 * MINUTE, count: 336 },
  month: { step: 30 * MINUTE, count: 1440 },
  year: { step: 6 * 3600, count: 1440 },
  decade: { step: 7 * DAY, count: 570 },
};

/** Grids of the format before. */
const OLD_GRID: Readonly<Record<string, Grid>> = {
  hour: { step: MINUTE, count: 70 },
  day: { step: 30 * MINUTE, count: 70 },
  week: { step: 3 * 3600, count: 70 },
  month: { step: 12 * 3600, count: 70 },
  year: { step: 7 * DAY, count: 70 },
};

/** On 9.0 the data set's nodes were upgraded this long ago: what is older comes on the old grid with the old keys. */
const UPGRADED_AGO = 10 * DAY;

/** RRD data of nodes, guests and storages. */
export function rrdHandlers(world: DemoWorld): HandlerTable {
  const guest = (type: DemoGuest['type']) => (request: HandlerRequest) =>
    series(request, (time, modern) => guestPoint(world, guestOf(world, request, type), time, modern));
  return {
    '/nodes/{node}/rrddata': (request) => {
      const node = nodeOf(world, request);
      return series(request, (time, modern) => nodePoint(world, node, time, modern));
    },
    '/nodes/{node}/qemu/{vmid}/rrddata': guest('qemu'),
    '/nodes/{node}/lxc/{vmid}/rrddata': guest('lxc'),
    '/nodes/{node}/storage/{storage}/rrddata': (request) => {
      const node = nodeOf(world, request);
      const name = parameter(request, 'storage');
      const storage = world.storages.find((candidate) => candidate.storage === name);
      if (storage === undefined) throw badParameter('storage', 'No such storage.');
      return series(request, (time) => storagePoint(world, storage, node, time));
    },
  };
}

type Point = (time: number, modern: boolean) => Row;

/** Moments of an answer, oldest first, each with whether it comes in the new format. */
function moments(release: DemoRelease, timeframe: string, now: number): [number, boolean][] {
  const aligned = ({ step, count }: Grid, modern: boolean): [number, boolean][] => {
    const last = Math.floor(now / step) * step;
    return Array.from({ length: count }, (_unused, index) => [last - (count - 1 - index) * step, modern]);
  };
  const old = OLD_GRID[timeframe];
  const modern = NEW_GRID[timeframe];
  if (!isNine({ release }) || modern === undefined) return old ? aligned(old, false) : [];
  const points = aligned(modern, true);
  if (release !== '9.0' || old === undefined) return points;
  const upgraded = now - UPGRADED_AGO;
  const first = points[0]?.[0] ?? upgraded;
  return [
    ...aligned(old, false).filter(([time]) => time < upgraded && time >= first),
    ...points.filter(([time]) => time >= upgraded),
  ];
}

/** The newest bucket is still empty, and is left out since 9.2. */
function series(request: HandlerRequest, point: Point): Row[] {
  const now = seconds(request);
  const peak = request.query.cf === 'MAX' ? 1.18 : 1;
  const list = moments(request.release, parameter(request, 'timeframe'), now);
  const rows = list.map(([time, modern], index): Row => {
    if (index === list.length - 1) return { time };
    const row: Row = { ...point(time, modern), time };
    if (peak !== 1) for (const key of ['cpu', 'netin', 'netout', 'loadavg']) if (typeof row[key] === 'number') row[key] *= peak;
    return row;
  });
  return isNine(request) && request.release !== '9.0' ? rows.slice(0, -1) : rows;
}

/** Noise in [-1, 1] that depends on nothing but name and moment. */
function noise(name: string, time: number): number {
  return (hash(`${name}/${time}`) / 0xffffffff) * 2 - 1;
}

/** A daily wave with noise around 1: busiest in the afternoon. */
function wave(name: string, time: number): number {
  const day = Math.sin(((time % DAY) / DAY) * 2 * Math.PI - 2.2);
  return Math.max(0.05, 1 + 0.35 * day + 0.18 * noise(name, time));
}

/** True where the collector had a hole: once for three quarters of an hour on the second node. */
function isGap(world: DemoWorld, node: string, time: number): boolean {
  const now = Math.floor(world.now / 1000);
  return node === 'pve2' && time > now - 20_400 && time < now - 17_700;
}

/** Moment from which a node's data stops; undefined while it lives. */
function diedAt(world: DemoWorld, node: string): number | undefined {
  const found = world.nodes.find((candidate) => candidate.node === node);
  return found?.online === false ? Math.floor(world.now / 1000) - 2 * DAY - 11_000 : undefined;
}

function silent(world: DemoWorld, node: string, time: number): boolean {
  const died = diedAt(world, node);
  return (died !== undefined && time > died) || isGap(world, node, time);
}

function nodePoint(world: DemoWorld, node: DemoNode, time: number, modern: boolean): Row {
  if (silent(world, node.node, time)) return {};
  const load = wave(node.node, time);
  // A node that is off now was idle and half full while it ran.
  const cpu = Math.min(1, (node.online ? node.cpu : 0.11) * load);
  const memory = Math.floor(
    Math.min(node.maxmem, (node.online ? node.mem : node.maxmem * 0.5) * (0.97 + 0.03 * noise(`${node.node}/mem`, time))),
  );
  const disk = node.online ? node.disk : node.maxdisk * 0.3;
  const row: Row = {
    cpu,
    maxcpu: node.maxcpu,
    iowait: node.iowait * load,
    loadavg: cpu * node.maxcpu,
    memtotal: node.maxmem,
    memused: memory,
    netin: 2_400_000 * load,
    netout: 1_900_000 * load,
    roottotal: node.maxdisk,
    rootused: Math.floor(disk * (1 - 0.0008 * ((world.now / 1000 - time) / DAY))),
    swaptotal: node.swapTotal,
    swapused: node.swapUsed,
  };
  if (!modern) return row;
  return {
    ...row,
    arcsize: node.node === 'pve1' ? 8_589_934_592 : 0,
    memavailable: node.maxmem - memory,
    pressurecpusome: Math.max(0, cpu - 0.4) * 10,
    pressureiosome: node.iowait * 20 * load,
    pressureiofull: node.iowait * 9 * load,
    pressurememorysome: 0,
    pressurememoryfull: 0,
  };
}

function guestPoint(world: DemoWorld, guest: DemoGuest, time: number, modern: boolean): Row {
  if (silent(world, guest.node, time)) return {};
  // Templates are made once; what lies before is unknown.
  if (guest.template && time < Math.floor(world.now / 1000) - 3 * DAY) return {};
  const idle: Row = { maxcpu: guest.cpus, maxmem: guest.maxmem, maxdisk: guest.maxdisk, disk: guest.disk };
  if (guest.startedAt === undefined || time < guest.startedAt) return idle;
  const name = `guest/${guest.vmid}`;
  const load = wave(name, time);
  const mem = Math.floor(guest.mem * (0.96 + 0.04 * noise(`${name}/mem`, time)));
  const row: Row = {
    ...idle,
    cpu: Math.min(1, guest.cpu * load),
    mem,
    netin: 14_000 * load,
    netout: 11_000 * load,
    diskread: 20_000 * load,
    diskwrite: 45_000 * load,
  };
  if (!modern) return row;
  return {
    ...row,
    memhost: guest.type === 'lxc' ? mem : Math.floor(mem * 1.06),
    pressurecpusome: Math.max(0, guest.cpu * load - 0.5) * 6,
    pressurecpufull: 0,
    pressureiosome: 0.1 * load,
    pressureiofull: 0,
    pressurememorysome: 0,
    pressurememoryfull: 0,
  };
}

/** The used space grows steadily towards what it is now, so that a forecast can be made. */
function storagePoint(world: DemoWorld, storage: DemoStorage, node: DemoNode, time: number): Row {
  if (silent(world, node.node, time)) return {};
  const use = storage.use(node.node);
  if (!use.active) return {};
  const days = (world.now / 1000 - time) / DAY;
  const used =
    use.used - days * storage.growthPerDay + noise(`${storage.storage}/${node.node}`, time) * storage.growthPerDay * 0.2;
  return { total: use.total, used: Math.floor(Math.max(use.total * 0.02, Math.min(use.total, used))) };
}
