import { expect, test } from 'vitest';
import { closest, editDistance } from './suggest.ts';

test('edits are counted, a swap of neighbours as one', () => {
  expect(editDistance('', 'abc')).toBe(3);
  expect(editDistance('abc', 'abc')).toBe(0);
  expect(editDistance('flase', 'false')).toBe(1);
  expect(editDistance('kitten', 'sitting')).toBe(3);
  expect(editDistance('VERIFY_SSL', 'VERIFY_TLS')).toBe(2);
});

test('a short word must be nearly right, a long one may have more wrong', () => {
  expect(closest('URI', ['URL', 'TIMEOUT'])).toBe('URL');
  expect(closest('HOST', ['URL', 'TIMEOUT'])).toBeUndefined();
  expect(closest('frewal', ['firewall', 'metrics'])).toBe('firewall');
  expect(closest('x'.repeat(100_000), ['firewall'])).toBeUndefined();
});

test('the same word in another case is it, however short', () => {
  expect(closest('PVE1', ['pve2', 'pve1'])).toBe('pve1');
  expect(closest('A', ['b', 'a'])).toBe('a');
});
