import type { Call } from '../api/call.ts';
import { ApiError, toApiError } from '../api/errors.ts';
import { vmidOf } from '../api/lenient.ts';
import { checkSegment } from '../api/segments.ts';
import { closest } from '../config/suggest.ts';
import { type Guest, type GuestType, type Inventory, readInventory } from './inventory.ts';

/** How a tool's caller names a guest. */
export interface GuestWish {
  readonly vmid?: number | undefined;
  readonly name?: string | undefined;
  readonly node?: string | undefined;
  readonly guest_type?: GuestType | undefined;
}

export interface ResolvedGuest {
  readonly guest: Guest;
  readonly inventory: Inventory;
  /** What differs from the caller's belief, e.g. that the guest runs on another node. */
  readonly notes: readonly string[];
}

/**
 * Finds the one guest that is meant, by vmid or name; node and type come from the inventory and the caller's are only
 * checked. Throws `bad-argument` when it is ambiguous or not said, `not-found` or `forbidden` when it is not there or
 * not visible.
 *
 * Source: GET /cluster/resources; GET /cluster/nextid only for a vmid that is not listed.
 */
export async function resolveGuest(call: Call, wish: GuestWish): Promise<ResolvedGuest> {
  if (wish.node !== undefined) checkSegment('node', wish.node);
  if (wish.vmid === undefined && wish.name === undefined) {
    throw new ApiError('bad-argument', 'Which guest? Give vmid or name.', { hint: 'list_guests shows both.' });
  }
  const inventory = await readInventory(call);
  const found = inventory.guests.filter(
    (g) => (wish.vmid === undefined || g.vmid === wish.vmid) && (wish.name === undefined || g.name === wish.name),
  );
  const [guest] = found;
  if (guest === undefined) throw await notFound(call, inventory, wish);
  if (found.length > 1) {
    const named = found.map((g) => `${g.vmid} (${g.type} on ${g.node})`).join(', ');
    throw new ApiError('bad-argument', `${found.length} guests are named ${JSON.stringify(wish.name)}: ${named}.`, {
      hint: 'Give the vmid.',
    });
  }
  return { guest, inventory, notes: differences(guest, inventory, wish) };
}

function differences(guest: Guest, inventory: Inventory, wish: GuestWish): string[] {
  const notes: string[] = [];
  if (wish.node !== undefined && wish.node !== guest.node) {
    const known = inventory.nodes.some((n) => n.node === wish.node);
    notes.push(`Guest ${guest.vmid} is on node ${guest.node}, not on ${wish.node}${known ? '' : ' (no such node)'}.`);
  }
  if (wish.guest_type !== undefined && wish.guest_type !== guest.type)
    notes.push(`Guest ${guest.vmid} is of type ${guest.type}, not ${wish.guest_type}.`);
  return notes;
}

async function notFound(call: Call, inventory: Inventory, wish: GuestWish): Promise<ApiError> {
  if (wish.vmid !== undefined) {
    const named = inventory.guests.find((g) => g.vmid === wish.vmid);
    if (named !== undefined) {
      return new ApiError(
        'bad-argument',
        `Guest ${wish.vmid} is named ${JSON.stringify(named.name ?? '')}, not ${JSON.stringify(wish.name)}.`,
        { hint: 'Give only one of vmid and name.' },
      );
    }
    const exists = await existsUnseen(call, wish.vmid);
    if (exists === undefined) {
      return new ApiError('upstream', `No guest ${wish.vmid} is visible; whether there is one can't be told now.`, {
        hint: 'list_guests shows all that this token sees.',
      });
    }
    if (exists) {
      return new ApiError('forbidden', `Guest ${wish.vmid} exists, but this token may not see it.`, {
        needs: `VM.Audit on /vms/${wish.vmid}`,
      });
    }
    return new ApiError('not-found', `There is no guest ${wish.vmid} in this cluster.`, {
      hint: 'list_guests shows all that this token sees.',
    });
  }
  const name = wish.name ?? '';
  const names = [...new Set(inventory.guests.flatMap((g) => g.name ?? []))];
  const near = closest(name, names);
  const visible = await call.rights.over({ privilege: 'VM.Audit', under: '/vms', what: 'guests' });
  const unseen = visible.coverage === 'complete' ? '' : ' among those this token can be sure to see';
  return new ApiError('not-found', `No guest is named ${JSON.stringify(name)}${unseen}.`, {
    hint: near === undefined ? 'list_guests with query finds parts of names.' : `Did you mean ${JSON.stringify(near)}?`,
  });
}

/**
 * Whether a vmid is taken although the token does not see the guest; undefined when that can't be told.
 *
 * Source: GET /cluster/nextid?vmid=N (any user).
 */
export async function existsUnseen(call: Call, vmid: number): Promise<boolean | undefined> {
  try {
    await call.get('/cluster/nextid', {}, { vmid });
    return false;
  } catch (thrown) {
    const error = toApiError(thrown);
    if (error.status === 400 && /already exists|in use|taken/i.test(error.message)) return true;
    if (error.kind === 'cancelled') throw error;
    return undefined;
  }
}

/** The first vmid that is free, hidden guests counted. Source: GET /cluster/nextid (any user). */
export async function readNextVmid(call: Call): Promise<number | undefined> {
  return vmidOf((await call.get('/cluster/nextid', {})).data);
}

/** Checks a node's name against the inventory; the error names the one that was probably meant. */
export function requireNode(inventory: Inventory, node: string): string {
  checkSegment('node', node);
  if (inventory.nodes.some((n) => n.node === node)) return node;
  const names = inventory.nodes.map((n) => n.node);
  const near = closest(node, names);
  throw new ApiError('wrong-node', `There is no node ${JSON.stringify(node)} in this cluster.`, {
    hint:
      near === undefined ? `Nodes: ${names.slice(0, 20).join(', ')}.` : `Did you mean ${near}? Node names are case-sensitive.`,
  });
}

/** Like `requireNode`, and the node must be online: nothing is sent to one that is known to be down. */
export function requireOnlineNode(inventory: Inventory, node: string): string {
  requireNode(inventory, node);
  const status = inventory.nodes.find((n) => n.node === node)?.status ?? 'unknown';
  if (status === 'online') return node;
  throw new ApiError('node-unreachable', `Node ${node} is ${status}, so this can't be read now.`, {
    hint: 'get_metrics still has its history, and list_guests the guests that belong to it.',
  });
}
