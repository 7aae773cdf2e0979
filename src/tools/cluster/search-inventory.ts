import { z } from 'zod';
import { list, type SortKey, table, text } from '../../answer/spec.ts';
import { mergeGaps, NO_GAPS, visibleWord } from '../../api/reading.ts';
import { readableGuests, scanGuestConfigs } from '../../cluster/config-scan.ts';
import {
  type Guest,
  guestCoverage,
  type Inventory,
  offlineGaps,
  readInventory,
  storageCoverage,
} from '../../cluster/inventory.ts';
import { type Finding, parseSearch, type Search, searchConfig, searchInventory } from '../../cluster/inventory-search.ts';
import { defineTool, type PageRequest } from '../define-tool.ts';
import { query } from '../params.ts';

export const searchInventoryTool = defineTool({
  name: 'search_inventory',
  title: 'Search',
  toolset: 'cluster',
  description:
    'Finds guests, nodes, storages, pools, SDN zones by part of name, vmid, tag. deep=true searches guest configurations too (MAC, static IP, volume, notes): one request a guest.',
  params: {
    query: query.describe('Text, IP, MAC, volume'),
    deep: z.boolean().optional(),
  },
  paged: true,
  output: {
    found: table({
      kind: text(),
      id: text(),
      name: text(),
      node: text(),
      status: text(),
      pool: text(),
      tags: list(),
      match: list('what matched'),
    }),
  },
  reads: [
    '/cluster/resources',
    '/nodes/{node}/qemu/{vmid}/config',
    '/nodes/{node}/lxc/{vmid}/config',
    '/access/permissions',
    '/access/acl',
    '/access/roles',
    '/access/users/{userid}',
  ],
  async run(args, call, page) {
    const search = parseSearch(args.query);
    const [inventory, guests, storages] = await Promise.all([readInventory(call), guestCoverage(call), storageCoverage(call)]);
    const found = searchInventory(inventory, search);
    const readable = readableGuests(inventory);
    const rest = args.deep === true ? guestsAfter(readable, page) : [];
    const scan = args.deep === true ? await scanGuestConfigs(call, rest) : undefined;
    const deep = scan?.configs.flatMap(({ guest, config }) => deepFinding(guest, searchConfig(config, search)) ?? []) ?? [];
    const offline = new Set(inventory.nodes.filter((n) => n.status !== 'online').map((n) => n.node));
    const rows = [
      ...found.map((f) => ({ stage: 0 as const, finding: f })),
      ...deep.map((f) => ({ stage: 1 as const, finding: f })),
    ];
    const keys = new Map<object, SortKey>();
    const shown = rows.map(({ stage, finding }) => {
      const row = toRow(finding);
      keys.set(row, keyOf(stage, finding));
      return row;
    });
    return {
      headline: `${rows.length} ${visibleWord(mergeGaps(guests, storages))}things found for ${JSON.stringify(args.query)}${scan === undefined ? '' : ` (with ${scan.configs.length} guest configurations read)`}`,
      sections: {
        found: {
          rows: shown,
          key: (row) => keys.get(row) ?? [9],
          unfinished:
            scan?.stoppedAfter === undefined
              ? undefined
              : { after: [1, scan.stoppedAfter], why: 'time ran out before every guest configuration was read' },
        },
      },
      gaps: mergeGaps(
        guests,
        storages,
        // Names and states of offline guests are missing, and their configurations can't be read.
        inventory.guests.some((g) => offline.has(g.node)) ? offlineGaps(inventory) : NO_GAPS,
        scan?.gaps ?? NO_GAPS,
      ),
      notes: args.deep === true ? [] : plainNotes(search, rows.length),
      next: args.deep === true ? [] : deepHint(args.query, search, rows.length, readable, inventory),
    };
  },
});

/** Where a cursor stands in the second stage, guests before it have been looked at. */
function guestsAfter(guests: readonly Guest[], { after }: PageRequest): readonly Guest[] {
  const [stage, vmid] = after ?? [];
  return stage === 1 && typeof vmid === 'number' ? guests.filter((g) => g.vmid > vmid) : guests;
}

/** The inventory's findings first, the best ones before all; then those in configurations, in the order of the scan. */
function keyOf(stage: 0 | 1, f: Finding): readonly (string | number)[] {
  return stage === 0 ? [0, f.rank, KINDS.indexOf(f.kind), f.kind === 'guest' ? Number(f.id) : f.id] : [1, Number(f.id)];
}

const KINDS: readonly Finding['kind'][] = ['guest', 'node', 'storage', 'pool', 'network'];

function deepFinding(guest: Guest, match: readonly string[]): Finding | undefined {
  if (match.length === 0) return undefined;
  const { name, node, status, pool, tags } = guest;
  return { kind: 'guest', id: String(guest.vmid), name, node, status, pool, tags, match, rank: 2 };
}

function toRow(f: Finding) {
  return {
    kind: f.kind,
    id: f.id,
    name: f.name,
    node: f.node,
    status: f.status,
    pool: f.pool,
    tags: f.tags.length === 0 ? undefined : f.tags,
    match: f.match,
  };
}

function plainNotes(search: Search, count: number): readonly string[] {
  if (count > 0 && !search.inConfigs) return [];
  return ['Only names, vmids, tags and pools were searched; addresses, volumes and notes stand in the guest configurations.'];
}

/** What the deep search would cost, so that nobody pays unknowingly. */
function deepHint(
  query: string,
  search: Search,
  count: number,
  readable: readonly Guest[],
  inventory: Inventory,
): readonly string[] {
  if ((count > 0 && !search.inConfigs) || inventory.guests.length === 0) return [];
  return [`search_inventory query=${JSON.stringify(query)} deep=true (reads ${readable.length} guest configurations)`];
}
