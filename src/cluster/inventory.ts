import type { Call } from '../api/call.ts';
import { ApiError } from '../api/errors.ts';
import { boolOf, byText, commaList, intOf, listOf, numberOf, type Raw, tagsOf, textOf, timeOf, vmidOf } from '../api/lenient.ts';
import { type Gaps, mergeGaps, type Reading } from '../api/reading.ts';
import type { Got } from '../api/session.ts';
import { cleanText } from '../redact/plain-text.ts';
import { cleaned } from './shown-text.ts';

export type GuestType = 'qemu' | 'lxc';

/** A guest as the cluster's shared memory knows it (refreshed by each node about every 10 s). */
export interface Guest {
  readonly vmid: number;
  readonly type: GuestType;
  /** Absent while the guest's node is offline. */
  readonly name: string | undefined;
  readonly node: string;
  /** `running`, `stopped`, `paused`, `prelaunch`, `suspended`, ...; `unknown` while its node is offline. */
  readonly status: string;
  readonly template: boolean;
  readonly lock: string | undefined;
  readonly pool: string | undefined;
  readonly tags: readonly string[];
  readonly haState: string | undefined;
  /** Fraction 0..1 of the assigned CPUs. */
  readonly cpu: number | undefined;
  readonly maxCpu: number | undefined;
  /** Bytes. */
  readonly mem: number | undefined;
  readonly maxMem: number | undefined;
  /** Bytes; used is known for running containers only, and the maximum is the boot disk's or root file system's. */
  readonly disk: number | undefined;
  readonly maxDisk: number | undefined;
  /** Seconds. */
  readonly uptime: number | undefined;
}

export interface Node {
  readonly node: string;
  /** `online`, `offline` or `unknown`, by the cluster's membership. */
  readonly status: string;
  /** False when the token sees no figures of this node. */
  readonly hasFigures: boolean;
  readonly cpu: number | undefined;
  readonly maxCpu: number | undefined;
  readonly mem: number | undefined;
  readonly maxMem: number | undefined;
  readonly disk: number | undefined;
  readonly maxDisk: number | undefined;
  readonly uptime: number | undefined;
  /** Subscription level: `c`, `b`, `s`, `p` or empty. */
  readonly level: string | undefined;
  readonly haState: string | undefined;
}

/** One storage as one node sees it. */
export interface StorageRow {
  readonly storage: string;
  readonly node: string;
  readonly plugin: string | undefined;
  /** `available`, `unknown` (not reachable from the node, or the node is offline). */
  readonly status: string;
  readonly shared: boolean;
  readonly content: readonly string[];
  /** Bytes. */
  readonly used: number | undefined;
  readonly total: number | undefined;
}

/** Everything that one read of the cluster's shared memory tells, sorted. */
export interface Inventory {
  readonly guests: readonly Guest[];
  readonly nodes: readonly Node[];
  readonly storages: readonly StorageRow[];
  readonly pools: readonly string[];
  /** SDN zones and fabrics per node: id and status. */
  readonly networks: readonly { readonly id: string; readonly node: string; readonly type: string; readonly status: string }[];
  /** When it was read, by the clock of the node that answered: seconds since the epoch. Uptimes are reckoned from it. */
  readonly readAt: number;
  /** Seconds that the clock of that node is ahead of ours; 0 when it does not tell. */
  readonly clockAhead: number;
}

/**
 * The cluster's inventory in one request, whatever its size. Gaps are not judged here, since they differ by kind of
 * row: see `guestCoverage`, `storageCoverage`, `nodeCoverage`.
 *
 * Source: GET /cluster/resources.
 */
export async function readInventory(call: Call): Promise<Inventory> {
  // At thousands of guests parsing is most of a call's work: done once for all calls that share the answer.
  const inventory = call.session.derive(await call.get('/cluster/resources', {}), inventoryIn);
  // Every token sees the nodes: without one, the empty lists are no answer.
  if (inventory.nodes.length === 0) {
    throw new ApiError('malformed-answer', "The cluster's list of resources names no node, which can't be all of it.", {
      hint: 'Ask again in a minute; the node that answers may just be starting.',
    });
  }
  return inventory;
}

function inventoryIn({ data, at, clockOffset = 0 }: Got): Inventory {
  return parseInventory(data, { at: at / 1000, ahead: clockOffset / 1000 });
}

