/** The schema of the structured form. Loaded only where that form is on: zod is not needed for text. */
import { z } from 'zod';
import type { Columns, Kind, OutputSpec, SectionSpec } from './spec.ts';
import { columnKey, sectionKey } from './structured-shape.ts';

const UNITS: Partial<Record<Kind, string>> = {
  percent: '0..100',
  time: 'ISO 8601, UTC',
};

/**
 * Numbers are declared as plain numbers, whole or not: sizes go beyond what `int` accepts, and an upstream oddity must
 * not turn a good answer into a validation error. For the same reason times are declared as strings without a pattern.
 */
function cellSchema(kind: Kind): z.ZodType {
  if (kind === 'text' || kind === 'time') return z.string();
  if (kind === 'bool') return z.boolean();
  if (kind === 'list') return z.array(z.string());
  return z.number();
}

function described(schema: z.ZodType, ...words: (string | undefined)[]): z.ZodType {
  const about = words.filter((word) => word !== undefined).join('; ');
  return about === '' ? schema : schema.describe(about);
}

/** Every cell may be missing: what the API does not tell is left out. */
function rowSchema(columns: Columns): z.ZodType {
  const shape = Object.entries(columns).map(([name, { kind, about }]) => {
    return [columnKey(name, kind), described(cellSchema(kind), about, UNITS[kind]).optional()] as const;
  });
  return z.looseObject(Object.fromEntries(shape));
}

function sectionSchema(section: SectionSpec): z.ZodType {
  switch (section.form) {
    case 'table':
      return described(z.array(rowSchema(section.columns)), section.about);
    case 'record':
      return described(rowSchema(section.columns), section.about);
    case 'entries':
      return described(z.looseObject({}), section.about);
    case 'prose':
      return described(z.string(), section.about);
  }
}

/**
 * The schema of what `renderAnswer` gives as `structured` for this declaration. Objects stay open: a stricter schema
 * would only let a harmless addition fail a client.
 */
export function outputSchema(output: OutputSpec): z.ZodObject {
  const where = z.looseObject({
    cluster: z.string().optional(),
    node: z.string().optional(),
    storage: z.string().optional(),
    vmid: z.number().optional(),
  });
  const shown = z.looseObject({ rows: z.number(), of: z.number(), from: z.number().optional(), so_far: z.boolean().optional() });
  const sections = Object.entries(output).map(
    ([name, section]) => [sectionKey(name), sectionSchema(section).optional()] as const,
  );
  return z.looseObject({
    summary: z.string(),
    shown: z.object({}).catchall(shown).optional().describe('What is not shown whole, by key'),
    ...Object.fromEntries(sections),
    coverage: z.enum(['complete', 'partial', 'unknown']).describe('Whether this is all there is'),
    coverage_why: z.string().optional(),
    problems: z
      .array(
        z.looseObject({
          kind: z.string(),
          message: z.string(),
          needs: z.string().optional(),
          where: z.array(where),
          more_places: z.number().optional(),
        }),
      )
      .describe('What could not be read'),
    hidden: z
      .array(
        z.looseObject({
          what: z.string(),
          privilege: z.string(),
          cluster: z.string().optional(),
          paths: z.array(z.string()),
          more_paths: z.number().optional(),
        }),
      )
      .describe('What the token may not see'),
    redacted: z.number().describe('Secret values in what was read; [redacted] is not unset'),
    notes: z.array(z.string()).optional(),
    next: z.array(z.string()).optional(),
    cursor: z.string().optional().describe('Argument of the next call for the rest'),
  });
}
