/**
 * docs/coverage.md says for every read which tool answers it. What it names must exist: tools, their parameters, the
 * values of enumerations; what is off by default must be marked so.
 */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { DEFAULT_TOOLSETS } from '../../src/config/toolsets.ts';
import { catalog } from '../../src/tools/catalog.ts';
import type { Tool } from '../../src/tools/define-tool.ts';

const page = readFileSync(new URL('../../docs/coverage.md', import.meta.url), 'utf8');
const toolsByName = new Map(catalog.map((tool) => [tool.name, tool]));

/** Rows of all tables, each with the heading it stands under. */
const rows = page.split(/^## /m).flatMap((part) => {
  const [heading = '', ...lines] = part.split('\n');
  return lines.filter((line) => /^\| (?!---|read \||question \|)/.test(line)).map((line) => ({ heading, line }));
});

/** `get_guest` sections=disks, network: what is said of each tool in a row. */
function mentions(line: string): { name: string; settings: [key: string, values: string[]][] }[] {
  return [...line.matchAll(/`([a-z]+_[a-z_]+)`([^`;:|(]*)/g)].map(([, name = '', said = '']) => ({
    name,
    settings: [...said.matchAll(/\b([a-z_]+)=([a-z_.]+(?:, (?![a-z_]+=)[a-z_]+)*)/g)].map(([, key = '', values = '']) => [
      key,
      values.split(', ').filter((value) => value !== '...'),
    ]),
  }));
}

const Property = z.looseObject({
  enum: z.array(z.string()).optional(),
  items: z.looseObject({ enum: z.array(z.string()).optional() }).optional(),
});

function valuesOf(tool: Tool, key: string): readonly string[] | 'any' | undefined {
  const { properties } = z
    .object({ properties: z.record(z.string(), Property).default({}) })
    .parse(z.toJSONSchema(tool.schema, { io: 'input' }));
  const property = properties[key];
  return property === undefined ? undefined : (property.enum ?? property.items?.enum ?? 'any');
}

it('names tools, parameters and values that exist', () => {
  const wrong: string[] = [];
  for (const { line } of rows) {
    for (const { name, settings } of mentions(line)) {
      const tool = toolsByName.get(name);
      if (tool === undefined) {
        wrong.push(`${name} is no tool: ${line}`);
        continue;
      }
      for (const [key, values] of settings) {
        const known = valuesOf(tool, key);
        if (known === undefined) wrong.push(`${name} has no ${key}: ${line}`);
        else if (known !== 'any')
          for (const value of values) if (!known.includes(value)) wrong.push(`${name} ${key}=${value}: ${line}`);
      }
    }
  }
  expect(rows.length).toBeGreaterThan(80);
  expect(wrong).toEqual([]);
});

it('has every tool, and an answer or a reason in every row', () => {
  const named = new Set(rows.flatMap(({ line }) => mentions(line).map(({ name }) => name)));
  expect(catalog.map(({ name }) => name).filter((name) => !named.has(name))).toEqual([]);
  expect(rows.filter(({ line }) => mentions(line).length === 0 && !/not offered: \w+/.test(line))).toEqual([]);
});

it('marks what is off by default', () => {
  const optIn = (name: string): boolean => {
    const toolset = toolsByName.get(name)?.toolset;
    return toolset !== undefined && !DEFAULT_TOOLSETS.some((other) => other === toolset);
  };
  const wrong = rows.filter(
    ({ heading, line }) =>
      !line.includes('not offered') &&
      mentions(line).some(({ name }) => optIn(name)) !== (line.includes('(opt-in)') || heading.includes('(opt-in)')),
  );
  expect(wrong).toEqual([]);
});
