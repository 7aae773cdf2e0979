import { Agent } from 'node:https';
import { connect } from 'node:tls';
import { gunzipSync, inflateSync } from 'node:zlib';
import { Agent as UndiciAgent, request as undiciRequest } from 'undici';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { authorization, call, closeServers, NOW, startServer, tinyWorld } from './engine-fixture.ts';
import type { DemoServer } from './server.ts';

const server = await startServer();
afterAll(closeServers);

const PREFIX = '/api2/json';
const nodeAnswer = z.object({ data: z.object({ node: z.string() }) });
const get = (path: string, token?: string | null) => call(server, `${PREFIX}${path}`, token === undefined ? {} : { token });
const json = (answer: { text: string }): unknown => JSON.parse(answer.text);
const lastRequest = (of: DemoServer = server) => of.requests.at(-1);

/** Sends text over one TLS connection and gathers what comes back until the server closes. */
function raw(of: DemoServer, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(new URL(of.url).port), host: '127.0.0.1', ca: of.ca }, () => socket.write(text));
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
  });
}

describe('TLS', () => {
  test('the CA proves the server under localhost and 127.0.0.1, and no protocol is negotiated', async () => {
    for (const servername of ['localhost', 'pve1']) {
      const seen = await new Promise<{ authorized: boolean; alpn: string | false | null; fingerprint: string }>(
        (resolve, reject) => {
          const port = Number(new URL(server.url).port);
          const socket = connect(
            { port, host: '127.0.0.1', servername, ca: server.ca, ALPNProtocols: ['h2', 'http/1.1'] },
            () => {
              resolve({
                authorized: socket.authorized,
                alpn: socket.alpnProtocol,
                fingerprint: socket.getPeerX509Certificate()?.fingerprint256 ?? '',
              });
              socket.destroy();
            },
          );
          socket.on('error', reject);
        },
      );
      expect(seen).toEqual({ authorized: true, alpn: false, fingerprint: server.fingerprint });
    }
  });

  test('without the CA it is not trusted', async () => {
    const agent = new UndiciAgent();
    await expect(undiciRequest(`${server.url}${PREFIX}/version`, { dispatcher: agent })).rejects.toThrow(/certificate/);
    await agent.close();
  });
});

describe('headers', () => {
  test('a success carries the real ones in their order', async () => {
    const answer = await call(server, `${PREFIX}/version`, { agent: new Agent({ keepAlive: true, maxSockets: 1 }) });
    expect(answer).toMatchObject({ status: 200, reason: 'OK' });
    const date = new Date(NOW).toUTCString().slice(0, 16);
    expect(answer.rawHeaders.filter((_, index) => index % 2 === 0)).toEqual([
      'Cache-Control',
      'Connection',
      'Date',
      'Pragma',
      'Server',
      'Content-Length',
      'Content-Type',
      'Expires',
    ]);
    expect(answer.headers).toMatchObject({
      'cache-control': 'max-age=0',
      connection: 'Keep-Alive',
      pragma: 'no-cache',
      server: 'pve-api-daemon/3.0',
      'content-length': String(answer.body.length),
      'content-type': 'application/json;charset=UTF-8',
    });
    expect(answer.headers.date?.startsWith(date)).toBe(true);
  });

  test('an answer of the privileged daemon carries two Connection headers', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const answer = await call(server, `${PREFIX}/nodes/pve1/qemu`, { agent });
    expect(answer.status).toBe(200);
    const values = answer.rawHeaders.filter((_, index) => answer.rawHeaders[index - 1] === 'Connection');
    expect(values).toEqual(['close', 'Keep-Alive']);
  });

  test('compression only when asked for, and above 1024 bytes', async () => {
    const path = `${PREFIX}/cluster/resources`;
    const plain = await call(server, path);
    expect(plain.headers['content-encoding']).toBeUndefined();
    const gzip = await call(server, path, { headers: { 'accept-encoding': 'gzip' } });
    expect(gzip.headers).toMatchObject({ 'content-encoding': 'gzip', 'content-length': String(gzip.body.length) });
    expect(gunzipSync(gzip.body).toString()).toBe(plain.text);
    const deflate = await call(server, path, { headers: { 'accept-encoding': 'deflate, br' } });
    expect(inflateSync(deflate.body).toString()).toBe(plain.text);
    const small = await call(server, `${PREFIX}/version`, { headers: { 'accept-encoding': 'gzip' } });
    expect(small.headers['content-encoding']).toBeUndefined();
  });

  test('a stream is compressed without being asked, has no length and ends with the connection', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const answer = await call(server, `${PREFIX}/nodes/pve1/journal`, { agent, token: 'admin@pve!write' });
    expect(answer.headers).toMatchObject({ 'content-encoding': 'gzip', connection: 'close' });
    expect(answer.headers['content-length']).toBeUndefined();
    expect(answer.headers['transfer-encoding']).toBeUndefined();
    expect(JSON.parse(gunzipSync(answer.body).toString())).toEqual({ data: ['one line'] });
    expect((await call(server, `${PREFIX}/version`, { agent })).status).toBe(200);
  });
});

