import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoClusterSettings } from '../../src/demo/demo-settings.ts';
import { startDemoCluster } from '../../src/demo/start-demo-cluster.ts';
import type { DemoCluster } from '../../src/demo/types.ts';
import { openAuthFile } from '../../src/server/http/auth-file.ts';
import { settingsFor } from '../support/harness.ts';
import { authFile, bearer, callTool, openHttp, post, settingsForAll } from '../support/http.ts';

const alice = bearer('alice');
const bob = bearer('bob');
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

let demo: DemoCluster;
beforeAll(async () => {
  demo = await startDemoCluster({ authDelayMs: 20 });
});
afterAll(() => demo.close());

const settings = () => settingsFor(demoClusterSettings(demo));
const two = () => settingsForAll(['lab', 'prod'].map((name) => demoClusterSettings(demo, 'auditor', name)));

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 200; i += 1) {
    if (await condition()) return;
    await sleep(25);
  }
  throw new Error('it did not come to pass');
}

describe('the file of callers', () => {
  it('is read again when it changes, and only when all of it is right', async () => {
    const path = authFile([{ name: 'alice', sha256: alice.sha256 }]);
    const server = await openHttp(settings(), { authFile: path }, { pollMs: 30 });
    const statusOf = async (who: typeof alice) => (await post(server.url, ping, who.headers)).status;
    expect([await statusOf(alice), await statusOf(bob)]).toEqual([200, 401]);

    authFile([{ name: 'bob', sha256: bob.sha256 }], path);
    await until(async () => (await statusOf(bob)) === 200);
    expect(await statusOf(alice)).toBe(401);

    writeFileSync(path, '{"callers": [ {"name": "alice"');
    await until(() => server.lines.some((line) => line.includes('not taken over')));
    expect([await statusOf(alice), await statusOf(bob)]).toEqual([401, 200]);
    await server.close();
  });

  it('takes two tokens of one caller while one replaces the other', async () => {
    const path = authFile([{ name: 'alice', sha256: [alice.sha256, bob.sha256] }]);
    const server = await openHttp(settings(), { authFile: path });
    for (const { headers } of [alice, bob]) expect((await post(server.url, ping, headers)).status).toBe(200);
    await server.close();
  });

  it.each<[string, object[], RegExp]>([
    ['no hash', [{ name: 'a' }], /callers\[0\]\.sha256: is missing/],
    ['a token in place of the hash', [{ name: 'a', sha256: alice.token }], /64 hex digits/],
    [
      'the same name twice',
      [
        { name: 'a', sha256: alice.sha256 },
        { name: 'a', sha256: bob.sha256 },
      ],
      /is there twice/,
    ],
    [
      'the same token twice',
      [
        { name: 'a', sha256: alice.sha256 },
        { name: 'b', sha256: alice.sha256 },
      ],
      /is there twice/,
    ],
    [
      'an unknown cluster',
      [{ name: 'a', sha256: alice.sha256, clusters: ['mars'] }],
      /clusters: names a cluster that is not configured/,
    ],
    ['an unknown toolset', [{ name: 'a', sha256: alice.sha256, toolsets: ['gusts'] }], /toolsets/],
    ['an unknown key', [{ name: 'a', sha256: alice.sha256, expiry: '2030-01-01' }], /use only name, sha256/],
    ['no time', [{ name: 'a', sha256: alice.sha256, expires: 'soon' }], /expires: is not a time/],
    ['a time that each parser reads as it likes', [{ name: 'a', sha256: alice.sha256, expires: '31' }], /expires: is not a time/],
    ['a day of another order', [{ name: 'a', sha256: alice.sha256, expires: '31.01.2027' }], /expires: is not a time/],
    ['nobody', [], /callers/],
  ])('refuses to start with %s', (_what, callers, words) => {
    const open = () => openAuthFile({ path: authFile(callers), clusters: ['lab'], tokens: true, tell: () => {} });
    expect(open).toThrow(words);
    try {
      open();
    } catch (thrown) {
      expect(String(thrown)).not.toContain(alice.token);
    }
  });

  it.each([
    ['2027-01-31', '2027-01-31T00:00:00Z'],
    ['2027-01-31T12:30', '2027-01-31T12:30:00Z'],
    ['2027-01-31T12:30:00+02:00', '2027-01-31T10:30:00Z'],
  ])('reads %s as %s, wherever the server stands', (expires, meant) => {
    const file = openAuthFile({
      path: authFile([{ name: 'alice', sha256: alice.sha256, expires }]),
      clusters: ['lab'],
      tokens: true,
      tell: () => {},
    });
    expect(file.byName('alice')?.expiresAt).toBe(Date.parse(meant));
    file.close();
  });

  it('refuses to start without the file', async () => {
    await expect(openHttp(settings(), { authFile: '/nowhere/callers.json' })).rejects.toThrow(/--auth-file: .*does not exist/);
  });
});

