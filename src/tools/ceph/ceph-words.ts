import { mergeGaps } from '../../api/reading.ts';
import type { CephAbsent } from '../../cluster/ceph.ts';
import { type Inventory, offlineGaps } from '../../cluster/inventory.ts';

/** The answer "there is no Ceph", as far as that is known: nodes that are off were not asked. */
export function absentAnswer({ why, asked }: CephAbsent, inventory: Inventory) {
  const rest = inventory.nodes.map((n) => n.node).filter((node) => !asked.includes(node));
  const named = rest.length > 6 ? `${rest.length} nodes` : rest.join(', ');
  const where = asked.length === 0 ? '' : ` on ${asked.join(', ')}`;
  const unasked = asked.length === 0 || rest.length === 0 ? '' : `; not asked: ${named}`;
  return {
    headline: `Ceph is not in use${where}${unasked}. ${why.replace(/\.$/, '')}`,
    sections: {},
    gaps: mergeGaps(offlineGaps(inventory)),
  };
}
