import type { Call } from '../api/call.ts';
import { boolOf, byText, listOf, rawOf, textOf, timeOf } from '../api/lenient.ts';
import { attempt, mergeGaps, type Reading } from '../api/reading.ts';
import { cleanText } from '../redact/plain-text.ts';
import type { Guest } from './inventory.ts';

/** A snapshot of one guest. */
export interface Snapshot {
  readonly name: string;
  readonly parent: string | undefined;
  /** Steps below the first snapshot of its branch. */
  readonly depth: number;
  /** Seconds since the epoch; undefined when unknown. */
  readonly time: number | undefined;
  /** Whether the memory was saved too; undefined for containers. */
  readonly vmState: boolean | undefined;
  readonly description: string | undefined;
  /** `prepare` or `delete`: creation or removal that never came to its end. */
  readonly state: string | undefined;
}

export interface SnapshotTree {
  /** Depth first, older branches before younger ones. */
  readonly snapshots: readonly Snapshot[];
  /** The snapshot that the guest's present state descends from. */
  readonly parentOfCurrent: string | undefined;
}

/**
 * A guest's snapshots, without the API's pseudo snapshot `current`.
 *
 * Source: GET /nodes/{node}/{qemu|lxc}/{vmid}/snapshot (VM.Audit).
 */
export async function readSnapshots(call: Call, guest: Guest): Promise<SnapshotTree> {
  const where = { node: guest.node, vmid: guest.vmid };
  const { data } = await call.get(`/nodes/{node}/${guest.type}/{vmid}/snapshot`, where);
  return parseSnapshots(data);
}

export function parseSnapshots(data: unknown): SnapshotTree {
  const found = new Map<string, Omit<Snapshot, 'depth'>>();
  let parentOfCurrent: string | undefined;
  for (const row of listOf(data, 'snapshots')) {
    const name = textOf(row['name']);
    if (name === undefined) continue;
    const parent = textOf(row['parent']);
    if (name === 'current') {
      parentOfCurrent = parent;
      continue;
    }
    const description = textOf(row['description'])?.trim();
    found.set(name, {
      name,
      parent,
      time: timeOf(row['snaptime']),
      vmState: boolOf(row['vmstate']),
      description: description === undefined || description === '' ? undefined : cleanText(description),
      state: textOf(row['snapstate']),
    });
  }
  return { snapshots: inTreeOrder(found), parentOfCurrent };
}

/** What the storages of a guest's volumes allow; undefined where it could not be read. */
export interface Possible {
  readonly snapshot: boolean | undefined;
  readonly linkedClone: boolean | undefined;
  readonly fullClone: boolean | undefined;
}

/**
 * Whether snapshots and clones of the guest as it is now are possible: three requests that change nothing.
 *
 * Source: GET /nodes/{node}/{qemu|lxc}/{vmid}/feature (VM.Audit).
 */
export async function readPossible(call: Call, guest: Guest): Promise<Reading<Possible>> {
  const where = { node: guest.node, vmid: guest.vmid };
  const ask = (feature: 'snapshot' | 'clone' | 'copy'): Promise<Reading<boolean | undefined>> =>
    attempt(where, async () => {
      const { data } = await call.get(`/nodes/{node}/${guest.type}/{vmid}/feature`, where, { feature });
      return boolOf(rawOf(data)['hasFeature']);
    });
  const [snapshot, linked, full] = await Promise.all([ask('snapshot'), ask('clone'), ask('copy')]);
  return {
    data: { snapshot: snapshot.data, linkedClone: linked.data, fullClone: full.data },
    ...mergeGaps(snapshot, linked, full),
  };
}

function inTreeOrder(found: ReadonlyMap<string, Omit<Snapshot, 'depth'>>): readonly Snapshot[] {
  const children = new Map<string | undefined, Omit<Snapshot, 'depth'>[]>();
  for (const snapshot of found.values()) {
    // A parent that is gone makes its children the first of their branches.
    const parent = snapshot.parent !== undefined && found.has(snapshot.parent) ? snapshot.parent : undefined;
    children.set(parent, [...(children.get(parent) ?? []), snapshot]);
  }
  const ordered: Snapshot[] = [];
  const placed = new Set<string>();
  const place = (snapshot: Omit<Snapshot, 'depth'>, depth: number): void => {
    if (placed.has(snapshot.name)) return;
    placed.add(snapshot.name);
    ordered.push({ ...snapshot, depth });
    for (const child of sortedByTime(children.get(snapshot.name) ?? [])) place(child, depth + 1);
  };
  for (const root of sortedByTime(children.get(undefined) ?? [])) place(root, 0);
  // A broken configuration may hold a circle: nothing of it hangs on a root, and it is shown all the same.
  for (const rest of sortedByTime([...found.values()])) place(rest, 0);
  return ordered;
}

function sortedByTime<T extends { readonly name: string; readonly time: number | undefined }>(
  snapshots: readonly T[],
): readonly T[] {
  return [...snapshots].sort((a, b) => (a.time ?? 0) - (b.time ?? 0) || byText(a.name, b.name));
}
