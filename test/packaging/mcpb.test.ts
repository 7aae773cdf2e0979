import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { talkTo } from './talk.ts';

const run = promisify(execFile);
const cli = 'tools/mcpb/node_modules/@anthropic-ai/mcpb/dist/cli/cli.js';

// The packer is installed on its own (`npm ci --prefix tools/mcpb`), as CI does; without it there is nothing to test.
describe.runIf(existsSync(cli))('the MCPB bundle', () => {
  it('validates, packs, and its server answers as its manifest starts it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mcp-proxmox-mcpb-test-'));
    try {
      const bundle = join(folder, 'out.mcpb');
      await run(process.execPath, ['scripts/pack-mcpb.mjs', bundle]);
      const unpacked = join(folder, 'unpacked');
      await run(process.execPath, [cli, 'unpack', bundle, unpacked]);
      const manifest: { server: { mcp_config: { command: string; args: string[]; env: Record<string, string> } } } = JSON.parse(
        await readFile(join(unpacked, 'manifest.json'), 'utf8'),
      );
      const { command, args, env } = manifest.server.mcp_config;
      expect(command).toBe('node');
      // As a host does it: the folder is filled in, and settings that the user left out are empty.
      const here = args.map((arg) => arg.replace('$' + '{__dirname}', unpacked));
      const settings = Object.fromEntries(Object.keys(env).map((name) => [name, '']));
      expect(await talkTo(process.execPath, [...here, '--demo'], settings)).toContain('3 nodes, 2 online');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }, 60_000);
});
