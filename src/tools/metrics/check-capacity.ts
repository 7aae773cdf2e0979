import { z } from 'zod';
import { bytes, duration, int, list, number, percent, type RowOf, record, table, text } from '../../answer/spec.ts';
import { counted, formatDuration, shareOf } from '../../answer/units.ts';
import type { Call } from '../../api/call.ts';
import { ApiError } from '../../api/errors.ts';
import { type Gaps, mergeGaps, NO_GAPS, visibleWord } from '../../api/reading.ts';
import { readGuestHistories, readStorageHistories, readThinPoolUse, type ThinPoolUse } from '../../cluster/capacity.ts';
import { guestCoverage, type Inventory, nodeCoverage, offlineGaps, onlineNodes, readInventory } from '../../cluster/inventory.ts';
import { requireNode } from '../../cluster/resolve.ts';
import { mergeStorages, readStorageDefinitions, type Storage } from '../../cluster/storage.ts';
import { closest } from '../../config/suggest.ts';
import { type Failover, failovers, type NodeCapacity, nodeCapacities, runsNow } from '../../insights/capacity.ts';
import { type Forecast, fillPoints, forecast } from '../../insights/forecast.ts';
import { sizingOf } from '../../insights/right-sizing.ts';
import { defineTool, type PageRequest } from '../define-tool.ts';
import { node, storage } from '../params.ts';
import { RIGHTS_READS } from '../rights-reads.ts';

/** Guests whose week is read in one call. */
const MAX_SIZED = 150;
/** Guests without a place that are named. */
const MAX_NAMED = 6;

const nodeColumns = {
  node: text(),
  status: text(),
  cores: int(),
  cpu: percent('of all cores'),
  vcpus: number('of active guests'),
  vcpus_per_core: number(),
  memory: bytes(),
  mem: percent('used'),
  mem_allocated: percent('of memory, to active guests'),
  active: int('guests that hold memory: running, paused, starting'),
  if_down: text('fits, fits-by-use, does-not-fit, nothing-runs, no-other-node or unknown'),
  left_out: list('guests that find no place'),
  quorum: text('of the rest, one vote a node'),
};

const storageColumns = {
  storage: text(),
  node: text('of a local storage'),
  plugin: text(),
  used: percent(),
  total: bytes(),
  per_day: bytes('growth'),
  full_in: duration(),
  trend: text('fills, flat, shrinks, noisy or too-short'),
  confidence: text('of full_in'),
};

const sizingColumns = {
  vmid: int(),
  name: text(),
  node: text(),
  cores: number(),
  cpu_p95: percent('of its cores'),
  cpu_p99: percent(),
  memory: bytes(),
  mem_p99: percent('of its memory'),
  advice: list(),
};

export const checkCapacity = defineTool({
  name: 'check_capacity',
  title: 'Check capacity',
  toolset: 'metrics',
  description:
    'Overcommit, N-1 (can the other nodes carry each one), days until storages and thin pools are full. deep=true: guests of the wrong size, one request each.',
  params: {
    node: node.optional(),
    storage: storage.optional(),
    deep: z.boolean().optional(),
  },
  paged: true,
  output: {
    cluster: record({
      cores: int(),
      vcpus_per_core: number('of active guests, online nodes'),
      memory: bytes(),
      mem: percent('used'),
      mem_allocated: percent('to active guests'),
    }),
    nodes: table(nodeColumns),
    storages: table(storageColumns),
    thin_pools: table({
      pool: text(),
      node: text(),
      storages: list(),
      size: bytes(),
      data: percent('used'),
      metadata: percent('used; a full one stops all writes'),
      provisioned: bytes('what its volumes may grow to'),
      overcommit: number('provisioned for each byte there is'),
    }),
    sizing: table(sizingColumns, 'guests of the wrong size, by a week of measurements'),
  },
  reads: [
    '/cluster/resources',
    '/storage',
    '/nodes/{node}/storage/{storage}/rrddata',
    '/nodes/{node}/storage/{storage}/content',
    '/nodes/{node}/disks/lvmthin',
    '/nodes/{node}/qemu/{vmid}/rrddata',
    '/nodes/{node}/lxc/{vmid}/rrddata',
    ...RIGHTS_READS,
  ],
  async run(args, call, page) {
    const inventory = await readInventory(call);
    if (args.node !== undefined) requireNode(inventory, args.node);
    return args.deep === true
      ? rightSizing(call, inventory, args.node, page)
      : overview(call, inventory, args.node, args.storage);
  },
});

interface StorageForecast {
  readonly storage: Storage;
  /** Undefined: its history was not read. */
  readonly forecast: Forecast | undefined;
}

