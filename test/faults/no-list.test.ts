/**
 * An answer `{"data":null}` where a list belongs says nothing: no tool may read "there is none" out of it. Every list that
 * a tool reads, one after the other.
 */

import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { Session } from '../../src/api/session.ts';
import { demoClusterSettings } from '../../src/demo/demo-settings.ts';
import { startDemoCluster } from '../../src/demo/start-demo-cluster.ts';
import type { DemoCluster } from '../../src/demo/types.ts';
import { createRuntime, type Runtime } from '../../src/server/runtime.ts';
import { runTool, type ToolOutcome } from '../../src/tools/run-tool.ts';
import { typical } from '../support/combinations.ts';
import { worldOf } from '../support/demo-world.ts';
import { coveredTools, type Examples, examplesFor, examplesOf } from '../support/examples.ts';
import { settingsFor } from '../support/harness.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

/** Null is what the API answers for a container that does not run. */
const MAY_BE_NULL: ReadonlySet<string> = new Set(['/nodes/{node}/lxc/{vmid}/interfaces']);

let demo: DemoCluster;
let runtime: Runtime;
let examples: Examples;
beforeAll(async () => {
  demo = await startDemoCluster({});
  runtime = createRuntime(settingsFor(demoClusterSettings(demo)));
  examples = examplesFor(worldOf(demo));
});
afterAll(async () => {
  await runtime.close();
  await demo.close();
});

/** The session with one list gone; notes which lists were read. */
function without(session: Session, gone: string | undefined, lists: Set<string>): Session {
  return {
    ...session,
    scrubber: session.scrubber,
    async get(path, params, query, caller) {
      const got = await session.get(path, params, query, caller);
      if (!Array.isArray(got.data) || MAY_BE_NULL.has(path)) return got;
      lists.add(path);
      return path === gone ? { ...got, data: null } : got;
    },
  };
}

const Structured = z.looseObject({ coverage: z.string(), problems: z.array(z.unknown()) });

function tells({ isError, structured }: ToolOutcome): boolean {
  if (isError) return true;
  const { coverage, problems } = Structured.parse(structured);
  return coverage !== 'complete' || problems.length > 0;
}

it.each(coveredTools.map(([, tool]) => tool))('$name', async (tool) => {
  const silent: string[] = [];
  const done = new Set<string>();
  const options = { form: 'structured', maxChars: 40_000 } as const;
  for (const args of typical(examplesOf(tool, examples))) {
    const lists = new Set<string>();
    await runTool(tool, args, without(runtime.session(), undefined, lists), options);
    for (const path of lists) {
      if (done.has(path)) continue;
      done.add(path);
      const outcome = await runTool(tool, args, without(runtime.session(), path, new Set()), options);
      if (!tells(outcome)) silent.push(`${path} ${JSON.stringify(args)}`);
      if (outcome.errorKind === 'internal') silent.push(`${path} ${JSON.stringify(args)}: ${outcome.text}`);
    }
  }
  expect(silent).toEqual([]);
});
