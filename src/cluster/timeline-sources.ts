import type { Call } from '../api/call.ts';
import { attempt, mergeGaps, NO_GAPS, type Reading, withGaps } from '../api/reading.ts';
import { cutGaps, whole } from './attempts.ts';
import { fanOut } from './fan-out.ts';
import { type HaStatus, readHaStatus } from './ha.ts';
import { type Guest, guestCoverage, type Inventory } from './inventory.ts';
import { type MetricsTarget, type Point, readMetrics, type Timeframe } from './metrics.ts';
import { type ClusterLogEntry, clusterLogCoverage, parseClusterLog } from './node-log.ts';
import { type Replication, readReplication } from './replication.ts';
import { LONG_TASK_S, readTasks, type Task } from './tasks.ts';

/** Newest entries of the cluster log that are looked at; the cluster keeps hardly more. */
const LOG_ENTRIES = 1_000;
const TASKS_PER_NODE = 1_000;
const SLACK_S = 300;
/** Nodes whose measurements are looked at. */
const MAX_METRICS = 12;

export interface TimelineWish {
  /** Seconds since the epoch. */
  readonly from: number;
  readonly to: number;
  readonly node: string | undefined;
  readonly guest: Guest | undefined;
}

/** What a timeline is made of; an absent part could not be read. */
export interface TimelineSources {
  readonly tasks: readonly Task[] | undefined;
  /** Older tasks than these match as well, and were not read. */
  readonly moreTasks: boolean;
  readonly log: readonly ClusterLogEntry[] | undefined;
  readonly ha: HaStatus | undefined;
  readonly replication: readonly Replication[] | undefined;
  readonly metrics: readonly { readonly node: string; readonly vmid: number | undefined; readonly points: readonly Point[] }[];
}

/**
 * Everything that tells what happened in a span: one request for each node's tasks and measurements, and one each for the
 * cluster log, HA and the replication jobs (and their source nodes).
 *
 * Source: GET /nodes/{node}/tasks, /cluster/log, /cluster/ha/status/current, /cluster/replication, /nodes/{node}/replication,
 * /nodes/{node}/rrddata or the guest's rrddata.
 */
export async function readTimelineSources(
  call: Call,
  inventory: Inventory,
  wish: TimelineWish,
): Promise<Reading<TimelineSources>> {
  const { from, to, guest } = wish;
  const [tasks, log, ha, replication, metrics, coverage] = await Promise.all([
    // The node of now need not be the one of then: a guest's tasks are looked for everywhere.
    whole(() =>
      readTasks(call, inventory, {
        node: wish.node,
        vmid: guest?.vmid,
        since: Math.floor(from - LONG_TASK_S),
        until: Math.ceil(to),
        perNode: TASKS_PER_NODE,
      }),
    ),
    guest === undefined ? readLog(call) : undefined,
    guest === undefined || guest.haState !== undefined ? attempt({}, () => readHaStatus(call)) : undefined,
    whole(() => readReplication(call, inventory, wish.node ?? guest?.node)),
    readAllMetrics(call, inventory, wish),
    guestCoverage(call),
  ]);
  const jobs = replication.data?.jobs.filter((r) => guest === undefined || r.job.vmid === guest.vmid);
  return {
    data: {
      tasks: tasks.data?.tasks.filter((t) => (t.end ?? to) >= from),
      moreTasks: tasks.data?.more ?? false,
      log: log?.data,
      ha: ha?.data,
      replication: jobs,
      metrics: metrics.data,
    },
    ...mergeGaps(
      tasks,
      log ?? NO_GAPS,
      ha ?? NO_GAPS,
      replication,
      metrics,
      // Jobs of guests that the token does not see are missing as the guests are.
      coverage,
    ),
  };
}

async function readLog(call: Call): Promise<Reading<readonly ClusterLogEntry[] | undefined>> {
  const [log, coverage] = await Promise.all([
    attempt({}, async () => parseClusterLog((await call.get('/cluster/log', {}, { max: LOG_ENTRIES })).data)),
    clusterLogCoverage(call),
  ]);
  return withGaps(log.data, log, coverage);
}

/** The finest measurements that reach back far enough. */
export function timeframeFor(from: number, now: number): Timeframe {
  // The first minutes of a span are not worth coarser measurements of all of it.
  const age = now - from - SLACK_S;
  if (age <= 3_600) return 'hour';
  if (age <= 86_400) return 'day';
  if (age <= 7 * 86_400) return 'week';
  return age <= 30 * 86_400 ? 'month' : 'year';
}

async function readAllMetrics(
  call: Call,
  inventory: Inventory,
  wish: TimelineWish,
): Promise<Reading<TimelineSources['metrics']>> {
  const { guest } = wish;
  const nodes = inventory.nodes.filter((n) => wish.node === undefined || n.node === wish.node).map((n) => n.node);
  const targets: readonly MetricsTarget[] =
    guest === undefined
      ? nodes.slice(0, MAX_METRICS).map((node) => ({ kind: 'node', node }))
      : [{ kind: 'guest', node: guest.node, vmid: guest.vmid, type: guest.type }];
  const timeframe = timeframeFor(wish.from, call.now() / 1000);
  const out = await fanOut(
    call,
    targets,
    ({ node }) => ({ node }),
    (target) => readMetrics(call, target, timeframe),
  );
  const more = cutGaps(
    guest === undefined && nodes.length > MAX_METRICS,
    `measurements of the first ${MAX_METRICS} of ${nodes.length} nodes only (node=NAME has any)`,
  );
  const data = out.results.map(({ item, data: points }) => ({
    node: item.node,
    vmid: item.kind === 'guest' ? item.vmid : undefined,
    // Some points before the span are needed to see what is new in it.
    points: points.filter((p) => p.time <= wish.to),
  }));
  return { data, ...mergeGaps(out.gaps, more) };
}
