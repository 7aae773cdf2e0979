import { bytes, duration, int, list, number, percent, record, table, text, time } from '../../answer/spec.ts';
import { shareOf } from '../../answer/units.ts';
import type { Call } from '../../api/call.ts';
import { attempt, type Gaps, mergeGaps, NO_GAPS, type Reading, visibleWord } from '../../api/reading.ts';
import { type ClusterStatus, type QDevice, type Quorum, readClusterStatus, readQuorum } from '../../cluster/cluster-status.ts';
import {
  type Guest,
  guestCoverage,
  type Inventory,
  type Node,
  nodeCoverage,
  readInventory,
  storageCoverage,
} from '../../cluster/inventory.ts';
import { nameRefused } from '../../cluster/refused.ts';
import { readNextVmid } from '../../cluster/resolve.ts';
import { mergeStorages, type Storage } from '../../cluster/storage.ts';
import { parseTasks, type Task } from '../../cluster/tasks.ts';
import { runsNow } from '../../insights/capacity.ts';
import { defineTool } from '../define-tool.ts';
import { RIGHTS_READS } from '../rights-reads.ts';

const DAY = 86_400;
const MAX_NODES = 12;
const MAX_STORAGES = 12;
const MAX_FULLEST = 5;
const MAX_TASKS = 10;

export const getClusterOverview = defineTool({
  name: 'get_cluster_overview',
  title: 'Cluster overview',
  toolset: 'cluster',
  description:
    'How the cluster is: quorum, nodes, CPU and memory use and assignment, guests by state, fullest storages, running and failed tasks of a day, HA. Start here.',
  params: {},
  output: {
    cluster: record({
      name: text(),
      release: text(),
      quorum: text(),
      qdevice: text('outside arbiter'),
      nodes: int(),
      online: int(),
      cores: int('of online nodes'),
      cpu: percent('of all cores'),
      cpus_assigned: number('to guests that run or are paused'),
      memory: bytes('of online nodes'),
      mem: percent(),
      mem_assigned: percent('of memory, to guests that run or are paused'),
      storage: bytes('available storages, each once'),
      storage_used: percent(),
      next_vmid: int('the first that is free'),
    }),
    nodes: table({
      node: text(),
      status: text(),
      cpu: percent(),
      mem: percent(),
      root: percent('of the root file system'),
      uptime: duration(),
      running: int('guests'),
      ha: text(),
    }),
    guests: record({
      total: int(),
      running: int(),
      stopped: int(),
      other: list('paused, suspended, ...'),
      unknown: int('their node is offline'),
      templates: int(),
      locked: int(),
      ha: list('guests by HA state'),
    }),
    storages: table({ storage: text(), nodes: list(), state: text(), used: percent(), free: bytes(), total: bytes() }),
    tasks: table({ state: text(), type: text(), id: text(), node: text(), user: text(), start: time(), status: text() }),
  },
  reads: [
    '/cluster/resources',
    '/cluster/status',
    '/cluster/config/nodes',
    '/cluster/config/qdevice',
    '/cluster/tasks',
    '/cluster/nextid',
    '/version',
    ...RIGHTS_READS,
  ],
  async run(_args, call) {
    const [inventory, membership, tasks, release, next] = await Promise.all([
      readInventory(call),
      readMembership(call),
      readDay(call),
      attempt({}, () => call.release()),
      attempt({}, () => readNextVmid(call)),
    ]);
    const [nodes, guests, storages] = await Promise.all([
      nodeCoverage(call, inventory),
      guestCoverage(call),
      storageCoverage(call),
    ]);
    const { status, quorum } = membership.data;
    const merged = mergeStorages(inventory, []);
    const online = inventory.nodes.filter((n) => n.status === 'online');
    return {
      headline: headline(inventory, status, tasks, guests, release.data?.text),
      sections: {
        cluster: {
          name: status?.name,
          release: release.data?.text,
          quorum: quorumText(status, quorum),
          qdevice: quorum?.qdevice === undefined ? undefined : qdeviceText(quorum.qdevice, quorum),
          nodes: inventory.nodes.length,
          online: online.length,
          ...capacity(online, inventory.guests),
          ...space(merged),
          next_vmid: next.data,
        },
        nodes: nodeRows(inventory),
        guests: guestCounts(inventory, guests),
        storages: merged.length === 0 ? undefined : storageRows(merged),
        tasks: tasks.data?.shown.map(taskRow),
      },
      gaps: mergeGaps(membership, tasks, release, next, nodes, guests, storages),
      notes: notes(inventory, merged, tasks.data),
      next: [],
    };
  },
});

interface Membership {
  readonly status: ClusterStatus | undefined;
  readonly quorum: Quorum | undefined;
}

