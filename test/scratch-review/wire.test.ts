import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as tcp } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createCall } from '../../src/api/call.ts';
import { createLink } from '../../src/api/link.ts';
import { createSession } from '../../src/api/session.ts';
import { Secret } from '../../src/redact/secret.ts';

type H = (req: IncomingMessage, res: ServerResponse, n: number) => void;
async function server(h: H) {
  let n = 0; const seen: string[] = [];
  const s = createServer((req, res) => { seen.push(req.url ?? ''); h(req, res, n++); });
  await new Promise<void>((r) => s.listen(0, '127.0.0.1', r));
  const port = (s.address() as any).port;
  return { url: `http://127.0.0.1:${port}`, seen, close: () => { s.closeAllConnections(); s.close(); } };
}
const cs = (urls: string[], timeoutMs = 10_000, tls: any = { verify: true, caPem: undefined, fingerprints: [], servername: undefined }) => ({ name: 'c', urls, tokenId: 'a@pve!t', tokenSecret: new Secret('x'.repeat(12)), tls, timeoutMs, toolsets: undefined }) as any;
const ok = (res: ServerResponse, data: unknown) => { res.setHeader('content-type', 'application/json'); res.end(JSON.stringify({ data })); };
const err = (e: any) => `${e.kind}: ${e.message} | ${e.hint ?? ''}`;

