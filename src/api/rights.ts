import type { EndpointPath, PathParams, QueryOf } from './endpoints.ts';
import { toApiError } from './errors.ts';
import { boolOf, commaList, listOf, rawOf, textOf } from './lenient.ts';
import type { Privilege } from './privileges.ts';
import { type Gaps, type Hidden, NO_GAPS } from './reading.ts';
import type { Got, Session } from './session.ts';

/** Privilege to "propagates below". */
export type Held = ReadonlyMap<string, boolean>;

/** One entry of the access control list. */
export interface AclRow {
  readonly path: string;
  readonly type: string;
  readonly ugid: string;
  readonly role: string;
  readonly propagate: boolean;
}

/** What is asked about a kind of object: may all of them be seen? */
export interface Question {
  readonly privilege: Privilege;
  /** Where the objects live: `/vms`, `/storage`, `/nodes`, `/pool`, `/sdn/zones`, ... or `/`. */
  readonly under: string;
  /** Noun phrase for the answer, e.g. `guests`. */
  readonly what: string;
}

/** What this token may see. Every request behind it is cached for the identity and does not grow with the cluster. */
export interface Rights {
  /** Exact rights at one ACL path (`/vms/100`). */
  at(path: string): Promise<Held>;
  /** True when the privilege is held at the path. */
  has(privilege: Privilege, path: string): Promise<boolean>;
  /** Whether a list filtered by the privilege is complete; never `complete` unless that is known. */
  over(question: Question): Promise<Gaps>;
}

type Get = <P extends EndpointPath>(path: P, params: PathParams<P>, query?: QueryOf<P>) => Promise<Got>;

/** Deeper entries that are looked at one by one before the answer becomes "unknown". */
const MAX_EXACT_PATHS = 6;

/** @param derive parses an answer; the session's own keeps the result, for thousands of guests are thousands of paths */
export function createRights(get: Get, identity: string, derive: Session['derive'] = (from, make) => make(from)): Rights {
  const owner = identity.split('!')[0] ?? identity;

  async function dump(): Promise<ReadonlyMap<string, Held>> {
    return derive(await get('/access/permissions', {}), permissionsIn);
  }

  async function at(path: string): Promise<Held> {
    const listed = (await dump()).get(path);
    if (listed !== undefined) return listed;
    const asked = derive(await get('/access/permissions', {}, { path }), permissionsIn);
    return asked.get(path) ?? new Map();
  }

  async function over({ privilege, under, what }: Question): Promise<Gaps> {
    try {
      return await coverage(privilege, under, what);
    } catch (thrown) {
      const error = toApiError(thrown);
      if (error.kind === 'cancelled' || error.kind === 'unauthenticated') throw error;
      return {
        ...NO_GAPS,
        coverage: 'unknown',
        why: `the token's own rights could not be read (${error.message.replace(/\.$/, '')})`,
      };
    }
  }

  async function coverage(privilege: Privilege, under: string, what: string): Promise<Gaps> {
    const here = (await at(under)).get(privilege);
    // Held here without being inherited (0): what reaches the objects below then comes down from the root, or nothing does.
    if (here !== true && (here === undefined || (await dump()).get('/')?.get(privilege) !== true))
      return { problems: [], coverage: 'partial', hidden: [{ what, privilege, path: under }] };
    return otherEntries(privilege, under, what, here);
  }

  /** An entry elsewhere may take the privilege away again; NoAccess on a guest is invisible in the token's own rights. */
  async function otherEntries(privilege: Privilege, under: string, what: string, inherited: boolean): Promise<Gaps> {
    const unknown = (why: string): Gaps => ({ problems: [], coverage: 'unknown', hidden: [], why });
    if (!(await at('/access')).has('Sys.Audit'))
      return unknown(
        `the token may not read the access control list (Sys.Audit on /access), so ${what} that are closed to it can't be ruled out`,
      );
    const roles = derive(await get('/access/roles', {}), rolesIn);
    const lacking = derive(await get('/access/acl', {}), aclIn).filter(
      (row) => roles.get(row.role)?.has(privilege) !== true && mayClose(row, under, inherited),
    );
    if (lacking.length === 0) return NO_GAPS;
    const groups = lacking.some((row) => row.type === 'group') ? await ownerGroups() : [];
    const ours = lacking.filter((row) =>
      row.type === 'group' ? groups === undefined || groups.includes(row.ugid) : row.ugid === identity || row.ugid === owner,
    );
    const closed = [...new Set(ours.map((row) => row.path))].sort();
    if (closed.length === 0) return NO_GAPS;
    if (closed.length > MAX_EXACT_PATHS) return unknown(`${closed.length} other access control entries may hide some ${what}`);
    const outside = closed.find((path) => !isBelow(path, under));
    if (outside !== undefined) return unknown(`an access control entry on ${outside} may hide some ${what}`);
    const denied: Hidden[] = [];
    for (const path of closed) {
      const held = (await at(path)).get(privilege);
      if (held === undefined) denied.push({ what: `${what} at ${path}`, privilege, path });
      else if (!held && ours.some((row) => row.path === path && row.propagate))
        return unknown(`an access control entry on ${path} may hide some ${what} below it`);
    }
    return denied.length === 0 ? NO_GAPS : { problems: [], coverage: 'partial', hidden: denied };
  }

  /** Groups of the token's owner; undefined when they may not be read, which counts as "any group". */
  async function ownerGroups(): Promise<readonly string[] | undefined> {
    try {
      const { groups } = rawOf((await get('/access/users/{userid}', { userid: owner })).data);
      return commaList(groups);
    } catch (thrown) {
      if (toApiError(thrown).kind === 'cancelled') throw thrown;
      return undefined;
    }
  }

  return {
    at,
    has: async (privilege, path) => (await at(path)).has(privilege),
    over,
  };
}

