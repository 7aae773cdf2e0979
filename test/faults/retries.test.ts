/**
 * FIELD T30, T3: what is asked again and what is not, counted at the server, for every tool: 401 and 403 never (locked
 * accounts, log floods), 595 at most once more, 596 never (the entry node has waited 30 s already), a broken connection
 * once on a fresh one.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { fillPath } from '../../src/api/segments.ts';
import { demoClusterSettings } from '../../src/demo/demo-settings.ts';
import { startDemoCluster } from '../../src/demo/start-demo-cluster.ts';
import type { DemoCluster, DemoRole, LoggedRequest } from '../../src/demo/types.ts';
import { Secret } from '../../src/redact/secret.ts';
import { runTool } from '../../src/tools/run-tool.ts';
import { typical } from '../support/combinations.ts';
import { worldOf } from '../support/demo-world.ts';
import { coveredTools, type Examples, examplesFor, examplesOf } from '../support/examples.ts';
import { type HarnessOptions, openHarness } from '../support/harness.ts';
import { spyOn } from '../support/spy-session.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let demo: DemoCluster;
let examples: Examples;
beforeAll(async () => {
  demo = await startDemoCluster({ authDelayMs: 0 });
  examples = examplesFor(worldOf(demo));
});
afterAll(() => demo.close());

interface Counted {
  /** What was asked. */
  readonly what: string;
  /** How often a tool wanted it in one call, and how often it was sent. */
  readonly wanted: number;
  readonly sent: number;
}

/** For each tool: what it wanted and what was sent of the requests that count, in one call. */
async function counted(
  options: HarnessOptions,
  counts: (request: LoggedRequest) => boolean,
  remembered = false,
): Promise<Counted[]> {
  const found: Counted[] = [];
  let harness = await openHarness({ demo, ...options });
  for (const [name, tool] of coveredTools) {
    for (const args of typical(examplesOf(tool, examples))) {
      harness.session.forget();
      if (remembered) {
        // What one tool learnt of a silent node would spare the next one its question.
        await harness.close();
        harness = await openHarness({ demo, ...options });
      }
      const from = demo.requests.length;
      const spy = spyOn(harness.session);
      await runTool(tool, args, spy, { form: 'text', maxChars: 10_000 });
      const wanted = timesOf(spy.reads.map(({ path, params, query }) => questionOf(fillPath(path, params), query)));
      const sent = timesOf(
        demo.requests
          .slice(from)
          .filter(counts)
          .map(({ path, query }) => questionOf(path, query)),
      );
      for (const [what, times] of sent) found.push({ what: `${name}: ${what}`, wanted: wanted.get(what) ?? 1, sent: times });
    }
  }
  await harness.close();
  return found;
}

/** A question as one text, however its query was typed. */
function questionOf(path: string, query: Readonly<Record<string, unknown>>): string {
  const said = Object.entries(query).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${value === true ? 1 : value === false ? 0 : value}`],
  );
  return `${decodeURIComponent(path)}?${said.sort().join('&')}`;
}

function timesOf(items: readonly string[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const item of items) times.set(item, (times.get(item) ?? 0) + 1);
  return times;
}

const told = ({ what, wanted, sent }: Counted): string => `${what} wanted ${wanted}, sent ${sent} times`;
/** Sent more often than once in a call. */
const repeated = (found: readonly Counted[]): string[] => found.filter(({ sent }) => sent > 1).map(told);
/** Sent more often than twice for each time it was wanted. */
const overdone = (found: readonly Counted[]): string[] => found.filter(({ wanted, sent }) => sent > 2 * wanted).map(told);

describe('T30 retries', () => {
  it('401: a refused token is tried once for each question, and every tool says so', async () => {
    const cluster = { ...demoClusterSettings(demo), tokenSecret: new Secret('00000000-0000-4000-8000-000000000001') };
    const found = await counted({ cluster }, ({ status }) => status === 401);
    expect(found.length).toBeGreaterThan(0);
    expect(repeated(found)).toEqual([]);
  });

  it.each(['noacl', 'scoped'] as const satisfies readonly DemoRole[])(
    '403 as %s: never asked again within a call',
    async (role) => {
      const found = await counted({ role }, ({ status }) => status === 403);
      expect(found.length).toBeGreaterThan(0);
      expect(repeated(found)).toEqual([]);
    },
  );

  it('595: at most once more', async () => {
    const off = demo.faults.add({ kind: 'status-595', match: '/nodes/' });
    const found = await counted({}, ({ status }) => status === 595);
    off();
    expect(found.length).toBeGreaterThan(0);
    expect(overdone(found)).toEqual([]);
  });

  it('596: never again', async () => {
    const off = demo.faults.add({ kind: 'status-596', match: '/nodes/' });
    const found = await counted({}, ({ status }) => status === 596, true);
    off();
    expect(found.length).toBeGreaterThan(0);
    expect(repeated(found)).toEqual([]);
  });

  it('a connection that breaks is tried once more, on a fresh one', async () => {
    const off = demo.faults.add({ kind: 'reset', match: '/nodes/' });
    const found = await counted({}, ({ path, status }) => status === 0 && path.startsWith('/nodes/'));
    off();
    expect(found.length).toBeGreaterThan(0);
    expect(overdone(found)).toEqual([]);
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
