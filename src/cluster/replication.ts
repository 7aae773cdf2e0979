import type { Call } from '../api/call.ts';
import { boolOf, byText, intOf, listOf, numberOf, type Raw, rowsOf, textOf, timeOf, vmidOf } from '../api/lenient.ts';
import { attempt, type Gaps, mergeGaps, NO_GAPS, type Reading, withGaps } from '../api/reading.ts';
import { oneLine } from '../redact/plain-text.ts';
import { fanOut } from './fan-out.ts';
import { type Inventory, onlineNodes } from './inventory.ts';
import { readTail } from './node-log.ts';
import { calendarInterval } from './replication-schedule.ts';
import { lineOf } from './shown-text.ts';

/** A job without a schedule of its own runs this often. */
export const DEFAULT_SCHEDULE = '*/15';
/** Other schedules than the common ones are asked about one by one. */
const MAX_ANALYSED = 5;

/** A replication job as it is configured. */
export interface ReplicationJob {
  /** `100-0` */
  readonly id: string;
  readonly vmid: number | undefined;
  /** Node that the guest's disks are copied from; not every configuration says it. */
  readonly source: string | undefined;
  readonly target: string | undefined;
  readonly schedule: string;
  readonly disabled: boolean;
  /** MB per second, when limited. */
  readonly rate: number | undefined;
  readonly comment: string | undefined;
}

/** How a job fares, as its source node tells. */
export interface ReplicationState {
  /** Seconds since the epoch; undefined: it never ran to its end. */
  readonly lastSync: number | undefined;
  readonly lastTry: number | undefined;
  readonly nextSync: number | undefined;
  /** Seconds that the last run took. */
  readonly duration: number | undefined;
  readonly failCount: number;
  readonly error: string | undefined;
  readonly running: boolean;
}

export interface Replication {
  readonly job: ReplicationJob;
  /** Undefined: the source is offline or did not answer. */
  readonly state: ReplicationState | undefined;
  /** Seconds between two runs, when the schedule is understood. */
  readonly interval: number | undefined;
}

export interface ReplicationReading {
  readonly jobs: readonly Replication[];
  /** Server's clock minus ours, in milliseconds. */
  readonly clockOffset: number;
}

/**
 * Every replication job, those of offline sources included: one request for the configuration, one for each online node
 * that is a source, and one for each unusual schedule (five at most).
 *
 * Source: GET /cluster/replication, /nodes/{node}/replication (rows filtered by VM.Audit on the guest),
 * /cluster/jobs/schedule-analyze.
 */
export async function readReplication(
  call: Call,
  inventory: Inventory,
  onlyNode: string | undefined,
): Promise<Reading<ReplicationReading>> {
  const configured = await attempt({}, async () => parseReplicationJobs((await call.get('/cluster/replication', {})).data));
  const jobs = configured.data?.map((job) => withSource(job, inventory));
  const sources = sourceNodes(jobs, inventory).filter((node) => onlyNode === undefined || node === onlyNode);
  const asked = await fanOut(
    call,
    sources,
    (node) => ({ node }),
    async (node) => {
      const got = await call.get('/nodes/{node}/replication', { node });
      return { rows: listOf(got.data, 'replication jobs'), clockOffset: got.clockOffset };
    },
  );
  // The nodes' own answers win: a guest that moved takes its jobs along, and the configuration follows later.
  const states = asked.results.flatMap(({ item, data }) =>
    data.rows.flatMap((row) => parseReplicationRow(row).map((r) => ({ ...r, job: { ...r.job, source: item } }))),
  );
  const found = new Map<string, JobAndState>(states.map((r) => [r.job.id, r]));
  for (const job of jobs ?? []) {
    if (!found.has(job.id)) found.set(job.id, { job, state: undefined });
  }
  const wanted = [...found.values()].filter(({ job }) => onlyNode === undefined || job.source === onlyNode);
  const intervals = await readIntervals(call, wanted);
  return withGaps(
    {
      jobs: wanted.map((r) => ({ ...r, interval: intervals.get(r.job.schedule) })).sort((a, b) => byText(a.job.id, b.job.id)),
      clockOffset: asked.results[0]?.data.clockOffset ?? 0,
    },
    configured,
    asked.gaps,
    sourceGaps(wanted, inventory),
  );
}

/**
 * The newest lines of what the last run of a job wrote, newest first; none when it never ran.
 *
 * Source: GET /nodes/{node}/replication/{id}/log (VM.Audit on the guest or Sys.Audit on the node; at most two requests).
 */
export async function readReplicationLog(call: Call, node: string, id: string, lines: number): Promise<readonly string[]> {
  const tail = await readTail(
    (start, limit) => call.get('/nodes/{node}/replication/{id}/log', { node, id }, { start, limit }),
    lines,
  );
  return tail.lines;
}

