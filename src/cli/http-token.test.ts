import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { authFileSchema } from '../server/http/auth-file.ts';
import { MIN_TOKEN_CHARS } from '../server/http/authenticate.ts';
import { makeHttpToken } from './http-token.ts';

const NOW = Date.UTC(2026, 10, 30);

describe('http-token', () => {
  it('makes an entry that the file of callers takes, without the token in it', () => {
    const made = makeHttpToken('alice', { clusters: 'lab, prod', toolsets: 'guests,Nodes', expires: '90d' }, NOW);
    if ('wrong' in made) throw new Error(made.wrong);
    const { token, entry } = made;
    expect(authFileSchema.parse({ callers: [entry] }).callers).toEqual([
      {
        name: 'alice',
        sha256: createHash('sha256').update(token).digest('hex'),
        clusters: ['lab', 'prod'],
        toolsets: ['guests', 'nodes'],
        expires: '2027-02-28T00:00:00.000Z',
      },
    ]);
    expect(token).toMatch(/^mcpx_[A-Za-z0-9_-]{43}$/);
    expect(token.length).toBeGreaterThanOrEqual(MIN_TOKEN_CHARS);
    expect(JSON.stringify(entry)).not.toContain(token);
  });

  it('makes another one every time', () => {
    const tokens = Array.from({ length: 50 }, () => {
      const made = makeHttpToken('a', {}, NOW);
      return 'wrong' in made ? '' : made.token;
    });
    expect(new Set(tokens).size).toBe(50);
  });

  it.each([
    ['', {}, /name/],
    ['a b', {}, /name/],
    ['a', { toolsets: 'gusts' }, /toolset/],
    ['a', { clusters: 'a,,b' }, /empty entry/],
    ['a', { expires: 'soon' }, /--expires/],
    // What only some parsers take for a time: the engine's would make a token that ended in 2001.
    ['a', { expires: '5' }, /--expires/],
    ['a', { expires: '01.02.2027' }, /--expires/],
  ])('refuses %j with %j', (name, flags, words) => {
    expect(makeHttpToken(name, flags, NOW)).toMatchObject({ wrong: expect.stringMatching(words) });
  });
});
