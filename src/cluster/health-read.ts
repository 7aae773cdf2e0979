/** Reads the facts that a plan asks for: of the cluster, and of each node. Those of guests are in health-guests.ts. */
import type { Call } from '../api/call.ts';
import type { EndpointPath } from '../api/endpoints.ts';
import { toApiError } from '../api/errors.ts';
import { attempt, type Gaps, mergeGaps, NO_GAPS, type Reading } from '../api/reading.ts';
import { atLeast, type Release } from '../api/release.ts';
import { readAccess } from './access.ts';
import { cutGaps, optional } from './attempts.ts';
import { readBackupsEverywhere } from './backup-coverage.ts';
import { readBackupJobs } from './backup-jobs.ts';
import { readCephFlags, readCephStatus, readCephVersions } from './ceph.ts';
import { readCertificates } from './certificates.ts';
import { readMetricServers } from './cluster-config.ts';
import { type ClusterStatus, readClusterStatus, readQuorum } from './cluster-status.ts';
import { readDisks, readThinPools, readZfsPools } from './disks.ts';
import { fanOut } from './fan-out.ts';
import { readFirewallRules, readRulesOfLevel, readSecurityGroups } from './firewall.ts';
import { parseHaGroups, parseHaRules, readHaStatus } from './ha.ts';
import {
  FACT_NAMES,
  type Fact,
  type FactData,
  type FactName,
  type HealthFacts,
  type Lack,
  lacksOf,
  type PerNode,
  type Plan,
} from './health-facts.ts';
import { guestCoverage, type Inventory, readInventory, storageCoverage } from './inventory.ts';
import { readNodeNetwork } from './node-network.ts';
import { readDns, readNodeClock, readNodeStatus, readNodeVersions, readServices, readSubscription } from './node-status.ts';
import { readNotifications } from './notifications.ts';
import { readReplication } from './replication.ts';
import { readSdn } from './sdn.ts';
import { mergeStorages, readStorageDefinitions, type StorageDefinition } from './storage.ts';
import { LONG_TASK_S, parseTasks, reachesBackTo, readTasks, type Task } from './tasks.ts';
import { readRepositories, readUpdates } from './updates.ts';

const DAY = 86_400;
/** Entries that each node keeps in the cluster's list of recent tasks. */
const RECENT_TASKS = 25;
const TASKS_PER_NODE = 500;
/** VNets whose firewall is looked at. */
const MAX_VNETS = 24;
/** Nodes that are asked for a Ceph that the entry node does not have. */
const MAX_CEPH_NODES = 2;

/** What everything else starts from. */
export interface HealthBase {
  readonly inventory: Inventory;
  readonly release: Fact<Release>;
  readonly guests: Gaps;
  readonly storages: Gaps;
  /** The token may read what concerns the cluster as a whole. */
  readonly seesCluster: boolean;
}

/** The inventory and how much of it the token sees. Throws when the inventory can't be read: there is nothing to judge then. */
export async function readHealthBase(call: Call): Promise<HealthBase> {
  const [inventory, release, guests, storages, seesCluster] = await Promise.all([
    readInventory(call),
    attempt({}, () => call.release()),
    guestCoverage(call),
    storageCoverage(call),
    attempt({}, () => call.rights.has('Sys.Audit', '/')),
  ]);
  // Not told: the reads themselves will say it.
  return { inventory, release: await factOf(async () => release), guests, storages, seesCluster: seesCluster.data ?? true };
}

/** Which nodes are asked, and what of the answer is for one guest only. */
export interface ReadScope {
  readonly plan: Plan;
  /** Only this node. */
  readonly node: string | undefined;
  /** Task archives are read in place of the list of recent tasks, and every node is asked for pools, not only those with a storage on one. */
  readonly thorough: boolean;
}

type Facts = { [K in FactName]: Fact<FactData[K]> };

const CLUSTER_AUDIT = 'Sys.Audit on /';
const REFUSED: Lack = { why: `needs ${CLUSTER_AUDIT}`, needs: CLUSTER_AUDIT };

/**
 * Reads everything that the plan names, but for guests. Nothing of it fails the whole: what can't be read is a lack of its fact.
 *
 * Source: see the readers; each fact's requests are listed in FACTS.
 */
