import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { configJsonSchema } from '../../src/config/config-schema.ts';
import { authFileJsonSchema } from '../../src/server/http/auth-file.ts';

const FOLDER = new URL('../../docs/schema/', import.meta.url);
const UPDATE = process.env['UPDATE_DOCS'] === '1';

describe('the published schemas', () => {
  it.each([
    ['config.json', configJsonSchema],
    ['callers.json', authFileJsonSchema],
  ] as const)('%s is what the program checks (npm run docs writes it)', (name, make) => {
    const file = new URL(name, FOLDER);
    const schema = `${JSON.stringify(make(), null, 2)}\n`;
    if (UPDATE) {
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(file, schema);
    }
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(JSON.parse(schema));
  });
});
