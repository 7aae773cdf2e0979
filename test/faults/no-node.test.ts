/**
 * When no node answers a question of its own, nothing that only nodes know may be counted as none: whatever the tool, its
 * first line, which is what is read first and quoted, names no zero without saying that it did not see all.
 */

import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { typical } from '../support/combinations.ts';
import { worldOf } from '../support/demo-world.ts';
import { coveredTools, type Examples, examplesFor, examplesOf } from '../support/examples.ts';
import { type Harness, openHarness } from '../support/harness.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let h: Harness;
let examples: Examples;
beforeAll(async () => {
  h = await openHarness();
  examples = examplesFor(worldOf(h.demo));
  h.demo.faults.add({ kind: 'status-500', match: '/nodes/' });
});
afterAll(() => h.close());

/** `0 tasks`, `none has ...`, `VM 101: no snapshots`; an address that is not known is not denied. */
const NONE = /^0 [a-z]|\bnone\b|^[^:]*: no (?!address)/;
/** Says itself that not everything was seen. */
const QUALIFIED = /could be read|that answered|of \d+ checks made/;

it.each(coveredTools.map(([, tool]) => tool))('$name', async (tool) => {
  const wrong: string[] = [];
  for (const args of typical(examplesOf(tool, examples))) {
    const { text, isError } = await h.call(tool.name, args);
    const [first = ''] = text.split('\n');
    if (!isError && NONE.test(first) && !QUALIFIED.test(first)) wrong.push(`${JSON.stringify(args)}: ${first}`);
  }
  expect(wrong).toEqual([]);
});
