import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect } from 'vitest';

export const writing = process.env['UPDATE_DOCS'] === '1';

/** Compares a generated file with the one in the tree, or writes it (`npm run docs`). */
export function keepFile(path: string, text: string): void {
  if (writing) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return;
  }
  expect(existsSync(path), `${path} is missing: run npm run docs`).toBe(true);
  expect(readFileSync(path, 'utf8'), `${path} is out of date: run npm run docs`).toBe(text);
}

/** The same for the part of a page between `<!-- NAME -->` and `<!-- /NAME -->`; the rest is written by hand. */
export function keepPart(path: string, name: string, text: string): void {
  const [start, end] = [`<!-- ${name} -->\n`, `\n<!-- /${name} -->`];
  const page = readFileSync(path, 'utf8');
  const from = page.indexOf(start);
  const to = page.indexOf(end);
  expect(from >= 0 && to > from, `${path} has no part ${name}`).toBe(true);
  const wanted = page.slice(0, from + start.length) + text.trim() + page.slice(to);
  if (writing) {
    writeFileSync(path, wanted);
    return;
  }
  expect(page, `${path}: the part ${name} is out of date: run npm run docs`).toBe(wanted);
}
