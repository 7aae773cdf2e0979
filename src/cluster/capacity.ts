import type { Call } from '../api/call.ts';
import { type Gaps, mergeGaps, NO_GAPS, type Reading } from '../api/reading.ts';
import { cutGaps } from './attempts.ts';
import { readThinPools, type ThinPool } from './disks.ts';
import { fanOut } from './fan-out.ts';
import { type Guest, type Inventory, onlineNodes } from './inventory.ts';
import { type Point, readMetrics } from './metrics.ts';
import type { Storage, StorageDefinition } from './storage.ts';
import { parseVolumes } from './storage-content.ts';

/** Storages whose history is read in one call, the fullest first. */
const MAX_HISTORIES = 60;

export interface StorageHistory {
  readonly storage: Storage;
  /** A month of how full it was; undefined: not read. */
  readonly points: readonly Point[] | undefined;
}

/**
 * How full storages were in the last month: one request for each, shared ones once.
 *
 * Source: GET /nodes/{node}/storage/{storage}/rrddata?timeframe=month.
 */
export async function readStorageHistories(
  call: Call,
  storages: readonly Storage[],
  inventory: Inventory,
): Promise<Reading<readonly StorageHistory[]>> {
  const online = new Set(onlineNodes(inventory));
  const measured = storages
    .flatMap((storage) => {
      const node = storage.nodes.find((n) => online.has(n) && !storage.unreachableFrom.includes(n));
      const { used, total } = storage;
      const known = storage.state === 'available' && used !== undefined && total !== undefined;
      return known && node !== undefined ? [{ storage, node, share: used / total }] : [];
    })
    .sort((a, b) => b.share - a.share);
  const asked = measured.slice(0, MAX_HISTORIES);
  const out = await fanOut(
    call,
    asked,
    ({ node, storage }) => ({ node, storage: storage.storage }),
    ({ node, storage }) => readMetrics(call, { kind: 'storage', node, storage: storage.storage }, 'month'),
  );
  const found = new Map(out.results.map((r) => [r.item.storage, r.data]));
  const left = cutGaps(
    measured.length > asked.length,
    `the history of the ${MAX_HISTORIES} fullest of ${measured.length} storages only was read`,
  );
  return { data: storages.map((storage) => ({ storage, points: found.get(storage) })), ...mergeGaps(out.gaps, left) };
}

/** A thin pool of one node. */
export interface ThinPoolUse extends ThinPool {
  readonly node: string;
  /** Storages that take their volumes out of it. */
  readonly storages: readonly string[];
  /** Bytes promised to volumes; undefined where they can't be seen. */
  readonly provisioned: number | undefined;
}

/**
 * Thin pools of the online nodes, with what their volumes could grow to where the token may see all guest disks.
 *
 * Source: GET /nodes/{node}/disks/lvmthin (Sys.Audit on /), /nodes/{node}/storage/{storage}/content (rows need VM.Config.Disk).
 */
export async function readThinPoolUse(
  call: Call,
  inventory: Inventory,
  definitions: readonly StorageDefinition[],
  only: string | undefined,
): Promise<Reading<readonly ThinPoolUse[]>> {
  const thin = definitions.filter(
    (d) => d.plugin === 'lvmthin' && d.enabled && d.vgname !== undefined && d.thinpool !== undefined,
  );
  const online = onlineNodes(inventory).filter((node) => only === undefined || node === only);
  const nodes = online.filter((node) => thin.some((d) => d.nodes.length === 0 || d.nodes.includes(node)));
  if (nodes.length === 0) return { data: [], ...NO_GAPS };
  if (!(await call.rights.has('Sys.Audit', '/'))) {
    const hidden = [{ what: 'thin pools and their metadata', privilege: 'Sys.Audit', path: '/' }];
    return { data: [], problems: [], coverage: 'partial', hidden };
  }
  const disks = await call.rights.over({
    privilege: 'VM.Config.Disk',
    under: '/vms',
    what: 'what guest disks in thin pools may grow to',
  });
  const seesDisks = disks.coverage === 'complete';
  const pools = await fanOut(
    call,
    nodes,
    (node) => ({ node }),
    (node) => readThinPools(call, node),
  );
  const items = pools.results.flatMap(({ item: node, data }) =>
    data.map((pool) => ({ node, pool, on: storagesOn(pool, node, thin) })),
  );
  const promised = seesDisks
    ? await fanOut(
        call,
        items.flatMap(({ node, on }) => on.map((storage) => ({ node, storage }))),
        (at) => at,
        async (at) => {
          const volumes = parseVolumes((await call.get('/nodes/{node}/storage/{storage}/content', at)).data);
          const disks = volumes.filter((v) => v.content === 'images' || v.content === 'rootdir');
          return new Map(disks.map((v) => [v.volid.slice(v.volid.indexOf(':') + 1), v.size ?? 0]));
        },
      )
    : undefined;
  const data = items.map(({ node, pool, on }): ThinPoolUse => {
    const sizes = on.map((s) => promised?.results.find((r) => r.item.node === node && r.item.storage === s)?.data);
    const known = sizes.length > 0 && sizes.every((s) => s !== undefined);
    // Storages on the same pool each list all of its volumes.
    const volumes = new Map(sizes.flatMap((s) => [...(s ?? [])]));
    return {
      ...pool,
      node,
      storages: on,
      provisioned: known ? [...volumes.values()].reduce((sum, size) => sum + size, 0) : undefined,
    };
  });
  // What is not visible here does not make the rest of the answer partial.
  const unseen: Gaps = { ...NO_GAPS, hidden: disks.hidden };
  return { data, ...mergeGaps(pools.gaps, promised?.gaps ?? NO_GAPS, seesDisks ? NO_GAPS : unseen) };
}

function storagesOn(pool: ThinPool, node: string, thin: readonly StorageDefinition[]): readonly string[] {
  return thin
    .filter((d) => `${d.vgname}/${d.thinpool}` === pool.name && (d.nodes.length === 0 || d.nodes.includes(node)))
    .map((d) => d.storage);
}

/** What guests used in the last week. */
export interface GuestHistories {
  readonly histories: readonly { readonly guest: Guest; readonly points: readonly Point[] }[];
  /** The first guest that was not reached in time. */
  readonly firstLeft: number | undefined;
  readonly gaps: Gaps;
}

/**
 * A week of measurements of each guest: one request a guest.
 *
 * Source: GET /nodes/{node}/{qemu,lxc}/{vmid}/rrddata?timeframe=week.
 */
export async function readGuestHistories(call: Call, guests: readonly Guest[]): Promise<GuestHistories> {
  const out = await fanOut(
    call,
    guests,
    ({ node, vmid }) => ({ node, vmid }),
    async (guest) => {
      const { node, vmid, type } = guest;
      return { guest, points: await readMetrics(call, { kind: 'guest', node, vmid, type }, 'week') };
    },
  );
  const firstLeft = out.left.reduce<number | undefined>((least, { vmid }) => Math.min(least ?? vmid, vmid), undefined);
  return { histories: out.results.map((r) => r.data), firstLeft, gaps: out.gaps };
}
