/**
 * FIELD T4: hostile arguments to every tool. Whatever a model (or what it read in a guest's notes) writes into an
 * argument: the answer is an answer or a short error, and no request leaves for a path that was not meant.
 */
import pLimit from 'p-limit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { isEndpoint } from '../../src/api/endpoints.ts';
import type { LoggedRequest } from '../../src/demo/types.ts';
import type { Tool } from '../../src/tools/define-tool.ts';
import { runTool, type ToolOutcome } from '../../src/tools/run-tool.ts';
import { matchTemplate } from '../contract/facts.ts';
import { worldOf } from '../support/demo-world.ts';
import { type Args, coveredTools, type Examples, examplesFor, examplesOf } from '../support/examples.ts';
import { type Harness, openHarness } from '../support/harness.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

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

/** What is wrong with an answer to these arguments. */
function wrongWith(tool: Tool, args: unknown, { text, isError, errorKind }: ToolOutcome): string[] {
  const said = `${tool.name} ${JSON.stringify(args)?.slice(0, 150)}`;
  return [
    ...(errorKind === 'internal' ? [`${said} crashed: ${text}`] : []),
    ...(isError && text.length > 1_000 ? [`${said}: error of ${text.length} characters`] : []),
    ...(text.length > 10_000 ? [`${said}: answer of ${text.length} characters`] : []),
    ...(CONTROL.test(text) ? [`${said}: control characters in the answer`] : []),
  ];
}

const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f\u202a-\u202e\u2066-\u2069]/;

/** What is wrong with a request that the tool made. */
function wrongRequest(tool: Tool, { method, path }: LoggedRequest): string[] {
  const template = matchTemplate('9.2.11', path)?.template;
  const declared: readonly string[] = [...tool.reads, '/version'];
  const expected = method === 'GET' && template !== undefined && isEndpoint(template) && declared.includes(template);
  const odd = /\.\.|%|[\s\\;?#&]|\/\/|[^\x20-\x7e]/.test(path);
  return [
    ...(expected ? [] : [`${tool.name} sent ${method} ${JSON.stringify(path)}`]),
    ...(odd ? [`${tool.name} sent the path ${JSON.stringify(path)}`] : []),
  ];
}

/** Asks them all, several at once, and gives everything that is wrong with answers and requests. */
async function faultsOf(tool: Tool, calls: readonly unknown[]): Promise<string[]> {
  const from = harness.demo.requests.length;
  const limit = pLimit(12);
  const session = harness.runtime.session();
  const wrong = await Promise.all(
    calls.map((args) =>
      // What a client sends as arguments need not be an object.
      limit(async () => wrongWith(tool, args, await runTool(tool, args, session, { form: 'text', maxChars: 10_000 }))),
    ),
  );
  const sent = harness.demo.requests.slice(from).flatMap((request) => wrongRequest(tool, request));
  return [...new Set([...wrong.flat(), ...sent])];
}

describe('T4 hostile arguments', () => {
  it.each(coveredTools)('%s: tricks in every parameter', async (_name, tool) => {
    expect(await faultsOf(tool, hostileCalls(tool, TRICKS))).toEqual([]);
  });

  it.each(coveredTools)('%s: wrong kinds and sizes', async (_name, tool) => {
    expect(await faultsOf(tool, [...hostileCalls(tool, ODD), ...WHOLE])).toEqual([]);
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
