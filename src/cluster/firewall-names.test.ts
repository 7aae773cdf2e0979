import { expect, test } from 'vitest';
import { rule } from '../../test/support/health-facts.ts';
import { stubCall } from '../../test/support/stub-call.ts';
import { namesOf, parseSetEntries, readGroups, referredSets } from './firewall-names.ts';

test('entries of a set: what is left out, flags as text, junk', () => {
  expect(parseSetEntries([{ cidr: '10.0.0.0/8' }, { cidr: '10.0.0.9', nomatch: '1' }, { comment: 'x' }, 5])).toEqual([
    { cidr: '10.0.0.0/8', nomatch: false },
    { cidr: '10.0.0.9', nomatch: true },
  ]);
  expect(() => parseSetEntries(null)).toThrow('no list');
});

test('sets that rules name: both scopes without a prefix, those of SDN not at all', () => {
  const found = referredSets([
    rule({ source: '+dc/a' }),
    rule({ dest: '+guest/b' }),
    rule({ source: '+C' }),
    rule({ source: '+sdn/x-all' }),
    rule({ source: 'dc/alias', dest: '10.0.0.1' }),
  ]);
  expect([...found.dc].sort()).toEqual(['a', 'c']);
  expect([...found.guest].sort()).toEqual(['b', 'c']);
});

test('what can not be read is hidden, never missing', () => {
  const unread = namesOf({ aliases: undefined, sets: undefined, contents: new Map() }, undefined);
  expect(unread.alias('dc', 'x')).toBe('hidden');
  expect(unread.set('dc', 'x')).toBe('hidden');
  const read = namesOf(
    { aliases: new Map([['x', '10.0.0.1']]), sets: new Set(['s', 'failed']), contents: new Map([['s', []]]) },
    undefined,
  );
  expect(read.alias('dc', 'x')).toBe('10.0.0.1');
  expect(read.alias('dc', 'y')).toBe('missing');
  expect(read.set('dc', 's')).toEqual([]);
  expect(read.set('dc', 'failed')).toBe('hidden');
  expect(read.set('dc', 'none')).toBe('missing');
  expect(read.alias('guest', 'x')).toBe('missing');
});

test('security groups beyond the most that are opened are hidden, and that is told', async () => {
  const call = stubCall(() => []);
  const names = Array.from({ length: 41 }, (_, i) => `g${i}`);
  const { data, ...gaps } = await readGroups(call, names);
  expect(data.get('g40')).toBe('hidden');
  expect(gaps).toMatchObject({ coverage: 'partial', why: 'only the first 40 of 41 security groups were opened' });
  expect((await readGroups(call, names.slice(1))).coverage).toBe('complete');
});
