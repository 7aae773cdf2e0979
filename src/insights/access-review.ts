import { byText } from '../api/lenient.ts';
import type { AclRow } from '../api/rights.ts';
import type { AccessData, AccessToken, AccessUser } from '../cluster/access.ts';
import { isRelevant, LEVEL_RANK, type Level, levelOf, verbsOf } from './access-verbs.ts';
import { createResolution, NO_ACCESS, type Resolution, ROOT, type RoleGrant } from './permission-resolution.ts';

/** What a review is made of: entries and roles are needed for anything at all. */
export interface AccessFacts extends AccessData {
  readonly acl: readonly AclRow[];
  readonly roles: NonNullable<AccessData['roles']>;
  readonly poolsOf: ReadonlyMap<string, readonly string[]>;
  /** Seconds since the epoch. */
  readonly now: number;
}

/** Somebody with rights at an object, or locked out of it. */
export interface Holder {
  readonly principal: string;
  readonly kind: 'user' | 'token';
  readonly level: Level | 'closed';
  readonly roles: readonly string[];
  /** Where the rights come from: `group admins on /`. */
  readonly through: string;
  /** What may be done, in words. */
  readonly may: readonly string[];
  /** Privileges that mean something at the object. */
  readonly privileges: readonly string[];
  /** Reaches what lies below the object. */
  readonly inherits: boolean;
  /** Why the rights can't be used at the moment. */
  readonly blocked: string | undefined;
}

/** The rights of everybody, from what was read. */
export function resolutionOf(facts: Pick<AccessFacts, 'acl' | 'roles' | 'users' | 'poolsOf'>): Resolution {
  return createResolution({
    acl: facts.acl,
    roles: new Map(facts.roles.map((r) => [r.role, r.privileges])),
    groupsOf: new Map((facts.users ?? []).map((u) => [u.user, u.groups])),
    tokens: new Map((facts.users ?? []).flatMap((u) => u.tokens.map((t) => [t.id, t] as const))),
    poolsOf: facts.poolsOf,
  });
}

/**
 * Everybody who may do anything to the object at a path, the mightiest first, and those that an entry locks out. With a
 * privilege: only those who hold it.
 */
export function holdersOf(facts: AccessFacts, path: string, privilege?: string): readonly Holder[] {
  const resolution = resolutionOf(facts);
  const users = facts.users ?? [];
  const all = [...resolution.privileges(ROOT, '/').keys()].filter((p) => isRelevant(p, path));
  const holders: Holder[] = [];
  for (const user of users) {
    add(holders, user.user, 'user', blockedUser(user, facts.now));
    for (const token of user.tokens)
      add(holders, token.id, 'token', blockedUser(user, facts.now) ?? blockedToken(token, facts.now));
  }
  const rank = (h: Holder): number => (h.level === 'closed' ? 9 : LEVEL_RANK[h.level]);
  return holders.sort(
    (a, b) => rank(a) - rank(b) || b.privileges.length - a.privileges.length || byText(a.principal, b.principal),
  );

  function add(list: Holder[], principal: string, kind: Holder['kind'], blocked: string | undefined): void {
    const token = users.flatMap((u) => u.tokens).find((t) => t.id === principal);
    const asUser = token !== undefined && !token.privsep ? token.user : principal;
    const held = resolution.privileges(principal, path);
    const grants = asUser === ROOT ? [] : resolution.roles(asUser, path);
    const relevant = [...held.keys()]
      .filter((p) => (privilege === undefined ? isRelevant(p, path) : p === privilege))
      .sort(byText);
    const closed = grants.some((g) => g.role === NO_ACCESS);
    if (relevant.length === 0 && !(closed && privilege === undefined)) return;
    const through = throughText(asUser, grants);
    list.push({
      principal,
      kind,
      level: relevant.length === 0 ? 'closed' : (levelOf(relevant) ?? 'looks'),
      roles: grants.map((g) => g.role).sort(byText),
      through: asUser === principal ? through : `all rights of its user: ${through}`,
      may: mayWords(relevant, all),
      privileges: relevant,
      inherits: relevant.some((p) => held.get(p) === true),
      blocked,
    });
  }
}

