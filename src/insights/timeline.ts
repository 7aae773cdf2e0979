import { formatBytes, formatDuration } from '../answer/units.ts';
import { byText } from '../api/lenient.ts';
import { type HaStatus, HEARTBEAT_LIMIT_S, heartbeatAge } from '../cluster/ha.ts';
import type { Guest, Node } from '../cluster/inventory.ts';
import type { Point } from '../cluster/metrics.ts';
import type { ClusterLogEntry } from '../cluster/node-log.ts';
import type { Replication } from '../cluster/replication.ts';
import { type Task, type TaskState, taskVmid } from '../cluster/tasks.ts';
import { holesOf } from './metrics-digest.ts';

export const GRADES = ['error', 'warning', 'info'] as const;
export type Grade = (typeof GRADES)[number];

export const EVENT_SOURCES = ['metrics', 'ha', 'boot', 'task', 'replication', 'log'] as const;
export type EventSource = (typeof EVENT_SOURCES)[number];

/** Something that happened at a moment. */
export interface TimelineEvent {
  /** Seconds since the epoch. */
  readonly time: number;
  readonly source: EventSource;
  readonly grade: Grade;
  readonly node: string | undefined;
  readonly vmid: number | undefined;
  readonly what: string;
}

/** Seconds since the epoch, both inclusive. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Everything in its order; what happened at the same moment: causes (measurements, HA) before consequences. */
export function mergeEvents(span: Span, ...lists: readonly (readonly TimelineEvent[])[]): readonly TimelineEvent[] {
  const rank = (e: TimelineEvent): number => EVENT_SOURCES.indexOf(e.source);
  return lists
    .flat()
    .filter((e) => e.time >= span.from && e.time <= span.to)
    .sort((a, b) => a.time - b.time || rank(a) - rank(b) || byText(a.node, b.node) || byText(a.what, b.what));
}

/** Tasks at the moment that tells: failures when they ended, everything else when it began. */
export function taskEvents(tasks: readonly Task[], span: Span): readonly TimelineEvent[] {
  return tasks.flatMap((t): TimelineEvent[] => {
    const { start, end } = t;
    if (start === undefined) return [];
    const grade = TASK_GRADES[t.state];
    // What began before the span is told by its end, too.
    const atEnd = end !== undefined && (grade !== 'info' || start < span.from);
    const what = `${t.type}${t.id === undefined ? '' : ` ${t.id}`}${t.user === undefined ? '' : ` by ${t.user}`}${endingOf(t, atEnd)}`;
    return [{ time: atEnd ? end : start, source: 'task', grade, node: t.node, vmid: taskVmid(t), what }];
  });
}

const TASK_GRADES: Readonly<Record<TaskState, Grade>> = {
  failed: 'error',
  warning: 'warning',
  unknown: 'warning',
  running: 'info',
  ok: 'info',
};

function endingOf(task: Task, atEnd: boolean): string {
  const { start = 0, end, status } = task;
  const took = end === undefined ? undefined : formatDuration(Math.max(0, end - start));
  const after = took === undefined ? '' : ` after ${took}`;
  if (task.state === 'failed') return ` failed${after}: ${status ?? 'no reason told'}`;
  if (task.state === 'warning') return ` ended with warnings${after}`;
  if (task.state === 'unknown') return ` ended, nobody knows how (${status ?? 'no status'})`;
  if (task.state === 'running') return ' began and still runs';
  return atEnd ? ` ended, ok${after}` : `, ok${took === undefined ? '' : ` in ${took}`}`;
}

/** Equal messages this close together, in seconds, are one event. */
const REPEAT_S = 600;

/** Entries of the cluster log; those that only tell that a task began or ended are left to the tasks. */
export function logEvents(entries: readonly ClusterLogEntry[]): readonly TimelineEvent[] {
  const told = entries
    .filter((e) => e.time !== undefined && !/\bUPID:/.test(e.message))
    .map((e) => ({ ...e, time: e.time ?? 0 }))
    .sort((a, b) => a.time - b.time);
  const events: { time: number; last: number; count: number; entry: (typeof told)[number] }[] = [];
  for (const entry of told) {
    const same = events.findLast(
      (e) => e.entry.node === entry.node && e.entry.tag === entry.tag && e.entry.message === entry.message,
    );
    if (same !== undefined && entry.time - same.last <= REPEAT_S) {
      same.count += 1;
      same.last = entry.time;
    } else events.push({ time: entry.time, last: entry.time, count: 1, entry });
  }
  return events.map(({ time, last, count, entry }) => ({
    time,
    source: 'log' as const,
    grade: gradeOf(entry.priority),
    node: entry.node,
    vmid: undefined,
    what: `${entry.tag ?? 'log'}${entry.user === undefined ? '' : ` (${entry.user})`}: ${entry.message}${count === 1 ? '' : ` (${count} times in ${formatDuration(last - time)})`}`,
  }));
}