describe('authentication', () => {
  test.each([
    ['nothing', {}, 'No ticket'],
    ['another scheme', { authorization: 'Bearer x' }, 'No ticket'],
    ['a lower-case scheme', { authorization: authorization('mcp@pve!readonly').toLowerCase() }, 'No ticket'],
    ['a wrong secret', { authorization: 'PVEAPIToken=mcp@pve!readonly=nope' }, 'Authentication failed!'],
    ['a colon', { authorization: 'PVEAPIToken=mcp@pve!readonly:secret-of-readonly' }, 'Authentication failed!'],
    ['an unknown token', { authorization: authorization('mcp@pve!nope') }, 'Authentication failed!'],
    ['an unknown user', { authorization: authorization('ghost@pve!readonly') }, 'Authentication failed!'],
    ['an expired token', { authorization: authorization('mcp@pve!stale') }, 'Authentication failed!'],
    ['a disabled user', { authorization: authorization('bob@pve!script') }, 'Authentication failed!'],
    ['an expired user', { authorization: authorization('carol@pve!late') }, 'Authentication failed!'],
    [
      'a cookie beside the token',
      { authorization: authorization('mcp@pve!readonly'), cookie: 'PVEAuthCookie=PVE%3Ax' },
      'Authentication failed!',
    ],
  ])('%s is refused without a body', async (_, headers, reason) => {
    const answer = await call(server, `${PREFIX}/version`, { token: null, headers });
    expect(answer).toMatchObject({ status: 401, reason, text: '' });
    expect(answer.headers).toMatchObject({ connection: 'close' });
    expect(answer.headers).not.toHaveProperty('content-length');
    expect(answer.headers).not.toHaveProperty('content-type');
    expect(answer.headers).not.toHaveProperty('transfer-encoding');
  });

  test.each(['PVEAPIToken mcp@pve!readonly=secret-of-readonly', 'PVEAPIToken=mcp@pve!readonly=secret-of-readonly; x=1'])(
    'accepts %s',
    async (value) => {
      expect(await call(server, `${PREFIX}/version`, { token: null, headers: { authorization: value } })).toMatchObject({
        status: 200,
      });
    },
  );

  test('a refusal takes its time, a success does not', async () => {
    const slow = await startServer({ authDelayMs: 300 });
    const begin = performance.now();
    await call(slow, `${PREFIX}/version`);
    const between = performance.now();
    expect((await call(slow, `${PREFIX}/version`, { token: null })).status).toBe(401);
    expect(between - begin).toBeLessThan(250);
    expect(performance.now() - between).toBeGreaterThan(290);
  });

  test.each([
    ['mcp@pve!readonly', 'wrong', 'invalid token value!'],
    ['ghost@pve!x', 'x', "no such user ('ghost@pve')"],
    ['mcp@pve!stale', 'secret-of-stale', "token 'mcp@pve!stale' access expired"],
  ])('releases before 9 tell why: %s=%s', async (id, secret, reason) => {
    const old = await startServer({ release: '8.4' });
    const headers = { authorization: `PVEAPIToken=${id}=${secret}` };
    expect(await call(old, `${PREFIX}/version`, { token: null, headers })).toMatchObject({ status: 401, reason });
  });

  test('the realm list needs none', async () => {
    expect(await get('/access/domains', null)).toMatchObject({ status: 200 });
  });
});

