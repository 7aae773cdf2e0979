/**
 * FIELD T22: times are told in UTC, in ISO form. No answer of any tool shows seconds since the epoch, or a time in the
 * zone of the machine it runs on.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { representatives } from '../support/combinations.ts';
import { worldOf } from '../support/demo-world.ts';
import { coveredTools, type Examples, examplesFor, examplesOf } from '../support/examples.ts';
import { type Harness, openHarness } from '../support/harness.ts';

let h: Harness;
let examples: Examples;
beforeAll(async () => {
  h = await openHarness();
  examples = examplesFor(worldOf(h.demo));
});
afterAll(() => h.close());

/** What stands between the fences is upstream's own text; a task's id holds its start in hex. */
const own = (text: string): string =>
  text.replace(/<(upstream-text-\w+)>[\s\S]*?<\/\1>/g, '').replace(/UPID:\S+|\b[0-9a-f]{16,}\b|"?cursor"?[=:]\s*"[^"]*"/g, '');

/** Ten digits of a time between 2017 and 2033, in seconds or milliseconds. */
const EPOCH = /(?<![\d.:@-])1[5-9]\d{8}(?:\d{3})?(?![\d.])/;
const LOCAL = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?![\d:.]|Z)/;

describe('T22 times', () => {
  it.each(coveredTools)('%s tells UTC times in ISO form, and no epoch', async (name, tool) => {
    const wrong: string[] = [];
    for (const args of representatives(examplesOf(tool, examples), 2)) {
      for (const form of ['text', 'structured'] as const) {
        const { text } = await h.call(name, args, { form, maxChars: 40_000 });
        // In the structured form upstream's own text is not marked off.
        for (const pattern of form === 'text' ? [EPOCH, LOCAL] : [EPOCH]) {
          const found = pattern.exec(own(text));
          if (found !== null)
            wrong.push(`${JSON.stringify(args)}: …${own(text).slice(Math.max(0, found.index - 60), found.index + 30)}…`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });
});
