/**
 * Two tokens at one cluster never see each other's rows, however many calls are interleaved; equal questions of one
 * token become one request; who stops waiting leaves the others alone; a cursor is worth nothing to another token.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createCall } from '../../src/api/call.ts';
import type { Session } from '../../src/api/session.ts';
import { demoClusterSettings } from '../../src/demo/demo-settings.ts';
import { startDemoCluster } from '../../src/demo/start-demo-cluster.ts';
import type { DemoCluster, DemoRole } from '../../src/demo/types.ts';
import { createRuntime, type Runtime } from '../../src/server/runtime.ts';
import { runTool } from '../../src/tools/run-tool.ts';
import { worldOf } from '../support/demo-world.ts';
import { type Args, coveredTools, examplesFor, examplesOf } from '../support/examples.ts';
import { settingsFor } from '../support/harness.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let demo: DemoCluster;
let runtime: Runtime;
beforeAll(async () => {
  demo = await startDemoCluster({ authDelayMs: 20 });
  runtime = createRuntime(settingsFor(demoClusterSettings(demo, 'auditor')));
});
afterAll(async () => {
  await runtime.close();
  await demo.close();
});

function sessionOf(role: DemoRole): Session {
  const { id, secret } = demo.token(role);
  return runtime.sessionFor('demo', id, secret, role);
}

const toolNamed = (name: string) => {
  const found = coveredTools.find(([other]) => other === name);
  if (found === undefined) throw new Error(`no tool ${name}`);
  return found[1];
};
const ask = (session: Session, name: string, args: Args = {}) =>
  runTool(toolNamed(name), args, session, { form: 'text', maxChars: 40_000 });

describe('identities', () => {
  it("200 interleaved calls: nothing that only one token sees is in another's answer", async () => {
    const world = worldOf(demo);
    const blind = world.areas.access.scenario.blindVmid;
    const names = [...world.guests.values()].flatMap(({ name }) => name ?? []).filter((name) => name.length > 4);
    const roles = ['auditor', 'noacl', 'blind-one'] as const;
    const examples = examplesFor(world);
    const calls = coveredTools
      .filter(([, tool]) => tool.reads.includes('/cluster/resources'))
      .flatMap(([name, tool]) =>
        examplesOf(tool, examples)
          .slice(0, 1)
          .map((args) => ({ name, args: tool.paged ? { limit: 1000, ...args } : args })),
      );

    // What each token is told on its own is the measure.
    const key = (role: string, index: number): string => `${role} ${index % calls.length}`;
    const alone = new Map<string, string>();
    for (const role of roles) {
      const told = await Promise.all(calls.map(({ name, args }) => ask(sessionOf(role), name, args)));
      for (const [index, { text }] of told.entries()) alone.set(key(role, index), text);
    }
    sessionOf('auditor').forget();
    sessionOf('noacl').forget();
    sessionOf('blind-one').forget();

    const mixed = await Promise.all(
      Array.from({ length: 210 }, async (_, i) => {
        const role = roles[i % roles.length] ?? 'auditor';
        const index = Math.floor(i / roles.length);
        const { name, args } = calls[index % calls.length] ?? { name: 'list_guests', args: {} };
        return { role, index, name, args, text: (await ask(sessionOf(role), name, args)).text };
      }),
    );
    const leaks = mixed.flatMap(({ role, index, name, args, text }) => {
      const own = alone.get(key(role, index)) ?? '';
      const foreign = names.filter((guest) => text.includes(guest) && !own.includes(guest));
      return foreign.length === 0 ? [] : [`${role} ${name} ${JSON.stringify(args)}: ${foreign.join(', ')}`];
    });
    expect(leaks).toEqual([]);

    // The measure measures: the auditor sees guests, the others less.
    const guestsSeenBy = (role: DemoRole): number => {
      const index = calls.findIndex(({ name, args }) => name === 'list_guests' && Object.keys(args).join() === 'limit');
      return names.filter((guest) => (alone.get(key(role, index)) ?? '').includes(guest)).length;
    };
    expect(guestsSeenBy('auditor')).toBeGreaterThan(20);
    expect(guestsSeenBy('noacl')).toBe(0);
    expect(guestsSeenBy('blind-one')).toBe(guestsSeenBy('auditor') - (world.guests.get(blind)?.name === undefined ? 0 : 1));
  });

  it('sessions of different tokens differ, and the same token finds its own again', () => {
    expect(sessionOf('auditor')).not.toBe(sessionOf('noacl'));
    expect(sessionOf('auditor').key).not.toBe(sessionOf('noacl').key);
    expect(sessionOf('auditor')).toBe(sessionOf('auditor'));
  });

  it('200 equal calls of one token make one request of each kind', async () => {
    const session = sessionOf('auditor');
    session.forget();
    const off = demo.faults.add({ kind: 'slow', match: '/', delayMs: 300 });
    const from = demo.requests.length;
    const outcomes = await Promise.all(Array.from({ length: 200 }, () => ask(session, 'list_guests')));
    off();
    expect(new Set(outcomes.map(({ text }) => text)).size).toBe(1);
    const asked = demo.requests.slice(from).map(({ path, query }) => `${path} ${JSON.stringify(query)}`);
    expect(asked.length).toBe(new Set(asked).size);
    expect(asked.filter((path) => path.startsWith('/cluster/resources'))).toHaveLength(1);
  });

  it('an equal question of another token is a request of its own', async () => {
    for (const role of ['auditor', 'blind-one'] as const) sessionOf(role).forget();
    const from = demo.requests.length;
    await Promise.all([ask(sessionOf('auditor'), 'list_nodes'), ask(sessionOf('blind-one'), 'list_nodes')]);
    const tokens = demo.requests.slice(from).filter(({ path }) => path === '/cluster/resources');
    expect(tokens.map(({ token }) => token).sort()).toEqual([demo.token('auditor').id, demo.token('blind-one').id].sort());
  });

  it('one that stops waiting leaves the others alone; with nobody left the request is given up', async () => {
    const session = sessionOf('auditor');
    session.forget();
    const off = demo.faults.add({ kind: 'slow', match: '/cluster/resources', delayMs: 400 });
    const from = demo.requests.length;
    const leaving = new AbortController();
    const first = createCall(session, { signal: leaving.signal }).get('/cluster/resources', {});
    const second = createCall(session).get('/cluster/resources', {});
    setTimeout(() => leaving.abort(), 100);
    await expect(first).rejects.toMatchObject({ kind: 'cancelled' });
    await expect(second).resolves.toMatchObject({ redacted: expect.any(Number) });
    expect(demo.requests.slice(from).filter(({ path }) => path === '/cluster/resources')).toHaveLength(1);

    session.forget();
    const alone = new AbortController();
    const only = createCall(session, { signal: alone.signal }).get('/cluster/resources', {});
    setTimeout(() => alone.abort(), 100);
    await expect(only).rejects.toMatchObject({ kind: 'cancelled' });
    off();
    // A later question is not handed the request that was given up.
    await expect(createCall(session).get('/cluster/resources', {})).resolves.toBeDefined();
  });

  it('a cursor of one token is refused for another, and says why', async () => {
    const { text } = await ask(sessionOf('auditor'), 'list_guests', { limit: 3 });
    const cursor = /cursor[=: ]+"?([\w-]{20,})/.exec(text)?.[1];
    expect(cursor).toBeDefined();
    const own = await ask(sessionOf('auditor'), 'list_guests', { limit: 3, cursor });
    expect(own.isError).toBe(false);
    const other = await ask(sessionOf('blind-one'), 'list_guests', { limit: 3, cursor });
    expect(other.errorKind).toBe('bad-argument');
    expect(other.text).toMatch(/another cluster or token/);
    const elsewhere = await ask(sessionOf('auditor'), 'list_storage', { limit: 3, cursor });
    expect(elsewhere.errorKind).toBe('bad-argument');
  });
});
