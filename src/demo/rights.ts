/**
 * Privileges of users and tokens, computed from the ACL as the real API does: a deeper entry replaces what is inherited,
 * an entry for the user beats those of their groups on the same path, NoAccess takes everything, pools give rights on
 * their members, a privilege-separated token has at most what its owner has.
 */
import type { Rights, World, WorldUser } from './types.ts';

/** Rights at an ACL path. */
export type RightsAt = (path: string) => Rights;

/** Role name to propagate flag. */
type Roles = ReadonlyMap<string, 0 | 1>;
type RolesByPath = ReadonlyMap<string, Roles>;

const NO_ROLES: Roles = new Map();
const NO_RIGHTS: Rights = new Map();
const ROOT_USER = 'root@pam';

/** ACL path in its one spelling; undefined for what can't be one (characters beyond `A-Z a-z 0-9 . - _ /`). */
export function normalizeAclPath(path: string): string | undefined {
  if (!/^[A-Za-z0-9._/-]+$/.test(path)) return undefined;
  const collapsed = `/${path}`.replace(/\/+/g, '/');
  return collapsed.length > 1 && collapsed.endsWith('/') ? collapsed.slice(0, -1) : collapsed;
}

/** Splits `user@realm!token`; `token` is undefined for a plain user. */
export function splitIdentity(identity: string): { readonly userid: string; readonly tokenid: string | undefined } {
  const mark = identity.indexOf('!');
  return mark === -1
    ? { userid: identity, tokenid: undefined }
    : { userid: identity.slice(0, mark), tokenid: identity.slice(mark + 1) };
}

/**
 * Rights of a user (`user@realm`) or token (`user@realm!token`). What is returned remembers what it computed, so it is
 * made anew for each request: the world's ACL may change in between.
 */
export function rightsOf(world: World, identity: string): RightsAt {
  const { userid, tokenid } = splitIdentity(identity);
  const user = world.users.find((candidate) => candidate.userid === userid);
  const token = tokenid === undefined ? undefined : user?.tokens.find((candidate) => candidate.tokenid === tokenid);
  if (tokenid !== undefined && token === undefined) return () => NO_RIGHTS;
  const ofUser = userid === ROOT_USER ? everything(world) : aclRights(world, userRoles(world, userid, user));
  if (token === undefined || token.privsep === 0) return ofUser;
  const ofToken = aclRights(world, tokenRoles(world, identity));
  if (userid === ROOT_USER) return ofToken;
  const known = new Map<string, Rights>();
  return (path) => {
    let rights = known.get(path);
    if (rights === undefined) {
      rights = intersect(ofToken(path), ofUser(path));
      known.set(path, rights);
    }
    return rights;
  };
}

function everything(world: World): RightsAt {
  const all: Rights = new Map((world.roles.Administrator ?? []).map((privilege) => [privilege, 1]));
  return () => all;
}

/** A privilege is held when both hold it, and inherited below when both inherit it. */
function intersect(token: Rights, user: Rights): Rights {
  if (token.size === 0 || user.size === 0) return NO_RIGHTS;
  const both = new Map<string, 0 | 1>();
  for (const [privilege, propagate] of token) {
    const ofUser = user.get(privilege);
    if (ofUser !== undefined) both.set(privilege, propagate === 1 && ofUser === 1 ? 1 : 0);
  }
  return both;
}

/** ACL entries that concern one subject, by path; `first` beats `second` on the same path. */
interface SubjectRoles {
  readonly first: RolesByPath;
  readonly second: RolesByPath;
}

function userRoles(world: World, userid: string, user: WorldUser | undefined): SubjectRoles {
  const groups = new Set(user?.groups ?? []);
  return {
    first: collectRoles(world, (type, ugid) => type === 'user' && ugid === userid),
    second: collectRoles(world, (type, ugid) => type === 'group' && groups.has(ugid)),
  };
}

function tokenRoles(world: World, identity: string): SubjectRoles {
  return { first: collectRoles(world, (type, ugid) => type === 'token' && ugid === identity), second: new Map() };
}

