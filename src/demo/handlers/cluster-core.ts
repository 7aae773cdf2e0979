import type { DemoRelease, HandlerRequest, HandlerTable } from '../types.ts';
import { managerVersion } from '../world/package-data.ts';
import { hex } from '../world/random.ts';
import type { DemoWorld } from '../world/types.ts';
import { badParameter, directory, isQuorate } from './answers.ts';
import { unordered } from './guest-lookup.ts';
import {
  guestResource,
  networkResources,
  nodeRow,
  nodesOfStorage,
  poolResource,
  type Row,
  storageResource,
} from './resource-rows.ts';
import { clusterTaskRow } from './task-rows.ts';

/** Entries a node keeps in the cluster-wide task list. */
const CLUSTER_TASKS_PER_NODE = 25;

const CLUSTER_DIRECTORY = [
  'acme',
  'backup',
  'backup-info',
  'bulk-action',
  'ceph',
  'config',
  'firewall',
  'ha',
  'jobs',
  'log',
  'mapping',
  'metrics',
  'nextid',
  'notifications',
  'options',
  'qemu',
  'replication',
  'resources',
  'sdn',
  'status',
  'tasks',
];

/** `{version, release, repoid}` of a release. */
export function versionOf(release: DemoRelease): Row {
  return {
    version: managerVersion(release, 'pve1'),
    release: release.split('.').slice(0, 2).join('.'),
    repoid: hex(`repo/${release}`, 16),
  };
}

/** /version and the cluster-wide reads that come from shared memory. */
export function clusterCoreHandlers(world: DemoWorld): HandlerTable {
  return {
    '/version': (request) => ({ ...versionOf(request.release), console: 'html5' }),
    '/cluster': directory('name', CLUSTER_DIRECTORY),
    '/cluster/resources': (request) => resources(world, request),
    '/cluster/status': (request) => clusterStatus(world, request),
    '/cluster/tasks': (request) => clusterTasks(world, request),
    '/cluster/nextid': (request) => nextId(world, request),
    '/cluster/bulk-action': directory('name', ['guest']),
    '/cluster/bulk-action/guest': directory('name', ['start', 'shutdown', 'migrate', 'suspend']),
  };
}

function resources(world: DemoWorld, request: HandlerRequest): Row[] {
  const type = request.query.type;
  const rows: Row[] = [];
  if (type === undefined) {
    for (const pool of world.pools) {
      if (request.may(`/pool/${pool.poolid}`, 'Pool.Audit')) rows.push(poolResource(world, request, pool.poolid));
    }
  }
  if (type === undefined || type === 'vm') {
    for (const guest of world.guests.values()) {
      if (request.may(`/vms/${guest.vmid}`, 'VM.Audit')) rows.push(guestResource(world, request, guest));
    }
  }
  if (type === undefined || type === 'node') {
    for (const node of world.nodes) rows.push(nodeRow(request, node, 'resources'));
  }
  if (type === undefined || type === 'storage') {
    for (const storage of world.storages) {
      if (storage.disabled || !request.may(`/storage/${storage.storage}`, 'Datastore.Audit')) continue;
      for (const node of nodesOfStorage(world, storage)) rows.push(storageResource(storage, node));
    }
  }
  if (type === undefined || type === 'sdn') {
    const networks = networkResources(world, request);
    // `type=sdn` answers only for nodes that do not report rows of type `network` yet.
    rows.push(...(type === 'sdn' ? networks.filter((row) => row.type === 'sdn') : networks));
  }
  return unordered(rows, 11);
}

function clusterStatus(world: DemoWorld, request: HandlerRequest): Row[] {
  const nodes = world.nodes.map(
    (node): Row => ({
      id: `node/${node.node}`,
      type: 'node',
      name: node.node,
      nodeid: node.nodeid,
      ip: node.ip,
      level: node.level,
      local: node.local ? 1 : 0,
      online: node.online ? 1 : 0,
    }),
  );
  if (world.standalone) return nodes;
  const cluster: Row = {
    id: 'cluster',
    type: 'cluster',
    name: world.clusterName,
    nodes: world.nodes.length,
    quorate: isQuorate(world) ? 1 : 0,
    version: world.nodes.length,
  };
  return unordered([cluster, ...nodes], request.release.length);
}

/**
 * The newest tasks of every node. Without Sys.Audit the API compares the owner without the token's name with the whole
 * token id, so that a token never sees even its own.
 */
function clusterTasks(world: DemoWorld, request: HandlerRequest): Row[] {
  if (!request.may('/', 'Sys.Audit')) return [];
  return unordered(
    world.nodes.flatMap((node) => (world.tasks.get(node.node) ?? []).slice(0, CLUSTER_TASKS_PER_NODE).map(clusterTaskRow)),
    5,
  );
}

/** The lowest free id from 100 on, or a check of a given one that names guests the caller cannot see. */
function nextId(world: DemoWorld, request: HandlerRequest): string {
  const asked = request.query.vmid;
  if (asked !== undefined) {
    if (world.guests.has(Number(asked))) throw badParameter('vmid', `VM ${asked} already exists`);
    return asked;
  }
  let vmid = 100;
  while (world.guests.has(vmid)) vmid++;
  return String(vmid);
}
