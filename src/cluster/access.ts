import type { Call } from '../api/call.ts';
import { boolOf, byText, commaList, isRaw, listOf, numberOf, type Raw, rowsOf, textOf, timeOf } from '../api/lenient.ts';
import { attempt, type Gaps, mergeGaps, NO_GAPS, type Reading, withGaps } from '../api/reading.ts';
import { type AclRow, parseAcl, parseRoles } from '../api/rights.ts';
import { cleanText } from '../redact/plain-text.ts';

export interface AccessToken {
  /** `user@realm!name` */
  readonly id: string;
  readonly user: string;
  /** True unless it is told otherwise: a token holds at most what its own entries give. */
  readonly privsep: boolean;
  /** Epoch seconds. */
  readonly expires: number | 'never' | undefined;
}

export interface AccessUser {
  /** `user@realm` */
  readonly user: string;
  readonly realm: string;
  readonly enabled: boolean;
  /** Epoch seconds. */
  readonly expires: number | 'never' | undefined;
  readonly groups: readonly string[];
  /** A second factor in the old format: a TOTP seed or Yubikey id in the user list itself. */
  readonly legacyKeys: boolean;
  readonly tokens: readonly AccessToken[];
}

export interface AccessGroup {
  readonly group: string;
  readonly members: readonly string[];
}

export interface AccessRole {
  readonly role: string;
  /** Comes with the product. */
  readonly builtIn: boolean;
  readonly privileges: ReadonlySet<string>;
}

export interface AccessRealm {
  readonly realm: string;
  readonly type: string;
  /** Kind of second factor that the realm demands of everybody: `oath`, `yubico`. */
  readonly tfa: string | undefined;
}

/** Second factors of a user. */
export interface SecondFactors {
  readonly user: string;
  /** Kinds that are switched on: `totp`, `webauthn`, `recovery`, ... */
  readonly enabled: readonly string[];
  readonly disabled: readonly string[];
}

/** Everything about access; `undefined` always means that it may not or could not be read. */
export interface AccessData {
  readonly acl: readonly AclRow[] | undefined;
  readonly roles: readonly AccessRole[] | undefined;
  readonly users: readonly AccessUser[] | undefined;
  readonly groups: readonly AccessGroup[] | undefined;
  readonly realms: readonly AccessRealm[] | undefined;
  readonly tfa: readonly SecondFactors[] | undefined;
}

/**
 * Users, tokens, groups, roles, entries, realms and second factors: six requests at any size. What would come filtered
 * (no Sys.Audit on /access or /access/groups) is not taken for the whole: it is left undefined, and told as hidden.
 *
 * Source: GET /access/acl, /access/roles, /access/users?full=1, /access/groups, /access/domains, /access/tfa.
 */
export async function readAccess(call: Call): Promise<Reading<AccessData>> {
  const [seesAcl, seesUsers] = await Promise.all([
    call.rights.has('Sys.Audit', '/access'),
    call.rights.has('Sys.Audit', '/access/groups'),
  ]);
  const nothing = { data: undefined, ...NO_GAPS };
  const [acl, roles, users, groups, realms, tfa] = await Promise.all([
    seesAcl ? attempt({}, async () => parseAcl((await call.get('/access/acl', {})).data)) : nothing,
    attempt({}, async () => parseAccessRoles((await call.get('/access/roles', {})).data)),
    seesUsers ? attempt({}, async () => parseAccessUsers((await call.get('/access/users', {}, { full: true })).data)) : nothing,
    seesUsers ? attempt({}, async () => parseGroups((await call.get('/access/groups', {})).data)) : nothing,
    attempt({}, async () => parseRealms((await call.get('/access/domains', {})).data)),
    seesUsers ? attempt({}, async () => parseTfa((await call.get('/access/tfa', {})).data)) : nothing,
  ]);
  const hidden: Gaps = {
    problems: [],
    coverage: seesAcl && seesUsers ? 'complete' : 'partial',
    hidden: [
      ...(seesAcl ? [] : [{ what: 'the access control list', privilege: 'Sys.Audit', path: '/access' }]),
      ...(seesUsers
        ? []
        : [{ what: 'users, tokens, groups and second factors', privilege: 'Sys.Audit', path: '/access/groups' }]),
    ],
  };
  const data: AccessData = {
    acl: acl.data,
    roles: roles.data,
    users: users.data === undefined ? undefined : withMembers(users.data, groups.data ?? []),
    groups: groups.data,
    realms: realms.data,
    tfa: tfa.data,
  };
  return withGaps(data, mergeGaps(hidden, acl, roles, users, groups, realms, tfa));
}