/** Membership, then the votes, which only a cluster has. */
async function readMembership(call: Call): Promise<Reading<Membership>> {
  const status = await attempt({}, () => readClusterStatus(call));
  const gaps = nameRefused(status, "the cluster's name and quorum");
  if (status.data?.clustered !== true) return { data: { status: status.data, quorum: undefined }, ...gaps };
  const quorum = await readQuorum(call, status.data);
  return { data: { status: status.data, quorum: quorum.data }, ...mergeGaps(gaps, quorum) };
}

interface DayOfTasks {
  readonly running: number;
  readonly failed: number;
  /** Running ones first, then failed ones, newest first. */
  readonly shown: readonly Task[];
}

/** The cluster's own list of recent tasks; it is empty, not refused, for tokens that may not see those of others. */
async function readDay(call: Call): Promise<Reading<DayOfTasks | undefined>> {
  const [rows, may] = await Promise.all([
    attempt({}, async () => parseTasks((await call.get('/cluster/tasks', {})).data)),
    attempt({}, () => call.rights.has('Sys.Audit', '/')),
  ]);
  const gaps = mergeGaps(rows, may);
  if (may.data === false)
    return {
      data: undefined,
      ...mergeGaps(gaps, { ...NO_GAPS, coverage: 'partial', hidden: [{ what: 'tasks', privilege: 'Sys.Audit', path: '/' }] }),
    };
  if (rows.data === undefined) return { data: undefined, ...gaps };
  const since = call.now() / 1000 - DAY;
  const running = rows.data.filter((t) => t.state === 'running');
  const failed = rows.data.filter((t) => t.state === 'failed' && (t.end ?? t.start ?? 0) >= since);
  const newest = (a: Task, b: Task): number => (b.start ?? 0) - (a.start ?? 0);
  return {
    data: {
      running: running.length,
      failed: failed.length,
      shown: [...running.sort(newest), ...failed.sort(newest)].slice(0, MAX_TASKS),
    },
    ...gaps,
  };
}

function headline(
  inventory: Inventory,
  status: ClusterStatus | undefined,
  tasks: Reading<DayOfTasks | undefined>,
  guests: Gaps,
  release: string | undefined,
): string {
  const total = inventory.nodes.length;
  const online = inventory.nodes.filter((n) => n.status === 'online').length;
  const version = release === undefined ? '' : ` (Proxmox VE ${release})`;
  const real = inventory.guests.filter((g) => !g.template);
  const running = real.filter((g) => g.status === 'running').length;
  const parts = [
    status?.clustered === false
      ? `Standalone node ${inventory.nodes[0]?.node ?? ''}${version}, no cluster`
      : `Cluster ${status?.name ?? ''}${version}: ${quorate(status)}${online} of ${total} nodes online`,
    inventory.guests.length === 0 && guests.coverage !== 'complete'
      ? 'no guest is visible to this token'
      : `${real.length} ${visibleWord(guests)}guests, ${running} running`,
  ];
  if (tasks.data !== undefined) parts.push(`${tasks.data.failed} failed tasks in a day`);
  return parts.join('; ').replace('Cluster  (', 'Cluster (').replace('Cluster :', 'Cluster:');
}

function quorate(status: ClusterStatus | undefined): string {
  if (status?.quorate === undefined) return '';
  return status.quorate ? 'quorate, ' : 'NOT QUORATE (configuration is read-only), ';
}

function quorumText(status: ClusterStatus | undefined, quorum: Quorum | undefined): string | undefined {
  if (status === undefined) return undefined;
  if (!status.clustered) return 'not needed: standalone node';
  const state = status.quorate === true ? 'yes' : 'NO: the configuration is read-only';
  const votes = quorum?.votes;
  return votes === undefined ? state : `${state}, ${votes.present} of ${votes.expected} votes present, ${votes.needed} needed`;
}

/** `Connected, 1 vote, Fifty-Fifty split, arbiter.example` */
function qdeviceText(device: QDevice, quorum: Quorum): string {
  const votes = quorum.votes?.qdevice;
  return [
    device.state ?? 'state unknown',
    votes === undefined ? undefined : `${votes} ${votes === 1 ? 'vote' : 'votes'}`,
    device.algorithm,
    device.host,
  ]
    .filter((part) => part !== undefined)
    .join(', ');
}

/** Use and assignment against what the online nodes have; nothing where no figures are visible. */
function capacity(online: readonly Node[], guests: readonly Guest[]) {
  const seen = online.filter((n) => n.hasFigures);
  if (seen.length === 0) return {};
  const cores = sum(seen.map((n) => n.maxCpu));
  const memory = sum(seen.map((n) => n.maxMem));
  const here = new Set(seen.map((n) => n.node));
  const active = guests.filter((g) => runsNow(g) && here.has(g.node));
  return {
    cores,
    cpu: cores === 0 ? undefined : sum(seen.map((n) => (n.cpu ?? 0) * (n.maxCpu ?? 0))) / cores,
    cpus_assigned: active.length === 0 ? undefined : sum(active.map((g) => g.maxCpu)),
    memory,
    mem: memory === 0 ? undefined : sum(seen.map((n) => n.mem)) / memory,
    mem_assigned: active.length === 0 || memory === 0 ? undefined : sum(active.map((g) => g.maxMem)) / memory,
  };
}

