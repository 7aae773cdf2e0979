import { createServer, type Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TlsSettings } from '../config/settings.ts';
import { startDemoCluster } from '../demo/start-demo-cluster.ts';
import { createServerIdentity } from '../demo/tls.ts';
import type { DemoCluster } from '../demo/types.ts';
import { inspectTls, judge, type Leaf } from './inspect-tls.ts';

const PLAIN: TlsSettings = { verify: true, fingerprints: [] };
const OTHER = Array(32).fill('AB').join(':');

/** The port, once the server listens on loopback. */
async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe('judge', () => {
  const leaf: Leaf = { fingerprint: 'AA:BB', subject: 'CN=pve1', issuer: 'CN=ca', names: [], validUntil: undefined };

  it.each([
    ['system CA', PLAIN, undefined, { state: 'verified', by: 'system' }],
    [
      'system CA, unknown issuer',
      PLAIN,
      'SELF_SIGNED_CERT_IN_CHAIN',
      { state: 'untrusted', by: 'system', why: 'SELF_SIGNED_CERT_IN_CHAIN' },
    ],
    ['given CA', { ...PLAIN, caPem: 'x' }, undefined, { state: 'verified', by: 'ca' }],
    ['pin alone, whatever the chain', { ...PLAIN, fingerprints: ['AA:BB'] }, 'SELF_SIGNED_CERT_IN_CHAIN', { state: 'pinned' }],
    ['wrong pin, though the chain holds', { ...PLAIN, fingerprints: ['CC:DD'] }, undefined, { state: 'untrusted', why: 'pin' }],
    ['pin and CA', { ...PLAIN, fingerprints: ['AA:BB'], caPem: 'x' }, undefined, { state: 'pinned', by: 'ca' }],
    [
      'pin and CA, chain broken',
      { ...PLAIN, fingerprints: ['AA:BB'], caPem: 'x' },
      'CERT_HAS_EXPIRED',
      { state: 'untrusted', why: 'CERT_HAS_EXPIRED' },
    ],
    ['off', { ...PLAIN, verify: false }, 'SELF_SIGNED_CERT_IN_CHAIN', { state: 'unchecked' }],
  ] as const)('%s', (_, tls, fault, expected) => {
    expect(judge(tls, leaf, fault)).toMatchObject(expected);
  });

  it('no certificate matches no pin', () => {
    expect(judge({ ...PLAIN, fingerprints: ['AA:BB'] }, undefined, undefined).state).toBe('untrusted');
  });
});

