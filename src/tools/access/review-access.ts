import { z } from 'zod';
import { bool, int, list, record, table, text } from '../../answer/spec.ts';
import { counted } from '../../answer/units.ts';
import type { Call } from '../../api/call.ts';
import { ApiError } from '../../api/errors.ts';
import { attempt, type Gaps, mergeGaps, NO_GAPS, type Reading, withGaps } from '../../api/reading.ts';
import { type AccessData, readAccess } from '../../cluster/access.ts';
import { guestCoverage, type Inventory, readInventory } from '../../cluster/inventory.ts';
import { readPoolMembers, readPools } from '../../cluster/pools.ts';
import { readStorageDefinitions } from '../../cluster/storage.ts';
import { closest } from '../../config/suggest.ts';
import {
  type AccessFacts,
  type AccessFinding,
  accessFindings,
  administrators,
  type Holder,
  holdersOf,
  type KnownObjects,
} from '../../insights/access-review.ts';
import { normalAclPath } from '../../insights/permission-resolution.ts';
import { defineTool } from '../define-tool.ts';
import { RIGHTS_READS } from '../rights-reads.ts';
import { ACCESS_LISTS, ACCESS_TABLES, type AccessList, accessList } from './access-lists.ts';

/** Pools that are opened to see which of them a storage is in. */
const MAX_POOLS = 20;

const RANK: Readonly<Record<string, number>> = { high: 0, medium: 1, low: 2 };

export const reviewAccess = defineTool({
  name: 'review_access',
  title: 'Review access',
  toolset: 'access',
  description:
    'With on: who may do what to an object, and through what. With list: all users, tokens, ... Without: what is wrong with users, tokens, second factors and entries.',
  params: {
    on: z.string().min(1).max(200).describe('vmid, name of guest, node, storage or pool, or ACL path').optional(),
    privilege: z.string().min(3).max(60).describe('Only holders of it, e.g. VM.Backup').optional(),
    list: z.enum(ACCESS_LISTS).optional(),
  },
  paged: true,
  output: {
    summary: record({
      users: int(),
      tokens: int(),
      groups: int(),
      own_roles: int(),
      entries: int('of the access control list'),
      administrators: list('users and tokens that could take over the cluster'),
    }),
    holders: table({
      who: text(),
      kind: text('user or token'),
      level: text('administers, changes, uses, looks, or closed (NoAccess)'),
      roles: list(),
      through: text(),
      may: list(),
      below: bool('reaches what lies below the object, too'),
      blocked: text('why the rights cannot be used now'),
    }),
    findings: table({ severity: text(), code: text(), subject: text(), what: text(), fix: text('command for an administrator') }),
    ...ACCESS_TABLES,
  },
  reads: [
    '/access/users',
    '/access/groups',
    '/access/domains',
    '/access/tfa',
    '/cluster/resources',
    '/pools',
    '/pools/{poolid}',
    '/storage',
    '/version',
    ...RIGHTS_READS,
  ],
  async run(args, call) {
    if (args.list !== undefined) return listed(args.list, args, call);
    const [{ data, ...gaps }, inventory] = await Promise.all([readAccess(call), readInventory(call)]);
    if (args.on === undefined && args.privilege === undefined) return review(call, data, gaps, inventory);
    const path = objectPath(args.on ?? '/', inventory);
    const guests = path.startsWith('/vms/') ? await guestCoverageAt(call, path, inventory) : NO_GAPS;
    const pools = await poolsOf(call, path, inventory);
    const all = mergeGaps(gaps, guests, pools.gaps);
    const facts = factsOf(data, pools.poolsOf, call);
    if (facts === undefined || facts.users === undefined) {
      return {
        headline: `Who may do what on ${path} can't be told: ${lacking(data)} not readable by this token`,
        sections: {},
        gaps: all,
      };
    }
    if (args.privilege !== undefined) requirePrivilege(args.privilege, facts);
    const holders = holdersOf(facts, path, args.privilege);
    return {
      headline: holdersHeadline(path, holders, args.privilege),
      sections: { holders: { rows: holders.map(holderRow), key: (row) => [LEVELS.indexOf(row.level ?? ''), row.who ?? ''] } },
      gaps: all,
      notes:
        pools.unread.length === 0
          ? []
          : [`Rights through the pools ${pools.unread.join(', ')} are not counted: their members were not read.`],
    };
  },
});

async function listed(wanted: AccessList, args: { readonly on?: unknown; readonly privilege?: unknown }, call: Call) {
  if (args.on !== undefined || args.privilege !== undefined)
    throw new ApiError('bad-argument', 'list goes without on and privilege.', { hint: 'Give either list or on.' });
  const { data, ...gaps } = await readAccess(call);
  const found = accessList(wanted, data);
  if (found !== undefined) return { ...found, gaps };
  const what = wanted === 'acl' ? 'The access control list is' : `The ${wanted} are`;
  return { headline: `${what} not readable by this token`, sections: {}, gaps };
}

const LEVELS = ['administers', 'changes', 'uses', 'looks', 'closed'];

