import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { ErrorKind } from '../../src/api/errors.ts';

/** The compiler keeps this complete: a new kind is missing here, one that is gone is too much. */
const KINDS: Readonly<Record<ErrorKind, true>> = {
  unauthenticated: true,
  forbidden: true,
  'not-found': true,
  'wrong-node': true,
  'node-unreachable': true,
  unreachable: true,
  timeout: true,
  'bad-parameter': true,
  'bad-argument': true,
  'unsupported-by-this-release': true,
  'not-configured': true,
  'malformed-answer': true,
  'too-large': true,
  tls: true,
  cancelled: true,
  upstream: true,
  internal: true,
};

it('docs/troubleshooting.md has a section for every kind of error, and no other', () => {
  const page = readFileSync('docs/troubleshooting.md', 'utf8');
  const part = page.slice(page.indexOf('\n## Errors by kind'), page.indexOf('\n## Settings that are refused'));
  const headings = [...part.matchAll(/^### (.+)$/gm)].map((match) => match[1]);
  expect(headings.sort()).toEqual(Object.keys(KINDS).sort());
  for (const section of part.split(/^### /m).slice(1)) expect(section.length, section.slice(0, 30)).toBeGreaterThan(80);
});

it('links within the docs lead somewhere', () => {
  for (const file of ['README.md', 'SETUP.md', 'docs/troubleshooting.md', 'docs/clients.md']) {
    const text = readFileSync(file, 'utf8');
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:|#|vscode:)([^)\s]+)\)/g)) {
      const [path = '', anchor] = target.split('#');
      const linked = readFileSync(new URL(path, new URL(`../../${file}`, import.meta.url)), 'utf8');
      if (anchor !== undefined) expect(anchors(linked), `${file} -> ${target}`).toContain(anchor);
    }
    for (const [, anchor = ''] of text.matchAll(/\]\(#([^)\s]+)\)/g))
      expect(anchors(text), `${file} -> #${anchor}`).toContain(anchor);
  }
});

function anchors(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map((match) =>
    (match[1] ?? '')
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}
