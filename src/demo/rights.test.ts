import { describe, expect, test } from 'vitest';
import { tinyWorld } from './engine-fixture.ts';
import { permissionsAnswer } from './permissions-answer.ts';
import { normalizeAclPath, rightsOf } from './rights.ts';

const held = (identity: string, path: string, world = tinyWorld()) =>
  Object.fromEntries([...rightsOf(world, identity)(path)].sort());

describe('rightsOf', () => {
  test('what is held at the root reaches everything below', () => {
    expect(held('mcp@pve!readonly', '/vms/4711')).toMatchObject({ 'VM.Audit': 1, 'Sys.Audit': 1 });
  });

  test('a non-propagating entry holds at its path only, and replaces there what is inherited', () => {
    expect(held('mcp@pve!readonly', '/nodes')).toEqual({ 'Sys.Audit': 0, 'VM.Audit': 0 });
    expect(Object.keys(held('mcp@pve!readonly', '/nodes/pve1'))).toHaveLength(7);
  });

  test('a privilege-separated token is cut down to what its owner has', () => {
    expect(held('mcp@pve!readonly', '/mapping')).toEqual({ 'Mapping.Audit': 1 });
    expect(held('alice@pve!cli', '/vms/101')).toEqual({ 'VM.Audit': 0, 'VM.GuestAgent.Audit': 0 });
  });

  test('a separated token without entries has nothing, one without separation has what the owner has', () => {
    expect(held('mcp@pve!noacl', '/')).toEqual({});
    expect(held('mcp@pve!nopriv', '/mapping')).toEqual({ 'Mapping.Audit': 1, 'Mapping.Use': 1 });
  });

  test('entries for the user beat those of their groups on the same path', () => {
    const world = tinyWorld();
    world.acl.push({ path: '/mapping', type: 'user', ugid: 'mcp@pve', roleid: 'Watcher', propagate: 1 });
    expect(held('mcp@pve', '/mapping', world)).toEqual({ 'Sys.Audit': 1, 'VM.Audit': 1 });
  });

  test('several roles on one path add up; the flag is set when any of them propagates', () => {
    const world = tinyWorld();
    world.acl.push({ path: '/storage/x', type: 'user', ugid: 'alice@pve', roleid: 'Watcher', propagate: 0 });
    world.acl.push({ path: '/storage/x', type: 'user', ugid: 'alice@pve', roleid: 'AgentRead', propagate: 1 });
    expect(held('alice@pve', '/storage/x', world)).toEqual({
      'Sys.Audit': 0,
      'VM.Audit': 1,
      'VM.GuestAgent.Audit': 1,
      'VM.GuestAgent.FileRead': 1,
    });
  });

  test('pools give rights on their members, nested pools and storages too, without propagation', () => {
    expect(held('alice@pve!own', '/vms/100')).toMatchObject({ 'VM.Audit': 0, 'VM.PowerMgmt': 0 });
    expect(held('alice@pve!own', '/vms/104')).toMatchObject({ 'VM.Audit': 0 });
    expect(held('alice@pve!own', '/storage/nfs-media')).toMatchObject({ 'VM.Audit': 0 });
    expect(held('alice@pve!own', '/vms/103')).toEqual({});
  });

  test('NoAccess on a guest beats its pool, NoAccess on the pool closes its members', () => {
    expect(held('alice@pve!own', '/vms/102')).toEqual({});
    const world = tinyWorld();
    world.acl.push({ path: '/pool/lab', type: 'user', ugid: 'mcp@pve', roleid: 'NoAccess', propagate: 1 });
    expect(held('mcp@pve', '/vms/103', world)).toEqual({});
    expect(held('mcp@pve', '/vms/100', world)).toMatchObject({ 'VM.Audit': 1 });
  });

  test('root@pam has everything everywhere, its separated token what the ACL gives', () => {
    expect(held('root@pam!full', '/nonsense!')).toMatchObject({ 'Sys.Modify': 1 });
    expect(held('root@pam!narrow', '/nodes/pve1')).toEqual({ 'Sys.Audit': 1, 'VM.Audit': 1 });
    expect(held('root@pam!narrow', '/nodes/pve2')).toEqual({});
  });

  test('nobody else has anything at a path that is none', () => {
    expect(held('mcp@pve!readonly', '/pool/ä')).toEqual({});
    expect(held('ghost@pve!x', '/')).toEqual({});
  });
});

test('normalizeAclPath', () => {
  expect(normalizeAclPath('//vms//100/')).toBe('/vms/100');
  expect(normalizeAclPath('/')).toBe('/');
  expect(normalizeAclPath('/nodes/bad!')).toBeUndefined();
  expect(normalizeAclPath('')).toBeUndefined();
});

describe('permissionsAnswer', () => {
  test('lists the paths a recorded auditor is shown, and no others', () => {
    const answer = permissionsAnswer(tinyWorld(), 'mcp@pve!readonly');
    expect(Object.keys(answer).sort()).toEqual([
      '/',
      '/access',
      '/access/groups',
      '/mapping',
      '/nodes',
      '/nodes/pve1',
      '/pool',
      '/pool/prod',
      '/sdn',
      '/storage',
      '/storage/local',
      '/storage/nfs-media',
      '/vms',
      '/vms/100',
      '/vms/101',
      '/vms/102',
      '/vms/103',
      '/vms/104',
      '/vms/200',
    ]);
    expect(answer['/nodes']).toEqual({ 'Sys.Audit': 0, 'VM.Audit': 0 });
  });

  test('leaves out paths on which nothing is held', () => {
    const answer = permissionsAnswer(tinyWorld(), 'alice@pve!own');
    expect(answer).not.toHaveProperty('/vms/102');
    expect(answer).toHaveProperty('/vms/101');
    expect(permissionsAnswer(tinyWorld(), 'mcp@pve!noacl')).toEqual({});
  });

  test('a path that is asked for is answered, empty too', () => {
    expect(permissionsAnswer(tinyWorld(), 'mcp@pve!noacl', '/vms/100')).toEqual({ '/vms/100': {} });
    expect(permissionsAnswer(tinyWorld(), 'mcp@pve!readonly', '/nodes')).toEqual({ '/nodes': { 'Sys.Audit': 0, 'VM.Audit': 0 } });
  });
});
