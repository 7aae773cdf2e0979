/**
 * FIELD T15, T16, T20, T23: who is trusted. A pin means the leaf; with a wrong certificate not one byte of a request
 * (nor the token in it) is sent; not verifying one cluster changes nothing for another or the process; no message
 * suggests to turn verification off.
 */
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { createServer, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ClusterSettings, TlsSettings } from '../../src/config/settings.ts';
import { demoClusterSettings } from '../../src/demo/demo-settings.ts';
import { startDemoCluster } from '../../src/demo/start-demo-cluster.ts';
import { createServerIdentity } from '../../src/demo/tls.ts';
import type { DemoCluster } from '../../src/demo/types.ts';
import { createRuntime, type Runtime } from '../../src/server/runtime.ts';
import { runTool, type ToolOutcome } from '../../src/tools/run-tool.ts';
import { settingsFor } from '../support/harness.ts';
import { toolNamed } from '../support/tool-named.ts';

let demo: DemoCluster;
beforeAll(async () => {
  demo = await startDemoCluster({ authDelayMs: 0 });
});
afterAll(() => demo.close());

const runtimes: Runtime[] = [];
afterEach(async () => {
  for (const runtime of runtimes.splice(0)) await runtime.close();
  demo.requests.length = 0;
});

/** Asks the cluster once under these rules. */
async function askWith(tls: Partial<TlsSettings>, overrides: Partial<ClusterSettings> = {}): Promise<ToolOutcome> {
  const cluster = {
    ...demoClusterSettings(demo),
    timeoutMs: 3_000,
    ...overrides,
    tls: { verify: true, fingerprints: [], ...tls },
  };
  const runtime = createRuntime(settingsFor(cluster));
  runtimes.push(runtime);
  return runTool(toolNamed('list_nodes'), {}, runtime.session(), { form: 'text', maxChars: 10_000 });
}

function expectRefused(outcome: ToolOutcome, says: RegExp): void {
  expect(outcome.errorKind).toBe('tls');
  expect(outcome.text).toMatch(says);
  expect(outcome.text).toMatch(/PROXMOX_(?:CA_FILE|TLS_FINGERPRINT|TLS_SERVERNAME)/);
  expect(outcome.text).not.toMatch(/VERIFY_TLS|rejectUnauthorized|insecure|NODE_TLS/i);
  expect(demo.requests).toEqual([]);
}

