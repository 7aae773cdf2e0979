import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoClusterSettings } from '../../src/demo/demo-settings.ts';
import { startDemoCluster } from '../../src/demo/start-demo-cluster.ts';
import type { DemoCluster } from '../../src/demo/types.ts';
import { settingsFor } from '../support/harness.ts';
import { callTool, openHttp, post, send } from '../support/http.ts';

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

let demo: DemoCluster;
beforeAll(async () => {
  demo = await startDemoCluster({ authDelayMs: 20 });
});
afterAll(() => demo.close());

const settings = () => settingsFor(demoClusterSettings(demo));

describe('both protocol eras', () => {
  it.each([
    ['2025', 'legacy'],
    ['2026-07-28', { pin: '2026-07-28' }],
  ] as const)('of %s are served without a session', async (_era, mode) => {
    const [one, two] = await Promise.all([openHttp(settings()), openHttp(settings())]);
    // A load balancer may send each request of a client to another instance.
    let turn = 0;
    const balanced: typeof fetch = (input, init) => {
      turn += 1;
      const url = String(input instanceof Request ? input.url : input);
      return fetch(turn % 2 === 0 ? url : url.replace(one.url, two.url), init);
    };
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL(one.url), { fetch: balanced }));
    const { tools } = await client.listTools();
    expect(tools.length).toBeGreaterThan(10);
    for (let i = 0; i < 4; i += 1) {
      const result = await client.callTool({ name: 'list_nodes', arguments: {} });
      expect(JSON.stringify(result.content)).toContain('pve1');
    }
    const { resources } = await client.listResources();
    expect(resources.length).toBeGreaterThan(1);
    expect(turn).toBeGreaterThan(6);
    await client.close();
    await Promise.all([one.close(), two.close()]);
  });

  it.each(['legacy', { pin: '2026-07-28' }] as const)(
    'tell how far a long call is, and stop it when it is cancelled (%j)',
    async (mode) => {
      const slow = await startDemoCluster({ authDelayMs: 20, latencyMs: 150 });
      const server = await openHttp(settingsFor(demoClusterSettings(slow)), { noAuth: true, metrics: '127.0.0.1:0' });
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
      const deep = { name: 'search_inventory', arguments: { query: 'BC:24:11', deep: true } };
      const progress: number[] = [];
      const result = await client.callTool(deep, { onprogress: (step) => progress.push(step.progress) });
      expect(result.isError ?? false).toBe(false);
      expect(progress.length).toBeGreaterThan(0);
      expect(progress).toEqual([...progress].sort((a, b) => a - b));

      const before = slow.requests.length;
      const abort = new AbortController();
      const cancelled = client.callTool({ ...deep, arguments: { query: 'BC:24:12', deep: true } }, { signal: abort.signal });
      cancelled.catch(() => undefined);
      await sleep(400);
      // Without a session a cancellation of the 2025 era cannot be matched with its call: there the client must leave.
      if (mode === 'legacy') await client.close();
      else abort.abort();
      await expect(cancelled).rejects.toThrow();
      await sleep(800);
      const sent = slow.requests.length - before;
      await sleep(500);
      // Nothing goes on upstream for nobody.
      expect(slow.requests.length - before).toBe(sent);
      expect(sent).toBeLessThan(30);
      await client.close();
      await server.close();
      await slow.close();
    },
  );

  it('answer privately: nothing may be kept for another caller', async () => {
    const server = await openHttp(settings());
    const envelope = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    };
    for (const method of ['tools/list', 'resources/list', 'prompts/list']) {
      const response = await post(
        server.url,
        { jsonrpc: '2.0', id: 1, method, params: { _meta: envelope } },
        { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method },
      );
      expect(response.status, response.text).toBe(200);
      expect(JSON.parse(response.text).result.cacheScope, method).toBe('private');
    }
    await server.close();
  });
});

describe('an orderly end', () => {
  it('lets calls under way finish and takes no more', async () => {
    const server = await openHttp(settings());
    const off = demo.faults.add({ kind: 'slow', match: '/nodes/pve1/status', delayMs: 700 });
    const call = callTool(server.url, 'get_node_status', { node: 'pve1' });
    await sleep(300);
    const closing = server.close();
    const ready = await send(server.url.replace('/mcp', '/readyz')).catch(() => undefined);
    // A kept connection is told; a new one finds nobody.
    expect(ready === undefined || ready.status === 503).toBe(true);
    expect(await call).toMatchObject({ status: 200, isError: false });
    await closing;
    off();
    await expect(send(server.url)).rejects.toThrow();
  });

  it('is bounded', async () => {
    const server = await openHttp(settings(), { noAuth: true }, { drainMs: 200 });
    const off = demo.faults.add({ kind: 'hang', match: '/nodes/pve1/status' });
    const call = callTool(server.url, 'get_node_status', { node: 'pve1' }).catch(() => 'cut');
    await sleep(200);
    await server.close();
    expect(await call).toBe('cut');
    off();
  });

  it('ends a call whose client has left', async () => {
    const server = await openHttp(settings(), { noAuth: true, metrics: '127.0.0.1:0' });
    const off = demo.faults.add({ kind: 'hang', match: '/nodes/pve1/status' });
    const abort = new AbortController();
    const call = post(
      server.url,
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_node_status', arguments: { node: 'pve1' } } },
      {},
      { signal: abort.signal },
    );
    call.catch(() => undefined);
    await sleep(300);
    abort.abort();
    await sleep(200);
    off();
    const metrics = await send(server.metricsUrl ?? '');
    expect(metrics.text).toMatch(/^mcp_proxmox_http_in_flight 0$/m);
    expect(metrics.text).toMatch(/mcp_proxmox_calls_total\{tool="get_node_status",outcome="cancelled"\} 1/);
    await server.close();
  });
});

