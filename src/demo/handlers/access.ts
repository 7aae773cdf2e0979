import { permissionsAnswer } from '../permissions-answer.ts';
import { normalizeAclPath } from '../rights.ts';
import { DemoHttpError, type HandlerRequest, type HandlerTable, type WorldUser } from '../types.ts';
import type { Realm, Row } from '../world/area-types.ts';
import { digestOf } from '../world/digests.ts';
import type { DemoWorld } from '../world/types.ts';
import { badParameter, demand, directory, parameter } from './answers.ts';

/** Users, groups, roles, ACL, realms and second factors. */
export function accessHandlers(world: DemoWorld): HandlerTable {
  const { access } = world.areas;

  /** May the caller see this user? A token is not its owner: its owner's row is no exception. */
  const mayRead = (request: HandlerRequest, user: Pick<WorldUser, 'groups'>, ...anyOf: string[]): boolean =>
    request.may('/access/groups', ...anyOf) || user.groups.some((group) => request.may(`/access/groups/${group}`, ...anyOf));

  const userOf = (request: HandlerRequest): WorldUser => {
    const userid = parameter(request, 'userid');
    if (!/^[^\s:/]+@[A-Za-z][\w.-]+$/.test(userid)) {
      throw new DemoHttpError(500, `value '${userid}' does not look like a valid user name`);
    }
    const found = access.users.find((user) => user.userid === userid);
    if (found === undefined) throw new DemoHttpError(500, `no such user ('${userid}')`);
    return found;
  };

  const realmType = (userid: string): string | undefined => {
    const realm = userid.slice(userid.lastIndexOf('@') + 1);
    return access.realms.find((candidate) => candidate.realm === realm)?.type;
  };

  const personal = (user: WorldUser): Row => {
    const { totpLocked: _shownInListsOnly, ...details } = access.details.get(user.userid) ?? {};
    return { email: '', ...details, enable: user.enable, expire: user.expire };
  };

  const tokenRow = (token: WorldUser['tokens'][number]): Row => ({
    ...(token.comment === undefined ? {} : { comment: token.comment }),
    expire: token.expire,
    privsep: token.privsep,
  });

  const listedUser = (user: WorldUser, full: boolean): Row => ({
    ...personal(user),
    userid: user.userid,
    'realm-type': realmType(user.userid),
    ...(access.details.get(user.userid)?.totpLocked ? { 'totp-locked': 1 } : {}),
    ...(full
      ? {
          groups: user.groups.join(','),
          tokens: user.tokens.length === 0 ? null : user.tokens.map((token) => ({ ...tokenRow(token), tokenid: token.tokenid })),
        }
      : {}),
  });

  const membersOf = (groupid: string): string[] =>
    access.users.filter((user) => user.groups.includes(groupid)).map((user) => user.userid);

  const tokenOf = (request: HandlerRequest): WorldUser['tokens'][number] => {
    const user = userOf(request);
    const tokenid = parameter(request, 'tokenid');
    const found = user.tokens.find((token) => token.tokenid === tokenid);
    if (found === undefined) throw new DemoHttpError(500, `no such token '${tokenid}' for user '${user.userid}'`);
    return found;
  };

  const factorsOf = (request: HandlerRequest): readonly Row[] => {
    const user = userOf(request);
    return access.tfa.find((entry) => entry.userid === user.userid)?.entries ?? [];
  };

  return {
    '/access': directory('subdir', ['users', 'groups', 'roles', 'acl', 'domains', 'openid', 'tfa', 'ticket', 'password']),
    '/access/ticket': () => null,
    '/access/openid': directory('subdir', ['auth-url', 'login']),

    '/access/users': (request) => {
      const { enabled, full } = request.query;
      return access.users
        .filter((user) => mayRead(request, user, 'User.Modify', 'Sys.Audit'))
        .filter((user) => enabled === undefined || (user.enable === 1) === (enabled !== '0'))
        .map((user) => listedUser(user, full !== undefined && full !== '0'));
    },
    '/access/users/{userid}': (request) => {
      const user = userOf(request);
      const tokens = Object.fromEntries(user.tokens.map((token) => [token.tokenid, tokenRow(token)]));
      return { ...personal(user), groups: user.groups, tokens: user.tokens.length === 0 ? null : tokens };
    },
    '/access/users/{userid}/tfa': (request) => {
      const user = userOf(request);
      const keys = access.details.get(user.userid)?.keys;
      const types = factorsOf(request).map((entry) => entry.type);
      if (request.query.multiple !== undefined && request.query.multiple !== '0') return { types };
      return keys !== undefined && !keys.startsWith('x') ? { user: 'oath' } : {};
    },
    '/access/users/{userid}/token': (request) =>
      userOf(request).tokens.map((token) => ({ ...tokenRow(token), tokenid: token.tokenid })),
    '/access/users/{userid}/token/{tokenid}': (request) => tokenRow(tokenOf(request)),

    '/access/groups': (request) => {
      const privileges = ['User.Modify', 'Sys.Audit', 'Group.Allocate'];
      return access.groups
        .filter(
          ({ groupid }) =>
            request.may('/access/groups', ...privileges) || request.may(`/access/groups/${groupid}`, ...privileges),
        )
        .map((group) => ({ ...group, users: membersOf(group.groupid).join(',') }));
    },
    '/access/groups/{groupid}': (request) => {
      const groupid = parameter(request, 'groupid');
      const found = access.groups.find((group) => group.groupid === groupid);
      if (found === undefined) throw new DemoHttpError(500, `group '${groupid}' does not exist`);
      return { ...(found.comment === undefined ? {} : { comment: found.comment }), members: membersOf(groupid) };
    },

    '/access/roles': () =>
      Object.entries(access.roles).map(([roleid, privileges]) => ({
        privs: privileges.join(','),
        roleid,
        special: access.builtinRoles.has(roleid) ? 1 : 0,
      })),
    '/access/roles/{roleid}': (request) => {
      const roleid = parameter(request, 'roleid');
      const privileges = Object.hasOwn(access.roles, roleid) ? access.roles[roleid] : undefined;
      if (privileges === undefined) throw new DemoHttpError(500, `role '${roleid}' does not exist`);
      return Object.fromEntries(privileges.map((privilege) => [privilege, 1]));
    },

    '/access/acl': (request) => {
      const all = request.may('/access', 'Sys.Audit', 'Permissions.Modify');
      return access.acl.filter((entry) => all || request.may(entry.path, 'Permissions.Modify')).map((entry) => ({ ...entry }));
    },

    '/access/domains': () => access.realms.map(listedRealm),
    '/access/domains/{realm}': (request) => {
      const name = parameter(request, 'realm');
      const found = access.realms.find((realm) => realm.realm === name);
      if (found === undefined) throw new DemoHttpError(500, `domain '${name}' does not exist`);
      const plugin = found.type === 'pam' ? { plugin: 'PVE::Auth::PAM' } : {};
      return { ...found.section, ...plugin, digest: digestOf(access.realms), type: found.type };
    },

    '/access/tfa': (request) =>
      access.tfa
        .filter(({ userid }) => {
          const user = access.users.find((candidate) => candidate.userid === userid);
          return user !== undefined && mayRead(request, user, 'User.Modify', 'Sys.Audit');
        })
        .map(({ userid, totpLocked, entries }) => ({ userid, entries, ...(totpLocked ? { 'totp-locked': 1 } : {}) })),
    '/access/tfa/{userid}': factorsOf,
    '/access/tfa/{userid}/{id}': (request) => {
      const id = parameter(request, 'id');
      const found = factorsOf(request).find((entry) => entry.id === id);
      if (found === undefined) throw new DemoHttpError(404, `no such tfa entry '${id}'`);
      return found;
    },

    '/access/permissions': (request) => permissionsOf(world, request),
  };
}