describe('paths', () => {
  test.each([
    ['/nodes/', 200],
    ['//nodes//pve1//status', 200],
    ['/nodes%2Fpve1/status', 200],
    ['', 200],
    ['/', 200],
    ['/Nodes', 501],
    ['/nope', 501],
    ['/nodes/pve1/qemu/100/nope', 501],
  ])('%s gives %i', async (path, status) => {
    expect((await get(path)).status).toBe(status);
  });

  test('an unknown one says so, without a line end', async () => {
    expect(await get('/nope')).toMatchObject({
      status: 501,
      reason: "Method 'GET /nope' not implemented",
      text: `{"data":null,"message":"Method 'GET /nope' not implemented"}`,
    });
  });

  test('an endpoint that the release lacks is unknown', async () => {
    const old = await startServer({ release: '7.4' });
    const answer = await call(old, `${PREFIX}/cluster/ha/rules`);
    expect(answer).toMatchObject({ status: 501, text: '{"data":null}' });
  });

  test('the rest of the path is a volume, decoded', async () => {
    for (const volume of ['local:iso/x.iso', 'local:iso%2Fx.iso']) {
      expect(json(await get(`/nodes/pve1/storage/local/content/${volume}`))).toEqual({
        data: { node: 'pve1', storage: 'local', volume: 'local:iso/x.iso' },
      });
    }
  });

  test.each([
    ['/api2/xml/version', 501, 'no formatter for uri /version, xml'],
    ['/api2/version', 501, 'no formatter for uri /, version'],
    ['/api/version', 500, "no such file '/api/version'"],
    ['/api2/json/pools/a%0Ab', 501, 'no such uri'],
  ])('%s is answered in plain text without a type', async (path, status, reason) => {
    const answer = await call(server, path);
    expect(answer).toMatchObject({ status, reason });
    expect(answer.text.trim()).toBe(reason);
    expect(answer.headers).not.toHaveProperty('content-type');
  });

  test('outside the API there is HTML, without authentication', async () => {
    const answer = await call(server, '/', { token: null });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('text/html;charset=UTF-8');
  });

  test('the other representations answer as the real ones', async () => {
    expect((await call(server, '/api2/html/version')).text).toMatch(/^<!DOCTYPE html>/);
    expect(json(await call(server, '/api2/extjs/nodes?foo=bar'))).toEqual({
      data: null,
      message: 'Parameter verification failed.\n',
      status: '400',
      errors: { foo: 'property is not defined in schema and the schema does not allow additional properties' },
      success: 0,
    });
    expect(json(await call(server, '/api2/extjs/version'))).toMatchObject({ success: 1, data: { release: '9.2' } });
  });
});

describe('parameters', () => {
  test('an unknown one is refused with an errors map', async () => {
    const answer = await get('/nodes?foo=bar');
    expect(answer).toMatchObject({ status: 400, reason: 'Parameter verification failed.' });
    expect(json(answer)).toEqual({
      data: null,
      message: 'Parameter verification failed.\n',
      errors: { foo: 'property is not defined in schema and the schema does not allow additional properties' },
    });
  });

  test('query values are decoded; & and ; separate; broken encodings pass', async () => {
    expect(json(await get('/nodes/pve1/tasks?typefilter=a+b;errors=1&limit=2'))).toEqual({
      data: [{ typefilter: 'a b', errors: '1', limit: '2' }],
      total: 68,
    });
    for (const value of ['%zz', '%00', '%ff%fe', '%C3%A4'])
      expect((await get(`/nodes/pve1/tasks?userfilter=${value}`)).status).toBe(200);
  });

  test('a repeated key is an array', async () => {
    expect(json(await get('/nodes/pve1/tasks?limit=1&limit=2'))).toMatchObject({
      errors: { limit: "type check ('integer') failed - got ARRAY" },
    });
  });

  test('a query value that contradicts the path is refused before anything else, an equal one passes', async () => {
    const conflict = { errors: { vmid: 'duplicate parameter (already defined in URI) with conflicting values!' } };
    expect(json(await get('/nodes/pve1/qemu/100/config?vmid=101'))).toMatchObject(conflict);
    expect(json(await get('/nodes/pve1/qemu/100/config?vmid=101', 'mcp@pve!noacl'))).toMatchObject(conflict);
    expect((await get('/nodes/pve1/qemu/100/config?vmid=100')).status).toBe(200);
  });

  test('long URLs pass', async () => {
    expect((await get(`/nodes/pve1/tasks?userfilter=${'a'.repeat(70_000)}`)).status).toBe(200);
  });
});

