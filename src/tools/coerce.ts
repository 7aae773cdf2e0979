import type { z } from 'zod';

/**
 * Models write `"100"` for a number, `"true"` for a boolean, one text for a list, `qemu/100` for a guest id. The
 * advertised schema stays clean; what is unmistakable is put right here before it is checked.
 */
export function coerceArguments(schema: z.ZodObject, raw: unknown): unknown {
  if (raw === undefined || raw === null) return {};
  if (typeof raw !== 'object' || Array.isArray(raw)) return raw;
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(raw)) {
    // An optional argument given as null is an absent one.
    if (value === null) continue;
    const type = Object.hasOwn(schema.shape, key) ? innerType(schema.shape[key]) : undefined;
    result[key] = coerce(key, type, value);
  }
  return result;
}

function innerType(schema: unknown): string | undefined {
  let current: unknown = schema;
  for (let depth = 0; depth < 6; depth += 1) {
    const def = definitionOf(current);
    if (def === undefined) return undefined;
    const { type, innerType: inner } = def;
    if (type !== 'optional' && type !== 'default' && type !== 'nullable') return typeof type === 'string' ? type : undefined;
    current = inner;
  }
  return undefined;
}

function definitionOf(schema: unknown): { type?: unknown; innerType?: unknown } | undefined {
  if (typeof schema !== 'object' || schema === null || !('def' in schema)) return undefined;
  return typeof schema.def === 'object' && schema.def !== null ? schema.def : undefined;
}

function coerce(key: string, type: string | undefined, value: unknown): unknown {
  if (type === 'number' && typeof value === 'string') {
    const text = key === 'vmid' ? value.trim().replace(/^(?:qemu|lxc|vm|ct)[/:]/i, '') : value.trim();
    return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : value;
  }
  if (type === 'boolean') {
    if (value === 1 || value === '1' || value === 'true' || value === 'yes') return true;
    if (value === 0 || value === '0' || value === 'false' || value === 'no') return false;
  }
  if (type === 'string' && typeof value === 'number') return String(value);
  if (type === 'array' && typeof value === 'string') {
    return value
      .replace(/^\[|\]$/g, '')
      .split(',')
      .map((part) => part.trim().replace(/^"|"$/g, ''))
      .filter((part) => part !== '');
  }
  return value;
}
