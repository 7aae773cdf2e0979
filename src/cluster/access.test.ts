import { describe, expect, test } from 'vitest';
import { parseAccessRoles, parseAccessUsers, parseGroups, parseRealms, parseTfa } from './access.ts';

describe('users', () => {
  test('flags and times as text, keys that vanish, tokens as a list', () => {
    const [user] = parseAccessUsers([
      {
        userid: 'a@pve',
        enable: '0',
        expire: '1700000000',
        groups: 'x,y',
        keys: '[redacted]',
        tokens: [{ tokenid: 't', privsep: '0', expire: '0' }, { tokenid: 'u' }, null, { privsep: 1 }],
      },
    ]);
    expect(user).toMatchObject({
      user: 'a@pve',
      realm: 'pve',
      enabled: false,
      expires: 1_700_000_000,
      groups: ['x', 'y'],
      legacyKeys: true,
    });
    expect(user?.tokens).toEqual([
      { id: 'a@pve!t', user: 'a@pve', privsep: false, expires: 'never' },
      { id: 'a@pve!u', user: 'a@pve', privsep: true, expires: 'never' },
    ]);
  });

  test('tokens as an object by name; the new marker is no legacy key; a bad row costs only itself', () => {
    const users = parseAccessUsers([
      { userid: 'b@pve', keys: 'x!oath', tokens: { t: { privsep: 1, expire: 5 } } },
      'junk',
      { enable: 1 },
    ]);
    expect(users).toHaveLength(1);
    expect(users[0]).toMatchObject({ enabled: true, legacyKeys: false, expires: 'never' });
    expect(users[0]?.tokens).toEqual([{ id: 'b@pve!t', user: 'b@pve', privsep: true, expires: 5 }]);
  });
});

test('groups: members as text or list', () => {
  expect(
    parseGroups([{ groupid: 'b', users: 'x@pve,y@pve' }, { groupid: 'a', members: ['z@pve'] }, { groupid: 'c', users: '' }, 7]),
  ).toEqual([
    { group: 'a', members: ['z@pve'] },
    { group: 'b', members: ['x@pve', 'y@pve'] },
    { group: 'c', members: [] },
  ]);
});

test('roles: an empty one is one too', () => {
  const roles = parseAccessRoles([
    { roleid: 'Mine', privs: 'VM.Audit,VM.Backup' },
    { roleid: 'NoAccess', privs: '', special: '1' },
  ]);
  expect(roles.map((r) => [r.role, r.builtIn, [...r.privileges]])).toEqual([
    ['Mine', false, ['VM.Audit', 'VM.Backup']],
    ['NoAccess', true, []],
  ]);
});

test('realms: the kind of second factor, short or as the whole setting', () => {
  expect(parseRealms([{ realm: 'ad', type: 'ad', tfa: 'type=yubico,id=1' }, { realm: 'b', tfa: 'oath' }, {}])).toEqual([
    { realm: 'ad', type: 'ad', tfa: 'yubico' },
    { realm: 'b', type: 'unknown', tfa: 'oath' },
  ]);
});

test('second factors: switched off ones apart', () => {
  expect(
    parseTfa([
      { userid: 'a@pve', entries: [{ type: 'totp' }, { type: 'webauthn', enable: 0 }, { type: 'recovery', enable: '1' }] },
      {},
    ]),
  ).toEqual([{ user: 'a@pve', enabled: ['recovery', 'totp'], disabled: ['webauthn'] }]);
});