/** How many privileges may be missing before what is held is listed instead. */
const FEW = 2;

function mayWords(held: readonly string[], all: readonly string[]): readonly string[] {
  const missing = all.filter((p) => !held.includes(p));
  if (missing.length === 0 && held.length > 1) return ['everything'];
  if (missing.length <= FEW && held.length > FEW * 3) return [`everything but: ${verbsOf(missing).join(', ')}`];
  return verbsOf(held);
}

function throughText(principal: string, grants: readonly RoleGrant[]): string {
  if (principal === ROOT) return 'root@pam holds everything';
  const words = grants.map((g) => {
    const whom = g.group === undefined ? '' : `group ${g.group} `;
    const only = g.propagates || g.pool !== undefined ? '' : ', this path only';
    return `${g.pool === undefined ? '' : `pool ${g.pool}: `}${whom}on ${g.from}${only}`;
  });
  return [...new Set(words)].join('; ');
}

function blockedUser(user: AccessUser, now: number): string | undefined {
  if (!user.enabled) return 'user disabled';
  return isPast(user.expires, now) ? 'user expired' : undefined;
}

function blockedToken(token: AccessToken, now: number): string | undefined {
  return isPast(token.expires, now) ? 'token expired' : undefined;
}

function isPast(expires: number | 'never' | undefined, now: number): boolean {
  return typeof expires === 'number' && expires <= now;
}

export type Severity = 'high' | 'medium' | 'low';

/** Something about access that should be put right. */
export interface AccessFinding {
  readonly severity: Severity;
  /** Stable name of the rule. */
  readonly code: string;
  readonly subject: string;
  readonly what: string;
  /** A command for an administrator to run; text only. */
  readonly fix: string | undefined;
}

/** What exists, to tell entries for objects that are gone; undefined where it is not known to be everything. */
export interface KnownObjects {
  readonly vmids: ReadonlySet<number> | undefined;
  readonly storages: ReadonlySet<string> | undefined;
  readonly nodes: ReadonlySet<string> | undefined;
  readonly pools: ReadonlySet<string> | undefined;
}

/** Every finding, the gravest first. Rules that need what could not be read are left out. */
export function accessFindings(facts: AccessFacts, known: KnownObjects): readonly AccessFinding[] {
  const resolution = resolutionOf(facts);
  const findings = [
    ...danglingEntries(facts, known),
    ...tokenFindings(facts, resolution),
    ...userFindings(facts, resolution),
    ...unusedFindings(facts),
  ];
  const rank: Readonly<Record<Severity, number>> = { high: 0, medium: 1, low: 2 };
  return findings.sort(
    (a, b) =>
      rank[a.severity] - rank[b.severity] || byText(a.code, b.code) || byText(a.subject, b.subject) || byText(a.what, b.what),
  );
}

function danglingEntries(facts: AccessFacts, known: KnownObjects): readonly AccessFinding[] {
  const { users, groups } = facts;
  const roles = new Set(facts.roles.map((r) => r.role));
  const ids = users === undefined ? undefined : new Set(users.flatMap((u) => [u.user, ...u.tokens.map((t) => t.id)]));
  const groupIds = groups === undefined ? undefined : new Set(groups.map((g) => g.group));
  return facts.acl.flatMap((row): AccessFinding[] => {
    const gone =
      row.type === 'group' ? groupIds !== undefined && !groupIds.has(row.ugid) : ids !== undefined && !ids.has(row.ugid);
    const fix = `pveum acl delete ${row.path} --${row.type}s '${row.ugid}' --roles ${row.role}`;
    const entry = `${row.role} on ${row.path}`;
    if (gone) {
      const why = `entry for a ${row.type} that does not exist: ${entry}. Whoever is created with that name gets it`;
      return [{ severity: 'medium', code: 'dangling-entry', subject: row.ugid, what: why, fix }];
    }
    if (!roles.has(row.role))
      return [
        {
          severity: 'low',
          code: 'dangling-entry',
          subject: row.ugid,
          what: `entry with a role that does not exist: ${entry}`,
          fix,
        },
      ];
    if (isGone(row.path, known)) {
      const why = `entry for an object that does not exist: ${entry}. Whatever gets that name falls under it`;
      return [{ severity: 'low', code: 'dangling-path', subject: row.ugid, what: why, fix }];
    }
    return [];
  });
}

