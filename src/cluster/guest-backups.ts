import type { Call } from '../api/call.ts';
import { byText } from '../api/lenient.ts';
import { attempt, complete, type Gaps, mergeGaps, NO_GAPS, type Problem, type Reading, withGaps } from '../api/reading.ts';
import { type Backup, ofGuest, readDryRunOf, readStorageBackups } from './backups.ts';
import { fanOut } from './fan-out.ts';
import { type Guest, type Inventory, onlineNodes, type StorageRow, storageCoverage } from './inventory.ts';

/** A guest's backups on one storage. */
export interface StorageBackups {
  readonly storage: string;
  /** Set for a storage that is not shared. */
  readonly node: string | undefined;
  readonly count: number;
  readonly newest: Backup | undefined;
  /** Seconds since the epoch. */
  readonly oldest: number | undefined;
  readonly protectedCount: number;
}

export interface GuestBackups {
  /** Storages that were read, the one with the newest backup first. */
  readonly storages: readonly StorageBackups[];
  /** Backup storages that were left out to save requests. */
  readonly notAsked: readonly string[];
  /** The token does not see every storage: backups may be on others. */
  readonly hidden: boolean;
}

export interface BackupWish {
  /** Most storages to ask. */
  readonly limit: number;
  /**
   * True: sizes and verification where the token may see them, the other nodes' own storages too, and whether storages
   * are hidden from it. False: one request a storage, which tells only number, age and protection.
   */
  readonly thorough: boolean;
}

/** A backup this young answers the question by itself; an older one, or none, makes hidden storages matter. */
const RECENT_SECONDS = 2 * 86_400;

/**
 * A guest's backups on every storage for backups that can be reached, also when the guest's own node is down: shared
 * storages are then read through another node. The cheap way asks the prune dry run, which needs only Datastore.Audit
 * and leaves nothing out.
 *
 * Source: GET /nodes/{node}/storage/{storage}/prunebackups?prune-backups=keep-all=1&vmid=N&type=T (never deletes), and
 * .../content when thorough.
 */
export async function readGuestBackups(
  call: Call,
  guest: Guest,
  inventory: Inventory,
  wish: BackupWish,
): Promise<Reading<GuestBackups>> {
  const { places, unreachable } = backupPlaces(inventory, guest.node, wish.thorough);
  const asked = places.slice(0, Math.max(0, wish.limit));
  const [out, known] = await Promise.all([
    fanOut(
      call,
      asked,
      ({ node, storage }) => ({ node, storage }),
      (place) => readPlace(call, guest, place, wish.thorough),
    ),
    wish.thorough ? storageCoverage(call) : undefined,
  ]);
  const storages = out.results.map(({ item, data }) => summarize(item, data.data));
  storages.sort(
    (a, b) => (b.newest?.time ?? 0) - (a.newest?.time ?? 0) || byText(a.storage, b.storage) || byText(a.node, b.node),
  );
  const recent = storages.some((s) => s.newest?.time !== undefined && s.newest.time > call.now() / 1000 - RECENT_SECONDS);
  const coverage = known ?? (recent ? NO_GAPS : await plainlyHidden(call));
  const notAsked = places.slice(asked.length).map(labelOf);
  const missing = unreachable.length > 0 || notAsked.length > 0;
  // Backups elsewhere are only ruled out where that was looked into.
  const unsure = !wish.thorough && storages.every((s) => s.count === 0);
  const left: Gaps = {
    problems: unreachable,
    coverage: missing ? 'partial' : unsure ? 'unknown' : 'complete',
    hidden: [],
    why:
      notAsked.length > 0
        ? `backups on ${notAsked.join(', ')} were not asked for`
        : unsure
          ? 'backups on storages hidden from this token or on those of other nodes were not looked for'
          : undefined,
  };
  return withGaps(
    { storages, notAsked, hidden: coverage.hidden.length > 0 },
    mergeGaps(left, out.gaps, ...out.results.map((r) => r.data), coverage),
  );
}

