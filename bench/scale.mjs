/**
 * Bundles and runs scale-run.ts: answers at 5 x 500 and 32 x 5,000 beside the bare request in the same run.
 *
 *   npm run bench:scale
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from './bundle.mjs';

const root = new URL('..', import.meta.url).pathname;
const out = mkdtempSync(join(tmpdir(), 'mcp-proxmox-scale-'));
await bundle('scale', join(root, 'bench/scale-run.ts'), out);
const { status } = spawnSync(process.execPath, [join(out, 'scale.mjs')], { stdio: 'inherit' });
rmSync(out, { recursive: true, force: true });
process.exitCode = status ?? 1;
