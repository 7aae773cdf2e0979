import { z } from 'zod';
import { bool, int, list, table, text } from '../../answer/spec.ts';
import type { Call } from '../../api/call.ts';
import { type Gaps, mergeGaps, NO_GAPS, type Problem } from '../../api/reading.ts';
import { fanOut } from '../../cluster/fan-out.ts';
import { offlineGaps, onlineNodes, readInventory } from '../../cluster/inventory.ts';
import { kernelPending, type NodeVersions, readNodeVersions } from '../../cluster/node-status.ts';
import { requireOnlineNode } from '../../cluster/resolve.ts';
import {
  coreUpdates,
  findDrift,
  isSecurity,
  type Repositories,
  readRepositories,
  readUpdates,
  type Update,
} from '../../cluster/updates.ts';
import { defineTool } from '../define-tool.ts';
import { node } from '../params.ts';

export const listUpdates = defineTool({
  name: 'list_updates',
  title: 'Updates and versions',
  toolset: 'maintenance',
  description:
    "Available package updates (whole list needs Sys.Modify; without it the product's own packages), version differences between nodes, waiting kernels. repositories=true adds package sources.",
  params: {
    node: node.optional(),
    repositories: z.boolean().optional(),
  },
  paged: true,
  output: {
    nodes: table({
      node: text(),
      pve_manager: text(),
      kernel: text('running'),
      newest_kernel: text('installed'),
      newer_kernel_waits: bool(),
      updates: int('undefined where the whole list is hidden'),
      security: int(),
    }),
    updates: table({
      package: text(),
      installed: text(),
      available: text(),
      origin: text(),
      security: bool(),
      nodes: list(),
    }),
    drift: table({ package: text(), versions: list('version: nodes') }, 'packages that differ between nodes'),
    repositories: table({ node: text(), source: text(), enabled: bool(), comment: text(), file: text() }),
    remarks: table({ node: text(), remark: text() }, "the nodes' own warnings about their package sources"),
  },
  reads: [
    '/cluster/resources',
    '/nodes/{node}/apt/update',
    '/nodes/{node}/apt/versions',
    '/nodes/{node}/apt/repositories',
    '/access/permissions',
  ],
  async run(args, call) {
    const inventory = await readInventory(call);
    const nodes = args.node === undefined ? onlineNodes(inventory) : [requireOnlineNode(inventory, args.node)];
    const allowed = await allowedNodes(call, nodes);
    const where = (n: string) => ({ node: n });
    const [updates, versions, repositories] = await Promise.all([
      fanOut(call, allowed.nodes, where, (n) => readUpdates(call, n)),
      fanOut(call, nodes, where, (n) => readNodeVersions(call, n)),
      args.repositories === true ? fanOut(call, nodes, where, (n) => readRepositories(call, n)) : undefined,
    ]);
    const whole = new Map(updates.results.map((r) => [r.item, r.data]));
    const known = versions.results.map((r) => ({ node: r.item, versions: r.data }));
    // Where the whole list is hidden, the product's own packages still tell.
    const perNode = nodes.map((n) => ({
      node: n,
      updates: whole.get(n) ?? coreUpdates(known.find((k) => k.node === n)?.versions ?? NOTHING_KNOWN),
    }));
    const rows = updateRows(perNode);
    const drift = findDrift(known);
    const hiddenOn = nodes.length - whole.size;
    const seen = known.length > 0 || whole.size > 0;
    return {
      headline: seen
        ? headline(rows, new Set([...whole.keys(), ...known.map((k) => k.node)]).size, drift.length, known, hiddenOn)
        : `Updates and versions of ${nodes.length} ${nodes.length === 1 ? 'node' : 'nodes'} could not be read`,
      sections: {
        nodes: !seen ? undefined : nodes.map((n) => nodeRow(n, known.find((k) => k.node === n)?.versions, whole.get(n))),
        updates: !seen
          ? undefined
          : { rows, key: (row) => [row.security === true ? 0 : 1, row.package ?? '', row.available ?? '', row.installed ?? ''] },
        drift:
          known.length < 2
            ? undefined
            : drift.map((d) => ({
                package: d.name,
                versions: [...d.versions].map(([version, on]) => `${version}: ${on.join(', ')}`),
              })),
        repositories: repositories?.results.flatMap((r) => repositoryRows(r.item, r.data)),
        remarks: repositories?.results.flatMap((r) => r.data.remarks.map((remark) => ({ node: r.item, remark }))),
      },
      gaps: mergeGaps(
        allowed.gaps,
        updates.gaps,
        versions.gaps,
        repositories?.gaps ?? NO_GAPS,
        args.node === undefined ? offlineGaps(inventory) : NO_GAPS,
      ),
      notes: [
        ...(seen ? ['Updates are those that each node knew of when it last refreshed its package lists.'] : []),
        ...(hiddenOn === 0 || known.length === 0
          ? []
          : ["Where the whole list is hidden, updates holds only the product's own packages; others may be waiting, too."]),
        ...kernelNotes(known),
      ],
    };
  },
});

