import { describe, expect, it } from 'vitest';
import { catalog } from '../../tools/catalog.ts';
import type { Tool } from '../../tools/define-tool.ts';
import { CALL_FLAGS, parametersOf, readCallWords, WordError } from './tool-words.ts';

function toolOf(name: string): Tool {
  const found = catalog.find((tool) => tool.name === name);
  if (found === undefined) throw new WordError(`no tool ${name}`);
  return found;
}

const read = (...words: string[]) => readCallWords(words, toolOf);

describe('readCallWords', () => {
  it('takes values, attached or not, in both spellings', () => {
    expect(read('list_guests', '--guest-type', 'lxc', '--guest_type=qemu', '--limit', '3', '--query=a=b')).toEqual({
      tool: 'list_guests',
      flags: {},
      params: { guest_type: 'qemu', limit: '3', query: 'a=b' },
    });
  });

  it('takes lists in one or in several', () => {
    expect(read('list_guests', '--fields', 'vmid, name', '--fields=node').params).toEqual({ fields: ['vmid', 'name', 'node'] });
  });

  it('takes booleans as flags, negated, and with a value', () => {
    expect(read('search_inventory', '--deep', '--query', 'x').params).toEqual({ deep: 'true', query: 'x' });
    expect(read('search_inventory', '--no-deep').params).toEqual({ deep: false });
    expect(read('search_inventory', '--deep', 'false', '--query', '--x').params).toEqual({ deep: 'false', query: '--x' });
  });

  it('finds its own flags before, between and behind', () => {
    expect(read('--demo', '--output', 'json', 'list_nodes', '--toolsets=all', '--limit', '1')).toEqual({
      tool: 'list_nodes',
      flags: { demo: 'true', output: 'json', toolsets: 'all' },
      params: { limit: '1' },
    });
    expect(read('--help')).toEqual({ tool: undefined, flags: { help: 'true' }, params: {} });
  });

  it.each([
    [['list_nodes', '--vmdi', '1'], /list_nodes has no --vmdi/],
    [['get_guest', '--vmdi', '1'], 'did you mean --vmid?'],
    [['get_guest', '100'], '"100" is no parameter; write --name value'],
    [['get_guest', '-v', '100'], '"-v" is no parameter'],
    [['get_guest', '--vmid'], '--vmid needs a value'],
    [['--vmid=100'], 'name the tool'],
  ])('%j is a mistake that is told', (words, message) => {
    expect(() => read(...words)).toThrow(message);
  });
});

it('no tool has a parameter that is a flag of the command', () => {
  for (const tool of catalog) {
    for (const { flag } of parametersOf(tool))
      expect(Object.keys(CALL_FLAGS), `${tool.name} ${flag}`).not.toContain(flag.slice(2));
  }
});

it('knows every parameter of every tool, with the values of enumerations', () => {
  for (const tool of catalog) {
    const names = parametersOf(tool).map((p) => p.name);
    expect(names).toEqual(expect.arrayContaining(Object.keys(tool.schema.shape)));
  }
  expect(parametersOf(toolOf('list_guests')).find((p) => p.name === 'guest_type')?.values).toEqual(['qemu', 'lxc']);
});