describe('permissions', () => {
  test('are checked before existence and before the parameters', async () => {
    const refused = {
      status: 403,
      reason: 'Permission check failed (/vms/999, VM.Audit)',
      text: '{"data":null,"message":"Permission check failed (/vms/999, VM.Audit)\\n"}',
    };
    expect(await get('/nodes/pve1/qemu/999/config', 'mcp@pve!noacl')).toMatchObject(refused);
    expect(await get('/nodes/pve1/qemu/999/config?foo=1', 'mcp@pve!noacl')).toMatchObject(refused);
    expect(await get('/nodes/pve1/qemu/abc/config', 'mcp@pve!noacl')).toMatchObject({
      reason: 'Permission check failed (/vms/abc, VM.Audit)',
    });
    expect(json(await get('/nodes/pve1/qemu/abc/config'))).toMatchObject({
      errors: { vmid: "type check ('integer') failed - got 'abc'" },
    });
  });

  test('a path value that makes no ACL path', async () => {
    expect(await get('/nodes/bad_node!/status')).toMatchObject({ status: 403, reason: 'Permission check failed (, Sys.Audit)' });
    expect(await get('/pools/%C3%A4%E2%80%93x')).toMatchObject({ status: 403, reason: 'Permission check failed (, Pool.Audit)' });
  });

  test('endpoints for root itself refuse every token', async () => {
    for (const token of ['mcp@pve!readonly', 'root@pam!full']) {
      expect(await get('/cluster/backup-info', token)).toMatchObject({
        status: 403,
        reason: 'Permission check failed (user != root@pam)',
      });
    }
  });

  test('handlers see the rights of the caller', async () => {
    expect(json(await get('/nodes'))).toEqual({ data: [{ node: 'pve1', cpu: 0.1 }] });
    expect(json(await get('/nodes', 'mcp@pve!noacl'))).toEqual({ data: [{ node: 'pve1' }] });
  });

  test('a change of the ACL holds from the next request on', async () => {
    const world = tinyWorld();
    const own = await startServer({ world });
    const path = `${PREFIX}/nodes/pve1/status`;
    expect((await call(own, path)).status).toBe(200);
    world.acl.push({ path: '/nodes/pve1', type: 'token', ugid: 'mcp@pve!readonly', roleid: 'NoAccess', propagate: 1 });
    expect((await call(own, path)).status).toBe(403);
  });
});

describe('nodes', () => {
  test('an offline one is 595 with nothing but the status line, after the permission check', async () => {
    const answer = await get('/nodes/pve3/status');
    expect(answer).toMatchObject({ status: 595, reason: 'No route to host', text: '' });
    expect(answer.headers).toMatchObject({ connection: 'close' });
    expect(answer.headers).not.toHaveProperty('content-length');
    expect(await get('/nodes/pve3/status', 'mcp@pve!noacl')).toMatchObject({ status: 403 });
  });

  test.each(['nope', '..', '%2e%2e'])('an unknown one fails to resolve: %s', async (node) => {
    const name = decodeURIComponent(node);
    expect(await get(`/nodes/${node}/version`)).toMatchObject({
      status: 500,
      reason: `hostname lookup '${name}' failed - failed to get address info for: ${name}: Name or service not known`,
    });
  });

  test('names are case-sensitive', async () => {
    expect(await get('/nodes/PVE1/status')).toMatchObject({
      status: 500,
      reason: "address lookup for 'PVE1' did not find any IP address",
    });
  });

  test('what is not forwarded is answered here, for offline nodes too', async () => {
    expect(json(await get('/nodes/pve3/rrddata?timeframe=hour'))).toEqual({ data: [{ node: 'pve3', timeframe: 'hour' }] });
  });

  test('localhost is the local node, other online nodes answer for themselves', async () => {
    expect(json(await get('/nodes/localhost/status'))).toMatchObject({ data: { node: 'pve1' } });
    expect(json(await get('/nodes/pve2/status'))).toMatchObject({ data: { node: 'pve2', identity: 'mcp@pve!readonly' } });
  });
});

