import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { demoClusterSettings } from '../../src/demo/demo-settings.ts';
import { startDemoCluster } from '../../src/demo/start-demo-cluster.ts';
import type { DemoCluster } from '../../src/demo/types.ts';
import { catalog } from '../../src/tools/catalog.ts';
import { worldOf } from '../support/demo-world.ts';
import { authFile, bearer, callTool, openHttp, post, settingsForAll, type TestServer } from '../support/http.ts';

/** Two clusters; the caller may ask the first only. Of the other it must learn nothing, whatever door it tries. */
const OTHER = 'zweitwerk';
const limited = bearer('limited');
const own = bearer('own');

let here: DemoCluster;
let there: DemoCluster;
let server: TestServer;

beforeAll(async () => {
  [here, there] = await Promise.all([startDemoCluster({ authDelayMs: 20 }), startDemoCluster({ authDelayMs: 20 })]);
  for (const guest of worldOf(there).guests.values()) Object.assign(guest, { name: `${OTHER}-guest-${guest.vmid}` });
  const settings = settingsForAll([demoClusterSettings(here, 'auditor', 'lab'), demoClusterSettings(there, 'auditor', OTHER)], {
    toolsets: [...new Set(catalog.map((tool) => tool.toolset))],
  });
  server = await openHttp(settings, {
    authFile: authFile([
      { name: 'limited', sha256: limited.sha256, clusters: ['lab'] },
      { name: 'own', sha256: own.sha256, clusters: ['lab'], ownProxmoxToken: true },
    ]),
    callerProxmoxToken: true,
    rateLimit: '100000',
  });
});
afterAll(async () => {
  await server.close();
  await Promise.all([here.close(), there.close()]);
});

/** What an answer tells beyond the words of the question itself. */
function expectSilent(text: string, what: string): void {
  const told = text.replaceAll(`There is no cluster \\"${OTHER}\\"`, '').replaceAll(`There is no cluster "${OTHER}"`, '');
  expect(told, what).not.toContain(OTHER);
  expect(told, what).not.toContain(new URL(there.url).port);
}

const example: Record<string, unknown> = {
  node: 'pve1',
  vmid: 100,
  storage: 'local',
  query: 'web',
  scope: 'cluster',
  target: '10.0.0.1',
  path: '/vms',
};

describe('a caller who may ask one of two clusters', () => {
  it.each(catalog.map((tool) => [tool.name, tool] as const))('learns nothing of the other by %s', async (name, tool) => {
    const keys = Object.keys(tool.schema.shape).filter((key) => key in example);
    const args = Object.fromEntries(keys.map((key) => [key, example[key]]));
    for (const cluster of [
      undefined,
      OTHER,
      OTHER.toUpperCase(),
      ` ${OTHER} `,
      'all',
      ['lab', OTHER],
      [OTHER],
      { toString: OTHER },
    ]) {
      for (const given of [{}, args]) {
        const { text } = await callTool(
          server.url,
          name,
          { ...given, ...(cluster === undefined ? {} : { cluster }) },
          limited.headers,
        );
        expectSilent(text, `${name} ${JSON.stringify(cluster)}`);
      }
    }
    expect(there.requests).toEqual([]);
  });

  it.each<[string, object]>([
    ['initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } }],
    ['tools/list', {}],
    ['resources/list', {}],
    ['resources/templates/list', {}],
    ['resources/read', { uri: 'proxmox://cluster' }],
    ['resources/read', { uri: `proxmox://${OTHER}/guests/100` }],
    ['resources/read', { uri: 'proxmox://guests/100' }],
    ['prompts/list', {}],
    ['prompts/get', { name: 'daily_health', arguments: {} }],
    [
      'completion/complete',
      { ref: { type: 'ref/resource', uri: 'proxmox://guests/{vmid}' }, argument: { name: 'guest', value: '' } },
    ],
    [
      'completion/complete',
      { ref: { type: 'ref/resource', uri: 'proxmox://nodes/{node}' }, argument: { name: 'cluster', value: '' } },
    ],
    ['server/discover', {}],
  ])('learns nothing of the other by %s %j', async (method, params) => {
    const { text } = await post(server.url, { jsonrpc: '2.0', id: 1, method, params }, limited.headers);
    // A resource's own address stands in the error about it.
    expectSilent(text.replaceAll(`proxmox://${OTHER}/guests/100`, ''), `${method} ${text}`);
    expect(there.requests).toEqual([]);
  });

  it('cannot bring a token for the other, nor fish for its name with one', async () => {
    const { id, secret } = there.token('full');
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const answers = await Promise.all(
      [OTHER, 'mars'].map((name) =>
        post(server.url, ping, { ...limited.headers, [`x-proxmox-token-${name}`]: `${id}=${secret}` }),
      ),
    );
    expect(answers[0]?.status).toBe(400);
    expect(answers[0]?.text).toBe(answers[1]?.text);
    expect(there.requests).toEqual([]);
  });

  it('who must bring its own token gets nothing without it, by any door', async () => {
    const before = here.requests.length;
    for (const [method, params] of [
      ['tools/call', { name: 'list_guests', arguments: {} }],
      ['resources/list', {}],
      ['resources/read', { uri: 'proxmox://guests/100' }],
      [
        'completion/complete',
        { ref: { type: 'ref/resource', uri: 'proxmox://guests/{vmid}' }, argument: { name: 'guest', value: '' } },
      ],
    ] as const) {
      const { text } = await post(server.url, { jsonrpc: '2.0', id: 1, method, params }, own.headers);
      expect(text, method).not.toMatch(/web-01|db-primary/);
      expectSilent(text, method);
    }
    expect(here.requests.length).toBe(before);
  });

  it('has a log that names whom it was about', async () => {
    await callTool(server.url, 'list_guests', { cluster: OTHER, limit: 2 }, limited.headers);
    const lines = () => readFileSync(server.auditFile, 'utf8').trim().split('\n');
    // It is written a moment after the answer.
    await vi.waitFor(() =>
      expect(JSON.parse(lines().at(-1) ?? '')).toMatchObject({
        caller: 'limited',
        tool: 'list_guests',
        clusters: [],
        outcome: 'bad-argument',
      }),
    );
  });
});
