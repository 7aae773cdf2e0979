import { describe, expect, it } from 'vitest';
import type { AclRow } from '../api/rights.ts';
import { rolesInEffect } from './role-in-effect.ts';

const row = (path: string, type: string, ugid: string, role: string, propagate = true): AclRow => ({
  path,
  type,
  ugid,
  role,
  propagate,
});
const USER = { type: 'user', id: 'mcp@pve', groups: ['ops'] } as const;

describe('rolesInEffect', () => {
  const acl = [
    row('/', 'user', 'mcp@pve', 'PVEAuditor'),
    row('/', 'user', 'mcp@pve', 'LogReader'),
    row('/', 'group', 'ops', 'Administrator'),
    row('/vms', 'group', 'ops', 'PVEVMUser'),
    row('/storage', 'user', 'mcp@pve', 'Watcher', false),
    row('/nodes', 'user', 'other@pve', 'NoAccess'),
    row('/pool', 'user', 'mcp@pve', 'NoAccess'),
    row('/pool', 'user', 'mcp@pve', 'PVEAdmin'),
  ];

  it('roles at one level add up, and entries for the user beat those for its groups', () => {
    expect(rolesInEffect(acl, USER, '/')).toEqual({ roles: ['LogReader', 'PVEAuditor'], own: true });
  });

  it('what is above is inherited, what is for others is not', () => {
    expect(rolesInEffect(acl, USER, '/nodes/pve1')).toEqual({ roles: ['LogReader', 'PVEAuditor'], own: false });
  });

  it('a deeper level replaces what is above, also when it is for a group', () => {
    expect(rolesInEffect(acl, USER, '/vms/100')).toEqual({ roles: ['PVEVMUser'], own: false });
    expect(rolesInEffect(acl, USER, '/vms')).toEqual({ roles: ['PVEVMUser'], own: false });
  });

  it('an entry that does not propagate counts at its own path only', () => {
    expect(rolesInEffect(acl, USER, '/storage').roles).toEqual(['Watcher']);
    expect(rolesInEffect(acl, USER, '/storage/local').roles).toEqual(['LogReader', 'PVEAuditor']);
  });

  it('NoAccess beats the others beside it', () => {
    expect(rolesInEffect(acl, USER, '/pool/x').roles).toEqual(['NoAccess']);
  });

  it("a token has its own entries only, not its user's", () => {
    expect(rolesInEffect(acl, { type: 'token', id: 'mcp@pve!a', groups: [] }, '/')).toEqual({ roles: [], own: false });
  });
});