export async function readHealthFacts(call: Call, base: HealthBase, scope: ReadScope): Promise<HealthFacts> {
  const { inventory } = base;
  const facts = baseFacts(base, scope.node);
  const wants = (name: FactName): boolean => scope.plan.read.has(name);
  const wantsStorages = wants('storages') || wants('definitions') || wants('allStorages');
  const inScope = inventory.nodes.filter((n) => scope.node === undefined || n.node === scope.node);
  const nodes = inScope.filter((n) => n.status === 'online').map((n) => n.node);
  const offline: readonly Lack[] = inScope
    .filter((n) => n.status !== 'online')
    .map((n) => ({ why: `${n.node} is ${n.status}`, nodes: [n.node] }));

  function put<K extends FactName>(name: K, fact: Fact<FactData[K]>): void {
    // The compiler does not see that both types are the same for any name.
    facts[name] = fact as Facts[K];
  }

  /** A fact of the cluster; one that needs the right to see the cluster is not asked for without it. */
  async function one<K extends FactName>(
    name: K,
    audited: boolean,
    read: () => Promise<Reading<FactData[K] | undefined>>,
  ): Promise<void> {
    if (!wants(name)) return;
    put(name, audited && !base.seesCluster ? { data: undefined, lacks: [REFUSED] } : await factOf(read));
  }

  /** A fact of each node that is online. */
  async function each<K extends NodeFact>(
    name: K,
    read: (node: string) => Promise<ValueOf<FactData[K]>>,
    asked: readonly string[] = nodes,
    spared: readonly Lack[] = [],
  ): Promise<void> {
    if (!wants(name)) return;
    const out = await fanOut(call, asked, (node) => ({ node }), read);
    const data: PerNode<ValueOf<FactData[K]>> = new Map(out.results.map((r) => [r.item, r.data]));
    const late: readonly Lack[] = out.left.length === 0 ? [] : [{ why: 'not read in time', nodes: [...out.left] }];
    const failed = lacksOf({ ...out.gaps, coverage: 'complete', why: undefined });
    put(name, {
      // A map of what the reader of this very fact returned is the fact's data.
      data: asked.length > 0 && data.size === 0 ? undefined : (data as FactData[K]),
      lacks: [...offline, ...failed, ...late, ...spared],
    });
  }

  const pools = (plugin: string): { readonly asked: readonly string[]; readonly spared: readonly Lack[] } => {
    if (scope.thorough || base.storages.coverage !== 'complete') return { asked: nodes, spared: [] };
    const asked = nodesWithPlugin(inventory, plugin, nodes);
    const left = nodes.filter((n) => !asked.includes(n));
    const why = 'no storage of this kind is defined there, so pools that hold none were not asked for';
    return { asked, spared: left.length === 0 ? [] : [{ why, nodes: left, spared: true }] };
  };
  const thin = pools('lvmthin');
  const zfs = pools('zfspool');

  async function readMembership(): Promise<void> {
    await one('membership', true, async () => attempt({}, () => readClusterStatus(call)));
    const status = facts.membership.data;
    await one('quorum', true, async () => {
      if (status === undefined) return { data: undefined, ...missing(facts.membership, 'cluster membership') };
      // A node that stands alone has no votes to count: known, and nothing to judge.
      if (!status.clustered) return { data: { nodes: [], qdevice: undefined, votes: undefined }, ...NO_GAPS };
      return readQuorum(call, status);
    });
  }

  const definitions = await attempt({}, async () => (wantsStorages ? await readStorageDefinitions(call) : undefined));
  setStorages(facts, base, definitions, wantsStorages);

  await Promise.all([
    readMembership(),
    readTaskFacts(call, base, scope, facts),
    one('jobs', true, () => attempt({}, () => readBackupJobs(call))),
    one('ha', true, () => readHaFacts(call)),
    one('replication', false, () => withCoverage(readReplication(call, inventory, scope.node), base.guests)),
    one('ceph', true, () => readCephFacts(call, base, nodes)),
    one('notifications', false, () => readNotifications(call, false)),
    one('metricServers', true, () => attempt({}, () => readMetricServers(call))),
    one('clusterFirewall', true, () => attempt({}, () => readRulesOfLevel(call, { scope: 'cluster' }))),
    one('sdn', false, () => readSdnFacts(call)),
    readUsersAndEntries(),
    one('securityGroups', true, () => readSecurityGroups(call)),
    readBackupFacts(),
    one('vnetFirewalls', false, () => readVnetFirewalls(call)),
    each('disks', (node) => readDisks(call, node, true)),
    each('thinPools', (node) => readThinPools(call, node), thin.asked, thin.spared),
    each('zfsPools', (node) => readZfsPools(call, node), zfs.asked, zfs.spared),
    each('services', (node) => readServices(call, node)),
    each('certificates', (node) => readCertificates(call, node)),
    each('clocks', (node) => readNodeClock(call, node)),
    each('versions', (node) => readNodeVersions(call, node)),
    readNetworks(),
    each('nodeStatus', (node) => readNodeStatus(call, node)),
    each('subscriptions', (node) => readSubscription(call, node)),
    each('repositories', (node) => readRepositories(call, node)),
    readUpdateFacts(),
    each('dns', (node) => readDns(call, node)),
    each('nodeFirewalls', (node) => readRulesOfLevel(call, { scope: 'node', node })),
  ]);
  return facts;

  /** Where backups can't be seen, their absence means nothing. */
  async function readBackupFacts(): Promise<void> {
    await one('backups', false, () => readBackupsEverywhere(call, inventory));
    const servers = (facts.backups.data?.byGuest ?? []).map((s) => s.storage);
    if (servers.length === 0) return;
    const why = `${servers.join(', ')} can only be asked guest by guest with this token: check_backup_coverage does`;
    put('backups', { data: facts.backups.data, lacks: [...facts.backups.lacks, { why }] });
  }

  async function readUsersAndEntries(): Promise<void> {
    if (!wants('access')) return;
    const pools = await call.rights.over({ privilege: 'Pool.Audit', under: '/pool', what: 'pools' });
    facts.pools = { data: inventory.pools, lacks: lacksOf(pools) };
    await one('access', false, () => readAccessFacts(call, base, definitions.data, pools));
    facts.users = { data: facts.access.data?.facts.users, lacks: facts.access.lacks };
  }

  /** Bridges may be hidden without an error. */
  async function readNetworks(): Promise<void> {
    const hidden: Gaps[] = [];
    await each('networks', async (node) => {
      const { data, ...gaps } = await readNodeNetwork(call, node);
      hidden.push(gaps);
      return data;
    });
    if (hidden.length > 0)
      facts.networks = { data: facts.networks.data, lacks: [...facts.networks.lacks, ...lacksOf(mergeGaps(...hidden))] };
  }

  /** More than an auditor has: asked for only where the right is held, so that no request is sent to be refused. */
  async function readUpdateFacts(): Promise<void> {
    if (!wants('updates')) return;
    const held = await attempt({}, () => Promise.all(nodes.map((n) => call.rights.has('Sys.Modify', `/nodes/${n}`))));
    const asked = nodes.filter((_, i) => held.data?.[i] !== false);
    const refused: readonly Lack[] = nodes
      .filter((n) => !asked.includes(n))
      .map((n) => ({ why: `needs Sys.Modify on /nodes/${n}`, nodes: [n], needs: `Sys.Modify on /nodes/${n}` }));
    await each('updates', (node) => readUpdates(call, node), asked, refused);
    if (asked.length === 0) facts.updates = { data: undefined, lacks: refused.length === 0 ? offline : refused };
  }
}

