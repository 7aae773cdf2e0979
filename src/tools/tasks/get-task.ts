import { z } from 'zod';
import { duration, int, list, prose, record, table, text, time } from '../../answer/spec.ts';
import type { Call } from '../../api/call.ts';
import { ApiError, toApiError } from '../../api/errors.ts';
import { attempt, mergeGaps, type Reading } from '../../api/reading.ts';
import { checkSegment } from '../../api/segments.ts';
import { type Inventory, readInventory } from '../../cluster/inventory.ts';
import { requireOnlineNode } from '../../cluster/resolve.ts';
import {
  readTaskLogForSearch,
  readTaskLogHead,
  readTaskLogTail,
  readTaskStatus,
  type TaskLog,
  type TaskStatus,
} from '../../cluster/task-log.ts';
import { parseUpid } from '../../cluster/tasks.ts';
import { explainFailure, type GuestOutcome } from '../../insights/task-failure.ts';
import { defineTool } from '../define-tool.ts';
import { upid } from '../params.ts';

const DEFAULT_LINES = 30;

export const getTask = defineTool({
  name: 'get_task',
  title: 'Task: state, log, reason',
  toolset: 'tasks',
  description:
    'State and newest log lines of one task; of a failed one the lines that say why, known causes and the state of what it touched.',
  params: {
    upid,
    log: z.enum(['tail', 'head', 'none']).describe('Default tail').optional(),
    lines: z.number().int().min(1).max(500).optional(),
    grep: z.string().min(1).max(100).describe('Only lines with this text').optional(),
  },
  output: {
    task: record({
      upid: text(),
      node: text(),
      type: text(),
      id: text(),
      user: text(),
      state: text(),
      exit_status: text(),
      started: time(),
      running_for: duration(),
    }),
    why: record({ causes: list('what the log text fits; a hint, not a proof') }),
    guests: table({ vmid: int(), name: text(), result: text(), why: text() }, 'outcome of each guest in a backup task'),
    touched: table({ what: text(), state: text() }),
    relevant: prose('lines that speak of the failure'),
    log: prose(),
  },
  reads: ['/cluster/resources', '/nodes/{node}/tasks/{upid}/status', '/nodes/{node}/tasks/{upid}/log'],
  async run(args, call) {
    checkSegment('upid', args.upid);
    const parts = parseUpid(args.upid);
    if (parts === undefined)
      throw new ApiError('bad-argument', 'upid: not a task id.', { hint: 'list_recent_tasks shows them.' });
    const inventory = await readInventory(call);
    const node = requireOnlineNode(inventory, parts.node);
    const where = { node };
    const status = await statusOf(call, node, args.upid);
    const failed = status.state === 'failed' || status.state === 'unknown';
    const backup = parts.type === 'vzdump';
    const whole =
      failed || backup || args.grep !== undefined
        ? await attempt(where, () => readTaskLogForSearch(call, node, args.upid))
        : undefined;
    const wanted = args.lines ?? DEFAULT_LINES;
    // A failed task's telling lines are picked out; its end is shown only when it was asked for.
    const quiet = failed && args.log === undefined && args.lines === undefined && whole?.data !== undefined;
    const shown = await part(call, node, quiet ? { ...args, log: 'none' } : args, wanted, whole);
    const reading = whole?.data === undefined ? undefined : explainFailure(whole.data.lines, status.exitStatus);
    const matching =
      args.grep === undefined
        ? undefined
        : whole?.data?.lines.filter((l) => l.text.toLowerCase().includes(args.grep?.toLowerCase() ?? ''));
    const lines = matching === undefined ? shown?.data?.lines : matching.slice(-wanted);
    const total = whole?.data?.total ?? shown?.data?.total;
    return {
      headline: headline(parts, status, total),
      sections: {
        task: {
          upid: args.upid,
          node,
          type: parts.type,
          id: parts.id === '' ? undefined : parts.id,
          user: parts.user,
          state: status.state,
          exit_status: status.exitStatus,
          started: status.start ?? parts.start,
          running_for: status.state === 'running' ? call.now() / 1000 - (status.start ?? parts.start) : undefined,
        },
        why: failed && reading !== undefined && reading.causes.length > 0 ? { causes: reading.causes } : undefined,
        guests:
          reading === undefined || reading.guests.length === 0
            ? undefined
            : reading.guests.map((g) => ({ ...g, name: inventory.guests.find((x) => x.vmid === g.vmid)?.name })),
        touched: failed
          ? touched(parts, whole?.data?.lines.map((l) => l.text).join('\n') ?? '', reading?.guests ?? [], inventory)
          : undefined,
        relevant: failed && reading !== undefined ? numbered(reading.relevant) : undefined,
        log: lines === undefined || lines.length === 0 ? undefined : numbered(lines),
      },
      gaps: mergeGaps(...[whole, shown].filter((r) => r !== undefined)),
      notes: [
        ...notesFor(args.grep, matching?.length, wanted, whole, shown),
        ...(quiet ? ['log=tail shows the end of the log.'] : []),
      ],
    };
  },
});

