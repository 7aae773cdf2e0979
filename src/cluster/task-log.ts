import type { Call } from '../api/call.ts';
import { intOf, listOf, rawOf, textOf, timeOf } from '../api/lenient.ts';
import { cleanText, repairMojibake } from '../redact/plain-text.ts';
import { scrubFreeText } from '../redact/scrub-text.ts';
import { statusText, type TaskState, taskState } from './tasks.ts';

/** Lines that one request may bring; a log longer than a few of these is only searched at its end. */
const PAGE = 5_000;
/** Longest log that is read whole for a search. */
export const MAX_SEARCHED = 20_000;

export interface LogLine {
  /** 1-based. */
  readonly n: number;
  readonly text: string;
}

/** A part of a task's log. */
export interface TaskLog {
  readonly lines: readonly LogLine[];
  /** Lines the log has altogether. */
  readonly total: number;
  /** The log's file is gone on the node (old logs are deleted). */
  readonly gone: boolean;
}

/** State of one task as its node tells it. */
export interface TaskStatus {
  readonly state: TaskState;
  /** Raw exit status, cleaned; undefined while it runs. */
  readonly exitStatus: string | undefined;
  /** Seconds since the epoch. */
  readonly start: number | undefined;
  readonly pid: number | undefined;
}

/** Source: GET /nodes/{node}/tasks/{upid}/status. */
export async function readTaskStatus(call: Call, node: string, upid: string): Promise<TaskStatus> {
  const row = rawOf((await call.get('/nodes/{node}/tasks/{upid}/status', { node, upid })).data);
  const running = textOf(row['status']) === 'running';
  const exit = textOf(row['exitstatus']);
  return {
    state: running ? 'running' : taskState(exit, true),
    exitStatus: exit === undefined ? undefined : statusText(exit),
    start: timeOf(row['starttime']),
    pid: intOf(row['pid']),
  };
}

/**
 * The last lines of a task's log. The API pages from the oldest line, so the total comes first and the end after.
 *
 * Source: GET /nodes/{node}/tasks/{upid}/log (one request, two for a long log).
 */
export async function readTaskLogTail(call: Call, node: string, upid: string, count: number): Promise<TaskLog> {
  const first = await readPage(call, node, upid, 0, count);
  if (first.total <= first.lines.length) return first;
  return readPage(call, node, upid, Math.max(0, first.total - count), count);
}

/** The first lines. */
export function readTaskLogHead(call: Call, node: string, upid: string, count: number): Promise<TaskLog> {
  return readPage(call, node, upid, 0, count);
}

/** The whole log, or its last 20,000 lines, for searching. */
export async function readTaskLogForSearch(call: Call, node: string, upid: string): Promise<TaskLog> {
  const first = await readPage(call, node, upid, 0, PAGE);
  if (first.total <= first.lines.length) return first;
  const from = Math.max(first.lines.length, first.total - MAX_SEARCHED);
  const lines = first.total - MAX_SEARCHED > first.lines.length ? [] : [...first.lines];
  for (let start = from; start < first.total && call.remaining() > 0; start += PAGE) {
    lines.push(...(await readPage(call, node, upid, start, PAGE)).lines);
  }
  return { lines, total: first.total, gone: false };
}

async function readPage(call: Call, node: string, upid: string, start: number, limit: number): Promise<TaskLog> {
  const got = await call.get('/nodes/{node}/tasks/{upid}/log', { node, upid }, { start, limit });
  return parseTaskLog(got.data, got.total, start);
}

/** Parses a page of a log; the API answers a missing file with one line that says so. */
export function parseTaskLog(data: unknown, total: number | undefined, start: number): TaskLog {
  const lines = listOf(data, 'the task log').map((row, index) => ({
    n: intOf(row['n']) ?? start + index + 1,
    text: scrubFreeText(cleanText(repairMojibake(textOf(row['t']) ?? ''))).text,
  }));
  const [only] = lines;
  if (lines.length === 1 && only !== undefined && /^unable to open file - /.test(only.text))
    return { lines: [], total: 0, gone: true };
  if (lines.length === 1 && only?.text === 'no content') return { lines: [], total: 0, gone: false };
  return { lines, total: total ?? start + lines.length, gone: false };
}
