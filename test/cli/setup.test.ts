import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parseJsonc } from '../../src/cli/clients/jsonc-edit.ts';
import { startDemoCluster } from '../../src/demo/start-demo-cluster.ts';
import type { DemoCluster, DemoRole } from '../../src/demo/types.ts';
import { talkTo } from '../packaging/talk.ts';
import { DIST, runCli } from '../support/run-cli.ts';
import { CTRL_C, DOWN, ENTER, hasTerminal, openTerminal, type TerminalSession } from '../support/terminal-session.ts';

let demo: DemoCluster;
let home: string;
let session: TerminalSession | undefined;

beforeAll(async () => {
  demo = await startDemoCluster({ authDelayMs: 20 });
});
afterAll(() => demo?.close());
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'mcp-proxmox-setup-'));
  demo.faults.clear();
});
afterEach(async () => {
  session?.kill();
  session = undefined;
  await rm(home, { recursive: true, force: true });
});

function start(): TerminalSession {
  session = openTerminal([process.execPath, `${DIST}mcp-proxmox.mjs`, 'setup'], { HOME: home }, home);
  return session;
}

/** From the first question to the answer about trust. */
async function giveUrl(t: TerminalSession, url = demo.url): Promise<void> {
  await t.expect('Where is the cluster?');
  t.type(url + ENTER);
}

async function pinIt(t: TerminalSession): Promise<void> {
  await t.expect('How do you want to trust it?');
  t.type(ENTER);
  await t.expect('Is it the same?');
  t.type('y');
}

async function giveToken(t: TerminalSession, role: DemoRole): Promise<void> {
  const { id, secret } = demo.token(role);
  await t.expect('Id of the API token');
  // What stands there already goes.
  t.type(`\u0015${id}${ENTER}`);
  await t.expect("The token's secret");
  t.type(secret + ENTER);
}

const Launched = z.object({ mcpServers: z.object({ proxmox: z.object({ command: z.string(), args: z.array(z.string()) }) }) });

const ENV_FILE = '.config/mcp-proxmox.env';