describe('callers of several clusters', () => {
  it('are told the names of clusters only where all of them may know them', async () => {
    const all = await openHttp(two(), { authFile: authFile([{ name: 'alice', sha256: alice.sha256 }]) });
    const hello = (url: string) =>
      post(
        url,
        {
          ...list,
          method: 'initialize',
          params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
        },
        alice.headers,
      );
    expect((await hello(all.url)).text).toMatch(/Several clusters: .* needs its cluster/);
    expect((await post(all.url, list, alice.headers)).text).toMatch(/"enum":\["lab","prod","all"\]/);
    await all.close();

    const path = authFile([
      { name: 'alice', sha256: alice.sha256 },
      { name: 'bob', sha256: bob.sha256, clusters: ['prod'] },
    ]);
    const some = await openHttp(two(), { authFile: path });
    const [forAlice, forBob] = await Promise.all([alice, bob].map((who) => post(some.url, list, who.headers)));
    expect(forAlice?.text).toBe(forBob?.text);
    expect(/"lab"|"prod"/.exec(forBob?.text ?? '')).toBeNull();

    expect((await callTool(some.url, 'list_nodes', {}, alice.headers)).text).toMatch(/^2 clusters: lab: /);
    const own = await callTool(some.url, 'list_nodes', {}, bob.headers);
    expect(own).toMatchObject({ isError: false });
    expect(own.text).not.toContain('lab');
    const refused = await callTool(some.url, 'list_nodes', { cluster: 'lab' }, bob.headers);
    expect(refused.text).toMatch(/There is no cluster "lab" here. There is: prod/);
    expect((await callTool(some.url, 'get_guest', { vmid: 100, cluster: 'lab' }, bob.headers)).isError).toBe(true);
    expect((await callTool(some.url, 'get_guest', { vmid: 100 }, bob.headers)).isError).toBe(false);
    await some.close();
  });
});

describe('a proxy in front', () => {
  it('names the caller, if the connection comes from it', async () => {
    const server = await openHttp(settings(), { trustProxyHeader: 'X-Forwarded-User', noAuth: undefined });
    expect(await callTool(server.url, 'list_nodes', {}, { 'x-forwarded-user': 'carol@example.com' })).toMatchObject({
      isError: false,
    });
    expect((await post(server.url, ping)).status).toBe(401);
    // A proxy that appends instead of replacing makes two of them.
    expect((await post(server.url, ping, { 'x-forwarded-user': 'mallory, carol' })).status).toBe(401);
    await server.close();
    const log = readFileSync(server.auditFile, 'utf8').trim().split('\n');
    expect(JSON.parse(log[0] ?? '')).toMatchObject({ caller: 'carol@example.com', tool: 'list_nodes', outcome: 'ok' });
  });

  it('is believed at its own address only', async () => {
    const server = await openHttp(settings(), {
      trustProxyHeader: 'X-Forwarded-User',
      trustedProxy: ['10.9.8.7'],
      noAuth: undefined,
    });
    expect((await post(server.url, ping, { 'x-forwarded-user': 'carol' })).status).toBe(401);
    await server.close();
  });

  it('is limited by the file, which then knows everybody', async () => {
    const path = authFile([{ name: 'carol', toolsets: ['nodes'] }]);
    const server = await openHttp(settings(), { trustProxyHeader: 'X-Forwarded-User', authFile: path, noAuth: undefined });
    const as = (name: string) => ({ 'x-forwarded-user': name });
    expect((await post(server.url, ping, as('dave'))).status).toBe(401);
    expect((await callTool(server.url, 'list_nodes', {}, as('carol'))).isError).toBe(false);
    expect((await callTool(server.url, 'list_storage', {}, as('carol'))).text).toMatch(/forbidden/);
    await server.close();
  });
});
