import type { Call } from '../api/call.ts';
import { attempt, type Gaps, type Hidden, mergeGaps, NO_GAPS, type Reading } from '../api/reading.ts';
import {
  type FileSystem,
  type GuestCpus,
  type GuestUser,
  mayAskAgent,
  type OsInfo,
  readAgentClock,
  readAgentCpus,
  readAgentHostName,
  readAgentTimezone,
  readAgentUsers,
  readFileSystems,
  readOsInfo,
} from './agent.ts';
import { hasCloudInit, readCloudInitNetwork } from './cloud-init.ts';
import { type FirewallOptions, readFirewallOptions } from './firewall.ts';
import { type GuestBackups, readGuestBackups } from './guest-backups.ts';
import { agentEnabled, type GuestConfig, parseGuestConfig } from './guest-config.ts';
import { assembleNetwork, type GuestNetwork, readLiveOfContainer, readLiveOfMachine } from './guest-network.ts';
import { type GuestReplication, readGuestReplication } from './guest-replication.ts';
import { type Guest, type Inventory, offlineGaps, onlineNodes } from './inventory.ts';
import { type PendingConfig, readPending } from './pending.ts';
import { type Possible, readPossible, readSnapshots, type SnapshotTree } from './snapshots.ts';
import { parseTasks, type Task } from './tasks.ts';

/** Parts of a dossier, in the order in which they are shown. */
export const DOSSIER_SECTIONS = [
  'disks',
  'network',
  'agent',
  'snapshots',
  'backups',
  'replication',
  'firewall',
  'pending',
  'tasks',
  'cloudinit',
] as const;
export type DossierSection = (typeof DOSSIER_SECTIONS)[number];

/** What the guest's own system says; each fact may be missing. */
export interface AgentReport {
  /** `silent`: no answer, or none for this token (see the problems); `not asked`: enabled, but the guest does not run. */
  readonly state: 'answers' | 'silent' | 'not asked' | 'not enabled';
  readonly os: OsInfo | undefined;
  readonly fileSystems: readonly FileSystem[] | undefined;
  readonly hostName: string | undefined;
  readonly users: readonly GuestUser[] | undefined;
  readonly timezone: string | undefined;
  /** Seconds that its clock is ahead. */
  readonly clockAhead: number | undefined;
  readonly cpus: GuestCpus | undefined;
}

/** Everything that was read about a guest; undefined where it was not asked for or could not be read. */
export interface Dossier {
  readonly config: GuestConfig | undefined;
  readonly pending: PendingConfig | undefined;
  readonly network: GuestNetwork | undefined;
  readonly agent: AgentReport | undefined;
  readonly snapshots: SnapshotTree | undefined;
  /** Only when snapshots were asked for by name. */
  readonly possible: Possible | undefined;
  /** Network part of the cloud-init drive's content, as text; only when it was asked for by name. */
  readonly cloudInit: string | undefined;
  readonly backups: GuestBackups | undefined;
  readonly replication: readonly GuestReplication[] | undefined;
  readonly firewall: FirewallOptions | undefined;
  readonly tasks: readonly Task[] | undefined;
}

/** Requests that one dossier may make, when the caller did not choose its parts. */
export const DOSSIER_REQUESTS = 12;
/** Most storages that are asked for backups when those were asked for by name. */
const MAX_STORAGES = 20;
const TASKS = 8;

/** Parts that need the configuration: of disks and interfaces, or whether the agent is enabled. */
const NEED_CONFIG: readonly DossierSection[] = ['disks', 'network', 'agent', 'firewall', 'pending', 'cloudinit'];

/**
 * Reads a dossier, everything in parallel as far as nothing depends on another. Each part fails alone.
 *
 * The whole takes at most 12 requests: parts that cost many are read in a short form then (backups on the likeliest
 * storages only, of the agent no users, time zone, clock and CPUs), and in full when they are asked for by name.
 *
 * @param asked the parts that are wanted; undefined for all of them
 */