/** Facts that are held by node. */
type NodeFact = { [K in FactName]: FactData[K] extends PerNode<unknown> ? K : never }[FactName];
type ValueOf<T> = T extends ReadonlyMap<string, infer V> ? V : never;

/** Nodes on which a storage of the plugin is defined. */
export function nodesWithPlugin(inventory: Inventory, plugin: string, nodes: readonly string[]): readonly string[] {
  return nodes.filter((n) => inventory.storages.some((s) => s.node === n && s.plugin === plugin));
}

/** The facts that one read of the cluster's memory tells; all others are marked as not read. */
function baseFacts({ inventory, release, guests }: HealthBase, node: string | undefined): Facts {
  const none: Fact<never> = { data: undefined, lacks: [] };
  // Every name of the list gets its entry, whatever its type: nothing was read so far.
  const facts = Object.fromEntries(FACT_NAMES.map((name) => [name, none])) as unknown as Facts;
  const blind = inventory.nodes.filter((n) => n.status === 'online' && !n.hasFigures).map((n) => n.node);
  facts.nodes = {
    data: inventory.nodes,
    lacks: blind.map((node) => ({
      why: `needs Sys.Audit on /nodes/${node}`,
      nodes: [node],
      needs: `Sys.Audit on /nodes/${node}`,
    })),
  };
  facts.guests = { data: inventory.guests, lacks: lacksOf(guests) };
  facts.allGuests = guests.coverage === 'complete' ? facts.guests : { data: undefined, lacks: lacksOf(guests) };
  facts.zones = { data: inventory.networks, lacks: [] };
  facts.release = release;
  facts.pools = { data: inventory.pools, lacks: [] };
  facts.everyNode =
    node === undefined || inventory.nodes.length === 1
      ? { data: true, lacks: [] }
      : {
          data: undefined,
          lacks: [{ why: `only ${node} was asked: without node and vmid it is compared with the others`, spared: true }],
        };
  return facts;
}

