/**
 * Several base URLs of one cluster: an entry node that dies costs no call; what the cluster *answers* (401, 403) and what
 * TLS refuses never leads to the next one.
 */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ClusterSettings } from '../../src/config/settings.ts';
import { demoClusterSettings } from '../../src/demo/demo-settings.ts';
import { startDemoCluster } from '../../src/demo/start-demo-cluster.ts';
import type { DemoCluster } from '../../src/demo/types.ts';
import { createRuntime, type Runtime } from '../../src/server/runtime.ts';
import { runTool, type ToolOutcome } from '../../src/tools/run-tool.ts';
import { settingsFor } from '../support/harness.ts';
import { toolNamed } from '../support/tool-named.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const NOW = Date.UTC(2026, 5, 1, 12);
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

/** Two entry nodes of the same cluster: equal data and tokens, each with its own certificate. */
async function twoNodes(): Promise<[DemoCluster, DemoCluster]> {
  const [a, b] = [await startDemoCluster({ now: NOW, authDelayMs: 0 }), await startDemoCluster({ now: NOW, authDelayMs: 0 })];
  open.push(a, b);
  return [a, b];
}

function runtimeFor(demo: DemoCluster, overrides: Partial<ClusterSettings>): Runtime {
  const runtime = createRuntime(settingsFor({ ...demoClusterSettings(demo), ...overrides }));
  open.push(runtime);
  return runtime;
}

function ask(runtime: Runtime, name: string): Promise<ToolOutcome> {
  return runTool(toolNamed(name), {}, runtime.session(), { form: 'text', maxChars: 10_000 });
}

const DEAD = 'https://127.0.0.1:9';
const trusting = (...demos: DemoCluster[]): Pick<ClusterSettings, 'tls'> => ({
  tls: { verify: true, caPem: demos.map(({ ca }) => ca).join('\n'), fingerprints: [] },
});

describe('failover', () => {
  it('the data of the two nodes is the same, as in one cluster', async () => {
    const [a, b] = await twoNodes();
    expect(a.token('auditor')).toEqual(b.token('auditor'));
    expect(a.fingerprint).not.toBe(b.fingerprint);
  });

  it('a dead first node: the second answers, and the dead one is left alone after that', async () => {
    const [, b] = await twoNodes();
    const runtime = runtimeFor(b, { urls: [DEAD, b.url], timeoutMs: 2_000 });
    const first = await ask(runtime, 'list_nodes');
    expect(first.isError).toBe(false);
    const second = performance.now();
    await ask(runtime, 'list_storage');
    expect(performance.now() - second).toBeLessThan(2_000);
  });

  it('a node that dies under load: no call fails', async () => {
    const [a, b] = await twoNodes();
    const runtime = runtimeFor(a, { urls: [a.url, b.url], timeoutMs: 5_000, ...trusting(a, b) });
    const session = runtime.session();
    const names = ['list_nodes', 'list_guests', 'list_storage', 'list_recent_tasks', 'check_token_access'];
    const outcomes: ToolOutcome[] = [];
    let closing: Promise<void> | undefined;
    const worker = async (from: number): Promise<void> => {
      for (let i = from; i < 120; i += 6) {
        // Nothing comes from the cache: every call needs the wire.
        session.forget();
        if (i >= 40) closing ??= a.close();
        outcomes.push(await ask(runtime, names[i % names.length] ?? 'list_nodes'));
      }
    };
    await Promise.all([0, 1, 2, 3, 4, 5].map(worker));
    await closing;
    const failed = outcomes.filter(({ isError, text }) => isError || /\(unreachable\)|connection broke/.test(text));
    expect(failed.map(({ text }) => text.slice(0, 300))).toEqual([]);
    expect(outcomes).toHaveLength(120);
    expect(a.requests.length).toBeGreaterThan(20);
    expect(b.requests.length).toBeGreaterThan(20);
  });

  it('a first node that accepts and never answers: the second one answers', async () => {
    const [a, b] = await twoNodes();
    a.faults.add({ kind: 'hang', match: '/' });
    const runtime = runtimeFor(a, { urls: [a.url, b.url], timeoutMs: 600, ...trusting(a, b) });
    const outcome = await ask(runtime, 'list_nodes');
    expect(outcome.isError, outcome.text).toBe(false);
  });

  it('a refused token is refused: the next node is not asked', async () => {
    const [a, b] = await twoNodes();
    const runtime = runtimeFor(a, { urls: [a.url, b.url], tokenId: 'mcp@pve!nosuch', ...trusting(a, b) });
    const outcome = await ask(runtime, 'list_nodes');
    expect(outcome.errorKind).toBe('unauthenticated');
    expect(b.requests).toEqual([]);
  });

  it('a TLS failure never leads to the next node', async () => {
    const [a, b] = await twoNodes();
    const runtime = runtimeFor(b, { urls: [a.url, b.url], ...trusting(b) });
    const outcome = await ask(runtime, 'list_nodes');
    expect(outcome.errorKind).toBe('tls');
    expect(a.requests).toEqual([]);
    expect(b.requests).toEqual([]);
  });

  it('all nodes dead: the error names each of them', async () => {
    const [a] = await twoNodes();
    const runtime = runtimeFor(a, { urls: [DEAD, 'https://127.0.0.1:7'], timeoutMs: 2_000 });
    const outcome = await ask(runtime, 'list_nodes');
    expect(outcome.errorKind).toBe('unreachable');
    expect(outcome.text).toContain('127.0.0.1:9');
    expect(outcome.text).toContain('127.0.0.1:7');
  });
});
