import { z } from 'zod';
import { bytes, int, list, number, percent, record, table, text } from '../../answer/spec.ts';
import { shareOf } from '../../answer/units.ts';
import type { Call } from '../../api/call.ts';
import { type Gaps, mergeGaps, visibleWord } from '../../api/reading.ts';
import {
  type Guest,
  guestCoverage,
  type Inventory,
  offlineGaps,
  readInventory,
  type StorageRow,
} from '../../cluster/inventory.ts';
import {
  checkPoolName,
  guestsIn,
  nestedPools,
  type Pool,
  type PoolSums,
  readPoolMembers,
  readPools,
  sumGuests,
} from '../../cluster/pools.ts';
import { defineTool } from '../define-tool.ts';
import { RIGHTS_READS } from '../rights-reads.ts';

export const listPools = defineTool({
  name: 'list_pools',
  title: 'Resource pools',
  toolset: 'cluster',
  description: 'Resource pools with what their guests have and use; with pool: its guests, storages and nested pools.',
  params: { pool: z.string().min(1).max(200).optional() },
  paged: true,
  output: {
    pool: record({
      pool: text(),
      comment: text(),
      guests: int('in the pool itself'),
      running: int(),
      cpus: number('assigned'),
      memory: bytes('assigned'),
      mem_used: bytes(),
      nested: list('pools below it'),
    }),
    pools: table({
      pool: text(),
      comment: text(),
      guests: int(),
      running: int(),
      cpus: number('assigned to its guests, without templates'),
      cpus_used: number(),
      memory: bytes('assigned'),
      mem_used: bytes(),
      disk: bytes('boot disks and root file systems'),
      with_nested: int('guests, those in pools below it included'),
    }),
    guests: table({
      vmid: int(),
      type: text(),
      name: text(),
      node: text(),
      status: text(),
      cpu: percent('of its own cores'),
      cores: number(),
      mem: percent('of its own memory'),
      memory: bytes(),
      disk: bytes('boot disk or root file system, size'),
    }),
    storages: table({ storage: text(), status: text(), used: percent(), total: bytes(), content: list() }),
  },
  reads: ['/pools', '/pools/{poolid}', '/cluster/resources', '/version', ...RIGHTS_READS],
  async run(args, call) {
    if (args.pool !== undefined) checkPoolName(args.pool);
    const [pools, inventory, guests] = await Promise.all([readPools(call), readInventory(call), guestCoverage(call)]);
    if (args.pool !== undefined) return onePool(call, args.pool, pools.data, inventory);
    const rows = pools.data.map((p) => poolRow(p, pools.data, inventory));
    const loose = inventory.guests.filter((g) => g.pool === undefined).length;
    return {
      headline: `${rows.length} ${visibleWord(pools)}pools${guestWords(inventory.guests.length, loose, guests)}`,
      sections: { pools: { rows, key: (row) => [row.pool ?? ''] } },
      gaps: mergeGaps(pools, guests, offlineOf(inventory, inventory.guests)),
    };
  },
});

/** Where no guest is visible, a count would be no count. */
function guestWords(all: number, loose: number, gaps: Gaps): string {
  if (all === 0 && gaps.coverage !== 'complete') return '; no guest is visible to this token';
  return ` with ${all - loose} ${visibleWord(gaps)}guests; ${loose} are in no pool`;
}

async function onePool(call: Call, name: string, pools: readonly Pool[], inventory: Inventory) {
  const members = await readPoolMembers(call, name, pools);
  const sums = sumGuests(members.guests);
  const nested = nestedPools(pools, name);
  return {
    headline: `Pool ${name}: ${sums.guests} guests (${sums.running} running), ${members.storages.length} storages${nested.length === 0 ? '' : `, ${nested.length} ${nested.length === 1 ? 'pool' : 'pools'} below it`}`,
    sections: {
      pool: {
        pool: name,
        comment: members.comment,
        guests: sums.guests,
        running: sums.running,
        cpus: sums.cpus,
        memory: sums.memory,
        mem_used: sums.memoryUsed,
        nested: nested.length === 0 ? undefined : nested.map((p) => p.pool),
      },
      guests: { rows: members.guests.map(guestRow), key: (row: { vmid?: number | null | undefined }) => [row.vmid ?? 0] },
      storages: members.storages.length === 0 ? undefined : members.storages.map(storageRow),
    },
    gaps: offlineOf(inventory, members.guests),
  };
}

/** Offline nodes matter only where they have guests that are counted. */
function offlineOf(inventory: Inventory, guests: readonly Guest[]) {
  return offlineGaps(inventory, new Set(guests.map((g) => g.node)));
}

function poolRow(pool: Pool, pools: readonly Pool[], inventory: Inventory) {
  const sums: PoolSums = sumGuests(inventory.guests.filter((g) => g.pool === pool.pool));
  return {
    pool: pool.pool,
    comment: pool.comment,
    guests: sums.guests,
    running: sums.running,
    cpus: sums.cpus,
    cpus_used: sums.cpusUsed === undefined ? undefined : Math.round(sums.cpusUsed * 100) / 100,
    memory: sums.memory,
    mem_used: sums.memoryUsed,
    disk: sums.disk,
    with_nested: nestedPools(pools, pool.pool).length === 0 ? undefined : guestsIn(inventory, pool.pool).length,
  };
}

function guestRow(g: Guest) {
  return {
    vmid: g.vmid,
    type: g.type,
    name: g.name,
    node: g.node,
    status: g.template ? 'template' : g.status,
    cpu: g.cpu,
    cores: g.maxCpu,
    mem: shareOf(g.mem, g.maxMem),
    memory: g.maxMem,
    disk: g.maxDisk === 0 ? undefined : g.maxDisk,
  };
}

function storageRow(s: StorageRow) {
  return {
    storage: s.storage,
    status: s.status,
    used: shareOf(s.used, s.total),
    total: s.total,
    content: s.content,
  };
}
