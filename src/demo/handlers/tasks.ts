import { HandlerReply, type HandlerRequest, type HandlerTable } from '../types.ts';
import type { DemoTask, DemoWorld } from '../world/types.ts';
import { badParameter, demand, directory, isSet, logPage, missingLog, nodeOf, parameter } from './answers.ts';
import type { Row } from './resource-rows.ts';
import { doubleEncoded, nodeTaskRow, taskIdentity } from './task-rows.ts';

const UPID = /^UPID:([A-Za-z0-9-]+):[0-9A-Fa-f]{8}:[0-9A-Fa-f]{8,9}:[0-9A-Fa-f]{8}:[^:\s]+:[^:\s]*:[^:\s]+:$/;

/** /nodes/{node}/tasks and what lies below. */
export function tasksHandlers(world: DemoWorld): HandlerTable {
  return {
    '/nodes/{node}/tasks': (request) => taskList(world, request),
    '/nodes/{node}/tasks/{upid}': directory('name', ['log', 'status']),
    '/nodes/{node}/tasks/{upid}/log': (request) => taskLog(world, request),
    '/nodes/{node}/tasks/{upid}/status': (request) => taskStatus(world, request),
  };
}

/** `user@realm!token` of whoever started the task. */
function ownerOf(task: DemoTask): string {
  return task.tokenid === undefined ? task.user : `${task.user}!${task.tokenid}`;
}

type StatusClass = 'ok' | 'warning' | 'error' | 'unknown';

function classOf(status: string): StatusClass {
  if (status === 'OK') return 'ok';
  if (/^WARNINGS: \d+$/.test(status)) return 'warning';
  return status === 'unexpected status' ? 'unknown' : 'error';
}

function taskList(world: DemoWorld, request: HandlerRequest): unknown {
  const { node } = nodeOf(world, request);
  const { query } = request;
  const all = world.tasks.get(node) ?? [];
  const source = query.source ?? 'archive';
  const audit = request.may(`/nodes/${node}`, 'Sys.Audit');
  const statuses = query.statusfilter?.split(/[,;\s]+/).filter((status) => status !== '');
  const user = query.userfilter?.toLowerCase();
  const since = query.since === undefined ? -Infinity : Number(query.since);
  const until = query.until === undefined ? Infinity : Number(query.until);
  const matches = all.filter((task) => {
    const running = task.endtime === undefined;
    if (running ? source === 'archive' : source === 'active') return false;
    if (!audit && ownerOf(task) !== request.identity) return false;
    if (user !== undefined && !ownerOf(task).toLowerCase().includes(user)) return false;
    if (query.typefilter !== undefined && task.type !== query.typefilter) return false;
    if (query.vmid !== undefined && task.id !== query.vmid) return false;
    if (task.starttime < since || task.starttime > until) return false;
    const status = running ? undefined : classOf(task.status ?? '');
    // A running task counts as "not OK" for `errors`, and as no class at all for `statusfilter`.
    if (isSet(request, 'errors') && status === 'ok') return false;
    return statuses === undefined || (status !== undefined && statuses.includes(status));
  });
  const start = Number(query.start ?? 0);
  const limit = Number(query.limit ?? 50);
  const page = matches.slice(start, start + limit).map(nodeTaskRow);
  return matches.length === 0 ? page : new HandlerReply(page, { total: matches.length });
}

/** The task of the path, if the caller may know of it. */
function taskOf(world: DemoWorld, request: HandlerRequest): DemoTask | undefined {
  const { node } = nodeOf(world, request);
  const upid = parameter(request, 'upid');
  if (!UPID.test(upid)) throw badParameter('upid', 'unable to parse worker upid');
  const who = upid.split(':')[7] ?? '';
  if (who !== request.identity) demand(request, `/nodes/${node}`, 'Sys.Audit');
  return world.tasks.get(node)?.find((candidate) => candidate.upid === upid);
}

function taskLog(world: DemoWorld, request: HandlerRequest): unknown {
  const lines = taskOf(world, request)?.log();
  return lines === undefined ? missingLog() : logPage(lines.map(doubleEncoded), request);
}

/** What the last line of a finished log says; a log without it leaves the outcome open. */
function exitStatus(lines: readonly string[]): string {
  const last = lines.at(-1) ?? '';
  if (last === 'TASK OK') return 'OK';
  return /^TASK ERROR: (.+)$/.exec(last)?.[1] ?? /^TASK (WARNINGS: \d+)$/.exec(last)?.[1] ?? 'unexpected status';
}

function taskStatus(world: DemoWorld, request: HandlerRequest): Row {
  const task = taskOf(world, request);
  const lines = task?.log();
  if (task === undefined || lines === undefined) throw badParameter('upid', 'no such task');
  const row = { ...taskIdentity(task), pid: task.pid, pstart: task.pstart };
  return task.endtime === undefined
    ? { ...row, status: 'running' }
    : { ...row, status: 'stopped', exitstatus: doubleEncoded(exitStatus(lines)) };
}