/** Syslog priorities: errors and graver, warnings, the rest. */
function gradeOf(priority: number | undefined): Grade {
  if (priority === undefined) return 'info';
  return priority <= 3 ? 'error' : priority === 4 ? 'warning' : 'info';
}

/** Guests that started this close together on a node, in seconds, are one event. */
const TOGETHER_S = 120;

/**
 * Starts of nodes and guests, out of how long they have been up.
 *
 * @param readAt when their uptimes were read, by the cluster's clock, in seconds since the epoch
 */
export function bootEvents(nodes: readonly Node[], guests: readonly Guest[], readAt: number): readonly TimelineEvent[] {
  const events: TimelineEvent[] = [];
  for (const n of nodes) {
    if (n.status === 'online' && n.uptime !== undefined)
      events.push({
        time: Math.round(readAt - n.uptime),
        source: 'boot',
        grade: 'warning',
        node: n.node,
        vmid: undefined,
        what: `node ${n.node} started`,
      });
  }
  const starts = guests
    .flatMap((g) => (g.status === 'running' && g.uptime !== undefined ? [{ guest: g, time: Math.round(readAt - g.uptime) }] : []))
    .sort((a, b) => byText(a.guest.node, b.guest.node) || a.time - b.time || a.guest.vmid - b.guest.vmid);
  const groups: { time: number; guests: Guest[] }[] = [];
  for (const { guest, time } of starts) {
    const group = groups.at(-1);
    if (group !== undefined && group.guests[0]?.node === guest.node && time - group.time <= TOGETHER_S) group.guests.push(guest);
    else groups.push({ time, guests: [guest] });
  }
  for (const { time, guests: together } of groups) {
    const [first] = together;
    if (first === undefined) continue;
    const names = together
      .slice(0, 6)
      .map((g) => `${g.vmid}${g.name === undefined ? '' : ` ${g.name}`}`)
      .join(', ');
    const more = together.length > 6 ? ` and ${together.length - 6} more` : '';
    events.push({
      time,
      source: 'boot',
      grade: 'info',
      node: first.node,
      vmid: together.length === 1 ? first.vmid : undefined,
      what: together.length === 1 ? `guest ${names} started` : `${together.length} guests started: ${names}${more}`,
    });
  }
  return events;
}

/** The last sign of life of managers that are silent now. HA keeps no history: anything else of it is only known for now. */
export function haEvents(status: HaStatus, nodes: readonly Node[], now: number): readonly TimelineEvent[] {
  return status.managers.flatMap((m): TimelineEvent[] => {
    const { heartbeat } = m;
    const age = heartbeatAge(m, status, now * 1000);
    if (heartbeat === undefined || age === undefined || age <= HEARTBEAT_LIMIT_S) return [];
    const down = nodes.find((n) => n.node === m.node)?.status !== 'online';
    const role = m.role === 'master' ? 'HA master' : 'local HA manager';
    return [
      {
        time: heartbeat,
        source: 'ha',
        grade: 'error',
        node: m.node,
        vmid: undefined,
        what: `last sign of life of the ${role} of ${m.node}${down ? ', whose node is offline now' : ', whose node is up'}`,
      },
    ];
  });
}

/** Resources (of one guest, when it is given) that are not as they should be, as of now. */
export function haNow(status: HaStatus, vmid?: number): readonly string[] {
  return status.resources
    .filter((r) => (vmid === undefined || r.vmid === vmid) && ['error', 'fence', 'recovery', 'freeze'].includes(r.state))
    .map((r) => `${r.sid} ${r.state}`);
}

/** Last tries of replications that fail. */
export function replicationEvents(jobs: readonly Replication[]): readonly TimelineEvent[] {
  return jobs.flatMap(({ job, state }): TimelineEvent[] => {
    if (job.disabled || state?.lastTry === undefined || (state.failCount === 0 && state.error === undefined)) return [];
    const since = state.lastSync === undefined ? 'never succeeded' : `${state.failCount} failures since it last succeeded`;
    return [
      {
        time: state.lastTry,
        source: 'replication',
        grade: 'error',
        node: job.source,
        vmid: job.vmid,
        what: `replication ${job.id} to ${job.target ?? '?'} failed (${since})${state.error === undefined ? '' : `: ${state.error}`}`,
      },
    ];
  });
}

interface Watched {
  readonly name: string;
  readonly words: string;
  /** Series that holds the whole, for figures that are shares of it. */
  readonly of?: string;
  /** A change of this much of the whole is a jump. */
  readonly jump?: number;
  /** For rates in bytes: a change of this factor, from or to at least this much. */
  readonly factor?: number;
  readonly least?: number;
}

const MIB = 2 ** 20;