function setStorages(
  facts: Facts,
  base: HealthBase,
  reading: Reading<Reading<readonly StorageDefinition[]> | undefined>,
  wanted: boolean,
): void {
  const definitions = reading.data?.data;
  // A storage that is switched off stands in the definitions only.
  facts.storages = { data: mergeStorages(base.inventory, definitions ?? []), lacks: lacksOf(mergeGaps(base.storages, reading)) };
  if (!wanted) return;
  facts.definitions = { data: definitions, lacks: lacksOf(definitions === undefined ? reading : base.storages) };
  facts.allStorages =
    base.storages.coverage === 'complete' ? facts.definitions : { data: undefined, lacks: lacksOf(base.storages) };
}

async function factOf<T>(read: () => Promise<Reading<T | undefined>>): Promise<Fact<T>> {
  try {
    const { data, ...gaps } = await read();
    const lacks = lacksOf(gaps);
    return { data, lacks: data === undefined && lacks.length === 0 ? [{ why: 'it was not told' }] : lacks };
  } catch (thrown) {
    const error = toApiError(thrown);
    if (error.kind === 'cancelled' || error.kind === 'unauthenticated') throw error;
    const needs = error.needs;
    return {
      data: undefined,
      lacks: [
        needs === undefined ? { why: error.message.replace(/\.$/, ''), kind: error.kind } : { why: `needs ${needs}`, needs },
      ],
    };
  }
}

function missing(fact: Fact<ClusterStatus>, what: string): Gaps {
  return { ...NO_GAPS, coverage: 'partial', why: fact.lacks[0]?.why ?? `${what} could not be read` };
}

async function withCoverage<T>(reading: Promise<Reading<T>>, coverage: Gaps): Promise<Reading<T>> {
  const { data, ...gaps } = await reading;
  return { data, ...mergeGaps(gaps, coverage) };
}

async function readTaskFacts(call: Call, base: HealthBase, scope: ReadScope, facts: Facts): Promise<void> {
  if (!scope.plan.read.has('running') && !scope.plan.read.has('ended')) return;
  if (!base.seesCluster) {
    // The list is empty then, not refused.
    facts.running = { data: undefined, lacks: [REFUSED] };
    facts.ended = { data: undefined, lacks: [REFUSED] };
    return;
  }
  const recent = await factOf(() => attempt({}, async () => parseTasks((await call.get('/cluster/tasks', {})).data)));
  const since = call.now() / 1000 - DAY;
  facts.running = { data: recent.data?.filter((t) => t.state === 'running'), lacks: recent.lacks };
  const ofDay = (tasks: readonly Task[] | undefined) =>
    tasks?.filter(
      (t) => t.state !== 'running' && (t.end ?? t.start ?? 0) >= since && (scope.node === undefined || t.node === scope.node),
    );
  if (!scope.thorough) {
    facts.ended = { data: ofDay(recent.data), lacks: [...recent.lacks, ...cutShort(recent.data ?? [], since)] };
    return;
  }
  const { inventory } = base;
  const archive = await factOf(() =>
    readTasks(call, inventory, { node: scope.node, since: Math.floor(since - LONG_TASK_S), perNode: TASKS_PER_NODE }),
  );
  const tasks = archive.data?.tasks;
  const cut = archive.data?.more === true && (tasks?.at(-1)?.start ?? 0) > since;
  const why = `only the newest ${TASKS_PER_NODE} tasks of a node were looked at`;
  facts.ended = { data: ofDay(tasks), lacks: cut ? [...archive.lacks, { why, spared: true }] : archive.lacks };
}

