/**
 * FIELD T13: no secret leaves. The embedded cluster has one planted wherever the API hands one out; no tool, in either
 * form, as any token, on any error path, may show one of them, nor the token's own secret, in any encoding.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { OutputForm } from '../../src/config/settings.ts';
import { demoClusterSettings } from '../../src/demo/demo-settings.ts';
import { startDemoCluster } from '../../src/demo/start-demo-cluster.ts';
import type { DemoCluster, DemoRole, FaultKind } from '../../src/demo/types.ts';
import { Secret } from '../../src/redact/secret.ts';
import type { Tool } from '../../src/tools/define-tool.ts';
import type { ToolOutcome } from '../../src/tools/run-tool.ts';
import { combinationsOf, representatives } from '../support/combinations.ts';
import { worldOf } from '../support/demo-world.ts';
import { type Args, coveredTools, type Examples, examplesFor, examplesOf } from '../support/examples.ts';
import { formsOf } from '../support/forms-of.ts';
import { type Harness, openHarness } from '../support/harness.ts';
import { rawGets } from '../support/raw-gets.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const ROLES: readonly DemoRole[] = ['auditor', 'full', 'logs', 'backup-one'];
/** Nothing may escape notice because it was cut off. */
const MAX_CHARS = 40_000;
/** Calls at once; equal reads of theirs become one request. */
const AT_ONCE = 24;

let demo: DemoCluster;
let examples: Examples;
let secrets: readonly string[];
const harnesses = new Map<DemoRole, Harness>();
interface Call {
  readonly args: Args;
  readonly form: OutputForm;
}

/** Progress texts of all calls. */
const progress: string[] = [];

beforeAll(async () => {
  demo = await startDemoCluster({ authDelayMs: 20 });
  examples = examplesFor(worldOf(demo));
  for (const role of ROLES) harnesses.set(role, await openHarness({ demo, role }));
  secrets = [...demo.canaries, ...ROLES.flatMap((role) => formsOf(demo.token(role).secret))];
});
afterAll(async () => {
  for (const harness of harnesses.values()) await harness.close();
  await demo.close();
});

function harnessOf(role: DemoRole): Harness {
  const harness = harnesses.get(role);
  if (harness === undefined) throw new Error(`no harness for ${role}`);
  return harness;
}

/** The secrets in a text. */
function leaksIn(text: string): string[] {
  return secrets.filter((secret) => text.includes(secret));
}

function shownBy({ text, structured }: ToolOutcome): string {
  return structured === undefined ? text : `${text}\n${JSON.stringify(structured)}`;
}

/** What each tool is asked: everything as the mightiest token, and as the others what they see differently. */
function callsFor(tool: Tool, role: DemoRole): readonly Call[] {
  const given = examplesOf(tool, examples);
  const few = representatives(given, 3);
  const texts = role === 'full' ? combinationsOf(tool, given, 1) : combinationsOf(tool, few, 1);
  const calls: Call[] = [
    ...texts.map((args) => ({ args, form: 'text' as const })),
    ...few.map((args) => ({ args, form: 'structured' as const })),
  ];
  return tool.paged ? calls.map(({ args, form }) => ({ args: { limit: 1000, ...args }, form })) : calls;
}

