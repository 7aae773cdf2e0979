import { describe, expect, test } from 'vitest';
import type { AclRow } from '../api/rights.ts';
import type { AccessUser } from '../cluster/access.ts';
import { type AccessFacts, accessFindings, administrators, factorOf, holdersOf, type KnownObjects } from './access-review.ts';

const NOW = 2_000_000_000;
const DAY = 86_400;

function user(id: string, extra: Partial<AccessUser> = {}): AccessUser {
  return {
    user: id,
    realm: id.split('@')[1] ?? '',
    enabled: true,
    expires: 'never',
    groups: [],
    legacyKeys: false,
    tokens: [],
    ...extra,
  };
}

function token(id: string, privsep: boolean, expires: number | 'never') {
  return { id, user: id.split('!')[0] ?? '', privsep, expires };
}

function entry(path: string, ugid: string, role: string, type: AclRow['type'] = 'user'): AclRow {
  return { path, ugid, role, type, propagate: true };
}

function facts(extra: Partial<AccessFacts>): AccessFacts {
  return {
    acl: [],
    roles: [
      {
        role: 'Administrator',
        builtIn: true,
        privileges: new Set(['Sys.Modify', 'VM.Audit', 'VM.PowerMgmt', 'Permissions.Modify']),
      },
      { role: 'Operator', builtIn: true, privileges: new Set(['VM.PowerMgmt', 'VM.Audit']) },
      { role: 'PVEAuditor', builtIn: true, privileges: new Set(['VM.Audit', 'Sys.Audit']) },
      { role: 'NoAccess', builtIn: true, privileges: new Set() },
    ],
    users: [],
    groups: [],
    realms: [
      { realm: 'pve', type: 'pve', tfa: undefined },
      { realm: 'ad', type: 'ad', tfa: 'yubico' },
      { realm: 'sso', type: 'openid', tfa: undefined },
    ],
    tfa: [],
    poolsOf: new Map(),
    now: NOW,
    ...extra,
  };
}

const KNOWN: KnownObjects = {
  vmids: new Set([100]),
  storages: new Set(['nas']),
  nodes: new Set(['pve1']),
  pools: new Set(['prod']),
};
const codes = (f: AccessFacts, known = KNOWN): string[] =>
  accessFindings(f, known).map((x) => `${x.severity} ${x.code} ${x.subject}`);

