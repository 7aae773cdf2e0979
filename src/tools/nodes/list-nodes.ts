import { bytes, duration, int, percent, table, text } from '../../answer/spec.ts';

import { mergeGaps } from '../../api/reading.ts';
import { guestCoverage, nodeCoverage, readInventory } from '../../cluster/inventory.ts';
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
    const rows = inventory.nodes.map((n) => {
      const here = inventory.guests.filter((g) => g.node === n.node);
      return {
        node: n.node,
        status: n.status,
        cpu: n.cpu,
        cores: n.maxCpu,
        mem: share(n.mem, n.maxMem),
        memory: n.maxMem,
        root: share(n.disk, n.maxDisk),
        uptime: n.uptime,
        guests: told(here.length),
        running: n.status === 'online' ? told(here.filter((g) => g.status === 'running').length) : undefined,
        ha: n.haState,
      };
    });
    const online = inventory.nodes.filter((n) => n.status === 'online').length;
    return {
      headline: `${rows.length} nodes, ${online} online`,
      sections: { nodes: { rows, key: (row) => [row.node ?? ''] } },
      gaps: mergeGaps(gaps, guests),
    };
  },
});

function share(part: number | undefined, whole: number | undefined): number | undefined {
  return part === undefined || whole === undefined || whole === 0 ? undefined : part / whole;
}
