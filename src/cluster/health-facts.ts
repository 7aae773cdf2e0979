/**
 * What health checks are judged on: the facts, which of them are worth reading, and what they cost. Cheap first: one
 * request of the cluster's shared memory before one request a node, and requests for each guest only when asked for.
 */
import type { ErrorKind } from '../api/errors.ts';
import type { Gaps, Problem } from '../api/reading.ts';
import type { Release } from '../api/release.ts';
import type { AccessFacts, KnownObjects } from '../insights/access-review.ts';
import type { AccessUser } from './access.ts';
import { isNotHere } from './attempts.ts';
import type { BackupsEverywhere } from './backup-coverage.ts';
import type { BackupJob } from './backup-jobs.ts';
import type { CephStatus, CephVersion } from './ceph.ts';
import type { Certificate } from './certificates.ts';
import type { MetricServer } from './cluster-config.ts';
import type { ClusterStatus, Quorum } from './cluster-status.ts';
import type { Disk, ThinPool, ZfsPool } from './disks.ts';
import type { RulesOfLevel, SecurityGroup } from './firewall.ts';
import type { GuestConfig } from './guest-config.ts';
import type { HaOverview, HaStatus } from './ha.ts';
import type { Guest, Inventory, Node } from './inventory.ts';
import type { NodeNetwork } from './node-network.ts';
import type { Dns, NodeClock, NodeStatus, NodeVersions, Service, Subscription } from './node-status.ts';
import type { Notifications } from './notifications.ts';
import type { PendingChange } from './pending.ts';
import type { ReplicationReading } from './replication.ts';
import type { SdnObject } from './sdn.ts';
import type { SnapshotTree } from './snapshots.ts';
import type { Storage, StorageDefinition } from './storage.ts';
import type { Task } from './tasks.ts';
import type { Repositories, Update } from './updates.ts';

/** By node. */
export type PerNode<T> = ReadonlyMap<string, T>;

/** What one guest tells; an absent part was not wanted, or could not be read. */
export interface GuestDetail {
  readonly guest: Guest;
  readonly config: GuestConfig | undefined;
  readonly changes: readonly PendingChange[] | undefined;
  readonly snapshots: SnapshotTree | undefined;
  readonly firewall: RulesOfLevel | undefined;
  /** Undefined: not running, not enabled or not asked. */
  readonly agent: 'answers' | 'silent' | undefined;
}

/** Every fact by name. The data is as the readers give it. */
export interface FactData {
  readonly release: Release;
  readonly nodes: readonly Node[];
  readonly guests: readonly Guest[];
  /** There only when the token is known to see every guest: what is not in it does not exist. */
  readonly allGuests: readonly Guest[];
  readonly zones: Inventory['networks'];
  readonly pools: readonly string[];
  readonly membership: ClusterStatus;
  readonly quorum: Quorum;
  /** Tasks that run now. */
  readonly running: readonly Task[];
  /** Tasks that ended within a day. */
  readonly ended: readonly Task[];
  readonly storages: readonly Storage[];
  readonly definitions: readonly StorageDefinition[];
  /** There only when the token is known to see every storage. */
  readonly allStorages: readonly StorageDefinition[];
  readonly jobs: readonly BackupJob[];
  readonly ha: HaOverview & { readonly status: HaStatus };
  readonly replication: ReplicationReading;
  /** Undefined: there is no Ceph here. */
  readonly ceph:
    | {
        readonly status: CephStatus;
        readonly flags: readonly string[] | undefined;
        readonly versions: readonly CephVersion[] | undefined;
      }
    | 'absent';
  readonly disks: PerNode<readonly Disk[]>;
  readonly zfsPools: PerNode<readonly ZfsPool[]>;
  readonly thinPools: PerNode<readonly ThinPool[]>;
  readonly services: PerNode<readonly Service[]>;
  readonly certificates: PerNode<readonly Certificate[]>;
  readonly notifications: Notifications;
  readonly metricServers: readonly MetricServer[];
  readonly clocks: PerNode<NodeClock>;
  readonly versions: PerNode<NodeVersions>;
  readonly networks: PerNode<NodeNetwork>;
  readonly clusterFirewall: RulesOfLevel;
  readonly sdn: { readonly zones: readonly SdnObject[]; readonly vnets: readonly SdnObject[] };
  readonly nodeStatus: PerNode<NodeStatus>;
  readonly access: { readonly facts: AccessFacts; readonly known: KnownObjects };
  /** There only when the token may list users. */
  readonly users: readonly AccessUser[];
  readonly subscriptions: PerNode<Subscription>;
  readonly repositories: PerNode<Repositories>;
  readonly updates: PerNode<readonly Update[]>;
  readonly dns: PerNode<Dns>;
  readonly nodeFirewalls: PerNode<RulesOfLevel>;
  readonly vnetFirewalls: ReadonlyMap<string, RulesOfLevel>;
  readonly securityGroups: readonly SecurityGroup[];
  /** Backups on everything that can be read without asking guest by guest. */
  readonly backups: BackupsEverywhere;
  /** Guests of this page; templates and guests of offline nodes are left out. */
  readonly details: ReadonlyMap<number, GuestDetail>;
  /** The same guests; here, and in the two below, other parts may be missing. */
  readonly snapshots: ReadonlyMap<number, GuestDetail>;
  readonly agents: ReadonlyMap<number, GuestDetail>;
  readonly guestFirewalls: ReadonlyMap<number, GuestDetail>;
  /** There only when all nodes are asked, and not one of several. */
  readonly everyNode: true;
  /** There only when the guests read are all that was asked about, or all of a node, and not one page of them. */
  readonly oneGo: true;
  /** There only when no guest's firewall is missing, of no node, for want of time or rights; names the guests of offline nodes. */
  readonly everyFirewall: { readonly unreachable: readonly number[] };
}

