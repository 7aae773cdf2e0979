/**
 * FIELD T4: hostile arguments to every tool. Whatever a model (or what it read in a guest's notes) writes into an
 * argument: the answer is an answer or a short error, and no request leaves for a path that was not meant.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isEndpoint } from '../../src/api/endpoints.ts';
import type { Tool } from '../../src/tools/define-tool.ts';
import type { ToolOutcome } from '../../src/tools/run-tool.ts';
import { matchTemplate } from '../contract/facts.ts';
import { worldOf } from '../support/demo-world.ts';
import { type Args, coveredTools, type Examples, examplesFor, examplesOf } from '../support/examples.ts';
import { type Harness, openHarness } from '../support/harness.ts';

let harness: Harness;
let examples: Examples;
beforeAll(async () => {
  harness = await openHarness();
  examples = examplesFor(worldOf(harness.demo));
});
afterAll(() => harness.close());

/** Texts that mean something to a path, a query, a shell, a log, a terminal, a regular expression or an object. */
const TRICKS: readonly string[] = [
  '..',
  '.',
  '../../access/ticket',
  '..%2f..%2faccess',
  'pve1/qemu/100/agent/file-read',
  'pve1%2fstatus',
  'pve1%252fstatus',
  'pve1?x=1',
  'pve1#x',
  'pve1;shutdown',
  'pve1&command=reboot',
  'pve1\r\nX-Evil: 1',
  'pve1\u0000',
  ' pve1',
  'pve1\\..\\x',
  'ｐｖｅ１',
  'pve1\u202e',
  '\u{1F4A9}',
  '$(reboot)',
  '`id`',
  "' OR 1=1 --",
  '(a+)+$',
  '\u001b[31mred',
  'local:../../etc/passwd',
  'UPID:pve1:0000:0000:0000:x:../../x:root@pam:',
  'UPID:../x:00000001:00000001:00000001:t:1:root@pam:',
  '__proto__',
  'constructor',
  'toString',
  'https://example.org/',
  '-1',
  '1e9',
  '0x64',
  '100.5',
  'NaN',
  '',
];

/** Values of the wrong kind or size. */
const ODD: readonly unknown[] = [
  -1,
  0,
  1.5,
  Number.MAX_SAFE_INTEGER,
  Number.NaN,
  true,
  [],
  {},
  [[]],
  ['..', '../..'],
  { toString: 'x' },
  { $ne: 1 },
  'x'.repeat(100_000),
  Array.from({ length: 5_000 }, (_, i) => `field${i}`),
];

const WHOLE: readonly unknown[] = [
  'a string',
  7,
  [],
  null,
  { unknown: 1 },
  JSON.parse('{"__proto__": {"admin": true}, "constructor": {"prototype": {"x": 1}}}'),
  Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`k${i}`, i])),
];

function parametersOf(tool: Tool): string[] {
  return Object.keys(
    z.object({ properties: z.record(z.string(), z.unknown()).default({}) }).parse(z.toJSONSchema(tool.schema, { io: 'input' }))
      .properties,
  );
}

/** Every parameter in turn holds every trick; the other arguments are a good example's. */
function hostileCalls(tool: Tool, values: readonly unknown[]): Args[] {
  const [base = {}] = examplesOf(tool, examples);
  return parametersOf(tool).flatMap((name) => values.map((value) => ({ ...base, [name]: value })));
}

/** What is wrong with an outcome and with what was sent for it. */
function wrongWith(tool: Tool, args: unknown, outcome: ToolOutcome, from: number): string[] {
  const said = `${tool.name} ${JSON.stringify(args)?.slice(0, 150)}`;
  const wrong: string[] = [];
  if (outcome.errorKind === 'internal') wrong.push(`${said} crashed: ${outcome.text}`);
  if (outcome.isError && outcome.text.length > 1_000) wrong.push(`${said}: error of ${outcome.text.length} characters`);
  if (outcome.text.length > 10_000) wrong.push(`${said}: answer of ${outcome.text.length} characters`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\u0000-\u0008\u000b-\u001f\u007f\u202a-\u202e\u2066-\u2069]/.test(outcome.text))
    wrong.push(`${said}: control characters in the answer`);
  for (const { method, path } of harness.demo.requests.slice(from)) {
    const template = matchTemplate('9.2.11', path)?.template;
    const expected =
      method === 'GET' && template !== undefined && isEndpoint(template) && tool.reads.concat('/version').includes(template);
    if (!expected) wrong.push(`${said} sent ${method} ${path}`);
    if (/\.\.|%|[\s\\;?#&]|\/\/|[^\x20-\x7e]/.test(path.replace(/UPID:[^/]*/, '')))
      wrong.push(`${said} sent the path ${JSON.stringify(path)}`);
  }
  return wrong;
}

describe('T4 hostile arguments', () => {
  it.each(coveredTools)('%s: tricks in every parameter', async (name, tool) => {
    const wrong: string[] = [];
    for (const args of hostileCalls(tool, TRICKS)) {
      const from = harness.demo.requests.length;
      wrong.push(...wrongWith(tool, args, await harness.call(name, args), from));
    }
    expect(wrong).toEqual([]);
  });

  it.each(coveredTools)('%s: wrong kinds and sizes', async (name, tool) => {
    const wrong: string[] = [];
    for (const args of hostileCalls(tool, ODD)) {
      const from = harness.demo.requests.length;
      wrong.push(...wrongWith(tool, args, await harness.call(name, args), from));
    }
    for (const args of WHOLE) {
      const from = harness.demo.requests.length;
      // What a client sends as arguments need not be an object.
      wrong.push(...wrongWith(tool, args, await harness.call(name, args as Args), from));
    }
    expect(wrong).toEqual([]);
  });

  it('no argument changed what every object inherits', () => {
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  it('a path trick in a node, storage, task or pool is refused before any request', async () => {
    const wrong: string[] = [];
    for (const [name, tool] of coveredTools) {
      for (const parameter of parametersOf(tool).filter((p) => ['node', 'storage', 'upid', 'vnet', 'snapshot'].includes(p))) {
        for (const trick of ['../x', 'a%2fb', 'a/b', 'a;b', 'a?b', 'a\nb']) {
          const [base = {}] = examplesOf(tool, examples);
          const outcome = await harness.call(name, { ...base, [parameter]: trick });
          if (!outcome.isError) wrong.push(`${name} ${parameter}=${JSON.stringify(trick)}: ${outcome.text.slice(0, 150)}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });
});
