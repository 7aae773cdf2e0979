/**
 * FIELD T1, T18: everything any tool can ask, over all its parameters, is a GET that the API of the release knows, is on
 * the allow-list and is declared by the tool. The embedded cluster refuses what the real one would refuse (unknown
 * parameter, unknown path), for each release that is supported.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isEndpoint } from '../../src/api/endpoints.ts';
import type { DemoRelease, DemoRole, LoggedRequest } from '../../src/demo/types.ts';
import { catalog } from '../../src/tools/catalog.ts';
import type { Tool } from '../../src/tools/define-tool.ts';
import { runTool } from '../../src/tools/run-tool.ts';
import { combinationsOf } from '../support/combinations.ts';
import { worldOf } from '../support/demo-world.ts';
import { type Args, type Examples, examplesFor, examplesOf, unmatched } from '../support/examples.ts';
import { type Harness, openHarness } from '../support/harness.ts';
import { spyOn } from '../support/spy-session.ts';
import { matchTemplate, RELEASES, validateRequest } from './facts.ts';

/** Rights decide which way a reader goes: what the auditor gets at once is found by a detour as somebody else. */
const ROLES: readonly DemoRole[] = ['auditor', 'full', 'noacl'];
/** Read for the release gates, and not worth a declaration by each tool. */
const ALWAYS_DECLARED: ReadonlySet<string> = new Set(['/version']);

describe.each(RELEASES)('release %s', (release) => {
  let harness: Harness;
  let examples: Examples;
  const others = new Map<DemoRole, Harness>();

  beforeAll(async () => {
    harness = await openHarness({ release });
    examples = examplesFor(worldOf(harness.demo));
    for (const role of ROLES) others.set(role, role === 'auditor' ? harness : await openHarness({ demo: harness.demo, role }));
  });
  afterAll(async () => {
    for (const [role, other] of others) if (role !== 'auditor') await other.close();
    await harness.close();
  });

  it('every tool has example arguments', () => {
    expect(unmatched(examples).tools).toEqual([]);
  });

  describe.each(catalog.map((tool) => ({ name: tool.name, tool })))('$name', ({ tool }) => {
    it.each(rolesFor(release))('as %s: only declared, valid GETs', async (role) => {
      const { session, demo } = others.get(role) ?? harness;
      const calls = combinationsOf(tool, examplesOf(tool, examples));
      const wrong = new Set<string>();
      for (const args of calls) {
        const from = demo.requests.length;
        const spy = spyOn(session);
        const outcome = await runTool(tool, args, spy, { form: 'text', maxChars: 10_000 });
        const said = `${JSON.stringify(args)} -> ${outcome.text.slice(0, 200)}`;
        for (const { path } of spy.reads)
          if (!tool.reads.includes(path) && !ALWAYS_DECLARED.has(path)) wrong.add(`${path} is not in reads`);
        for (const request of demo.requests.slice(from)) for (const why of faultsOf(release, tool, request)) wrong.add(why);
        if (outcome.errorKind === 'internal') wrong.add(`crashed: ${said}`);
        if (outcome.errorKind === 'bad-argument' && isExample(args, tool, examples)) wrong.add(`refuses its example: ${said}`);
        if (outcome.text.trim() === '') wrong.add(`says nothing: ${said}`);
      }
      expect([...wrong]).toEqual([]);
    });
  });
});

/** Older releases are asked as the two that differ most. */
function rolesFor(release: DemoRelease): readonly DemoRole[] {
  return release === '9.2.11' ? ROLES : ['auditor', 'noacl'];
}

function isExample(args: Args, tool: Tool, examples: Examples): boolean {
  return examplesOf(tool, examples).includes(args);
}

/** Why a request should never have been sent. */
function faultsOf(release: DemoRelease, tool: Tool, request: LoggedRequest): string[] {
  const { method, path, query, status } = request;
  const line = `${method} ${path} ${JSON.stringify(query)} -> ${status}`;
  if (method !== 'GET') return [`not a GET: ${line}`];
  const found = matchTemplate(release, path);
  if (found === undefined) return [`not in ${release}: ${line}`];
  const { template, params } = found;
  const wrong = validateRequest(release, template, query, params).map((why) => `${template}: ${why}`);
  if (status === 501) wrong.push(`not in ${release}: ${line}`);
  if (!isEndpoint(template)) wrong.push(`not on the allow-list: ${line}`);
  else if (!tool.reads.includes(template) && !ALWAYS_DECLARED.has(template)) wrong.push(`not in reads: ${template}`);
  return wrong;
}