async function overview(call: Call, inventory: Inventory, onNode: string | undefined, onStorage: string | undefined) {
  const [definitions, guests, figures] = await Promise.all([
    readStorageDefinitions(call),
    guestCoverage(call),
    nodeCoverage(call, inventory),
  ]);
  const storages = mergeStorages(inventory, definitions.data).filter((s) => onNode === undefined || s.nodes.includes(onNode));
  const wanted = storages.filter((s) => onStorage === undefined || s.storage === onStorage);
  if (onStorage !== undefined && wanted.length === 0) throw unknownStorage(onStorage, storages, definitions);
  const [histories, thin] = await Promise.all([
    readStorageHistories(call, wanted, inventory),
    onStorage === undefined || wanted.some((s) => s.plugin === 'lvmthin')
      ? readThinPoolUse(call, inventory, definitions.data, onNode)
      : { data: [], ...NO_GAPS },
  ]);
  const forecasts = histories.data.map(({ storage: s, points }): StorageForecast => {
    const known = points !== undefined && s.total !== undefined;
    return { storage: s, forecast: known ? forecast(fillPoints(points), s.total) : undefined };
  });
  const all = nodeCapacities(inventory.nodes, inventory.guests);
  const down = new Map(failovers(inventory.nodes, inventory.guests, guests.coverage === 'complete').map((f) => [f.node, f]));
  const nodes = all.filter((n) => onNode === undefined || n.node === onNode);
  // A blind token sees no guest: nothing it could count is allocated.
  const blind = guests.coverage !== 'complete' && inventory.guests.length === 0;
  const running = inventory.guests.filter((g) => runsNow(g) && (onNode === undefined || g.node === onNode)).length;
  const about = onStorage === undefined;
  return {
    headline: [
      about ? headlineOf(nodes, down, forecasts, visibleWord(guests)) : storageHeadline(forecasts),
      ...tightPools(thin.data),
    ].join('; '),
    sections: {
      cluster: about && onNode === undefined ? clusterRecord(all, blind) : undefined,
      nodes: about ? nodes.map((n) => nodeRow(n, down.get(n.node), blind)) : undefined,
      storages: { rows: forecasts.filter((f) => f.storage.total !== undefined).map(storageRow), key: soonestFirst },
      thin_pools: thin.data.length === 0 ? undefined : thin.data.map(thinRow),
    },
    gaps: mergeGaps(figures, about ? guests : NO_GAPS, definitions, histories, thin, inactive(wanted)),
    notes: overviewNotes(nodes, forecasts, about ? guests : NO_GAPS, about),
    next:
      about && running > 0
        ? [`check_capacity deep=true finds guests of the wrong size, with ${counted(running, 'request')}`]
        : [],
  };
}

function unknownStorage(name: string, storages: readonly Storage[], definitions: Gaps): ApiError {
  const names = [...new Set(storages.map((s) => s.storage))];
  const near = closest(name, names);
  const unseen = definitions.coverage === 'complete' ? '' : ' among those this token sees';
  return new ApiError('not-found', `There is no storage ${JSON.stringify(name)}${unseen}.`, {
    hint: near === undefined ? `Storages: ${names.slice(0, 20).join(', ')}.` : `Did you mean ${near}?`,
  });
}

function inactive(storages: readonly Storage[]): Gaps {
  const dead = storages.filter((s) => s.state === 'inactive' && !s.content.every((c) => c === 'none'));
  return {
    problems: dead.map((s) => ({
      where: s.shared ? { storage: s.storage } : { node: s.nodes[0] ?? '', storage: s.storage },
      kind: 'unreachable' as const,
      message: 'The storage is not active, so how full it is is not known.',
    })),
    coverage: dead.length === 0 ? 'complete' : 'partial',
    hidden: [],
  };
}

function clusterRecord(nodes: readonly NodeCapacity[], blind: boolean) {
  const online = nodes.filter((n) => n.status === 'online' && n.memory !== undefined);
  const total = (pick: (n: NodeCapacity) => number | undefined): number => online.reduce((sum, n) => sum + (pick(n) ?? 0), 0);
  const memory = total((n) => n.memory);
  const cores = total((n) => n.cores);
  if (online.length === 0) return undefined;
  return {
    cores,
    vcpus_per_core: blind
      ? undefined
      : shareOf(
          total((n) => n.vcpus),
          cores,
        ),
    memory,
    mem: shareOf(
      total((n) => n.memUsed),
      memory,
    ),
    mem_allocated: blind
      ? undefined
      : shareOf(
          total((n) => n.allocated),
          memory,
        ),
  };
}

