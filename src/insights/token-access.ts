import { byText } from '../api/lenient.ts';
import type { Release } from '../api/release.ts';
import type { AclRow, Held } from '../api/rights.ts';
import { type Area, areasOf, type Effect, effectOf, isAudit, type Read } from './token-areas.ts';
import { type Grant, grantsFor } from './token-grants.ts';

/**
 * How far a read reaches.
 * - `all`: known to be everything
 * - `except`: everything but what is below `paths`
 * - `some`: only what is below `paths`
 * - `none`
 * - `unknown`: held, but something deeper may take it away again (or the rights could not be read); `why` says it
 */
export interface Reach {
  readonly held: 'all' | 'except' | 'some' | 'none' | 'unknown';
  readonly paths: readonly string[];
  readonly why: string | undefined;
}

/** The token's own data, as its owner's entry has it. */
export interface OwnerFacts {
  readonly enabled: boolean | undefined;
  /** Epoch seconds. */
  readonly expires: number | 'never' | undefined;
  readonly groups: readonly string[];
  /** Undefined when the owner has no token of this name in it. */
  readonly token:
    | {
        readonly privsep: boolean | undefined;
        readonly expires: number | 'never' | undefined;
        readonly comment: string | undefined;
      }
    | undefined;
}

/** What was read about a token; `undefined` always means that it may not be read. */
export interface TokenFacts {
  /** `user@realm!name` */
  readonly identity: string;
  readonly release: Release;
  /** The token's own rights, as /access/permissions dumps them. */
  readonly permissions: ReadonlyMap<string, Held>;
  /** By area and then read, in the order of `areasOf`. */
  readonly reach: (read: Read) => Reach;
  readonly owner: OwnerFacts | undefined;
  readonly ownerPermissions: ReadonlyMap<string, Held> | undefined;
  readonly acl: readonly AclRow[] | undefined;
  readonly roles: ReadonlyMap<string, ReadonlySet<string>>;
}

export interface ReadAccess extends Reach {
  readonly read: Read;
}

export interface AreaAccess {
  readonly area: string;
  /** Over what PVEAuditor shows of it; `none` also when the area needs a further privilege that the token lacks. */
  readonly sees: Reach['held'];
  readonly reads: readonly ReadAccess[];
  /** Reads of PVEAuditor that are not complete: a gap that matters. */
  readonly lacks: readonly ReadAccess[];
  /** Further reads that a grant would open. */
  readonly couldSee: readonly ReadAccess[];
}

/** A privilege beyond looking. */
export interface Excess {
  readonly privilege: string;
  readonly effect: Effect;
  /** ACL paths where it is held; below them too. */
  readonly paths: readonly string[];
  /** Reads of this program that it opens. */
  readonly opens: readonly string[];
  /** False when nothing here needs it, or when it allows far more than what it opens is worth. */
  readonly justified: boolean;
}

export interface TokenAccess {
  readonly identity: { readonly id: string; readonly user: string; readonly name: string };
  readonly release: Release;
  readonly owner: OwnerFacts | undefined;
  readonly areas: readonly AreaAccess[];
  readonly excess: readonly Excess[];
  /** False when the token holds no privilege anywhere. */
  readonly holdsAny: boolean;
  /** True when a privilege is held that lets its holder change something; told from permissions alone. */
  readonly canWrite: boolean;
  readonly grants: readonly Grant[];
  /** True when nothing of PVEAuditor is missing and nothing is held that this program never needs. */
  readonly good: boolean;
}

/** Judges what a token can see, what it lacks and what it holds beyond that. Pure. */
export function assessToken(facts: TokenFacts): TokenAccess {
  const [user = facts.identity, name = ''] = facts.identity.split('!');
  const areas = areasOf(facts.release).map((area) => areaAccess(area, facts));
  const excess = excessOf(facts.permissions, facts.release);
  const unneeded = excess.some((e) => e.effect === 'changes' && !e.justified);
  return {
    identity: { id: facts.identity, user, name },
    release: facts.release,
    owner: facts.owner,
    areas,
    excess,
    holdsAny: [...facts.permissions.values()].some((held) => held.size > 0),
    canWrite: excess.some((e) => e.effect === 'changes'),
    grants: grantsFor(areas, facts),
    good: !unneeded && areas.every((a) => a.lacks.length === 0),
  };
}

function areaAccess({ area, reads }: Area, facts: TokenFacts): AreaAccess {
  const all = reads.map((read): ReadAccess => ({ read, ...facts.reach(read) }));
  const core = all.filter((r) => r.read.kind === 'core');
  const incomplete = (r: ReadAccess): boolean => r.held !== 'all' && r.held !== 'unknown';
  return {
    area,
    sees: together(core.length === 0 ? all : core),
    reads: all,
    lacks: core.filter(incomplete),
    couldSee: all.filter((r) => r.read.kind !== 'core' && incomplete(r)),
  };
}

/** One word for several reads: what they have in common, or `some`. */
function together(reads: readonly ReadAccess[]): Reach['held'] {
  const kinds = new Set(reads.map((r) => r.held));
  const [only] = kinds;
  if (only !== undefined && kinds.size === 1) return only;
  if (kinds.has('none') || kinds.has('some')) return 'some';
  return kinds.has('except') ? 'except' : 'unknown';
}

/** Every privilege that is not an audit privilege, with the topmost paths where it is held; those that change things first. */
export function excessOf(permissions: ReadonlyMap<string, Held>, release: Release): readonly Excess[] {
  const where = new Map<string, string[]>();
  for (const [path, held] of permissions) {
    for (const privilege of held.keys()) {
      if (isAudit(privilege)) continue;
      const paths = where.get(privilege) ?? [];
      paths.push(path);
      where.set(privilege, paths);
    }
  }
  const reads = areasOf(release).flatMap((area) => area.reads);
  const found = [...where].map(([privilege, paths]): Excess => {
    const opened = reads.filter((r) => r.kind !== 'core' && r.any.some((p) => p === privilege));
    return {
      privilege,
      effect: effectOf(privilege),
      paths: topmost(paths, privilege, permissions),
      opens: [...new Set(opened.map((r) => r.opens))],
      justified: opened.some((r) => r.kind === 'optional'),
    };
  });
  const rank: Readonly<Record<Effect, number>> = { changes: 0, uses: 1, reads: 2 };
  return found.sort((a, b) => rank[a.effect] - rank[b.effect] || byText(a.privilege, b.privilege));
}

/** Without the paths that only inherit from another one of them. */
function topmost(paths: readonly string[], privilege: string, permissions: ReadonlyMap<string, Held>): readonly string[] {
  const handsDown = (path: string): boolean => permissions.get(path)?.get(privilege) === true;
  const isBelow = (path: string, above: string): boolean => path !== above && (above === '/' || path.startsWith(`${above}/`));
  return paths.filter((path) => !paths.some((above) => isBelow(path, above) && handsDown(above))).sort(byText);
}