export async function readDossier(
  call: Call,
  guest: Guest,
  inventory: Inventory,
  asked: readonly DossierSection[] | undefined,
): Promise<Reading<Dossier>> {
  const wants = (section: DossierSection): boolean => asked === undefined || asked.includes(section);
  const named = (section: DossierSection): boolean => asked?.includes(section) ?? false;
  const online = onlineNodes(inventory).includes(guest.node);
  if (!online) return readOfflineDossier(call, guest, inventory, wants('backups'), named('backups'));

  const where = { node: guest.node, vmid: guest.vmid };
  // One request is the inventory's.
  let planned = 1;
  const plan = <T>(wanted: boolean, requests: number, read: () => Promise<Reading<T>>): Promise<Reading<T | undefined>> => {
    if (!wanted) return Promise.resolve({ data: undefined, ...NO_GAPS });
    planned += requests;
    return read();
  };
  const isContainer = guest.type === 'lxc';

  const snapshotsRead = plan(wants('snapshots'), 1, () => attempt(where, () => readSnapshots(call, guest)));
  const possibleRead = plan(named('snapshots'), 3, () => readPossible(call, guest));
  const replicationRead = plan(wants('replication'), 1, () => attempt(where, () => readGuestReplication(call, guest)));
  const tasksRead = plan(wants('tasks'), 1, () => readTasksOfGuest(call, guest, inventory));
  // A release check goes before the interfaces.
  const containerRead = plan(isContainer && wants('network'), 2, () => readLiveOfContainer(call, guest));
  const pending = await plan(asked === undefined || NEED_CONFIG.some(named), 1, () =>
    attempt(where, () => readPending(call, guest)),
  );
  const config = pending.data === undefined ? undefined : parseGuestConfig(pending.data.running, guest.type);

  const asksAgent = mayAskAgent(guest, agentEnabled(config?.values.get('agent')));
  const filtered = isContainer && config === undefined ? true : (config?.nics.some((nic) => nic.firewall) ?? false);
  const firewallRead = plan(wants('firewall') && filtered, 1, () =>
    attempt(where, () => readFirewallOptions(call, { scope: 'guest', node: guest.node, vmid: guest.vmid, type: guest.type })),
  );
  if (asksAgent) planned += (wants('network') ? 1 : 0) + (wants('agent') ? (named('agent') ? 7 : 2) : 0);
  const cloudInitRead = plan(named('cloudinit') && config !== undefined && hasCloudInit(guest, config), 1, () =>
    attempt(where, () => readCloudInitNetwork(call, guest)),
  );
  const limit = named('backups') ? MAX_STORAGES : DOSSIER_REQUESTS - planned;
  const backupsRead = plan(wants('backups'), 0, () =>
    readGuestBackups(call, guest, inventory, { limit, thorough: named('backups') }),
  );
  const fromGuest = isContainer
    ? containerRead.then((live) => ({ agent: undefined, live: live.data, gaps: live }))
    : askMachine(call, guest, config, { network: wants('network'), agent: wants('agent'), everything: named('agent') });

  const [snapshots, possible, cloudInit, replication, tasks, firewall, backups, inside] = await Promise.all([
    snapshotsRead,
    possibleRead,
    cloudInitRead,
    replicationRead,
    tasksRead,
    firewallRead,
    backupsRead,
    fromGuest,
  ]);
  return {
    data: {
      config,
      pending: pending.data,
      network: wants('network') ? assembleNetwork(config?.nics, inside.live) : undefined,
      agent: inside.agent,
      snapshots: snapshots.data,
      possible: possible.data,
      cloudInit: cloudInit.data,
      backups: backups.data,
      replication: replication.data,
      firewall: firewall.data,
      tasks: tasks.data,
    },
    ...mergeGaps(pending, snapshots, possible, cloudInit, replication, tasks, firewall, backups, inside.gaps),
  };
}

const NOTHING: Dossier = {
  config: undefined,
  pending: undefined,
  network: undefined,
  agent: undefined,
  snapshots: undefined,
  possible: undefined,
  cloudInit: undefined,
  backups: undefined,
  replication: undefined,
  firewall: undefined,
  tasks: undefined,
};