/** @param clock when it was read by our clock, and how far the answering node's is ahead of it: seconds */
export function parseInventory(data: unknown, clock = { at: 0, ahead: 0 }): Inventory {
  const guests: Guest[] = [];
  const nodes: Node[] = [];
  const storages: StorageRow[] = [];
  const pools: string[] = [];
  const networks: { id: string; node: string; type: string; status: string }[] = [];
  for (const row of listOf(data, 'the inventory')) {
    const type = textOf(row['type']);
    const node = textOf(row['node']);
    if (type === 'qemu' || type === 'lxc' || type === 'openvz') pushGuest(guests, row, type === 'qemu' ? 'qemu' : 'lxc', node);
    else if (type === 'node' && node !== undefined) nodes.push(parseNode(row, node));
    else if (type === 'storage' && node !== undefined) pushStorage(storages, row, node);
    else if (type === 'pool') pushText(pools, row['pool'] ?? textOf(row['id'])?.replace(/^\/?pool\//, ''));
    else if ((type === 'sdn' || type === 'network') && node !== undefined) {
      networks.push({
        id: textOf(row['sdn']) ?? textOf(row['network']) ?? textOf(row['id']) ?? '',
        node,
        type: textOf(row['network-type']) ?? 'zone',
        status: textOf(row['status']) ?? 'unknown',
      });
    }
  }
  const offline = new Set(nodes.filter((n) => n.status === 'offline').map((n) => n.node));
  for (const [i, guest] of guests.entries()) if (offline.has(guest.node)) guests[i] = withoutState(guest);
  guests.sort((a, b) => a.vmid - b.vmid || byText(a.type, b.type));
  nodes.sort((a, b) => byText(a.node, b.node));
  storages.sort((a, b) => byText(a.storage, b.storage) || byText(a.node, b.node));
  networks.sort((a, b) => byText(a.id, b.id) || byText(a.node, b.node));
  return {
    guests,
    nodes,
    storages,
    pools: pools.sort(byText),
    networks,
    readAt: clock.at + clock.ahead,
    clockAhead: clock.ahead,
  };
}

function pushGuest(guests: Guest[], row: Raw, type: GuestType, node: string | undefined): void {
  const vmid = vmidOf(row['vmid']) ?? vmidOf(/(\d+)$/.exec(textOf(row['id']) ?? '')?.[1]);
  if (vmid === undefined || node === undefined) return;
  const status = textOf(row['status']) ?? 'unknown';
  const running = status === 'running';
  guests.push({
    vmid,
    type,
    name: cleaned(row['name']),
    node,
    status,
    template: boolOf(row['template']) ?? false,
    lock: cleaned(row['lock']),
    pool: cleaned(row['pool']),
    tags: tagsOf(row['tags']).map((tag) => cleanText(tag)),
    haState: textOf(row['hastate']),
    cpu: running ? numberOf(row['cpu']) : undefined,
    maxCpu: numberOf(row['maxcpu']),
    mem: running ? numberOf(row['mem']) : undefined,
    maxMem: numberOf(row['maxmem']),
    // A virtual machine's use of its disk is not known to the host: the 0 there means nothing.
    disk: type === 'lxc' && running ? numberOf(row['disk']) : undefined,
    maxDisk: numberOf(row['maxdisk']),
    uptime: running ? numberOf(row['uptime']) : undefined,
  });
}

/** For some minutes the cluster goes on repeating what a node that is gone last said of its guests. */
function withoutState(guest: Guest): Guest {
  return { ...guest, status: 'unknown', cpu: undefined, mem: undefined, disk: undefined, uptime: undefined };
}

function parseNode(row: Raw, node: string): Node {
  const maxMem = numberOf(row['maxmem']);
  return {
    node,
    status: textOf(row['status']) ?? 'unknown',
    hasFigures: maxMem !== undefined,
    cpu: numberOf(row['cpu']),
    maxCpu: intOf(row['maxcpu']),
    mem: numberOf(row['mem']),
    maxMem,
    disk: numberOf(row['disk']),
    maxDisk: numberOf(row['maxdisk']),
    uptime: timeOf(row['uptime']),
    level: textOf(row['level']),
    haState: textOf(row['hastate']),
  };
}

function pushStorage(storages: StorageRow[], row: Raw, node: string): void {
  const storage = textOf(row['storage']) ?? textOf(row['id'])?.split('/').at(-1);
  if (storage === undefined) return;
  const total = numberOf(row['maxdisk']);
  storages.push({
    storage,
    node,
    plugin: textOf(row['plugintype']),
    status: textOf(row['status']) ?? 'unknown',
    shared: boolOf(row['shared']) ?? false,
    content: [...commaList(row['content'])].sort(byText),
    used: total === undefined || total === 0 ? undefined : numberOf(row['disk']),
    total: total === 0 ? undefined : total,
  });
}

function pushText(list: string[], value: unknown): void {
  const found = cleaned(value);
  if (found !== undefined) list.push(found);
}

/** Whether the guests in the inventory are all there are. */
export function guestCoverage(call: Call): Promise<Gaps> {
  return call.rights.over({ privilege: 'VM.Audit', under: '/vms', what: 'guests' });
}

/** Whether the storages in the inventory are all there are. */
export function storageCoverage(call: Call): Promise<Gaps> {
  return call.rights.over({ privilege: 'Datastore.Audit', under: '/storage', what: 'storages' });
}

/** Nodes are always listed; their figures need a right. Offline nodes are gaps: their live data cannot be had. */
export async function nodeCoverage(call: Call, inventory: Inventory): Promise<Gaps> {
  const offline = offlineGaps(inventory);
  if (inventory.nodes.every((n) => n.hasFigures || n.status !== 'online')) return offline;
  return mergeGaps(offline, await call.rights.over({ privilege: 'Sys.Audit', under: '/nodes', what: 'figures of nodes' }));
}

/** Whether the node is there and online. */
export function isOnline(nodes: readonly Pick<Node, 'node' | 'status'>[], name: string): boolean {
  return nodes.some((n) => n.node === name && n.status === 'online');
}

/** Names of the nodes that can be asked now, sorted. */
export function onlineNodes(inventory: Inventory): readonly string[] {
  return inventory.nodes.flatMap(({ node, status }) => (status === 'online' ? [node] : []));
}

/** One problem a node that is not online. Figures and names of its guests are missing or old. */
export function offlineGaps(inventory: Inventory, only?: ReadonlySet<string>): Gaps {
  const down = inventory.nodes.filter((n) => n.status !== 'online' && (only === undefined || only.has(n.node)));
  return {
    problems: down.map((n) => ({
      where: { node: n.node },
      kind: 'node-unreachable' as const,
      message: `Node ${n.node} is ${n.status}; what it runs and holds can't be read now.`,
    })),
    coverage: down.length === 0 ? 'complete' : 'partial',
    hidden: [],
  };
}

/** An inventory together with what may be missing of its guests. */
export async function readGuests(call: Call): Promise<Reading<Inventory>> {
  const [inventory, coverage] = await Promise.all([readInventory(call), guestCoverage(call)]);
  return { data: inventory, ...coverage };
}
