import { describe, expect, test } from 'vitest';
import { SECRET } from './test-support.ts';
import { parseTokenId, parseTokenSecret } from './token.ts';

test.each(['mcp@pve!assistant', 'root@pam!t1', 'joe@corp.example@ad-realm!mcp_1.x', 'svc-mcp.ro@LDAP!Abc-d'])(
  '%s is a token id',
  (id) => {
    expect(parseTokenId(id)).toEqual({ value: id });
  },
);

describe('a token id that is refused, with the mistake named', () => {
  test.each([
    ['mcp@pve', '"!" is missing'],
    ['mcp', '"@" and "!" are missing'],
    ['mcp!assistant', 'no realm'],
    ['mcp!assistant@pve', 'no realm'],
    [`mcp@pve!assistant=${SECRET}`, 'secret belongs in its own setting'],
    ['mcp@pve!assistant=', 'secret belongs in its own setting'],
    [`PVEAPIToken=mcp@pve!assistant=${SECRET}`, 'Authorization header'],
    [SECRET, 'in place of the token id'],
    ['@pve!assistant', 'empty'],
    ['mcp@!assistant', 'empty'],
    ['mcp@pve!', 'empty'],
    ['mcp@pve!a', 'empty'],
    ['mcp@pve!9token', 'characters'],
    ['m:cp@pve!assistant', 'characters'],
    ['m/cp@pve!assistant', 'characters'],
    ['m cp@pve!assistant', 'characters'],
    ['mcp@pve!assist\r\nant', 'characters'],
    ['mcp@pve!assi;stant', 'characters'],
    ['mcp@pve!a!b', 'characters'],
    [`${'m'.repeat(65)}@pve!assistant`, 'too long'],
  ])('%j', (id, word) => {
    const { fault } = parseTokenId(id);
    expect(fault?.what).toContain(word);
    expect(fault?.accepts).toContain('user@realm!tokenname');
    expect(JSON.stringify(fault)).not.toContain('c0ffee');
  });
});

test('a secret is a UUID, in either case', () => {
  expect(parseTokenSecret(SECRET)).toEqual({ value: SECRET });
  expect(parseTokenSecret(SECRET.toUpperCase())).toEqual({ value: SECRET.toUpperCase() });
});

test.each(['hunter2', `${SECRET}x`, SECRET.slice(1), SECRET.replaceAll('-', ''), `${SECRET}\r\nX: 1`, `mcp@pve!a=${SECRET}`])(
  'secret %# is refused and not repeated',
  (text) => {
    const { fault } = parseTokenSecret(text);
    expect(fault?.accepts).toContain('UUID');
    expect(JSON.stringify(fault)).not.toMatch(/hunter2|c0ffee|0ffee/);
  },
);
