import { DemoHttpError, type HandlerRequest, type HandlerTable } from '../types.ts';
import type { ReplicationJob, Row } from '../world/area-types.ts';
import { digestOf } from '../world/digests.ts';
import type { DemoWorld } from '../world/types.ts';
import { demand, directory, forbidden, logPage, missingLog, nodeOf, parameter, seconds } from './answers.ts';

/** Replication jobs as configured, and their state on the source node. */
export function replicationHandlers(world: DemoWorld): HandlerTable {
  const { jobs } = world.areas.replication;
  const jobOf = (request: HandlerRequest): ReplicationJob => {
    const id = parameter(request, 'id');
    const found = jobs.find((job) => job.id === id);
    if (found === undefined) throw new DemoHttpError(500, `no such job '${id}'`);
    return found;
  };
  return {
    '/cluster/replication': (request) => jobs.filter((job) => request.may(`/vms/${job.guest}`, 'VM.Audit')).map(configured),
    '/cluster/replication/{id}': (request) => {
      const [vmid] = parameter(request, 'id').split('-');
      demand(request, `/vms/${vmid}`, 'VM.Audit');
      return { ...configured(jobOf(request)), digest: digestOf(jobs) };
    },
    '/nodes/{node}/replication': (request) => {
      const { node } = nodeOf(world, request);
      return jobs
        .filter((job) => job.source === node && request.may(`/vms/${job.guest}`, 'VM.Audit'))
        .filter((job) => request.query.guest === undefined || String(job.guest) === request.query.guest)
        .map((job) => {
          const row = status(job, request);
          // Known quirk: this list gives the comment as the file has it, the single job gives it decoded.
          return typeof row.comment === 'string' ? { ...row, comment: percentEncoded(row.comment) } : row;
        });
    },
    '/nodes/{node}/replication/{id}': directory('name', ['schedule_now', 'log', 'status']),
    '/nodes/{node}/replication/{id}/status': (request) => {
      const job = jobOf(request);
      demand(request, `/vms/${job.guest}`, 'VM.Audit');
      return status(job, request);
    },
    '/nodes/{node}/replication/{id}/log': (request) => {
      const job = jobOf(request);
      const { node } = nodeOf(world, request);
      if (!request.may(`/vms/${job.guest}`, 'VM.Audit') && !request.may(`/nodes/${node}`, 'Sys.Audit')) throw forbidden();
      if (job.log === undefined) return missingLog();
      const at = (syncTimes(job, request).lastTry || 0) * 1000;
      const stamp = new Date(at).toISOString().slice(0, 19).replace('T', ' ');
      return logPage(
        job.log.map((line) => `${stamp} ${job.id}: ${line}`),
        request,
      );
    },
  };
}

/** As the configuration file keeps it: what is not ASCII, percent-encoded. */
function percentEncoded(text: string): string {
  return text.replace(/[^\x20-\x7e]+/gu, encodeURIComponent);
}

function configured(job: ReplicationJob): Row {
  const { id, guest, source, target, schedule, rate, comment, disable } = job;
  return {
    ...(comment === undefined ? {} : { comment }),
    ...(disable === undefined ? {} : { disable }),
    guest,
    id,
    jobnum: Number(id.split('-')[1]),
    ...(rate === undefined ? {} : { rate }),
    ...(schedule === undefined ? {} : { schedule }),
    source,
    target,
    type: 'local',
  };
}

/** Epoch seconds of the last and the next run; a job without a fixed history keeps to its schedule. */
function syncTimes(job: ReplicationJob, request: HandlerRequest): { lastSync: number; lastTry: number; nextSync: number } {
  const period = job.every * 60;
  const now = seconds(request);
  const slot = now - (now % period);
  const lastSync = job.lastSync ?? slot + 2;
  const lastTry = job.lastTry ?? slot + 2;
  // After failures the next attempt comes after a growing pause, not at the next slot.
  const nextSync = job.failCount > 0 ? lastTry + 300 * job.failCount : slot + period;
  return { lastSync, lastTry, nextSync };
}

function status(job: ReplicationJob, request: HandlerRequest): Row {
  const { lastSync, lastTry, nextSync } = syncTimes(job, request);
  return {
    ...configured(job),
    ...(job.duration === undefined ? {} : { duration: job.duration }),
    ...(job.error === undefined ? {} : { error: job.error }),
    fail_count: job.failCount,
    last_sync: lastSync,
    last_try: lastTry,
    next_sync: nextSync,
    vmtype: job.vmtype,
  };
}
