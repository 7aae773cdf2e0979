/**
 * Bundles and runs scale-run.ts: answers at 5 x 500 and 32 x 5,000 beside the bare request in the same run.
 *
 *   npm run bench:scale
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'tsdown';

const root = new URL('..', import.meta.url).pathname;
const out = mkdtempSync(join(tmpdir(), 'mcp-proxmox-scale-'));
await build({
  config: false,
  cwd: root,
  entry: { scale: join(root, 'bench/scale-run.ts') },
  outDir: out,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  dts: false,
  noExternal: [/.*/],
  inlineOnly: false,
  outExtensions: () => ({ js: '.mjs' }),
  logLevel: 'silent',
});
const { status } = spawnSync(process.execPath, [join(out, 'scale.mjs')], { stdio: 'inherit' });
rmSync(out, { recursive: true, force: true });
process.exitCode = status ?? 1;
