import { bool, int, list, type OutputSpec, type Paged, table, text } from '../../answer/spec.ts';
import { counted, isoTime } from '../../answer/units.ts';
import type { AccessData, AccessUser } from '../../cluster/access.ts';

/** What can be listed instead of judged. */
export const ACCESS_LISTS = ['users', 'tokens', 'groups', 'roles', 'acl'] as const;
export type AccessList = (typeof ACCESS_LISTS)[number];

/** Tables of the lists; an answer has one of them. */
export const ACCESS_TABLES = {
  users: table({
    user: text(),
    enabled: bool(),
    expires: text('time or never'),
    groups: list(),
    tokens: int(),
    second_factors: list('kinds that are switched on; blank: not readable'),
  }),
  tokens: table({ token: text(), separate: bool('false: has all rights of its user'), expires: text('time or never') }),
  groups: table({ group: text(), members: list(), entries: list('role on path') }),
  roles: table({ role: text(), built_in: bool(), privileges: list() }),
  acl: table({ path: text(), kind: text('user, group or token'), who: text(), role: text(), below: bool('holds below, too') }),
} as const satisfies OutputSpec;

/** One list with its headline; undefined where the token may not read what it is made of. */
export function accessList(wanted: AccessList, data: AccessData) {
  switch (wanted) {
    case 'users':
      return data.users && { headline: counted(data.users.length, 'user'), sections: { users: users(data.users, data) } };
    case 'tokens': {
      const rows = data.users && tokens(data.users);
      return rows && { headline: counted(rows.rows.length, 'token'), sections: { tokens: rows } };
    }
    case 'groups':
      return data.groups && { headline: counted(data.groups.length, 'group'), sections: { groups: groups(data.groups, data) } };
    case 'roles':
      return data.roles && { headline: counted(data.roles.length, 'role'), sections: { roles: roles(data.roles) } };
    case 'acl':
      return data.acl && { headline: `${data.acl.length} entries of the access control list`, sections: { acl: acl(data.acl) } };
  }
}

const sorted = <R>(rows: readonly R[], ...keys: readonly ((row: R) => string)[]): Paged<R> => ({
  rows,
  key: (row) => keys.map((key) => key(row)),
});

function expiry(expires: number | 'never' | undefined): string | undefined {
  return typeof expires === 'number' ? isoTime(expires) : expires;
}

function users(all: readonly AccessUser[], { tfa }: AccessData) {
  const rows = all.map((u) => ({
    user: u.user,
    enabled: u.enabled,
    expires: expiry(u.expires),
    groups: u.groups,
    tokens: u.tokens.length,
    second_factors: tfa === undefined ? undefined : factorsOf(u, tfa),
  }));
  return sorted(rows, (row) => row.user);
}

function factorsOf(user: AccessUser, tfa: NonNullable<AccessData['tfa']>): readonly string[] {
  const kinds = tfa.find((t) => t.user === user.user)?.enabled ?? [];
  const known = user.legacyKeys ? [...kinds, 'old format'] : kinds;
  return known.length === 0 ? ['none'] : known;
}

function tokens(all: readonly AccessUser[]) {
  const rows = all.flatMap((u) => u.tokens.map((t) => ({ token: t.id, separate: t.privsep, expires: expiry(t.expires) })));
  return sorted(rows, (row) => row.token);
}

function groups(all: NonNullable<AccessData['groups']>, data: AccessData) {
  const rows = all.map((g) => ({
    group: g.group,
    members: g.members,
    entries: data.acl?.filter((e) => e.type === 'group' && e.ugid === g.group).map((e) => `${e.role} on ${e.path}`),
  }));
  return sorted(rows, (row) => row.group);
}

function roles(all: NonNullable<AccessData['roles']>) {
  const rows = all.map((r) => ({ role: r.role, built_in: r.builtIn, privileges: [...r.privileges].sort() }));
  return sorted(rows, (row) => row.role);
}

function acl(all: NonNullable<AccessData['acl']>) {
  const rows = all.map((e) => ({ path: e.path, kind: e.type, who: e.ugid, role: e.role, below: e.propagate }));
  return sorted(
    rows,
    (row) => row.path,
    (row) => row.kind,
    (row) => row.who,
    (row) => row.role,
  );
}
