import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startDemoCluster } from '../../src/demo/start-demo-cluster.ts';
import type { DemoCluster, DemoRole } from '../../src/demo/types.ts';
import { cursorOf } from '../support/read-answer.ts';
import { DIST, runCli } from '../support/run-cli.ts';
import { steadyCursors } from '../support/steady-cursors.ts';

let demo: DemoCluster;
let folder: string;
let client: Client;

function envOf(role: DemoRole = 'auditor'): Record<string, string> {
  const { id, secret } = demo.token(role);
  return { PROXMOX_URL: demo.url, PROXMOX_TOKEN_ID: id, PROXMOX_TOKEN_SECRET: secret, PROXMOX_CA_FILE: join(folder, 'ca.pem') };
}

const call = (...words: string[]) => runCli(['call', ...words], envOf());

beforeAll(async () => {
  // One clock, so that both ways see the same ages.
  demo = await startDemoCluster({ authDelayMs: 20 });
  folder = await mkdtemp(join(tmpdir(), 'mcp-proxmox-call-'));
  await writeFile(join(folder, 'ca.pem'), demo.ca);
  client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [`${DIST}mcp-proxmox.mjs`],
      env: { PATH: process.env['PATH'] ?? '', ...envOf() },
    }),
  );
});
afterAll(async () => {
  await client?.close();
  await demo?.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => demo.faults.clear());

/** Ages, and what is random by design, may differ between two calls. */
function steady(text: string): string {
  return steadyCursors(text)
    .replace(/\b\d+(?:\.\d+)? (?:s|min|h|d)\b/g, 'AGE')
    .replace(/upstream-text-[0-9a-f]+/g, 'upstream-text-TAG')
    .trimEnd();
}

describe('call', () => {
  it.each([
    ['list_nodes', [], {}],
    [
      'list_guests',
      ['--guest-type', 'lxc', '--fields', 'vmid,name,node', '--limit=4'],
      { guest_type: 'lxc', fields: ['vmid', 'name', 'node'], limit: 4 },
    ],
    ['get_guest_config', ['--vmid', '100'], { vmid: 100 }],
    ['search_inventory', ['--query', 'web'], { query: 'web' }],
    ['check_token_access', [], {}],
    ['get_firewall_rules', ['--name', 'web-01', '--sections', 'rules,groups'], { name: 'web-01', sections: ['rules', 'groups'] }],
  ])('%s answers what an MCP client gets', async (name, words, args) => {
    const [{ code, stdout, stderr }, overMcp] = await Promise.all([
      call(name, ...words),
      client.callTool({ name, arguments: args }),
    ]);
    const [block] = overMcp.content;
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(steady(stdout)).toBe(steady(block?.type === 'text' ? block.text : ''));
    const asJson = await call(name, '--json', JSON.stringify(args));
    expect(steady(asJson.stdout)).toBe(steady(stdout));
  });

  it('takes JSON from standard input, and --output json is the structured form', async () => {
    const { code, stdout } = await runCli(
      ['call', 'get-guest', '--json', '-', '--output', 'json'],
      envOf(),
      'mcp-proxmox.mjs',
      '{"vmid": 100}',
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ guest: { name: 'web-01', status: 'running' } });
  });

  it('follows a cursor', async () => {
    const first = await call('list_guests', '--limit', '2', '--fields', 'vmid');
    const cursor = cursorOf(first.stdout);
    expect(cursor).toBeDefined();
    const second = await call('list_guests', '--limit', '2', '--fields', 'vmid', '--cursor', cursor ?? '');
    expect(second.code).toBe(0);
    expect(second.stdout).not.toBe(first.stdout);
  });

  it('--demo needs no settings', async () => {
    const { code, stdout, stderr } = await runCli(['call', 'list_nodes', '--demo']);
    expect(stderr).toBe('');
    expect(stdout).toContain('pve1');
    expect(code).toBe(0);
  });

  it.each([
    ['a tool that does not exist', ['list_gests'], 'did you mean list_guests?'],
    ['a parameter that does not exist', ['list_guests', '--nod', 'x'], 'did you mean --node?'],
    ['a value of the wrong kind', ['get_guest', '--vmid', 'abc'], 'vmid'],
    ['JSON that is none', ['get_guest', '--json', '{vmid}'], '--json is not a JSON object'],
    ['parameters beside JSON', ['get_guest', '--json', '{}', '--vmid', '1'], '--json holds all parameters'],
    ['a form of output that does not exist', ['list_nodes', '--output', 'xml'], '--output is text or json'],
    ['a tool of a toolset that is off', ['get_ceph_status'], '--toolsets default,ceph'],
    ['no tool', [], 'name the tool'],
  ])('%s: exit 2, told on standard error', async (_, words, message) => {
    const { code, stdout, stderr } = await call(...words);
    expect(stdout).toBe('');
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  it('--toolsets switches others on', async () => {
    expect((await call('get_ceph_status', '--toolsets', 'default,ceph')).code).toBe(0);
  });

  it('without settings: exit 2; a guest that is not there: 1; no connection or a refused token: 3', async () => {
    expect((await runCli(['call', 'list_nodes'])).code).toBe(2);
    expect(await call('get_guest', '--vmid', '999999')).toMatchObject({ code: 1, stdout: '' });
    expect((await runCli(['call', 'list_nodes'], { ...envOf(), PROXMOX_URL: 'https://127.0.0.1:9' })).code).toBe(3);
    const refused = await runCli(['call', 'list_nodes'], {
      ...envOf(),
      PROXMOX_TOKEN_SECRET: '0badc0de-0000-4000-8000-00000badc0de',
    });
    expect(refused.code).toBe(3);
    expect(refused.stderr).not.toContain('0badc0de');
  });

  it('reports on a long call on standard error', async () => {
    demo.faults.add({ kind: 'slow', delayMs: 700, match: /\/config$/ });
    const { code, stdout, stderr } = await call('search_inventory', '--query', 'web', '--deep');
    expect(code).toBe(0);
    expect(stderr).toMatch(/^(?:mcp-proxmox call: \d+ of \d+ [\w ]+\n)+$/);
    expect(stdout).not.toContain('mcp-proxmox call');
  });

  it('--help shows the parameters of a tool without settings', async () => {
    const { code, stdout } = await runCli(['call', 'list_guests', '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('--guest-type qemu|lxc');
  });
});

describe('tools', () => {
  it('lists what MCP lists, and needs no settings', async () => {
    const listed = await client.listTools();
    const { code, stdout } = await runCli(['tools', '--json']);
    expect(code).toBe(0);
    const mine: { name: string; toolset: string }[] = JSON.parse(stdout);
    expect(mine.map(({ toolset: _, ...tool }) => tool)).toEqual(listed.tools);
    const text = await runCli(['tools']);
    for (const { name } of listed.tools) expect(text.stdout).toContain(`  ${name} `);
    expect(text.stdout).not.toContain('get_ceph_status');
    expect((await runCli(['tools', '--toolsets', 'all'])).stdout).toContain('get_ceph_status');
  });

  it('a misspelt toolset: exit 2', async () => {
    expect(await runCli(['tools', '--toolsets', 'deflaut'])).toMatchObject({ code: 2, stdout: '' });
  });
});
