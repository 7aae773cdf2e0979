import { formatDuration } from '../../answer/units.ts';
import { isOnline } from '../../cluster/inventory.ts';
import type { Replication } from '../../cluster/replication.ts';
import { type Check, defineCheck, onThing, type Target } from './check.ts';

/** Storage replication. A job that is switched off is nobody's fault. */
export const replicationChecks: readonly Check[] = [
  defineCheck({
    id: 'PVE-R01',
    area: 'replication',
    severity: 'critical',
    what: 'Replication failing',
    why: 'the copy gets older with every run',
    command: 'pvesr status; pvesr run --id <name> --verbose',
    needs: ['replication'],
    judge: ({ replication }) =>
      active(replication.jobs).flatMap((r) =>
        isFailing(r)
          ? [
              {
                on: onJob(r),
                evidence: `${r.state?.failCount ?? 0} failures${r.state?.error === undefined ? '' : `: ${r.state.error}`}`,
              },
            ]
          : [],
      ),
  }),
  defineCheck({
    id: 'PVE-R02',
    area: 'replication',
    severity: 'warning',
    what: 'Replication behind its schedule',
    why: 'after a failover the guest starts with old data',
    command: 'pvesr status; pvesr schedule-now <name>',
    needs: ['replication'],
    thresholds: ['replication-intervals'],
    judge: ({ replication }, by) =>
      active(replication.jobs).flatMap((r) => {
        const last = r.state?.lastSync;
        if (last === undefined || r.interval === undefined || isFailing(r)) return [];
        const age = by.now + replication.clockOffset / 1000 - last;
        const allowed = r.interval * by.threshold('replication-intervals') + (r.state?.duration ?? 0);
        return age > allowed
          ? [{ on: onJob(r), evidence: `last ${formatDuration(age)} ago, due every ${formatDuration(r.interval)}` }]
          : [];
      }),
  }),
  defineCheck({
    id: 'PVE-R03',
    area: 'replication',
    severity: 'warning',
    what: 'Replication never done',
    why: 'there is no copy at all yet',
    command: 'pvesr schedule-now <name>',
    needs: ['replication'],
    judge: ({ replication }) =>
      active(replication.jobs).flatMap((r) =>
        r.state !== undefined && r.state.lastSync === undefined && !isFailing(r) && !r.state.running
          ? [{ on: onJob(r), evidence: `to ${r.job.target ?? 'another node'}, ${r.job.schedule}` }]
          : [],
      ),
  }),
  defineCheck({
    id: 'PVE-R04',
    area: 'replication',
    severity: 'warning',
    what: 'Replication from or to a node that is not online',
    why: 'nothing is copied until it is back',
    command: 'pvesr status',
    needs: ['replication', 'nodes'],
    judge: ({ replication, nodes }) =>
      active(replication.jobs).flatMap((r) => {
        const down = [r.job.source, r.job.target].find((n) => n !== undefined && !isOnline(nodes, n));
        return down === undefined
          ? []
          : [
              {
                on: { ...onJob(r), nodes: [down] },
                evidence: `${r.job.source ?? '?'} to ${r.job.target ?? '?'}, ${down} is not online`,
              },
            ];
      }),
  }),
  defineCheck({
    id: 'PVE-R05',
    area: 'replication',
    severity: 'warning',
    what: 'Replication takes longer than its interval',
    why: 'it can never be on time',
    command: 'pvesr update <name> --schedule SCHEDULE',
    needs: ['replication'],
    judge: ({ replication }) =>
      active(replication.jobs).flatMap((r) => {
        const took = r.state?.duration;
        return took !== undefined && r.interval !== undefined && took >= r.interval
          ? [{ on: onJob(r), evidence: `takes ${formatDuration(took)}, due every ${formatDuration(r.interval)}` }]
          : [];
      }),
  }),
];

function active(jobs: readonly Replication[]): readonly Replication[] {
  return jobs.filter((r) => !r.job.disabled);
}

function isFailing(r: Replication): boolean {
  return (r.state?.failCount ?? 0) > 0 || r.state?.error !== undefined;
}

function onJob(r: Replication): Target {
  return onThing(r.job.id, { vmid: r.job.vmid, node: r.job.source });
}
