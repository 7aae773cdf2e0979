import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoClusterSettings } from '../../src/demo/demo-settings.ts';
import { startDemoCluster } from '../../src/demo/start-demo-cluster.ts';
import type { DemoCluster } from '../../src/demo/types.ts';
import { settingsFor } from '../support/harness.ts';
import { authFile, bearer, callTool, openHttp, post, rpcOf, send, type TestServer } from '../support/http.ts';

const alice = bearer('alice');
const late = bearer('late');
const slow = bearer('slow');
const narrow = bearer('narrow');
const storage = bearer('storage');
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

let demo: DemoCluster;
let server: TestServer;

beforeAll(async () => {
  demo = await startDemoCluster({ authDelayMs: 20 });
  const path = authFile([
    { name: 'alice', sha256: alice.sha256 },
    { name: 'late', sha256: late.sha256, expires: '2020-01-01' },
    { name: 'slow', sha256: slow.sha256, ratePerMinute: 3 },
    { name: 'narrow', sha256: narrow.sha256, maxConcurrent: 1 },
    { name: 'storage', sha256: storage.sha256, toolsets: ['storage'] },
  ]);
  server = await openHttp(settingsFor(demoClusterSettings(demo)), { authFile: path, allowedOrigin: ['https://app.example.com'] });
});
afterAll(async () => {
  await server.close();
  await demo.close();
});

