import type { AclRow } from '../api/rights.ts';
import { levelsOf, NO_ACCESS } from './permission-resolution.ts';

/** Whom an access control entry is for. */
export interface Principal {
  readonly type: 'user' | 'token';
  readonly id: string;
  /** Groups of a user; tokens have none. */
  readonly groups: readonly string[];
}

/** The roles that count for a principal at a path, and where they come from. */
export interface RolesInEffect {
  readonly roles: readonly string[];
  /** True when entries for the principal itself stand at this very path: a new one is then added to them. */
  readonly own: boolean;
}

/**
 * The roles of a principal at a path: the deepest level with entries for it replaces all that is above, and at one level
 * entries for a user replace those for its groups. (Inheritance from pools is not looked at: it only ever adds privileges.)
 */
export function rolesInEffect(acl: readonly AclRow[], principal: Principal, path: string): RolesInEffect {
  let found: RolesInEffect = { roles: [], own: false };
  for (const level of levelsOf(path)) {
    const here = acl.filter((row) => row.path === level && (row.propagate || level === path));
    const direct = rolesOf(here.filter((row) => row.type === principal.type && row.ugid === principal.id));
    if (direct.length > 0) {
      found = { roles: direct, own: level === path };
      continue;
    }
    const byGroup = rolesOf(here.filter((row) => row.type === 'group' && principal.groups.includes(row.ugid)));
    if (byGroup.length > 0) found = { roles: byGroup, own: false };
  }
  return found;
}

function rolesOf(rows: readonly AclRow[]): readonly string[] {
  const roles = [...new Set(rows.map((row) => row.role))].sort();
  // NoAccess beats every other role at its level.
  return roles.includes(NO_ACCESS) ? [NO_ACCESS] : roles;
}
