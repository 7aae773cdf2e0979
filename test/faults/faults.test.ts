/**
 * FIELD T2, T14, T20: one thing that fails (slowly, loudly or oddly) costs its own part of an answer. Every kind of fault
 * on every kind of dependency, all tools at once, each over connections of its own: every tool answers in time, says
 * what is missing, and what does not depend on the fault is still there.
 */

import pLimit from 'p-limit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { fillPath } from '../../src/api/segments.ts';
import { demoClusterSettings } from '../../src/demo/demo-settings.ts';
import { startDemoCluster } from '../../src/demo/start-demo-cluster.ts';
import type { DemoCluster, Fault, FaultKind } from '../../src/demo/types.ts';
import { createRuntime, type Runtime } from '../../src/server/runtime.ts';
import type { Tool } from '../../src/tools/define-tool.ts';
import { runTool, type ToolOutcome } from '../../src/tools/run-tool.ts';
import { typical } from '../support/combinations.ts';
import { worldOf } from '../support/demo-world.ts';
import { type Args, coveredTools, type Examples, examplesFor, examplesOf } from '../support/examples.ts';
import { settingsFor } from '../support/harness.ts';
import { type SpySession, spyOn } from '../support/spy-session.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** One request may take this long here; long against the noise of a busy machine. */
const TIMEOUT_MS = 1_000;
const BUDGET_MS = 20_000;
/** For a hundred calls that end at the same moment in one process. */
const GRACE_MS = 1_000;
/** More handshakes at a time would make a busy machine miss the short time-outs. */
const AT_ONCE = 16;
/** A second call to what was silent a moment ago. */
const SECOND_CALL_MS = 2_000;

const ALL: readonly Tool[] = coveredTools.map(([, tool]) => tool);

let demo: DemoCluster;
let examples: Examples;
beforeAll(async () => {
  demo = await startDemoCluster({ authDelayMs: 20 });
  examples = examplesFor(worldOf(demo));
});
afterAll(() => demo.close());

/** One tool call with its own way to the cluster, so that what one has learnt of a fault helps no other. */
interface Attempt {
  readonly tool: Tool;
  readonly args: Args;
  readonly runtime: Runtime;
  readonly spy: SpySession;
  readonly outcome: ToolOutcome;
  readonly tookMs: number;
}

async function attempt(tool: Tool, args: Args, runtime: Runtime): Promise<Attempt> {
  const spy = spyOn(runtime.session());
  const started = performance.now();
  const outcome = await runTool(tool, args, spy, { form: 'structured', maxChars: 40_000 });
  return { tool, args, runtime, spy, outcome, tookMs: performance.now() - started };
}

/** How the attempts of a scenario reach the cluster. */
interface Way {
  readonly timeoutMs?: number;
  /** All over the same connections: for faults that come at once, where nothing is learnt that would help the next. */
  readonly shared?: boolean;
  readonly tools?: readonly Tool[];
  readonly atOnce?: number;
}

/** Every tool with an example of each shape, many at once. */
async function attemptAll({
  timeoutMs = TIMEOUT_MS,
  shared = false,
  tools = ALL,
  atOnce = AT_ONCE,
}: Way = {}): Promise<Attempt[]> {
  const open = (): Runtime => createRuntime(settingsFor({ ...demoClusterSettings(demo), timeoutMs }));
  const common = open();
  const limit = pLimit(atOnce);
  return Promise.all(
    tools.flatMap((tool) =>
      typical(examplesOf(tool, examples)).map((args) =>
        limit(() => attempt(tool, tool.paged ? { limit: 1000, ...args } : args, shared ? common : open())),
      ),
    ),
  );
}

async function closeAll(attempts: readonly Attempt[]): Promise<void> {
  await Promise.all([...new Set(attempts.map(({ runtime }) => runtime))].map((runtime) => runtime.close()));
}

async function under(fault: Fault, way: Way, check: (attempts: readonly Attempt[]) => Promise<void> | void): Promise<void> {
  const off = demo.faults.add(fault);
  const attempts = await attemptAll(way);
  try {
    await check(attempts);
  } finally {
    off();
    await closeAll(attempts);
  }
}

const Structured = z.looseObject({
  coverage: z.string(),
  problems: z.array(z.looseObject({ kind: z.string() })),
});

/** Failures that a fault causes; others (no agent configured, no right) are the cluster as it is. */
const BY_FAULT: ReadonlySet<string> = new Set([
  'timeout',
  'unreachable',
  'node-unreachable',
  'malformed-answer',
  'too-large',
  'upstream',
]);

const named = ({ tool, args }: Attempt): string => `${tool.name} ${JSON.stringify(args)}`;
const isHit = ({ spy }: Attempt): boolean => spy.reads.some(({ failed }) => failed !== undefined && BY_FAULT.has(failed));

/** Whether an answer tells that something is missing. */
function tells({ outcome }: Attempt): boolean {
  if (outcome.isError) return true;
  const { coverage, problems } = Structured.parse(outcome.structured);
  return coverage !== 'complete' || problems.length > 0;
}

