import type { HandlerRequest } from '../types.ts';
import type { DemoGuest, DemoNode, DemoStorage, DemoWorld } from '../world/types.ts';
import { isNine, seconds } from './answers.ts';
import { isKnown, shownName, uptimeOf } from './guest-lookup.ts';

export type Row = Record<string, unknown>;

/** A guest as /cluster/resources shows it; `inPool` rows lack pool, tags, lock and HA state. */
export function guestResource(world: DemoWorld, request: HandlerRequest, guest: DemoGuest, inPool = false): Row {
  const row: Row = { id: `${guest.type}/${guest.vmid}`, node: guest.node, type: guest.type, vmid: guest.vmid };
  if (!inPool) {
    if (guest.pool !== undefined) row.pool = guest.pool;
    if (guest.tags !== undefined && guest.tags !== '') row.tags = guest.tags;
    if (guest.hastate !== undefined) row.hastate = guest.hastate;
    if (guest.lock !== undefined && isKnown(world, guest)) row.lock = guest.lock;
  }
  if (!isKnown(world, guest)) return { ...row, status: 'unknown' };
  return {
    ...row,
    status: guest.power,
    name: shownName(guest),
    template: guest.template ? 1 : 0,
    uptime: uptimeOf(guest, seconds(request)),
    cpu: guest.cpu,
    maxcpu: guest.cpus,
    mem: guest.mem,
    maxmem: guest.maxmem,
    ...(isNine(request) ? { memhost: guest.memhost } : {}),
    disk: guest.disk,
    maxdisk: guest.maxdisk,
    diskread: guest.diskread,
    diskwrite: guest.diskwrite,
    netin: guest.netin,
    netout: guest.netout,
  };
}

/** Figures of a node that only Sys.Audit on it shows. */
function nodeFigures(node: DemoNode, now: number): Row {
  return {
    cpu: node.cpu,
    maxcpu: node.maxcpu,
    mem: node.mem,
    maxmem: node.maxmem,
    disk: node.disk,
    maxdisk: node.maxdisk,
    uptime: now - node.bootedAt,
  };
}

/** A node as /nodes (`index`) or /cluster/resources shows it. */
export function nodeRow(request: HandlerRequest, node: DemoNode, place: 'index' | 'resources'): Row {
  const row: Row = { id: `node/${node.node}`, node: node.node, type: 'node', status: node.online ? 'online' : 'offline' };
  if (place === 'index') row.ssl_fingerprint = node.fingerprint;
  else if (node.hastate !== undefined) row.hastate = node.hastate;
  if (!node.online) return row;
  row.level = node.level;
  if (place === 'resources' && request.release !== '7.4') row['cgroup-mode'] = 2;
  return request.may(`/nodes/${node.node}`, 'Sys.Audit') ? { ...row, ...nodeFigures(node, seconds(request)) } : row;
}

/** Nodes that may use a storage. */
export function nodesOfStorage(world: DemoWorld, storage: DemoStorage): DemoNode[] {
  return world.nodes.filter((node) => storage.nodes?.includes(node.node) ?? true);
}

/** A storage on a node as /cluster/resources shows it. */
export function storageResource(storage: DemoStorage, node: DemoNode): Row {
  const use = storage.use(node.node);
  const available = node.online && use.active;
  return {
    id: `storage/${node.node}/${storage.storage}`,
    type: 'storage',
    storage: storage.storage,
    node: node.node,
    plugintype: storage.type,
    content: storage.content.join(','),
    shared: storage.shared ? 1 : 0,
    status: available ? 'available' : 'unknown',
    ...(available ? { disk: use.used, maxdisk: use.total } : {}),
  };
}

/** A pool with the sums over its running members; without any it has no figures, and never a node. */
export function poolResource(world: DemoWorld, request: HandlerRequest, poolid: string): Row {
  const row: Row = { id: `/pool/${poolid}`, pool: poolid, type: 'pool' };
  const members = [...world.guests.values()].filter(
    (guest) =>
      guest.pool === poolid &&
      guest.startedAt !== undefined &&
      isKnown(world, guest) &&
      request.may(`/vms/${guest.vmid}`, 'VM.Audit'),
  );
  if (members.length === 0) return row;
  const sum = (value: (guest: DemoGuest) => number) => members.reduce((total, guest) => total + value(guest), 0);
  const maxcpu = sum((guest) => guest.cpus);
  return {
    ...row,
    maxcpu,
    cpu: sum((guest) => guest.cpu * guest.cpus) / maxcpu,
    mem: sum((guest) => guest.mem),
    maxmem: sum((guest) => guest.maxmem),
    uptime: Math.max(...members.map((guest) => uptimeOf(guest, seconds(request)))),
  };
}

/**
 * Zones (and since 9.1 fabrics) per node: rows of type `network` since 9.1, `sdn` before. The built-in zone exists on
 * every node, dead ones too; of the others only living nodes report.
 */
export function networkResources(world: DemoWorld, request: HandlerRequest): Row[] {
  if (request.release === '7.4') return [];
  const { zones, fabrics, zoneState } = world.areas.sdn;
  const modern = request.release === '9.2.11';
  const online = world.nodes.filter((node) => node.online);
  const zoneRow = (node: DemoNode, zone: string, status: string, extra: Row): Row =>
    modern
      ? {
          id: `network/${node.node}/zone/${zone}`,
          type: 'network',
          node: node.node,
          network: zone,
          'network-type': 'zone',
          status,
          ...extra,
        }
      : { id: `sdn/${node.node}/${zone}`, type: 'sdn', node: node.node, sdn: zone, status };
  const rows: Row[] = [];
  if (request.may('/sdn/zones/localnetwork', 'SDN.Audit'))
    rows.push(...world.nodes.map((node) => zoneRow(node, 'localnetwork', 'ok', {})));
  for (const zone of zones) {
    if (zone.running === undefined || !request.may(`/sdn/zones/${zone.id}`, 'SDN.Audit')) continue;
    for (const node of online) {
      const { status } = zoneState(zone.id, node.node);
      rows.push(zoneRow(node, zone.id, status === 'available' ? 'ok' : status, { 'zone-type': zone.type }));
    }
  }
  if (!modern) return rows;
  for (const { fabric, nodes } of fabrics) {
    if (!request.may(`/sdn/fabrics/${fabric.id}`, 'SDN.Audit')) continue;
    const members = new Set(nodes.map((node) => node.node_id));
    for (const { node } of online.filter((candidate) => members.has(candidate.node))) {
      rows.push({
        id: `network/${node}/fabric/${fabric.id}`,
        type: 'network',
        node,
        network: fabric.id,
        'network-type': 'fabric',
        protocol: fabric.protocol,
        status: 'ok',
      });
    }
  }
  return rows;
}