describe('errors of handlers', () => {
  test('reason is the first line, the message keeps all', async () => {
    const answer = await get('/cluster/status');
    expect(answer).toMatchObject({ status: 500, reason: 'first line' });
    expect(json(answer)).toEqual({ data: null, message: 'first line\nsecond line – ü\n' });
    expect(answer.headers.connection).toBe('close');
  });

  test('7.4 tells it in the reason only', async () => {
    const old = await startServer({ release: '7.4' });
    expect(await call(old, `${PREFIX}/nodes/pve1/qemu/999/config`)).toMatchObject({
      status: 500,
      reason: "Configuration file 'nodes/pve1/qemu-server/999.conf' does not exist",
      text: '{"data":null}',
    });
    expect(json(await call(old, `${PREFIX}/nodes?foo=1`))).toMatchObject({ data: null, errors: { foo: expect.any(String) } });
  });

  test('reasons are UTF-8 bytes', async () => {
    const answer = await get('/nodes/n%C3%B6pe/version');
    expect(Buffer.from(answer.reason, 'latin1').toString('utf8')).toContain("hostname lookup 'nöpe' failed");
  });

  test('a mistake in a handler is a 500 and is reported', async () => {
    const crashes: string[] = [];
    const own = await startServer({ onCrash: (error, path) => crashes.push(`${path}: ${String(error)}`) });
    expect((await call(own, `${PREFIX}/cluster/tasks`)).status).toBe(500);
    expect(crashes).toEqual(['/cluster/tasks: TypeError: a mistake']);
  });
});

describe('other methods', () => {
  test.each(['HEAD', 'OPTIONS', 'PATCH', 'TRACE'])('%s is not available, with or without a token', async (method) => {
    expect(await call(server, `${PREFIX}/version`, { method, token: null })).toMatchObject({
      status: 501,
      reason: `method '${method}' not available`,
      text: '',
    });
  });

  test('POST on a path for reading is unknown', async () => {
    expect(await call(server, `${PREFIX}/nodes`, { method: 'POST' })).toMatchObject({
      status: 501,
      reason: "Method 'POST /nodes' not implemented",
    });
    expect((await call(server, `${PREFIX}/nodes/pve1/qemu/100`, { method: 'DELETE' })).status).toBe(501);
  });

  test('a GET with a body is refused', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '7' };
    expect(await call(server, `${PREFIX}/version`, { headers, body: 'limit=1' })).toMatchObject({
      status: 501,
      text: "Unexpected content for method 'GET'",
    });
    expect(
      await call(server, `${PREFIX}/pools`, { method: 'POST', headers: { 'transfer-encoding': 'chunked' }, body: 'x=1' }),
    ).toMatchObject({
      status: 501,
    });
  });

  const writes = [
    ['PUT', '/access/acl', '/access, Permissions.Modify'],
    ['POST', '/pools', '/pool, Pool.Allocate'],
    ['POST', '/storage', '/storage, Datastore.Allocate'],
    ['POST', '/cluster/firewall/rules', '/, Sys.Modify'],
    ['POST', '/cluster/backup', '/, Sys.Modify'],
    ['POST', '/cluster/ha/resources', '/, Sys.Console'],
    ['POST', '/nodes/pve1/network', '/nodes/pve1, Sys.Modify'],
    ['POST', '/nodes/pve1/storage/local/content', '/storage/local, Datastore.AllocateSpace'],
    ['POST', '/nodes/pve1/qemu/100/snapshot', '/vms/100, VM.Snapshot'],
    ['POST', '/nodes/pve1/lxc/200/snapshot', '/vms/200, VM.Snapshot'],
  ] as const;

  test.each(writes)('%s %s: 403 for an auditor, 400 for who may', async (method, path, needs) => {
    const options = { method, headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'mcp-probe=1' };
    expect(await call(server, `${PREFIX}${path}`, options)).toMatchObject({
      status: 403,
      reason: `Permission check failed (${needs})`,
    });
    const allowed = await call(server, `${PREFIX}${path}`, { ...options, token: 'admin@pve!write' });
    expect(allowed.status).toBe(400);
    expect(json(allowed)).toMatchObject({ errors: { 'mcp-probe': expect.stringContaining('not defined in schema') } });
    expect(lastRequest()).toMatchObject({ method, path, token: 'admin@pve!write', status: 400 });
  });

  test('a complete write is refused as well, and nothing changes', async () => {
    const world = tinyWorld();
    const own = await startServer({ world });
    const before = JSON.stringify(world);
    const options = { method: 'PUT', token: 'admin@pve!write', body: 'path=/&roles=Administrator' };
    const answer = await call(own, `${PREFIX}/access/acl`, options);
    expect(answer.status).toBe(400);
    expect(Object.keys(JSON.parse(answer.text).errors)).toHaveLength(1);
    const body = JSON.stringify({ poolid: 'x' });
    expect(
      await call(own, `${PREFIX}/pools`, { method: 'POST', headers: { 'content-type': 'application/json' }, body }),
    ).toMatchObject({ reason: 'Permission check failed (/pool/x, Pool.Allocate)' });
    expect(JSON.stringify(world)).toBe(before);
  });
});

