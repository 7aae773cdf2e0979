import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoClusterSettings } from '../../src/demo/demo-settings.ts';
import { startDemoCluster } from '../../src/demo/start-demo-cluster.ts';
import type { DemoCluster } from '../../src/demo/types.ts';
import { settingsFor } from '../support/harness.ts';
import { authFile, bearer, callTool, openHttp, post, rpcOf, send, type TestServer } from '../support/http.ts';

/** What only somebody means to send who means harm. */
const alice = bearer('alice');
const bob = bearer('bob');
const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
/** How long the embedded cluster thinks about a wrong token. */
const AUTH_DELAY_MS = 700;

let demo: DemoCluster;
let server: TestServer;

beforeAll(async () => {
  demo = await startDemoCluster({ authDelayMs: AUTH_DELAY_MS });
  server = await openHttp(settingsFor(demoClusterSettings(demo)), {
    authFile: authFile([
      { name: 'alice', sha256: alice.sha256, maxConcurrent: 16 },
      { name: 'bob', sha256: bob.sha256, maxConcurrent: 2 },
    ]),
    callerProxmoxToken: true,
    metrics: '127.0.0.1:0',
  });
});
afterAll(async () => {
  await server.close();
  await demo.close();
});

async function open(): Promise<Socket> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
}

/** A request as bytes, with headers in this order and as often as they stand there. */
function bytes(headers: readonly string[], body = ping, length = Buffer.byteLength(body)): string {
  const accept = 'Accept: application/json, text/event-stream';
  return `POST /mcp HTTP/1.1\r\n${[...headers, accept, `Content-Length: ${length}`].join('\r\n')}\r\n\r\n${body}`;
}

/** Status of the first answer to these bytes. */
async function statusOf(text: string): Promise<number> {
  const socket = await open();
  const answer = new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(chunk.toString('latin1'))));
  socket.write(text);
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(await answer)?.[1]);
  socket.destroy();
  return status;
}

async function inFlight(): Promise<number> {
  const { text } = await send(server.metricsUrl ?? '');
  return Number(/^mcp_proxmox_http_in_flight (\d+)$/m.exec(text)?.[1]);
}

const HOST = 'Host: localhost';
const TYPE = 'Content-Type: application/json';
const ALICE = `Authorization: ${alice.headers['authorization']}`;

describe('a header that stands there twice', () => {
  it.each<[string, string[]]>([
    ['Authorization', [HOST, TYPE, ALICE, 'Authorization: Bearer other']],
    ['Host', [HOST, 'Host: evil.example.com', TYPE, ALICE]],
    ['Origin', [HOST, TYPE, ALICE, 'Origin: http://localhost', 'Origin: https://evil.example.com']],
    ['Content-Type', [HOST, TYPE, 'Content-Type: text/plain', ALICE]],
  ])('is refused: %s', async (_name, headers) => {
    expect(await statusOf(bytes(headers))).toBe(400);
  });

  it('never names a caller, not even where Node would take the first of them', async () => {
    for (const header of ['X-Forwarded-User', 'From']) {
      const behind = await openHttp(settingsFor(demoClusterSettings(demo)), { noAuth: undefined, trustProxyHeader: header });
      const { hostname, port } = new URL(behind.url);
      const socket = connect(Number(port), hostname);
      const answer = new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(chunk.toString('latin1'))));
      socket.write(bytes([HOST, TYPE, `${header}: mallory`, `${header}: carol`]));
      expect(await answer, header).toMatch(/^HTTP\/1\.1 401/);
      socket.destroy();
      expect((await post(behind.url, JSON.parse(ping), { [header.toLowerCase()]: 'carol' })).status, header).toBe(200);
      await behind.close();
    }
  });
});

