import { z } from 'zod';
import { bytes, list, percent, table, text } from '../../answer/spec.ts';
import { counted, shareOf } from '../../answer/units.ts';
import { type Gaps, mergeGaps, visibleWord } from '../../api/reading.ts';
import { offlineGaps, readInventory } from '../../cluster/inventory.ts';
import { requireNode } from '../../cluster/resolve.ts';
import { mergeStorages, readStorageDefinitions, type Storage } from '../../cluster/storage.ts';
import { defineTool } from '../define-tool.ts';
import { node } from '../params.ts';
import { RIGHTS_READS } from '../rights-reads.ts';

export const listStorage = defineTool({
  name: 'list_storage',
  title: 'List storage',
  toolset: 'storage',
  description: 'Storages with state and usage; a shared one is counted once, a local one for each node.',
  params: {
    node: node.optional(),
    content: z.string().max(20).describe('backup, images, iso, ...').optional(),
    state: z.enum(['available', 'inactive', 'disabled', 'unknown']).optional(),
  },
  paged: true,
  output: {
    storages: table({
      storage: text(),
      plugin: text(),
      nodes: list('where it is; "shared" stands for all'),
      state: text('inactive: enabled, but its node cannot reach it'),
      used: percent(),
      free: bytes(),
      total: bytes(),
      content: list(),
      place: text(),
      retention: text('of backups'),
      not_from: list('online nodes that cannot reach it'),
    }),
  },
  reads: ['/cluster/resources', '/storage', ...RIGHTS_READS],
  async run(args, call) {
    const [inventory, definitions] = await Promise.all([readInventory(call), readStorageDefinitions(call)]);
    if (args.node !== undefined) requireNode(inventory, args.node);
    const all = mergeStorages(inventory, definitions.data);
    const found = all.filter(
      (s) =>
        (args.node === undefined || s.nodes.includes(args.node)) &&
        (args.content === undefined || s.content.includes(args.content)) &&
        (args.state === undefined || s.state === args.state),
    );
    const asked = new Set(args.node === undefined ? found.flatMap((s) => (s.shared ? [] : s.nodes)) : [args.node]);
    const gaps: Gaps = mergeGaps(definitions, offlineGaps(inventory, asked));
    const everyNode = inventory.nodes.length;
    return {
      headline: `${counted(found.length, `${visibleWord(definitions)}storage`)}${found.length === all.length ? '' : ` of ${all.length}`}${args.state === undefined ? counts(found) : `: ${args.state}`}`,
      sections: {
        storages: {
          rows: found.map((s) => ({
            storage: s.storage,
            plugin: s.plugin,
            nodes: s.shared && s.nodes.length === everyNode ? ['shared'] : s.nodes,
            state: s.state,
            used: shareOf(s.used, s.total),
            free: s.used === undefined || s.total === undefined ? undefined : Math.max(0, s.total - s.used),
            total: s.total,
            content: s.content,
            place: s.namespace === undefined ? s.place : `${s.place ?? ''} namespace ${s.namespace}`.trim(),
            retention: s.retention,
            not_from: s.unreachableFrom.length === 0 ? undefined : s.unreachableFrom,
          })),
          key: (row) => [row.storage ?? '', (row.nodes ?? []).join()],
        },
      },
      gaps,
    };
  },
});

/** `: 2 inactive, 1 disabled`; nothing when all is well. */
function counts(storages: readonly Storage[]): string {
  const parts: string[] = (['inactive', 'disabled', 'unknown'] as const).flatMap((state) => {
    const n = storages.filter((s) => s.state === state).length;
    return n === 0 ? [] : [`${n} ${state}`];
  });
  const halfway = storages.filter((s) => s.unreachableFrom.length > 0).length;
  if (halfway > 0) parts.push(`${halfway} not reachable from every node`);
  if (storages.length === 0) return '';
  return parts.length === 0 ? ', all available' : `: ${parts.join(', ')}`;
}
