import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoClusterSettings } from '../../src/demo/demo-settings.ts';
import { startDemoCluster } from '../../src/demo/start-demo-cluster.ts';
import type { DemoCluster, DemoRole } from '../../src/demo/types.ts';
import { settingsFor } from '../support/harness.ts';
import { authFile, bearer, callTool, openHttp, post, settingsForAll, type TestServer, type ToolAnswer } from '../support/http.ts';
import { cursorOf } from '../support/read-answer.ts';
import { steadyCursors } from '../support/steady-cursors.ts';

/** So many that what is under way and what is cached is constantly another identity's. */
const AT_ONCE = 200;

let demo: DemoCluster;
let server: TestServer;

beforeAll(async () => {
  demo = await startDemoCluster({ authDelayMs: 20 });
  server = await openHttp(settingsFor(demoClusterSettings(demo)), {
    noAuth: true,
    callerProxmoxToken: true,
    rateLimit: '100000',
    maxConcurrent: '1000',
  });
});
afterAll(async () => {
  await server.close();
  await demo.close();
});

function as(role: DemoRole, header = 'x-proxmox-token'): Record<string, string> {
  const { id, secret } = demo.token(role);
  return { [header]: `${id}=${secret}` };
}

/** What does not change from one second to the next. */
function steady(text: string): string {
  return steadyCursors(text).replace(/\d+(\.\d+)? (s|min|h|d)( ago)?|\d+(\.\d+)?%/g, '~');
}

describe("a caller's own Proxmox token", () => {
  it('decides what is seen', async () => {
    const [auditor, blind] = await Promise.all([
      callTool(server.url, 'list_guests', {}, as('auditor')),
      callTool(server.url, 'list_guests', {}, as('noacl')),
    ]);
    expect(auditor.text).toMatch(/^3\d guests/);
    expect(blind.text).toMatch(/^0 visible guests/);
    expect(blind.text).toContain('Hidden: guests: needs VM.Audit on /vms');
  });

  it(`never shows a row of another identity, ${AT_ONCE} calls at once`, async () => {
    const tools: [string, Record<string, unknown>][] = [
      ['list_guests', { limit: 20 }],
      ['list_storage', {}],
      ['list_pools', {}],
      ['get_guest_status', { vmid: 100 }],
      ['list_recent_tasks', { limit: 10, fields: ['upid'] }],
    ];
    const roles: DemoRole[] = ['auditor', 'noacl'];
    const expected = new Map<string, string>();
    for (const role of roles) {
      for (const [name, args] of tools)
        expected.set(`${role} ${name}`, steady((await callTool(server.url, name, args, as(role))).text));
    }
    const guests = expected.get('auditor list_guests')?.split('\n').slice(2, 10) ?? [];
    expect(guests).toHaveLength(8);
    const wrong: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: AT_ONCE }, async (_, i): Promise<[string, ToolAnswer]> => {
          const role = roles[i % 2] ?? 'noacl';
          const [name, args] = tools[Math.floor(i / 2) % tools.length] ?? ['', {}];
          return [`${role} ${name}`, await callTool(server.url, name, args, as(role))];
        }),
      );
      for (const [what, { status, text }] of answers) {
        if (status !== 200 || steady(text) !== expected.get(what)) wrong.push(`${what}: ${status} ${text.slice(0, 300)}`);
        if (what.startsWith('noacl') && guests.some((row) => text.includes(row.split('\t')[2] ?? '?')))
          wrong.push(`leaked: ${what}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('keeps its cursors to itself', async () => {
    const { text } = await callTool(server.url, 'list_guests', { limit: 5 }, as('auditor'));
    const cursor = cursorOf(text);
    expect(cursor).toBeDefined();
    for (const headers of [as('full'), as('noacl'), {}]) {
      const other = await callTool(server.url, 'list_guests', { limit: 5, cursor }, headers);
      // The server's own token is the auditor's: with it the same identity asks.
      expect(other.isError, other.text).toBe(Object.keys(headers).length > 0);
    }
  });

  it('is refused by Proxmox when it is wrong, and the answer tells so', async () => {
    const { id } = demo.token('auditor');
    const wrong = { 'x-proxmox-token': `${id}=00000000-0000-4000-8000-000000000000` };
    const answer = await callTool(server.url, 'list_guests', {}, wrong);
    expect(answer.text).toMatch(/^Error \(unauthenticated\)/);
  });

  it.each(['nonsense', 'root@pam=secret', 'a@pve!b=not-a-uuid', '=', 'a@pve!b'])('must look like one: %j', async (value) => {
    const response = await post(server.url, { jsonrpc: '2.0', id: 1, method: 'ping' }, { 'x-proxmox-token': value });
    expect(response.status).toBe(400);
    expect(response.text).not.toContain('secret"');
  });

  it('is in neither log nor answer, even when it is asked back', async () => {
    const { id, secret } = demo.token('full');
    const { text } = await callTool(server.url, 'search_inventory', { query: `${id}=${secret}` }, as('full'));
    expect(text).not.toContain(secret);
    await callTool(server.url, `tool_${secret}`, { note: secret }, as('full'));
    await server.close();
    const log = readFileSync(server.auditFile, 'utf8');
    expect(log).toContain(id);
    expect(log).toContain('"outcome":"unknown-tool"');
    for (const role of ['full', 'auditor', 'noacl'] as const) expect(log).not.toContain(demo.token(role).secret);
    expect(server.lines.join()).not.toContain(secret);
  });
});

describe('own tokens, required or for several clusters', () => {
  it('are required of a caller whose entry says so', async () => {
    const alice = bearer('alice');
    const strict = await openHttp(settingsFor(demoClusterSettings(demo)), {
      authFile: authFile([{ name: 'alice', sha256: alice.sha256, ownProxmoxToken: true }]),
      callerProxmoxToken: true,
    });
    const without = await callTool(strict.url, 'list_guests', {}, alice.headers);
    expect(without.text).toMatch(/^Error \(unauthenticated\).*\n.*X-Proxmox-Token/);
    expect((await callTool(strict.url, 'list_guests', {}, { ...alice.headers, ...as('auditor') })).isError).toBe(false);
    await strict.close();
  });

  it('go to the cluster they were sent for, and the server never steps in for the others', async () => {
    const other = await startDemoCluster({ authDelayMs: 20 });
    const both = await openHttp(
      settingsForAll([demoClusterSettings(demo, 'auditor', 'lab'), demoClusterSettings(other, 'auditor', 'prod')]),
      { noAuth: true, callerProxmoxToken: true },
    );
    expect((await post(both.url, { jsonrpc: '2.0', id: 1, method: 'ping' }, as('auditor'))).status).toBe(400);
    expect((await post(both.url, { jsonrpc: '2.0', id: 1, method: 'ping' }, as('auditor', 'x-proxmox-token-mars'))).status).toBe(
      400,
    );
    const before = other.requests.length;
    const { text } = await callTool(both.url, 'list_nodes', {}, as('auditor', 'x-proxmox-token-lab'));
    expect(text).toMatch(/^1 of 2 clusters answered: lab: 3 nodes/);
    expect(text).toMatch(/Problem: cluster prod \(unauthenticated\): No Proxmox token came with this request/);
    expect(other.requests.length).toBe(before);
    await both.close();
    await other.close();
  });
});