/** Nodes whose part of the list of recent tasks does not reach back a day. */
function cutShort(tasks: readonly Task[], since: number): readonly Lack[] {
  const byNode = new Map<string, Task[]>();
  for (const task of tasks) byNode.set(task.node, [...(byNode.get(task.node) ?? []), task]);
  const cut = [...byNode].filter(([, own]) => own.length >= RECENT_TASKS && reachesBackTo(own) > since).map(([node]) => node);
  return cut.length === 0
    ? []
    : [{ why: `only the newest ${RECENT_TASKS} tasks of the node were looked at`, nodes: cut.sort(), spared: true }];
}

/** State and rules of HA in two requests; groups only where there are no rules yet. */
async function readHaFacts(call: Call): Promise<Reading<FactData['ha'] | undefined>> {
  const nine = atLeast(await call.release(), '9.0');
  const [status, rules, groups] = await Promise.all([
    attempt({}, () => readHaStatus(call)),
    nine ? attempt({}, async () => parseHaRules((await call.get('/cluster/ha/rules', {})).data)) : undefined,
    nine ? undefined : attempt({}, async () => parseHaGroups((await call.get('/cluster/ha/groups', {})).data)),
  ]);
  const gaps = mergeGaps(status, rules ?? NO_GAPS, groups ?? NO_GAPS);
  if (status.data === undefined) return { data: undefined, ...gaps };
  const placement = nine ? ('rules' as const) : ('groups' as const);
  return { data: { status: status.data, rules: rules?.data, groups: groups?.data, placement }, ...gaps };
}

/** Whether there is Ceph, and then its state, flags and versions. */
async function readCephFacts(
  call: Call,
  { inventory, storages }: HealthBase,
  nodes: readonly string[],
): Promise<Reading<FactData['ceph'] | undefined>> {
  // Without a storage on it, nobody but the entry node is worth asking; one that is hidden may be there.
  const used = storages.coverage !== 'complete' || inventory.storages.some((s) => s.plugin === 'rbd' || s.plugin === 'cephfs');
  const status = await attempt({}, () => readCephStatus(call, used ? nodes.slice(0, MAX_CEPH_NODES) : []));
  if (status.data === undefined) return { ...status, data: undefined };
  if (status.data.state === 'absent') {
    const unasked = storages.coverage !== 'complete' && nodes.length > MAX_CEPH_NODES;
    return {
      data: 'absent',
      ...cutGaps(
        unasked,
        `only ${MAX_CEPH_NODES} of ${nodes.length} nodes were asked for Ceph, and storages on it may be hidden`,
      ),
    };
  }
  const [flags, versions] = await Promise.all([optional(() => readCephFlags(call)), optional(() => readCephVersions(call))]);
  return {
    data: { status: status.data.data, flags: flags.data, versions: versions.data },
    ...mergeGaps(status, flags, versions),
  };
}

async function readSdnFacts(call: Call): Promise<Reading<FactData['sdn'] | undefined>> {
  const { data, ...gaps } = await readSdn(call, new Set(['zones', 'vnets']));
  if (!data.installed) return { data: { zones: [], vnets: [] }, ...NO_GAPS };
  const { zones, vnets } = data;
  return { data: zones === undefined || vnets === undefined ? undefined : { zones, vnets }, ...gaps };
}

async function readAccessFacts(
  call: Call,
  { inventory, guests }: HealthBase,
  definitions: Reading<readonly StorageDefinition[]> | undefined,
  pools: Gaps,
): Promise<Reading<FactData['access'] | undefined>> {
  const { data, ...gaps } = await readAccess(call);
  const { acl, roles } = data;
  if (acl === undefined || roles === undefined) return { data: undefined, ...gaps };
  const known = {
    // Only what is known to be all there is may show that something does not exist.
    vmids: guests.coverage === 'complete' ? new Set(inventory.guests.map((g) => g.vmid)) : undefined,
    storages: definitions?.coverage === 'complete' ? new Set(definitions.data.map((d) => d.storage)) : undefined,
    nodes: new Set(inventory.nodes.map((n) => n.node)),
    pools: pools.coverage === 'complete' ? new Set(inventory.pools) : undefined,
  };
  return { data: { facts: { ...data, acl, roles, poolsOf: new Map(), now: Math.floor(call.now() / 1000) }, known }, ...gaps };
}

