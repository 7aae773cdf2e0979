import { get as httpsGet } from 'node:https';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { authorization, call, closeServers, startServer } from './engine-fixture.ts';
import { createFaultBoard } from './faults.ts';

const server = await startServer();
afterEach(() => server.faults.clear());
afterAll(closeServers);

const PATH = '/api2/json/nodes/pve1/status';

describe('the board', () => {
  test('a string is a prefix, an expression is free, the first match hits', () => {
    const board = createFaultBoard();
    board.add({ kind: 'hang', match: /\/storage\/nfs/g });
    board.add({ kind: 'html', match: '/nodes/pve1' });
    expect(board.take('/nodes/pve1/storage/nfs/content')?.kind).toBe('hang');
    expect(board.take('/nodes/pve1/storage/nfs/content')?.kind).toBe('hang');
    expect(board.take('/nodes/pve1/status')?.kind).toBe('html');
    expect(board.take('/nodes/pve2/status')).toBeUndefined();
  });

  test('counts down, and can be switched off', () => {
    const board = createFaultBoard();
    board.add({ kind: 'reset', match: '/', times: 2 });
    const off = board.add({ kind: 'html', match: '/' });
    expect([board.take('/'), board.take('/'), board.take('/')].map((fault) => fault?.kind)).toEqual(['reset', 'reset', 'html']);
    off();
    expect(board.take('/')).toBeUndefined();
  });
});

test('hang: never answered', async () => {
  server.faults.add({ kind: 'hang', match: '/nodes/pve1' });
  const winner = await Promise.race([
    call(server, PATH).catch(() => 'error'),
    new Promise((resolve) => setTimeout(() => resolve('silence'), 300)),
  ]);
  expect(winner).toBe('silence');
  expect(server.requests.at(-1)).toMatchObject({ path: '/nodes/pve1/status', status: 0 });
});

test('reset: the connection ends', async () => {
  server.faults.add({ kind: 'reset', match: '/nodes/pve1' });
  await expect(call(server, PATH)).rejects.toThrow(/hang up|ECONNRESET/);
});

test('times: the next request is right again', async () => {
  server.faults.add({ kind: 'status-596', match: /status$/, times: 1 });
  const answer = await call(server, PATH);
  expect(answer).toMatchObject({ status: 596, reason: 'Connection timed out', text: '' });
  expect((await call(server, PATH)).status).toBe(200);
});

test('status-595 and status-500', async () => {
  server.faults.add({ kind: 'status-595', match: '/nodes/pve1', times: 1 });
  server.faults.add({ kind: 'status-500', match: '/nodes/pve1', times: 1 });
  expect(await call(server, PATH)).toMatchObject({ status: 595, reason: 'No route to host', text: '' });
  expect(JSON.parse((await call(server, PATH)).text)).toEqual({
    data: null,
    message: 'ipcc_send_rec[1] failed: Connection refused\n',
  });
});

test('html: a page under 200', async () => {
  server.faults.add({ kind: 'html', match: '' });
  const answer = await call(server, PATH);
  expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'text/html;charset=UTF-8' } });
  expect(answer.text).toMatch(/^<!DOCTYPE html>/);
});

test('broken-json: complete by its length, cut by its content', async () => {
  server.faults.add({ kind: 'broken-json', match: '/nodes' });
  for (const token of ['mcp@pve!readonly', 'mcp@pve!noacl']) {
    const answer = await call(server, PATH, { token });
    expect(answer).toMatchObject({ status: 200, headers: { 'content-length': String(answer.body.length) } });
    expect(answer.text.startsWith('{"data"')).toBe(true);
    expect(() => JSON.parse(answer.text)).toThrow();
  }
});

test('slow: right, but late', async () => {
  server.faults.add({ kind: 'slow', match: '/nodes', delayMs: 300 });
  const begin = performance.now();
  expect((await call(server, PATH)).status).toBe(200);
  expect(performance.now() - begin).toBeGreaterThan(290);
});

/** Reads a streamed answer until `enough` bytes came or the time is over; then hangs up. */
function read(enough: number, ms: number): Promise<{ status: number; bytes: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: authorization('mcp@pve!readonly') };
    const outgoing = httpsGet(`${server.url}${PATH}`, { ca: server.ca, headers, agent: false }, (incoming) => {
      let bytes = 0;
      let text = '';
      const done = () => {
        incoming.destroy();
        resolve({ status: incoming.statusCode ?? 0, bytes, text });
      };
      const timer = setTimeout(done, ms);
      incoming.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (text.length < 100) text += chunk.toString();
        if (bytes < enough) return;
        clearTimeout(timer);
        done();
      });
    });
    outgoing.on('error', reject);
  });
}

test('drip: headers at once, then byte by byte', async () => {
  server.faults.add({ kind: 'drip', match: '/nodes', delayMs: 50 });
  const { status, bytes } = await read(1000, 400);
  expect(status).toBe(200);
  expect(bytes).toBeGreaterThan(2);
  expect(bytes).toBeLessThan(12);
});

test('huge: more than any sane cap', async () => {
  server.faults.add({ kind: 'huge', match: '/nodes' });
  const { status, bytes, text } = await read(64 * 1024 * 1024, 20_000);
  expect(status).toBe(200);
  expect(bytes).toBeGreaterThanOrEqual(64 * 1024 * 1024);
  expect(text.startsWith('{"data":[{')).toBe(true);
});
