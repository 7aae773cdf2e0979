import { z } from 'zod';
import { bool, bytes, int, list, number, percent, record, table, text, time } from '../../answer/spec.ts';
import type { Call } from '../../api/call.ts';
import { ApiError } from '../../api/errors.ts';
import { NO_GAPS, type Reading } from '../../api/reading.ts';
import { type CephOsd, readCephOsds } from '../../cluster/ceph.ts';
import { type CephOsdDetail, readCephOsdDetail } from '../../cluster/ceph-details.ts';
import { type Inventory, offlineGaps, onlineNodes, readInventory } from '../../cluster/inventory.ts';
import { requireNode } from '../../cluster/resolve.ts';
import { defineTool } from '../define-tool.ts';
import { node } from '../params.ts';
import { absentAnswer } from './ceph-words.ts';

/** Ceph's own defaults for "near full" and "full"; a cluster may have set others. */
const NEAR_FULL = 0.85;
const FULL = 0.95;

export const listCephOsds = defineTool({
  name: 'list_ceph_osds',
  title: 'List Ceph OSDs',
  toolset: 'ceph',
  description:
    'Ceph OSDs with host, state, weight, fill level, latency and version; those that are down, out or nearly full first.',
  params: {
    node: node.describe('OSDs of this host only').optional(),
    osd: z.number().int().min(0).max(999_999).describe('Only this one, with its devices').optional(),
  },
  paged: true,
  output: {
    osds: table({
      osd: text(),
      host: text(),
      class: text(),
      status: text('up or down, in or out'),
      problem: text(),
      full: percent(),
      size: bytes(),
      used: bytes(),
      weight: number('by capacity'),
      reweight: number('1 is its full share'),
      groups: int(),
      apply_ms: number(),
      commit_ms: number(),
      version: text(),
    }),
    detail: record({
      devices: list(),
      volume: text('volume group/logical volume'),
      created: time(),
      encrypted: bool(),
      store: text(),
      memory: bytes('that the daemon uses'),
      front: text('address'),
      back: text('address'),
      version: text(),
    }),
  },
  reads: [
    '/cluster/resources',
    '/nodes/{node}/ceph/osd',
    '/nodes/{node}/ceph/osd/{osdid}/metadata',
    '/nodes/{node}/ceph/osd/{osdid}/lv-info',
  ],
  async run(args, call) {
    const inventory = await readInventory(call);
    if (args.node !== undefined) requireNode(inventory, args.node);
    const online = onlineNodes(inventory);
    // The host itself knows for certain, if it is up; every other node has the same tree.
    const asked =
      args.node === undefined ? online : [...online.filter((n) => n === args.node), ...online.filter((n) => n !== args.node)];
    const reading = await readCephOsds(call, asked);
    if (reading.state === 'absent') return absentAnswer(reading, inventory);
    const { osds, flags } = reading.data;
    const chosen = osds.filter(
      (osd) => (args.node === undefined || osd.host === args.node) && (args.osd === undefined || osd.id === args.osd),
    );
    if (args.osd !== undefined && chosen.length === 0) throw noSuchOsd(args.osd, osds);
    const detail = args.osd === undefined ? undefined : await readDetail(call, chosen[0], inventory);
    const rows = chosen.map(toRow);
    const set = flags.filter((flag) => /^(?:no|pause)/.test(flag));
    return {
      headline: headline(rows, osds.length, args.node),
      sections: { osds: { rows, key: (row: OsdRow) => [row.rank, Number(row.osd.slice(4))] }, detail: detail?.data },
      gaps: detail ?? NO_GAPS,
      notes: [
        ...reading.notes,
        ...(set.length === 0 ? [] : [`Flags set: ${set.join(', ')}.`]),
        ...(rows.some((row) => row.problem?.includes('full') === true)
          ? [`Near full is meant by Ceph's defaults (${NEAR_FULL * 100}%, full ${FULL * 100}%).`]
          : []),
      ],
    };
  },
});

/** Only the host of an OSD knows its devices. */
async function readDetail(
  call: Call,
  osd: CephOsd | undefined,
  inventory: Inventory,
): Promise<Reading<CephOsdDetail | undefined> | undefined> {
  const host = inventory.nodes.find((n) => n.node === osd?.host);
  if (osd === undefined || host === undefined) return undefined;
  if (host.status !== 'online') return { data: undefined, ...offlineGaps(inventory, new Set([host.node])) };
  return readCephOsdDetail(call, host.node, osd.id);
}

function noSuchOsd(id: number, osds: readonly CephOsd[]): ApiError {
  return new ApiError('not-found', `There is no osd.${id} here.`, {
    hint:
      osds.length === 0
        ? undefined
        : `OSDs: ${osds
            .slice(0, 20)
            .map((osd) => osd.id)
            .join(', ')}${osds.length > 20 ? ', ...' : ''}.`,
  });
}

type OsdRow = ReturnType<typeof toRow>;

function toRow(osd: CephOsd) {
  const problem = problemOf(osd);
  return {
    osd: `osd.${osd.id}`,
    host: osd.host,
    class: osd.deviceClass,
    status: [osd.up === undefined ? undefined : osd.up ? 'up' : 'down', osd.in === undefined ? undefined : osd.in ? 'in' : 'out']
      .filter((word) => word !== undefined)
      .join(', '),
    problem,
    full: osd.usedShare,
    size: osd.size,
    used: osd.used,
    weight: osd.weight,
    reweight: osd.reweight,
    groups: osd.groups,
    apply_ms: osd.applyLatency,
    commit_ms: osd.commitLatency,
    version: osd.version,
    rank: osd.up === false ? 0 : osd.in === false ? 1 : problem !== undefined ? 2 : 3,
  };
}

function problemOf(osd: CephOsd): string | undefined {
  const found: string[] = [];
  if (osd.up === false) found.push(osd.in === false ? 'down and out' : 'down');
  else if (osd.in === false) found.push('out: holds no data');
  if (osd.usedShare !== undefined && osd.usedShare >= FULL) found.push('full');
  else if (osd.usedShare !== undefined && osd.usedShare >= NEAR_FULL) found.push('near full');
  return found.length === 0 ? undefined : found.join(', ');
}

function headline(rows: readonly OsdRow[], all: number, host: string | undefined): string {
  const where = host === undefined ? '' : ` on ${host} (${all} in the cluster)`;
  if (rows.length === 0) return `No OSDs${where}`;
  const count = (test: (row: OsdRow) => boolean) => rows.filter(test).length;
  const down = count((r) => r.rank === 0);
  const out = count((r) => r.status.includes('out'));
  const full = count((r) => r.problem?.includes('full') === true);
  return `${rows.length} ${rows.length === 1 ? 'OSD' : 'OSDs'}${where}: ${down} down, ${out} out, ${full} near full`;
}
