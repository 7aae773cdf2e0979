import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { ownerOf, parsePeers } from './address.ts';
import { boundConnections, isShared } from './connections.ts';

const opened: { destroy(): unknown }[] = [];
let server: Server | undefined;
let turnedAway: (string | undefined)[] = [];
afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
  server?.close();
});

/** Dials a server that bounds connections, as often as wanted; tells which of them are let in. */
async function openBounded(isExempt: () => boolean, most: number): Promise<() => Promise<{ socket: Socket; isIn: boolean }>> {
  const bounded = createServer();
  turnedAway = [];
  boundConnections(bounded, { isExempt, most, refused: (address) => turnedAway.push(address) });
  bounded.on('connection', (socket) => {
    opened.push(socket.on('error', () => undefined));
    if (!socket.destroyed) socket.write('in');
  });
  server = bounded;
  await once(bounded.listen(0, '127.0.0.1'), 'listening');
  const address = bounded.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return async () => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    opened.push(socket);
    return { socket, isIn: await Promise.race([once(socket, 'data').then(() => true), once(socket, 'close').then(() => false)]) };
  };
}

it('an address holds no more connections than its share, and gets one back for each that ends', async () => {
  const dial = await openBounded(() => false, 2);
  const first = await dial();
  const second = await dial();
  expect([first.isIn, second.isIn, (await dial()).isIn]).toEqual([true, true, false]);
  expect(turnedAway).toEqual(['127.0.0.1']);
  first.socket.destroy();
  await expect.poll(async () => (await dial()).isIn).toBe(true);
});

it('whoever comes when all places are taken is told of as well', async () => {
  const dial = await openBounded(() => true, 2);
  if (server !== undefined) server.maxConnections = 1;
  expect([(await dial()).isIn, (await dial()).isIn]).toEqual([true, false]);
  expect(turnedAway).toEqual(['127.0.0.1']);
});

it('a proxy stands for many', async () => {
  const dial = await openBounded(() => true, 2);
  expect([(await dial()).isIn, (await dial()).isIn, (await dial()).isIn]).toEqual([true, true, true]);
  expect(turnedAway).toEqual([]);
});

it('only a trusted proxy, or one on this machine, is one', () => {
  const { value: peers } = parsePeers(['192.0.2.0/24']);
  if (peers === undefined) throw new Error('no peers');
  const proxy = { kind: 'proxy', header: 'x-user', peers, file: undefined } as const;
  const bearer = { kind: 'bearer', file: 'x' } as const;
  const addresses = ['127.0.0.1', '::1', '::ffff:127.0.0.1', '192.0.2.7', '::ffff:192.0.2.7', '198.51.100.1', ''];
  expect(addresses.filter((address) => isShared(address, proxy))).toEqual(addresses.slice(0, 5));
  expect(addresses.filter((address) => isShared(address, bearer))).toEqual(addresses.slice(0, 3));
});

it('the addresses of one IPv6 /64 count as one, those of IPv4 each for itself', () => {
  const owners = (...addresses: string[]) => [...new Set(addresses.map(ownerOf))];
  expect(owners('2001:db8:0:1::5', '2001:db8:0:1:ffff:1:2:3', '2001:db8:0:1::')).toEqual(['2001:db8:0:1::/64']);
  expect(owners('2001:db8::5', '2001:db8::1:0:0:5', '2001:db8:0:0:9:8:7:6')).toEqual(['2001:db8:0:0::/64']);
  expect(owners('fe80::1%eth0', 'fe80::2%eth1')).toEqual(['fe80:0:0:0::/64']);
  expect(owners('2001:db8:0:2::5', '2001:db8:1::1')).toHaveLength(2);
  expect(owners('192.0.2.1', '::ffff:192.0.2.1', '192.0.2.2')).toEqual(['192.0.2.1', '192.0.2.2']);
});
