import type { Call } from '../api/call.ts';
import { ApiError } from '../api/errors.ts';
import { byText, isRaw, listOf, rowsOf, textOf } from '../api/lenient.ts';
import type { Reading } from '../api/reading.ts';
import { atLeast } from '../api/release.ts';
import { closest } from '../config/suggest.ts';
import { cleanText } from '../redact/plain-text.ts';
import { type Guest, type Inventory, parseInventory, type StorageRow } from './inventory.ts';
import { commentOf } from './shown-text.ts';

export interface Pool {
  /** Nested ones hold their parents: `prod/web`. */
  readonly pool: string;
  readonly comment: string | undefined;
}

export interface PoolMembers extends Pool {
  /** Guests that are in this very pool, not in a nested one. */
  readonly guests: readonly Guest[];
  /** Storages as the answering node sees them. */
  readonly storages: readonly StorageRow[];
}

/** ACL path of a pool. */
export function poolPath(pool: string): string {
  return `/pool/${pool}`;
}

/**
 * All pools that the token may see.
 *
 * Source: GET /pools (rows need Pool.Audit).
 */
export async function readPools(call: Call): Promise<Reading<readonly Pool[]>> {
  const [{ data }, coverage] = await Promise.all([
    call.get('/pools', {}),
    call.rights.over({ privilege: 'Pool.Audit', under: '/pool', what: 'pools' }),
  ]);
  return { data: parsePools(data), ...coverage };
}

export function parsePools(data: unknown): readonly Pool[] {
  return listOf(data, 'pools')
    .flatMap((row) => {
      const pool = textOf(row['poolid']);
      return pool === undefined ? [] : [{ pool: cleanText(pool), comment: commentOf(row['comment']) }];
    })
    .sort((a, b) => byText(a.pool, b.pool));
}

/** Names of pools: up to three levels, of plain characters. */
const POOL_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}(?:\/[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}){0,2}$/;

/** Refuses what can't be a pool's name before anything is sent. */
export function checkPoolName(name: string): void {
  if (!POOL_NAME.test(name)) throw new ApiError('bad-argument', `pool: ${JSON.stringify(name.slice(0, 60))} is no pool name.`);
}

/**
 * Members of one pool. The newer form of the question does not check any right, so it is checked here: what the token
 * may not see is not shown, whatever the API would hand over.
 *
 * Source: GET /pools?poolid= from 8.1 on (where names may be nested), GET /pools/{poolid} before.
 * @throws ApiError `not-found` (with the name that was probably meant) or `forbidden`
 */
export async function readPoolMembers(call: Call, name: string, pools: readonly Pool[]): Promise<PoolMembers> {
  checkPoolName(name);
  if (!pools.some((p) => p.pool === name)) throw await unknownPool(call, name, pools);
  const nested = atLeast(await call.release(), '8.1');
  const { data } = nested ? await call.get('/pools', {}, { poolid: name }) : await call.get('/pools/{poolid}', { poolid: name });
  return parsePoolMembers(data, name);
}

async function unknownPool(call: Call, name: string, pools: readonly Pool[]): Promise<ApiError> {
  if (!(await call.rights.has('Pool.Audit', poolPath(name)))) {
    return new ApiError('forbidden', `This token may not see a pool ${JSON.stringify(name)}, if there is one.`, {
      needs: `Pool.Audit on ${poolPath(name)}`,
    });
  }
  const names = pools.map((p) => p.pool);
  const near = closest(name, names);
  return new ApiError('not-found', `There is no pool ${JSON.stringify(name)}.`, {
    hint: near === undefined ? `Pools: ${names.slice(0, 20).join(', ') || 'none'}.` : `Did you mean ${JSON.stringify(near)}?`,
  });
}

/** The answer is a list with one entry, or that entry itself. */
export function parsePoolMembers(data: unknown, name: string): PoolMembers {
  const rows = isRaw(data) ? [data] : listOf(data, 'members of the pool');
  const row = rows.find((r) => textOf(r['poolid']) === name) ?? rows[0] ?? {};
  const { guests, storages } = parseInventory(rowsOf(row['members']));
  return { pool: name, comment: commentOf(row['comment']), guests, storages };
}

/** Pools below a pool. */
export function nestedPools(pools: readonly Pool[], name: string): readonly Pool[] {
  return pools.filter((p) => p.pool.startsWith(`${name}/`));
}

/** What a pool's guests have and use. */
export interface PoolSums {
  readonly guests: number;
  readonly running: number;
  /** CPUs assigned to all guests but templates, and those of running ones. */
  readonly cpus: number;
  readonly cpusRunning: number;
  /** CPUs in use now: running guests only; undefined when no figure is known. */
  readonly cpusUsed: number | undefined;
  /** Bytes assigned to all guests but templates. */
  readonly memory: number;
  /** Bytes in use now; undefined when no figure is known. */
  readonly memoryUsed: number | undefined;
  /** Bytes of boot disks and root file systems. */
  readonly disk: number;
}

export function sumGuests(guests: readonly Guest[]): PoolSums {
  const real = guests.filter((g) => !g.template);
  const running = real.filter((g) => g.status === 'running');
  return {
    guests: guests.length,
    running: running.length,
    cpus: sum(real.map((g) => g.maxCpu)) ?? 0,
    cpusRunning: sum(running.map((g) => g.maxCpu)) ?? 0,
    cpusUsed: sum(running.map((g) => (g.cpu === undefined || g.maxCpu === undefined ? undefined : g.cpu * g.maxCpu))),
    memory: sum(real.map((g) => g.maxMem)) ?? 0,
    memoryUsed: sum(running.map((g) => g.mem)),
    disk: sum(real.map((g) => g.maxDisk)) ?? 0,
  };
}

/** The sum of the known values; undefined when none is known. */
function sum(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((v) => v !== undefined);
  return known.length === 0 ? undefined : known.reduce((total, v) => total + v, 0);
}

/** Guests of the inventory that are in the pool or in one nested in it. */
export function guestsIn(inventory: Inventory, pool: string): readonly Guest[] {
  return inventory.guests.filter((g) => g.pool === pool || g.pool?.startsWith(`${pool}/`) === true);
}