describe('connections', () => {
  test('one carries 100 requests', async () => {
    const own = await startServer();
    const request = `GET ${PREFIX}/version HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization('mcp@pve!readonly')}\r\n\r\n`;
    const received = await raw(own, request.repeat(150));
    expect(received.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(100);
    expect(received.match(/Connection: close/g)).toHaveLength(1);
    expect(own.requests).toHaveLength(100);
  });

  test('any error ends it', async () => {
    const request = (path: string) =>
      `GET ${PREFIX}${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization('mcp@pve!readonly')}\r\n\r\n`;
    const received = await raw(server, request('/version') + request('/nope') + request('/version'));
    expect(received.match(/HTTP\/1\.1 200/g)).toHaveLength(1);
    expect(received).toContain('501');
  });

  test('idle and silent ones are closed without a word', async () => {
    const own = await startServer({ idleTimeoutMs: 300 });
    const begin = performance.now();
    const received = await raw(
      own,
      `GET ${PREFIX}/version HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization('mcp@pve!readonly')}\r\n\r\n`,
    );
    expect(received.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(await raw(own, '')).toBe('');
    expect(performance.now() - begin).toBeGreaterThan(550);
    expect(performance.now() - begin).toBeLessThan(5000);
  });

  test('too long or too many headers are never answered', async () => {
    const own = await startServer({ idleTimeoutMs: 100 });
    const big = { 'x-big': 'y'.repeat(9000) };
    await expect(call(own, `${PREFIX}/version`, { headers: big })).rejects.toThrow(/hang up|ECONNRESET/);
    const many = Object.fromEntries(Array.from({ length: 70 }, (_, index) => [`x-${index}`, 'y']));
    await expect(call(own, `${PREFIX}/version`, { headers: many })).rejects.toThrow(/hang up|ECONNRESET/);
    const sixty = Object.fromEntries(Array.from({ length: 58 }, (_, index) => [`x-${index}`, 'y']));
    expect((await call(own, `${PREFIX}/version`, { headers: sixty })).status).toBe(200);
  });

  test('a pooled client gets thousands of answers', async () => {
    const own = await startServer();
    const agent = new UndiciAgent({ connect: { ca: own.ca }, connections: 8 });
    const headers = { authorization: authorization('mcp@pve!readonly') };
    const one = async () => {
      const answer = await undiciRequest(`${own.url}${PREFIX}/nodes/pve1/status`, { dispatcher: agent, headers });
      return nodeAnswer.parse(await answer.body.json()).data.node;
    };
    const nodes = await Promise.all(Array.from({ length: 2000 }, one));
    expect(new Set(nodes)).toEqual(new Set(['pve1']));
    expect(own.requests).toHaveLength(2000);
    await agent.close();
  });

  test('every answer can be delayed', async () => {
    const own = await startServer({ latencyMs: 200 });
    const begin = performance.now();
    await Promise.all([call(own, `${PREFIX}/version`), call(own, `${PREFIX}/nope`)]);
    expect(performance.now() - begin).toBeGreaterThan(195);
  });
});

test('every request is logged with its token, status and query', async () => {
  await get('/nodes/pve1/tasks?limit=2&errors=1');
  expect(lastRequest()).toMatchObject({
    method: 'GET',
    path: '/nodes/pve1/tasks',
    query: { limit: '2', errors: '1' },
    token: 'mcp@pve!readonly',
    status: 200,
  });
  await call(server, `${PREFIX}/version`, { method: 'PATCH', token: null });
  expect(lastRequest()).toMatchObject({ method: 'PATCH', path: '/version', token: undefined, status: 501 });
});

test('a closed server ends open requests', async () => {
  const own = await startServer();
  own.faults.add({ kind: 'hang', match: '/version' });
  const pending = call(own, `${PREFIX}/version`);
  const outcome = expect(pending).rejects.toThrow();
  await new Promise((resolve) => setTimeout(resolve, 100));
  await own.close();
  await outcome;
});