function collectRoles(world: World, concerns: (type: string, ugid: string) => boolean): RolesByPath {
  const byPath = new Map<string, Map<string, 0 | 1>>();
  for (const entry of world.acl) {
    if (!concerns(entry.type, entry.ugid)) continue;
    const roles = byPath.get(entry.path) ?? new Map<string, 0 | 1>();
    roles.set(entry.roleid, entry.propagate === 1 || roles.get(entry.roleid) === 1 ? 1 : 0);
    byPath.set(entry.path, roles);
  }
  return byPath;
}

function aclRights(world: World, subject: SubjectRoles): RightsAt {
  const rolesAt = rolesOf(subject);
  const byPath = new Map<string, Rights>();
  // Most paths share the very same inherited roles, so the privileges are computed once for each set of roles.
  const byRoles = new Map<Roles, Rights>();
  return (path) => {
    const known = byPath.get(path);
    if (known !== undefined) return known;
    const normal = normalizeAclPath(path);
    const roles = normal === undefined ? NO_ROLES : withPools(world, normal, rolesAt);
    const rights = byRoles.get(roles) ?? privilegesOf(world, roles);
    byRoles.set(roles, rights);
    byPath.set(path, rights);
    return rights;
  };
}

/** Roles of a subject at a path, pools left aside. */
function rolesOf(subject: SubjectRoles): (path: string) => Roles {
  const inherited = new Map<string, Roles>();
  const passedOn = (path: string): Roles => {
    let roles = inherited.get(path);
    if (roles === undefined) {
      roles = entryRoles(subject, path, false) ?? (path === '/' ? NO_ROLES : passedOn(parentOf(path)));
      inherited.set(path, roles);
    }
    return roles;
  };
  return (path) => entryRoles(subject, path, true) ?? (path === '/' ? NO_ROLES : passedOn(parentOf(path)));
}

/** Roles that entries on this very path give, for the path itself (`final`) or for what lies below. */
function entryRoles(subject: SubjectRoles, path: string, final: boolean): Roles | undefined {
  return effective(subject.first.get(path), final) ?? effective(subject.second.get(path), final);
}

function effective(roles: Roles | undefined, final: boolean): Roles | undefined {
  if (roles === undefined || final) return roles;
  const propagating = new Map([...roles].filter(([, propagate]) => propagate === 1));
  return propagating.size === 0 ? undefined : propagating;
}

function parentOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash <= 0 ? '/' : path.slice(0, slash);
}

/** Adds the roles that pools give on their members; those are never inherited below. */
function withPools(world: World, path: string, rolesAt: (path: string) => Roles): Roles {
  const roles = rolesAt(path);
  if (roles.has('NoAccess')) return roles;
  let added: Map<string, 0 | 1> | undefined;
  for (const pool of poolsOf(world, path)) {
    for (const role of rolesAt(`/pool/${pool}`).keys()) {
      if (role === 'NoAccess') return new Map([['NoAccess', 0]]);
      added ??= new Map(roles);
      if (!added.has(role)) added.set(role, 0);
    }
  }
  return added ?? roles;
}

function poolsOf(world: World, path: string): readonly string[] {
  const vmid = /^\/vms\/(\d+)$/.exec(path)?.[1];
  if (vmid !== undefined) {
    const pool = world.poolOf(Number(vmid));
    return pool === undefined ? [] : [pool];
  }
  const storage = /^\/storage\/([^/]+)$/.exec(path)?.[1];
  return storage === undefined ? [] : world.poolsOfStorage(storage);
}

function privilegesOf(world: World, roles: Roles): Rights {
  if (roles.size === 0 || roles.has('NoAccess')) return NO_RIGHTS;
  const rights = new Map<string, 0 | 1>();
  for (const [role, propagate] of roles) {
    for (const privilege of world.roles[role] ?? []) {
      rights.set(privilege, propagate === 1 || rights.get(privilege) === 1 ? 1 : 0);
    }
  }
  return rights;
}
