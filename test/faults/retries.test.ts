/**
 * FIELD T30, T3: what is asked again and what is not, counted at the server, for every tool: 401 and 403 never (locked
 * accounts, log floods), 595 at most once more, 596 never (the entry node has waited 30 s already), a broken connection
 * once on a fresh one.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoClusterSettings } from '../../src/demo/demo-settings.ts';
import { startDemoCluster } from '../../src/demo/start-demo-cluster.ts';
import type { DemoCluster, DemoRole, LoggedRequest } from '../../src/demo/types.ts';
import { Secret } from '../../src/redact/secret.ts';
import { representatives } from '../support/combinations.ts';
import { worldOf } from '../support/demo-world.ts';
import { coveredTools, type Examples, examplesFor, examplesOf } from '../support/examples.ts';
import { type HarnessOptions, openHarness } from '../support/harness.ts';

let demo: DemoCluster;
let examples: Examples;
beforeAll(async () => {
  demo = await startDemoCluster({ authDelayMs: 0 });
  examples = examplesFor(worldOf(demo));
});
afterAll(() => demo.close());

/** What one call of each tool made the cluster answer with a status, and how often the same was asked. */
async function repeated(
  options: HarnessOptions,
  counts: (request: LoggedRequest) => boolean,
  remembered = false,
): Promise<Map<string, number>> {
  const most = new Map<string, number>();
  let harness = await openHarness({ demo, ...options });
  for (const [name, tool] of coveredTools) {
    for (const args of representatives(examplesOf(tool, examples), 1)) {
      harness.session.forget();
      if (remembered) {
        // What one tool learnt of a silent node would spare the next one its question.
        await harness.close();
        harness = await openHarness({ demo, ...options });
      }
      const from = demo.requests.length;
      await harness.call(name, args);
      const times = new Map<string, number>();
      for (const request of demo.requests.slice(from).filter(counts)) {
        const key = `${name}: ${request.path} ${JSON.stringify(request.query)}`;
        times.set(key, (times.get(key) ?? 0) + 1);
      }
      for (const [key, n] of times) most.set(key, Math.max(n, most.get(key) ?? 0));
    }
  }
  await harness.close();
  return most;
}

const above = (most: ReadonlyMap<string, number>, allowed: number): string[] =>
  [...most].filter(([, times]) => times > allowed).map(([key, times]) => `${key} ${times} times`);

describe('T30 retries', () => {
  it('401: a refused token is tried once for each question, and every tool says so', async () => {
    const cluster = { ...demoClusterSettings(demo), tokenSecret: new Secret('00000000-0000-4000-8000-000000000001') };
    const most = await repeated({ cluster }, ({ status }) => status === 401);
    expect(most.size).toBeGreaterThan(0);
    expect(above(most, 1)).toEqual([]);
  });

  it.each(['noacl', 'scoped'] as const satisfies readonly DemoRole[])(
    '403 as %s: never asked again within a call',
    async (role) => {
      const most = await repeated({ role }, ({ status }) => status === 403);
      expect(most.size).toBeGreaterThan(0);
      expect(above(most, 1)).toEqual([]);
    },
  );

  it('595: at most once more', async () => {
    const off = demo.faults.add({ kind: 'status-595', match: '/nodes/' });
    const most = await repeated({}, ({ status }) => status === 595);
    off();
    expect(most.size).toBeGreaterThan(0);
    expect(above(most, 2)).toEqual([]);
  });

  it('596: never again', async () => {
    const off = demo.faults.add({ kind: 'status-596', match: '/nodes/' });
    const most = await repeated({}, ({ status }) => status === 596, true);
    off();
    expect(most.size).toBeGreaterThan(0);
    expect(above(most, 1)).toEqual([]);
  });

  it('a connection that breaks is tried once more, on a fresh one', async () => {
    const off = demo.faults.add({ kind: 'reset', match: '/nodes/' });
    const most = await repeated({}, ({ path, status }) => status === 0 && path.startsWith('/nodes/'));
    off();
    expect(most.size).toBeGreaterThan(0);
    expect(above(most, 2)).toEqual([]);
  });

  it('a single broken connection is not even noticed', async () => {
    const harness = await openHarness({ demo });
    demo.faults.add({ kind: 'reset', match: '/cluster/resources', times: 1 });
    const outcome = await harness.call('list_nodes');
    await harness.close();
    expect(outcome.isError).toBe(false);
    expect(outcome.text).not.toMatch(/broke|connection/);
  });
});

describe('T3 a node name in the wrong case', () => {
  it('is a suggestion, not a connection error, and no request', async () => {
    const harness = await openHarness({ demo });
    const wrong: string[] = [];
    for (const [name, tool] of coveredTools) {
      // Where a guest or storage is named too, the node is only a belief that is put right.
      const example = examplesOf(tool, examples).find((args) => args['node'] === 'pve1' && args['vmid'] === undefined);
      if (example === undefined) continue;
      const from = demo.requests.length;
      const { text, isError } = await harness.call(name, { ...example, node: 'PVE1' });
      if (!isError || !text.includes('Did you mean pve1')) wrong.push(`${name}: ${text.slice(0, 200)}`);
      const sent = demo.requests.slice(from).filter(({ path }) => path.includes('PVE1'));
      if (sent.length > 0) wrong.push(`${name} sent ${sent.map(({ path }) => path)}`);
    }
    await harness.close();
    expect(wrong).toEqual([]);
  });
});