function nodeRow(n: NodeCapacity, down: Failover | undefined, blind: boolean): RowOf<typeof nodeColumns> {
  const online = n.status === 'online';
  return {
    node: n.node,
    status: n.status,
    cores: n.cores,
    cpu: n.cpu,
    vcpus: online && !blind ? n.vcpus : undefined,
    vcpus_per_core: online && !blind ? shareOf(n.vcpus, n.cores) : undefined,
    memory: n.memory,
    mem: shareOf(n.memUsed, n.memory),
    mem_allocated: online && !blind ? shareOf(n.allocated, n.memory) : undefined,
    active: online && !blind ? n.active : undefined,
    if_down: down?.verdict,
    left_out: down === undefined || down.leftOut.length === 0 ? undefined : leftOutText(down),
    quorum: down?.quorate === undefined ? undefined : down.quorate ? 'kept' : 'lost',
  };
}

function leftOutText(down: Failover): readonly string[] {
  const named = down.leftOut.slice(0, MAX_NAMED).map((g) => (g.haState === undefined ? String(g.vmid) : `${g.vmid} (HA)`));
  const rest = down.leftOut.length - named.length;
  return rest > 0 ? [...named, `${rest} more`] : named;
}

function storageRow({ storage: s, forecast: f }: StorageForecast): RowOf<typeof storageColumns> {
  return {
    storage: s.storage,
    node: s.shared ? undefined : s.nodes[0],
    plugin: s.plugin,
    used: shareOf(s.used, s.total),
    total: s.total,
    per_day: f?.perDay === undefined ? undefined : Math.round(f.perDay),
    full_in: f?.fullIn,
    trend: f?.trend,
    confidence: f?.confidence,
  };
}

/** What is full first comes first, then what is fullest. */
function soonestFirst(row: RowOf<typeof storageColumns>): readonly (string | number)[] {
  return [row.full_in ?? Number.MAX_VALUE, -(row.used ?? 0), row.storage ?? '', row.node ?? ''];
}

function thinRow(p: ThinPoolUse) {
  return {
    pool: p.name,
    node: p.node,
    storages: p.storages,
    size: p.size,
    data: shareOf(p.used, p.size),
    metadata: shareOf(p.metadataUsed, p.metadataSize),
    provisioned: p.provisioned,
    overcommit: shareOf(p.provisioned, p.size),
  };
}

/** A forecast beyond this is no news. */
const SOON_SECONDS = 90 * 86_400;

function soonest(forecasts: readonly StorageForecast[]): StorageForecast | undefined {
  return forecasts
    .filter((f) => f.forecast?.fullIn !== undefined && f.forecast.confidence !== 'low')
    .sort((a, b) => (a.forecast?.fullIn ?? 0) - (b.forecast?.fullIn ?? 0))[0];
}

function placeName(s: Storage): string {
  return s.shared ? s.storage : `${s.storage} on ${s.nodes[0]}`;
}

function headlineOf(
  nodes: readonly NodeCapacity[],
  down: ReadonlyMap<string, Failover>,
  forecasts: readonly StorageForecast[],
  visible: string,
): string {
  const online = nodes.filter((n) => n.status === 'online');
  const losses = online.flatMap((n) => down.get(n.node) ?? []);
  const bad = losses.filter((f) => f.verdict === 'does-not-fit').map((f) => f.node);
  const tight = losses.filter((f) => f.verdict === 'fits-by-use').map((f) => f.node);
  const unknown = losses.some((f) => f.verdict === 'unknown');
  const words: string[] = [];
  if (bad.length > 0) words.push(`the others can't carry the ${visible}guests of ${bad.join(', ')}`);
  if (tight.length > 0) words.push(`those of ${tight.join(', ')} fit elsewhere only at today's use`);
  if (bad.length + tight.length === 0) {
    const can = losses.some((f) => f.verdict === 'no-other-node')
      ? 'there is no other node to take over'
      : 'any one node can be lost, by memory';
    words.push(unknown ? 'whether a node can be lost is not known' : can);
  }
  if (online.length < nodes.length && losses.some((f) => f.quorate === false))
    words.push('one more node lost also loses the quorum');
  const next = soonest(forecasts);
  if (next?.forecast?.fullIn !== undefined && next.forecast.fullIn <= SOON_SECONDS)
    words.push(
      `next full: ${placeName(next.storage)} in ${formatDuration(next.forecast.fullIn)} (${next.forecast.confidence} confidence)`,
    );
  return `${online.length} of ${counted(nodes.length, 'node')} online: ${words.join('; ')}`;
}

/** From here on a thin pool is close to stopping all writes. */
const TIGHT_SHARE = 0.9;