/** Storages that lie on the same file system of a node tell the same figures, and count once. */
function space(storages: readonly Storage[]) {
  const unique = new Map<string, Storage>();
  for (const s of storages) {
    if (s.state !== 'available' || s.total === undefined || s.used === undefined) continue;
    unique.set(s.shared ? `shared ${s.storage}` : `${s.nodes.join()} ${s.total} ${s.used}`, s);
  }
  const all = [...unique.values()];
  const total = sum(all.map((s) => s.total));
  if (total === 0) return {};
  return { storage: total, storage_used: sum(all.map((s) => s.used)) / total };
}

function sum(values: readonly (number | undefined)[]): number {
  return values.reduce<number>((total, v) => total + (v ?? 0), 0);
}

/** Nodes that are down first, then those with the least memory left. */
function nodeRows(inventory: Inventory) {
  return [...inventory.nodes]
    .sort(
      (a, b) =>
        Number(a.status === 'online') - Number(b.status === 'online') ||
        (shareOf(b.mem, b.maxMem) ?? 0) - (shareOf(a.mem, a.maxMem) ?? 0),
    )
    .slice(0, MAX_NODES)
    .map((n) => {
      const here = inventory.guests.filter((g) => g.node === n.node && g.status === 'running').length;
      return {
        node: n.node,
        status: n.status,
        cpu: n.cpu,
        mem: shareOf(n.mem, n.maxMem),
        root: shareOf(n.disk, n.maxDisk),
        uptime: n.uptime,
        // Nothing seen may be nothing shown, and what an offline node ran last says nothing.
        running: n.status !== 'online' || inventory.guests.length === 0 ? undefined : here,
        ha: n.haState,
      };
    });
}

function guestCounts(inventory: Inventory, gaps: Gaps) {
  if (inventory.guests.length === 0 && gaps.coverage !== 'complete') return undefined;
  const real = inventory.guests.filter((g) => !g.template);
  const count = (status: string): number => real.filter((g) => g.status === status).length;
  const others = tally(real.map((g) => g.status).filter((s) => !['running', 'stopped', 'unknown'].includes(s)));
  const managed = tally(inventory.guests.flatMap((g) => g.haState ?? []));
  return {
    total: real.length,
    running: count('running'),
    stopped: count('stopped'),
    other: others.length === 0 ? undefined : others,
    unknown: count('unknown') === 0 ? undefined : count('unknown'),
    templates: inventory.guests.length - real.length,
    locked: real.filter((g) => g.lock !== undefined).length,
    ha: managed.length === 0 ? undefined : managed,
  };
}

/** `["1 error", "4 started"]`, sorted by word. */
function tally(words: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([word, n]) => `${n} ${word}`);
}

/** Unreachable ones first, each once however many nodes miss it; then the fullest. */
function storageRows(storages: readonly Storage[]) {
  const missed = new Map<string, string[]>();
  for (const s of storages) {
    if (s.state === 'inactive') missed.set(s.storage, [...(missed.get(s.storage) ?? []), ...(s.shared ? ['shared'] : s.nodes)]);
  }
  const fullest = storages
    .filter((s) => s.state === 'available' && s.total !== undefined)
    .sort((a, b) => (shareOf(b.used, b.total) ?? 0) - (shareOf(a.used, a.total) ?? 0));
  return [
    ...[...missed].map(([storage, nodes]) => ({ storage, nodes, state: 'inactive' })),
    ...fullest.slice(0, MAX_FULLEST).map((s) => ({
      storage: s.storage,
      nodes: s.shared ? ['shared'] : s.nodes,
      state: s.state,
      used: shareOf(s.used, s.total),
      free: s.used === undefined || s.total === undefined ? undefined : Math.max(0, s.total - s.used),
      total: s.total,
    })),
  ].slice(0, MAX_STORAGES);
}

function taskRow(t: Task) {
  return { state: t.state, type: t.type, id: t.id, node: t.node, user: t.user, start: t.start, status: t.status };
}

function notes(inventory: Inventory, storages: readonly Storage[], tasks: DayOfTasks | undefined): readonly string[] {
  const said: string[] = [];
  if (inventory.nodes.length > MAX_NODES) said.push(`${MAX_NODES} of ${inventory.nodes.length} nodes shown; list_nodes has all.`);
  if (storages.length > MAX_FULLEST)
    said.push('Storages: only those that a node cannot reach, and the fullest; list_storage has all.');
  if (tasks !== undefined) {
    const more = tasks.running + tasks.failed - tasks.shown.length;
    said.push(
      `Tasks: the cluster's list of recent ones, at most 25 a node${more > 0 ? `; ${more} more are not shown` : ''}. list_recent_tasks reads the nodes' archives.`,
    );
  }
  return said;
}