/** A node answers the same for a task that never was and for one whose log it has deleted. */
async function statusOf(call: Call, node: string, upid: string): Promise<TaskStatus> {
  try {
    return await readTaskStatus(call, node, upid);
  } catch (thrown) {
    const error = toApiError(thrown);
    if (error.kind !== 'not-found') throw error;
    throw new ApiError('not-found', `Node ${node} has no such task, or no longer its log.`, {
      hint: 'list_recent_tasks shows which tasks there are, and how those ended whose log is gone.',
    });
  }
}

interface LogWish {
  readonly upid: string;
  readonly log?: 'tail' | 'head' | 'none' | undefined;
  readonly grep?: string | undefined;
}

async function part(
  call: Call,
  node: string,
  args: LogWish,
  lines: number,
  whole: Reading<TaskLog | undefined> | undefined,
): Promise<Reading<TaskLog | undefined> | undefined> {
  if (args.log === 'none' || args.grep !== undefined) return undefined;
  // What was read whole need not be read again.
  if (whole?.data !== undefined) {
    const { data } = whole;
    return { ...whole, data: { ...data, lines: args.log === 'head' ? data.lines.slice(0, lines) : data.lines.slice(-lines) } };
  }
  return attempt({ node }, () =>
    args.log === 'head' ? readTaskLogHead(call, node, args.upid, lines) : readTaskLogTail(call, node, args.upid, lines),
  );
}

function headline(parts: { type: string; id: string; node: string }, status: TaskStatus, total: number | undefined): string {
  const what = `Task ${parts.type}${parts.id === '' ? '' : ` of ${parts.id}`} on ${parts.node}`;
  const end =
    status.state === 'running'
      ? 'is running'
      : `ended: ${status.state}${status.exitStatus === undefined || status.exitStatus === 'OK' ? '' : ` (${status.exitStatus})`}`;
  return `${what} ${end}${total === undefined ? '' : `; log of ${total} lines`}`;
}

function numbered(lines: readonly { readonly n: number; readonly text: string }[]): string {
  return lines.map((l) => `${l.n}: ${l.text}`).join('\n');
}

/** Guests of a backup that did not get theirs and are shown with their state. */
const MAX_TOUCHED = 8;

/** The present state of the guests and storages that the task and its log name; of a backup's guests those without one. */
function touched(
  parts: { node: string; id: string },
  log: string,
  outcomes: readonly GuestOutcome[],
  inventory: Inventory,
): readonly { what: string; state: string }[] {
  const rows: { what: string; state: string }[] = [];
  const node = inventory.nodes.find((n) => n.node === parts.node);
  const wanted = new Set([parts.id, ...outcomes.filter((o) => o.result !== 'ok').map((o) => String(o.vmid))]);
  for (const guest of inventory.guests.filter((g) => wanted.has(String(g.vmid))).slice(0, MAX_TOUCHED))
    rows.push({
      what: `guest ${guest.vmid}${guest.name === undefined ? '' : ` ${guest.name}`}`,
      state: `${guest.status} on ${guest.node}${guest.lock === undefined ? '' : `, locked (${guest.lock})`}`,
    });
  for (const storage of new Set(
    inventory.storages.filter((s) => s.node === parts.node && mentions(log, s.storage)).map((s) => s.storage),
  )) {
    const here = inventory.storages.find((s) => s.storage === storage && s.node === parts.node);
    if (here === undefined) continue;
    const used =
      here.used === undefined || here.total === undefined ? '' : `, ${Math.round((here.used / here.total) * 100)}% used`;
    rows.push({ what: `storage ${storage}`, state: `${here.status === 'available' ? 'available' : 'not reachable'}${used}` });
  }
  if (node?.mem !== undefined && node.maxMem !== undefined)
    rows.push({ what: `node ${node.node}`, state: `online, memory ${Math.round((node.mem / node.maxMem) * 100)}% used` });
  return rows;
}

/** True when the log names the storage as such: quoted, or at the start of a volume id. */
function mentions(log: string, storage: string): boolean {
  const escaped = storage.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?:^|[\\s'"(=])${escaped}(?::|['")\\s,]|$)`, 'm').test(log);
}

function notesFor(
  grep: string | undefined,
  matches: number | undefined,
  wanted: number,
  whole: Reading<TaskLog | undefined> | undefined,
  shown: Reading<TaskLog | undefined> | undefined,
): string[] {
  const notes: string[] = [];
  const log = whole?.data ?? shown?.data;
  if (log?.gone === true) notes.push('The log file is gone from the node (old logs are deleted).');
  if (grep !== undefined && matches !== undefined) {
    notes.push(
      matches === 0
        ? 'No line has that text.'
        : `${matches} lines have that text${matches > wanted ? `; the last ${wanted} are shown` : ''}.`,
    );
  }
  if (whole?.data !== undefined && whole.data.lines.length < whole.data.total)
    notes.push(`Only ${whole.data.lines.length} of ${whole.data.total} lines were searched.`);
  return notes;
}