/** The cheap question: a token that has not the right to see all storages is told so; single closed ones are not looked for. */
async function plainlyHidden(call: Call): Promise<Gaps> {
  const privilege = 'Datastore.Audit';
  const path = '/storage';
  const held = await attempt({}, () => call.rights.has(privilege, path));
  if (held.data !== false) return NO_GAPS;
  return { problems: [], coverage: 'partial', hidden: [{ what: 'storages', privilege, path }] };
}

interface Place {
  readonly node: string;
  readonly storage: string;
  readonly plugin: string | undefined;
  readonly shared: boolean;
}

function labelOf(place: Place): string {
  return place.shared ? place.storage : `${place.storage} (${place.node})`;
}

async function readPlace(call: Call, guest: Guest, place: Place, thorough: boolean): Promise<Reading<readonly Backup[]>> {
  const { node, storage, plugin } = place;
  if (thorough) {
    const reading = await readStorageBackups(call, { node, storage, plugin, vmid: guest.vmid, type: guest.type });
    return { ...reading, data: ofGuest(reading.data, guest) };
  }
  return complete(await readDryRunOf(call, guest, { node, storage }));
}

/** Backup servers first, then shared storages, then those of the guest's own node: the likeliest to hold the newest. */
const PLUGIN_RANK: Readonly<Record<string, number>> = { pbs: 0 };

/**
 * Where backups of a guest may be: shared storages once, and those of its own node. `everywhere` adds the local ones of
 * other nodes, which hold backups of guests that ran there.
 */
export function backupPlaces(
  inventory: Inventory,
  home: string,
  everywhere: boolean,
): { readonly places: readonly Place[]; readonly unreachable: readonly Problem[] } {
  const online = new Set(onlineNodes(inventory));
  const candidates = inventory.storages.filter(
    (s) => s.content.includes('backup') && (s.shared || s.node === home || everywhere),
  );
  const groups = new Map<string, StorageRow[]>();
  for (const row of candidates) {
    const key = row.shared ? row.storage : `${row.storage}\n${row.node}`;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const places: (Place & { readonly rank: number })[] = [];
  const unreachable: Problem[] = [];
  for (const rows of groups.values()) {
    const usable = rows.filter((r) => online.has(r.node) && r.status === 'available');
    const row = usable.find((r) => r.node === home) ?? usable[0];
    if (row === undefined) {
      unreachable.push(...unreachableStorage(rows, home, online));
      continue;
    }
    const { node, storage, plugin, shared } = row;
    places.push({ node, storage, plugin, shared, rank: PLUGIN_RANK[plugin ?? ''] ?? (shared ? 1 : node === home ? 2 : 3) });
  }
  places.sort((a, b) => a.rank - b.rank || byText(a.storage, b.storage) || byText(a.node, b.node));
  return { places, unreachable };
}

function unreachableStorage(rows: readonly StorageRow[], home: string, online: ReadonlySet<string>): readonly Problem[] {
  const row = rows.find((r) => r.node === home) ?? rows[0];
  if (row === undefined) return [];
  const { node, storage, shared } = row;
  const down = !shared && !online.has(node);
  return [
    {
      where: { node, storage },
      kind: down ? 'node-unreachable' : 'unreachable',
      message: down
        ? "Its node is not online, so backups on it can't be read now."
        : "The storage is not active, so backups on it can't be read now.",
    },
  ];
}

function summarize(place: Place, backups: readonly Backup[]): StorageBackups {
  const times = backups.flatMap((b) => b.time ?? []);
  const newest = backups.reduce<Backup | undefined>((best, b) => ((b.time ?? 0) > (best?.time ?? -1) ? b : best), undefined);
  return {
    storage: place.storage,
    node: place.shared ? undefined : place.node,
    count: backups.length,
    newest,
    oldest: times.length === 0 ? undefined : Math.min(...times),
    protectedCount: backups.filter((b) => b.protected === true).length,
  };
}
