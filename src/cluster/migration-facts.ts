import type { Call } from '../api/call.ts';
import type { EndpointPath } from '../api/endpoints.ts';
import { attempt, type Gaps, NO_GAPS, type Reading, withGaps } from '../api/reading.ts';
import { whole } from './attempts.ts';
import { fanOut } from './fan-out.ts';
import { type GuestConfig, readGuestConfig } from './guest-config.ts';
import { readGuestReplication } from './guest-replication.ts';
import { type HaOverview, readHa } from './ha.ts';
import { type MappingEntry, readMappings } from './hardware.ts';
import { type Guest, type Inventory, offlineGaps, onlineNodes } from './inventory.ts';
import { type NodeInterface, readNodeNetwork } from './node-network.ts';
import { readNodeStatus } from './node-status.ts';
import { nameRefused } from './refused.ts';
import type { ReplicationJob } from './replication.ts';
import { readSdn, type SdnObject } from './sdn.ts';
import { readSnapshots, type Snapshot } from './snapshots.ts';
import { readStorageDefinitions, type StorageDefinition } from './storage.ts';

/** Most nodes that are looked at as targets; each costs one request, with a host CPU two. */
export const MAX_TARGETS = 8;
/** Most snapshots whose configuration is read, to see which volumes they hold and where their memory lies. */
export const MAX_SNAPSHOT_READS = 5;

/** What speaks for and against a move of one guest; undefined: could not be read (see gaps), or does not matter for it. */
export interface MigrationFacts {
  readonly guest: Guest;
  readonly inventory: Inventory;
  /** What the guest runs with. */
  readonly config: GuestConfig | undefined;
  readonly snapshots: readonly Snapshot[] | undefined;
  /** Volumes that snapshots hold, and storages on which their memory lies, as far as looked at. */
  readonly snapshotVolumes: ReadonlySet<string>;
  readonly stateStorages: readonly string[];
  /** Snapshots that were not looked into. */
  readonly snapshotsLeft: number;
  readonly storages: readonly StorageDefinition[] | undefined;
  readonly vnets: readonly SdnObject[] | undefined;
  readonly zones: readonly SdnObject[] | undefined;
  /** Read when the guest claims mapped devices. */
  readonly mappings: readonly MappingEntry[] | undefined;
  /** Jobs that ran to their end at least once. */
  readonly replication: readonly ReplicationJob[] | undefined;
  /** Read when the guest is under HA. */
  readonly ha: HaOverview | undefined;
  /** Nodes that were looked at, with their interfaces (undefined: not readable) and processor. */
  readonly targets: readonly TargetFacts[];
  /** Online nodes that were not looked at, beyond the most that are. */
  readonly targetsLeft: number;
  /** Processor of the guest's own node, when it uses the host's. */
  readonly ownCpu: string | undefined;
}

export interface TargetFacts {
  readonly node: string;
  readonly interfaces: readonly NodeInterface[] | undefined;
  /** False: bridges may be hidden, so one that is not shown may be there. */
  readonly bridgesSure: boolean;
  readonly cpuModel: string | undefined;
}

/** True for processors that a guest takes over from its node, so that it moves live only between equal ones. */
export function usesHostCpu(config: GuestConfig): boolean {
  return config.type === 'qemu' && /^(?:cputype=)?(?:host|max)(?:,|$)/.test(config.values.get('cpu') ?? '');
}

/**
 * Everything that tells from the configuration whether a guest can move: at most 18 requests and two for each of at most
 * eight other online nodes.
 *
 * Source: GET .../config?current=1, .../snapshot, /storage, /nodes/{node}/network, /cluster/sdn/{zones,vnets},
 * /cluster/mapping/*, /nodes/{node}/replication?guest=N, /cluster/ha/*, /nodes/{node}/status.
 */