function isGone(path: string, known: KnownObjects): boolean {
  const [kind, ...rest] = path.split('/').slice(1);
  const name = rest.join('/');
  if (name === '') return false;
  if (kind === 'vms') return known.vmids !== undefined && /^\d+$/.test(name) && !known.vmids.has(Number(name));
  const set = kind === 'storage' ? known.storages : kind === 'nodes' ? known.nodes : kind === 'pool' ? known.pools : undefined;
  return set !== undefined && !set.has(name);
}

/** Paths at which something about a principal may be decided: the root and its own entries, group entries included. */
function pathsOf(facts: AccessFacts, user: AccessUser, token?: AccessToken): readonly string[] {
  const mine = facts.acl.filter((row) =>
    row.type === 'group' ? user.groups.includes(row.ugid) : row.ugid === user.user || row.ugid === token?.id,
  );
  return [...new Set(['/', ...mine.map((row) => row.path)])];
}

/** Every privilege that somebody holds anywhere. */
function heldAnywhere(facts: AccessFacts, resolution: Resolution, user: AccessUser, token?: AccessToken): ReadonlySet<string> {
  const held = new Set<string>();
  for (const path of pathsOf(facts, user, token)) {
    for (const privilege of resolution.privileges(token?.id ?? user.user, path).keys()) held.add(privilege);
  }
  return held;
}

function tokenFindings(facts: AccessFacts, resolution: Resolution): readonly AccessFinding[] {
  return (facts.users ?? []).flatMap((user) =>
    user.tokens.flatMap((token): AccessFinding[] => {
      const findings: AccessFinding[] = [];
      const usable = blockedUser(user, facts.now) === undefined && blockedToken(token, facts.now) === undefined;
      const level = levelOf(heldAnywhere(facts, resolution, user, token));
      const strong = level === 'administers';
      const [, name = ''] = token.id.split('!');
      const modify = `pveum user token modify ${user.user} '${name}'`;
      if (usable && user.user === ROOT)
        findings.push({
          severity: token.privsep ? 'medium' : 'high',
          code: 'root-token',
          subject: token.id,
          what: `token of root@pam${token.privsep ? '' : ' with all its rights'}: give a named user what it needs instead`,
          fix: `pveum user token delete ${user.user} '${name}'`,
        });
      if (usable && !token.privsep && level !== undefined)
        findings.push({
          severity: strong ? 'high' : 'medium',
          code: 'token-not-separated',
          subject: token.id,
          what: `privilege separation is off: the token may do all that ${user.user} may (${LEVEL_WORDS[level]})`,
          fix: `${modify} --privsep 1`,
        });
      if (usable && token.expires === 'never' && level !== undefined && level !== 'looks')
        findings.push({
          severity: strong ? 'medium' : 'low',
          code: 'token-no-end',
          subject: token.id,
          what: `never expires, and ${LEVEL_WORDS[level]}`,
          fix: `${modify} --expire EPOCH`,
        });
      if (isPast(token.expires, facts.now))
        findings.push({
          severity: 'low',
          code: 'token-expired',
          subject: token.id,
          what: 'has expired, and is still there',
          fix: `pveum user token delete ${user.user} '${name}'`,
        });
      return findings;
    }),
  );
}

const LEVEL_WORDS: Readonly<Record<Level, string>> = {
  administers: 'it administers',
  changes: 'it can change things',
  uses: 'it can use networks or mappings',
  looks: 'it only looks',
};

/** Second factors that a user really has to show at a login. */
type Factor = 'yes' | 'none' | 'recovery-only' | 'legacy' | 'elsewhere' | 'unknown';

/** Whether a login of the user takes a second factor; realms with their own login page ask for it elsewhere. */
export function factorOf(facts: Pick<AccessData, 'tfa' | 'realms'>, user: AccessUser): Factor {
  if (facts.tfa === undefined || facts.realms === undefined) return 'unknown';
  const realm = facts.realms.find((r) => r.realm === user.realm);
  const own = facts.tfa.find((t) => t.user === user.user)?.enabled ?? [];
  if (own.some((kind) => kind !== 'recovery') || realm?.tfa !== undefined) return 'yes';
  if (realm?.type === 'openid') return 'elsewhere';
  if (user.legacyKeys) return 'legacy';
  return own.length > 0 ? 'recovery-only' : 'none';
}