/** Thin pools whose metadata is nearly full: no forecast and no fill of a storage shows that. */
function tightPools(pools: readonly ThinPoolUse[]): readonly string[] {
  return pools.flatMap((p) => {
    const share = shareOf(p.metadataUsed, p.metadataSize);
    return share === undefined || share < TIGHT_SHARE
      ? []
      : [`metadata of thin pool ${p.name} on ${p.node} is ${Math.round(share * 100)}% full`];
  });
}

function storageHeadline(forecasts: readonly StorageForecast[]): string {
  const words = forecasts.map(({ storage: s, forecast: f }) => {
    if (s.total === undefined) return `${placeName(s)}: not readable now (${s.state})`;
    const when =
      f?.fullIn === undefined
        ? `no date (${f?.trend ?? 'history not read'})`
        : `full in ${formatDuration(f.fullIn)} (${f.confidence} confidence)`;
    const used = shareOf(s.used, s.total);
    return `${placeName(s)}: ${used === undefined ? 'use not told' : `${Math.round(used * 100)}% used`}, ${when}`;
  });
  return words.join('; ');
}

function overviewNotes(
  nodes: readonly NodeCapacity[],
  forecasts: readonly StorageForecast[],
  guests: Gaps,
  about: boolean,
): readonly string[] {
  const notes: string[] = [];
  if (about) {
    if (nodes.length > 0)
      notes.push(
        'if_down goes by memory alone, HA guests first, the full memory of each; CPU type, local disks, passthrough, affinity and ballooning are not looked at, and only HA guests start by themselves.',
      );
    if (guests.coverage !== 'complete')
      notes.push('Only visible guests are counted: allocation is at least this, and "fits" is not claimed.');
    notes.push('QDevice votes are not counted for quorum.');
  }
  if (forecasts.some((f) => f.forecast !== undefined))
    notes.push('Forecasts: a straight line through a month; no date where it is flat, shrinks, or jumps about.');
  return notes;
}

async function rightSizing(call: Call, inventory: Inventory, onNode: string | undefined, page: PageRequest) {
  const online = new Set(onlineNodes(inventory));
  const chosen = inventory.guests.filter((g) => runsNow(g) && online.has(g.node) && (onNode === undefined || g.node === onNode));
  const from = Number(page.after?.[0] ?? 0);
  const rest = chosen.filter((g) => g.vmid > from);
  const asked = rest.slice(0, MAX_SIZED);
  const [read, guests] = await Promise.all([readGuestHistories(call, asked), guestCoverage(call)]);
  const { firstLeft } = read;
  const reached = firstLeft === undefined ? asked.at(-1)?.vmid : (asked.findLast((g) => g.vmid < firstLeft)?.vmid ?? from);
  const stopped = firstLeft !== undefined || asked.length < rest.length;
  const looked = read.histories
    .filter((s) => firstLeft === undefined || s.guest.vmid < firstLeft)
    .map(({ guest, points }) => ({
      guest,
      sizing: sizingOf({ type: guest.type, cores: guest.maxCpu, memory: guest.maxMem }, points),
    }));
  const wrong = looked.filter((s) => s.sizing.advice.length > 0);
  const young = looked.filter((s) => s.sizing.days < 3).length;
  const rows = wrong.map(
    ({ guest, sizing }): RowOf<typeof sizingColumns> => ({
      vmid: guest.vmid,
      name: guest.name,
      node: guest.node,
      cores: guest.maxCpu,
      cpu_p95: sizing.cpuTypical,
      cpu_p99: sizing.cpuMost,
      memory: guest.maxMem,
      mem_p99: sizing.memMost,
      advice: sizing.advice,
    }),
  );
  return {
    headline: `${stopped || from > 0 ? 'On this page: ' : ''}${wrong.length} of ${looked.length} ${visibleWord(guests)}running guests look the wrong size`,
    sections: {
      sizing: {
        rows,
        key: (row: RowOf<typeof sizingColumns>) => [row.vmid ?? 0],
        ...(stopped && reached !== undefined ? { unfinished: { after: [reached], why: 'one request a guest' } } : {}),
      },
    },
    gaps: mergeGaps(
      guests,
      stopped && read.gaps.problems.length === 0 ? NO_GAPS : read.gaps,
      offlineGaps(inventory, onNode === undefined ? undefined : new Set([onNode])),
    ),
    notes: [
      `${counted(rest.length, 'guest')} ${from > 0 ? 'left' : 'to look at'}, one request each, at most ${MAX_SIZED} a page. A week of half-hour averages: short peaks are not in it; a machine without ballooning driver counts its caches as used.`,
      ...(young > 0 ? [`${counted(young, 'guest')} with less than three days of measurements not judged.`] : []),
    ],
  };
}