describe('a body', () => {
  const call = (args: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_guests","arguments":${args}}}`;
  const nested = (levels: number, open: string, close: string) => `${open.repeat(levels)}1${close.repeat(levels)}`;
  const sendBody = (body: string) =>
    send(server.url, { method: 'POST', headers: { ...alice.headers, 'content-type': 'application/json' } }, body);

  it.each([
    ['lists', nested(200_000, '[', ']')],
    ['objects', nested(100_000, '{"a":', '}')],
    ['an argument', call(`{"query":${nested(200_000, '[', ']')}}`)],
    ['metadata', `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":${nested(100_000, '{"a":', '}')}}}`],
    ['never closed', '['.repeat(500_000)],
  ])('that is nested without end is refused: %s', async (_what, body) => {
    const response = await sendBody(body);
    expect(response.status).toBe(400);
    expect(rpcOf(response).error?.code).toBe(-32_600);
    expect(server.lines.join()).not.toContain('call stack');
  });

  it('may hold any number of brackets in its texts', async () => {
    const response = await post(server.url, JSON.parse(call(JSON.stringify({ query: '[{"\\'.repeat(40) }))), alice.headers);
    expect(response.status).toBe(200);
    expect(rpcOf(response).result?.isError ?? false).toBe(false);
  });

  it.each(['__proto__', 'constructor', 'prototype'])('gets nothing by the key %s', async (key) => {
    const response = await post(server.url, JSON.parse(call(`{"${key}":{"limit":1,"vmid":100}}`)), alice.headers);
    // Refused as unknown, or (by the protocol's own reader) not there at all.
    expect(rpcOf(response).result?.content?.[0]?.text).toMatch(/^Error \(bad-argument\)|^35 guests: [^(]+ \(node offline\)\n/);
    expect(Object.hasOwn(Object.prototype, 'limit')).toBe(false);
  });

  it('counts as a request of its caller from its first byte', async () => {
    const slow = await Promise.all([open(), open()]);
    for (const socket of slow) {
      socket.write(bytes([HOST, TYPE, `Authorization: ${bob.headers['authorization']}`], '{', 1_000));
    }
    await sleep(200);
    expect((await post(server.url, JSON.parse(ping), bob.headers)).status).toBe(429);
    for (const socket of slow) socket.destroy();
    await sleep(200);
    expect((await post(server.url, JSON.parse(ping), bob.headers)).status).toBe(200);
    expect(await inFlight()).toBe(0);
  });

  it('in a thousand times a thousand pieces is refused', async () => {
    const socket = await open();
    const answer = new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(chunk.toString('latin1'))));
    socket.write(`POST /mcp HTTP/1.1\r\n${[HOST, TYPE, ALICE, 'Transfer-Encoding: chunked'].join('\r\n')}\r\n\r\n`);
    socket.write('1\r\n \r\n'.repeat(20_000));
    expect(await answer).toMatch(/^HTTP\/1\.1 413/);
    socket.destroy();
  });
});

describe('requests that wait behind another on their connection', () => {
  it('are over with it, upstream included', async () => {
    const off = demo.faults.add({ kind: 'hang', match: '/nodes/pve1/status' });
    const status = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'get_node_status', arguments: { node: 'pve1' } },
    });
    const socket = await open();
    socket.write(bytes([HOST, TYPE, ALICE], status).repeat(12));
    await sleep(500);
    expect(await inFlight()).toBe(12);
    socket.destroy();
    await sleep(300);
    expect(await inFlight()).toBe(0);
    off();
    // None of its places is taken for ever.
    const all = Array.from({ length: 16 }, () => callTool(server.url, 'list_nodes', {}, alice.headers));
    expect(new Set((await Promise.all(all)).map((answer) => answer.status))).toEqual(new Set([200]));
  });
});

describe('wrong Proxmox tokens, one after the other', () => {
  const wrong = (i: number) => ({
    'x-proxmox-token': `mallory@pve!guess=00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
  });

  it('keep nobody else out: neither the configured token nor a new one of another caller', async () => {
    await callTool(server.url, 'list_nodes', {}, alice.headers);
    // What was read before is forgotten after two seconds.
    await sleep(2_200);
    const guesses = Array.from({ length: 14 }, (_, i) =>
      callTool(server.url, 'list_nodes', {}, { ...alice.headers, ...wrong(i) }),
    );
    await sleep(100);
    const { id, secret } = demo.token('full');
    const started = performance.now();
    const others = await Promise.all([
      callTool(server.url, 'list_nodes', {}, bob.headers),
      callTool(server.url, 'list_nodes', {}, { ...bob.headers, 'x-proxmox-token': `${id}=${secret}` }),
    ]);
    expect(performance.now() - started).toBeLessThan(AUTH_DELAY_MS);
    for (const answer of others) expect(answer, answer.text).toMatchObject({ status: 200, isError: false });
    for (const guess of await Promise.all(guesses)) expect(guess.text).toMatch(/^Error \(unauthenticated\)/);
  });
});