describe('the audit log', () => {
  it('has a line for each call, with what it cost and how it ended', async () => {
    const server = await openHttp(settings());
    await callTool(server.url, 'list_guests', { limit: 3 });
    await callTool(server.url, 'get_guest', { vmid: 999_999 });
    await post(server.url, { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'proxmox://guests/100' } });
    await callTool(server.url, 'no_such_tool', { password: 'hunter2hunter2', text: 'x'.repeat(5_000) });
    await server.close();
    const lines = readFileSync(server.auditFile, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      {
        caller: 'anonymous',
        tool: 'list_guests',
        args: { limit: 3 },
        clusters: ['demo'],
        as: ['mcp@pve!auditor'],
        outcome: 'ok',
      },
      { tool: 'get_guest', args: { vmid: 999_999 }, outcome: 'not-found' },
      { tool: 'get_guest', args: { vmid: '100' }, clusters: ['demo'], outcome: 'ok' },
      { tool: 'no_such_tool', outcome: 'unknown-tool' },
    ]);
    expect(lines[0].requests).toBeGreaterThan(0);
    expect(lines[0].ms).toBeGreaterThanOrEqual(0);
    expect(lines[3].args.text).toHaveLength(200);
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  });

  it('has short lines, whatever is sent', async () => {
    const server = await openHttp(settings());
    const wide = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`${'k'.repeat(190)}${i}`, 'v'.repeat(190)]));
    const note = Array.from({ length: 30 }, () => [wide, wide]);
    await callTool(server.url, 'list_nodes', { note });
    await server.close();
    const log = readFileSync(server.auditFile, 'utf8');
    expect(JSON.parse(log)).toMatchObject({ tool: 'list_nodes', outcome: 'bad-argument' });
    expect(log.length).toBeLessThan(64 * 1024);
  });

  it('must be writable', async () => {
    await expect(openHttp(settings(), { noAuth: true, auditLog: '/nowhere/audit.log' })).rejects.toThrow(
      /--audit-log: cannot be used \(ENOENT\)/,
    );
  });
});

describe('metrics', () => {
  it('are on a port of their own, for this machine', async () => {
    const server = await openHttp(settings(), { noAuth: true, metrics: '127.0.0.1:0' });
    await callTool(server.url, 'list_nodes');
    await send(`${server.url}?token=x`, { method: 'POST' });
    const { status, text } = await send(server.metricsUrl ?? '');
    expect(status).toBe(200);
    expect(text).toMatch(/^mcp_proxmox_calls_total\{tool="list_nodes",outcome="ok"\} 1$/m);
    expect(text).toMatch(/^mcp_proxmox_call_duration_seconds_count\{tool="list_nodes"\} 1$/m);
    expect(text).toMatch(/^mcp_proxmox_http_refused_total\{reason="query"\} 1$/m);
    expect((await send(server.metricsUrl ?? '', { headers: { host: 'evil.example.com' } })).status).toBe(403);
    expect((await send(server.url.replace('/mcp', '/metrics'))).status).toBe(404);
    await server.close();
  });
});

describe('TLS', () => {
  it('serves with a certificate and refuses files that are none', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mcp-tls-'));
    const made = await generate([{ name: 'commonName', value: 'localhost' }], { keySize: 2048 });
    const [tlsCert, tlsKey] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    writeFileSync(tlsCert, made.cert);
    writeFileSync(tlsKey, made.private);
    const server = await openHttp(settings(), { noAuth: true, tlsCert, tlsKey });
    expect(server.url).toMatch(/^https:/);
    expect((await post(server.url, ping, {}, { ca: made.cert, servername: 'localhost' } as object)).status).toBe(200);
    await server.close();
    await expect(openHttp(settings(), { noAuth: true, tlsCert, tlsKey: tlsCert })).rejects.toThrow(/--tls-cert: cannot be used/);
  });
});

describe('an address that is taken', () => {
  it('is told as what it is', async () => {
    const server = await openHttp(settings());
    const { host } = new URL(server.url);
    await expect(openHttp(settings(), { noAuth: true, http: host })).rejects.toThrow(/--http: cannot be used \(EADDRINUSE\)/);
    await server.close();
  });
});