/** What a jump may be found in. */
const WATCHED: readonly Watched[] = [
  { name: 'cpu', words: 'CPU', jump: 0.35 },
  { name: 'iowait', words: 'waiting for storage', jump: 0.15 },
  { name: 'memused', words: 'memory', of: 'memtotal', jump: 0.15 },
  { name: 'mem', words: 'memory', of: 'maxmem', jump: 0.25 },
  { name: 'swapused', words: 'swap', of: 'swaptotal', jump: 0.2 },
  { name: 'rootused', words: 'root file system', of: 'roottotal', jump: 0.1 },
  { name: 'netin', words: 'incoming traffic', factor: 6, least: 30 * MIB },
  { name: 'netout', words: 'outgoing traffic', factor: 6, least: 30 * MIB },
];

/** Points whose average is compared, before and after a moment. */
const BEFORE = 5;
const AFTER = 3;
/** A new jump of the same series is only told after this many points. */
const APART = 8;
/** Holes shorter than this many points are the collection's own unsteadiness. */
const LEAST_HOLE = 3;

/** Jumps in measurements, and times without any. What began before the span is told at its start. */
export function metricEvents(
  points: readonly Point[],
  place: { readonly node: string; readonly vmid?: number | undefined },
  span: Span,
): readonly TimelineEvent[] {
  const common = { source: 'metrics' as const, node: place.node, vmid: place.vmid };
  const whose = place.vmid === undefined ? place.node : `guest ${place.vmid}`;
  const step = Math.min(...points.slice(1).map((p, i) => p.time - (points[i]?.time ?? p.time)));
  const holes = holesOf(points)
    .filter((h) => h.to - h.from >= LEAST_HOLE * step)
    .map((h): TimelineEvent => {
      // Whether it began with the first point, or before, can't be told.
      const before = h.from === points[0]?.time || h.from < span.from;
      const lasts = points.at(-1)?.time === h.to;
      const words = lasts
        ? before
          ? 'in all of this span'
          : 'from here on'
        : before
          ? `until ${formatDuration(Math.max(0, h.to - span.from))} later`
          : `for ${formatDuration(h.to - h.from)}`;
      return {
        ...common,
        time: Math.max(h.from, h.to >= span.from ? span.from : h.from),
        grade: 'error',
        what: `no measurements of ${whose} ${words}`,
      };
    });
  const jumps = WATCHED.flatMap((watched) =>
    jumpsOf(points, watched).map(({ time, before, after }): TimelineEvent => {
      const grave = watched.jump !== undefined && after > before && after >= 0.9;
      return {
        ...common,
        time,
        grade: grave ? 'warning' : 'info',
        what: `${whose}: ${watched.words} from ${figure(before, watched)} to ${figure(after, watched)}`,
      };
    }),
  );
  return [...holes, ...jumps];
}

interface Jump {
  readonly time: number;
  readonly before: number;
  readonly after: number;
}

function jumpsOf(points: readonly Point[], watched: Watched): readonly Jump[] {
  const values = points.map((p) => seriesShare(p, watched));
  const found: (Jump & { readonly index: number; readonly size: number })[] = [];
  for (let i = BEFORE; i + AFTER <= points.length; i += 1) {
    const before = mean(values.slice(i - BEFORE, i));
    const after = mean(values.slice(i, i + AFTER));
    const size = before === undefined || after === undefined ? 0 : sizeOf(before, after, watched);
    const time = points[i]?.time;
    if (before === undefined || after === undefined || time === undefined || size < 1) continue;
    // Around a jump every moment is one: the steepest counts.
    const last = found.at(-1);
    if (last === undefined || i - last.index > APART) found.push({ index: i, size, time, before, after });
    else if (size > last.size) found[found.length - 1] = { index: i, size, time, before, after };
  }
  return found;
}

/** How many times as large as a jump has to be. */
function sizeOf(before: number, after: number, { jump, factor, least }: Watched): number {
  if (jump !== undefined) return Math.abs(after - before) / jump;
  const high = Math.max(before, after);
  return factor === undefined || high < (least ?? 0) ? 0 : high / Math.max(1, Math.min(before, after)) / factor;
}

function seriesShare(point: Point, { name, of }: Watched): number | undefined {
  const value = point.values.get(name);
  if (value === undefined || of === undefined) return value;
  const whole = point.values.get(of);
  return whole === undefined || whole <= 0 ? undefined : value / whole;
}

/** Undefined as soon as one is missing: an average over a hole is no figure. */
function mean(values: readonly (number | undefined)[]): number | undefined {
  let sum = 0;
  for (const value of values) {
    if (value === undefined) return undefined;
    sum += value;
  }
  return values.length === 0 ? undefined : sum / values.length;
}

function figure(value: number, { jump }: Watched): string {
  return jump === undefined ? `${formatBytes(value)}/s` : `${Math.round(value * 100)}%`;
}
