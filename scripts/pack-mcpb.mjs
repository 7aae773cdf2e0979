// Packs dist/ and packaging/mcpb/manifest.json into a bundle, and checks it the way its hosts do.
// Usage: node scripts/pack-mcpb.mjs [OUTPUT]; needs `npm run build` and `npm ci --prefix tools/mcpb` before.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const output = resolve(process.argv[2] ?? join(root, `mcp-proxmox-${version}.mcpb`));
const cli = join(root, 'tools/mcpb/node_modules/@anthropic-ai/mcpb/dist/cli/cli.js');
const run = (...args) => execFileSync(process.execPath, [cli, ...args], { stdio: ['ignore', 'inherit', 'inherit'] });

const folder = mkdtempSync(join(tmpdir(), 'mcp-proxmox-mcpb-'));
try {
  mkdirSync(join(folder, 'server'));
  cpSync(join(root, 'dist'), join(folder, 'server'), { recursive: true });
  cpSync(join(root, 'packaging/mcpb/manifest.json'), join(folder, 'manifest.json'));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  run('validate', join(folder, 'manifest.json'));
  run('pack', folder, output);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