const NOTHING_KNOWN: NodeVersions = {
  packages: [],
  manager: undefined,
  runningKernel: undefined,
  newestKernel: undefined,
};

/** The nodes whose updates the token may ask for: an exact question, so that no request is sent to be refused. */
async function allowedNodes(call: Call, nodes: readonly string[]): Promise<{ nodes: readonly string[]; gaps: Gaps }> {
  const held = await Promise.all(nodes.map((n) => call.rights.has('Sys.Modify', `/nodes/${n}`)));
  const problems: Problem[] = nodes.flatMap((n, i) =>
    held[i] === true
      ? []
      : [
          {
            where: { node: n },
            kind: 'forbidden' as const,
            message: 'The whole list of updates is not shown to tokens that may only look.',
            needs: `Sys.Modify on /nodes/${n}`,
          },
        ],
  );
  return {
    nodes: nodes.filter((_, i) => held[i] === true),
    gaps: { problems, coverage: problems.length === 0 ? 'complete' : 'partial', hidden: [] },
  };
}

/** The same step of the same package is one row, whatever the number of nodes. */
function updateRows(perNode: readonly { readonly node: string; readonly updates: readonly Update[] }[]) {
  const groups = new Map<string, { update: Update; nodes: string[] }>();
  for (const { node: n, updates } of perNode) {
    for (const update of updates) {
      const key = JSON.stringify([update.name, update.installed, update.available]);
      const group = groups.get(key) ?? { update, nodes: [] };
      group.nodes.push(n);
      // One node may tell the origin while another hides it.
      groups.set(key, { update: update.origin === undefined ? group.update : update, nodes: group.nodes });
    }
  }
  return [...groups.values()].map(({ update, nodes }) => ({
    package: update.name,
    installed: update.installed,
    available: update.available,
    origin: update.origin,
    security: update.origin === undefined ? undefined : isSecurity(update),
    nodes,
  }));
}

function nodeRow(name: string, versions: NodeVersions | undefined, updates: readonly Update[] | undefined) {
  return {
    node: name,
    pve_manager: versions?.manager,
    kernel: versions?.runningKernel,
    newest_kernel: versions?.newestKernel,
    newer_kernel_waits: versions === undefined ? undefined : kernelPending(versions.runningKernel, versions.newestKernel),
    updates: updates?.length,
    security: updates?.filter(isSecurity).length,
  };
}

function headline(
  rows: readonly { readonly security: boolean | undefined }[],
  nodes: number,
  drift: number,
  known: readonly { readonly versions: NodeVersions }[],
  hiddenOn: number,
): string {
  const security = rows.filter((r) => r.security === true).length;
  const waiting = known.filter((k) => kernelPending(k.versions.runningKernel, k.versions.newestKernel) === true).length;
  const what = hiddenOn === 0 ? 'packages to update' : 'known packages to update';
  const parts = [
    `${rows.length} ${what} on ${nodes} ${nodes === 1 ? 'node' : 'nodes'}${security === 0 ? '' : ` (${security} for security)`}`,
  ];
  if (waiting > 0) parts.push(`${waiting} ${waiting === 1 ? 'node waits' : 'nodes wait'} for a reboot into a newer kernel`);
  if (drift > 0) parts.push(`${drift} packages differ between nodes`);
  return parts.join('; ');
}

function kernelNotes(known: readonly { readonly versions: NodeVersions }[]): readonly string[] {
  const waiting = known.some((k) => kernelPending(k.versions.runningKernel, k.versions.newestKernel) === true);
  return waiting ? ['A newer kernel that waits starts at the next reboot, unless the running one is pinned.'] : [];
}

function repositoryRows(name: string, repositories: Repositories) {
  return repositories.repositories.map((r) => ({
    node: name,
    source: r.source,
    enabled: r.enabled,
    comment: r.comment,
    file: r.file,
  }));
}
