import { describe, expect, it } from 'vitest';
import { permissionsAnswer } from '../permissions-answer.ts';
import { rightsOf } from '../rights.ts';
import type { DemoRelease, DemoRole } from '../types.ts';
import { demoTokens } from '../world/access-data.ts';
import { createAsker } from './area-request.fixture.ts';

const RELEASES: readonly DemoRelease[] = ['7.4', '8.4', '9.0', '9.2.11'];
const asker = createAsker();
const { ask, rows, row, world } = asker;
const idOf = (role: DemoRole) => demoTokens(world)[role].id;
const held = (role: DemoRole, path: string) => [...rightsOf(world, idOf(role))(path).keys()].sort();

describe('the demo tokens', () => {
  const { scenario } = world.areas.access;

  it('auditor holds PVEAuditor everywhere and nothing more', () => {
    const audit = [...(world.roles.PVEAuditor ?? [])].sort();
    for (const path of ['/', '/vms/101', '/storage/local', '/nodes/pve2', '/pool/prod'])
      expect(held('auditor', path)).toEqual(audit);
  });

  it('noacl holds nothing', () => {
    expect(permissionsAnswer(world, idOf('noacl'))).toEqual({});
  });

  it('scoped sees one pool with its guests, and one storage', () => {
    expect(held('scoped', `/pool/${scenario.scopedPool}`)).toContain('Pool.Audit');
    expect(held('scoped', `/storage/${scenario.scopedStorage}`)).toContain('Datastore.Audit');
    expect(held('scoped', '/')).toEqual([]);
    const inside = [...world.guests.values()].find((guest) => guest.pool === scenario.scopedPool);
    const outside = [...world.guests.values()].find((guest) => guest.pool === undefined);
    expect(held('scoped', `/vms/${inside?.vmid}`)).toContain('VM.Audit');
    expect(held('scoped', `/vms/${outside?.vmid}`)).toEqual([]);
  });

  it('full holds what an Administrator does, and is not root', () => {
    expect(held('full', '/')).toEqual([...(world.roles.Administrator ?? [])].sort());
    expect(idOf('full')).not.toMatch(/^root@pam/);
  });

  it('backup-one reads the backups of one guest on one storage', () => {
    const { backupVmid, backupStorage } = scenario;
    expect(held('backup-one', `/vms/${backupVmid}`)).toEqual(expect.arrayContaining(['VM.Audit', 'VM.Backup']));
    expect(held('backup-one', `/storage/${backupStorage}`)).toContain('Datastore.AllocateSpace');
    expect(held('backup-one', '/vms')).not.toContain('VM.Backup');
    const nodes = world.nodes.filter((node) => node.online).map((node) => node.node);
    expect(nodes.some((node) => world.backups(backupStorage, node).some((backup) => backup.vmid === backupVmid))).toBe(true);
  });

  it('blind-one sees every guest but one, and the dump of its permissions does not say so', () => {
    expect(held('blind-one', `/vms/${scenario.blindVmid}`)).toEqual([]);
    expect(held('blind-one', '/vms')).toContain('VM.Audit');
    const dump = ask('/access/permissions', { identity: idOf('blind-one') });
    expect(dump).not.toHaveProperty([`/vms/${scenario.blindVmid}`]);
    expect(world.guests.has(scenario.blindVmid)).toBe(true);
  });

  it('logs reads logs and backups', () => {
    expect(held('logs', '/nodes/pve1')).toContain('Sys.Syslog');
    expect(held('logs', '/vms/100')).toContain('VM.Backup');
    expect(held('logs', '/')).not.toContain('Sys.Modify');
  });

  it('carry secrets that look like the real ones', () => {
    for (const token of Object.values(demoTokens(world)))
      expect(token.secret).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });

  it.each(RELEASES)('exist on %s, with that release of the privileges', (release) => {
    const other = createAsker({ release });
    const privileges = new Set(Object.values(other.world.roles).flat());
    const nine = release.startsWith('9');
    expect(privileges.has('VM.Monitor')).toBe(!nine);
    expect(privileges.has('VM.GuestAgent.Audit')).toBe(nine);
    expect(privileges.has('Mapping.Audit')).toBe(release !== '7.4');
    expect(other.world.roles.PVEAuditor).toContain('SDN.Audit');
    expect(rightsOf(other.world, demoTokens(other.world).auditor.id)('/').size).toBe(other.world.roles.PVEAuditor?.length);
  });
});

