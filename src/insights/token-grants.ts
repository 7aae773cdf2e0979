import type { AclRow, Held } from '../api/rights.ts';
import { type Principal, rolesInEffect } from './role-in-effect.ts';
import type { AreaAccess, ReadAccess, TokenFacts } from './token-access.ts';
import { isAudit } from './token-areas.ts';

/** What an administrator would run to open something; text only, this program changes nothing. */
export interface Grant {
  /** True for the one grant that opens all of PVEAuditor at once. */
  readonly everything: boolean;
  /** Areas that it opens. */
  readonly areas: readonly string[];
  /** Noun phrases of what is then readable. */
  readonly opens: readonly string[];
  /** `Privilege on path`, all of them needed. */
  readonly needs: readonly string[];
  readonly kind: 'core' | 'optional' | 'discouraged';
  /** Commands for a root shell of any node. */
  readonly lines: readonly string[];
  /** What to mind, one sentence each. */
  readonly notes: readonly string[];
}

/** Roles for privileges beyond PVEAuditor; made by the grant's first line unless the cluster has one with the same privileges. */
const ROLES: readonly { readonly role: string; readonly privileges: readonly string[]; readonly warning: string | undefined }[] =
  [
    {
      role: 'MCPBackupView',
      privileges: ['VM.Backup', 'Datastore.AllocateSpace'],
      warning:
        'VM.Backup with Datastore.AllocateSpace also allows to make, restore and delete backups; give it only where the details are worth it.',
    },
    { role: 'MCPDiskView', privileges: ['VM.Config.Disk'], warning: "VM.Config.Disk also allows to change guests' disks." },
    { role: 'MCPLogView', privileges: ['Sys.Syslog'], warning: undefined },
    {
      role: 'MCPUpdateView',
      privileges: ['Sys.Modify'],
      warning: 'Sys.Modify also allows to change nodes and the cluster: better leave it.',
    },
    {
      role: 'MCPAgentView',
      privileges: ['VM.Monitor'],
      warning: 'VM.Monitor also opens the monitor of running guests and the files in them: better leave it.',
    },
  ];

const AUDITOR = 'PVEAuditor';
/** From how many areas on one grant on `/` is offered for all of them. */
const MANY_AREAS = 3;

/** The grants that open what the token lacks, core ones first. */
export function grantsFor(areas: readonly AreaAccess[], facts: TokenFacts): readonly Grant[] {
  const lacking = areas.filter((a) => a.lacks.some((r) => r.held !== 'except'));
  const core = lacking.map((a) =>
    grant(
      [a.area],
      a.lacks.filter((r) => r.held !== 'except'),
      'core',
      facts,
    ),
  );
  const everything = lacking.length >= MANY_AREAS ? [everythingGrant(lacking, facts)] : [];
  const optional = (['optional', 'discouraged'] as const).flatMap((kind) =>
    areas.flatMap((a) => {
      const reads = a.couldSee.filter((r) => r.read.kind === kind && r.held !== 'except');
      return reads.length === 0 ? [] : [grant([a.area], reads, kind, facts)];
    }),
  );
  return merged([...everything, ...core, ...areas.flatMap((a) => closedBelow(a, facts)), ...optional]);
}

/** Grants with the same commands are one. */
function merged(grants: readonly Grant[]): readonly Grant[] {
  const found = new Map<string, Grant>();
  const union = (a: readonly string[], b: readonly string[]): readonly string[] => [...new Set([...a, ...b])];
  for (const each of grants) {
    const key = each.lines.join('\n');
    const same = found.get(key);
    if (same === undefined || same.kind !== each.kind) {
      found.set(same === undefined ? key : `${key} ${each.kind}`, each);
      continue;
    }
    found.set(key, {
      ...same,
      areas: union(same.areas, each.areas),
      // What is open already needs no more words.
      opens: same.everything ? same.opens : union(same.opens, each.opens),
      needs: same.everything ? same.needs : union(same.needs, each.needs),
      notes: union(same.notes, each.notes),
    });
  }
  return [...found.values()];
}

function everythingGrant(lacking: readonly AreaAccess[], facts: TokenFacts): Grant {
  const { lines, notes } = aclLines(AUDITOR, [{ path: '/', privileges: [] }], facts);
  return {
    everything: true,
    areas: lacking.map((a) => a.area),
    opens: ['everything that PVEAuditor shows'],
    needs: [`${AUDITOR} on /`],
    kind: 'core',
    lines,
    notes,
  };
}

function grant(areas: readonly string[], reads: readonly ReadAccess[], kind: Grant['kind'], facts: TokenFacts): Grant {
  const needs = [...new Set(reads.map((r) => `${r.read.any[0]} on ${r.read.on}`))];
  const opens = [...new Set(reads.map((r) => r.read.opens))];
  // What is granted at a path reaches everything below: one line is enough.
  const paths = [...new Set(reads.map((r) => r.read.on))];
  const top = paths.filter((path) => !paths.some((above) => isBelow(path, above)));
  const at = top.map((path) => ({
    path,
    privileges: reads.filter((r) => r.read.on === path || isBelow(r.read.on, path)).map((r) => r.read.any[0]),
  }));
  if (kind === 'core') return { everything: false, areas, opens, needs, kind, ...aclLines(AUDITOR, at, facts) };
  const privileges = new Set<string>(reads.map((r) => r.read.any[0]));
  const wanted = ROLES.find((r) => [...privileges].every((p) => r.privileges.includes(p)));
  if (wanted === undefined) throw new Error(`no role is known for ${[...privileges].join(', ')}`);
  const existing = [...facts.roles].find(
    ([, held]) => held.size === wanted.privileges.length && wanted.privileges.every((p) => held.has(p)),
  );
  const role = existing?.[0] ?? wanted.role;
  const acl = aclLines(role, at, facts);
  const make = existing === undefined ? [`pveum role add ${role} --privs '${wanted.privileges.join(' ')}'`] : [];
  return {
    everything: false,
    areas,
    opens,
    needs,
    kind,
    lines: [...make, ...acl.lines],
    notes: [...(wanted.warning === undefined ? [] : [wanted.warning]), ...acl.notes],
  };
}

