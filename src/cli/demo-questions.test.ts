import { expect, it } from 'vitest';
import { catalog } from '../tools/catalog.ts';
import { QUESTIONS } from './demo-questions.ts';

it.each(QUESTIONS.map((q) => [q.tool, q] as const))('%s takes the arguments of its question', (name, { args }) => {
  const tool = catalog.find((t) => t.name === name);
  expect(tool).toBeDefined();
  expect(() => tool?.prepare(args)).not.toThrow();
});
