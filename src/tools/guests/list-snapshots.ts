import { bool, int, table, text, time } from '../../answer/spec.ts';
import { counted, formatDuration } from '../../answer/units.ts';
import { NO_GAPS } from '../../api/reading.ts';
import { requireOnlineNode, resolveGuest } from '../../cluster/resolve.ts';
import { readSnapshots, type Snapshot, type SnapshotTree } from '../../cluster/snapshots.ts';
import { defineTool } from '../define-tool.ts';
import { guest } from '../params.ts';
import { RIGHTS_READS } from '../rights-reads.ts';
import { guestTitle } from './guest-words.ts';

export const listSnapshots = defineTool({
  name: 'list_snapshots',
  title: 'List snapshots',
  toolset: 'guests',
  description: 'Snapshots of one guest as a tree, with age, saved memory, and those stuck half-way.',
  params: guest,
  paged: true,
  output: {
    snapshots: table({
      name: text(),
      parent: text(),
      depth: int('steps below the first of its branch'),
      time: time(),
      vmstate: bool('memory saved too'),
      stuck: text('prepare or delete: never came to its end'),
      description: text(),
    }),
  },
  reads: [
    '/cluster/resources',
    '/nodes/{node}/qemu/{vmid}/snapshot',
    '/nodes/{node}/lxc/{vmid}/snapshot',
    '/cluster/nextid',
    ...RIGHTS_READS,
  ],
  async run(args, call) {
    const { guest: target, inventory, notes } = await resolveGuest(call, args);
    requireOnlineNode(inventory, target.node);
    const tree = await readSnapshots(call, target);
    const stuck = tree.snapshots.filter((s) => s.state !== undefined);
    const position = new Map(tree.snapshots.map((snapshot, index) => [snapshot.name, index]));
    return {
      headline: `${guestTitle(target)}: ${snapshotWords(tree, call.now())}`,
      sections: { snapshots: { rows: tree.snapshots.map(snapshotRow), key: (row) => [position.get(row.name ?? '') ?? 0] } },
      gaps: NO_GAPS,
      notes: [
        ...notes,
        ...(tree.snapshots.length === 0
          ? []
          : [
              tree.parentOfCurrent === undefined
                ? 'The present state descends from none of them.'
                : `The present state descends from ${tree.parentOfCurrent}.`,
            ]),
        ...(stuck.length > 0
          ? [
              `Stuck: an operation on ${stuck.map((s) => s.name).join(', ')} was cut off or still runs${target.lock === undefined ? '' : `; the guest is locked (${target.lock})`}.`,
            ]
          : []),
      ],
      next: stuck.length > 0 ? [`list_recent_tasks vmid=${target.vmid}`] : undefined,
    };
  },
});

/** `3 snapshots, oldest 52 d; 1 stuck (half-done: prepare)` */
export function snapshotWords(tree: SnapshotTree, nowMs: number): string {
  const { snapshots } = tree;
  if (snapshots.length === 0) return 'no snapshots';
  const times = snapshots.flatMap((s) => s.time ?? []);
  const oldest = times.length === 0 ? '' : `, oldest ${formatDuration(Math.max(0, nowMs / 1000 - Math.min(...times)))}`;
  const stuck = snapshots.filter((s) => s.state !== undefined);
  const stuckWords =
    stuck.length === 0 ? '' : `; ${stuck.length} STUCK (${stuck.map((s) => `${s.name}: ${s.state}`).join(', ')})`;
  return `${counted(snapshots.length, 'snapshot')}${oldest}${stuckWords}`;
}

function snapshotRow(snapshot: Snapshot) {
  return {
    name: snapshot.name,
    parent: snapshot.parent,
    depth: snapshot.depth,
    time: snapshot.time,
    vmstate: snapshot.vmState,
    stuck: snapshot.state,
    description: snapshot.description,
  };
}
