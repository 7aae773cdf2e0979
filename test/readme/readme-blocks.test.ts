import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { startDemoCluster } from '../../src/demo/start-demo-cluster.ts';
import type { DemoCluster } from '../../src/demo/types.ts';
import { talkTo } from '../packaging/talk.ts';
import { DOWN, ENTER, hasTerminal, openTerminal } from '../support/terminal-session.ts';

/**
 * Follows the README as a reader would: every block of commands, from top to bottom, in an empty home folder, with the packed
 * package as the one that npm finds. README_FULL=1 also runs what installs from the network or runs this very test suite.
 */
const full = process.env['README_FULL'] === '1';
const run = promisify(execFile);

let demo: DemoCluster;
let home: string;
let project: string;
let env: Record<string, string>;

/** The commands of the README, block by block. */
const blocks = [...readFileSync('README.md', 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text.trim());

beforeAll(async () => {
  demo = await startDemoCluster({ authDelayMs: 20 });
  home = await mkdtemp(join(tmpdir(), 'mcp-proxmox-readme-'));
  project = join(home, 'project');
  mkdirSync(project);
  const prefix = join(home, '.npm-global');
  env = {
    PATH: [join(prefix, 'bin'), dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
    HOME: home,
    npm_config_prefix: prefix,
    npm_config_cache: join(home, '.npm'),
    npm_config_update_notifier: 'false',
    // `npx` has to take the package that is here, not look for one elsewhere.
    npm_config_offline: full ? 'false' : 'true',
  };
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', home], { cwd: process.cwd() });
  await run(
    'npm',
    ['install', '--global', '--offline', '--no-audit', '--no-fund', join(home, `mcp-proxmox-${manifest.version}.tgz`)],
    { env, cwd: home },
  );
}, 120_000);
afterAll(async () => {
  await demo?.close();
  await rm(home, { recursive: true, force: true });
});

async function bash(script: string, cwd = project): Promise<string> {
  const { stdout } = await run('bash', ['--norc', '-euo', 'pipefail', '-c', script], { env, cwd, maxBuffer: 32 * 1024 * 1024 });
  return stdout;
}

/** `setup` asks questions: somebody has to answer them. */
async function answerSetup(command: string): Promise<void> {
  const t = openTerminal(['bash', '--norc', '-c', command], env, project);
  try {
    await t.expect('Where is the cluster?');
    t.type(demo.url + ENTER);
    await t.expect('How do you want to trust it?');
    t.type(ENTER);
    await t.expect('Is it the same?');
    t.type('y');
    await t.expect('Id of the API token');
    t.type(`\u0015${demo.token('auditor').id}${ENTER}`);
    await t.expect("The token's secret");
    t.type(demo.token('auditor').secret + ENTER);
    await t.expect('File to keep the settings in');
    t.type(ENTER);
    await t.expect('Write it?');
    t.type(ENTER);
    await t.expect('Configure a client?');
    t.type(DOWN.repeat(9) + ENTER);
    await t.expect('Done.');
    expect(await t.ended).toBe(0);
  } finally {
    t.kill();
  }
}

/** A checkout as somebody else would have it: only what is committed or about to be. */
async function checkout(): Promise<string> {
  const folder = join(home, 'checkout');
  const { stdout } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    maxBuffer: 32 * 1024 * 1024,
  });
  for (const file of stdout.split('\0').filter((name) => name !== '')) cpSync(file, join(folder, file));
  return folder;
}

describe.runIf(hasTerminal)('every command block of the README', () => {
  it('has commands that exist', () => {
    expect(blocks.length).toBeGreaterThanOrEqual(6);
    for (const [, script = ''] of blocks.join('\n').matchAll(/npm (?:run )?(demo|test|build)\b/g)) {
      expect(manifest.scripts).toHaveProperty(script);
    }
  });

  it.each(blocks.map((block) => [block.split('\n')[0] ?? '', block]))(
    '%s',
    { timeout: full ? 1_800_000 : 120_000 },
    async (_, block) => {
      if (block.includes('npm ci')) {
        if (full) await bash(block, await checkout());
      } else if (block.includes('inspector')) {
        // Its window needs a browser; the same program without one asks the same server.
        if (full && Number.parseInt(process.versions.node, 10) >= 22)
          expect(await bash(block.replace('inspector ', 'inspector --cli ').concat(' --method tools/list'))).toContain(
            'list_nodes',
          );
      } else if (block.includes('mcp-proxmox setup')) {
        await answerSetup(block);
      } else {
        expect(await bash(block)).not.toBe('');
      }
    },
  );

  it('ends with a client that is configured and gets answers', async () => {
    const file: { mcpServers: Record<string, { command: string; args: string[] }> } = JSON.parse(
      readFileSync(join(project, '.mcp.json'), 'utf8'),
    );
    const entry = file.mcpServers['proxmox'];
    expect(entry?.command).toBe('npx');
    expect(await talkTo(entry?.command ?? '', entry?.args ?? [], env)).toContain('3 nodes, 2 online');
    // Nothing but what the README speaks of was written.
    expect(readdirSync(project)).toEqual(['.mcp.json']);
    expect(readdirSync(join(home, '.config'))).toEqual(['mcp-proxmox.env']);
    expect(readFileSync(join(project, '.mcp.json'), 'utf8')).not.toContain(demo.token('auditor').secret);
  });
});
