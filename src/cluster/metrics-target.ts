import type { Call } from '../api/call.ts';
import { ApiError } from '../api/errors.ts';
import { checkSegment } from '../api/segments.ts';
import { closest } from '../config/suggest.ts';
import { type Inventory, isOnline, readInventory, storageCoverage } from './inventory.ts';
import type { MetricsTarget } from './metrics.ts';
import { type GuestWish, requireNode, requireOnlineNode, resolveGuest } from './resolve.ts';

/** How a caller names what the measurements are of. */
export interface MetricsWish extends GuestWish {
  readonly storage?: string | undefined;
}

export interface ResolvedTarget {
  readonly target: MetricsTarget;
  /** `guest 100 web-01 on pve1` */
  readonly words: string;
  /** The node answers now; the history of nodes and guests is there all the same. */
  readonly nodeOnline: boolean;
  readonly notes: readonly string[];
}

/**
 * Finds out what is meant: a guest (vmid or name), a storage (with a node where each has its own), or a node.
 *
 * Source: GET /cluster/resources.
 */
export async function resolveMetricsTarget(call: Call, wish: MetricsWish): Promise<ResolvedTarget> {
  const guestWanted = wish.vmid !== undefined || wish.name !== undefined;
  if (guestWanted && wish.storage !== undefined) {
    throw new ApiError('bad-argument', 'Metrics are of one thing: give a guest, a storage or a node.', {
      hint: 'Call it once for each.',
    });
  }
  if (guestWanted) {
    const { guest, inventory, notes } = await resolveGuest(call, wish);
    const { node, vmid, type, name } = guest;
    return {
      target: { kind: 'guest', node, vmid, type },
      words: `guest ${vmid}${name === undefined ? '' : ` ${name}`} on ${node}`,
      nodeOnline: isOnline(inventory.nodes, node),
      notes,
    };
  }
  if (wish.storage !== undefined) return storageTarget(call, await readInventory(call), wish.storage, wish.node);
  if (wish.node === undefined) {
    throw new ApiError('bad-argument', 'Metrics of what? Give node, vmid or name, or storage.', {
      hint: 'list_nodes, list_guests and list_storage show them.',
    });
  }
  const inventory = await readInventory(call);
  const node = requireNode(inventory, wish.node);
  return { target: { kind: 'node', node }, words: `node ${node}`, nodeOnline: isOnline(inventory.nodes, node), notes: [] };
}

/** The node is asked itself, so it must be online; any will do for a storage that is the same everywhere. */
async function storageTarget(
  call: Call,
  inventory: Inventory,
  storage: string,
  node: string | undefined,
): Promise<ResolvedTarget> {
  checkSegment('storage', storage);
  const rows = inventory.storages.filter((s) => s.storage === storage);
  if (rows.length === 0) throw await unknownStorage(call, inventory, storage);
  if (node !== undefined) {
    requireOnlineNode(inventory, node);
    if (!rows.some((s) => s.node === node)) {
      throw new ApiError('bad-argument', `Storage ${storage} is not on node ${node}.`, {
        hint: `It is on ${rows.map((s) => s.node).join(', ')}.`,
      });
    }
    return storageOn(storage, node);
  }
  const reachable = rows.filter((s) => isOnline(inventory.nodes, s.node));
  const [first] = reachable;
  if (first === undefined) {
    throw new ApiError('node-unreachable', `Storage ${storage} is only on nodes that are offline; its metrics are kept there.`);
  }
  const chosen = reachable.find((s) => s.status === 'available') ?? first;
  const others = rows.flatMap((s) => (s.node === chosen.node ? [] : [s.node]));
  const notes =
    chosen.shared || others.length === 0
      ? []
      : [
          `${storage} is a storage of its own on each node: this is the one of ${chosen.node}; give node for ${others.join(', ')}.`,
        ];
  return storageOn(storage, chosen.node, notes);
}

function storageOn(storage: string, node: string, notes: readonly string[] = []): ResolvedTarget {
  return {
    target: { kind: 'storage', node, storage },
    words: `storage ${storage} as seen by ${node}`,
    nodeOnline: true,
    notes,
  };
}

async function unknownStorage(call: Call, inventory: Inventory, storage: string): Promise<ApiError> {
  const names = [...new Set(inventory.storages.map((s) => s.storage))];
  const near = closest(storage, names);
  const coverage = await storageCoverage(call);
  const unseen = coverage.coverage === 'complete' ? '' : ' among those this token can be sure to see';
  return new ApiError('not-found', `There is no storage ${JSON.stringify(storage)}${unseen}.`, {
    hint: near === undefined ? 'list_storage shows them.' : `Did you mean ${near}?`,
  });
}