describe('rows are filtered silently', () => {
  const identity = idOf('noacl');
  it.each(['/access/users', '/access/groups', '/access/acl', '/access/tfa'])('%s is empty without rights', (path) => {
    expect(rows(path).length).toBeGreaterThan(0);
    expect(rows(path, { identity })).toEqual([]);
  });

  it('roles and realms are open to everybody', () => {
    expect(rows('/access/roles', { identity })).toEqual(rows('/access/roles'));
    expect(rows('/access/domains', { identity })).toEqual(rows('/access/domains'));
  });

  it('permissions of others need Sys.Audit on /access, also those of another token of the same user', () => {
    expect(ask('/access/permissions', { identity, query: { userid: identity } })).toEqual({});
    expect(() => ask('/access/permissions', { identity, query: { userid: idOf('auditor') } })).toThrow(
      'Permission check failed (/access, Sys.Audit)',
    );
    expect(() => ask('/access/permissions', { identity, query: { userid: 'anna@pve' } })).toThrow(
      'Permission check failed (/access, Sys.Audit)',
    );
    expect(ask('/access/permissions', { query: { userid: 'anna@pve', path: '/' } })).toHaveProperty(
      ['/', 'Permissions.Modify'],
      1,
    );
    expect(() => ask('/access/permissions', { query: { userid: 'nobody@pve' } })).toThrow("no such user ('nobody@pve')");
  });
});

describe('quirks', () => {
  it('tokens are null where there are none, a list in the list and a map in the single user', () => {
    const users = rows('/access/users', { query: { full: '1' } });
    expect(users.find((user) => user.userid === 'hana@pve')?.tokens).toBeNull();
    expect(users.find((user) => user.userid === 'anna@pve')?.tokens).toEqual([
      { comment: 'CI deployments', expire: 0, privsep: 0, tokenid: 'deploy' },
    ]);
    expect(row('/access/users/anna@pve').tokens).toEqual({ deploy: { comment: 'CI deployments', expire: 0, privsep: 0 } });
    expect(row('/access/users/hana@pve').tokens).toBeNull();
    expect(rows('/access/users')[0]).not.toHaveProperty('tokens');
  });

  it('a locked second factor shows in the list only', () => {
    expect(rows('/access/users').find((user) => user.userid === 'ivo@plant-ad')?.['totp-locked']).toBe(1);
    expect(row('/access/users/ivo@plant-ad')).not.toHaveProperty('totp-locked');
  });

  it('the list of realms cuts the second factor down to its kind, the realm itself does not', () => {
    expect(rows('/access/domains').find((realm) => realm.realm === 'plant-ad')?.tfa).toBe('yubico');
    expect(row('/access/domains/plant-ad').tfa).toMatch(/^type=yubico,id=40917,key=/);
  });

  it('a privilege that is held but not inherited has the value 0', () => {
    expect(ask('/access/permissions', { query: { userid: 'dana@pve!panel', path: '/nodes' } })).toEqual({
      '/nodes': { 'Sys.Audit': 0, 'VM.Audit': 0 },
    });
  });

  it('what is not there is an error 500', () => {
    expect(() => ask('/access/users/nobody@pve')).toThrow("no such user ('nobody@pve')");
    expect(() => ask('/access/users/nobody')).toThrow("value 'nobody' does not look like a valid user name");
    expect(() => ask('/access/groups/nope')).toThrow("group 'nope' does not exist");
    expect(() => ask('/access/roles/nope')).toThrow("role 'nope' does not exist");
    expect(() => ask('/access/roles/constructor')).toThrow("role 'constructor' does not exist");
    expect(() => ask('/access/domains/nope')).toThrow("domain 'nope' does not exist");
    expect(() => ask('/access/users/mcp@pve/token/nope')).toThrow("no such token 'nope' for user 'mcp@pve'");
  });

  it('findings for a review of access are there', () => {
    const users = new Map(rows('/access/users', { query: { full: '1' } }).map((user) => [user.userid, user]));
    const factors = new Map(rows('/access/tfa').map((entry) => [entry.userid, entry]));
    const acl = rows('/access/acl');
    expect(users.get('anna@pve')?.groups).toBe('admins');
    expect(factors.has('anna@pve')).toBe(false);
    expect(factors.has('bjorn@pve')).toBe(true);
    expect(users.get('erik@pve')?.enable).toBe(0);
    expect(acl.some((entry) => entry.ugid === 'erik@pve')).toBe(true);
    expect(acl.some((entry) => entry.ugid === 'hana@pve')).toBe(false);
    expect(acl.some((entry) => entry.ugid === 'gustav@corp-ldap')).toBe(true);
    expect(users.has('gustav@corp-ldap')).toBe(false);
    expect(users.get('dora@corp-ldap')?.keys).not.toMatch(/^x/);
    expect(users.get('emil@corp-ldap')?.keys).toMatch(/^x/);
    expect(acl.some((entry) => String(entry.path).startsWith('/pool/prod/'))).toBe(true);
  });
});