/** With its node down only the backups on shared storages can be read, which is then what matters. */
async function readOfflineDossier(
  call: Call,
  guest: Guest,
  inventory: Inventory,
  backups: boolean,
  thorough: boolean,
): Promise<Reading<Dossier>> {
  const offline = offlineGaps(inventory, new Set([guest.node]));
  if (!backups) return { data: NOTHING, ...offline };
  const read = await readGuestBackups(call, guest, inventory, {
    limit: thorough ? MAX_STORAGES : DOSSIER_REQUESTS - 1,
    thorough,
  });
  return { data: { ...NOTHING, backups: read.data }, ...mergeGaps(offline, read) };
}

interface MachineWish {
  readonly network: boolean;
  readonly agent: boolean;
  readonly everything: boolean;
}

/**
 * Asks the agent one question first: if it is mute, that costs its time-out once and not for each question. Addresses
 * that only the configuration knows are still shown.
 */
async function askMachine(call: Call, guest: Guest, config: GuestConfig | undefined, wish: MachineWish) {
  const where = { node: guest.node, vmid: guest.vmid };
  const enabled = agentEnabled(config?.values.get('agent'));
  if (!mayAskAgent(guest, enabled)) {
    const live = wish.network ? await readLiveOfMachine(call, guest, config) : undefined;
    // Without its configuration it is not known whether there is an agent.
    const agent = wish.agent && config !== undefined ? report(enabled ? 'not asked' : 'not enabled') : undefined;
    return { agent, live: undefined, gaps: live ?? NO_GAPS };
  }
  if (!wish.agent) {
    const live = wish.network ? await readLiveOfMachine(call, guest, config) : undefined;
    return { agent: undefined, live: live?.data, gaps: live ?? NO_GAPS };
  }
  const os = await attempt(where, () => readOsInfo(call, guest));
  // A question that the agent does not know (old agents) says nothing about the others.
  if (os.problems.some((p) => p.kind !== 'upstream')) return { agent: report('silent'), live: undefined, gaps: os };
  const [live, fileSystems, hostName, users, timezone, clock, cpus] = await Promise.all([
    wish.network ? readLiveOfMachine(call, guest, config) : undefined,
    attempt(where, () => readFileSystems(call, guest)),
    wish.everything ? attempt(where, () => readAgentHostName(call, guest)) : undefined,
    wish.everything ? attempt(where, () => readAgentUsers(call, guest)) : undefined,
    wish.everything ? attempt(where, () => readAgentTimezone(call, guest)) : undefined,
    wish.everything ? attempt(where, () => readAgentClock(call, guest)) : undefined,
    wish.everything ? attempt(where, () => readAgentCpus(call, guest)) : undefined,
  ]);
  const gaps: readonly (Gaps | undefined)[] = [os, live, fileSystems, hostName, users, timezone, clock, cpus];
  return {
    agent: report('answers', {
      os: os.data,
      fileSystems: fileSystems.data,
      hostName: hostName?.data,
      users: users?.data,
      timezone: timezone?.data,
      clockAhead: clock?.data,
      cpus: cpus?.data,
    }),
    live: live?.data,
    gaps: mergeGaps(...gaps.filter((gap) => gap !== undefined)),
  };
}

function report(state: AgentReport['state'], facts: Partial<Omit<AgentReport, 'state'>> = {}): AgentReport {
  return {
    state,
    os: undefined,
    fileSystems: undefined,
    hostName: undefined,
    users: undefined,
    timezone: undefined,
    clockAhead: undefined,
    cpus: undefined,
    ...facts,
  };
}

/** Newest tasks that worked on the guest, on the node that it is on; of others only with Sys.Audit. */
async function readTasksOfGuest(call: Call, guest: Guest, inventory: Inventory): Promise<Reading<readonly Task[] | undefined>> {
  const { node, vmid } = guest;
  const read = await attempt({ node, vmid }, async () =>
    parseTasks((await call.get('/nodes/{node}/tasks', { node }, { vmid, limit: TASKS, source: 'all' })).data),
  );
  // A token without Sys.Audit on a node gets no figures of it in the inventory: the same right, without a request.
  const seesAll = inventory.nodes.find((n) => n.node === node)?.hasFigures ?? false;
  const hidden: Hidden[] = seesAll ? [] : [{ what: "other users' tasks", privilege: 'Sys.Audit', path: `/nodes/${node}` }];
  return { ...read, ...mergeGaps(read, { problems: [], coverage: seesAll ? 'complete' : 'partial', hidden }) };
}
