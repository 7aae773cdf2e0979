import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLIENTS } from '../../src/cli/clients/clients.ts';
import { DIST, runCli } from '../support/run-cli.ts';

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'mcp-proxmox-client-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const run = (...args: string[]) =>
  runCli(['client-config', ...args], { HOME: home, USERPROFILE: home, APPDATA: join(home, 'AppData') });

describe('client-config', () => {
  it.each(CLIENTS.map((c) => [c.id, c.format, c.root] as const))(
    '%s: standard output is the configuration and nothing else, without any settings',
    async (id, format, root) => {
      const { code, stdout, stderr } = await run(id, '--demo', '--no-windows');
      expect(code).toBe(0);
      if (format === 'json') {
        expect(JSON.parse(stdout)[root]['proxmox-demo']).toMatchObject({
          command: 'node',
          args: [`${DIST}mcp-proxmox.mjs`, '--demo'],
        });
      } else {
        expect(stdout).toBe(`[${root}.proxmox-demo]\ncommand = "node"\nargs = ["${DIST}mcp-proxmox.mjs", "--demo"]\n`);
      }
      expect(stderr).toContain('--write');
      expect(readdirSync(home)).toEqual([]);
    },
  );

  it('makes a relative env file absolute, and leaves one in the home folder', async () => {
    expect((await run('cursor', '--settings', 'x.env')).stdout).toContain(JSON.stringify(join(process.cwd(), 'x.env')));
    expect((await run('cursor', '--settings', '~/x.env')).stdout).toContain('"~/x.env"');
  });

  it('--link is the address alone', async () => {
    expect((await run('cursor', '--link')).stdout).toMatch(/^https:\/\/cursor\.com\/en\/install-mcp\?name=proxmox&config=\S+\n$/);
    expect((await run('zed', '--link')).code).toBe(2);
  });

  it('--dry-run shows the change and writes nothing; --write writes it, with a backup; twice changes nothing', async () => {
    const file = join(home, '.cursor', 'mcp.json');
    mkdirSync(join(home, '.cursor'));
    const before = '{\n  "mcpServers": {\n    "other": { "command": "x", "env": { "API_TOKEN": "t-1" } }\n  }\n}\n';
    writeFileSync(file, before);
    const dry = await run('cursor', '--demo', '--dry-run');
    expect(dry.stdout).toContain('+     "proxmox-demo": {');
    expect(dry.stdout).not.toContain('t-1');
    expect(readFileSync(file, 'utf8')).toBe(before);
    const wet = await run('cursor', '--demo', '--write');
    expect(wet.code).toBe(0);
    expect(JSON.parse(readFileSync(file, 'utf8')).mcpServers).toMatchObject({
      other: { command: 'x' },
      'proxmox-demo': { command: 'node' },
    });
    expect(readdirSync(join(home, '.cursor'))).toHaveLength(2);
    const again = await run('cursor', '--demo', '--write');
    expect(again.stderr).toContain('has it already');
    expect(readdirSync(join(home, '.cursor'))).toHaveLength(2);
  });

  it('a file that it does not understand stays as it is: exit 1, and the piece to add by hand', async () => {
    const file = join(home, 'broken.json');
    writeFileSync(file, '{ "mcpServers": ');
    const { code, stdout, stderr } = await run('cursor', '--demo', '--write', '--file', file);
    expect(code).toBe(1);
    expect(stderr).toContain('line 1 is not JSON');
    expect(JSON.parse(stdout)).toHaveProperty('mcpServers');
    expect(readFileSync(file, 'utf8')).toBe('{ "mcpServers": ');
  });

  it.each([
    ['an unknown client', ['nope'], 'claude-desktop, claude-code'],
    ['a way that the client lacks', ['zed', '--secret', 'env'], "Zed can't do env"],
    ['settings for the embedded cluster', ['cursor', '--demo', '--settings', 'x'], '--demo serves an embedded cluster'],
    ['two places for the settings', ['cursor', '--secret', 'env', '--settings', 'x'], '--settings contradicts'],
    ['values beside the env file', ['cursor', '--url', 'https://x'], 'belong in the env file'],
    ['a name that is no name', ['cursor', '--name', 'a b'], '--name: use letters'],
  ])('%s: exit 2', async (_, args, message) => {
    const { code, stdout, stderr } = await run(...args);
    expect(stdout).toBe('');
    expect(stderr).toContain(message);
    expect(code).toBe(2);
    expect(existsSync(join(home, '.cursor'))).toBe(false);
  });
});