describe('the HTTP endpoint', () => {
  it('answers a caller with its token', async () => {
    const answer = await callTool(server.url, 'list_nodes', {}, alice.headers);
    expect(answer).toMatchObject({ status: 200, isError: false });
    expect(answer.text).toContain('pve1');
  });

  it.each<[string, Record<string, string>]>([
    ['no token', {}],
    ['an unknown token', { authorization: `Bearer mcpx_${'z'.repeat(48)}` }],
    ['a token that differs in its last character', { authorization: `${alice.headers['authorization']?.slice(0, -1)}u` }],
    ['the hash in place of the token', { authorization: `Bearer ${alice.sha256}` }],
    ['another scheme', { authorization: `Basic ${alice.token}` }],
    ['a token that is too short to be one', { authorization: 'Bearer secret' }],
    ['an expired token', late.headers],
  ])('refuses %s with 401', async (_what, headers) => {
    const response = await post(server.url, ping, headers);
    expect(response.status).toBe(401);
    expect(response.headers['www-authenticate']).toMatch(/^Bearer realm="mcp-proxmox"/);
    // Neither who is known nor what is configured.
    expect(response.text).not.toMatch(/alice|late|demo|pve/);
  });

  it('tells an expired token from an unknown one', async () => {
    expect((await post(server.url, ping, late.headers)).headers['www-authenticate']).toContain('expired');
  });

  it.each(['evil.example.com', '127.0.0.1.evil.example', 'localhost@evil.example'])(
    'refuses the Host %j with 403',
    async (host) => {
      expect((await post(server.url, ping, { ...alice.headers, host })).status).toBe(403);
    },
  );

  it.each([
    'https://evil.example.com',
    'null',
    'https://app.example.com.evil.example',
    'http://app.example.com',
    'file://',
    '127.0.0.1',
  ])('refuses the Origin %j with 403', async (origin) => {
    const response = await post(server.url, ping, { ...alice.headers, origin });
    expect(response.status).toBe(403);
    expect(response.headers['access-control-allow-origin']).toBeUndefined();
  });

  it.each(['https://app.example.com', 'http://localhost:6274', 'http://127.0.0.1:3000'])(
    'lets pages of %s ask',
    async (origin) => {
      const response = await post(server.url, ping, { ...alice.headers, origin });
      expect(response.status).toBe(200);
      expect(response.headers['access-control-allow-origin']).toBe(origin);
      const preflight = await send(server.url, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-headers': 'authorization, content-type' },
      });
      expect(preflight).toMatchObject({ status: 204 });
      expect(preflight.headers['access-control-allow-headers']).toBe('authorization, content-type');
    },
  );

  it('never takes a token from the address', async () => {
    for (const query of [`?token=${alice.token}`, `?access_token=${alice.token}`, '?x=1']) {
      const response = await post(server.url + query, ping, alice.headers);
      expect(response.status, query).toBe(400);
      expect(response.text).not.toContain(alice.token);
    }
  });

  it('refuses methods, types and bodies that are none', async () => {
    expect(await send(server.url, { headers: alice.headers })).toMatchObject({
      status: 405,
      headers: { allow: 'POST, OPTIONS' },
    });
    expect((await send(server.url, { method: 'DELETE', headers: alice.headers })).status).toBe(405);
    expect((await post(server.url, ping, { ...alice.headers, 'content-type': 'text/plain' })).status).toBe(415);
    const broken = await send(
      server.url,
      { method: 'POST', headers: { ...alice.headers, 'content-type': 'application/json' } },
      '{',
    );
    expect(broken.status).toBe(400);
    expect(rpcOf(broken).error?.code).toBe(-32_700);
    expect((await send(server.url.replace('/mcp', '/other'), { headers: alice.headers })).status).toBe(404);
  });

  it('refuses an oversized body, announced or not, and long headers', async () => {
    const headers = { ...alice.headers, 'content-type': 'application/json' };
    const huge = Buffer.alloc(1024 * 1024 + 1, 0x20);
    const announced = await send(
      server.url,
      { method: 'POST', headers: { ...headers, 'content-length': String(huge.length) } },
      huge,
    );
    expect(announced.status).toBe(413);
    const chunked = await send(server.url, { method: 'POST', headers: { ...headers, 'transfer-encoding': 'chunked' } }, huge);
    expect(chunked.status).toBe(413);
    const many = await send(server.url, { method: 'POST', headers: { ...headers, 'x-long': 'x'.repeat(20_000) } }, '{}');
    expect([400, 431]).toContain(many.status);
  });

  it('slows a caller down beyond its rate, and nobody else', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 5; i += 1) statuses.push((await post(server.url, ping, slow.headers)).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    const refused = await post(server.url, ping, slow.headers);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await post(server.url, ping, alice.headers)).status).toBe(200);
  });

  it('bounds what a caller asks at the same time, batches included', async () => {
    const off = demo.faults.add({ kind: 'slow', match: '/nodes/pve1/status', delayMs: 400 });
    const both = await Promise.all([0, 1].map(() => callTool(server.url, 'get_node_status', { node: 'pve1' }, narrow.headers)));
    off();
    expect(both.map((answer) => answer.status).sort()).toEqual([200, 429]);
    const batch = await post(server.url, [ping, { ...ping, id: 2 }], narrow.headers);
    expect(batch.status).toBe(400);
  });

  it('limits a caller at the call, with the same list of tools for all', async () => {
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const [all, limited] = await Promise.all([post(server.url, list, alice.headers), post(server.url, list, storage.headers)]);
    expect(limited.text).toBe(all.text);
    expect(await callTool(server.url, 'list_storage', {}, storage.headers)).toMatchObject({ isError: false });
    const refused = await callTool(server.url, 'list_guests', {}, storage.headers);
    expect(refused).toMatchObject({ status: 200, isError: true });
    expect(refused.text).toMatch(/^Error \(forbidden\)/);
    // Nor by another door.
    const read = await post(
      server.url,
      { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'proxmox://guests/100/config' } },
      storage.headers,
    );
    expect(rpcOf(read).error).toBeDefined();
    const complete = { ref: { type: 'ref/resource', uri: 'proxmox://guests/{vmid}' }, argument: { name: 'vmid', value: '' } };
    const guess = await post(
      server.url,
      { jsonrpc: '2.0', id: 1, method: 'completion/complete', params: complete },
      storage.headers,
    );
    expect(guess.text).toContain('"values":[]');
  });

  it('refuses Proxmox tokens of callers unless they are wanted', async () => {
    const { id, secret } = demo.token('full');
    const response = await post(server.url, ping, { ...alice.headers, 'x-proxmox-token': `${id}=${secret}` });
    expect(response.status).toBe(400);
    expect(response.text).not.toContain(secret);
  });

  it('is healthy for everyone and tells nobody anything', async () => {
    for (const [path, text] of [
      ['/healthz', 'ok\n'],
      ['/readyz', 'ready\n'],
    ] as const) {
      const response = await send(server.url.replace('/mcp', path), { headers: { host: '10.1.2.3' } });
      expect(response).toMatchObject({ status: 200, text });
    }
  });
});
