import { z } from 'zod';
import { bytes, duration, int, list, number, percent, table, text } from '../../answer/spec.ts';
import { mergeGaps, visibleWord } from '../../api/reading.ts';
import { type Guest, guestCoverage, offlineGaps, readInventory } from '../../cluster/inventory.ts';
import { requireNode } from '../../cluster/resolve.ts';
import { defineTool } from '../define-tool.ts';
import { guestType, node, query } from '../params.ts';
import { RIGHTS_READS } from '../rights-reads.ts';

const SORTS = ['vmid', 'name', 'cpu', 'mem', 'uptime'] as const;

export const listGuests = defineTool({
  name: 'list_guests',
  title: 'List guests',
  toolset: 'guests',
  description: 'Virtual machines and containers with state, node and load; one request at any cluster size. Filters combine.',
  params: {
    node: node.optional(),
    guest_type: guestType.optional(),
    status: z.string().max(20).describe('running, stopped, ...').optional(),
    pool: z.string().max(100).optional(),
    tag: z.string().max(60).optional(),
    template: z.boolean().optional(),
    query: query.describe('Part of name, vmid or tag').optional(),
    sort: z.enum(SORTS).optional(),
  },
  paged: true,
  output: {
    guests: table({
      vmid: int(),
      type: text(),
      name: text(),
      node: text(),
      status: text('unknown while the node is offline'),
      cpu: percent('of its own cores'),
      cores: number(),
      mem: percent('of its own memory'),
      memory: bytes(),
      disk: bytes('boot disk or root file system, size'),
      uptime: duration(),
      pool: text(),
      tags: list(),
      ha: text(),
      lock: text(),
      template: text(),
    }),
  },
  reads: ['/cluster/resources', ...RIGHTS_READS],
  async run(args, call) {
    const [inventory, coverage] = await Promise.all([readInventory(call), guestCoverage(call)]);
    if (args.node !== undefined) requireNode(inventory, args.node);
    const found = inventory.guests.filter((g) => matches(g, args));
    const running = found.filter((g) => g.status === 'running').length;
    const unknown = found.filter((g) => g.status === 'unknown').length;
    const filtered = found.length === inventory.guests.length ? '' : ` of ${inventory.guests.length} match`;
    return {
      headline: `${found.length} ${visibleWord(coverage)}guests${filtered}: ${running} running${unknown === 0 ? '' : `, ${unknown} unknown (node offline)`}`,
      sections: { guests: { rows: found.map(toRow), key: sortKey(args.sort) } },
      gaps: mergeGaps(coverage, offlineGaps(inventory, new Set(found.map((g) => g.node)))),
    };
  },
});

interface Filters {
  readonly node?: string | undefined;
  readonly guest_type?: string | undefined;
  readonly status?: string | undefined;
  readonly pool?: string | undefined;
  readonly tag?: string | undefined;
  readonly template?: boolean | undefined;
  readonly query?: string | undefined;
}

function matches(guest: Guest, filters: Filters): boolean {
  const wanted = filters.query?.toLowerCase();
  return (
    (filters.node === undefined || guest.node === filters.node) &&
    (filters.guest_type === undefined || guest.type === filters.guest_type) &&
    (filters.status === undefined || guest.status === filters.status) &&
    // A pool stands for those nested in it.
    (filters.pool === undefined || guest.pool === filters.pool || guest.pool?.startsWith(`${filters.pool}/`) === true) &&
    (filters.tag === undefined || guest.tags.includes(filters.tag)) &&
    (filters.template === undefined || guest.template === filters.template) &&
    (wanted === undefined || [guest.name ?? '', String(guest.vmid), ...guest.tags].some((t) => t.toLowerCase().includes(wanted)))
  );
}

function toRow(g: Guest) {
  return {
    vmid: g.vmid,
    type: g.type,
    name: g.name,
    node: g.node,
    status: g.status,
    cpu: g.cpu,
    cores: g.maxCpu,
    mem: g.mem === undefined || g.maxMem === undefined || g.maxMem === 0 ? undefined : g.mem / g.maxMem,
    memory: g.maxMem,
    disk: g.maxDisk === 0 ? undefined : g.maxDisk,
    uptime: g.uptime,
    pool: g.pool,
    tags: g.tags.length === 0 ? undefined : g.tags,
    ha: g.haState,
    lock: g.lock,
    template: g.template ? 'template' : undefined,
  };
}

/** Names upwards, figures downwards; guests without the figure come last. Always ends with the vmid. */
function sortKey(sort: (typeof SORTS)[number] | undefined) {
  return (row: ReturnType<typeof toRow>): readonly (string | number)[] => {
    if (sort === 'name') return [row.name ?? '\uffff', row.vmid];
    if (sort === 'cpu' || sort === 'mem' || sort === 'uptime') return [-(row[sort] ?? -1), row.vmid];
    return [row.vmid];
  };
}