/** Firewalls of VNets came with 8.3; a VNet that is only in the running configuration any more has none. */
async function readVnetFirewalls(call: Call): Promise<Reading<FactData['vnetFirewalls'] | undefined>> {
  if (!atLeast(await call.release(), '8.3')) return { data: new Map(), ...NO_GAPS };
  const { data, ...gaps } = await readSdn(call, new Set(['vnets']));
  if (data.vnets === undefined) return { data: data.installed ? undefined : new Map(), ...gaps };
  const vnets = data.vnets.filter((v) => v.pending !== 'deleted' && v.pending !== 'new').map((v) => v.id);
  const out = await fanOut(
    call,
    vnets.slice(0, MAX_VNETS),
    () => ({}),
    async (vnet) => ({
      options: {},
      rules: await readFirewallRules(call, { scope: 'vnet', vnet }),
    }),
  );
  const more = cutGaps(vnets.length > MAX_VNETS, `only the first ${MAX_VNETS} of ${vnets.length} VNets were looked at`);
  return { data: new Map(out.results.map((r) => [r.item, r.data])), ...mergeGaps(gaps, out.gaps, more) };
}

/** Every endpoint behind the facts, for the tool's declaration. */
export const HEALTH_READS = [
  '/version',
  '/cluster/resources',
  '/access/permissions',
  '/access/acl',
  '/access/roles',
  '/access/users/{userid}',
  '/access/users',
  '/access/groups',
  '/access/domains',
  '/access/tfa',
  '/cluster/status',
  '/cluster/config/nodes',
  '/cluster/config/qdevice',
  '/cluster/tasks',
  '/cluster/backup',
  '/cluster/ha/status/current',
  '/cluster/ha/rules',
  '/cluster/ha/groups',
  '/cluster/replication',
  '/cluster/jobs/schedule-analyze',
  '/cluster/ceph/status',
  '/cluster/ceph/flags',
  '/cluster/ceph/metadata',
  '/cluster/notifications/targets',
  '/cluster/notifications/matchers',
  '/cluster/metrics/server',
  '/cluster/firewall/options',
  '/cluster/firewall/rules',
  '/cluster/firewall/groups',
  '/cluster/firewall/groups/{group}',
  '/cluster/sdn/zones',
  '/cluster/sdn/vnets',
  '/cluster/sdn/vnets/{vnet}/firewall/rules',
  '/storage',
  '/nodes/{node}/ceph/status',
  '/nodes/{node}/disks/list',
  '/nodes/{node}/disks/lvmthin',
  '/nodes/{node}/disks/zfs',
  '/nodes/{node}/services',
  '/nodes/{node}/certificates/info',
  '/nodes/{node}/time',
  '/nodes/{node}/apt/versions',
  '/nodes/{node}/network',
  '/nodes/{node}/status',
  '/nodes/{node}/subscription',
  '/nodes/{node}/apt/repositories',
  '/nodes/{node}/apt/update',
  '/nodes/{node}/dns',
  '/nodes/{node}/firewall/options',
  '/nodes/{node}/firewall/rules',
  '/nodes/{node}/replication',
  '/nodes/{node}/tasks',
  '/nodes/{node}/storage/{storage}/content',
  '/nodes/{node}/storage/{storage}/prunebackups',
  '/nodes/{node}/qemu/{vmid}/pending',
  '/nodes/{node}/lxc/{vmid}/pending',
  '/nodes/{node}/qemu/{vmid}/snapshot',
  '/nodes/{node}/lxc/{vmid}/snapshot',
  '/nodes/{node}/qemu/{vmid}/agent/info',
  '/nodes/{node}/qemu/{vmid}/firewall/options',
  '/nodes/{node}/qemu/{vmid}/firewall/rules',
  '/nodes/{node}/lxc/{vmid}/firewall/options',
  '/nodes/{node}/lxc/{vmid}/firewall/rules',
] as const satisfies readonly EndpointPath[];
