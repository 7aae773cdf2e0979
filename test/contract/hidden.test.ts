/**
 * FIELD T5, T29: what a token may not see is never told as if it were not there. Each tool is asked the same as a token
 * that sees everything and as tokens that see less: whoever is told less must be told that there is more, with the
 * privilege that shows it.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { startDemoCluster } from '../../src/demo/start-demo-cluster.ts';
import type { DemoCluster, DemoRole } from '../../src/demo/types.ts';
import type { ToolOutcome } from '../../src/tools/run-tool.ts';
import { representatives } from '../support/combinations.ts';
import { worldOf } from '../support/demo-world.ts';
import { type Args, coveredTools, type Examples, examplesFor, examplesOf } from '../support/examples.ts';
import { type Harness, openHarness } from '../support/harness.ts';

const LESS: readonly DemoRole[] = ['noacl', 'scoped', 'blind-one', 'auditor'];

vi.setConfig({ testTimeout: 60_000 });

let demo: DemoCluster;
let examples: Examples;
const harnesses = new Map<DemoRole, Harness>();
beforeAll(async () => {
  demo = await startDemoCluster({ authDelayMs: 20 });
  examples = examplesFor(worldOf(demo));
  for (const role of [...LESS, 'full'] as const) harnesses.set(role, await openHarness({ demo, role }));
});
afterAll(async () => {
  for (const harness of harnesses.values()) await harness.close();
  await demo.close();
});

async function ask(role: DemoRole, tool: string, args: Args): Promise<ToolOutcome> {
  const harness = harnesses.get(role);
  if (harness === undefined) throw new Error(`no harness for ${role}`);
  return harness.call(tool, args, { form: 'structured', maxChars: 40_000 });
}

const seenByAll = new Map<string, Promise<ToolOutcome>>();
/** What a token that sees everything is told; asked once. */
function askAsFull(tool: string, args: Args): Promise<ToolOutcome> {
  const key = `${tool} ${JSON.stringify(args)}`;
  const known = seenByAll.get(key) ?? ask('full', tool, args);
  seenByAll.set(key, known);
  return known;
}

const Structured = z.looseObject({
  coverage: z.enum(['complete', 'partial', 'unknown']),
  problems: z.array(z.looseObject({ kind: z.string(), needs: z.string().optional() })),
  hidden: z.array(z.looseObject({ privilege: z.string(), paths: z.array(z.string()) })),
});
const OWN_KEYS: ReadonlySet<string> = new Set(['problems', 'hidden', 'notes', 'next']);

/** Rows of all tables together. */
function rowsIn({ structured }: ToolOutcome): number {
  return Object.entries(structured ?? {}).reduce(
    (sum, [key, value]) => sum + (Array.isArray(value) && !OWN_KEYS.has(key) ? value.length : 0),
    0,
  );
}

/** Tables about the token itself, where less is the whole truth. */
const ABOUT_ITSELF: ReadonlySet<string> = new Set(['check_token_access']);

describe.each(LESS)('T5 as %s', (role) => {
  it.each(coveredTools.filter(([name]) => !ABOUT_ITSELF.has(name)))('%s: who is told less is told so', async (name, tool) => {
    const wrong: string[] = [];
    const check = async (args: Args): Promise<void> => {
      const asked = tool.paged ? { limit: 1000, ...args } : args;
      const [all, less] = await Promise.all([askAsFull(name, asked), ask(role, name, asked)]);
      const said = `${JSON.stringify(args)}: ${less.text.slice(0, 250)}`;
      if (less.isError) {
        // T29: the privilege and the path it is missing on.
        if (less.errorKind === 'forbidden' && !/Needs: \S+[^\n]* on \/|root@pam/.test(less.text))
          wrong.push(`does not say what is missing: ${said}`);
        return;
      }
      const { coverage, hidden, problems } = Structured.parse(less.structured);
      if (!all.isError && rowsIn(less) < rowsIn(all) && coverage === 'complete')
        wrong.push(`${rowsIn(less)} of ${rowsIn(all)} rows, told as complete: ${said}`);
      if (coverage === 'complete' && hidden.length > 0) wrong.push(`complete, yet hidden: ${said}`);
      for (const { privilege, paths } of hidden)
        if (!/^[A-Z]\w+\./.test(privilege) || paths.length === 0) wrong.push(`hidden without a grant: ${said}`);
      for (const { kind, needs } of problems)
        if (kind === 'forbidden' && needs === undefined) wrong.push(`forbidden without need: ${said}`);
    };
    await Promise.all(representatives(examplesOf(tool, examples), 2).map(check));
    expect(wrong).toEqual([]);
  });
});

describe('T5 backups', () => {
  it('are never "none" to a token that just may not see them', async () => {
    const world = worldOf(demo);
    const asked = world.storages
      .filter(({ content, disabled }) => content.includes('backup') && !disabled)
      .flatMap(({ storage }) => world.nodes.map(({ node }) => ({ storage, node })))
      .filter(({ storage, node }) => world.backups(storage, node).length > 0);
    expect(asked.length).toBeGreaterThan(3);
    for (const { storage, node } of asked) {
      for (const role of LESS) {
        const outcome = await ask(role, 'list_storage_content', { storage, node, content: 'backup', limit: 1000 });
        if (outcome.isError) continue;
        const { coverage } = Structured.parse(outcome.structured);
        expect(rowsIn(outcome) > 0 || coverage !== 'complete', `${role} ${storage}: ${outcome.text.slice(0, 300)}`).toBe(true);
      }
    }
  });
});
