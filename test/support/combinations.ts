import { z } from 'zod';
import type { Tool } from '../../src/tools/define-tool.ts';
import type { Args } from './examples.ts';
import { spread } from './spread.ts';

/** How many examples of the same shape are varied; the rest is only called as it is. */
const VARIED_PER_SHAPE = 3;

const Property = z.looseObject({
  type: z.string().optional(),
  enum: z.array(z.union([z.string(), z.number()])).optional(),
  items: z.looseObject({ enum: z.array(z.string()).optional() }).optional(),
});

/**
 * The calls that try every parameter of a tool: all its examples, and for some of each shape every value of every
 * enumeration, both values of every boolean, every single section and all of them, a page of one row, a time span.
 */
export function combinationsOf(tool: Tool, examples: readonly Args[], variedPerShape = VARIED_PER_SHAPE): Args[] {
  const calls = [...examples];
  const variations = variationsOf(tool);
  for (const base of representatives(examples, variedPerShape))
    for (const variation of variations) calls.push({ ...base, ...variation });
  const unique = new Map(calls.map((args) => [JSON.stringify(Object.entries(args).sort()), args]));
  return [...unique.values()];
}

/** Every single change of a parameter that the tool's own schema suggests. */
export function variationsOf(tool: Tool): Args[] {
  const { properties } = z
    .object({ properties: z.record(z.string(), Property).default({}) })
    .parse(z.toJSONSchema(tool.schema, { io: 'input' }));
  return Object.entries(properties).flatMap(([name, property]): Args[] => {
    if (property.enum !== undefined) return property.enum.map((value) => ({ [name]: value }));
    if (property.items?.enum !== undefined) {
      const all = property.items.enum;
      return [...all.map((value) => ({ [name]: [value] })), { [name]: all }];
    }
    if (property.type === 'boolean') return [{ [name]: true }, { [name]: false }];
    if (name === 'limit') return [{ limit: 1 }];
    if (name === 'since') return [{ since: '7d' }, { since: '2000-01-01T00:00:00Z' }];
    if (name === 'until') return [{ until: '1h' }];
    return [];
  });
}

/**
 * One or two typical calls: the first example, and one with other parameters. Without the deep reads, which are many
 * requests of the same kind.
 */
export function typical(examples: readonly Args[]): Args[] {
  return representatives(
    examples.filter((args) => args['deep'] !== true),
    1,
  ).slice(0, 2);
}

/** A few examples of each set of parameters, spread over the list. */
export function representatives(examples: readonly Args[], perShape = VARIED_PER_SHAPE): Args[] {
  const shapes = new Map<string, Args[]>();
  for (const args of examples) {
    const shape = Object.keys(args).sort().join(',');
    shapes.set(shape, [...(shapes.get(shape) ?? []), args]);
  }
  return [...shapes.values()].flatMap((same) => spread(same, perShape));
}
