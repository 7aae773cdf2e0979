import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { talkTo } from './talk.ts';

const run = promisify(execFile);
const windows = process.platform === 'win32';
const npm = (args: readonly string[], cwd: string) => run('npm', [...args], { cwd, shell: windows });

let folder: string;
let files: readonly string[];
let size: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-proxmox-package-'));
  // What `npm test` built is what is packed: building again would pull it from under other tests.
  const { stdout } = await npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], process.cwd());
  const [packed]: { filename: string; size: number; files: { path: string }[] }[] = JSON.parse(stdout);
  if (packed === undefined) throw new Error('nothing was packed');
  files = packed.files.map(({ path }) => path);
  size = packed.size;
  await writeFile(join(folder, 'package.json'), '{ "name": "clean", "private": true }');
  await npm(['install', '--offline', '--no-audit', '--no-fund', join(folder, packed.filename)], folder);
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the package', () => {
  it('holds what a user needs and nothing else', () => {
    const others = files.filter((path) => !/^dist\/[\w.-]+\.mjs$/.test(path)).sort();
    expect(others).toEqual([
      '.env.example',
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'SETUP.md',
      'dist/THIRD-PARTY-LICENSES',
      'package.json',
      'server.json',
    ]);
    expect(files).toContain('dist/mcp-proxmox.mjs');
    expect(size).toBeLessThan(2_000_000);
  });

  it('brings no dependencies and runs nothing when it is installed', async () => {
    expect((await readdir(join(folder, 'node_modules'))).filter((name) => !name.startsWith('.'))).toEqual(['mcp-proxmox']);
    const manifest: Record<string, unknown> & { scripts?: Record<string, string> } = JSON.parse(
      await readFile(join(folder, 'node_modules/mcp-proxmox/package.json'), 'utf8'),
    );
    for (const field of ['dependencies', 'optionalDependencies', 'peerDependencies', 'bundleDependencies']) {
      expect(manifest, field).not.toHaveProperty(field);
    }
    for (const script of ['preinstall', 'install', 'postinstall', 'prepare']) expect(manifest.scripts).not.toHaveProperty(script);
  });

  it('answers a real client', async () => {
    const home = await mkdtemp(join(folder, 'home-'));
    const script = join(folder, 'node_modules/mcp-proxmox/dist/mcp-proxmox.mjs');
    expect(await talkTo(process.execPath, [script, '--demo'], { HOME: home, USERPROFILE: home })).toContain('3 nodes, 2 online');
    expect(await readdir(home)).toEqual([]);
  });

  it('has its commands', async () => {
    const bin = (name: string, args: readonly string[]) =>
      run(join(folder, 'node_modules/.bin', windows ? `${name}.cmd` : name), [...args], {
        shell: windows,
        env: { PATH: process.env['PATH'] ?? '' },
      });
    expect((await bin('mcp-proxmox', ['--version'])).stdout.trim()).toMatch(/^\d+\.\d+\.\d+/);
    expect((await bin('mcp-proxmox', ['call', 'list_nodes', '--demo'])).stdout).toContain('pve1');
    expect((await bin('mcp-proxmox-check', ['--help'])).stdout).toContain('--check-write-denied');
    // Installed, it is started by its name.
    expect(JSON.parse((await bin('mcp-proxmox', ['client-config', 'cursor', '--demo', '--no-windows'])).stdout)).toEqual({
      mcpServers: { 'proxmox-demo': { command: 'npx', args: ['-y', 'mcp-proxmox', '--demo'] } },
    });
  });
});
