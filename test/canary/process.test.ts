/**
 * FIELD T13: no secret leaves the process as it ships: neither in what it sends to the client (answers, errors, progress)
 * nor in what it writes to standard error, whatever goes wrong.
 */
import pLimit from 'p-limit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startDemoCluster } from '../../src/demo/start-demo-cluster.ts';
import type { DemoCluster } from '../../src/demo/types.ts';
import { representatives } from '../support/combinations.ts';
import { worldOf } from '../support/demo-world.ts';
import { coveredTools, examplesFor, examplesOf } from '../support/examples.ts';
import { formsOf } from '../support/forms-of.ts';
import { serverEnv, spawnRaw } from '../support/server-process.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let demo: DemoCluster;
beforeAll(async () => {
  demo = await startDemoCluster({ authDelayMs: 20 });
});
afterAll(() => demo.close());

const hello = {
  jsonrpc: '2.0',
  id: 'hello',
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '0' } },
};

it.each(['text', 'structured'])(
  'T13 every byte of the process in the form %s',
  async (form) => {
    const { secret } = demo.token('full');
    const server = spawnRaw(serverEnv(demo, 'full', { PROXMOX_MAX_ANSWER_CHARS: '40000', PROXMOX_TIMEOUT: '1' }), [
      '--output',
      form,
    ]);
    server.send(hello);
    await server.next(({ id }) => id === 'hello');
    const examples = examplesFor(worldOf(demo));
    const calls = coveredTools.flatMap(([name, tool]) => [
      ...representatives(examplesOf(tool, examples), 3).map((args) => ({ name, arguments: args })),
      // Wrong on purpose: the secret itself among the arguments.
      { name, arguments: { node: secret, [secret]: secret } },
    ]);
    let id = 0;
    const limit = pLimit(8);
    const askAll = async (some: typeof calls): Promise<void> => {
      await Promise.all(
        some.map((params) =>
          limit(async () => {
            id += 1;
            const mine = id;
            const request = { ...params, _meta: { progressToken: mine } };
            server.send({ jsonrpc: '2.0', id: mine, method: 'tools/call', params: request });
            await server.next((message) => message['id'] === mine);
          }),
        ),
      );
    };
    await askAll(calls);
    for (const kind of ['status-500', 'html', 'broken-json', 'reset'] as const) {
      const off = demo.faults.add({ kind, match: '/' });
      await askAll(calls.filter((_, index) => index % 9 === 0));
      off();
    }
    const slow = demo.faults.add({ kind: 'slow', match: '/nodes/', delayMs: 700 });
    await askAll([{ name: 'list_recent_tasks', arguments: {} }]);
    slow();
    await server.end();

    const said = `${server.stdout()}\n${server.stderr()}`;
    const leaks = [...demo.canaries, ...formsOf(secret)].filter((text) => said.includes(text));
    expect(leaks).toEqual([]);
    expect(said).toContain('[redacted]');
    expect(said.length).toBeGreaterThan(100_000);
  },
  60_000,
);

it('T13 a token that is refused is not repeated, on either stream', async () => {
  const secret = 'deadbeef-0000-4000-8000-00c0ffee0000';
  const server = spawnRaw({ ...serverEnv(demo), PROXMOX_TOKEN_SECRET: secret });
  server.send(hello);
  await server.next(({ id }) => id === 'hello');
  server.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_nodes', arguments: {} } });
  expect(await server.next(({ id }) => id === 1)).toMatchObject({ result: { isError: true } });
  await server.end();
  for (const form of formsOf(secret)) expect(`${server.stdout()}${server.stderr()}`).not.toContain(form);
});

it('T13 a secret in a place where it does not belong is not repeated by the configuration errors', async () => {
  const secret = 'deadbeef-0000-4000-8000-00c0ffee0000';
  for (const [name, value] of [
    ['PROXMOX_URL', `https://root:${secret}@host:8006`],
    ['PROXMOX_TOKEN_ID', `root@pam!x=${secret}`],
    ['PROXMOX_TLS_FINGERPRINT', secret],
    ['PROXMOX_TIMEOUT', secret],
  ] as const) {
    const server = spawnRaw({ ...serverEnv(demo), [name]: value });
    const { code } = await server.end();
    expect(code, name).toBe(2);
    expect(server.stderr(), name).toContain(name);
    for (const form of formsOf(secret)) expect(server.stderr(), name).not.toContain(form);
  }
});