async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const open = [...items];
  const worker = async (): Promise<void> => {
    for (let item = open.shift(); item !== undefined; item = open.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

const Redacted = z.looseObject({ redacted: z.number() });

describe.each(ROLES)('T13 as %s', (role) => {
  it.each(coveredTools)('%s shows no secret and says how many it hid', async (name, tool) => {
    const leaks = new Map<string, string>();
    const uncounted = new Set<string>();
    const harness = harnessOf(role);
    await inTurns(callsFor(tool, role), async ({ args, form }) => {
      const outcome = await harness.call(name, args, {
        form,
        maxChars: MAX_CHARS,
        progress: (done, total, what) => progress.push(`${done} ${total} ${what}`),
      });
      const shown = shownBy(outcome);
      const call = `${name} ${JSON.stringify(args)} (${form})`;
      for (const leak of leaksIn(shown)) leaks.set(leak, call);
      if (outcome.isError) return;
      const counted = outcome.structured === undefined ? countIn(outcome.text) : Redacted.parse(outcome.structured).redacted;
      const marked = shown.includes('[redacted]') && !/^\d+ .*\[redacted\]/m.test(shown);
      if (counted !== outcome.stats.redacted && (outcome.stats.redacted > 0 || marked))
        uncounted.add(`${call}: ${outcome.stats.redacted} hidden, ${counted} told`);
    });
    expect(Object.fromEntries(leaks)).toEqual({});
    expect([...uncounted]).toEqual([]);
  });
});

/** How many secrets the text form says are hidden. */
function countIn(text: string): number {
  return Number(/(\d+) secret values? in what was read/.exec(text)?.[1] ?? 0);
}

describe('T13 what the tests above rest on', () => {
  it('the tools do read planted secrets: most of those that GET can reach came into the process', async () => {
    const paths = new Map(
      demo.requests
        .filter(({ path, status }) => status === 200 && !path.endsWith('/rrddata'))
        .map(({ path, query }) => [`${path}?${new URLSearchParams(query)}`, { path, query }] as const),
    );
    const texts = await rawGets(demo, 'full', [...paths.values()]);
    const all = texts.join('\n');
    const reached = demo.canaries.filter((canary) => all.includes(canary));
    expect(reached.length).toBeGreaterThan(40);
  });

  it('secrets that were hidden are told in the text', async () => {
    const { guests } = worldOf(demo);
    const outcomes = await Promise.all(
      [...guests.keys()].map((vmid) => harnessOf('full').call('get_guest_config', { vmid }, { maxChars: MAX_CHARS })),
    );
    const hidden = outcomes.filter(({ stats }) => stats.redacted > 0);
    expect(hidden.length).toBeGreaterThan(3);
    for (const outcome of hidden) expect(outcome.text).toMatch(/^Redacted: \d+ secret values? in what was read/m);
  });

  it('no progress text holds a secret', () => {
    expect(leaksIn(progress.join('\n'))).toEqual([]);
  });
});

describe('T13 error paths', () => {
  const kinds: readonly FaultKind[] = ['status-500', 'html', 'broken-json', 'status-595', 'status-596', 'reset'];

  it.each(kinds)('%s everywhere: no secret in what is said', async (kind) => {
    const off = demo.faults.add({ kind, match: '/' });
    try {
      const harness = await openHarness({ demo, role: 'full' });
      const texts = await Promise.all(
        coveredTools.map(async ([, tool]) => {
          const outcome = await harness.call(tool.name, examplesOf(tool, examples)[0]);
          return `${outcome.isError ? 'error' : 'answer'} ${shownBy(outcome)}`;
        }),
      );
      await harness.close();
      expect(leaksIn(texts.join('\n'))).toEqual([]);
      for (const text of texts) if (text.startsWith('error')) expect(text.length).toBeLessThanOrEqual(1_010);
    } finally {
      off();
    }
  });

  it('a wrong or badly written token secret is not repeated', async () => {
    const wrong = '0badc0de-1234-4cde-8f00-5ec2e75ec2e7';
    const cluster = { ...demoClusterSettings(demo, 'auditor'), tokenSecret: new Secret(wrong) };
    const harness = await openHarness({ demo, cluster });
    const outcomes = await Promise.all(coveredTools.map(([, tool]) => harness.call(tool.name, examplesOf(tool, examples)[0])));
    await harness.close();
    const said = outcomes.map(shownBy).join('\n');
    for (const form of formsOf(wrong)) expect(said).not.toContain(form);
    expect(outcomes.filter(({ isError }) => !isError)).toEqual([]);
  });

  it('our own secret given as an argument is not echoed', async () => {
    const { secret } = demo.token('auditor');
    const harness = harnessOf('auditor');
    const said: string[] = [];
    for (const [name] of coveredTools) {
      for (const args of [
        { node: secret },
        { name: secret },
        { storage: secret },
        { upid: secret },
        { [secret]: 1 },
        { cursor: secret },
      ])
        said.push(shownBy(await harness.call(name, args)));
    }
    expect(leaksIn(said.join('\n'))).toEqual([]);
  });

  it('no entry node: the error names hosts, not credentials', async () => {
    const harness = await openHarness({ demo, cluster: { urls: ['https://127.0.0.1:1'] } });
    const outcomes = await Promise.all(coveredTools.map(([, tool]) => harness.call(tool.name, examplesOf(tool, examples)[0])));
    await harness.close();
    for (const outcome of outcomes) {
      expect(outcome.isError).toBe(true);
      expect(leaksIn(outcome.text)).toEqual([]);
    }
  });
});
