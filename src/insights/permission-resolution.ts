import type { AclRow, Held } from '../api/rights.ts';

/**
 * Who holds what at an ACL path, worked out from the access control list the way Proxmox VE does it:
 * - walking down from `/`, the deepest level with entries for somebody replaces everything above it
 * - at one level entries for the user replace those for the user's groups
 * - an entry that does not propagate counts at its own path only
 * - NoAccess beats every other role at its level
 * - roles at `/pool/P` (inherited ones too) come on top at the pool's guests and storages, and go no further down
 * - a privilege-separated token holds what it and its user hold both; any other token holds what its user holds
 * - root@pam holds everything
 */

/** Somebody that may hold rights: `user@realm` or `user@realm!token`. */
export interface AccessPrincipals {
  /** Groups by user; a user that is missing here has none. */
  readonly groupsOf: ReadonlyMap<string, readonly string[]>;
  /** Tokens by full id, with whether their rights are separated from their user's. */
  readonly tokens: ReadonlyMap<string, { readonly user: string; readonly privsep: boolean }>;
}

export interface ResolutionInput extends AccessPrincipals {
  readonly acl: readonly AclRow[];
  readonly roles: ReadonlyMap<string, ReadonlySet<string>>;
  /** Pools by the ACL path of what is in them: `/vms/100`, `/storage/nas`. */
  readonly poolsOf: ReadonlyMap<string, readonly string[]>;
}

/** A role that counts for somebody at a path, and the entry that gives it. */
export interface RoleGrant {
  readonly role: string;
  /** Handed down to what lies below the path. */
  readonly propagates: boolean;
  /** Path of the entry. */
  readonly from: string;
  /** Group through which it comes. */
  readonly group: string | undefined;
  /** Pool through which it comes. */
  readonly pool: string | undefined;
}

export interface Resolution {
  /** Roles in effect for a user or token by itself: a token's user is left aside. `root@pam` needs none. */
  roles(principal: string, path: string): readonly RoleGrant[];
  /** Privileges that are really held, with whether they reach below the path. */
  privileges(principal: string, path: string): Held;
}

export const ROOT = 'root@pam';
export const NO_ACCESS = 'NoAccess';
const NOTHING: Held = new Map();

export function createResolution(input: ResolutionInput): Resolution {
  const entries = indexEntries(input.acl);
  const all: Held = new Map([...(input.roles.get('Administrator') ?? everyPrivilege(input.roles))].map((p) => [p, true]));

  function ownRoles(principal: string, path: string): readonly RoleGrant[] {
    let current: readonly RoleGrant[] = [];
    const groups = principal.includes('!') ? [] : (input.groupsOf.get(principal) ?? []);
    for (const level of levelsOf(path)) {
      const here = entries.get(level);
      if (here === undefined) continue;
      const final = level === path;
      const direct = grantsOf(
        here.filter((row) => row.type !== 'group' && row.ugid === principal),
        final,
      );
      const found =
        direct.length > 0
          ? direct
          : grantsOf(
              here.filter((row) => row.type === 'group' && groups.includes(row.ugid)),
              final,
            );
      if (found.length > 0) current = found;
    }
    const closed = current.filter((grant) => grant.role === NO_ACCESS);
    return closed.length > 0 ? closed : current;
  }

  function roles(principal: string, path: string): readonly RoleGrant[] {
    const own = ownRoles(principal, path);
    if (own.some((grant) => grant.role === NO_ACCESS)) return own;
    const found = [...own];
    for (const pool of input.poolsOf.get(path) ?? []) {
      for (const grant of ownRoles(principal, `/pool/${pool}`)) {
        const through = { ...grant, propagates: false, pool };
        if (grant.role === NO_ACCESS) return [through];
        if (!found.some((other) => other.role === grant.role)) found.push(through);
      }
    }
    return found;
  }

  function fromRoles(principal: string, path: string): Held {
    const held = new Map<string, boolean>();
    for (const grant of roles(principal, path)) {
      for (const privilege of input.roles.get(grant.role) ?? []) {
        held.set(privilege, grant.propagates || held.get(privilege) === true);
      }
    }
    return held;
  }

  function privileges(principal: string, path: string): Held {
    if (!principal.includes('!')) return principal === ROOT ? all : fromRoles(principal, path);
    const token = input.tokens.get(principal);
    if (token === undefined) return NOTHING;
    const ofUser = privileges(token.user, path);
    return token.privsep ? both(fromRoles(principal, path), ofUser) : ofUser;
  }

  return { roles, privileges };
}

/** `/a/b` as `/`, `/a`, `/a/b`. */
export function levelsOf(path: string): readonly string[] {
  const parts = path.split('/').filter((part) => part !== '');
  return ['/', ...parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`)];
}

/** An ACL path in its one spelling; undefined for what is none. */
export function normalAclPath(text: string): string | undefined {
  if (!/^\/[A-Za-z0-9._/-]*$/.test(text)) return undefined;
  return `/${text
    .split('/')
    .filter((part) => part !== '')
    .join('/')}`;
}

function indexEntries(acl: readonly AclRow[]): ReadonlyMap<string, readonly AclRow[]> {
  const byPath = new Map<string, AclRow[]>();
  for (const row of acl) {
    const path = normalAclPath(row.path) ?? row.path;
    byPath.set(path, [...(byPath.get(path) ?? []), row]);
  }
  return byPath;
}

/** The roles that rows of one level give, each once: at the path itself, or to what is below it. */
function grantsOf(rows: readonly AclRow[], final: boolean): readonly RoleGrant[] {
  const grants = new Map<string, RoleGrant>();
  for (const row of rows) {
    if (!final && !row.propagate) continue;
    const known = grants.get(row.role);
    if (known?.propagates === true) continue;
    grants.set(row.role, {
      role: row.role,
      propagates: row.propagate,
      from: row.path,
      group: row.type === 'group' ? row.ugid : undefined,
      pool: undefined,
    });
  }
  return [...grants.values()];
}

function both(token: Held, user: Held): Held {
  const held = new Map<string, boolean>();
  for (const [privilege, propagates] of token) {
    const ofUser = user.get(privilege);
    if (ofUser !== undefined) held.set(privilege, propagates && ofUser);
  }
  return held;
}

function everyPrivilege(roles: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  return new Set([...roles.values()].flatMap((privileges) => [...privileges]));
}
