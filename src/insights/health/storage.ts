import { formatBytes, shareOf } from '../../answer/units.ts';
import type { Node } from '../../cluster/inventory.ts';
import type { Storage } from '../../cluster/storage.ts';
import { type Check, defineCheck, type Finding, graded, onPart, onStorage, percentText, some } from './check.ts';

/** Storages and thin pools. */
export const storageChecks: readonly Check[] = [
  defineCheck({
    id: 'PVE-S01',
    area: 'storage',
    severity: 'critical',
    what: 'Storage not reachable',
    why: 'guests and jobs on it stop or fail',
    command: 'pvesm status --storage <storage>',
    needs: ['storages'],
    judge: ({ storages }) => {
      const groups = new Map<string, Storage[]>();
      for (const s of storages) if (s.state === 'inactive') groups.set(s.storage, [...(groups.get(s.storage) ?? []), s]);
      return [...groups].map(([storage, parts]) => {
        const [first] = parts;
        const holds = parts.some((p) => p.content.includes('images') || p.content.includes('rootdir'));
        const nodes = parts.flatMap((p) => p.nodes);
        const where = first?.shared === true ? 'from no node' : `on ${some(nodes)}`;
        return {
          on: { ...onStorage(storage, first?.shared === true || parts.length > 1 ? undefined : first?.nodes[0]), nodes },
          severity: holds ? ('critical' as const) : ('warning' as const),
          evidence: `${first?.plugin ?? 'storage'} ${where}${holds ? ', may hold disks of guests' : ''}`,
        };
      });
    },
  }),
  defineCheck({
    id: 'PVE-S02',
    area: 'storage',
    severity: 'warning',
    what: 'Shared storage not reachable from every node',
    why: 'guests on it cannot start or move there',
    command: 'ssh <node> pvesm status --storage <storage>',
    needs: ['storages'],
    judge: ({ storages }) =>
      storages.flatMap((s) =>
        s.unreachableFrom.length === 0
          ? []
          : [
              {
                on: {
                  ...onStorage(s.storage),
                  node: s.unreachableFrom.length === 1 ? s.unreachableFrom[0] : undefined,
                  nodes: s.unreachableFrom,
                },
                evidence: `not from ${some(s.unreachableFrom)}`,
              },
            ],
      ),
  }),
  defineCheck({
    id: 'PVE-S03',
    area: 'storage',
    severity: 'critical',
    what: 'Storage filling up',
    why: 'guests on a full storage stop at their next write, and backups fail',
    command: 'pvesm status --storage <storage>; pvesm list <storage>',
    needs: ['storages', 'nodes'],
    thresholds: ['storage-warning', 'storage-critical'],
    judge: ({ storages, nodes }, by) =>
      storages.flatMap((s): Finding[] => {
        if (s.state !== 'available' || isRoot(s, nodes)) return [];
        const share = shareOf(s.used, s.total);
        const severity = graded(share, by.threshold('storage-warning'), by.threshold('storage-critical'));
        if (share === undefined || severity === undefined) return [];
        return [
          {
            on: onStorage(s.storage, s.shared ? undefined : s.nodes[0]),
            severity,
            evidence: `${percentText(share)} of ${formatBytes(s.total ?? 0)}, ${formatBytes((s.total ?? 0) - (s.used ?? 0))} left`,
          },
        ];
      }),
  }),
  defineCheck({
    id: 'PVE-S04',
    area: 'storage',
    severity: 'warning',
    what: 'Storage limited to a node that does not exist',
    why: 'left over from a removed node, or misspelt: the node that was meant does not have it',
    command: 'pvesm set <storage> --nodes NODES',
    needs: ['definitions', 'nodes'],
    judge: ({ definitions, nodes }) => {
      const known = new Set(nodes.map((n) => n.node));
      return definitions.flatMap((d) => {
        const gone = d.nodes.filter((n) => !known.has(n));
        return gone.length === 0 ? [] : [{ on: onStorage(d.storage), evidence: some(gone) }];
      });
    },
  }),
  defineCheck({
    id: 'PVE-S05',
    area: 'storage',
    severity: 'critical',
    what: 'Metadata of a thin pool nearly full',
    why: 'when it is full every volume in the pool stops, however much space is left, and repair is offline work',
    command: 'ssh <node> lvextend --poolmetadatasize +1G <name>',
    needs: ['thinPools'],
    thresholds: ['metadata-warning', 'metadata-critical'],
    judge: ({ thinPools }, by) =>
      [...thinPools].flatMap(([node, pools]) =>
        pools.flatMap((p): Finding[] => {
          const share = shareOf(p.metadataUsed, p.metadataSize);
          const severity = graded(share, by.threshold('metadata-warning'), by.threshold('metadata-critical'));
          if (share === undefined || severity === undefined) return [];
          return [
            { on: onPart(node, p.name), severity, evidence: `${percentText(share)} of ${formatBytes(p.metadataSize ?? 0)}` },
          ];
        }),
      ),
  }),
  defineCheck({
    id: 'PVE-S06',
    area: 'storage',
    severity: 'critical',
    what: 'Thin pool without a storage nearly full',
    why: 'every volume in it stops at the next write',
    command: 'ssh <node> lvs -a',
    needs: ['thinPools', 'allStorages'],
    thresholds: ['storage-warning', 'storage-critical'],
    judge: ({ thinPools, allStorages }, by) => {
      // Pools behind a storage are told as that storage.
      const behind = new Set(allStorages.map((d) => `${d.vgname ?? ''}/${d.thinpool ?? ''}`));
      return [...thinPools].flatMap(([node, pools]) =>
        pools.flatMap((p): Finding[] => {
          const share = shareOf(p.used, p.size);
          const severity = graded(share, by.threshold('storage-warning'), by.threshold('storage-critical'));
          if (share === undefined || severity === undefined || behind.has(p.name)) return [];
          return [{ on: onPart(node, p.name), severity, evidence: `${percentText(share)} of ${formatBytes(p.size ?? 0)}` }];
        }),
      );
    },
  }),
  defineCheck({
    id: 'PVE-S07',
    area: 'storage',
    severity: 'warning',
    what: 'Thin pool overcommitted',
    why: 'the disks in it may grow to more than there is; snapshots come on top',
    command: 'ssh <node> lvs -o lv_name,lv_size,data_percent <storage>',
    needs: ['details', 'oneGo', 'thinPools', 'definitions'],
    thresholds: ['thin-overcommit'],
    judge: ({ details, thinPools, definitions }, by) => {
      const thin = definitions.filter((d) => d.plugin === 'lvmthin' && d.vgname !== undefined && d.thinpool !== undefined);
      return [...thinPools].flatMap(([node, pools]) =>
        pools.flatMap((pool): Finding[] => {
          const storages = thin.filter((d) => `${d.vgname}/${d.thinpool}` === pool.name).map((d) => d.storage);
          const assigned = [...details.values()]
            .filter((d) => d.guest.node === node)
            .flatMap((d) => d.config?.disks ?? [])
            .filter((disk) => disk.storage !== undefined && storages.includes(disk.storage))
            .reduce((sum, disk) => sum + (disk.size ?? 0), 0);
          const share = shareOf(assigned, pool.size);
          if (share === undefined || share * 100 < by.threshold('thin-overcommit')) return [];
          return [
            { on: onPart(node, pool.name), evidence: `${formatBytes(assigned)} of disks in ${formatBytes(pool.size ?? 0)}` },
          ];
        }),
      );
    },
  }),
];

/** A directory on the node's root file system tells the same figures, which the node's own check is about. */
function isRoot(s: Storage, nodes: readonly Node[]): boolean {
  const node = s.shared ? undefined : nodes.find((n) => n.node === s.nodes[0]);
  return s.plugin === 'dir' && node?.maxDisk !== undefined && node.maxDisk === s.total && node.disk === s.used;
}
