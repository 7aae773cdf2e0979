import { describe, expect, test } from 'vitest';
import { tinyWorld } from './engine-fixture.ts';
import { compilePermission } from './permission-check.ts';
import { rightsOf } from './rights.ts';

function refusal(check: unknown[], identity: string, params: Record<string, string> = {}) {
  const world = tinyWorld();
  const refused = compilePermission({ check })({ world, identity, params, rights: rightsOf(world, identity) });
  return refused === undefined ? undefined : `${refused.status} ${refused.message}`;
}

const AUDITOR = 'mcp@pve!readonly';
const NOTHING = 'mcp@pve!noacl';

describe('perm', () => {
  test('fills the path and names the first privilege that is missing', () => {
    const check = ['perm', '/vms/{vmid}', ['VM.Audit', 'VM.Console']];
    expect(refusal(check, NOTHING, { vmid: '100' })).toBe('403 Permission check failed (/vms/100, VM.Audit)');
    expect(refusal(check, AUDITOR, { vmid: '100' })).toBe('403 Permission check failed (/vms/100, VM.Console)');
    expect(refusal(['perm', '/vms/{vmid}', ['VM.Audit']], AUDITOR, { vmid: '100' })).toBeUndefined();
  });

  test('any-of lists are joined', () => {
    const check = ['perm', '/vms/{vmid}', ['VM.Snapshot', 'VM.Console'], 'any', 1];
    expect(refusal(check, AUDITOR, { vmid: '7' })).toBe('403 Permission check failed (/vms/7, VM.Snapshot|VM.Console)');
    expect(refusal(['perm', '/', ['VM.Console', 'VM.Audit'], 'any', 1], AUDITOR)).toBeUndefined();
  });

  test('a value that makes no ACL path leaves the path empty, and refuses all but root', () => {
    const check = ['perm', '/nodes/{node}', ['Sys.Audit']];
    expect(refusal(check, AUDITOR, { node: 'bad_node!' })).toBe('403 Permission check failed (, Sys.Audit)');
    expect(refusal(check, 'root@pam!full', { node: 'bad_node!' })).toBeUndefined();
  });

  test('require_param asks only when the parameter is given', () => {
    const check = ['perm', '/', ['Sys.Modify'], 'require_param', 'force'];
    expect(refusal(check, AUDITOR)).toBeUndefined();
    expect(refusal(check, AUDITOR, { force: '1' })).toBe('403 Permission check failed (/, Sys.Modify)');
  });
});

test('alternatives that all fail give no reason, one that holds is enough', () => {
  const or = (first: string, second: string) => ['or', ['perm', '/', [first]], ['perm', '/nodes/{node}', [second]]];
  expect(refusal(or('VM.Console', 'Sys.Modify'), AUDITOR, { node: 'pve1' })).toBe('403 Permission check failed');
  expect(refusal(or('VM.Console', 'Sys.Audit'), AUDITOR, { node: 'pve1' })).toBeUndefined();
});

test('conditions that must all hold tell the first that fails', () => {
  const and = ['and', ['perm', '/sdn', ['SDN.Audit']], ['perm', '/', ['Sys.Modify']]];
  expect(refusal(and, AUDITOR)).toBe('403 Permission check failed (/, Sys.Modify)');
  expect(refusal(['and', ['perm', '/sdn', ['SDN.Audit']]], AUDITOR)).toBeUndefined();
});

describe('users', () => {
  const group = ['userid-group', ['User.Modify', 'Sys.Audit']];
  test('a privilege on all groups opens every user, existing ones only', () => {
    expect(refusal(group, AUDITOR, { userid: 'bob@pve' })).toBeUndefined();
    expect(refusal(group, NOTHING, { userid: 'bob@pve' })).toBe('403 Permission check failed');
    expect(refusal(group, NOTHING, { userid: 'nobody@pve' })).toBe("500 no such user ('nobody@pve')");
    expect(refusal(group, NOTHING, { userid: 'nobody' })).toBe("500 value 'nobody' does not look like a valid user name");
  });

  test('a privilege on a group opens its members', () => {
    const world = tinyWorld();
    world.acl.push({ path: '/access/groups/corp-admins', type: 'user', ugid: 'alice@pve', roleid: 'Watcher', propagate: 1 });
    const test_ = compilePermission({ check: group });
    const context = (userid: string) => ({
      world,
      identity: 'alice@pve!own',
      params: { userid },
      rights: rightsOf(world, 'alice@pve!own'),
    });
    expect(test_(context('bob@pve'))).toBeUndefined();
    expect(test_(context('mcp@pve'))).toMatchObject({ status: 403 });
  });

  test('a token is not the user itself', () => {
    const check = ['or', ['userid-param', 'self'], ['userid-group', ['User.Modify']]];
    expect(refusal(check, AUDITOR, { userid: 'mcp@pve' })).toBe('403 Permission check failed');
    expect(refusal(check, 'mcp@pve', { userid: 'mcp@pve' })).toBeUndefined();
  });
});

test('no permissions at all: only root itself, no token', () => {
  const world = tinyWorld();
  const context = { world, identity: 'root@pam!full', params: {}, rights: rightsOf(world, 'root@pam!full') };
  expect(compilePermission(undefined)(context)?.message).toBe('Permission check failed (user != root@pam)');
});

test('the right to change the ACL may come from the object', () => {
  const check = ['perm-modify', '{path}'];
  expect(refusal(check, AUDITOR)).toBe('403 Permission check failed (/access, Permissions.Modify)');
  expect(refusal(check, AUDITOR, { path: '/storage/local' })).toBe(
    '403 Permission check failed (/storage/local, Permissions.Modify|Datastore.Allocate)',
  );
  expect(refusal(check, 'admin@pve!write')).toBeUndefined();
});

test('an unknown expression is a mistake at start, not a silent yes', () => {
  expect(() => compilePermission({ check: ['maybe', 'x'] })).toThrow('unknown permission expression');
  expect(() => compilePermission({ user: 'some' })).toThrow('unknown permissions');
});
