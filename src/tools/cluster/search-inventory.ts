import { z } from 'zod';
import { list, table, text } from '../../answer/spec.ts';
import type { EndpointPath } from '../../api/endpoints.ts';
import { ApiError } from '../../api/errors.ts';
import { ADDRESS_READS } from '../../cluster/address-sources.ts';
import { IMPACT_READS, TARGET_KINDS } from '../../cluster/impact-facts.ts';
import { LIVE_READS } from '../../cluster/live-scan.ts';
import { defineTool } from '../define-tool.ts';
import { query } from '../params.ts';
import { RIGHTS_READS } from '../rights-reads.ts';
import { dependentsOf } from './dependents-of.ts';
import { findThings } from './find-things.ts';

export const searchInventoryTool = defineTool({
  name: 'search_inventory',
  title: 'Search',
  toolset: 'cluster',
  description:
    'Finds guests, nodes, storages, pools, networks by name, vmid, tag, IP, CIDR, MAC, "vlan 20"; addresses cost a request a guest. deep=true: volumes, notes, guest agents. Or what fails without the depends_on thing.',
  params: {
    query: query.optional(),
    deep: z.boolean().optional(),
    depends_on: z
      .string()
      .min(3)
      .max(120)
      .describe(`kind:id; ${TARGET_KINDS.join(', ')}`)
      .optional(),
  },
  paged: true,
  output: {
    found: table({
      kind: text(),
      id: text(),
      name: text(),
      node: text(),
      status: text(),
      pool: text(),
      tags: list(),
      match: list('what matched; of addresses, where each is known from'),
    }),
    dependents: table({
      status: text(),
      kind: text(),
      id: text(),
      name: text(),
      node: text(),
      why: list('how it depends'),
      lost: text('what is lost without it'),
    }),
  },
  reads: [...new Set<EndpointPath>(['/cluster/resources', ...ADDRESS_READS, ...LIVE_READS, ...IMPACT_READS, ...RIGHTS_READS])],
  async run(args, call, page) {
    if ((args.query === undefined) === (args.depends_on === undefined)) {
      throw new ApiError('bad-argument', 'Give either query (what to find) or depends_on (whose dependents to list).', {
        hint: 'search_inventory query="10.20.0.5", or depends_on="storage:local-lvm".',
      });
    }
    if (args.depends_on !== undefined) {
      const { headline, rows, gaps, notes } = await dependentsOf(call, args.depends_on, page);
      return { headline, sections: { dependents: rows }, gaps, notes };
    }
    const { headline, rows, gaps, notes, next } = await findThings(call, args.query ?? '', args.deep === true, page);
    return { headline, sections: { found: rows }, gaps, notes, next };
  },
});