export type FactName = keyof FactData;

/** Why (part of) a fact is missing. */
export interface Lack {
  /** One clause: `pve3 is offline`, `needs Sys.Audit on /`. */
  readonly why: string;
  /** Nodes it is missing for; absent: all of it. */
  readonly nodes?: readonly string[] | undefined;
  /** `Sys.Audit on /`, when a right is missing. */
  readonly needs?: string | undefined;
  /** How the read failed, when it was not for want of a right. */
  readonly kind?: ErrorKind | undefined;
  /** Left out to save requests, not because it could not be read. */
  readonly spared?: boolean | undefined;
}

export interface Fact<T> {
  /** Undefined: not read at all. */
  readonly data: T | undefined;
  /** Empty: all of it was read. */
  readonly lacks: readonly Lack[];
}

export type HealthFacts = { readonly [K in FactName]: Fact<FactData[K]> };

export interface FactCost {
  /** What the fact is, for people: `SMART and wear of disks`. */
  readonly what: string;
  /** Requests for the whole cluster, at most. */
  readonly cluster: number;
  /** Requests for each node that is online. */
  readonly node: number;
  /** Requests for each guest, at most. */
  readonly guest: number;
  /** The fact whose requests tell this one, too. */
  readonly along?: FactName;
}

const cluster = (what: string, requests: number): FactCost => ({ what, cluster: requests, node: 0, guest: 0 });
const node = (what: string, requests = 1): FactCost => ({ what, cluster: 0, node: requests, guest: 0 });
const guest = (what: string, requests = 1): FactCost => ({ what, cluster: 0, node: 0, guest: requests });
/** Comes with another fact. */
const free = (what: string, along: FactName): FactCost => ({ ...cluster(what, 0), along });

/**
 * The facts in the order of their worth: when not all may be read, the first ones are. The first six requests are the
 * inventory, the release and the token's own rights.
 */
export const FACTS: { readonly [K in FactName]: FactCost } = {
  nodes: cluster('nodes, guests, storages, pools; rights of the token', 6),
  guests: free('guests', 'nodes'),
  allGuests: free('all guests', 'nodes'),
  zones: free('state of SDN zones', 'nodes'),
  pools: free('pools', 'nodes'),
  release: free('release', 'nodes'),
  everyNode: free('all nodes', 'nodes'),
  membership: cluster('cluster membership', 1),
  quorum: cluster('votes and links', 2),
  running: cluster('recent tasks', 1),
  ended: free('recent tasks', 'running'),
  storages: cluster('storage configuration', 1),
  definitions: free('storage configuration', 'storages'),
  allStorages: free('all storages', 'storages'),
  jobs: cluster('backup jobs', 1),
  ha: cluster('state and rules of HA', 2),
  replication: { what: 'replication jobs', cluster: 1, node: 1, guest: 0 },
  ceph: cluster('Ceph', 4),
  disks: node('SMART and wear of disks'),
  thinPools: node('thin pools'),
  zfsPools: node('ZFS pools'),
  services: node('system services'),
  certificates: node('certificates'),
  notifications: cluster('notification targets and matchers', 2),
  metricServers: cluster('metric servers', 1),
  clocks: node('clocks'),
  versions: node('package versions and kernels'),
  networks: node('network configuration of nodes'),
  clusterFirewall: cluster("the datacenter's firewall", 2),
  sdn: cluster('SDN zones and VNets', 2),
  nodeStatus: node('swap, load and waiting times of nodes'),
  access: cluster('users, tokens, entries and second factors', 5),
  users: free('users, tokens and second factors', 'access'),
  subscriptions: node('subscriptions'),
  repositories: node('package sources'),
  updates: node('available updates'),
  dns: node('name servers'),
  nodeFirewalls: node('firewalls of nodes', 2),
  vnetFirewalls: cluster('firewalls of VNets', 25),
  securityGroups: cluster('security groups', 31),
  backups: { what: 'backups on storages', cluster: 4, node: 4, guest: 0 },
  details: guest('configuration and pending changes of each guest'),
  snapshots: guest('snapshots of each guest'),
  agents: guest('guest agent of each running machine'),
  guestFirewalls: guest('firewall of each guest', 2),
  oneGo: free('all guests in one go', 'details'),
  everyFirewall: free('firewalls of all guests', 'guestFirewalls'),
};

