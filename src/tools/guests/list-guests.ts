import { z } from 'zod';
import { inOrder } from '../../answer/page.ts';
import { bytes, duration, int, list, number, percent, type SortKey, table, text } from '../../answer/spec.ts';
import { counted, shareOf } from '../../answer/units.ts';
import { byText } from '../../api/lenient.ts';
import { mergeGaps, visibleWord } from '../../api/reading.ts';
import { type Guest, guestCoverage, type Inventory, offlineGaps, readInventory } from '../../cluster/inventory.ts';
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
    const sort = args.sort ?? 'vmid';
    const listed = call.session.derive(call.session.derive(inventory, listedGuests), IN_ORDER[sort]);
    const found = Object.keys(args).every((key) => key === 'sort') ? listed : listed.filter(filterOf(args));
    const { running, unknown, unreported } = call.session.derive(found, countStates);
    const filtered = found.length === inventory.guests.length ? '' : ` of ${inventory.guests.length} match`;
    return {
      headline: `${counted(found.length, `${visibleWord(coverage)}guest`)}${filtered}: ${running} running${unknown === 0 ? '' : `, ${unknown} unknown (node offline)`}${unreported.count === 0 ? '' : `, ${unreported.count} unknown (not reported by their node)`}`,
      sections: {
        guests: {
          rows: found.map(({ row }) => row),
          key: KEYS[sort],
          ordered: true,
        },
      },
      gaps: mergeGaps(coverage, offlineGaps(inventory, downNodesOf(found, inventory))),
      notes: unreported.count === 0 ? [] : [unreportedNote(unreported.nodes)],
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

function filterOf(filters: Filters): (listed: Listed) => boolean {
  const wanted = filters.query?.toLowerCase();
  return ({ guest, words }) =>
    (filters.node === undefined || guest.node === filters.node) &&
    (filters.guest_type === undefined || guest.type === filters.guest_type) &&
    (filters.status === undefined || guest.status === filters.status) &&
    // A pool stands for those nested in it.
    (filters.pool === undefined || guest.pool === filters.pool || guest.pool?.startsWith(`${filters.pool}/`) === true) &&
    (filters.tag === undefined || guest.tags.includes(filters.tag)) &&
    (filters.template === undefined || guest.template === filters.template) &&
    (wanted === undefined || words.includes(wanted));
}

interface States {
  readonly running: number;
  /** On nodes that are not online. */
  readonly unknown: number;
  /** On nodes that are online, and have told nothing of their guests for minutes. */
  readonly unreported: { readonly count: number; readonly nodes: readonly string[] };
}

function countStates(found: readonly Listed[]): States {
  let running = 0;
  let unknown = 0;
  let count = 0;
  const nodes = new Set<string>();
  for (const { guest, nodeOnline } of found) {
    if (guest.status === 'running') running += 1;
    else if (guest.status !== 'unknown') continue;
    else if (!nodeOnline) unknown += 1;
    else {
      count += 1;
      nodes.add(guest.node);
    }
  }
  return { running, unknown, unreported: { count, nodes: [...nodes].sort(byText) } };
}

function unreportedNote(nodes: readonly string[]): string {
  const named = nodes.slice(0, 8).join(', ');
  return `${named}${nodes.length > 8 ? ', ...' : ''}: online, but no fresh report of these guests (its pvestatd may hang or have just started). get_guest_status asks the node itself.`;
}

/** Nodes that are not online and on which some of these guests are. */
function downNodesOf(found: readonly Listed[], { nodes }: Inventory): ReadonlySet<string> {
  const down = nodes.flatMap(({ node, status }) => (status === 'online' ? [] : [node]));
  return new Set(down.filter((name) => found.some(({ guest }) => guest.node === name)));
}

/** Nodes tell uptimes every ten seconds or so: to the minute, a start is nearly always the same from one read to the next. */
const STEADY_S = 60;

type Row = ReturnType<typeof toRow>;

interface Listed {
  readonly guest: Guest;
  readonly nodeOnline: boolean;
  readonly row: Row;
  /** What a query looks in, lower case, a line each. */
  readonly words: string;
}

/** Made once for all calls that share an inventory: at thousands of guests it is most of a call's work. */
function listedGuests({ guests, nodes, readAt }: Inventory): readonly Listed[] {
  const online = new Set(nodes.filter((n) => n.status === 'online').map((n) => n.node));
  return guests.map((guest) => ({
    guest,
    nodeOnline: online.has(guest.node),
    row: toRow(guest, readAt),
    words: [guest.name ?? '', guest.vmid, ...guest.tags].join('\n').toLowerCase(),
  }));
}

function toRow(g: Guest, readAt: number) {
  return {
    vmid: g.vmid,
    type: g.type,
    name: g.name,
    node: g.node,
    status: g.status,
    cpu: g.cpu,
    cores: g.maxCpu,
    mem: shareOf(g.mem, g.maxMem),
    memory: g.maxMem,
    disk: g.maxDisk === 0 ? undefined : g.maxDisk,
    uptime: g.uptime,
    started: g.uptime === undefined ? undefined : Math.round((readAt - g.uptime) / STEADY_S),
    pool: g.pool,
    tags: g.tags.length === 0 ? undefined : g.tags,
    ha: g.haState,
    lock: g.lock,
    template: g.template ? 'template' : undefined,
  };
}

/** Names upwards, figures downwards; guests without the figure come last. Always ends with the vmid. */
const KEYS = {
  vmid: (row) => [row.vmid],
  name: (row) => [row.name ?? '\uffff', row.vmid],
  cpu: (row) => [-(row.cpu ?? -1), row.vmid],
  mem: (row) => [-(row.mem ?? -1), row.vmid],
  // An uptime grows from page to page; when it began does not.
  uptime: (row) => [row.started ?? Number.MAX_SAFE_INTEGER, row.vmid],
} satisfies Record<(typeof SORTS)[number], (row: Row) => SortKey>;

/** One function for each, by which the session knows what it has sorted already. */
const IN_ORDER = {
  vmid: (all) => inOrder(all, ({ row }) => KEYS.vmid(row)),
  name: (all) => inOrder(all, ({ row }) => KEYS.name(row)),
  cpu: (all) => inOrder(all, ({ row }) => KEYS.cpu(row)),
  mem: (all) => inOrder(all, ({ row }) => KEYS.mem(row)),
  uptime: (all) => inOrder(all, ({ row }) => KEYS.uptime(row)),
} satisfies Record<(typeof SORTS)[number], (all: readonly Listed[]) => readonly Listed[]>;