/** What is wrong with an answer whatever happened. */
function wrongWith(one: Attempt): string[] {
  const { outcome, tookMs } = one;
  const said = `${named(one)}: ${outcome.text.slice(0, 300)}`;
  return [
    ...(outcome.errorKind === 'internal' ? [`crashed: ${said}`] : []),
    ...(outcome.errorKind === 'cancelled' ? [`cancelled by nobody: ${said}`] : []),
    ...(outcome.isError && outcome.text.length > 1_000 ? [`long error: ${said}`] : []),
    ...(outcome.isError && /verify_tls|turn.*off|disable.*(?:tls|verif)/i.test(outcome.text) ? [`bad advice: ${said}`] : []),
    ...(tookMs > BUDGET_MS + GRACE_MS ? [`${Math.round(tookMs)} ms: ${said}`] : []),
  ];
}

/** What may fail. */
const DEPENDENCIES = {
  inventory: '/cluster/resources',
  'own rights': '/access/permissions',
  'a node': '/nodes/pve2/',
  storages: /^\/nodes\/[^/]+\/storage\/[^/]+\//,
  agents: /\/agent\//,
} as const satisfies Record<string, string | RegExp>;
type DependencyName = keyof typeof DEPENDENCIES;

const EVERYWHERE: readonly DependencyName[] = ['inventory', 'own rights', 'a node', 'storages', 'agents'];

const SCENARIOS: readonly { readonly kind: FaultKind; readonly on: DependencyName }[] = [
  ...(['reset', 'html', 'broken-json', 'status-595', 'status-596', 'status-500'] as const).map((kind) => ({
    kind,
    on: 'inventory' as const,
  })),
  ...(['reset', 'broken-json', 'status-595', 'status-596', 'status-500'] as const).map((kind) => ({
    kind,
    on: 'a node' as const,
  })),
  ...(['reset', 'broken-json', 'status-500'] as const).flatMap((kind) => [
    { kind, on: 'own rights' as const },
    { kind, on: 'storages' as const },
    { kind, on: 'agents' as const },
  ]),
  { kind: 'drip', on: 'inventory' },
  { kind: 'drip', on: 'a node' },
  { kind: 'slow', on: 'a node' },
  { kind: 'huge', on: 'own rights' },
  { kind: 'huge', on: 'agents' },
];
/** Faults that take the whole time-out, and are remembered. */
const SILENT: ReadonlySet<FaultKind> = new Set(['hang', 'drip', 'slow', 'status-596']);

/** The tools that read anything of a dependency. */
function toolsOn(on: DependencyName): readonly Tool[] {
  const match = DEPENDENCIES[on];
  const concrete = (path: string): string => path.replace('{node}', 'pve2').replaceAll(/\{(\w+)\}/g, '$1');
  return ALL.filter(({ reads }) =>
    reads.map(concrete).some((path) => (typeof match === 'string' ? path.startsWith(match) : match.test(path))),
  );
}

function checkAll(attempts: readonly Attempt[]): void {
  expect(attempts.flatMap(wrongWith)).toEqual([]);
  expect(attempts.filter(isHit).map(named)).not.toEqual([]);
  expect(attempts.filter((one) => isHit(one) && !tells(one)).map(named)).toEqual([]);
}

describe('T14 every fault on every dependency', () => {
  it.each(SCENARIOS)('$kind on $on: every tool answers in time and tells it', async ({ kind, on }) => {
    const fault: Fault = { kind, match: DEPENDENCIES[on], ...(kind === 'slow' ? { delayMs: TIMEOUT_MS * 5 } : {}) };
    await under(fault, { shared: !SILENT.has(kind), tools: toolsOn(on) }, checkAll);
  });

  it.each(EVERYWHERE)('hang on %s: tells it in time, and a second call answers within 2 s', async (on) => {
    await under({ kind: 'hang', match: DEPENDENCIES[on] }, { tools: toolsOn(on) }, async (attempts) => {
      checkAll(attempts);
      const wrong: string[] = [];
      for (const one of attempts.filter(({ spy }) => spy.reads.some(({ failed }) => failed === 'timeout'))) {
        const hung = new Set(
          one.spy.reads.flatMap(({ path, params, failed }) =>
            failed === 'timeout' ? [decodeURIComponent(fillPath(path, params))] : [],
          ),
        );
        const from = demo.requests.length;
        let second = await attempt(one.tool, one.args, one.runtime);
        const again = demo.requests.slice(from).filter(({ path, status }) => status === 0 && hung.has(path));
        for (const { path } of again) wrong.push(`${named(one)} waits for ${path} again`);
        // A machine that is busy with other things gets a second chance, a server that waits does not profit from it.
        if (second.tookMs > SECOND_CALL_MS) second = await attempt(one.tool, one.args, one.runtime);
        if (second.tookMs > SECOND_CALL_MS) wrong.push(`${named(one)}: ${Math.round(second.tookMs)} ms`);
        if (isHit(second) && !tells(second)) wrong.push(`${named(one)} tells nothing the second time`);
      }
      expect(wrong).toEqual([]);
    });
  });

  it('the inventory is needed by most: without it they are errors that name what failed', async () => {
    await under({ kind: 'html', match: '/cluster/resources' }, { shared: true }, (attempts) => {
      const errors = attempts.filter(({ outcome }) => outcome.errorKind === 'malformed-answer');
      expect(errors.length).toBeGreaterThan(5);
      for (const { outcome } of errors) expect(outcome.text).toMatch(/HTML page[\s\S]*Next: /);
    });
  });

  it('an endless answer is cut off, not swallowed whole', async () => {
    await under({ kind: 'huge', match: '/cluster/resources' }, { timeoutMs: BUDGET_MS, shared: true }, (attempts) => {
      expect(attempts.flatMap(wrongWith)).toEqual([]);
      const kinds = new Set(attempts.filter(isHit).flatMap(({ spy }) => spy.reads.flatMap(({ failed }) => failed ?? [])));
      expect([...kinds].filter((kind) => kind === 'too-large')).toEqual(['too-large']);
    });
  });
});

