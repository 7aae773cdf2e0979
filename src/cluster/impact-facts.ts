import type { Call } from '../api/call.ts';
import type { EndpointPath } from '../api/endpoints.ts';
import { ApiError } from '../api/errors.ts';
import { attempt, type Gaps, NO_GAPS, type Reading, withGaps } from '../api/reading.ts';
import { checkSegment } from '../api/segments.ts';
import { closest } from '../config/suggest.ts';
import { type NodeInterfaces, readNetworks } from './address-sources.ts';
import { whole } from './attempts.ts';
import { type BackupJob, readBackupJobs } from './backup-jobs.ts';
import { type Quorum, readClusterStatus, readQuorum } from './cluster-status.ts';
import { type HaOverview, readHa } from './ha.ts';
import { type MappingEntry, readMappings } from './hardware.ts';
import { type Guest, guestCoverage, type Inventory, offlineGaps } from './inventory.ts';
import { nameRefused } from './refused.ts';
import { parseReplicationJobs, type ReplicationJob } from './replication.ts';
import { requireNode } from './resolve.ts';
import { readSdn, type SdnObject } from './sdn.ts';
import { readStorageDefinitions, type StorageDefinition } from './storage.ts';

export const TARGET_KINDS = ['node', 'storage', 'bridge', 'vnet', 'vlan', 'mapping'] as const;
export type TargetKind = (typeof TARGET_KINDS)[number];

/** What might go, and whose dependents are asked for. */
export interface Target {
  readonly kind: TargetKind;
  readonly id: string;
}

const HINT = `Write kind:id, e.g. storage:local-lvm; kinds: ${TARGET_KINDS.join(', ')}.`;
const NAME = /^[A-Za-z][\w.-]{0,99}$/;

/** `storage:nas-media`, `node:pve2`, `bridge:vmbr1`, `vnet:lan1`, `vlan:20`, `mapping:gpu-a`. Throws `bad-argument`. */
export function parseTarget(text: string): Target {
  const [, word = '', id = ''] = /^\s*(\w+)\s*[:=]\s*(\S+)\s*$/.exec(text) ?? [];
  const kind = TARGET_KINDS.find((k) => k === word.toLowerCase());
  if (kind === undefined) {
    const said = JSON.stringify(text.slice(0, 60));
    throw new ApiError('bad-argument', `depends_on: ${said} does not say what kind of thing it is.`, { hint: HINT });
  }
  if (kind === 'node') checkSegment('node', id);
  const valid = kind === 'vlan' ? /^\d{1,4}$/.test(id) && Number(id) >= 1 && Number(id) <= 4094 : NAME.test(id);
  if (!valid && kind !== 'node')
    throw new ApiError('bad-argument', `depends_on: ${JSON.stringify(id.slice(0, 60))} is no ${kind}.`, { hint: HINT });
  return { kind, id: kind === 'vlan' ? String(Number(id)) : id };
}

/** What was read besides the guests' configurations; undefined: not needed for this kind, or could not be read (see gaps). */
export interface ImpactFacts {
  readonly target: Target;
  readonly inventory: Inventory;
  readonly jobs?: readonly BackupJob[] | undefined;
  readonly ha?: HaOverview | undefined;
  readonly replication?: readonly ReplicationJob[] | undefined;
  readonly storages?: readonly StorageDefinition[] | undefined;
  readonly networks?: readonly NodeInterfaces[] | undefined;
  /** False: bridges may be hidden, so one that is not shown may be there. */
  readonly bridgesSure?: boolean | undefined;
  readonly zones?: readonly SdnObject[] | undefined;
  readonly vnets?: readonly SdnObject[] | undefined;
  readonly mappings?: readonly MappingEntry[] | undefined;
  readonly quorum?: Quorum | undefined;
  /** Address by which the cluster knows a node. */
  readonly memberIps?: ReadonlyMap<string, string> | undefined;
}

/**
 * Reads what can depend on the target, but for the guests' configurations: at most ten requests, and one for each online
 * node (32 at most) where interfaces matter. Throws when the target is known not to exist.
 */
export async function readImpactFacts(call: Call, target: Target, inventory: Inventory): Promise<Reading<ImpactFacts>> {
  if (target.kind === 'node') return readNodeFacts(call, target, inventory);
  if (target.kind === 'storage') return readStorageFacts(call, target, inventory);
  if (target.kind === 'mapping') return readMappingFacts(call, target, inventory);
  return readNetworkFacts(call, target, inventory);
}

async function readNodeFacts(call: Call, target: Target, inventory: Inventory): Promise<Reading<ImpactFacts>> {
  requireNode(inventory, target.id);
  const [guests, status, jobs, ha, replication, storages, mappings, sdn] = await Promise.all([
    guestCoverage(call),
    attempt({}, () => readClusterStatus(call)),
    attempt({}, () => readBackupJobs(call)),
    whole(() => readHa(call)),
    readJobsOfReplication(call),
    whole(() => readStorageDefinitions(call)),
    whole(() => readMappings(call)),
    whole(() => readSdn(call, new Set(['zones']))),
  ]);
  const clustered = status.data?.clustered === true ? status.data : undefined;
  const quorum = clustered === undefined ? undefined : await readQuorum(call, clustered);
  return withGaps(
    {
      target,
      inventory,
      jobs: jobs.data,
      ha: ha.data,
      replication: replication.data,
      storages: storages.data,
      mappings: mappings.data,
      zones: sdn.data?.zones,
      quorum: quorum?.data,
    },
    guests,
    nameRefused(status, 'quorum'),
    nameRefused(jobs, 'backup jobs'),
    nameRefused(ha, 'HA rules and states'),
    replication,
    storages,
    mappings,
    sdn,
    nameRefused(quorum ?? NO_GAPS, 'quorum'),
    offlineGaps(inventory, new Set([target.id])),
  );
}

