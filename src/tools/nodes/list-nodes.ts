import { bytes, duration, int, percent, table, text } from '../../answer/spec.ts';
import { counted, shareOf } from '../../answer/units.ts';

import { type Gaps, mergeGaps } from '../../api/reading.ts';
import { guestCoverage, type Inventory, nodeCoverage, readInventory } from '../../cluster/inventory.ts';
import { defineTool } from '../define-tool.ts';
import { RIGHTS_READS } from '../rights-reads.ts';

export const listNodes = defineTool({
  name: 'list_nodes',
  title: 'List nodes',
  toolset: 'nodes',
  description: 'All cluster nodes with state, load, memory, root disk, uptime and guest counts.',
  params: {},
  paged: true,
  output: {
    nodes: table({
      node: text(),
      status: text('online or offline, by cluster membership'),
      cpu: percent('of all cores'),
      cores: int(),
      mem: percent('of memory'),
      memory: bytes(),
      root: percent('of the root file system'),
      uptime: duration(),
      guests: int('visible ones'),
      running: int(),
      ha: text(),
    }),
  },
  reads: ['/cluster/resources', ...RIGHTS_READS],
  async run(_args, call) {
    const inventory = await readInventory(call);
    const [gaps, guests] = await Promise.all([nodeCoverage(call, inventory), guestCoverage(call)]);
    // A count of zero must not stand for "none that this token sees".
    const told = (count: number) => (count === 0 && guests.coverage !== 'complete' ? undefined : count);
    const counts = call.session.derive(inventory, guestsByNode);
    const rows = inventory.nodes.map((n) => {
      const here = counts.get(n.node) ?? { guests: 0, running: 0 };
      return {
        node: n.node,
        status: n.status,
        cpu: n.cpu,
        cores: n.maxCpu,
        mem: shareOf(n.mem, n.maxMem),
        memory: n.maxMem,
        root: shareOf(n.disk, n.maxDisk),
        uptime: n.uptime,
        guests: told(here.guests),
        running: n.status === 'online' ? told(here.running) : undefined,
        ha: n.haState,
      };
    });
    const online = inventory.nodes.filter((n) => n.status === 'online').length;
    return {
      headline: `${counted(rows.length, 'node')}, ${online} online`,
      sections: { nodes: { rows, key: (row) => [row.node ?? ''] } },
      gaps: mergeGaps(gaps, guests),
      notes: silentNotes(inventory, gaps),
    };
  },
});

/** A node that is online and may be seen, and of which the cluster has no figures all the same. */
function silentNotes({ nodes }: Inventory, { hidden }: Gaps): readonly string[] {
  const silent = nodes.filter((n) => n.status === 'online' && !n.hasFigures).map((n) => n.node);
  if (silent.length === 0 || hidden.length > 0) return [];
  return [
    `${silent.slice(0, 8).join(', ')}${silent.length > 8 ? ', ...' : ''}: online, but no fresh figures (its pvestatd may hang or have just started). get_node_status asks the node itself.`,
  ];
}

interface Count {
  guests: number;
  running: number;
}

function guestsByNode({ guests }: Inventory): ReadonlyMap<string, Readonly<Count>> {
  const counts = new Map<string, Count>();
  for (const { node, status } of guests) {
    const count = counts.get(node) ?? { guests: 0, running: 0 };
    count.guests += 1;
    if (status === 'running') count.running += 1;
    counts.set(node, count);
  }
  return counts;
}
