import { counted } from '../../answer/units.ts';
import { type Check, CLUSTER, defineCheck, onThing, some } from './check.ts';

/** Notifications and metrics: who is told, and what is recorded. */
export const notificationChecks: readonly Check[] = [
  defineCheck({
    id: 'PVE-M01',
    area: 'notifications',
    severity: 'warning',
    what: 'Notifications sent to a disabled target',
    why: 'they are dropped without a word',
    command: 'pvesh set /cluster/notifications/endpoints/TYPE/TARGET --disable 0',
    needs: ['notifications'],
    judge: ({ notifications: { targets, matchers } }) =>
      matchers.flatMap((m) => {
        const off = m.enabled ? m.targets.filter((t) => targets.some((x) => x.name === t && !x.enabled)) : [];
        return off.length === 0 ? [] : [{ on: onThing(`matcher ${m.name}`), evidence: `target ${some(off)}` }];
      }),
  }),
  defineCheck({
    id: 'PVE-M02',
    area: 'notifications',
    severity: 'warning',
    what: 'Notifications sent to a target that does not exist',
    why: 'they reach nobody',
    command: 'pvesh set /cluster/notifications/matchers/MATCHER --target TARGET',
    needs: ['notifications'],
    judge: ({ notifications: { targets, matchers } }) => {
      const known = new Set(targets.map((t) => t.name));
      return matchers.flatMap((m) => {
        const gone = m.enabled ? m.targets.filter((t) => !known.has(t)) : [];
        return gone.length === 0 ? [] : [{ on: onThing(`matcher ${m.name}`), evidence: `target ${some(gone)}` }];
      });
    },
  }),
  defineCheck({
    id: 'PVE-M03',
    area: 'notifications',
    severity: 'warning',
    what: 'Nobody is notified',
    why: 'failed backups, fenced nodes and updates go unseen',
    command: 'web interface: Datacenter, Notifications',
    needs: ['notifications'],
    judge: ({ notifications: { targets, matchers } }) => {
      const live = new Set(targets.filter((t) => t.enabled).map((t) => t.name));
      return matchers.some((m) => m.enabled && m.targets.some((t) => live.has(t)))
        ? []
        : [{ on: CLUSTER, evidence: `${counted(matchers.length, 'matcher')}, none reaches an enabled target` }];
    },
  }),
  defineCheck({
    id: 'PVE-M04',
    area: 'notifications',
    severity: 'info',
    what: 'Notification matcher disabled',
    why: 'what it was to report is reported by no one, or by the others only',
    command: 'pvesh set /cluster/notifications/matchers/MATCHER --disable 0',
    needs: ['notifications'],
    judge: ({ notifications: { matchers } }) =>
      matchers.flatMap((m) =>
        m.enabled
          ? []
          : [
              {
                on: onThing(`matcher ${m.name}`),
                evidence:
                  m.comment ?? (m.conditions.length === 0 ? `everything, to ${some(m.targets, 2)}` : some(m.conditions, 2)),
              },
            ],
      ),
  }),
  defineCheck({
    id: 'PVE-M05',
    area: 'notifications',
    severity: 'info',
    what: 'Metric server disabled',
    why: 'nothing is recorded there',
    command: 'pvesh set /cluster/metrics/server/<name> --disable 0',
    needs: ['metricServers'],
    judge: ({ metricServers }) =>
      metricServers.flatMap((s) =>
        s.enabled ? [] : [{ on: onThing(s.id), evidence: `${s.type}${s.server === undefined ? '' : ` at ${s.server}`}` }],
      ),
  }),
];