function userFindings(facts: AccessFacts, resolution: Resolution): readonly AccessFinding[] {
  return (facts.users ?? []).flatMap((user): AccessFinding[] => {
    const findings: AccessFinding[] = [];
    const blocked = blockedUser(user, facts.now);
    const level = levelOf(heldAnywhere(facts, resolution, user));
    if (blocked !== undefined && (level !== undefined || user.tokens.length > 0)) {
      const still = [
        ...(user.groups.length > 0 ? [`in ${user.groups.join(', ')}`] : []),
        ...facts.acl.filter((row) => row.type !== 'group' && row.ugid === user.user).map((row) => `${row.role} on ${row.path}`),
        ...(user.tokens.length > 0 ? [`tokens ${user.tokens.map((t) => t.id.split('!')[1]).join(', ')}`] : []),
      ];
      findings.push({
        severity: 'low',
        code: blocked === 'user disabled' ? 'disabled-with-rights' : 'expired-with-rights',
        subject: user.user,
        what: `${blocked.replace('user ', '')}, but still ${still.join('; ')}: all of it is back when the account is`,
        fix: `pveum user delete ${user.user}`,
      });
    }
    if (blocked === undefined) findings.push(...factorFindings(facts, user, level));
    return findings;
  });
}

function factorFindings(facts: AccessFacts, user: AccessUser, level: Level | undefined): readonly AccessFinding[] {
  const factor = factorOf(facts, user);
  const findings: AccessFinding[] = [];
  if (level === 'administers' && factor === 'none')
    findings.push({
      severity: 'high',
      code: 'admin-without-second-factor',
      subject: user.user,
      what: 'administers, and its password alone is enough to log in',
      fix: undefined,
    });
  if (factor === 'recovery-only' && (level === 'administers' || level === 'changes'))
    findings.push({
      severity: level === 'administers' ? 'high' : 'medium',
      code: 'recovery-keys-only',
      subject: user.user,
      what: 'has recovery keys but no second factor that they stand in for',
      fix: undefined,
    });
  if (user.legacyKeys)
    findings.push({
      severity: 'low',
      code: 'legacy-second-factor',
      subject: user.user,
      what: 'second factor in the old format, kept in the user list itself: enrol it anew',
      fix: undefined,
    });
  return findings;
}

function unusedFindings(facts: AccessFacts): readonly AccessFinding[] {
  const usedRoles = new Set(facts.acl.map((row) => row.role));
  const usedGroups = new Set(facts.acl.filter((row) => row.type === 'group').map((row) => row.ugid));
  const roles = facts.roles.filter((r) => !r.builtIn && !usedRoles.has(r.role));
  const groups = (facts.groups ?? []).filter((g) => !usedGroups.has(g.group));
  return [
    ...roles.map(
      (r): AccessFinding => ({
        severity: 'low',
        code: 'unused-role',
        subject: r.role,
        what: 'own role that no entry uses',
        fix: `pveum role delete ${r.role}`,
      }),
    ),
    ...groups.map(
      (g): AccessFinding => ({
        severity: 'low',
        code: 'unused-group',
        subject: g.group,
        what:
          g.members.length === 0
            ? 'group without members and without rights'
            : `group without rights (${g.members.length} members)`,
        fix: `pveum group delete ${g.group}`,
      }),
    ),
  ];
}

/** Users and tokens that can take over the cluster and can log in now. */
export function administrators(facts: AccessFacts): readonly string[] {
  const resolution = resolutionOf(facts);
  return (facts.users ?? []).flatMap((user) => {
    if (blockedUser(user, facts.now) !== undefined) return [];
    const all = [undefined, ...user.tokens.filter((t) => blockedToken(t, facts.now) === undefined)];
    return all.flatMap((token) =>
      levelOf(heldAnywhere(facts, resolution, user, token)) === 'administers' ? [token?.id ?? user.user] : [],
    );
  });
}
