import { z } from 'zod';
import { duration, int, prose, table, text, time } from '../../answer/spec.ts';
import type { Call } from '../../api/call.ts';
import { ApiError } from '../../api/errors.ts';
import { attempt, type Gaps, mergeGaps, NO_GAPS, visibleWord } from '../../api/reading.ts';
import { guestCoverage, type Inventory, readInventory } from '../../cluster/inventory.ts';
import { type Replication, readReplication, readReplicationLog } from '../../cluster/replication.ts';
import { requireNode } from '../../cluster/resolve.ts';
import { defineTool } from '../define-tool.ts';
import { node } from '../params.ts';
import { RIGHTS_READS } from '../rights-reads.ts';

/** In the order in which they are listed. */
const STATES = ['failing', 'unknown', 'late', 'never ran', 'running', 'ok', 'disabled'] as const;
type State = (typeof STATES)[number];

export const listReplication = defineTool({
  name: 'list_replication',
  title: 'List replication jobs',
  toolset: 'ha',
  description: 'Replication jobs with last sync, lag against the schedule, failures and next run; failing and late ones first.',
  params: {
    node: node.describe('Source node').optional(),
    job: z
      .string()
      .regex(/^\d{3,9}-\d{1,9}$/, 'a job id such as 100-0')
      .describe('Only this one, with its log')
      .optional(),
  },
  paged: true,
  output: {
    jobs: table({
      job: text(),
      guest: text(),
      source: text(),
      target: text(),
      state: text(`${STATES.join(', ')}; unknown: the source does not answer`),
      lag: duration('age of the copy on the target'),
      every: duration('longest pause of the schedule'),
      last_sync: time(),
      took: duration(),
      failures: int('in a row'),
      error: text(),
      next: time(),
      schedule: text(),
      comment: text(),
    }),
    log: prose('of the last run, newest line first'),
  },
  reads: [
    '/version',
    '/cluster/resources',
    '/cluster/replication',
    '/nodes/{node}/replication',
    '/nodes/{node}/replication/{id}/log',
    '/cluster/jobs/schedule-analyze',
    ...RIGHTS_READS,
  ],
  async run(args, call) {
    const [inventory, coverage] = await Promise.all([readInventory(call), guestCoverage(call)]);
    if (args.node !== undefined) requireNode(inventory, args.node);
    const reading = await readReplication(call, inventory, args.node);
    const now = (call.now() + reading.data.clockOffset) / 1000;
    const wanted = args.job === undefined ? reading.data.jobs : reading.data.jobs.filter(({ job }) => job.id === args.job);
    if (args.job !== undefined && wanted.length === 0) throw noSuchJob(args.job, reading.data.jobs, mergeGaps(reading, coverage));
    const rows = wanted.map((r) => toRow(r, inventory, now));
    const log = args.job === undefined ? undefined : await readLog(call, wanted[0]);
    return {
      headline: headline(rows, visibleWord(coverage), args.node, reading.problems.length > 0),
      sections: {
        jobs: {
          rows,
          key: (row: JobRow) => [STATES.indexOf(row.state), -(row.lag ?? 0), row.job],
        },
        log: log === undefined || log.lines.length === 0 ? undefined : log.lines.join('\n'),
      },
      gaps: mergeGaps(reading, coverage, log?.gaps ?? NO_GAPS),
      notes: [
        ...(log?.lines.length === 0 && log.gaps.problems.length === 0 ? ['Its node keeps no log of it.'] : []),
        ...(rows.some((r) => r.state === 'late')
          ? ['Late: the copy is older than two pauses of the schedule and the last run together.']
          : []),
      ],
    };
  },
});

const LOG_LINES = 50;

/** The log is with the source; of one that is down the reading tells already that it does not answer. */
async function readLog(
  call: Call,
  replication: Replication | undefined,
): Promise<{ readonly lines: readonly string[]; readonly gaps: Gaps } | undefined> {
  const { job, state } = replication ?? {};
  const { source } = job ?? {};
  if (job === undefined || source === undefined || state === undefined) return undefined;
  const { data, ...gaps } = await attempt({ node: source }, () => readReplicationLog(call, source, job.id, LOG_LINES));
  return { lines: data ?? [], gaps };
}

function noSuchJob(id: string, jobs: readonly Replication[], gaps: Gaps): ApiError {
  const whole = gaps.coverage === 'complete';
  return new ApiError('not-found', whole ? `There is no replication job ${id}.` : `No replication job ${id} is visible.`, {
    hint:
      jobs.length === 0
        ? undefined
        : `Jobs: ${jobs
            .slice(0, 12)
            .map(({ job }) => job.id)
            .join(', ')}.`,
  });
}

type JobRow = ReturnType<typeof toRow>;

function toRow({ job, state, interval }: Replication, inventory: Inventory, now: number) {
  const name = inventory.guests.find((g) => g.vmid === job.vmid)?.name;
  const lag = state?.lastSync === undefined ? undefined : Math.max(0, now - state.lastSync);
  return {
    job: job.id,
    guest: [job.vmid, name].filter((part) => part !== undefined).join(' '),
    source: job.source,
    target: job.target,
    state: stateOf({ job, state, interval }, lag),
    lag,
    every: job.disabled ? undefined : interval,
    last_sync: state?.lastSync,
    took: state?.duration,
    failures: state === undefined || state.failCount === 0 ? undefined : state.failCount,
    error: state?.error,
    next: job.disabled ? undefined : state?.nextSync,
    schedule: job.schedule,
    comment: job.comment,
  };
}

/** What one word says about a job; a disabled one is nothing else, however old its copy. */
function stateOf({ job, state, interval }: Replication, lag: number | undefined): State {
  if (job.disabled) return 'disabled';
  if (state === undefined) return 'unknown';
  if (state.failCount > 0 || state.error !== undefined) return 'failing';
  if (state.running) return 'running';
  if (lag === undefined) return 'never ran';
  if (interval !== undefined && lag > 2 * interval + (state.duration ?? 0)) return 'late';
  return 'ok';
}

function headline(rows: readonly JobRow[], visible: string, source: string | undefined, failed: boolean): string {
  const where = source === undefined ? '' : ` with source ${source}`;
  if (rows.length === 0)
    return failed ? `No replication job${where} seen, but not everything could be read` : `No ${visible}replication jobs${where}`;
  const counts = STATES.flatMap((state) => {
    const count = rows.filter((row) => row.state === state).length;
    return count === 0 ? [] : [`${count} ${state}`];
  });
  return `${rows.length} ${visible}replication ${rows.length === 1 ? 'job' : 'jobs'}${where}: ${counts.join(', ')}`;
}
