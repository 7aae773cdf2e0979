import { formatBytes, shareOf } from '../../answer/units.ts';
import { isFailing } from '../../cluster/disks.ts';
import { type Check, defineCheck, type Finding, graded, onPart, percentText } from './check.ts';

/** Disks and ZFS pools. */
export const diskChecks: readonly Check[] = [
  defineCheck({
    id: 'PVE-D01',
    area: 'disks',
    severity: 'critical',
    what: 'Disk failing',
    why: 'it says so itself (SMART): replace it before it is gone',
    command: 'ssh <node> smartctl -a <name>',
    needs: ['disks'],
    judge: ({ disks }) =>
      [...disks].flatMap(([node, list]) =>
        list.filter(isFailing).map((d) => ({
          on: onPart(node, d.path),
          evidence: `${d.health}, ${d.model ?? 'model unknown'}${d.use === undefined ? '' : `, used for ${d.use}`}`,
        })),
      ),
  }),
  defineCheck({
    id: 'PVE-D02',
    area: 'disks',
    severity: 'critical',
    what: 'Disk worn out',
    why: 'its maker does not promise that it takes more writes',
    command: 'ssh <node> smartctl -a <name>',
    needs: ['disks'],
    thresholds: ['wear-warning', 'wear-critical'],
    judge: ({ disks }, by) =>
      [...disks].flatMap(([node, list]) =>
        list.flatMap((d): Finding[] => {
          const used = d.lifeLeft === undefined ? undefined : 1 - d.lifeLeft;
          const severity = graded(used, by.threshold('wear-warning'), by.threshold('wear-critical'));
          if (used === undefined || severity === undefined) return [];
          return [
            {
              on: onPart(node, d.path),
              severity,
              evidence: `${percentText(used)} of its life used, ${d.model ?? 'model unknown'}`,
            },
          ];
        }),
      ),
  }),
  defineCheck({
    id: 'PVE-D03',
    area: 'disks',
    severity: 'critical',
    what: 'ZFS pool not healthy',
    why: 'redundancy is lost: the next disk may take the data along',
    command: 'ssh <node> zpool status <name>',
    needs: ['zfsPools'],
    judge: ({ zfsPools }) =>
      [...zfsPools].flatMap(([node, pools]) =>
        pools.flatMap((p) =>
          p.health === undefined || p.health === 'ONLINE' ? [] : [{ on: onPart(node, p.name), evidence: `${p.health}` }],
        ),
      ),
  }),
  defineCheck({
    id: 'PVE-D04',
    area: 'disks',
    severity: 'critical',
    what: 'ZFS pool filling up',
    why: 'it gets slow long before it is full, and a full one takes no writes at all',
    command: 'ssh <node> zfs list -o space -r <name>',
    needs: ['zfsPools'],
    thresholds: ['zfs-warning', 'zfs-critical'],
    judge: ({ zfsPools }, by) =>
      [...zfsPools].flatMap(([node, pools]) =>
        pools.flatMap((p): Finding[] => {
          const share = shareOf(p.used, p.size);
          const severity = graded(share, by.threshold('zfs-warning'), by.threshold('zfs-critical'));
          if (share === undefined || severity === undefined) return [];
          return [{ on: onPart(node, p.name), severity, evidence: `${percentText(share)} of ${formatBytes(p.size ?? 0)}` }];
        }),
      ),
  }),
  defineCheck({
    id: 'PVE-D05',
    area: 'disks',
    severity: 'info',
    what: 'ZFS pool fragmented',
    why: 'writes get slower the less room there is in one piece',
    command: 'ssh <node> zpool list <name>',
    needs: ['zfsPools'],
    thresholds: ['zfs-fragmentation'],
    judge: ({ zfsPools }, by) =>
      [...zfsPools].flatMap(([node, pools]) =>
        pools.flatMap((p) =>
          p.fragmentation !== undefined && p.fragmentation * 100 >= by.threshold('zfs-fragmentation')
            ? [{ on: onPart(node, p.name), evidence: `${percentText(p.fragmentation)}` }]
            : [],
        ),
      ),
  }),
];
