import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { pveumLines, webSteps } from './token-steps.ts';

it('prints the lines that SETUP.md has', () => {
  const guide = readFileSync('SETUP.md', 'utf8').replaceAll("'", '');
  for (const line of pveumLines('mcp@pve!assistant')) expect(guide).toContain(line.replaceAll("'", ''));
});

it('is right for any user, realm and name', () => {
  expect(pveumLines("o'neil@corp.ad!t1")).toContain("pveum acl modify / --tokens 'o'\\''neil@corp.ad!t1' --roles PVEAuditor");
  expect(webSteps('a@b@corp!t1')[0]).toContain('user name a@b, realm corp');
});