async function readStorageFacts(call: Call, target: Target, inventory: Inventory): Promise<Reading<ImpactFacts>> {
  const [guests, jobs, storages] = await Promise.all([
    guestCoverage(call),
    attempt({}, () => readBackupJobs(call)),
    whole(() => readStorageDefinitions(call)),
  ]);
  const names = [...new Set([...(storages.data ?? []).map((s) => s.storage), ...inventory.storages.map((s) => s.storage)])];
  requireKnown(target, names, storages);
  return withGaps(
    { target, inventory, jobs: jobs.data, storages: storages.data },
    guests,
    nameRefused(jobs, 'backup jobs'),
    storages,
    othersOffline(inventory),
  );
}

async function readMappingFacts(call: Call, target: Target, inventory: Inventory): Promise<Reading<ImpactFacts>> {
  const [guests, mappings] = await Promise.all([guestCoverage(call), whole(() => readMappings(call))]);
  requireKnown(target, [...new Set((mappings.data ?? []).map((m) => m.id))], mappings);
  return withGaps({ target, inventory, mappings: mappings.data }, guests, mappings, othersOffline(inventory));
}

/** Bridges, VNets and VLANs hang together: a VNet of a VLAN zone is a VLAN on a bridge. */
async function readNetworkFacts(call: Call, target: Target, inventory: Inventory): Promise<Reading<ImpactFacts>> {
  const [guests, sdn, networks, status] = await Promise.all([
    guestCoverage(call),
    whole(() => readSdn(call, new Set(['zones', 'vnets']))),
    target.kind === 'vnet' ? undefined : readNetworks(call, inventory),
    target.kind === 'bridge' ? attempt({}, () => readClusterStatus(call)) : undefined,
  ]);
  const vnets = sdn.data?.vnets;
  if (target.kind === 'vnet')
    requireKnown(
      target,
      (vnets ?? []).map((v) => v.id),
      sdn,
    );
  const ips = status?.data?.members.flatMap(({ node, ip }) => (ip === undefined ? [] : [[node, ip] as const]));
  return withGaps(
    {
      target,
      inventory,
      zones: sdn.data?.zones,
      vnets,
      networks: networks?.data,
      bridgesSure: networks !== undefined && networks.hidden.length === 0 && networks.coverage !== 'unknown',
      memberIps: ips === undefined ? undefined : new Map(ips),
    },
    guests,
    sdn,
    networks ?? NO_GAPS,
    nameRefused(status ?? NO_GAPS, "the nodes' cluster addresses"),
    // Their interfaces matter, whether guests are known there or not.
    networks === undefined ? othersOffline(inventory) : offlineGaps(inventory),
  );
}

/** Configured jobs, those of invisible guests left out by the API. */
async function readJobsOfReplication(call: Call): Promise<Reading<readonly ReplicationJob[] | undefined>> {
  return attempt({}, async () => parseReplicationJobs((await call.get('/cluster/replication', {})).data));
}

/** Guests of nodes that are down can't be looked into. */
function othersOffline(inventory: Inventory): Gaps {
  const down = new Set(inventory.nodes.filter((n) => n.status !== 'online').map((n) => n.node));
  const holding = new Set(inventory.guests.filter((g) => down.has(g.node)).map((g) => g.node));
  return holding.size === 0 ? NO_GAPS : offlineGaps(inventory, holding);
}

/** Throws where the list is whole and the name is not on it. Where it is not whole, nothing can be said. */
function requireKnown(target: Target, names: readonly string[], list: Gaps): void {
  if (list.coverage !== 'complete' || names.includes(target.id)) return;
  const near = closest(target.id, names);
  const some = names.slice(0, 20).join(', ');
  throw new ApiError('not-found', `There is no ${target.kind} ${JSON.stringify(target.id)} in this cluster.`, {
    hint: near !== undefined ? `Did you mean ${near}?` : some === '' ? undefined : `There are: ${some}.`,
  });
}

/** Guests that can depend on the target, by vmid: whose configuration is worth reading. */
export function guestsInQuestion(facts: ImpactFacts): readonly Guest[] {
  const { target, inventory, storages } = facts;
  if (target.kind === 'node') return inventory.guests.filter((g) => g.node === target.id);
  if (target.kind === 'mapping') return inventory.guests.filter((g) => g.type === 'qemu');
  if (target.kind !== 'storage') return inventory.guests;
  const limited = storages?.find((s) => s.storage === target.id)?.nodes ?? [];
  return limited.length === 0 ? inventory.guests : inventory.guests.filter((g) => limited.includes(g.node));
}

/** Endpoints that are read, for the permission docs. */
export const IMPACT_READS = [
  '/version',
  '/cluster/status',
  '/cluster/config/nodes',
  '/cluster/config/qdevice',
  '/cluster/backup',
  '/cluster/replication',
  '/cluster/ha/status/current',
  '/cluster/ha/rules',
  '/cluster/ha/groups',
  '/cluster/mapping/pci',
  '/cluster/mapping/usb',
  '/cluster/mapping/dir',
  '/cluster/sdn/zones',
  '/cluster/sdn/vnets',
  '/storage',
  '/nodes/{node}/network',
  '/nodes/{node}/qemu/{vmid}/config',
  '/nodes/{node}/lxc/{vmid}/config',
] as const satisfies readonly EndpointPath[];