/** Facts that only a deep check reads. */
export const DEEP_FACTS: ReadonlySet<FactName> = new Set<FactName>([
  'vnetFirewalls',
  'securityGroups',
  'backups',
  'details',
  'snapshots',
  'agents',
  'guestFirewalls',
  'oneGo',
  'everyFirewall',
]);

/** Requests that a check makes without being asked for more, up to five nodes; each further node allows some more. */
const BUDGET = 40;
const BUDGET_NODES = 5;
const BUDGET_PER_NODE = 4;

/** What is known before anything is planned. */
export interface PlanInput {
  /** Online nodes that are asked, and how many of them have storages of these plugins. */
  readonly nodes: number;
  readonly thinNodes: number;
  readonly zfsNodes: number;
  readonly deep: boolean;
  /** The caller named the areas: everything about them is read, whatever it costs. */
  readonly all: boolean;
}

/** Requests for a fact, guests apart. */
export function factCost(fact: FactName, input: PlanInput): number {
  const cost = FACTS[fact];
  const nodes = fact === 'thinPools' ? input.thinNodes : fact === 'zfsPools' ? input.zfsNodes : input.nodes;
  return cost.cluster + cost.node * nodes;
}

export interface Plan {
  readonly read: ReadonlySet<FactName>;
  /** Left out to save requests. */
  readonly spared: ReadonlySet<FactName>;
  /** Requests for what is read, at most, guests apart. */
  readonly requests: number;
}

/** Chooses what is read: in the order of worth, as long as the budget lasts; the same for the same cluster every time. */
export function planFacts(needed: ReadonlySet<FactName>, input: PlanInput): Plan {
  const budget = BUDGET + BUDGET_PER_NODE * Math.max(0, input.nodes - BUDGET_NODES);
  const wanted = new Set([...needed].map((name) => FACTS[name].along ?? name));
  const read = new Set<FactName>();
  let requests = 0;
  for (const fact of FACT_NAMES) {
    if (!wanted.has(fact)) continue;
    const cost = factCost(fact, input);
    if (!input.deep && (DEEP_FACTS.has(fact) || (!input.all && requests + cost > budget))) continue;
    read.add(fact);
    requests += cost;
  }
  // What comes along costs nothing more.
  for (const fact of needed) if (read.has(FACTS[fact].along ?? fact)) read.add(fact);
  return { read, spared: new Set([...needed].filter((fact) => !read.has(fact))), requests };
}

function isFactName(name: string): name is FactName {
  return Object.hasOwn(FACTS, name);
}

/** In the order of worth. */
export const FACT_NAMES: readonly FactName[] = Object.keys(FACTS).filter(isFactName);

/** Facts that are read guest by guest. */
export const GUEST_FACTS: ReadonlySet<FactName> = new Set<FactName>(FACT_NAMES.filter((name) => FACTS[name].guest > 0));

/** Requests for one guest, at most, to know these facts. */
export function requestsPerGuest(facts: Iterable<FactName>): number {
  return [...facts].reduce((sum, name) => sum + FACTS[name].guest, 0);
}

/** What gaps of a reading mean for the fact made of it. */
export function lacksOf(gaps: Gaps): readonly Lack[] {
  const lacks: Lack[] = [
    ...gaps.problems.map(lackOf),
    ...gaps.hidden.map((h) => ({ why: `${h.what}: needs ${h.privilege} on ${h.path}`, needs: `${h.privilege} on ${h.path}` })),
  ];
  if (gaps.coverage === 'complete') return lacks;
  return lacks.length > 0 && gaps.why === undefined ? lacks : [...lacks, { why: gaps.why ?? 'the token may not see all of it' }];
}

function lackOf(problem: Problem): Lack {
  const nodes = problem.where.node === undefined ? undefined : [problem.where.node];
  const { storage } = problem.where;
  if (problem.needs !== undefined) return { why: `needs ${problem.needs}`, needs: problem.needs, nodes };
  // What the release does not have, or the cluster does not use, is neither hidden nor lost.
  if (isNotHere(problem)) return { why: 'not there in this release or cluster', nodes, spared: true };
  const words = problem.message.replace(/\.$/, '');
  return { why: storage === undefined ? words : `${storage}: ${words}`, nodes, kind: problem.kind };
}
