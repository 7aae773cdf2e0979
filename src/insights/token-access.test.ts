import { describe, expect, it } from 'vitest';
import type { Release } from '../api/release.ts';
import { type AclRow, type Held, parsePermissions } from '../api/rights.ts';
import { assessToken, excessOf, type OwnerFacts, type Reach, type TokenAccess, type TokenFacts } from './token-access.ts';
import { areasOf, effectOf, type Read } from './token-areas.ts';
import { missingText, tokenHeadline } from './token-words.ts';

const NINE: Release = { major: 9, minor: 2, text: '9.2.11' };
const EIGHT: Release = { major: 8, minor: 4, text: '8.4.1' };
const SEVEN: Release = { major: 7, minor: 4, text: '7.4-3' };
const AUDIT = {
  'Sys.Audit': 1,
  'VM.Audit': 1,
  'Datastore.Audit': 1,
  'Pool.Audit': 1,
  'SDN.Audit': 1,
  'Mapping.Audit': 1,
  'VM.GuestAgent.Audit': 1,
};
const ROLES = new Map([['PVEAuditor', new Set(Object.keys(AUDIT))]]);
const OWNER: OwnerFacts = {
  enabled: true,
  expires: 'never',
  groups: [],
  token: { privsep: true, expires: 'never', comment: undefined },
};

const reach = (held: Reach['held'], paths: readonly string[] = []): Reach => ({ held, paths, why: undefined });

/** Facts of a token that holds what is given on `/`, propagated. */
function facts(held: Readonly<Record<string, number>>, more: Partial<TokenFacts> = {}): TokenFacts {
  const permissions: ReadonlyMap<string, Held> = parsePermissions(Object.keys(held).length === 0 ? {} : { '/': held });
  return {
    identity: 'mcp@pve!a',
    release: NINE,
    permissions,
    reach: (read: Read) => reach(read.any.some((p) => Object.hasOwn(held, p)) ? 'all' : 'none'),
    owner: OWNER,
    ownerPermissions: parsePermissions({ '/': AUDIT }),
    acl:
      Object.keys(held).length === 0
        ? []
        : [{ path: '/', type: 'token', ugid: 'mcp@pve!a', role: 'PVEAuditor', propagate: true }],
    roles: ROLES,
    ...more,
  };
}

function grant(access: TokenAccess, area: string, kind: 'core' | 'optional' | 'discouraged' = 'core') {
  const found = access.grants.find((g) => !g.everything && g.kind === kind && g.areas.includes(area));
  if (found === undefined) throw new Error(`no ${kind} grant for ${area}`);
  return found;
}

describe('areas', () => {
  it('follow the release: agents by VM.Monitor before 9, no mappings on 7', () => {
    const agent = (release: Release) => areasOf(release).find((a) => a.area === 'guest agents')?.reads[0];
    expect(agent(NINE)).toMatchObject({ any: ['VM.GuestAgent.Audit', 'VM.GuestAgent.Unrestricted'], kind: 'core' });
    expect(agent(EIGHT)).toMatchObject({ any: ['VM.Monitor'], kind: 'discouraged' });
    expect(areasOf(EIGHT).some((a) => a.area === 'mappings')).toBe(true);
    expect(areasOf(SEVEN).some((a) => a.area === 'mappings')).toBe(false);
  });
});

describe('assessToken', () => {
  it('an auditor is good and cannot write', () => {
    const access = assessToken(facts(AUDIT));
    expect(access).toMatchObject({ good: true, canWrite: false, holdsAny: true, excess: [] });
    expect(access.areas.flatMap((a) => a.lacks)).toEqual([]);
    expect(tokenHeadline(access)).toBe(
      'mcp@pve!a sees all 11 areas of PVEAuditor; it holds audit privileges only and cannot write',
    );
  });

  it('a token without anything lacks everything', () => {
    const access = assessToken(facts({}));
    expect(access).toMatchObject({ good: false, canWrite: false, holdsAny: false });
    expect(access.areas.find((a) => a.area === 'guests')?.sees).toBe('none');
    expect(missingText(access.areas.flatMap((a) => a.lacks))).toContain('Sys.Audit on /access/groups');
    expect(access.grants[0]).toMatchObject({
      everything: true,
      lines: ["pveum acl modify / --tokens 'mcp@pve!a' --roles PVEAuditor"],
    });
  });

  it('a privilege that justifies itself by what it opens is no fault, one that does not is', () => {
    expect(assessToken(facts({ ...AUDIT, 'Sys.Syslog': 1 }))).toMatchObject({ good: true, canWrite: false });
    expect(assessToken(facts({ ...AUDIT, 'VM.Backup': 1 }))).toMatchObject({ good: true, canWrite: true });
    expect(assessToken(facts({ ...AUDIT, 'Sys.Modify': 1 }))).toMatchObject({ good: false, canWrite: true });
    expect(assessToken(facts({ ...AUDIT, 'VM.PowerMgmt': 1 }))).toMatchObject({ good: false, canWrite: true });
  });

  it('what is held but cannot be proved whole is unknown, not missing', () => {
    const access = assessToken(facts(AUDIT, { reach: () => ({ held: 'unknown', paths: [], why: 'no acl' }) }));
    expect(access.areas.every((a) => a.sees === 'unknown' && a.lacks.length === 0)).toBe(true);
  });
});

