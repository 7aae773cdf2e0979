import { describe, expect, test } from 'vitest';
import type { AclRow } from '../api/rights.ts';
import { createResolution, normalAclPath, type ResolutionInput } from './permission-resolution.ts';

const ROLES = new Map<string, ReadonlySet<string>>([
  ['Administrator', new Set(['VM.Audit', 'VM.PowerMgmt', 'Sys.Modify'])],
  ['Auditor', new Set(['VM.Audit'])],
  ['Operator', new Set(['VM.PowerMgmt'])],
  ['NoAccess', new Set()],
]);

function row(path: string, ugid: string, role: string, extra: Partial<AclRow> = {}): AclRow {
  return {
    path,
    ugid,
    role,
    type: ugid.includes('!') ? 'token' : ugid.includes('@') ? 'user' : 'group',
    propagate: true,
    ...extra,
  };
}

function held(acl: readonly AclRow[], who: string, path: string, more: Partial<ResolutionInput> = {}): Record<string, boolean> {
  const resolution = createResolution({
    acl,
    roles: ROLES,
    groupsOf: new Map([['anna@pve', ['team']]]),
    tokens: new Map([
      ['anna@pve!sep', { user: 'anna@pve', privsep: true }],
      ['anna@pve!all', { user: 'anna@pve', privsep: false }],
      ['root@pam!t', { user: 'root@pam', privsep: true }],
    ]),
    poolsOf: new Map([['/vms/100', ['prod']]]),
    ...more,
  });
  return Object.fromEntries(resolution.privileges(who, path));
}

describe('privileges at a path', () => {
  test.each<[string, AclRow[], string, string, Record<string, boolean>]>([
    ['come down from above', [row('/', 'anna@pve', 'Auditor')], 'anna@pve', '/vms/1', { 'VM.Audit': true }],
    [
      'without propagation stay where they are',
      [row('/vms', 'anna@pve', 'Auditor', { propagate: false })],
      'anna@pve',
      '/vms/1',
      {},
    ],
    [
      'are held there, and not below',
      [row('/vms', 'anna@pve', 'Auditor', { propagate: false })],
      'anna@pve',
      '/vms',
      { 'VM.Audit': false },
    ],
    [
      'of a deeper entry replace those above',
      [row('/', 'anna@pve', 'Auditor'), row('/vms/1', 'anna@pve', 'Operator')],
      'anna@pve',
      '/vms/1',
      { 'VM.PowerMgmt': true },
    ],
    ['of a group count', [row('/', 'team', 'Auditor')], 'anna@pve', '/vms/1', { 'VM.Audit': true }],
    [
      'of the user beat those of the group at one level',
      [row('/', 'team', 'Administrator'), row('/', 'anna@pve', 'Auditor')],
      'anna@pve',
      '/',
      { 'VM.Audit': true },
    ],
    [
      'of a deeper group entry replace those of the user above',
      [row('/', 'anna@pve', 'Administrator'), row('/vms', 'team', 'Auditor')],
      'anna@pve',
      '/vms/1',
      { 'VM.Audit': true },
    ],
    [
      'of two roles at one level add up',
      [row('/', 'anna@pve', 'Auditor'), row('/', 'anna@pve', 'Operator')],
      'anna@pve',
      '/',
      { 'VM.Audit': true, 'VM.PowerMgmt': true },
    ],
    [
      'are gone with NoAccess',
      [row('/', 'anna@pve', 'Administrator'), row('/vms/1', 'anna@pve', 'NoAccess')],
      'anna@pve',
      '/vms/1',
      {},
    ],
    [
      'beside NoAccess are gone too',
      [row('/', 'anna@pve', 'Administrator'), row('/', 'anna@pve', 'NoAccess')],
      'anna@pve',
      '/vms/1',
      {},
    ],
    [
      'come through a pool, and go no further',
      [row('/pool/prod', 'anna@pve', 'Operator')],
      'anna@pve',
      '/vms/100',
      { 'VM.PowerMgmt': false },
    ],
    [
      'of a pool add to those of the guest',
      [row('/vms', 'anna@pve', 'Auditor'), row('/pool', 'anna@pve', 'Operator')],
      'anna@pve',
      '/vms/100',
      { 'VM.Audit': true, 'VM.PowerMgmt': false },
    ],
    [
      'are closed by NoAccess on the pool',
      [row('/vms', 'anna@pve', 'Auditor'), row('/pool/prod', 'anna@pve', 'NoAccess')],
      'anna@pve',
      '/vms/100',
      {},
    ],
    [
      'stay closed on the guest whatever the pool gives',
      [row('/vms/100', 'anna@pve', 'NoAccess'), row('/pool/prod', 'anna@pve', 'Operator')],
      'anna@pve',
      '/vms/100',
      {},
    ],
    ['of a separated token without entries are none', [row('/', 'anna@pve', 'Administrator')], 'anna@pve!sep', '/', {}],
    [
      'of a separated token are no more than its user holds',
      [row('/', 'anna@pve', 'Auditor'), row('/', 'anna@pve!sep', 'Administrator')],
      'anna@pve!sep',
      '/',
      { 'VM.Audit': true },
    ],
    [
      'reach below for a separated token only where they do for its user',
      [row('/vms', 'anna@pve', 'Auditor', { propagate: false }), row('/', 'anna@pve!sep', 'Auditor')],
      'anna@pve!sep',
      '/vms',
      { 'VM.Audit': false },
    ],
    ['of any other token are those of its user', [row('/', 'team', 'Operator')], 'anna@pve!all', '/', { 'VM.PowerMgmt': true }],
    ['of root are all', [], 'root@pam', '/vms/1', { 'VM.Audit': true, 'VM.PowerMgmt': true, 'Sys.Modify': true }],
    [
      'of a separated token of root are its own',
      [row('/vms', 'root@pam!t', 'Auditor')],
      'root@pam!t',
      '/vms/1',
      { 'VM.Audit': true },
    ],
    ['of a token that does not exist are none', [row('/', 'anna@pve!gone', 'Administrator')], 'anna@pve!gone', '/', {}],
  ])('%s', (_what, acl, who, path, expected) => {
    expect(held(acl, who, path)).toEqual(expected);
  });

  test('a role that nobody defined gives nothing', () => {
    expect(held([row('/', 'anna@pve', 'Vanished')], 'anna@pve', '/')).toEqual({});
  });
});

test.each([
  ['/vms//100/', '/vms/100'],
  ['/', '/'],
  ['/a b', undefined],
  ['vms', undefined],
  ['/../etc', '/../etc'],
])('ACL path %j is %j', (text, path) => {
  expect(normalAclPath(text)).toBe(path);
});