describe('findings', () => {
  test.each<[string, Partial<AccessFacts>, string[]]>([
    ['nothing to find', { users: [user('a@pve')], acl: [entry('/vms/100', 'a@pve', 'Operator')] }, []],
    [
      'an administrator without second factor',
      { users: [user('a@pve')], acl: [entry('/', 'a@pve', 'Administrator')] },
      ['high admin-without-second-factor a@pve'],
    ],
    [
      'one by group',
      {
        users: [user('a@pve', { groups: ['g'] })],
        groups: [{ group: 'g', members: ['a@pve'] }],
        acl: [entry('/', 'g', 'Administrator', 'group')],
      },
      ['high admin-without-second-factor a@pve'],
    ],
    [
      'TOTP is enough',
      {
        users: [user('a@pve')],
        acl: [entry('/', 'a@pve', 'Administrator')],
        tfa: [{ user: 'a@pve', enabled: ['totp'], disabled: [] }],
      },
      [],
    ],
    [
      'a factor that is switched off is none',
      {
        users: [user('a@pve')],
        acl: [entry('/', 'a@pve', 'Administrator')],
        tfa: [{ user: 'a@pve', enabled: [], disabled: ['webauthn'] }],
      },
      ['high admin-without-second-factor a@pve'],
    ],
    ['the realm demands one', { users: [user('a@ad')], acl: [entry('/', 'a@ad', 'Administrator')] }, []],
    ['the identity provider may demand one', { users: [user('a@sso')], acl: [entry('/', 'a@sso', 'Administrator')] }, []],
    [
      'an operator without second factor is no finding',
      { users: [user('a@pve')], acl: [entry('/vms', 'a@pve', 'Operator')] },
      [],
    ],
    [
      'recovery keys alone',
      {
        users: [user('a@pve')],
        acl: [entry('/vms', 'a@pve', 'Operator')],
        tfa: [{ user: 'a@pve', enabled: ['recovery'], disabled: [] }],
      },
      ['medium recovery-keys-only a@pve'],
    ],
    ['a seed in the user list', { users: [user('a@pve', { legacyKeys: true })] }, ['low legacy-second-factor a@pve']],
    [
      'second factors that may not be read are not judged',
      { users: [user('a@pve')], acl: [entry('/', 'a@pve', 'Administrator')], tfa: undefined },
      [],
    ],
    [
      'a token with all its user may, for ever',
      {
        users: [user('a@pve', { tokens: [token('a@pve!t', false, 'never')] })],
        acl: [entry('/vms', 'a@pve', 'Operator')],
      },
      ['medium token-not-separated a@pve!t', 'low token-no-end a@pve!t'],
    ],
    [
      'a separated token with an end',
      { users: [user('a@pve', { tokens: [token('a@pve!t', true, NOW + DAY)] })], acl: [entry('/vms', 'a@pve', 'Operator')] },
      [],
    ],
    [
      'a separated token without entries and end holds nothing',
      { users: [user('a@pve', { tokens: [token('a@pve!t', true, 'never')] })] },
      [],
    ],
    [
      'a token that only looks may live for ever',
      {
        users: [user('a@pve', { tokens: [token('a@pve!t', true, 'never')] })],
        acl: [entry('/', 'a@pve', 'PVEAuditor'), entry('/', 'a@pve!t', 'PVEAuditor', 'token')],
      },
      [],
    ],
    [
      'a token that has expired',
      { users: [user('a@pve', { tokens: [token('a@pve!t', true, NOW - 1)] })] },
      ['low token-expired a@pve!t'],
    ],
    [
      'a token of root',
      {
        users: [user('root@pam', { tokens: [token('root@pam!t', true, NOW + DAY)] })],
        realms: [{ realm: 'pam', type: 'pam', tfa: 'oath' }],
      },
      ['medium root-token root@pam!t'],
    ],
    [
      'a disabled user with rights',
      { users: [user('a@pve', { enabled: false })], acl: [entry('/', 'a@pve', 'Administrator')] },
      ['low disabled-with-rights a@pve'],
    ],
    [
      'an expired user in a group with rights',
      {
        users: [user('a@pve', { expires: NOW - 1, groups: ['g'] })],
        groups: [{ group: 'g', members: ['a@pve'] }],
        acl: [entry('/vms', 'g', 'Operator', 'group')],
      },
      ['low expired-with-rights a@pve'],
    ],
    ['a disabled user without any', { users: [user('a@pve', { enabled: false })] }, []],
    ['an entry for a user that is gone', { acl: [entry('/vms', 'x@pve', 'Operator')] }, ['medium dangling-entry x@pve']],
    ['an entry for a group that is gone', { acl: [entry('/vms', 'x', 'Operator', 'group')] }, ['medium dangling-entry x']],
    [
      'an entry for a token that is gone',
      { users: [user('a@pve')], acl: [entry('/vms', 'a@pve!x', 'Operator', 'token')] },
      ['medium dangling-entry a@pve!x'],
    ],
    ['users that may not be read are not missing', { users: undefined, acl: [entry('/vms', 'x@pve', 'Operator')] }, []],
    [
      'an entry with a role that is gone',
      { users: [user('a@pve')], acl: [entry('/vms', 'a@pve', 'Vanished')] },
      ['low dangling-entry a@pve'],
    ],
    [
      'an entry for a guest that is gone',
      { users: [user('a@pve')], acl: [entry('/vms/999', 'a@pve', 'Operator')] },
      ['low dangling-path a@pve'],
    ],
    [
      'an entry for a storage that is gone',
      { users: [user('a@pve')], acl: [entry('/storage/x', 'a@pve', 'Operator')] },
      ['low dangling-path a@pve'],
    ],
    ['paths of other kinds are left alone', { users: [user('a@pve')], acl: [entry('/sdn/zones/z', 'a@pve', 'Operator')] }, []],
    [
      'an own role that no entry uses',
      { roles: [...facts({}).roles, { role: 'Mine', builtIn: false, privileges: new Set() }] },
      ['low unused-role Mine'],
    ],
    ['a group without rights', { groups: [{ group: 'g', members: [] }] }, ['low unused-group g']],
  ])('%s', (_what, extra, expected) => {
    expect(codes(facts(extra))).toEqual(expected);
  });

  test('objects that may be hidden are not missing', () => {
    const f = facts({
      users: [user('a@pve')],
      acl: [entry('/vms/999', 'a@pve', 'Operator'), entry('/pool/x', 'a@pve', 'Operator')],
    });
    expect(codes(f, { vmids: undefined, storages: undefined, nodes: undefined, pools: undefined })).toEqual([]);
  });
});

describe('who may do what', () => {
  const f = facts({
    users: [
      user('a@pve', { groups: ['g'], tokens: [token('a@pve!all', false, 'never')] }),
      user('b@pve', { enabled: false }),
      user('c@pve'),
      user('d@pve'),
    ],
    acl: [
      entry('/', 'g', 'Administrator', 'group'),
      entry('/vms', 'b@pve', 'Operator'),
      entry('/vms', 'c@pve', 'Operator'),
      entry('/vms/100', 'c@pve', 'NoAccess'),
      entry('/pool/prod', 'd@pve', 'Operator'),
    ],
    poolsOf: new Map([['/vms/100', ['prod']]]),
  });

  test('at a guest: by group, by pool, closed, and blocked', () => {
    expect(holdersOf(f, '/vms/100').map((h) => [h.principal, h.level, h.through, h.blocked])).toEqual([
      ['a@pve', 'administers', 'group g on /', undefined],
      ['a@pve!all', 'administers', 'all rights of its user: group g on /', undefined],
      ['b@pve', 'changes', 'on /vms', 'user disabled'],
      ['d@pve', 'changes', 'pool prod: on /pool/prod', undefined],
      ['c@pve', 'closed', 'on /vms/100', undefined],
    ]);
    expect(holdersOf(f, '/vms/100').find((h) => h.principal === 'd@pve')?.inherits).toBe(false);
  });

  test('rights that mean nothing there are left out', () => {
    expect(holdersOf(f, '/nodes/pve1').map((h) => h.principal)).toEqual(['a@pve', 'a@pve!all']);
  });

  test('one privilege', () => {
    expect(holdersOf(f, '/vms/100', 'VM.PowerMgmt').map((h) => h.principal)).toEqual(['a@pve', 'a@pve!all', 'b@pve', 'd@pve']);
  });

  test('administrators can log in', () => {
    expect(administrators(f)).toEqual(['a@pve', 'a@pve!all']);
  });
});

test('a second factor asked for elsewhere is not "none"', () => {
  expect(factorOf(facts({}), user('a@sso'))).toBe('elsewhere');
  expect(factorOf(facts({}), user('a@pve', { legacyKeys: true }))).toBe('legacy');
});
