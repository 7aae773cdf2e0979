import type { Call } from '../api/call.ts';
import { byText, intOf, listOf, textOf, timeOf } from '../api/lenient.ts';
import { mergeGaps, type Reading } from '../api/reading.ts';
import { cleanText, oneLine, repairMojibake } from '../redact/plain-text.ts';
import { scrubFreeText } from '../redact/scrub-text.ts';
import { fanOut } from './fan-out.ts';
import { type Inventory, offlineGaps, onlineNodes } from './inventory.ts';

/** How a task ended, in words of our own; the raw status is kept beside it. */
export type TaskState = 'running' | 'ok' | 'warning' | 'failed' | 'unknown';

export interface Task {
  readonly upid: string;
  readonly node: string;
  readonly type: string;
  /** What it worked on: a vmid for guest tasks, a storage, a service, ...; empty for datacenter tasks. */
  readonly id: string | undefined;
  readonly user: string | undefined;
  /** Seconds since the epoch. */
  readonly start: number | undefined;
  readonly end: number | undefined;
  readonly state: TaskState;
  /** The API's own words: `OK`, `WARNINGS: 2`, or an error text. */
  readonly status: string | undefined;
}

/** A task that ended in a span may have begun this long before it, in seconds: the API selects by the start alone. */
export const LONG_TASK_S = 6 * 3_600;

/** The state behind a task's status. Warnings are no failure, and a lost log proves nothing. */
export function taskState(status: string | undefined, ended: boolean): TaskState {
  if (status === undefined || status === '') return ended ? 'unknown' : 'running';
  if (/^running$/i.test(status)) return 'running';
  if (status === 'OK') return 'ok';
  if (/^WARNINGS: \d+$/.test(status)) return 'warning';
  return status === 'unexpected status' ? 'unknown' : 'failed';
}

/** The parts of a UPID; undefined when it is none. */
export function parseUpid(upid: string): { node: string; start: number; type: string; id: string; user: string } | undefined {
  const match = /^UPID:([^:]+):[0-9A-Fa-f]{8}:[0-9A-Fa-f]{8,9}:([0-9A-Fa-f]{8}):([^:]+):([^:]*):([^:]+):$/.exec(upid);
  if (match === null) return undefined;
  const [, node = '', start = '', type = '', id = '', user = ''] = match;
  return { node, start: Number.parseInt(start, 16), type, id, user };
}

export function parseTasks(data: unknown): readonly Task[] {
  return listOf(data, 'tasks').flatMap((row) => {
    const upid = textOf(row['upid']);
    if (upid === undefined) return [];
    const parts = parseUpid(upid);
    const node = textOf(row['node']) ?? parts?.node;
    if (node === undefined) return [];
    const raw = textOf(row['status']);
    const end = timeOf(row['endtime']);
    const status = raw === undefined ? undefined : statusText(raw);
    return [
      {
        upid,
        node,
        type: textOf(row['type']) ?? parts?.type ?? 'unknown',
        id: textOf(row['id']) ?? (parts?.id === '' ? undefined : parts?.id),
        user: userOf(row['user'], row['tokenid'], parts?.user),
        start: timeOf(row['starttime']) ?? parts?.start,
        end,
        state: taskState(raw, end !== undefined),
        status,
      },
    ];
  });
}

/** Status texts are the last error line of whatever ran: cleaned, without secrets, one line. */
export function statusText(raw: string): string {
  return oneLine(scrubFreeText(cleanText(repairMojibake(raw))).text, 200);
}

/** A token's tasks are listed under its user; the UPID keeps the whole name. */
function userOf(user: unknown, token: unknown, fromUpid: string | undefined): string | undefined {
  const name = textOf(user);
  const tokenName = textOf(token);
  if (fromUpid?.includes('!') === true) return fromUpid;
  return name === undefined ? fromUpid : tokenName === undefined || name.includes('!') ? name : `${name}!${tokenName}`;
}

