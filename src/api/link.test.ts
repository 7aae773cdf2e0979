import { createServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { clusterAt, openSmallServer } from '../../test/support/small-server.ts';
import { createCall } from './call.ts';
import { createLink } from './link.ts';
import { createSession, type Session } from './session.ts';

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const thing of opened.splice(0).reverse()) await thing.close();
});

function sessionAt(urls: readonly string[], timeoutMs?: number): Session {
  const link = createLink(clusterAt(urls, timeoutMs));
  opened.push(link);
  return createSession(link, 'mcp@pve!ro', '99999999-0000-4000-8000-000000000000');
}

/** An address that takes connections and never says a word, as an overloaded API does. */
async function muteAddress(): Promise<string> {
  const server = createServer((socket) => void socket.on('error', () => undefined));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push(server);
  const address = server.address();
  return `https://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
}

async function failed(read: Promise<unknown>): Promise<{ kind: string; message: string; tookMs: number }> {
  const started = performance.now();
  const error: unknown = await read.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const kind = error instanceof Error && 'kind' in error ? String(error.kind) : 'none';
  return { kind, message: error instanceof Error ? error.message : '', tookMs: performance.now() - started };
}

/** An address that ends every connection as soon as it is used. */
async function breakingAddress(): Promise<{ url: string; connections(): number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    socket.on('data', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push(server);
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, connections: () => connections };
}

test('a connection that is lost twice is no matter of the address', async () => {
  const breaking = await breakingAddress();
  const { kind, message } = await failed(createCall(sessionAt([breaking.url])).get('/version', {}));
  expect(kind).toBe('unreachable');
  expect(message).toBe(
    `The cluster was reached, but did not answer (${new URL(breaking.url).host}: the connection broke, twice).`,
  );
  expect(breaking.connections()).toBe(2);
});

test('a far entry node has the time of a request to take the connection; with another one at hand it is left sooner', async () => {
  const [mute, other] = [await muteAddress(), await muteAddress()];
  const [only, several] = await Promise.all([
    failed(createCall(sessionAt([mute], 6_000)).get('/version', {})),
    failed(createCall(sessionAt([mute, other], 6_000)).get('/version', {})),
  ]);
  expect(only).toMatchObject({ kind: 'unreachable', message: expect.stringContaining('no connection within 6 s') });
  expect(only.tookMs).toBeGreaterThan(5_500);
  expect(several.message.match(/no connection within 4 s/g)).toHaveLength(2);
}, 15_000);

describe('an entry node that cannot be connected to', () => {
  test('is given up after the time-out of one request, and the next call is told at once', async () => {
    const session = sessionAt([await muteAddress()], 2_000);
    const first = await failed(createCall(session).get('/nodes/{node}/status', { node: 'pve2' }));
    expect(first).toMatchObject({ kind: 'unreachable', message: expect.stringContaining('no connection within 2 s') });
    expect(first.tookMs).toBeLessThan(3_500);
    const second = await failed(createCall(session).get('/cluster/resources', {}));
    expect(second).toMatchObject({ kind: 'timeout', message: expect.stringContaining('the cluster did not answer') });
    expect(second.tookMs).toBeLessThan(500);
  });

  test('is passed over for a question about a node as well, which is not blamed for it', async () => {
    const server = await openSmallServer((_request, response) => void response.end('{"data":{}}'));
    opened.push(server);
    const session = sessionAt([await muteAddress(), server.url], 1_000);
    const call = createCall(session);
    expect(await failed(call.get('/nodes/{node}/status', { node: 'pve2' }))).toMatchObject({ kind: 'none' });
    expect(server.asked).toEqual(['/nodes/pve2/status']);
  });

  test('a caller that leaves while the connection is being made is let go at once', async () => {
    const session = sessionAt([await muteAddress()]);
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 50);
    const left = await failed(createCall(session, { signal: stop.signal }).get('/version', {}));
    expect(left.kind).toBe('cancelled');
    expect(left.tookMs).toBeLessThan(1_000);
  });
});

test('a Ceph that hangs costs no second entry node its time, nor the first its place', async () => {
  const silent = await openSmallServer((request, response) => {
    if (!(request.url ?? '').includes('/ceph/')) response.end('{"data":[]}');
  });
  const other = await openSmallServer((_request, response) => void response.end('{"data":[]}'));
  opened.push(silent, other);
  const session = sessionAt([silent.url, other.url], 500);
  const ceph = await failed(createCall(session).get('/cluster/ceph/status', {}));
  expect(ceph).toMatchObject({ kind: 'timeout', message: expect.stringContaining('Ceph') });
  await createCall(session).get('/cluster/resources', {});
  expect(other.asked).toEqual([]);
});

test('a port that does not speak TLS is said to be one, without words of the TLS library', async () => {
  const plain = await openSmallServer((_request, response) => void response.end('{"data":[]}'));
  opened.push(plain);
  const { kind, message } = await failed(createCall(sessionAt([plain.url.replace('http:', 'https:')])).get('/version', {}));
  expect(kind).toBe('tls');
  expect(message).toBe('The server does not speak TLS at this address and port.');
});