describe('inspectTls', () => {
  let demo: DemoCluster;
  beforeAll(async () => {
    demo = await startDemoCluster();
  });
  afterAll(() => demo.close());

  it('tells the certificate although it is not trusted, and sends no request', async () => {
    const { state, why, leaf } = await inspectTls(demo.url, PLAIN);
    expect(state).toBe('untrusted');
    expect(why).toMatch(/SELF_SIGNED|UNABLE_TO/);
    expect(leaf).toMatchObject({
      fingerprint: demo.fingerprint,
      subject: expect.stringMatching(/^CN=/),
      names: expect.arrayContaining(['IP:127.0.0.1']),
    });
    expect(leaf?.validUntil).toBeGreaterThan(Date.now() / 1000);
    expect(demo.requests).toEqual([]);
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'says nothing over %s, whatever the settings make of the certificate',
    async (version) => {
      const { ca, cert, key } = await createServerIdentity('pve1');
      let said = '';
      let connections = 0;
      const server = createTlsServer({ key, cert, minVersion: version, maxVersion: version }, (socket) => {
        // A server that speaks first gets no answer either.
        socket
          .on('error', () => undefined)
          .on('data', (chunk: Buffer) => {
            said += chunk.toString('latin1');
          });
        socket.write('HTTP/1.1 401 Unauthorized\r\nwww-authenticate: Basic\r\ncontent-length: 0\r\n\r\n');
      });
      server.on('connection', () => {
        connections += 1;
      });
      const url = `https://user:pw@127.0.0.1:${await listening(server)}/api2/json?token=x`;
      const leaf = (await inspectTls(url, PLAIN)).leaf;
      for (const tls of [
        { ...PLAIN, verify: false },
        { ...PLAIN, caPem: ca },
        { ...PLAIN, fingerprints: [leaf?.fingerprint ?? ''] },
        { ...PLAIN, fingerprints: [OTHER], servername: 'pve1.example' },
      ])
        await inspectTls(url, tls);
      await new Promise((resolve) => server.close(resolve));
      expect(connections).toBe(5);
      expect(said).toBe('');
    },
  );

  it('says a hello and nothing else to a server that does not answer it', async () => {
    let said = Buffer.alloc(0);
    const server = createServer((socket) => {
      socket
        .on('error', () => undefined)
        .on('data', (chunk) => {
          said = Buffer.concat([said, chunk]);
          socket.end();
        });
    });
    const url = `https://user:pw@127.0.0.1:${await listening(server)}/?token=x`;
    expect((await inspectTls(url, PLAIN)).state).toBe('failed');
    await new Promise((resolve) => server.close(resolve));
    // One handshake record: its type, then as many bytes as it says.
    expect(said[0]).toBe(22);
    expect(said.length).toBe(5 + said.readUInt16BE(3));
    expect(said.toString('latin1')).not.toMatch(/PVEAPIToken|authorization|GET |user|token/i);
  });

  it('hands on no control character of a certificate that anybody may have made', async () => {
    const name = 'pve1\u001b[2J\u001b]0;x\u0007\u202e';
    const { private: key, cert } = await generate([
      { name: 'commonName', value: name },
      { name: 'organizationName', value: `${name}\n  TLS: verified` },
    ]);
    const server = createTlsServer({ key, cert });
    server.on('tlsClientError', () => undefined);
    const { leaf } = await inspectTls(`https://127.0.0.1:${await listening(server)}`, PLAIN);
    await new Promise((resolve) => server.close(resolve));
    expect(leaf?.subject).toMatch(/^CN=pve1/);
    const texts = [leaf?.subject, leaf?.issuer, ...(leaf?.names ?? [])].join(' ');
    expect(texts).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]/);
  });

  it('verifies by CA, and by pin', async () => {
    expect(await inspectTls(demo.url, { ...PLAIN, caPem: demo.ca })).toMatchObject({ state: 'verified', by: 'ca' });
    expect((await inspectTls(demo.url, { ...PLAIN, fingerprints: [demo.fingerprint] })).state).toBe('pinned');
    expect((await inspectTls(demo.url, { ...PLAIN, fingerprints: [OTHER] })).state).toBe('untrusted');
  });

  it('tells a certificate for another name', async () => {
    expect(await inspectTls(demo.url, { ...PLAIN, caPem: demo.ca, servername: 'pve9.example' })).toMatchObject({
      state: 'untrusted',
      why: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
  });

  it('does not wait for a server that drips', async () => {
    // A handshake record of 512 bytes, one at a time: never idle, never done.
    const server = createServer((socket) => {
      socket.on('error', () => undefined).resume();
      socket.write(Buffer.from([22, 3, 3, 2, 0]));
      const drip = setInterval(() => socket.write(Buffer.from([2])), 20);
      socket.once('close', () => clearInterval(drip));
    });
    const state = await inspectTls(`https://127.0.0.1:${await listening(server)}`, PLAIN, 300);
    expect(state).toMatchObject({ state: 'failed', why: 'no TLS handshake within 0.3 s' });
    await new Promise((resolve) => server.close(resolve));
  });

  it('survives what is no TLS, nothing at all, and plain http', async () => {
    const talker = createServer((socket) =>
      socket
        .on('error', () => undefined)
        .resume()
        .end('HTTP/1.0 400 no\r\n\r\n'),
    );
    expect((await inspectTls(`https://127.0.0.1:${await listening(talker)}`, PLAIN)).state).toBe('failed');
    await new Promise((resolve) => talker.close(resolve));
    expect((await inspectTls('https://127.0.0.1:9', PLAIN)).state).toBe('failed');
    expect((await inspectTls('http://127.0.0.1:9', PLAIN)).state).toBe('none');
  });
});
