import { counted, shareOf } from '../../answer/units.ts';
import type { FactData } from '../../cluster/health-facts.ts';
import { type Check, defineCheck, type Finding, graded, onThing, percentText, type Severity, some } from './check.ts';

const CEPH = onThing('Ceph');
/** Flags that change what happens to the data; the others only turn checks off. */
const GRAVE_FLAGS: ReadonlySet<string> = new Set([
  'pause',
  'pauserd',
  'pausewr',
  'noup',
  'nodown',
  'noin',
  'noout',
  'norecover',
  'nobackfill',
  'norebalance',
  'full',
]);

type Present = Exclude<FactData['ceph'], 'absent'>;

/** Ceph, where there is one. */
export const cephChecks: readonly Check[] = [
  cephCheck('PVE-E01', 'critical', 'Ceph not healthy', 'its own health watch says so', 'ceph health detail', ({ status }) => {
    if (status.health === 'HEALTH_OK') return [];
    const severity: Severity = status.health === 'HEALTH_ERR' ? 'critical' : 'warning';
    const said = status.checks.filter((c) => !c.muted).map((c) => c.summary);
    return [{ on: CEPH, severity, evidence: `${status.health}${said.length === 0 ? '' : `: ${some(said, 3)}`}` }];
  }),
  cephCheck(
    'PVE-E02',
    'warning',
    'OSDs down',
    'their data has fewer copies until they are back',
    'ceph osd tree down',
    ({ status }) => {
      const { osds, osdsUp } = status;
      return osds === undefined || osdsUp === undefined || osdsUp >= osds
        ? []
        : [{ on: CEPH, evidence: `${osds - osdsUp} of ${osds}` }];
    },
  ),
  cephCheck(
    'PVE-E03',
    'warning',
    'Ceph flags set',
    'something that usually happens by itself is switched off',
    'ceph osd unset FLAG',
    ({ flags }) => {
      const set = flags ?? [];
      if (set.length === 0) return [];
      return [{ on: CEPH, severity: set.some((f) => GRAVE_FLAGS.has(f)) ? 'warning' : 'info', evidence: some(set) }];
    },
  ),
  cephCheck(
    'PVE-E04',
    'warning',
    'Ceph daemons of different versions',
    'only meant for the time of an upgrade',
    'ceph versions',
    ({ versions }) => {
      const running = new Map<string, string[]>();
      for (const v of versions ?? [])
        if (v.kind !== 'node') running.set(v.version, [...(running.get(v.version) ?? []), ...v.who]);
      return running.size < 2
        ? []
        : [
            {
              on: CEPH,
              evidence: some(
                [...running].map(
                  ([version, who]) => `${version}: ${who.length > 2 ? counted(who.length, 'daemon') : who.join(', ')}`,
                ),
                3,
              ),
            },
          ];
    },
  ),
  cephCheck(
    'PVE-E05',
    'critical',
    'Ceph monitors out of quorum',
    'without a majority of monitors all of Ceph stops',
    'ceph quorum_status',
    ({ status }) => {
      const out = status.monitors.filter((m) => !status.inQuorum.includes(m));
      if (out.length === 0) return [];
      const left = status.monitors.length - out.length;
      return [{ on: CEPH, severity: left * 2 <= status.monitors.length + 1 ? 'critical' : 'warning', evidence: some(out) }];
    },
  ),
  cephCheck(
    'PVE-E06',
    'critical',
    'Ceph without a (spare) manager',
    'statistics, balancing and orchestration stop with it',
    'pveceph mgr create',
    ({ status }) => {
      if (status.managerAvailable === false) return [{ on: CEPH, severity: 'critical', evidence: 'no active manager' }];
      return status.standbyManagers === 0 && status.monitors.length > 1
        ? [{ on: CEPH, severity: 'info', evidence: 'no standby' }]
        : [];
    },
  ),
  cephCheck(
    'PVE-E07',
    'critical',
    'Ceph filling up',
    'at 95% of any OSD writing stops, and a lost node needs room for its copies',
    'ceph df; ceph osd df',
    ({ status }, by) => {
      const share = shareOf(status.used, status.total);
      const severity = graded(share, by.threshold('ceph-warning'), by.threshold('ceph-critical'));
      return share === undefined || severity === undefined ? [] : [{ on: CEPH, severity, evidence: percentText(share) }];
    },
    ['ceph-warning', 'ceph-critical'],
  ),
  cephCheck('PVE-E08', 'info', 'OSDs out', 'their space is not used', 'ceph osd tree out', ({ status }) => {
    const { osds, osdsIn } = status;
    return osds === undefined || osdsIn === undefined || osdsIn >= osds
      ? []
      : [{ on: CEPH, evidence: counted(osds - osdsIn, 'OSD') }];
  }),
];

function cephCheck(
  id: string,
  severity: Severity,
  what: string,
  why: string,
  command: string,
  judge: (ceph: Present, by: Parameters<Check['judge']>[1]) => readonly Finding[],
  thresholds: Check['thresholds'] = [],
): Check {
  return defineCheck({
    id,
    area: 'ceph',
    severity,
    what,
    why,
    command,
    thresholds,
    needs: ['ceph'],
    judge: ({ ceph }, by) => (ceph === 'absent' ? [] : judge(ceph, by)),
  });
}