test('poison: short deadline caller does not fail the long one', async () => {
  const s = await server((_q, r) => setTimeout(() => ok(r, []), 900));
  const link = createLink(cs([s.url])); const session = createSession(link, 'a@pve!t', 'sec');
  const a = createCall(session, { budgetMs: 300 }); const b = createCall(session, { budgetMs: 20_000 });
  const ra = a.get('/cluster/resources', {}).then(() => 'ok', err);
  await new Promise((r) => setTimeout(r, 50));
  const rb = b.get('/cluster/resources', {}).then(() => 'ok', err);
  console.error('A', await ra, 'B', await rb, s.seen);
  await link.close(); s.close();
});
test('aborted caller sends nothing', async () => {
  const s = await server((_q, r) => setTimeout(() => ok(r, []), 200));
  const link = createLink(cs([s.url])); const session = createSession(link, 'a@pve!t', 'sec');
  const c = new AbortController(); c.abort();
  const a = createCall(session, { signal: c.signal });
  console.error(await a.get('/cluster/resources', {}).then(() => 'ok', err));
  await new Promise((r) => setTimeout(r, 100));
  console.error('sent by aborted', s.seen);
  await link.close(); s.close();
});
test('https to plain http', async () => {
  const s = await server((_q, r) => ok(r, []));
  const link = createLink(cs([s.url.replace('http', 'https')])); const session = createSession(link, 'a@pve!t', 'sec');
  console.error('EPROTO', await createCall(session).get('/version', {}).then(() => 'ok', err));
  await link.close(); s.close();
});
test('connect stall: second call', async () => {
  // accepts TCP, never speaks TLS
  const t = tcp((sock) => { sock.on('error', () => 0); });
  await new Promise<void>((r) => t.listen(0, '127.0.0.1', r));
  const link = createLink(cs([`https://127.0.0.1:${(t.address() as any).port}`], 10_000)); const session = createSession(link, 'a@pve!t', 'sec');
  for (let i = 0; i < 3; i++) { const t0 = performance.now(); console.error('stall', i, await createCall(session).get('/version', {}).then(() => 'ok', err), Math.round(performance.now() - t0)); }
  // short timeout: node request
  const link2 = createLink(cs([`https://127.0.0.1:${(t.address() as any).port}`], 2_000)); const s2 = createSession(link2, 'a@pve!t', 'sec');
  { const t0 = performance.now(); console.error('stall short', await createCall(s2).get('/nodes/{node}/status', { node: 'pve2' }).then(() => 'ok', err), Math.round(performance.now() - t0)); }
  await link.close(); await link2.close(); t.close();
}, 60_000);
test('gzip bomb, big, odd encodings', async () => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20));
  const s = await server((q, r) => {
    if (q.url!.includes('resources')) { r.setHeader('content-encoding', 'gzip'); return void r.end(bomb); }
    if (q.url!.includes('status')) { r.setHeader('content-encoding', 'br'); return void r.end('abc'); }
    if (q.url!.includes('tasks')) { r.writeHead(200, 'OK', { 'content-encoding': 'x-gzip' }); return void r.end(gzipSync(JSON.stringify({ data: [] }))); }
    if (q.url!.includes('options')) { r.writeHead(204); return void r.end(); }
    if (q.url!.includes('version')) { r.writeHead(301, { location: 'http://127.0.0.1:1/' }); return void r.end(); }
    if (q.url!.includes('storage')) { r.writeHead(200, { 'x-big': 'a'.repeat(60_000) }); return void r.end('{}'); }
    if (q.url!.includes('domains')) { r.writeHead(502, 'Bad Gateway'); return void r.end('<html>nginx</html>'); }
    if (q.url!.includes('roles')) { r.writeHead(200); return void r.end('{"data":null}'); }
    if (q.url!.includes('groups')) { r.writeHead(200, { 'content-length': '100' }); r.write('{"data"'); return void setTimeout(() => r.destroy(), 20); }
    ok(r, []);
  });
  const link = createLink(cs([s.url], 3000)); const session = createSession(link, 'a@pve!t', 'sec');
  const c = () => createCall(session);
  console.error('bomb', await c().get('/cluster/resources', {}).then(() => 'ok', err));
  console.error('br', await c().get('/cluster/status', {}).then(() => 'ok', err));
  console.error('xgzip', await c().get('/cluster/tasks', {}).then(() => 'ok', err));
  console.error('204', await c().get('/cluster/options', {}).then(() => 'ok', err));
  console.error('301', await c().get('/version', {}).then(() => 'ok', err));
  console.error('bighdr', await c().get('/storage', {}).then(() => 'ok', err));
  console.error('502', await c().get('/access/domains', {}).then(() => 'ok', err));
  console.error('null', JSON.stringify(await c().get('/access/roles', {}).catch(err)));
  console.error('cut', await c().get('/access/groups', {}).then(() => 'ok', err), s.seen.filter((x) => x.includes('groups')).length);
  console.error('surrogate', await c().get('/nodes/{node}/syslog', { node: 'pve1' }, { service: '\ud800' }).then(() => 'ok', err));
  await link.close(); s.close();
});
test('401 storm', async () => {
  const s = await server((_q, r) => setTimeout(() => { r.writeHead(401, 'Authentication failed!'); r.end(); }, 300));
  const link = createLink(cs([s.url])); const session = createSession(link, 'a@pve!t', 'sec');
  const t0 = performance.now();
  await Promise.all(Array.from({ length: 40 }, (_, i) => createCall(session).get('/nodes/{node}/qemu/{vmid}/config', { node: `pve${i % 4}`, vmid: 100 + i }).catch(() => 0)));
  console.error('401 requests', s.seen.length, Math.round(performance.now() - t0));
  await createCall(session).get('/version', {}).catch(() => 0);
  console.error('401 requests after', s.seen.length);
  await link.close(); s.close();
});
test('release known forever', async () => {
  let v = '8.4.1'; let clock = 0;
  const s = await server((q, r) => ok(r, q.url!.includes('version') ? { version: v } : []));
  const link = createLink(cs([s.url])); const session = createSession(link, 'a@pve!t', 'sec');
  console.error(await createCall(session).get('/cluster/ha/rules', {}).then(() => 'ok', err));
  v = '9.1.0'; session.forget();
  console.error(await createCall(session).get('/cluster/ha/rules', {}).then(() => 'ok', err));
  await link.close(); s.close();
});