describe('excessOf', () => {
  it('names only the topmost paths, as far as they hand the privilege down', () => {
    const held = parsePermissions({
      '/': { 'VM.Audit': 1 },
      '/vms': { 'VM.PowerMgmt': 1 },
      '/vms/100': { 'VM.PowerMgmt': 1 },
      '/nodes': { 'Sys.Modify': 0 },
      '/nodes/pve1': { 'Sys.Modify': 1 },
    });
    expect(excessOf(held, NINE).map((e) => [e.privilege, e.paths])).toEqual([
      ['Sys.Modify', ['/nodes', '/nodes/pve1']],
      ['VM.PowerMgmt', ['/vms']],
    ]);
  });

  it('takes a privilege that no release of today knows for one that changes things', () => {
    expect(effectOf('VM.Teleport')).toBe('changes');
    expect(excessOf(parsePermissions({ '/': { 'VM.Teleport': 1 } }), NINE)).toMatchObject([
      { effect: 'changes', justified: false },
    ]);
  });
});

describe('grants', () => {
  it('give the user its line too, when it lacks the privilege or may not be asked', () => {
    const both = [
      "pveum acl modify / --tokens 'mcp@pve!a' --roles PVEAuditor",
      "pveum acl modify / --users 'mcp@pve' --roles PVEAuditor",
    ];
    expect(assessToken(facts({}, { ownerPermissions: new Map() })).grants[0]?.lines).toEqual(both);
    const unknown = assessToken(facts({}, { ownerPermissions: undefined, acl: undefined, owner: undefined })).grants[0];
    expect(unknown?.lines).toEqual(both);
    expect(unknown?.notes.join()).toContain('the --users line is needed unless mcp@pve holds the role there');
  });

  it('give a token without separation the user line only', () => {
    const owner: OwnerFacts = { ...OWNER, token: { privsep: false, expires: 'never', comment: undefined } };
    expect(assessToken(facts({}, { owner, ownerPermissions: new Map() })).grants[0]?.lines).toEqual([
      "pveum acl modify / --users 'mcp@pve' --roles PVEAuditor",
    ]);
  });

  it('name the inherited roles again below /, since an entry there replaces them', () => {
    const acl: AclRow[] = ['PVEAuditor', 'LogReader'].map((role) => ({
      path: '/',
      type: 'token',
      ugid: 'mcp@pve!a',
      role,
      propagate: true,
    }));
    const owner = parsePermissions({ '/': { ...AUDIT, 'VM.Config.Disk': 1 } });
    const access = assessToken(facts(AUDIT, { acl, ownerPermissions: owner }));
    expect(grant(access, 'storage', 'optional').lines).toEqual([
      "pveum role add MCPDiskView --privs 'VM.Config.Disk'",
      "pveum acl modify /vms --tokens 'mcp@pve!a' --roles LogReader,PVEAuditor,MCPDiskView",
    ]);
  });

  it('are one line where / covers the rest, and use a role of the cluster that fits', () => {
    const roles = new Map([...ROLES, ['Ours', new Set(['Sys.Syslog'])]]);
    const access = assessToken(facts(AUDIT, { roles, ownerPermissions: parsePermissions({ '/': { 'Sys.Syslog': 1 } }) }));
    expect(grant(access, 'logs', 'optional').lines).toEqual(["pveum acl modify / --tokens 'mcp@pve!a' --roles Ours"]);
  });

  it('need two paths for the details of backups', () => {
    const lines = grant(assessToken(facts(AUDIT)), 'backups', 'optional').lines;
    expect(lines[0]).toBe("pveum role add MCPBackupView --privs 'VM.Backup Datastore.AllocateSpace'");
    expect(lines).toContain("pveum acl modify /vms --tokens 'mcp@pve!a' --roles PVEAuditor,MCPBackupView");
    expect(lines).toContain("pveum acl modify /storage --users 'mcp@pve' --roles PVEAuditor,MCPBackupView");
  });

  it('ask for one role only when it is added to entries that are there already', () => {
    const acl: AclRow[] = [{ path: '/vms', type: 'token', ugid: 'mcp@pve!a', role: 'PVEAuditor', propagate: true }];
    const owner = parsePermissions({ '/': { ...AUDIT, 'VM.Config.Disk': 1 } });
    expect(grant(assessToken(facts(AUDIT, { acl, ownerPermissions: owner })), 'storage', 'optional').lines[1]).toBe(
      "pveum acl modify /vms --tokens 'mcp@pve!a' --roles MCPDiskView",
    );
  });

  it('remove the entry that closes something, instead of granting', () => {
    const acl: AclRow[] = [
      { path: '/', type: 'token', ugid: 'mcp@pve!a', role: 'PVEAuditor', propagate: true },
      { path: '/vms/105', type: 'token', ugid: 'mcp@pve!a', role: 'NoAccess', propagate: true },
      { path: '/vms/105', type: 'user', ugid: 'someone@pve', role: 'NoAccess', propagate: true },
    ];
    const reachOf = (read: Read): Reach => (read.any[0] === 'VM.Audit' ? reach('except', ['/vms/105']) : reach('all'));
    const access = assessToken(facts(AUDIT, { acl, reach: reachOf, roles: new Map([...ROLES, ['NoAccess', new Set()]]) }));
    expect(grant(access, 'guests').lines).toEqual(["pveum acl delete /vms/105 --tokens 'mcp@pve!a' --roles NoAccess"]);
    expect(access.areas[0]).toMatchObject({ area: 'guests', sees: 'except' });
    expect(access.good).toBe(false);
  });
});