function isBelow(path: string, above: string): boolean {
  return path !== above && (above === '/' || path.startsWith(`${above}/`));
}

interface Place {
  readonly path: string;
  readonly privileges: readonly string[];
}

/**
 * The lines that give a role at some paths. A privilege-separated token holds what it and its user hold both; so the user
 * gets a line too, unless it is known to hold the privileges already.
 */
function aclLines(
  role: string,
  places: readonly Place[],
  facts: TokenFacts,
): { lines: readonly string[]; notes: readonly string[] } {
  const [user = ''] = facts.identity.split('!');
  const privsep = facts.owner?.token?.privsep;
  const lines: string[] = [];
  const notes = new Set<string>();
  const add = (principal: Principal, path: string): void => {
    const roles = rolesToName(role, principal, path, facts, notes);
    lines.push(`pveum acl modify ${path} --${principal.type}s '${principal.id}' --roles ${roles.join(',')}`);
  };
  for (const { path, privileges } of places) {
    if (privsep !== false) add({ type: 'token', id: facts.identity, groups: [] }, path);
    const wanted = privileges.length > 0 ? privileges : [...(facts.roles.get(role) ?? [])];
    const held = facts.ownerPermissions;
    const ownerHasIt = held !== undefined && wanted.length > 0 && wanted.every((p) => holds(held, p, path));
    if (privsep === false || !ownerHasIt) add({ type: 'user', id: user, groups: facts.owner?.groups ?? [] }, path);
    if (privsep !== false && !ownerHasIt) {
      notes.add(
        facts.ownerPermissions === undefined
          ? `A privilege-separated token never holds more than its user, whose rights this token may not read: the --users line is needed unless ${user} holds the role there.`
          : `A privilege-separated token never holds more than its user: ${user} lacks it too.`,
      );
    }
  }
  return { lines, notes: [...notes] };
}

/**
 * The roles to name in a new entry. An entry below `/` replaces what is inherited there, so it must name the inherited roles
 * again, and PVEAuditor in any case: the grants are meant to be run together, in any order.
 */
function rolesToName(role: string, principal: Principal, path: string, facts: TokenFacts, notes: Set<string>): readonly string[] {
  const wanted = path === '/' ? [role] : [...new Set([AUDITOR, role])];
  if (facts.acl !== undefined) {
    const now = rolesInEffect(facts.acl, principal, path);
    if (now.own && now.roles.includes('NoAccess'))
      notes.add(`NoAccess for ${principal.id} on ${path} must go first: it beats every other role.`);
    if (now.own) return wanted.filter((r) => r === role || !now.roles.includes(r));
    return [...new Set([...now.roles.filter((r) => r !== 'NoAccess'), ...wanted])];
  }
  const held = [...(facts.permissions.get(path)?.keys() ?? [])];
  if (path !== '/' && held.some((privilege) => !isAudit(privilege))) {
    notes.add(
      `An entry on ${path} replaces what is inherited from above: name the other roles from there too, as "--roles A,B".`,
    );
  }
  return wanted;
}

/** Whether a dump of rights shows a privilege at a path, inheritance from above included. */
function holds(permissions: ReadonlyMap<string, Held>, privilege: string, path: string): boolean {
  const listed = permissions.get(path);
  if (listed !== undefined) return listed.has(privilege);
  const above = path.slice(0, path.lastIndexOf('/')) || '/';
  // "/" is never absent when anything is held there.
  if (path === '/') return false;
  const up = permissions.get(above);
  return up === undefined ? holds(permissions, privilege, above) : up.get(privilege) === true;
}

/** Deeper entries that take a privilege away again: no grant opens them, removing the entry would. */
function closedBelow(area: AreaAccess, facts: TokenFacts): readonly Grant[] {
  return area.lacks
    .filter((r) => r.held === 'except')
    .map((r) => {
      const rows = (facts.acl ?? []).filter(
        (row) => r.paths.includes(row.path) && isOurs(row, facts) && facts.roles.get(row.role)?.has(r.read.any[0]) !== true,
      );
      return {
        everything: false,
        areas: [area.area],
        opens: r.paths.map((path) => `${r.read.opens} at ${path}`),
        needs: r.paths.map((path) => `${r.read.any[0]} on ${path}`),
        kind: 'core' as const,
        lines: rows.map((row) => `pveum acl delete ${row.path} --${row.type}s '${row.ugid}' --roles ${row.role}`),
        notes: ['These entries close something that is open above them; that may well be meant.'],
      };
    });
}

function isOurs(row: AclRow, facts: TokenFacts): boolean {
  const [user] = facts.identity.split('!');
  if (row.type === 'group') return facts.owner?.groups.includes(row.ugid) === true;
  return row.ugid === facts.identity || row.ugid === user;
}
