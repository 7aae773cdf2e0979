import { kernelPending } from '../../cluster/node-status.ts';
import { type Drift, findDrift } from '../../cluster/updates.ts';
import { type Check, CLUSTER, defineCheck, onNode, onThing, some } from './check.ts';

/** Ends of support of major releases, seconds since the epoch. */
const END_OF_SUPPORT: Readonly<Record<number, number>> = {
  6: Date.UTC(2022, 8, 1) / 1000,
  7: Date.UTC(2024, 6, 31) / 1000,
  8: Date.UTC(2026, 7, 31) / 1000,
};

/** Versions, kernels and packages. */
export const versionChecks: readonly Check[] = [
  defineCheck({
    id: 'PVE-V01',
    area: 'versions',
    severity: 'warning',
    what: 'Nodes run different releases',
    why: 'migration and HA are only tested from older to newer, and only for the time of an upgrade',
    command: 'apt update && apt dist-upgrade (node by node)',
    needs: ['versions', 'everyNode'],
    judge: ({ versions }) =>
      driftOf(versions).flatMap((d) =>
        d.name === 'pve-manager' ? [{ on: onThing('pve-manager'), evidence: driftText(d) }] : [],
      ),
  }),
  defineCheck({
    id: 'PVE-V02',
    area: 'versions',
    severity: 'info',
    what: 'Packages differ between nodes',
    why: 'guests behave differently depending on where they run',
    command: 'pveversion -v',
    needs: ['versions', 'everyNode'],
    judge: ({ versions }) =>
      driftOf(versions).flatMap((d) => (d.name === 'pve-manager' ? [] : [{ on: onThing(d.name), evidence: driftText(d) }])),
  }),
  defineCheck({
    id: 'PVE-V03',
    area: 'versions',
    severity: 'warning',
    what: 'Node waits for a reboot',
    why: 'a newer kernel is installed, with its fixes, and not running',
    command: 'ssh <node> reboot (after migrating its guests)',
    needs: ['versions'],
    judge: ({ versions }) =>
      [...versions].flatMap(([node, v]) =>
        kernelPending(v.runningKernel, v.newestKernel) === true
          ? [{ on: onNode(node), evidence: `runs ${v.runningKernel}, ${v.newestKernel} installed` }]
          : [],
      ),
  }),
  defineCheck({
    id: 'PVE-V04',
    area: 'versions',
    severity: 'warning',
    what: 'Release no longer supported',
    why: 'no security fixes any more',
    command: 'pve8to9 --full (or the checklist script of your release)',
    needs: ['release'],
    judge: ({ release }, by) => {
      const end = END_OF_SUPPORT[release.major];
      return end !== undefined && by.now > end
        ? [
            {
              on: CLUSTER,
              evidence: `Proxmox VE ${release.text}, support ended ${new Date(end * 1000).toISOString().slice(0, 7)}`,
            },
          ]
        : [];
    },
  }),
  defineCheck({
    id: 'PVE-V05',
    area: 'versions',
    severity: 'info',
    what: 'Nodes run different kernels',
    why: 'live migration and drivers may behave differently',
    needs: ['versions', 'everyNode'],
    judge: ({ versions }) => {
      // A node that waits for its reboot is told as that.
      const settled = [...versions].filter(([, v]) => kernelPending(v.runningKernel, v.newestKernel) === false);
      const kernels = new Set(settled.map(([, v]) => v.runningKernel));
      return kernels.size < 2 ? [] : [{ on: CLUSTER, evidence: some(settled.map(([node, v]) => `${node} ${v.runningKernel}`)) }];
    },
  }),
];

function driftOf(versions: ReadonlyMap<string, Parameters<typeof findDrift>[0][number]['versions']>): readonly Drift[] {
  return findDrift([...versions].map(([node, v]) => ({ node, versions: v })));
}

function driftText(drift: Drift): string {
  return [...drift.versions].map(([version, nodes]) => `${version} on ${some(nodes, 3)}`).join('; ');
}
