import type { Call } from '../api/call.ts';
import { toApiError } from '../api/errors.ts';
import { boolOf, byText, commaList, numberOf, rawOf, textOf } from '../api/lenient.ts';
import { attempt, type Gaps, NO_GAPS, type Reading, withGaps } from '../api/reading.ts';
import { type Held, parseAcl, parsePermissions, parseRoles } from '../api/rights.ts';
import { assessToken, type OwnerFacts, type Reach, type TokenAccess } from '../insights/token-access.ts';
import { areasOf, type Read } from '../insights/token-areas.ts';
import { cleanText } from '../redact/plain-text.ts';

/**
 * What this call's token sees, lacks and holds beyond that. A handful of requests at any cluster size, most of them
 * cached for the identity.
 *
 * Source: GET /access/permissions (own rights, always allowed), /access/roles, and as far as the token may:
 * /access/acl, /access/users/{userid} and the owner's /access/permissions.
 */
export async function readTokenAccess(call: Call): Promise<Reading<TokenAccess>> {
  const { identity } = call.session;
  const [user = identity, name = ''] = identity.split('!');
  const release = await call.release();
  const permissions = parsePermissions((await call.get('/access/permissions', {})).data);
  const reads = areasOf(release).flatMap((area) => area.reads);
  const [reaches, roles, seesAcl, owner] = await Promise.all([
    Promise.all(reads.map(async (read) => [read, await reachOf(call, read, permissions)] as const)),
    attempt({}, async () => parseRoles((await call.get('/access/roles', {})).data)),
    call.rights.has('Sys.Audit', '/access'),
    readOwner(call, user, name),
  ]);
  // Neither may be read without Sys.Audit on /access: the list would be empty and the question refused.
  const [acl, ownerPermissions] = seesAcl
    ? await Promise.all([
        attempt({}, async () => parseAcl((await call.get('/access/acl', {})).data)),
        attempt({}, async () => parsePermissions((await call.get('/access/permissions', {}, { userid: user })).data)),
      ])
    : [
        { data: undefined, ...NO_GAPS },
        { data: undefined, ...NO_GAPS },
      ];
  // Reads are compared by what they ask: areasOf makes new objects each time.
  const reach = new Map(reaches.map(([read, found]) => [keyOf(read), found]));
  const access = assessToken({
    identity,
    release,
    permissions,
    reach: (read) => reach.get(keyOf(read)) ?? { held: 'unknown', paths: [], why: 'it was not asked' },
    owner: owner.data,
    ownerPermissions: ownerPermissions.data,
    acl: acl.data,
    roles: roles.data ?? new Map(),
  });
  return withGaps(access, roles, acl, ownerPermissions, owner);
}

function keyOf(read: Read): string {
  return `${read.any.join('|')} ${read.on} ${read.scope}`;
}

/** The best that any of the alternative privileges gives. */
async function reachOf(call: Call, read: Read, permissions: ReadonlyMap<string, Held>): Promise<Reach> {
  const order: readonly Reach['held'][] = ['all', 'except', 'unknown', 'some', 'none'];
  const found: Reach[] = [];
  for (const privilege of read.any) {
    const reach = await reachOfOne(call, { ...read, any: [privilege] }, permissions);
    if (reach.held === 'all') return reach;
    found.push(reach);
  }
  found.sort((a, b) => order.indexOf(a.held) - order.indexOf(b.held));
  return found[0] ?? { held: 'none', paths: [], why: undefined };
}

async function reachOfOne(call: Call, read: Read, permissions: ReadonlyMap<string, Held>): Promise<Reach> {
  const [privilege] = read.any;
  if (read.scope === 'path') {
    try {
      return { held: (await call.rights.has(privilege, read.on)) ? 'all' : 'none', paths: [], why: undefined };
    } catch (thrown) {
      const error = toApiError(thrown);
      if (error.kind === 'cancelled' || error.kind === 'unauthenticated') throw error;
      return { held: 'unknown', paths: [], why: error.message };
    }
  }
  const gaps = await call.rights.over({ privilege, under: read.on, what: read.opens });
  return reachFrom(gaps, read, permissions);
}

/** What the coverage of a filtered list says about the privilege behind it. */
export function reachFrom(gaps: Gaps, read: Read, permissions: ReadonlyMap<string, Held>): Reach {
  if (gaps.coverage === 'complete') return { held: 'all', paths: [], why: undefined };
  if (gaps.coverage === 'unknown') return { held: 'unknown', paths: [], why: gaps.why };
  const missing = gaps.hidden.map((h) => h.path);
  if (!missing.includes(read.on)) return { held: 'except', paths: missing, why: undefined };
  const [privilege] = read.any;
  const holding = [...permissions].flatMap(([path, held]) => (held.has(privilege) ? [path] : [])).sort(byText);
  const inside = holding.filter((path) => path.startsWith(`${read.on}/`));
  // Pools hand their rights on to the guests and storages in them, which need not be listed by themselves.
  const pools = read.on === '/vms' || read.on === '/storage' ? holding.filter((path) => path.startsWith('/pool/')) : [];
  const paths = inside.length > 0 ? inside : pools;
  return { held: paths.length === 0 ? 'none' : 'some', paths, why: undefined };
}

async function readOwner(call: Call, user: string, name: string): Promise<Gaps & { readonly data: OwnerFacts | undefined }> {
  try {
    return { data: parseOwner((await call.get('/access/users/{userid}', { userid: user })).data, name), ...NO_GAPS };
  } catch (thrown) {
    const error = toApiError(thrown);
    if (error.kind === 'cancelled' || error.kind === 'unauthenticated') throw error;
    // A right that is missing here is one of the areas already; anything else is a failure to be told.
    if (error.kind === 'forbidden') return { data: undefined, ...NO_GAPS };
    return {
      data: undefined,
      problems: [{ where: {}, kind: error.kind, message: error.message }],
      coverage: 'partial',
      hidden: [],
    };
  }
}

/** Source: GET /access/users/{userid}. The tokens come as an object by name; `expire` 0 means never. */
export function parseOwner(data: unknown, tokenName: string): OwnerFacts {
  const row = rawOf(data);
  const tokens = rawOf(row['tokens']);
  const token = Object.hasOwn(tokens, tokenName) ? rawOf(tokens[tokenName]) : undefined;
  const comment = token === undefined ? undefined : textOf(token['comment']);
  return {
    enabled: boolOf(row['enable']),
    expires: expiryOf(row['expire']),
    groups: commaList(row['groups']),
    token:
      token === undefined
        ? undefined
        : {
            privsep: boolOf(token['privsep']),
            expires: expiryOf(token['expire']),
            comment: comment === undefined ? undefined : cleanText(comment),
          },
  };
}

function expiryOf(value: unknown): number | 'never' | undefined {
  const seconds = numberOf(value);
  return seconds === 0 ? 'never' : seconds;
}