describe('T2 a node that fails leaves the others', () => {
  let usual: Attempt[];
  beforeAll(async () => {
    usual = await attemptAll({ shared: true });
    await closeAll(usual);
  });

  /** What an answer lacks of the other node though only one failed (a state that is filtered by may rightly change). */
  const lost = (attempts: readonly Attempt[]): string[] =>
    attempts.flatMap((one, index) => {
      const before = usual[index];
      if (before === undefined || before.outcome.isError || dependsOnFailed(one.args)) return [];
      const [was, is] = [rowsOfNode(before.outcome, 'pve1'), rowsOfNode(one.outcome, 'pve1')];
      const said = `${named(one)}: ${one.outcome.text.slice(0, 300)}`;
      return [
        ...(one.outcome.isError ? [`fails: ${said}`] : []),
        ...(is < was && one.args['state'] === undefined ? [`${was} rows, then ${is}: ${said}`] : []),
      ];
    });

  it.each(['status-595', 'hang', 'status-500'] as const)('%s: the rows of the other nodes are all there', async (kind) => {
    await under({ kind, match: DEPENDENCIES['a node'] }, { shared: true, timeoutMs: TIMEOUT_MS * 2 }, (attempts) => {
      expect(lost(attempts)).toEqual([]);
      expect(usual.some(({ outcome }) => rowsOfNode(outcome, 'pve1') > 0)).toBe(true);
    });
  });

  it('a node hanging, with the usual time-outs: answers within the budget, with the data of the others', async () => {
    await under(
      { kind: 'hang', match: DEPENDENCIES['a node'] },
      { timeoutMs: 10_000, tools: toolsOn('a node'), atOnce: 1_000 },
      (attempts) => {
        expect(attempts.flatMap(wrongWith)).toEqual([]);
        const failed = attempts.filter(({ outcome, args, tool }) => {
          const before = usual.find((one) => one.tool === tool && JSON.stringify(one.args) === JSON.stringify(args));
          return outcome.isError && before?.outcome.isError === false && !dependsOnFailed(args);
        });
        expect(failed.map((one) => `${named(one)}: ${one.outcome.text}`)).toEqual([]);
      },
    );
  }, 60_000);

  it('an offline node is told by whatever needed it, and asked by nothing', async () => {
    const from = demo.requests.length;
    const attempts = await attemptAll({ shared: true });
    await closeAll(attempts);
    const offline = worldOf(demo).nodes.filter(({ online }) => !online);
    expect(offline).not.toEqual([]);
    const asked = demo.requests
      .slice(from)
      .filter(({ path, status }) => status === 595 && offline.some(({ node }) => path.startsWith(`/nodes/${node}/`)));
    expect(asked).toEqual([]);
    for (const one of attempts)
      if (JSON.stringify(one.args).includes(offline[0]?.node ?? '')) expect(tells(one), named(one)).toBe(true);
  });
});

/** Rows of any table of an answer that name a node. */
function rowsOfNode({ structured }: ToolOutcome, node: string): number {
  const tables = Object.entries(structured ?? {}).filter(([key]) => !['problems', 'hidden', 'notes', 'next'].includes(key));
  return tables
    .flatMap(([, value]) => (Array.isArray(value) ? value : []))
    .filter((row: unknown) => typeof row === 'object' && row !== null && 'node' in row && row.node === node).length;
}

/** Arguments that ask for what only the failing node can tell. */
function dependsOnFailed(args: Args): boolean {
  const { vmid, storage, name, upid } = args;
  const guest = [...worldOf(demo).guests.values()].find((g) => g.vmid === vmid || (name !== undefined && g.name === name));
  return (
    JSON.stringify(args).includes('pve2') ||
    guest?.node === 'pve2' ||
    storage !== undefined ||
    String(upid ?? '').includes(':pve2:')
  );
}
