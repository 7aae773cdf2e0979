/** Turns the `permissions` expressions of the schema facts into tests of a request. */
import type { PermissionFacts } from './facts.ts';
import { normalizeAclPath, type RightsAt } from './rights.ts';
import { DemoHttpError, type World } from './types.ts';

export interface PermissionContext {
  readonly world: World;
  /** `user@realm!token`; undefined for a caller that did not need to authenticate. */
  readonly identity: string | undefined;
  /** Path and query parameters. */
  readonly params: Readonly<Record<string, string>>;
  readonly rights: RightsAt;
}

/** Gives the error that refuses the request, or undefined when it may go on. */
export type PermissionTest = (context: PermissionContext) => DemoHttpError | undefined;

/**
 * Compiles the permissions of an endpoint. No permissions at all means that only the user root@pam itself may call it;
 * tokens, of root too, are refused. Throws on an expression it doesn't know.
 */
export function compilePermission(facts: PermissionFacts | undefined): PermissionTest {
  if (facts === undefined) return () => refusal('user != root@pam');
  if (facts.user === 'world') return () => undefined;
  if (facts.user === 'all') return ({ identity }) => (identity === undefined ? refusal('user != null') : undefined);
  if (facts.check === undefined) throw new Error(`unknown permissions: ${JSON.stringify(facts)}`);
  return compileExpression(facts.check);
}

function refusal(detail?: string): DemoHttpError {
  return new DemoHttpError(403, detail === undefined ? 'Permission check failed' : `Permission check failed (${detail})`);
}

function compileExpression(expression: unknown): PermissionTest {
  if (!Array.isArray(expression)) throw new Error(`not a permission expression: ${JSON.stringify(expression)}`);
  const [kind, ...rest]: unknown[] = expression;
  switch (kind) {
    case 'perm':
      return compilePerm(rest);
    case 'perm-modify':
      return compilePermModify(rest);
    case 'and':
      return compileAnd(rest.map(compileExpression));
    case 'or':
      return compileOr(rest.map(compileExpression));
    case 'userid-group':
      return compileUserGroup(rest);
    case 'userid-param':
      return compileUserParam(rest);
    default:
      throw new Error(`unknown permission expression: ${JSON.stringify(expression)}`);
  }
}

/** `["perm", path, [privileges], "any", 1, "require_param", name]`; without `any` all privileges are needed. */
function compilePerm([template, list, ...options]: readonly unknown[]): PermissionTest {
  const path = stringOf(template);
  const privileges = stringsOf(list);
  const any = optionOf(options, 'any') === 1;
  const requiredParam = optionOf(options, 'require_param');
  return (context) => {
    // The privilege is only asked for when the parameter that needs it is there.
    if (requiredParam !== undefined && context.params[stringOf(requiredParam)] === undefined) return undefined;
    return check(context, fillPath(path, context.params), privileges, any);
  };
}

/** `["perm-modify", path]`: the right to change the ACL at a path; without a path, of all. */
function compilePermModify([template]: readonly unknown[]): PermissionTest {
  const path = stringOf(template);
  return (context) => {
    const filled = fillPath(path, context.params);
    if (filled === '') return check(context, '/access', ['Permissions.Modify'], false);
    const more = [
      ['/storage/', 'Datastore.Allocate'],
      ['/vms/', 'VM.Allocate'],
      ['/pool/', 'Pool.Allocate'],
    ].flatMap(([start, privilege]) =>
      start !== undefined && privilege !== undefined && filled.startsWith(start) ? [privilege] : [],
    );
    return check(context, filled, ['Permissions.Modify', ...more], true);
  };
}

function check(context: PermissionContext, path: string, privileges: readonly string[], any: boolean): DemoHttpError | undefined {
  const normal = normalizeAclPath(path);
  const rights = context.rights(path);
  const shown = normal ?? '';
  if (any) {
    return privileges.some((privilege) => rights.has(privilege)) ? undefined : refusal(`${shown}, ${privileges.join('|')}`);
  }
  const missing = privileges.find((privilege) => !rights.has(privilege));
  return missing === undefined ? undefined : refusal(`${shown}, ${missing}`);
}

function compileAnd(tests: readonly PermissionTest[]): PermissionTest {
  return (context) => {
    for (const test of tests) {
      const refused = test(context);
      if (refused !== undefined) return refused;
    }
    return undefined;
  };
}

/** The reasons of the alternatives are not told. */
function compileOr(tests: readonly PermissionTest[]): PermissionTest {
  return (context) => (tests.some((test) => test(context) === undefined) ? undefined : refusal());
}

/** `["userid-group", [privileges]]`: any of them on all groups, or on a group that the user in question is in. */
function compileUserGroup([list]: readonly unknown[]): PermissionTest {
  const privileges = stringsOf(list);
  return ({ world, params, rights }) => {
    const userid = params.userid ?? '';
    if (!/^[^\s:/]+@[A-Za-z][A-Za-z0-9._-]+$/.test(userid)) {
      return new DemoHttpError(500, `value '${userid}' does not look like a valid user name`);
    }
    const user = world.users.find((candidate) => candidate.userid === userid);
    if (user === undefined) return new DemoHttpError(500, `no such user ('${userid}')`);
    const holds = (path: string) => privileges.some((privilege) => rights(path).has(privilege));
    return holds('/access/groups') || user.groups.some((group) => holds(`/access/groups/${group}`)) ? undefined : refusal();
  };
}

/** `["userid-param", "self"]`: the user in question is the caller. A token never is its user. */
function compileUserParam([what]: readonly unknown[]): PermissionTest {
  if (what !== 'self') throw new Error(`unknown permission expression: userid-param ${JSON.stringify(what)}`);
  return ({ identity, params }) => (identity !== undefined && identity === params.userid ? undefined : refusal());
}

/** A parameter that was not given leaves its place empty. */
function fillPath(template: string, params: Readonly<Record<string, string>>): string {
  return template.replace(/\{([^}]+)\}/g, (_, name: string) => params[name] ?? '');
}

function optionOf(options: readonly unknown[], name: string): unknown {
  const at = options.indexOf(name);
  return at === -1 ? undefined : options[at + 1];
}

function stringOf(value: unknown): string {
  if (typeof value !== 'string') throw new Error(`not a string in a permission expression: ${JSON.stringify(value)}`);
  return value;
}

function stringsOf(value: unknown): readonly string[] {
  if (!Array.isArray(value)) throw new Error(`not a list in a permission expression: ${JSON.stringify(value)}`);
  return value.map(stringOf);
}
