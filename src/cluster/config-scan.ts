import type { Call } from '../api/call.ts';
import { type Gaps, mergeGaps, NO_GAPS } from '../api/reading.ts';
import { fanOut } from './fan-out.ts';
import { type ConfigQuery, type GuestConfig, readGuestConfig } from './guest-config.ts';
import { type Guest, type Inventory, onlineNodes } from './inventory.ts';

/** Configurations of many guests, as far as the time went. */
export interface ConfigScan {
  readonly configs: readonly { readonly guest: Guest; readonly config: GuestConfig }[];
  /** One problem a guest whose configuration could not be read. */
  readonly gaps: Gaps;
  /** Set when time ran out: every guest up to this vmid was looked at, none after it. */
  readonly stoppedAfter: number | undefined;
}

/** Guests that are asked about before the time is looked at again. */
const CHUNK = 64;
/** Less time than this is not worth starting a chunk for, in milliseconds. */
const WORTHWHILE_MS = 750;

/** Guests whose configuration can be read now: those on nodes that are online, by vmid. */
export function readableGuests(inventory: Inventory): readonly Guest[] {
  const online = new Set(onlineNodes(inventory));
  return inventory.guests.filter((g) => online.has(g.node));
}

/**
 * Reads the configuration of each guest, in the order of their vmids: one request a guest, so it is only for questions
 * that nothing cheaper answers. When time runs out it says after which vmid to go on; at least one guest is got past
 * each time, however slow its node is.
 *
 * @param query `current` for what guests run with, instead of what they will have after the next start
 */
export async function scanGuestConfigs(call: Call, guests: readonly Guest[], query: ConfigQuery = {}): Promise<ConfigScan> {
  const { results, gaps, stoppedAfter } = await scanInOrder(call, guests, (guest) => readGuestConfig(call, guest, query), {
    done: 'guest configurations read',
    late: (guest) => `The configuration of guest ${guest.vmid} was not read in time.`,
  });
  return { configs: results.map(({ guest, data }) => ({ guest, config: data })), gaps, stoppedAfter };
}

/** What was read of many guests, as far as the time went. */
export interface GuestScan<T> {
  readonly results: readonly { readonly guest: Guest; readonly data: T }[];
  /** One problem a guest that could not be read. */
  readonly gaps: Gaps;
  /** Set when time ran out: every guest up to this vmid was looked at, none after it. */
  readonly stoppedAfter: number | undefined;
}

/** How a scan goes, and its words. */
export interface ScanManner {
  /** Guests that are asked about before the time is looked at again; fewer where one costs several requests. */
  readonly chunk?: number;
  /** For a waiting client: `guest configurations read`. */
  readonly done: string;
  /** What to say of the one guest that is given up because nothing at all was read in time. */
  late(guest: Guest): string;
}

/** Reads something of each guest, in the order of their vmids, and stops where the time ends. */
export async function scanInOrder<T>(
  call: Call,
  guests: readonly Guest[],
  read: (guest: Guest) => Promise<T>,
  manner: ScanManner,
): Promise<GuestScan<T>> {
  const results: { guest: Guest; data: T }[] = [];
  const gaps: Gaps[] = [];
  const stopped = (vmid: number): GuestScan<T> => ({ results, gaps: mergeGaps(NO_GAPS, ...gaps), stoppedAfter: vmid });
  const size = manner.chunk ?? CHUNK;
  for (let from = 0; from < guests.length; from += size) {
    const chunk = guests.slice(from, from + size);
    const before = guests[from - 1];
    if (before !== undefined && call.remaining() < WORTHWHILE_MS) return stopped(before.vmid);
    const counting: Call = { ...call, progress: (done) => call.progress(from + done, guests.length, manner.done) };
    const out = await fanOut(counting, chunk, (guest) => ({ node: guest.node, vmid: guest.vmid }), read);
    const [firstLeft] = out.left;
    const cut = firstLeft === undefined ? undefined : cutPoint(chunk, firstLeft, before);
    for (const { item, data } of out.results) if (cut === undefined || item.vmid <= cut) results.push({ guest: item, data });
    gaps.push({
      ...NO_GAPS,
      problems: out.gaps.problems.filter((p) => cut === undefined || (p.where.vmid ?? 0) <= cut),
      coverage: out.gaps.coverage,
    });
    if (cut !== undefined && firstLeft !== undefined) {
      if (firstLeft.vmid <= cut) gaps.push(lost(firstLeft, manner));
      return stopped(cut);
    }
  }
  return { results, gaps: mergeGaps(NO_GAPS, ...gaps), stoppedAfter: undefined };
}

/** The vmid up to which everything is known; the first guest of all is given up rather than asked for ever. */
function cutPoint(chunk: readonly Guest[], firstLeft: Guest, before: Guest | undefined): number {
  const index = chunk.indexOf(firstLeft);
  return chunk[index - 1]?.vmid ?? before?.vmid ?? firstLeft.vmid;
}

function lost(guest: Guest, manner: ScanManner): Gaps {
  return {
    problems: [{ where: { node: guest.node, vmid: guest.vmid }, kind: 'timeout', message: manner.late(guest) }],
    coverage: 'partial',
    hidden: [],
  };
}
