import { z } from 'zod';
import { int, table, text, time } from '../../answer/spec.ts';
import { counted, formatDuration, isoTime } from '../../answer/units.ts';
import { ApiError } from '../../api/errors.ts';
import { mergeGaps, visibleWord } from '../../api/reading.ts';
import { offlineGaps, readInventory } from '../../cluster/inventory.ts';
import { requireNode, resolveGuest } from '../../cluster/resolve.ts';
import { readTimelineSources, type TimelineSources } from '../../cluster/timeline-sources.ts';
import {
  bootEvents,
  EVENT_SOURCES,
  GRADES,
  type Grade,
  haEvents,
  haNow,
  logEvents,
  mergeEvents,
  metricEvents,
  replicationEvents,
  type TimelineEvent,
  taskEvents,
} from '../../insights/timeline.ts';
import { defineTool } from '../define-tool.ts';
import { node, since, until, vmid } from '../params.ts';
import { RIGHTS_READS } from '../rights-reads.ts';
import { parseTimeParam } from '../time-param.ts';

const DEFAULT_SPAN = '6h';
const DAY_S = 86_400;

export const getIncidentTimeline = defineTool({
  name: 'get_incident_timeline',
  title: 'Timeline of an incident',
  toolset: 'logs',
  description:
    'What happened, in order: tasks, cluster log, starts of nodes and guests, silent HA managers, failed replication, jumps and holes in measurements. Oldest first.',
  params: {
    since: since.describe(`ISO time or age; default ${DEFAULT_SPAN}`).optional(),
    until: until.optional(),
    node: node.optional(),
    vmid: vmid.optional(),
    severity: z.enum(GRADES).describe('The least grave to show').optional(),
  },
  paged: true,
  output: {
    events: table({
      time: time(),
      severity: text(GRADES.join(', ')),
      source: text(EVENT_SOURCES.join(', ')),
      node: text(),
      vmid: int(),
      what: text(),
    }),
  },
  reads: [
    '/version',
    '/cluster/resources',
    '/cluster/nextid',
    '/cluster/log',
    '/cluster/ha/status/current',
    '/cluster/replication',
    '/cluster/jobs/schedule-analyze',
    '/nodes/{node}/replication',
    '/nodes/{node}/tasks',
    '/nodes/{node}/rrddata',
    '/nodes/{node}/qemu/{vmid}/rrddata',
    '/nodes/{node}/lxc/{vmid}/rrddata',
    ...RIGHTS_READS,
  ],
  async run(args, call, { asked }) {
    const from = parseTimeParam('since', args.since ?? DEFAULT_SPAN, asked);
    const until = args.until === undefined ? undefined : parseTimeParam('until', args.until, asked);
    if (from >= (until ?? asked)) throw new ApiError('bad-argument', 'since is not before until.');
    const inventory = await readInventory(call);
    // The newest moment of a cluster whose clock is ahead of ours is in our future.
    const to = until ?? Math.ceil(asked + Math.max(0, inventory.clockAhead));
    if (args.node !== undefined) requireNode(inventory, args.node);
    const guest = args.vmid === undefined ? undefined : (await resolveGuest(call, { vmid: args.vmid })).guest;
    const { data, ...gaps } = await readTimelineSources(call, inventory, { from, to, node: args.node, guest });
    const here = (e: TimelineEvent): boolean =>
      (args.node === undefined || e.node === args.node) && (guest === undefined || e.vmid === guest.vmid || e.node === undefined);
    const nodes = guest === undefined ? inventory.nodes : [];
    const guests = guest === undefined ? inventory.guests : [guest];
    const all = mergeEvents(
      { from, to },
      taskEvents(data.tasks ?? [], { from, to }),
      logEvents(data.log ?? []),
      bootEvents(nodes, guests, inventory.readAt),
      data.ha === undefined ? [] : haEvents(data.ha, inventory.nodes, call.now() / 1000),
      replicationEvents(data.replication ?? []),
      ...data.metrics.map((m) => metricEvents(m.points, m, { from, to })),
    ).filter(here);
    const least: Grade = args.severity ?? 'info';
    const events = all.filter((e) => GRADES.indexOf(e.grade) <= GRADES.indexOf(least));
    const rows = events.map((e) => ({
      time: e.time,
      severity: e.grade,
      source: e.source,
      node: e.node,
      vmid: e.vmid,
      what: e.what,
    }));
    return {
      headline: headline(all, from, to, visibleWord(gaps), gaps.problems.length > 0),
      sections: { events: { rows, key: (row) => [row.time ?? 0, rankOf(row.source), row.node ?? '', row.what ?? ''] } },
      gaps: mergeGaps(gaps, offlineGaps(inventory, guest === undefined ? undefined : new Set([guest.node]))),
      notes: notesOf(data, guest?.vmid),
    };
  },
});

/** The order of events of the same moment. */
function rankOf(source: string | null | undefined): number {
  return EVENT_SOURCES.indexOf(EVENT_SOURCES.find((s) => s === source) ?? 'log');
}

function headline(events: readonly TimelineEvent[], from: number, to: number, visible: string, lacking: boolean): string {
  const count = (grade: Grade): number => events.filter((e) => e.grade === grade).length;
  const span = `${(isoTime(from) ?? '').slice(0, 16)}Z to ${(isoTime(to) ?? '').slice(0, 16)}Z (${formatDuration(to - from)})`;
  const first = events.find((e) => e.grade === 'error');
  const begin =
    first === undefined
      ? ''
      : `; first error ${(isoTime(first.time) ?? '').slice(to - from > DAY_S ? 0 : 11, 16)}Z: ${first.what}`;
  return `${counted(events.length, `${visible}event`)} from ${span}${lacking ? ', of what could be read' : ''}: ${counted(count('error'), 'error')}, ${counted(count('warning'), 'warning')}${begin}`;
}

function notesOf(data: TimelineSources, vmid: number | undefined): readonly string[] {
  const troubled = data.ha === undefined ? [] : haNow(data.ha, vmid);
  return [
    ...(troubled.length > 0 ? [`HA keeps no history; as of now: ${troubled.slice(0, 8).join(', ')}.`] : []),
    ...(data.moreTasks ? ['Nodes hold more tasks of this span than were read: a shorter span shows them all.'] : []),
    ...(vmid === undefined
      ? ['Only the newest start of a node or guest is known, and the newest try of a replication. get_node_log has the journal.']
      : [
          'Backups of several guests are tasks of no guest: list_recent_tasks type=vzdump has them. The cluster log names no guests and is left out: without vmid it is in.',
        ]),
  ];
}