export async function readMigrationFacts(call: Call, guest: Guest, inventory: Inventory): Promise<Reading<MigrationFacts>> {
  const where = { node: guest.node, vmid: guest.vmid };
  const online = new Set(onlineNodes(inventory));
  const others = [...online].filter((node) => node !== guest.node);
  if (!online.has(guest.node)) {
    return withGaps({ ...NOTHING, guest, inventory, targetsLeft: others.length }, offlineGaps(inventory, new Set([guest.node])));
  }
  const asked = targetsFirst(inventory, others).slice(0, MAX_TARGETS);
  const [config, snapshots, storages, replication, sdn, ha, networks] = await Promise.all([
    attempt(where, () => readGuestConfig(call, guest, { current: true })),
    attempt(where, () => readSnapshots(call, guest)),
    whole(() => readStorageDefinitions(call)),
    attempt(where, () => readGuestReplication(call, guest)),
    whole(() => readSdn(call, new Set(['zones', 'vnets']))),
    guest.haState === undefined ? undefined : whole(() => readHa(call)),
    fanOut(
      call,
      asked,
      (node) => ({ node }),
      (node) => readNodeNetwork(call, node),
    ),
  ]);
  const claims =
    config.data === undefined ? false : [...config.data.values.values()].some((v) => /(?:^|,)(?:mapping|dirid)=/.test(v));
  const host = config.data !== undefined && usesHostCpu(config.data);
  const [states, mappings, cpus] = await Promise.all([
    lookInto(call, guest, snapshots.data?.snapshots ?? []),
    claims ? whole(() => readMappings(call)) : undefined,
    host
      ? fanOut(
          call,
          [guest.node, ...asked],
          (node) => ({ node }),
          (node) => readNodeStatus(call, node),
        )
      : undefined,
  ]);
  const models = new Map(cpus?.results.map(({ item, data }) => [item, data.cpuModel]));
  const byNode = new Map(networks.results.map(({ item, data }) => [item, data]));
  return withGaps(
    {
      guest,
      inventory,
      config: config.data,
      snapshots: snapshots.data?.snapshots,
      ...states.data,
      storages: storages.data,
      vnets: sdn.data?.vnets,
      zones: sdn.data?.zones,
      mappings: mappings?.data,
      replication: replication.data?.flatMap(({ job, state }) => (state.lastSync === undefined ? [] : [job])),
      ha: ha?.data,
      targets: asked.map((node) => {
        const network = byNode.get(node);
        return {
          node,
          interfaces: network?.data.interfaces,
          bridgesSure:
            sdn.coverage === 'complete' &&
            network !== undefined &&
            network.hidden.length === 0 &&
            network.coverage === 'complete',
          cpuModel: models.get(node),
        };
      }),
      targetsLeft: others.length - asked.length,
      ownCpu: models.get(guest.node),
    },
    config,
    snapshots,
    storages,
    replication,
    sdn,
    nameRefused(ha ?? NO_GAPS, 'HA rules and states'),
    networks.gaps,
    ...networks.results.map(({ data }): Gaps => data),
    states,
    mappings ?? NO_GAPS,
    cpus === undefined ? NO_GAPS : nameRefused(cpus.gaps, 'processors of nodes'),
  );
}

const NOTHING: Omit<MigrationFacts, 'guest' | 'inventory'> = {
  config: undefined,
  snapshots: undefined,
  snapshotVolumes: new Set(),
  stateStorages: [],
  snapshotsLeft: 0,
  storages: undefined,
  vnets: undefined,
  zones: undefined,
  mappings: undefined,
  replication: undefined,
  ha: undefined,
  targets: [],
  targetsLeft: 0,
  ownCpu: undefined,
};

/** Nodes with the most free memory first: where one would go. */
function targetsFirst(inventory: Inventory, nodes: readonly string[]): readonly string[] {
  const free = new Map(inventory.nodes.map((n) => [n.node, (n.maxMem ?? 0) - (n.mem ?? 0)]));
  return [...nodes].sort((a, b) => (free.get(b) ?? 0) - (free.get(a) ?? 0) || (a < b ? -1 : 1));
}

type Inside = Pick<MigrationFacts, 'snapshotVolumes' | 'stateStorages' | 'snapshotsLeft'>;

/** What snapshots hold stands in their own configurations only; those with memory are read first. */
async function lookInto(call: Call, guest: Guest, snapshots: readonly Snapshot[]): Promise<Reading<Inside>> {
  const memoryFirst = [...snapshots].sort((a, b) => Number(b.vmState === true) - Number(a.vmState === true));
  const out = await fanOut(
    call,
    memoryFirst.slice(0, MAX_SNAPSHOT_READS),
    () => ({ node: guest.node, vmid: guest.vmid }),
    (snapshot) => readGuestConfig(call, guest, { snapshot: snapshot.name }),
  );
  const disks = out.results.flatMap(({ data }) => data.disks);
  const inside = {
    snapshotVolumes: new Set(disks.map((d) => d.volume)),
    stateStorages: [...new Set(disks.flatMap((d) => (d.kind === 'state' ? (d.storage ?? []) : [])))],
    snapshotsLeft: snapshots.length - out.results.length,
  };
  return { data: inside, ...out.gaps };
}

/** Endpoints that are read, for the permission docs. */
export const MIGRATION_READS = [
  '/version',
  '/nodes/{node}/qemu/{vmid}/config',
  '/nodes/{node}/lxc/{vmid}/config',
  '/nodes/{node}/qemu/{vmid}/snapshot',
  '/nodes/{node}/lxc/{vmid}/snapshot',
  '/nodes/{node}/replication',
  '/nodes/{node}/network',
  '/nodes/{node}/status',
  '/storage',
  '/cluster/sdn/zones',
  '/cluster/sdn/vnets',
  '/cluster/mapping/pci',
  '/cluster/mapping/usb',
  '/cluster/mapping/dir',
  '/cluster/ha/status/current',
  '/cluster/ha/rules',
  '/cluster/ha/groups',
] as const satisfies readonly EndpointPath[];
