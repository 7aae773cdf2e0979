import { DemoHttpError, type HandlerRequest } from '../types.ts';
import type { DemoGuest, DemoWorld, GuestType } from '../world/types.ts';
import { nodeOf, parameter } from './answers.ts';

/**
 * The guest of the path. A guest that lives elsewhere or is of the other kind is the same 500 as one that does not
 * exist: the API looks for a configuration file below that node.
 */
export function guestOf(world: DemoWorld, request: HandlerRequest, type: GuestType): DemoGuest {
  const { node } = nodeOf(world, request);
  const vmid = Number(parameter(request, 'vmid'));
  const guest = world.guests.get(vmid);
  if (guest !== undefined && guest.type === type && guest.node === node) return guest;
  const folder = type === 'qemu' ? 'qemu-server' : 'lxc';
  throw new DemoHttpError(500, `Configuration file 'nodes/${node}/${folder}/${vmid}.conf' does not exist`);
}

/** The name that lists show; a guest without one is called after its id. */
export function shownName(guest: DemoGuest): string {
  return guest.name ?? (guest.type === 'qemu' ? `VM ${guest.vmid}` : `CT${guest.vmid}`);
}

/** True when the guest's node can tell its state; guests of a dead node are `unknown`. */
export function isKnown(world: DemoWorld, guest: DemoGuest): boolean {
  return world.nodes.some((node) => node.node === guest.node && node.online);
}

/** Seconds since the start; 0 when the guest does not run. */
export function uptimeOf(guest: DemoGuest, now: number): number {
  return guest.startedAt === undefined ? 0 : Math.max(1, now - guest.startedAt);
}

/**
 * The rows in an order that means nothing but is the same for equal seeds: the API gives hash order, so a client that
 * relies on the order of a list must fail here too.
 */
export function unordered<T>(rows: readonly T[], seed: number): T[] {
  const mixed = [...rows];
  let state = (seed * 2_654_435_761 + 12_345) >>> 0;
  for (let index = mixed.length - 1; index > 0; index--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const other = state % (index + 1);
    const [left, right] = [mixed[index], mixed[other]];
    if (left !== undefined && right !== undefined) {
      mixed[index] = right;
      mixed[other] = left;
    }
  }
  return mixed;
}
