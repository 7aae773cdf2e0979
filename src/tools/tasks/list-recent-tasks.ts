import { z } from 'zod';
import { duration, type SortKey, table, text, time } from '../../answer/spec.ts';
import { counted } from '../../answer/units.ts';
import { ApiError } from '../../api/errors.ts';
import { type Gaps, visibleWord } from '../../api/reading.ts';
import { type Inventory, readInventory } from '../../cluster/inventory.ts';
import { errorOf } from '../../cluster/problem-error.ts';
import { requireOnlineNode } from '../../cluster/resolve.ts';
import { readTasks, type Task, type TaskState, taskVmid } from '../../cluster/tasks.ts';
import { defineTool } from '../define-tool.ts';
import { node, since, until, vmid } from '../params.ts';
import { RIGHTS_READS } from '../rights-reads.ts';
import { parseTimeParam } from '../time-param.ts';

/** Rows from each node when the caller names no number. */
const DEFAULT_ROWS = 50;
const STATES = ['running', 'ok', 'warning', 'failed', 'unknown', 'problem'] as const;

export const listRecentTasks = defineTool({
  name: 'list_recent_tasks',
  title: 'List recent tasks',
  toolset: 'tasks',
  description: 'Tasks of all nodes, newest first, running ones too. state=problem: failed or unknown end. get_task tells why.',
  params: {
    node: node.optional(),
    state: z.enum(STATES).optional(),
    type: z.string().max(40).describe('vzdump, qmigrate, ...').optional(),
    user: z.string().max(80).optional(),
    vmid: vmid.optional(),
    since: since.optional(),
    until: until.optional(),
  },
  paged: true,
  output: {
    tasks: table({
      start: time(),
      took: duration(),
      node: text(),
      type: text(),
      id: text('what it worked on, a vmid for guest tasks'),
      guest: text(),
      user: text(),
      state: text(),
      status: text('only when it is not OK'),
      upid: text(),
    }),
  },
  reads: ['/cluster/resources', '/nodes/{node}/tasks', ...RIGHTS_READS],
  async run(args, call, page) {
    const inventory = await readInventory(call);
    if (args.node !== undefined) requireOnlineNode(inventory, args.node);
    const rows = page.limit ?? DEFAULT_ROWS;
    const from = args.since === undefined ? undefined : parseTimeParam('since', args.since, page.asked);
    const to = args.until === undefined ? undefined : parseTimeParam('until', args.until, page.asked);
    if (from !== undefined && to !== undefined && from >= to)
      throw new ApiError('bad-argument', 'since is not before until, so no task can match.', {
        hint: 'since is the earlier one: since=48h until=24h.',
      });
    const reading = await readTasks(call, inventory, {
      node: args.node,
      states: statesOf(args.state),
      type: args.type,
      user: args.user,
      vmid: args.vmid,
      since: from,
      until: continueAt(to, page.after),
      // One more than is shown tells whether there is more. Never few: a page goes on at a second, and must get past all that
      // began in it.
      perNode: Math.max(rows, DEFAULT_ROWS) + 1,
    });
    const { tasks, answered, more } = reading.data;
    if (answered === 0) throw noneAnswered(reading, inventory);
    const last = tasks.at(-1);
    const names = new Map(inventory.guests.map((g) => [g.vmid, g.name]));
    return {
      headline: `${counted(tasks.length, `${visibleWord(reading)}task`)}${reading.problems.length === 0 ? '' : ' on the nodes that answered'}${args.state === undefined ? '' : ` in state ${args.state}`}${summary(tasks)}`,
      sections: {
        tasks: {
          rows: tasks.map((t) => ({
            start: t.start,
            took: t.end === undefined || t.start === undefined ? undefined : t.end - t.start,
            node: t.node,
            type: t.type,
            id: t.id,
            guest: names.get(taskVmid(t) ?? -1),
            user: t.user,
            state: t.state,
            status: t.state === 'ok' || t.state === 'running' ? undefined : t.status,
            upid: t.upid,
          })),
          key: sortKey,
          unfinished: more && last !== undefined ? { after: sortKey(last), why: 'older tasks follow' } : undefined,
        },
      },
      gaps: reading,
      notes: from === undefined ? ['Nodes keep only their last one to two thousand tasks.'] : [],
    };
  },
});

/** Of no node a list of no tasks would read as if there were none. */
function noneAnswered({ problems, why }: Gaps, { nodes }: Inventory): ApiError {
  const told = problems.find((p) => nodes.some((n) => n.status === 'online' && n.node === p.where.node)) ?? problems[0];
  if (told !== undefined)
    return errorOf(told, told.where.node === undefined ? undefined : `The tasks of ${told.where.node} can't be read`);
  return new ApiError('timeout', `No node told its tasks${why === undefined ? '' : `: ${why}`}.`);
}

function sortKey(row: { readonly start?: number | null | undefined; readonly upid?: string | null | undefined }): SortKey {
  return [-(row.start ?? 0), row.upid ?? ''];
}

function statesOf(state: (typeof STATES)[number] | undefined): readonly TaskState[] | undefined {
  if (state === undefined) return undefined;
  return state === 'problem' ? ['failed', 'unknown'] : [state];
}

/** The next page starts where the last one ended; the API's `until` compares start times as the order does. */
function continueAt(until: number | undefined, after: SortKey | undefined): number | undefined {
  const start = after?.[0];
  if (typeof start !== 'number' || start === 0) return until;
  return Math.min(until ?? Number.MAX_SAFE_INTEGER, -start);
}

function summary(tasks: readonly Task[]): string {
  const count = (state: TaskState): number => tasks.filter((t) => t.state === state).length;
  const parts = (['running', 'failed', 'warning', 'unknown'] as const).flatMap((s) =>
    count(s) === 0 ? [] : [`${count(s)} ${s}`],
  );
  return parts.length === 0 ? '' : `: ${parts.join(', ')}`;
}