function permissionsIn({ data }: Got): ReadonlyMap<string, Held> {
  return parsePermissions(data);
}

function aclIn({ data }: Got): readonly AclRow[] {
  return parseAcl(data);
}

function rolesIn({ data }: Got): ReadonlyMap<string, ReadonlySet<string>> {
  return parseRoles(data);
}

/** `/access/permissions`: path to privilege to propagate flag. A listed 0 is held, but not inherited. */
export function parsePermissions(data: unknown): ReadonlyMap<string, Held> {
  const paths = new Map<string, Held>();
  for (const [path, held] of Object.entries(rawOf(data))) {
    paths.set(path, new Map(Object.entries(rawOf(held)).map(([privilege, flag]) => [privilege, boolOf(flag) ?? false])));
  }
  return paths;
}

/** `/access/acl`; rows without path, name or role are left out. */
export function parseAcl(data: unknown): readonly AclRow[] {
  return listOf(data, 'the access control list').flatMap((row) => {
    const path = textOf(row['path']);
    const ugid = textOf(row['ugid']);
    const role = textOf(row['roleid']);
    if (path === undefined || ugid === undefined || role === undefined) return [];
    return [{ path, ugid, role, type: textOf(row['type']) ?? 'user', propagate: boolOf(row['propagate']) ?? true }];
  });
}

/** `/access/roles`: role to its privileges. */
export function parseRoles(data: unknown): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    listOf(data, 'roles').flatMap((row) => {
      const role = textOf(row['roleid']);
      return role === undefined ? [] : [[role, new Set(commaList(row['privs']))] as const];
    }),
  );
}

/** True for an ACL path strictly below another. */
function isBelow(path: string, above: string): boolean {
  return path !== above && path.startsWith(above === '/' ? '/' : `${above}/`);
}

/**
 * Whether an entry without the privilege can take it away from objects under a path.
 *
 * @param inherited the privilege is known to come down from `under` itself, whatever stands above it
 */
function mayClose({ path, role, propagate }: AclRow, under: string, inherited: boolean): boolean {
  if (isBelow(path, under)) return true;
  // Roles on a pool are added to those on its members; NoAccess on it (or on all pools) closes them.
  if ((under === '/vms' || under === '/storage') && (path === '/pool' || isBelow(path, '/pool'))) return role === 'NoAccess';
  return !inherited && propagate && path !== '/' && (path === under || isBelow(under, path));
}