/** What /access/domains shows of a realm without any login; `tfa` is cut down to its kind. */
function listedRealm(realm: Realm): Row {
  const { comment, default: isDefault, tfa } = realm.section;
  const kind = typeof tfa === 'string' ? /(?:^|,)type=([^,]+)/.exec(tfa)?.[1] : undefined;
  return {
    realm: realm.realm,
    type: realm.type,
    ...(comment === undefined ? {} : { comment }),
    ...(isDefault === undefined ? {} : { default: isDefault }),
    ...(kind === undefined ? {} : { tfa: kind }),
  };
}

/** The caller's own rights, or those of another identity for who may audit access. */
function permissionsOf(world: DemoWorld, request: HandlerRequest): unknown {
  const { path, userid } = request.query;
  const identity = userid ?? request.identity;
  // A user may ask about the own tokens, but a token is no user: it may ask about itself only.
  if (identity !== request.identity && identity.split('!')[0] !== request.identity) demand(request, '/access', 'Sys.Audit');
  if (path !== undefined && normalizeAclPath(path) === undefined) throw badParameter('path', `invalid ACL path '${path}'`);
  const [user, token] = identity.split('!');
  const known = world.users.find((candidate) => candidate.userid === user);
  if (known === undefined) throw new DemoHttpError(500, `no such user ('${user}')`);
  if (token !== undefined && !known.tokens.some((candidate) => candidate.tokenid === token)) {
    throw new DemoHttpError(500, `no such token '${token}' for user '${user}'`);
  }
  return permissionsAnswer(world, identity, path);
}