describe.runIf(hasTerminal)('setup at a terminal', () => {
  it('leads from a URL to a client that is configured', async () => {
    const gemini = join(home, '.gemini/settings.json');
    mkdirSync(join(home, '.gemini'));
    const before = '{\n  // mine\n  "theme": "dark",\n  "mcpServers": { "files": { "command": "x" } }\n}\n';
    writeFileSync(gemini, before);
    const t = start();
    await giveUrl(t);
    await t.expect('subject      CN=');
    await t.expect(`SHA-256      ${demo.fingerprint}`);
    await pinIt(t);
    await giveToken(t, 'auditor');
    await t.expect('The token sees all that it should');
    await t.expect('File to keep the settings in');
    expect(existsSync(join(home, '.config'))).toBe(false);
    t.type(ENTER);
    await t.expect('PROXMOX_TOKEN_SECRET=***');
    await t.expect('Write it?');
    expect(existsSync(join(home, '.config'))).toBe(false);
    t.type(ENTER);
    await t.expect('only you can read it');
    await t.expect('Configure a client?');
    t.type(DOWN.repeat(5) + ENTER);
    await t.expect('Gemini CLI:');
    t.type(DOWN + ENTER);
    await t.expect('"proxmox": {');
    await t.expect('Write it?');
    expect(readFileSync(gemini, 'utf8')).toBe(before);
    t.type(ENTER);
    await t.expect('Written. The old file:');
    await t.expect('Another one?');
    t.type(DOWN.repeat(9) + ENTER);
    await t.expect('Done.');
    expect(await t.ended).toBe(0);

    const { id, secret } = demo.token('auditor');
    const file = join(home, ENV_FILE);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toContain(
      `PROXMOX_URL=${demo.url}\nPROXMOX_TOKEN_ID=${id}\nPROXMOX_TOKEN_SECRET=${secret}\nPROXMOX_TLS_FINGERPRINT=${demo.fingerprint}\n`,
    );
    expect(readFileSync(gemini, 'utf8')).toContain('// mine');
    expect(readFileSync(gemini, 'utf8')).toContain('"~/.config/mcp-proxmox.env"');
    const backup = readdirSync(join(home, '.gemini')).find((name) => name.endsWith('.bak'));
    expect(readFileSync(join(home, '.gemini', backup ?? ''), 'utf8')).toBe(before);
    // What it wrote works, as the client will start it.
    const written: unknown = parseJsonc(readFileSync(gemini, 'utf8'));
    const entry = Launched.parse(written).mcpServers.proxmox;
    expect(await talkTo(entry.command, entry.args, { HOME: home })).toContain('3 nodes, 2 online');
    const check = await runCli(['check', '--settings', file], { HOME: home });
    expect(check.code).toBe(0);
    // The secret was typed, and appeared nowhere.
    expect(t.raw()).not.toContain(secret);
    expect(t.raw()).not.toContain(secret.slice(0, 8));
    // The commands are there whole, to be copied.
    expect(t.text()).toContain(`pveum acl modify / --tokens '${id}' --roles PVEAuditor`);
    expect(t.text()).toContain('Datacenter > Permissions > API Tokens > Add');
    expect(demo.requests.every((r) => r.method === 'GET')).toBe(true);
  });

  it('takes a CA file, tells a token with gaps, and keeps what else is in the env file', async () => {
    writeFileSync(join(home, 'ca.pem'), demo.ca);
    const file = join(home, ENV_FILE);
    mkdirSync(join(home, '.config'));
    const before = "# mine\nPROXMOX_TOOLSETS=default,logs\nPROXMOX_TLS_FINGERPRINT='old'\nPROXMOX_URL=https://old:8006\n";
    writeFileSync(file, before, { mode: 0o644 });
    const t = start();
    await giveUrl(t);
    await t.expect('How do you want to trust it?');
    t.type(DOWN + ENTER);
    await t.expect('Path of the CA file');
    t.type(`~/nothing.pem${ENTER}`);
    await t.expect('does not exist');
    t.type(`\u0015~/ca.pem${ENTER}`);
    await t.expect('signed by this CA');
    await giveToken(t, 'scoped');
    await t.expect('It works, but not all is well');
    t.type(ENTER);
    await t.expect('File to keep the settings in');
    t.type(ENTER);
    await t.expect('Write it?');
    t.type(ENTER);
    await t.expect('Configure a client?');
    t.type(DOWN.repeat(9) + ENTER);
    expect(await t.ended).toBe(0);
    const { id, secret } = demo.token('scoped');
    expect(readFileSync(file, 'utf8')).toBe(
      `# mine\nPROXMOX_TOOLSETS=default,logs\nPROXMOX_URL=${demo.url}\nPROXMOX_TOKEN_ID=${id}\nPROXMOX_TOKEN_SECRET=${secret}\nPROXMOX_CA_FILE=~/ca.pem\n`,
    );
    const backup = readdirSync(join(home, '.config')).find((name) => name.endsWith('.bak')) ?? '';
    expect(readFileSync(join(home, '.config', backup), 'utf8')).toBe(before);
    for (const name of [ENV_FILE, join('.config', backup)]) expect(statSync(join(home, name)).mode & 0o777).toBe(0o600);
  });

  it('asks again after a refused token and an unreachable node, and writes nothing without a yes', async () => {
    const t = start();
    await giveUrl(t, 'https://127.0.0.1:9');
    await t.expect('There is no connection');
    t.type(ENTER);
    await giveUrl(t, '\u0015not a url');
    await t.expect('has a character that no base URL has');
    t.type(`\u0015${demo.url}${ENTER}`);
    await pinIt(t);
    await t.expect('Id of the API token');
    t.type(ENTER);
    await t.expect("The token's secret");
    t.type(`a password${ENTER}`);
    await t.expect('is not a token secret');
    t.type(`0badc0de-0000-4000-8000-00000badc0de${ENTER}`);
    await t.expect('It does not work like this');
    t.type(DOWN + ENTER);
    await giveToken(t, 'auditor');
    await t.expect('File to keep the settings in');
    t.type(ENTER);
    await t.expect('Write it?');
    t.type('n');
    await t.expect('Nothing was written.');
    expect(await t.ended).toBe(0);
    expect(readdirSync(home)).toEqual([]);
    expect(t.raw()).not.toContain('0badc0de');
  });

  it('does not pin what was not compared', async () => {
    const before = demo.requests.length;
    const t = start();
    await giveUrl(t);
    await t.expect('How do you want to trust it?');
    t.type(ENTER);
    await t.expect('Is it the same?');
    t.type('n');
    await t.expect('Then it is not pinned');
    await t.expect('How do you want to trust it?');
    t.type(CTRL_C);
    await t.expect('Stopped.');
    expect(await t.ended).toBe(1);
    expect(readdirSync(home)).toEqual([]);
    // Not one request was sent to a server that nobody trusted.
    expect(demo.requests).toHaveLength(before);
  });
});

it('without a terminal it says what to do instead: exit 2', async () => {
  const { code, stdout, stderr } = await runCli(['setup']);
  expect(code).toBe(2);
  expect(stdout).toBe('');
  expect(stderr).toContain('needs a terminal');
  expect(stderr).toContain('client-config');
});
