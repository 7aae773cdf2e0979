import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CLIENTS } from '../../src/cli/clients/clients.ts';
import { keepPart } from './keep.ts';
import { clientSections, clientTable } from './write-clients.ts';

it('the table of clients and the install links in the README are those of the program', () => {
  keepPart('README.md', 'clients', clientTable());
});

it('docs/clients.md shows what the program prints', () => {
  keepPart('docs/clients.md', 'clients', clientSections());
  for (const { id } of CLIENTS) expect(readFileSync('docs/clients.md', 'utf8')).toContain(`\n## ${id}\n`);
});
