import { expect, test } from 'vitest';
import { DEFAULT_TOOLSETS, parseToolsets, TOOLSETS } from './toolsets.ts';

test.each([
  ['default', DEFAULT_TOOLSETS],
  ['all', TOOLSETS],
  ['nodes', ['nodes']],
  ['logs, nodes,NODES', ['nodes', 'logs']],
  ['logs,default', [...DEFAULT_TOOLSETS, 'logs']],
  ['all,ceph', TOOLSETS],
])('%s', (list, names) => {
  expect(parseToolsets(list)).toEqual({ value: names });
});

test.each([
  ['', 'empty entry'],
  ['nodes,', 'empty entry'],
  ['frewall', '"frewall" is not a toolset (did you mean firewall?)'],
  ['default,lgos', '"lgos" is not a toolset (did you mean logs?)'],
  ['kubernetes', '"kubernetes" is not a toolset'],
  ['nodes guests', '"nodes guests" is not a toolset'],
  ['constructor', '"constructor" is not a toolset'],
])('%j is refused as a whole', (list, words) => {
  const { fault } = parseToolsets(list);
  expect(fault?.what).toContain(words);
  expect(fault?.accepts).toContain('maintenance, default, all');
});
