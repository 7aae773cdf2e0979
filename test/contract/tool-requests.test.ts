/**
 * FIELD T1, T18: everything any tool can ask, over all its parameters, is a GET that the API of the release knows, is on
 * the allow-list and is declared by the tool. The embedded cluster refuses what the real one would refuse (unknown
 * parameter, unknown path), for each release that is supported.
 */
import pLimit from 'p-limit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { sectionKey } from '../../src/answer/structured-shape.ts';
import { isEndpoint } from '../../src/api/endpoints.ts';
import type { DemoRelease, DemoRole, LoggedRequest } from '../../src/demo/types.ts';
import { createWorld } from '../../src/demo/world/create-world.ts';
import type { Tool } from '../../src/tools/define-tool.ts';
import { runTool } from '../../src/tools/run-tool.ts';
import { combinationsOf, representatives, typical } from '../support/combinations.ts';
import { worldOf } from '../support/demo-world.ts';
import { type Args, coveredTools, type Examples, examplesFor, examplesOf, unmatched } from '../support/examples.ts';
import { type Harness, openHarness } from '../support/harness.ts';
import { spyOn } from '../support/spy-session.ts';
import { matchTemplate, RELEASES, validateRequest } from './facts.ts';

vi.setConfig({ testTimeout: 60_000 });

/** Everything is tried once; what differs by rights or release is tried with some examples of each shape. */
interface Round {
  readonly role: DemoRole;
  readonly all?: true;
}
const ROUNDS: readonly (Round & { readonly release: DemoRelease })[] = [
  { release: '9.2.11', role: 'auditor', all: true },
  // Rights decide which way a reader goes: what an auditor gets at once is found by a detour as somebody else.
  { release: '9.2.11', role: 'full' },
  { release: '9.2.11', role: 'noacl' },
  { release: '9.0', role: 'auditor' },
  { release: '8.4', role: 'auditor' },
  { release: '7.4', role: 'auditor' },
  { release: '7.4', role: 'noacl' },
];
/** Calls at once; equal reads of theirs become one request, which spares much. */
const AT_ONCE = 24;
/** Examples of each shape in a round that does not try everything. */
const SOME = 1;
/** Read for the release gates, and not worth a declaration by each tool. */
const ALWAYS_DECLARED: ReadonlySet<string> = new Set(['/version']);

/** Failures that no right and no state of the cluster excuses. */
const OUR_FAULT: ReadonlySet<string> = new Set(['internal', 'bad-parameter', 'malformed-answer']);

it('every tool has example arguments, in every release, and there are none for tools that are gone', () => {
  const found = RELEASES.map((release) => unmatched(examplesFor(createWorld({ release }))));
  expect([...new Set(found.flatMap(({ tools }) => tools))]).toEqual([]);
  expect([...new Set(found.flatMap(({ entries }) => entries))]).toEqual([]);
});

describe.each(RELEASES)('release %s', (release) => {
  const rounds = ROUNDS.filter((round) => round.release === release);
  const harnesses = new Map<DemoRole, Harness>();
  let harness: Harness;
  let examples: Examples;

  beforeAll(async () => {
    harness = await openHarness({ release });
    examples = examplesFor(worldOf(harness.demo));
    for (const { role } of rounds) harnesses.set(role, await openHarness({ demo: harness.demo, role }));
  });
  afterAll(async () => {
    for (const other of harnesses.values()) await other.close();
    await harness.close();
  });

  describe.each(coveredTools)('T1 %s', (_name, tool) => {
    it.each(rounds)('as $role: only declared, valid GETs', async ({ role, all }) => {
      const { session, demo } = harnesses.get(role) ?? harness;
      const given = examplesOf(tool, examples);
      const calls = all === true ? combinationsOf(tool, given, 2) : combinationsOf(tool, representatives(given, SOME), SOME);
      const wrong = new Set<string>();
      const from = demo.requests.length;
      const limit = pLimit(AT_ONCE);
      const check = async (args: Args): Promise<void> => {
        const spy = spyOn(session);
        const outcome = await runTool(tool, args, spy, { form: 'structured', maxChars: 20_000 });
        const said = `${JSON.stringify(args)} -> ${outcome.text.slice(0, 200)}`;
        for (const { path } of spy.reads)
          if (!tool.reads.includes(path) && !ALWAYS_DECLARED.has(path)) wrong.add(`${path} is not in reads`);
        for (const kind of [outcome.errorKind, ...problemKinds(outcome.structured)])
          if (kind !== undefined && OUR_FAULT.has(kind)) wrong.add(`${kind}: ${said}`);
        if (outcome.errorKind === 'bad-argument' && given.includes(args)) wrong.add(`refuses its example: ${said}`);
        if (outcome.text.trim() === '') wrong.add(`says nothing: ${said}`);
        for (const why of oddTimes(tool, outcome.structured)) wrong.add(`${why}: ${said}`);
      };
      await Promise.all(calls.map((args) => limit(() => check(args))));
      for (const request of demo.requests.slice(from)) for (const why of faultsOf(release, tool, request)) wrong.add(why);
      expect([...wrong]).toEqual([]);
    });
  });
});

const Problems = z.object({ problems: z.array(z.object({ kind: z.string() })) });

function problemKinds(structured: unknown): string[] {
  return structured === undefined ? [] : Problems.parse(structured).problems.map(({ kind }) => kind);
}

/** T22: cells declared as times that are not written as UTC. */
function oddTimes({ output }: Tool, structured: Readonly<Record<string, unknown>> | undefined): string[] {
  return Object.entries(output).flatMap(([name, section]) => {
    if (section.form !== 'table' && section.form !== 'record') return [];
    const columns = Object.entries(section.columns).flatMap(([column, { kind }]) => (kind === 'time' ? [column] : []));
    const rows = [structured?.[sectionKey(name)]].flat();
    return rows.flatMap((row: unknown) =>
      columns.flatMap((column) => {
        const value =
          typeof row === 'object' && row !== null && column in row
            ? Object.entries(row).find(([key]) => key === column)?.[1]
            : undefined;
        return value === undefined || /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?Z$/.test(String(value))
          ? []
          : [`${name}.${column} is ${value}`];
      }),
    );
  });
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

describe('T7 a node on its own', () => {
  it.each(['9.2.11', '8.4'] as const)('release %s: every tool answers, none misses a cluster or its quorum', async (release) => {
    const harness = await openHarness({ release, standalone: true });
    const examples = examplesFor(worldOf(harness.demo));
    const wrong: string[] = [];
    for (const [name, tool] of coveredTools) {
      for (const args of typical(examplesOf(tool, examples))) {
        const outcome = await harness.call(name, args, { form: 'structured', maxChars: 20_000 });
        const said = `${name} ${JSON.stringify(args)} -> ${outcome.text.slice(0, 300)}`;
        const kinds = [outcome.errorKind, ...problemKinds(outcome.structured)];
        if (kinds.some((kind) => kind !== undefined && (OUR_FAULT.has(kind) || kind === 'upstream'))) wrong.push(said);
        if (/not quorate|no quorum|lost quorum|without quorum/i.test(outcome.text)) wrong.push(`quorum: ${said}`);
      }
    }
    await harness.close();
    expect(wrong).toEqual([]);
  });
});