/** Hands connections to `::1` on to the cluster, which listens on IPv4 only. */
async function openIpv6Door(): Promise<{ url: string; close(): void }> {
  const { port } = new URL(demo.url);
  const open = new Set<Socket>();
  const server = createTcpServer((socket) => {
    const onward = connect(Number(port), '127.0.0.1');
    for (const end of [socket, onward]) {
      open.add(end);
      end.on('error', () => undefined);
    }
    socket.pipe(onward).pipe(socket);
  });
  await once(server.listen(0, '::1'), 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the door listens on no port');
  return {
    url: `https://[::1]:${address.port}`,
    close: () => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

describe('an IPv6 address as the URL', () => {
  it('is connected to, and the certificate is checked against it', async ({ skip }) => {
    const here = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
    skip(!here.some(({ address }) => address === '::1'), 'this machine has no ::1');
    const door = await openIpv6Door();
    try {
      const urls = [door.url];
      expect((await askWith({ caPem: demo.ca }, { urls })).isError).toBe(false);
      expect((await askWith({ fingerprints: [demo.fingerprint] }, { urls })).isError).toBe(false);
      demo.requests.length = 0;
      expectRefused(await askWith({}, { urls }), /signed by a CA that this machine does not know/);
    } finally {
      door.close();
    }
  });
});

describe('verification', () => {
  it('with the CA of the cluster it answers', async () => {
    expect((await askWith({ caPem: demo.ca })).isError).toBe(false);
  });

  it('without it the certificate is unknown, and the error says how to know it', async () => {
    expectRefused(await askWith({}), /signed by a CA that this machine does not know/);
  });

  it('with the CA of somebody else it is unknown too', async () => {
    const other = await createServerIdentity('other');
    expectRefused(await askWith({ caPem: other.ca }), /does not know/);
  });

  it('a certificate for another name is told so', async () => {
    expectRefused(await askWith({ caPem: demo.ca, servername: 'elsewhere.example' }), /for another name/);
    expect((await askWith({ caPem: demo.ca, servername: 'localhost' })).isError).toBe(false);
  });
});

describe('T15 pins', () => {
  const wrong = `${'AA:'.repeat(31)}AA`;

  it('the leaf is enough, alone or in a set', async () => {
    expect((await askWith({ fingerprints: [demo.fingerprint] })).isError).toBe(false);
    expect((await askWith({ fingerprints: [wrong, demo.fingerprint] })).isError).toBe(false);
  });

  it('another leaf is refused, and the error shows the one seen', async () => {
    const outcome = await askWith({ fingerprints: [wrong] });
    expectRefused(outcome, /does not match PROXMOX_TLS_FINGERPRINT/);
    expect(outcome.text).toContain(demo.fingerprint);
  });

  it("the CA's own fingerprint is no pin, though the CA signed the leaf", async () => {
    expectRefused(await askWith({ fingerprints: [new X509Certificate(demo.ca).fingerprint256] }), /does not match/);
  });

  it('with CA and pin both must hold', async () => {
    const other = await createServerIdentity('other');
    expect((await askWith({ caPem: demo.ca, fingerprints: [demo.fingerprint] })).isError).toBe(false);
    demo.requests.length = 0;
    expectRefused(await askWith({ caPem: demo.ca, fingerprints: [wrong] }), /does not match/);
    expectRefused(await askWith({ caPem: other.ca, fingerprints: [demo.fingerprint] }), /does not know/);
  });

  it('a stranger who sends the pinned certificate along in his chain gets no byte of a request', async () => {
    const stranger = await createServerIdentity('stranger');
    const pinned = await createServerIdentity('pinned');
    const received: Buffer[] = [];
    const connected: TLSSocket[] = [];
    // With TLS 1.2 the last word of the handshake is the server's: it knows of every client that got so far.
    const identity = { key: stranger.key, cert: `${stranger.cert}\n${pinned.cert}`, maxVersion: 'TLSv1.2' as const };
    const server = createServer(identity, (socket) => {
      connected.push(socket);
      socket.on('data', (chunk: Buffer) => received.push(chunk));
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const outcome = await askWith({ fingerprints: [pinned.fingerprint] }, { urls: [`https://127.0.0.1:${port}`] });
    expect(outcome.errorKind).toBe('tls');
    // The handshake came to its end; only the comparison stood between the token and the stranger.
    expect(connected.length).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(Buffer.concat(received).length).toBe(0);
    for (const socket of connected) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('T16 not verifying', () => {
  it('holds for the one cluster that asks for it', async () => {
    const other = await startDemoCluster({ authDelayMs: 0 });
    const insecure = { ...demoClusterSettings(demo, 'auditor', 'lab'), tls: { verify: false, fingerprints: [] } };
    const strict = { ...demoClusterSettings(other, 'auditor', 'prod'), tls: { verify: true, fingerprints: [] } };
    const settings = { ...settingsFor(insecure), clusters: new Map([insecure, strict].map((c) => [c.name, c])) };
    const runtime = createRuntime(settings);
    runtimes.push(runtime);
    const ask = (name: string) => runTool(toolNamed('list_nodes'), {}, runtime.session(name), { form: 'text', maxChars: 10_000 });
    expect((await ask('lab')).isError).toBe(false);
    const refused = await ask('prod');
    expect(refused.errorKind).toBe('tls');
    expect(other.requests).toEqual([]);
    expect((await ask('lab')).isError).toBe(false);
    expect(process.env['NODE_TLS_REJECT_UNAUTHORIZED']).toBeUndefined();
    await other.close();
  });
});

describe('T23 where the API is', () => {
  it('a host name and a path prefix', async () => {
    const { port } = new URL(demo.url);
    expect((await askWith({ caPem: demo.ca }, { urls: [`https://localhost:${port}`] })).isError).toBe(false);
    await askWith({ caPem: demo.ca }, { urls: [`${demo.url}/pve`] });
    expect(demo.requests.some(({ path }) => path.startsWith('/pve/api2/json/'))).toBe(true);
  });
});
