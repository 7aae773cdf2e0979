/**
 * FIELD T19: standard output carries protocol only, whatever comes in; the process ends with its client; wrong settings
 * stop it before a client can be misled.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { startDemoCluster } from '../../src/demo/start-demo-cluster.ts';
import type { DemoCluster } from '../../src/demo/types.ts';
import { connectClient, ERAS, type RawServer, serverEnv, spawnRaw } from '../support/server-process.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let demo: DemoCluster;
beforeAll(async () => {
  demo = await startDemoCluster({ authDelayMs: 20 });
});
afterAll(() => demo.close());

const servers: RawServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.kill();
});
function raw(env: Record<string, string>, args: readonly string[] = []): RawServer {
  const server = spawnRaw(env, args);
  servers.push(server);
  return server;
}

const bare = { PATH: process.env['PATH'] ?? '' };
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '0' } },
};
const call = (id: number, name: string, args: Record<string, unknown> = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});
const withId =
  (id: number) =>
  (message: Record<string, unknown>): boolean =>
    message['id'] === id;

/** Every line must be a JSON-RPC message. */
function expectProtocolOnly(stdout: string): void {
  expect(stdout === '' || stdout.endsWith('\n')).toBe(true);
  for (const line of stdout.split('\n').slice(0, -1)) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
}

async function greeted(env: Record<string, string>, args: readonly string[] = []): Promise<RawServer> {
  const server = raw(env, args);
  server.send(initialize);
  await server.next(withId(1));
  server.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return server;
}

describe('T19 standard output', () => {
  it('carries protocol only: answers, errors, failures of the cluster, garbage', async () => {
    const server = await greeted(serverEnv(demo, 'auditor', { PROXMOX_TIMEOUT: '1' }));
    server.send(call(2, 'list_nodes'));
    await server.next(withId(2));
    server.send(call(3, 'nope'));
    expect(await server.next(withId(3))).toMatchObject({ error: { code: -32602 } });
    server.send(call(4, 'get_guest_status', { vmid: 'x' }));
    expect(await server.next(withId(4))).toMatchObject({ result: { isError: true } });
    const off = demo.faults.add({ kind: 'html', match: '/cluster/resources' });
    server.send(call(5, 'list_storage'));
    await server.next(withId(5));
    off();
    server.send('this is no JSON');
    server.send('{"jsonrpc":"2.0","id":6,"method":"nonsense"}');
    expect(await server.next(withId(6))).toMatchObject({ error: { code: -32601 } });
    server.send(call(7, 'list_nodes'));
    await server.next(withId(7));
    const { code } = await server.end();
    expect(code).toBe(0);
    expectProtocolOnly(server.stdout());
  });

  it('a frame stays below what line-wise clients take (64 KiB)', async () => {
    const server = await greeted(serverEnv(demo, 'full', { PROXMOX_MAX_ANSWER_CHARS: '40000' }));
    server.send(call(2, 'list_recent_tasks', { limit: 1000 }));
    await server.next(withId(2));
    await server.end();
    for (const line of server.stdout().split('\n')) expect(Buffer.byteLength(line)).toBeLessThan(60_000);
  });
});

describe('the end', () => {
  it('of standard input ends the process with 0, also with open connections', async () => {
    const server = await greeted(serverEnv(demo));
    server.send(call(2, 'list_guests'));
    await server.next(withId(2));
    const { code, tookMs } = await server.end();
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(2_000);
    expect(server.stderr()).toBe('');
  });

  it('of standard input ends it while the cluster does not answer', async () => {
    const off = demo.faults.add({ kind: 'hang', match: '/cluster/resources' });
    const server = await greeted(serverEnv(demo));
    server.send(call(2, 'list_guests'));
    await new Promise((resolve) => setTimeout(resolve, 400));
    const { code, tookMs } = await server.end();
    off();
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(5_000);
    expectProtocolOnly(server.stdout());
  });

  it('before anything was said', async () => {
    const { code } = await raw(serverEnv(demo)).end();
    expect(code).toBe(0);
  });

  it.each(ERAS)('a client (%s) that closes leaves no process behind', async (era) => {
    const { client, pid, close } = await connectClient(serverEnv(demo), [], era);
    await client.callTool({ name: 'list_nodes', arguments: {} });
    await close();
    for (let i = 0; i < 40 && isAlive(pid); i += 1) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isAlive(pid)).toBe(false);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('start', () => {
  it('nothing is asked before the first question', async () => {
    const from = demo.requests.length;
    const server = await greeted(serverEnv(demo));
    server.send({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
    await server.next(withId(2));
    await server.end();
    expect(demo.requests.length).toBe(from);
  });

  it('--demo serves a cluster of its own, and ends with its client', async () => {
    const server = await greeted(bare, ['--demo']);
    server.send(call(2, 'list_guests'));
    expect(JSON.stringify(await server.next(withId(2)))).toMatch(/guests/);
    const { code, tookMs } = await server.end();
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(3_000);
    expectProtocolOnly(server.stdout());
    expect(server.stderr()).toMatch(/demo/);
  });

  it.each([
    ['no settings at all', bare, [], /PROXMOX_URL/],
    ['a misspelt toolset', { ...bare, PROXMOX_TOOLSETS: 'gests' }, ['--demo'], /guests/],
    ['an unknown flag', bare, ['--frobnicate'], /frobnicate/],
    [
      'a secret file that is not there',
      {
        ...bare,
        PROXMOX_URL: 'https://127.0.0.1:8006',
        PROXMOX_TOKEN_ID: 'a@pve!b',
        PROXMOX_TOKEN_SECRET_FILE: '/nonexistent/secret',
      },
      [],
      /PROXMOX_TOKEN_SECRET_FILE/,
    ],
  ] as const)('%s: says what is wrong on standard error, and exits with 2', async (_what, env, args, says) => {
    const server = raw({ ...env }, args);
    const { code } = await server.end();
    expect(code).toBe(2);
    expect(server.stdout()).toBe('');
    expect(server.stderr()).toMatch(says);
  });
});
