import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { healthChecks } from '../../src/insights/health/catalog.ts';
import { healthChecksPage } from './write-health-checks.ts';

const PATH = 'docs/health-checks.md';

test('docs/health-checks.md lists the checks as they are', () => {
  const page = healthChecksPage(healthChecks);
  if (process.env['UPDATE_DOCS'] === '1') {
    writeFileSync(PATH, page);
    return;
  }
  expect(existsSync(PATH), `${PATH} is missing: run npm run docs`).toBe(true);
  expect(readFileSync(PATH, 'utf8'), `${PATH} is out of date: run npm run docs`).toBe(page);
});