async function review(call: Call, data: AccessData, gaps: Gaps, inventory: Inventory) {
  const facts = factsOf(data, new Map(), call);
  if (facts === undefined) {
    return { headline: `Access can't be reviewed: ${lacking(data)} not readable by this token`, sections: {}, gaps };
  }
  const { data: known, ...unread } = await knownObjects(call, inventory);
  const findings = accessFindings(facts, known);
  const count = (severity: string): number => findings.filter((f) => f.severity === severity).length;
  const unjudged = facts.users === undefined ? '; users, tokens and second factors not judged' : '';
  return {
    headline: `${counted(findings.length, 'finding')} about access: ${count('high')} high, ${count('medium')} medium, ${count('low')} low${unjudged}`,
    sections: {
      summary: {
        users: facts.users?.length,
        tokens: facts.users?.reduce((sum, u) => sum + u.tokens.length, 0),
        groups: facts.groups?.length,
        own_roles: facts.roles.filter((r) => !r.builtIn).length,
        entries: facts.acl.length,
        administrators: facts.users === undefined ? undefined : administrators(facts),
      },
      findings: {
        rows: findings.map(findingRow),
        key: (row: {
          severity?: string | null | undefined;
          code?: string | null | undefined;
          subject?: string | null | undefined;
        }) => [RANK[row.severity ?? ''] ?? 9, row.code ?? '', row.subject ?? ''],
      },
    },
    gaps: mergeGaps(gaps, unread),
    notes: reviewNotes(facts, known),
    next: ['review_access on=VMID tells who may do what to one object'],
  };
}

function reviewNotes(facts: AccessFacts, known: KnownObjects): readonly string[] {
  const unsure = [
    known.vmids === undefined ? ['guests'] : [],
    known.storages === undefined ? ['storages'] : [],
    known.pools === undefined ? ['pools'] : [],
  ].flat();
  const open = (facts.realms ?? []).filter((r) => r.type === 'openid' && (facts.users ?? []).some((u) => u.realm === r.realm));
  return [
    ...(open.length === 0
      ? []
      : [`Second factors of ${open.map((r) => r.realm).join(', ')} are the identity provider's and can't be seen from here.`]),
    ...(unsure.length === 0
      ? []
      : [`Entries for ${unsure.join(', ')} that do not exist any more were not looked for: this token may not see all of them.`]),
  ];
}

function factsOf(data: AccessData, pools: AccessFacts['poolsOf'], call: Call): AccessFacts | undefined {
  const { acl, roles } = data;
  if (acl === undefined || roles === undefined) return undefined;
  return { ...data, acl, roles, poolsOf: pools, now: Math.floor(call.now() / 1000) };
}

function lacking(data: AccessData): string {
  const missing = [
    ...(data.acl === undefined ? ['the access control list'] : []),
    ...(data.roles === undefined ? ['roles'] : []),
    ...(data.users === undefined ? ['users'] : []),
  ];
  return `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'}`;
}

/** Only what is known to be all there is may show that something does not exist. */
async function knownObjects(call: Call, inventory: Inventory): Promise<Reading<KnownObjects>> {
  const [guests, storages, pools] = await Promise.all([
    guestCoverage(call),
    attempt({}, () => readStorageDefinitions(call)),
    call.rights.over({ privilege: 'Pool.Audit', under: '/pool', what: 'pools' }),
  ]);
  const known: KnownObjects = {
    vmids: guests.coverage === 'complete' ? new Set(inventory.guests.map((g) => g.vmid)) : undefined,
    // Not the inventory's: disabled storages have no row there, but exist.
    storages: storages.data?.coverage === 'complete' ? new Set(storages.data.data.map((s) => s.storage)) : undefined,
    nodes: new Set(inventory.nodes.map((n) => n.node)),
    pools: pools.coverage === 'complete' ? new Set(inventory.pools) : undefined,
  };
  // Where one of them may be hidden, entries for those that are gone are not looked for.
  return withGaps(known, guests, storages, storages.data ?? NO_GAPS, pools);
}

/** The ACL path that is meant by a vmid, a name or a path; nothing else is guessed. */
export function objectPath(on: string, inventory: Inventory): string {
  const given = on.trim();
  if (given.startsWith('/')) {
    const path = normalAclPath(given);
    if (path === undefined) throw new ApiError('bad-argument', `on: ${JSON.stringify(given.slice(0, 60))} is no ACL path.`);
    return path;
  }
  const vmid = /^(?:(?:qemu|lxc|vm|ct)[/:])?(\d{3,9})$/i.exec(given)?.[1];
  if (vmid !== undefined) return `/vms/${vmid}`;
  const candidates = [
    ...inventory.guests.filter((g) => g.name === given).map((g) => `/vms/${g.vmid}`),
    ...inventory.nodes.filter((n) => n.node === given).map((n) => `/nodes/${n.node}`),
    ...new Set(inventory.storages.filter((s) => s.storage === given).map((s) => `/storage/${s.storage}`)),
    ...inventory.pools.filter((p) => p === given).map((p) => `/pool/${p}`),
  ];
  const [only, ...others] = candidates;
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined)
    throw new ApiError('bad-argument', `on: ${JSON.stringify(given)} may be ${candidates.join(' or ')}.`, {
      hint: 'Give one of these paths.',
    });
  const names = [
    ...inventory.guests.flatMap((g) => g.name ?? []),
    ...inventory.nodes.map((n) => n.node),
    ...inventory.storages.map((s) => s.storage),
    ...inventory.pools,
  ];
  const near = closest(given, names);
  throw new ApiError('not-found', `on: no guest, node, storage or pool named ${JSON.stringify(given.slice(0, 60))} is visible.`, {
    hint: near === undefined ? 'Give a vmid or an ACL path such as /storage/local.' : `Did you mean ${JSON.stringify(near)}?`,
  });
}