type JobAndState = Omit<Replication, 'interval'>;

function withSource(job: ReplicationJob, inventory: Inventory): ReplicationJob {
  const home = inventory.guests.find((g) => g.vmid === job.vmid)?.node;
  return { ...job, source: home ?? job.source };
}

/** Online nodes that replicate something; all of them when the configuration could not be read. */
function sourceNodes(jobs: readonly ReplicationJob[] | undefined, inventory: Inventory): readonly string[] {
  const online = onlineNodes(inventory);
  return jobs === undefined ? online : online.filter((node) => jobs.some((job) => job.source === node));
}

/** One problem for each offline node that is a source: the state of its jobs is not known. */
function sourceGaps(jobs: readonly JobAndState[], inventory: Inventory): Gaps {
  const down = inventory.nodes.filter((n) => n.status !== 'online' && jobs.some(({ job }) => job.source === n.node));
  if (down.length === 0) return NO_GAPS;
  return mergeGaps(
    ...down.map((n) => ({
      problems: [
        {
          where: { node: n.node },
          kind: 'node-unreachable' as const,
          message: `Node ${n.node} is ${n.status}, so the state of the jobs it is the source of can't be read.`,
        },
      ],
      coverage: 'partial' as const,
      hidden: [],
    })),
  );
}

/** Seconds between runs by schedule. What the common forms do not cover is asked of the API; a failure leaves it open. */
async function readIntervals(call: Call, jobs: readonly JobAndState[]): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  const open: string[] = [];
  for (const schedule of new Set(jobs.map(({ job }) => job.schedule))) {
    const seconds = calendarInterval(schedule);
    if (seconds === undefined) open.push(schedule);
    else found.set(schedule, seconds);
  }
  const analysed = await fanOut(
    call,
    open.sort(byText).slice(0, MAX_ANALYSED),
    () => ({}),
    (schedule) => call.get('/cluster/jobs/schedule-analyze', {}, { schedule, iterations: 10 }),
  );
  for (const { item, data } of analysed.results) {
    const seconds = longestPause(data.data);
    if (seconds !== undefined) found.set(item, seconds);
  }
  return found;
}

/** The longest pause between the runs that `/cluster/jobs/schedule-analyze` foretells, in seconds. */
export function longestPause(data: unknown): number | undefined {
  const times = rowsOf(data)
    .flatMap((row) => timeOf(row['timestamp']) ?? [])
    .sort((a, b) => a - b);
  const pauses = times.slice(1).map((time, index) => time - (times[index] ?? time));
  return pauses.length === 0 ? undefined : Math.max(...pauses);
}

/** Rows of `/cluster/replication`. */
export function parseReplicationJobs(data: unknown): readonly ReplicationJob[] {
  return listOf(data, 'replication jobs').flatMap((row) => jobOf(row) ?? []);
}

/** A row of `/nodes/{node}/replication`: configuration and state in one. */
export function parseReplicationRow(row: Raw): readonly { readonly job: ReplicationJob; readonly state: ReplicationState }[] {
  const job = jobOf(row);
  if (job === undefined) return [];
  const error = textOf(row['error']);
  return [
    {
      job,
      state: {
        lastSync: timeOf(row['last_sync']),
        lastTry: timeOf(row['last_try']),
        nextSync: timeOf(row['next_sync']),
        duration: numberOf(row['duration']),
        failCount: intOf(row['fail_count']) ?? 0,
        error: error === undefined ? undefined : lineOf(error),
        running: row['pid'] !== undefined && row['pid'] !== null,
      },
    },
  ];
}

function jobOf(row: Raw): ReplicationJob | undefined {
  const id = textOf(row['id']);
  if (id === undefined) return undefined;
  const comment = textOf(row['comment']);
  return {
    id,
    vmid: vmidOf(row['guest']) ?? vmidOf(id.split('-')[0]),
    source: textOf(row['source']),
    target: textOf(row['target']),
    schedule: oneLine(textOf(row['schedule']) ?? DEFAULT_SCHEDULE, 60),
    disabled: boolOf(row['disable']) ?? false,
    rate: numberOf(row['rate']),
    comment: comment === undefined ? undefined : lineOf(decoded(comment)),
  };
}

/** The nodes give a comment as its file has it: percent-encoded where it is not ASCII. */
function decoded(comment: string): string {
  if (!/%[0-9A-F]{2}/.test(comment)) return comment;
  try {
    return decodeURIComponent(comment);
  } catch {
    // A lone percent sign: it was no encoding.
    return comment;
  }
}