export interface TaskQuery {
  /** Node to ask; all online ones when undefined. */
  readonly node?: string | undefined;
  readonly states?: readonly TaskState[] | undefined;
  readonly type?: string | undefined;
  readonly vmid?: number | undefined;
  readonly user?: string | undefined;
  /** Seconds since the epoch; both compare the start time. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** Rows wanted from each node, newest first. */
  readonly perNode: number;
}

export interface TaskList {
  /** Newest first. */
  readonly tasks: readonly Task[];
  /** How many nodes answered; when none did, no tasks means nothing. */
  readonly answered: number;
  /** True when nodes hold older matches than these; the list is whole down to its last row. */
  readonly more: boolean;
}

const STATUS_FILTER: Readonly<Record<string, string>> = { ok: 'ok', warning: 'warning', failed: 'error', unknown: 'unknown' };

/**
 * Tasks of the cluster, running ones too, newest first. A token without Sys.Audit sees only its own.
 *
 * Source: GET /nodes/{node}/tasks?source=all for each online node (one request a node); offline nodes are gaps.
 */
export async function readTasks(call: Call, inventory: Inventory, query: TaskQuery): Promise<Reading<TaskList>> {
  const nodes = onlineNodes(inventory).filter((node) => query.node === undefined || node === query.node);
  const wanted = query.states?.filter((s) => s !== 'running').map((s) => STATUS_FILTER[s] ?? s);
  const onlyRunning = query.states?.every((s) => s === 'running') === true;
  const asked = new Set(query.node === undefined ? inventory.nodes.map((n) => n.node) : [query.node]);
  const [out, coverage] = await Promise.all([
    fanOut(
      call,
      nodes,
      (node) => ({ node }),
      async (node) => {
        const got = await call.get(
          '/nodes/{node}/tasks',
          { node },
          {
            source: onlyRunning ? 'active' : 'all',
            limit: query.perNode,
            typefilter: query.type,
            vmid: query.vmid,
            userfilter: query.user,
            since: query.since,
            until: query.until,
            // The filter drops running tasks, so it is left to us when those are wanted as well.
            statusfilter:
              wanted === undefined || onlyRunning || query.states?.includes('running') === true || wanted.length === 0
                ? undefined
                : wanted.join(','),
          },
        );
        return parseTasks(got.data);
      },
    ),
    call.rights.over({ privilege: 'Sys.Audit', under: '/nodes', what: "other users' tasks" }),
  ]);
  const all = out.results.flatMap((r) => r.data);
  // A node that gave as many as were asked for has older ones: below its oldest the merged list would have holes.
  const horizons = out.results.filter((r) => r.data.length >= query.perNode).map((r) => reachesBackTo(r.data));
  const horizon = horizons.length === 0 ? undefined : Math.max(...horizons);
  const tasks = [...new Map(all.map((t) => [t.upid, t])).values()]
    .filter(
      (t) =>
        (query.states === undefined || query.states.includes(t.state)) && (horizon === undefined || (t.start ?? 0) >= horizon),
    )
    .sort((a, b) => (b.start ?? 0) - (a.start ?? 0) || byText(a.upid, b.upid));
  return {
    data: { tasks, answered: out.results.length, more: horizon !== undefined },
    ...mergeGaps(out.gaps, offlineGaps(inventory, asked), coverage),
  };
}

/** How far a node's newest tasks go back. Running ones are listed whatever their age, so they tell only where nothing else is. */
export function reachesBackTo(tasks: readonly Task[]): number {
  const ended = tasks.filter((t) => t.state !== 'running');
  return Math.min(...(ended.length > 0 ? ended : tasks).map((t) => t.start ?? 0));
}

/** Vmid that a task worked on, when it is a guest task. */
export function taskVmid(task: Pick<Task, 'id'>): number | undefined {
  return task.id !== undefined && /^[1-9]\d{2,8}$/.test(task.id) ? intOf(task.id) : undefined;
}