/** Group membership is told on both sides; whichever has it counts. */
function withMembers(users: readonly AccessUser[], groups: readonly AccessGroup[]): readonly AccessUser[] {
  return users.map((user) => {
    const more = groups.filter((g) => g.members.includes(user.user)).map((g) => g.group);
    return { ...user, groups: [...new Set([...user.groups, ...more])].sort(byText) };
  });
}

/** `/access/users?full=1`; tokens come as a list here, and as an object by name where one user is read. */
export function parseAccessUsers(data: unknown): readonly AccessUser[] {
  return listOf(data, 'users')
    .flatMap((row) => {
      const found = textOf(row['userid']);
      if (found === undefined) return [];
      const user = cleanText(found);
      const keys = textOf(row['keys']);
      return [
        {
          user,
          realm: user.slice(user.lastIndexOf('@') + 1),
          enabled: boolOf(row['enable']) ?? true,
          expires: expiryOf(row['expire']),
          groups: commaList(row['groups']).map((g) => cleanText(g)),
          legacyKeys: keys !== undefined && !keys.startsWith('x'),
          tokens: parseTokens(row['tokens'], user),
        },
      ];
    })
    .sort((a, b) => byText(a.user, b.user));
}

function parseTokens(value: unknown, user: string): readonly AccessToken[] {
  const rows: readonly Raw[] = isRaw(value)
    ? Object.entries(value).flatMap(([tokenid, row]) => (isRaw(row) ? [{ ...row, tokenid }] : []))
    : rowsOf(value);
  return rows
    .flatMap((row) => {
      const name = textOf(row['tokenid']);
      if (name === undefined) return [];
      return [
        { id: `${user}!${cleanText(name)}`, user, privsep: boolOf(row['privsep']) ?? true, expires: expiryOf(row['expire']) },
      ];
    })
    .sort((a, b) => byText(a.id, b.id));
}

/** 0, and nothing at all, mean "never". */
function expiryOf(value: unknown): number | 'never' | undefined {
  return numberOf(value ?? 0) === 0 ? 'never' : timeOf(value);
}

export function parseGroups(data: unknown): readonly AccessGroup[] {
  return listOf(data, 'groups')
    .flatMap((row) => {
      const group = textOf(row['groupid']);
      return group === undefined
        ? []
        : [{ group: cleanText(group), members: commaList(row['users'] ?? row['members']).map((m) => cleanText(m)) }];
    })
    .sort((a, b) => byText(a.group, b.group));
}

export function parseAccessRoles(data: unknown): readonly AccessRole[] {
  const privileges = parseRoles(data);
  return listOf(data, 'roles')
    .flatMap((row) => {
      const role = textOf(row['roleid']);
      if (role === undefined) return [];
      return [{ role, builtIn: boolOf(row['special']) ?? false, privileges: privileges.get(role) ?? new Set<string>() }];
    })
    .sort((a, b) => byText(a.role, b.role));
}

export function parseRealms(data: unknown): readonly AccessRealm[] {
  return listOf(data, 'realms')
    .flatMap((row) => {
      const realm = textOf(row['realm']);
      if (realm === undefined) return [];
      const tfa = textOf(row['tfa']);
      return [
        {
          realm,
          type: textOf(row['type']) ?? 'unknown',
          tfa: tfa === undefined ? undefined : (/type=([^,]+)/.exec(tfa)?.[1] ?? tfa),
        },
      ];
    })
    .sort((a, b) => byText(a.realm, b.realm));
}

export function parseTfa(data: unknown): readonly SecondFactors[] {
  return listOf(data, 'second factors')
    .flatMap((row) => {
      const user = textOf(row['userid']);
      if (user === undefined) return [];
      const entries = rowsOf(row['entries']).map((entry) => ({
        type: textOf(entry['type']) ?? 'unknown',
        on: boolOf(entry['enable']) ?? true,
      }));
      const kinds = (on: boolean): readonly string[] =>
        [...new Set(entries.filter((e) => e.on === on).map((e) => e.type))].sort(byText);
      return [{ user: cleanText(user), enabled: kinds(true), disabled: kinds(false) }];
    })
    .sort((a, b) => byText(a.user, b.user));
}
