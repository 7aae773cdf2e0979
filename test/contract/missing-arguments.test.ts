/** A required argument that is left out: the error names it in plain words, and the tool that shows what it may be. */
import { describe, expect, it } from 'vitest';
import { type ApiError, toApiError } from '../../src/api/errors.ts';
import { catalog } from '../../src/tools/catalog.ts';

const required = catalog.flatMap((tool) =>
  Object.entries(tool.schema.shape).flatMap(([key, schema]) => (schema.safeParse(undefined).success ? [] : [{ tool, key }])),
);

function errorOf(run: () => unknown): ApiError {
  try {
    run();
  } catch (thrown) {
    return toApiError(thrown);
  }
  throw new Error('nothing was thrown');
}

describe('without', () => {
  it.each(required.map(({ tool, key }) => ({ name: tool.name, key, tool })))('$key: $name', ({ tool, key }) => {
    const { kind, message, hint } = errorOf(() => tool.prepare({}));
    expect(kind).toBe('bad-argument');
    expect(message).toContain(`${key} is missing`);
    expect(message).not.toContain('undefined');
    if (['node', 'storage', 'upid'].includes(key)) expect(hint).toMatch(/list_\w+ shows what there is/);
  });
});
