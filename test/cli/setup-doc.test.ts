import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Release } from '../../src/api/release.ts';
import { type AclRow, parsePermissions } from '../../src/api/rights.ts';
import { assessToken } from '../../src/insights/token-access.ts';

const setup = readFileSync(new URL('../../SETUP.md', import.meta.url), 'utf8');
const commands = setup
  .split('\n')
  .map((line) => line.replace(/\s+#.*$/, '').trim())
  .filter((line) => line.startsWith('pveum '));

const FORMS = [
  /^pveum user add \S+@\S+ --comment '[^']+'$/,
  /^pveum user token add \S+@\S+ \w+ --privsep 1 --comment '[^']+'$/,
  /^pveum user token remove \S+@\S+ \w+$/,
  /^pveum user delete \S+@\S+$/,
  /^pveum acl (modify|delete) \/\w* --(users|tokens) '[^']+' --roles \w+(,\w+)*$/,
  /^pveum role add MCP\w+ --privs '[\w.]+( [\w.]+)*'$/,
];

describe('SETUP.md', () => {
  it.each(commands)('%s', (command) => {
    expect(FORMS.some((form) => form.test(command))).toBe(true);
  });

  it('gives the optional roles the same way as the check command does', () => {
    const audit = parsePermissions({ '/': { 'Sys.Audit': 1, 'VM.Audit': 1, 'Datastore.Audit': 1 } });
    const release: Release = { major: 9, minor: 2, text: '9.2' };
    const acl: AclRow[] = ['user', 'token'].map((type) => ({
      path: '/',
      type,
      ugid: type === 'user' ? 'mcp@pve' : 'mcp@pve!assistant',
      role: 'PVEAuditor',
      propagate: true,
    }));
    const { grants } = assessToken({
      identity: 'mcp@pve!assistant',
      release,
      permissions: audit,
      reach: (read) => ({ held: read.kind === 'core' ? 'all' : 'none', paths: [], why: undefined }),
      owner: undefined,
      ownerPermissions: audit,
      acl,
      roles: new Map(),
    });
    for (const area of ['logs', 'backups']) {
      const lines = grants.find((g) => g.areas.includes(area) && g.kind === 'optional')?.lines ?? [];
      expect(lines.length).toBeGreaterThan(2);
      for (const line of lines) expect(commands).toContain(line);
    }
  });

  it('names the exit codes and flags that there are', () => {
    for (const flag of ['--check-write-denied', '--json', '--env-file', '--demo']) expect(setup).toContain(flag);
    expect(setup).not.toMatch(/PROXMOX_VERIFY_TLS/);
  });
});
