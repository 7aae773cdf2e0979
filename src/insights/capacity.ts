import type { Guest, Node } from '../cluster/inventory.ts';

/** What one node has, gives away and uses. Undefined: not told. */
export interface NodeCapacity {
  readonly node: string;
  readonly status: string;
  readonly cores: number | undefined;
  /** Fraction of all cores in use. */
  readonly cpu: number | undefined;
  /** CPUs of guests that run, or are paused or starting. */
  readonly vcpus: number;
  /** Bytes. */
  readonly memory: number | undefined;
  readonly memUsed: number | undefined;
  /** Bytes that these may use: they hold their memory. */
  readonly allocated: number;
  readonly active: number;
}

/** Guests in these states hold their memory. */
const HOLDS_MEMORY: ReadonlySet<string> = new Set(['running', 'paused', 'prelaunch', 'suspended']);

export function holdsMemory(status: string): boolean {
  return HOLDS_MEMORY.has(status);
}

export function runsNow(guest: Guest): boolean {
  return !guest.template && holdsMemory(guest.status);
}

export function nodeCapacities(nodes: readonly Node[], guests: readonly Guest[]): readonly NodeCapacity[] {
  return nodes.map((n) => {
    const here = guests.filter((g) => g.node === n.node && runsNow(g));
    return {
      node: n.node,
      status: n.status,
      cores: n.maxCpu,
      cpu: n.status === 'online' ? n.cpu : undefined,
      vcpus: sum(here.map((g) => g.maxCpu)),
      memory: n.maxMem,
      memUsed: n.status === 'online' ? n.mem : undefined,
      allocated: sum(here.map((g) => g.maxMem)),
      active: here.length,
    };
  });
}

/**
 * - `fits`: the other nodes can give its guests all the memory they may use
 * - `fits-by-use`: only if guests go on using no more than now: memory is overcommitted then
 * - `does-not-fit`
 * - `nothing-runs`: no guest runs there
 * - `no-other-node`
 * - `unknown`: figures or guests are not visible
 */
export type FailoverVerdict = 'fits' | 'fits-by-use' | 'does-not-fit' | 'nothing-runs' | 'no-other-node' | 'unknown';

/** What happens when one node goes down. */
export interface Failover {
  readonly node: string;
  readonly verdict: FailoverVerdict;
  /** Guests that find no place, in the order in which places were sought: by full memory, or by use when even that fails. */
  readonly leftOut: readonly Guest[];
  /** HA guests among those that run there; the others have to be started by hand. */
  readonly ha: number;
  /** The cluster keeps its quorum, one vote a node; undefined for a single node. */
  readonly quorate: boolean | undefined;
}

/** Memory that a node needs for itself at least. */
const LEAST_OVERHEAD = 2 ** 30;

/**
 * Whether the running guests of each online node find memory on the other online nodes, HA guests first, then the
 * largest first, each on the first node with room. CPU type, local disks, passed-through devices, affinity rules and
 * shrinking by ballooning are not looked at.
 *
 * @param allGuests whether the guests are known to be all there are
 */
export function failovers(nodes: readonly Node[], guests: readonly Guest[], allGuests: boolean): readonly Failover[] {
  const online = nodes.filter((n) => n.status === 'online');
  const majority = Math.floor(nodes.length / 2) + 1;
  const free = new Map(online.map((n) => [n, freeByAllocation(n, guests)]));
  return online.map((down): Failover => {
    const moving = guests.filter((g) => g.node === down.node && runsNow(g)).sort(haFirst);
    const others = online.filter((n) => n !== down);
    const base = {
      node: down.node,
      ha: moving.filter(isHa).length,
      quorate: nodes.length < 2 ? undefined : online.length - 1 >= majority,
    };
    const verdict = (v: FailoverVerdict, leftOut: readonly Guest[] = []): Failover => ({ ...base, verdict: v, leftOut });
    if (others.length === 0) return verdict('no-other-node');
    if (moving.length === 0) return verdict(allGuests ? 'nothing-runs' : 'unknown');
    if (others.some((n) => n.maxMem === undefined || n.mem === undefined) || moving.some((g) => g.maxMem === undefined))
      return verdict('unknown');
    const byAllocation = place(
      moving,
      (g) => g.maxMem ?? 0,
      others.map((n) => free.get(n) ?? 0),
    );
    // Guests that can't be seen take room as well: without all of them "fits" is not known, "does not fit" is.
    if (byAllocation.length === 0) return verdict(allGuests ? 'fits' : 'unknown');
    const byUse = place(
      moving,
      (g) => g.mem ?? g.maxMem ?? 0,
      others.map((n) => (n.maxMem ?? 0) - (n.mem ?? 0)),
    );
    if (byUse.length > 0) return verdict('does-not-fit', byUse);
    return verdict('fits-by-use', byAllocation);
  });
}

/** What is left for further guests when those that run there use all they may. */
function freeByAllocation(node: Node, guests: readonly Guest[]): number {
  const here = guests.filter((g) => g.node === node.node && runsNow(g));
  const overhead = Math.max(LEAST_OVERHEAD, (node.mem ?? 0) - sum(here.map((g) => g.mem)));
  return (node.maxMem ?? 0) - overhead - sum(here.map((g) => g.maxMem));
}

/** First fit in the given order; answers those without a place. */
function place(guests: readonly Guest[], need: (guest: Guest) => number, free: readonly number[]): readonly Guest[] {
  const room = [...free];
  return guests.filter((guest) => {
    const at = room.findIndex((bytes) => bytes >= need(guest));
    if (at < 0) return true;
    room[at] = (room[at] ?? 0) - need(guest);
    return false;
  });
}

function isHa(guest: Guest): boolean {
  return guest.haState !== undefined && guest.haState !== 'ignored';
}

function haFirst(a: Guest, b: Guest): number {
  return Number(isHa(b)) - Number(isHa(a)) || (b.maxMem ?? 0) - (a.maxMem ?? 0) || a.vmid - b.vmid;
}

function sum(values: readonly (number | undefined)[]): number {
  return values.reduce<number>((total, value) => total + (value ?? 0), 0);
}