/** A guest that the token does not see may be in a pool that gives rights on it. */
async function guestCoverageAt(call: Call, path: string, inventory: Inventory): Promise<Gaps> {
  const vmid = Number(/^\/vms\/(\d+)$/.exec(path)?.[1]);
  if (Number.isNaN(vmid) || inventory.guests.some((g) => g.vmid === vmid)) return NO_GAPS;
  const coverage = await guestCoverage(call);
  if (coverage.coverage === 'complete') throw new ApiError('not-found', `There is no guest ${vmid} in this cluster.`);
  return mergeGaps(coverage, {
    ...NO_GAPS,
    coverage: 'unknown',
    why: `guest ${vmid} is not visible, so rights that it has through a pool are not counted`,
  });
}

interface PoolMembership {
  readonly poolsOf: ReadonlyMap<string, readonly string[]>;
  readonly gaps: Gaps;
  readonly unread: readonly string[];
}

/** The pools that an object is in: told by the inventory for guests, one request a pool for storages. */
async function poolsOf(call: Call, path: string, inventory: Inventory): Promise<PoolMembership> {
  const vmid = /^\/vms\/(\d+)$/.exec(path)?.[1];
  if (vmid !== undefined) {
    const pool = inventory.guests.find((g) => g.vmid === Number(vmid))?.pool;
    return { poolsOf: new Map(pool === undefined ? [] : [[path, [pool]]]), gaps: NO_GAPS, unread: [] };
  }
  const storage = /^\/storage\/([^/]+)$/.exec(path)?.[1];
  if (storage === undefined) return { poolsOf: new Map(), gaps: NO_GAPS, unread: [] };
  const pools = await readPools(call);
  const asked = pools.data.slice(0, MAX_POOLS);
  const members = await Promise.all(
    asked.map(async ({ pool }) => ({ pool, ...(await attempt({}, () => readPoolMembers(call, pool, pools.data))) })),
  );
  const holding = members.filter((m) => m.data?.storages.some((s) => s.storage === storage)).map((m) => m.pool);
  return {
    poolsOf: new Map([[path, holding]]),
    gaps: mergeGaps(pools, ...members),
    unread: [
      ...pools.data.slice(MAX_POOLS).map((p) => p.pool),
      ...members.filter((m) => m.data === undefined).map((m) => m.pool),
    ],
  };
}

function requirePrivilege(privilege: string, facts: AccessFacts): void {
  const known = [...new Set(facts.roles.flatMap((r) => [...r.privileges]))].sort();
  if (known.includes(privilege)) return;
  const near = closest(privilege, known);
  throw new ApiError('bad-argument', `privilege: no role of this cluster has ${JSON.stringify(privilege.slice(0, 40))}.`, {
    hint: near === undefined ? undefined : `Did you mean ${near}?`,
  });
}

function holdersHeadline(path: string, holders: readonly Holder[], privilege: string | undefined): string {
  const able = holders.filter((h) => h.level !== 'closed' && h.blocked === undefined);
  const users = able.filter((h) => h.kind === 'user').length;
  const whom = `${counted(users, 'user')} and ${counted(able.length - users, 'token')}`;
  if (privilege !== undefined) return `${whom} hold ${privilege} on ${path}`;
  const changing = able.filter((h) => h.level === 'administers' || h.level === 'changes').length;
  const closed = holders.filter((h) => h.level === 'closed').length;
  const locked = closed === 0 ? '' : `; ${closed} locked out by NoAccess`;
  const blocked = holders.filter((h) => h.blocked !== undefined && h.level !== 'closed').length;
  const idle = blocked === 0 ? '' : `; ${blocked} more could if they were not disabled or expired`;
  return `${whom} have rights on ${path}, ${changing} of them can change things${idle}${locked}`;
}

function holderRow(h: Holder) {
  return {
    who: h.principal,
    kind: h.kind,
    level: h.level,
    roles: h.roles.length === 0 ? undefined : h.roles,
    through: h.through,
    may: h.may.length === 0 ? undefined : h.may,
    below: h.level === 'closed' ? undefined : h.inherits,
    blocked: h.blocked,
  };
}

function findingRow(f: AccessFinding) {
  return { severity: f.severity, code: f.code, subject: f.subject, what: f.what, fix: f.fix };
}
