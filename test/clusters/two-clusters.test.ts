import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoClusterSettings } from '../../src/demo/demo-settings.ts';
import { startDemoCluster } from '../../src/demo/start-demo-cluster.ts';
import type { DemoCluster } from '../../src/demo/types.ts';
import type { Caller } from '../../src/server/caller.ts';
import { createRuntime, type Runtime } from '../../src/server/runtime.ts';
import { callTool, listTools } from '../../src/server/tool-handlers.ts';
import { worldOf } from '../support/demo-world.ts';
import { settingsForAll } from '../support/http.ts';
import { cursorOf } from '../support/read-answer.ts';

/** Equal in everything but the names of their guests: what tells rows apart is the cluster alone. */
let alpha: DemoCluster;
let beta: DemoCluster;
let runtime: Runtime;

beforeAll(async () => {
  const options = { nodes: 3, guests: 40, now: Date.now(), authDelayMs: 20 };
  [alpha, beta] = await Promise.all([startDemoCluster(options), startDemoCluster(options)]);
  for (const [demo, prefix] of [
    [alpha, 'alfa.'],
    [beta, 'bravo.'],
  ] as const) {
    for (const guest of worldOf(demo).guests.values()) Object.assign(guest, { name: prefix + guest.name });
  }
  runtime = createRuntime(
    settingsForAll([demoClusterSettings(alpha, 'auditor', 'alpha'), demoClusterSettings(beta, 'auditor', 'beta')]),
  );
});
afterAll(async () => {
  await runtime.close();
  await Promise.all([alpha.close(), beta.close()]);
});

async function ask(name: string, args: Record<string, unknown> = {}, caller: Caller = { name: 'test' }, at = runtime) {
  const result = await callTool(at, name, args, { caller, signal: new AbortController().signal, progress: undefined });
  const [content] = result?.content ?? [];
  const text = content?.type === 'text' ? content.text : '';
  return { text, isError: result?.isError ?? false, structured: result?.structuredContent };
}

/** The rows of the table in an answer, as objects of texts. */
function rows(text: string): Record<string, string>[] {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.startsWith('cluster\t') || line.startsWith('vmid\t'));
  const keys = lines[start]?.split('\t') ?? [];
  return lines
    .slice(start + 1)
    .filter((line) => line.includes('\t'))
    .map((line) => Object.fromEntries(line.split('\t').map((cell, i) => [keys[i] ?? '', cell])));
}

describe('the schema', () => {
  it('has a cluster for every tool when there are several', () => {
    for (const tool of listTools(runtime)) {
      const { cluster } = tool.inputSchema.properties ?? {};
      expect(cluster, tool.name).toMatchObject({ type: 'string', enum: expect.arrayContaining(['alpha', 'beta']) });
    }
    const of = (name: string) => listTools(runtime).find((tool) => tool.name === name)?.inputSchema;
    expect(of('get_guest')?.required).toContain('cluster');
    expect(of('get_guest')?.properties?.['cluster']).toMatchObject({ enum: ['alpha', 'beta'] });
    expect(of('list_guests')?.required ?? []).not.toContain('cluster');
    expect(of('list_guests')?.properties?.['cluster']).toMatchObject({ enum: ['alpha', 'beta', 'all'] });
  });

  it('tells no name where some callers may not know them', () => {
    const hidden = listTools(runtime, true);
    expect(/alpha|beta/.exec(JSON.stringify(hidden))).toBeNull();
    for (const tool of hidden) expect(tool.inputSchema.properties?.['cluster'], tool.name).not.toHaveProperty('enum');
  });

  it('is unchanged with one cluster', async () => {
    const one = createRuntime(settingsForAll([demoClusterSettings(alpha, 'auditor', 'alpha')]));
    expect(JSON.stringify(listTools(one))).not.toContain('"cluster":{');
    expect((await ask('list_nodes', {}, { name: 'test' }, one)).text).toMatch(/^3 nodes/);
    await one.close();
  });
});

describe('one of several', () => {
  it('answers from the cluster that is named', async () => {
    const [vmid] = [...worldOf(alpha).guests.keys()];
    for (const [cluster, own, other] of [
      ['alpha', 'alfa.', 'bravo.'],
      ['beta', 'bravo.', 'alfa.'],
    ] as const) {
      const answers = [await ask('get_guest_status', { cluster, vmid }), await ask('list_guests', { cluster, limit: 50 })];
      for (const { text } of answers) {
        expect(text).toContain(own);
        expect(text).not.toContain(other);
      }
    }
  });

  it('is never guessed', async () => {
    const { text, isError } = await ask('get_guest', { vmid: 1000 });
    expect(isError).toBe(true);
    expect(text).toMatch(/bad-argument.*Which cluster\? There are: alpha, beta/);
    expect((await ask('get_guest', { vmid: 1000, cluster: 'all' })).text).toMatch(/bad-argument/);
    expect((await ask('list_guests', { cluster: 'gamma' })).text).toMatch(
      /There is no cluster "gamma" here. There are: alpha, beta/,
    );
  });

  it('refuses a cursor of the other', async () => {
    const cursor = cursorOf((await ask('list_guests', { cluster: 'alpha', limit: 5 })).text);
    expect((await ask('list_guests', { cluster: 'beta', limit: 5, cursor })).text).toMatch(/belongs to another cluster/);
  });
});

describe('all of them', () => {
  it('puts the cluster before every row and mixes none', async () => {
    const all = rows((await ask('list_guests', { cluster: 'all', limit: 100 })).text);
    expect(all).toHaveLength(80);
    expect(Object.keys(all[0] ?? {})[0]).toBe('cluster');
    // The name of a guest on an offline node is not known.
    const named = all.filter((row) => row['name'] !== '');
    expect(named.length).toBeGreaterThan(60);
    for (const row of named) expect(row['name']).toMatch(row['cluster'] === 'alpha' ? /^alfa\./ : /^bravo\./);
    expect(new Set(all.map((row) => row['vmid'])).size).toBe(40);
  });

  it('is what a question about a whole cluster means without one', async () => {
    expect((await ask('list_nodes')).text).toMatch(/^2 clusters: alpha: 3 nodes, 2 online \| beta: 3 nodes, 2 online/);
  });

  it('keeps the cluster when columns are chosen', async () => {
    expect(Object.keys(rows((await ask('list_guests', { fields: ['vmid'], limit: 2 })).text)[0] ?? {})).toEqual([
      'cluster',
      'vmid',
    ]);
  });

  it.each([{ sort: 'vmid' }, { sort: 'name' }, { sort: 'mem' }])(
    'pages through everything once, in one order: $sort',
    async ({ sort }) => {
      const seen: string[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < 40; page += 1) {
        const { text } = await ask('list_guests', {
          cluster: 'all',
          sort,
          limit: 7,
          ...(cursor === undefined ? {} : { cursor }),
        });
        seen.push(...rows(text).map((row) => `${row['cluster']}/${row['vmid']}`));
        cursor = cursorOf(text);
        if (cursor === undefined) break;
      }
      expect(seen).toHaveLength(80);
      expect(new Set(seen).size).toBe(80);
      const whole = rows((await ask('list_guests', { cluster: 'all', sort, limit: 100 })).text);
      expect(seen).toEqual(whole.map((row) => `${row['cluster']}/${row['vmid']}`));
    },
  );

  it('pages through tasks of all, newest first, none twice and none left out', async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < 200; page += 1) {
      const { text } = await ask('list_recent_tasks', {
        limit: 25,
        fields: ['cluster', 'upid'],
        ...(cursor === undefined ? {} : { cursor }),
      });
      seen.push(...rows(text).map((row) => `${row['cluster']} ${row['upid']}`));
      cursor = cursorOf(text);
      if (cursor === undefined) break;
    }
    expect(cursor).toBeUndefined();
    expect(new Set(seen).size).toBe(seen.length);
    const single: string[] = [];
    for (const cluster of ['alpha', 'beta']) {
      let next: string | undefined;
      do {
        const { text } = await ask('list_recent_tasks', {
          cluster,
          limit: 200,
          fields: ['start', 'upid'],
          ...(next === undefined ? {} : { cursor: next }),
        });
        single.push(...text.split('\n').flatMap((line) => (line.includes('UPID:') ? [`${cluster} ${line.split('\t')[1]}`] : [])));
        next = cursorOf(text);
      } while (next !== undefined);
    }
    expect(seen.length).toBeGreaterThan(30);
    expect([...seen].sort()).toEqual(single.sort());
    const starts = seen.map((row) => Number.parseInt(row.split(':')[4] ?? '', 16));
    expect(starts).toEqual([...starts].sort((a, b) => b - a));
  });

  it('costs a dead cluster its own rows only', async () => {
    const dead = createRuntime(
      settingsForAll([
        demoClusterSettings(alpha, 'auditor', 'alpha'),
        { ...demoClusterSettings(beta, 'auditor', 'beta'), urls: ['https://127.0.0.1:1'] },
      ]),
    );
    const { text, isError } = await ask('list_guests', { cluster: 'all', limit: 100 }, { name: 'test' }, dead);
    expect(isError).toBe(false);
    expect(text).toMatch(/^1 of 2 clusters answered: alpha: 40 guests/);
    expect(rows(text)).toHaveLength(40);
    expect(text).toMatch(/Problem: cluster beta \(unreachable\): No entry node/);
    await dead.close();
  });

  it('tells whose rows are hidden, and whose node is offline', async () => {
    const blind = createRuntime(
      settingsForAll([demoClusterSettings(alpha, 'auditor', 'alpha'), demoClusterSettings(beta, 'noacl', 'beta')]),
    );
    const { text } = await ask('list_guests', { limit: 100 }, { name: 'test' }, blind);
    expect(rows(text).every((row) => row['cluster'] === 'alpha')).toBe(true);
    expect(text).toMatch(/Hidden: guests \(cluster beta\): needs VM.Audit on \/vms/);
    await blind.close();
  });

  it('fails when no cluster answers', async () => {
    const dead = createRuntime(
      settingsForAll(
        ['alpha', 'beta'].map((name) => ({ ...demoClusterSettings(alpha, 'auditor', name), urls: ['https://127.0.0.1:1'] })),
      ),
    );
    const { text, isError } = await ask('list_nodes', {}, { name: 'test' }, dead);
    expect(isError).toBe(true);
    expect(text).toMatch(/^Error \(unreachable\)/);
    await dead.close();
  });

  it('merges records and free sections as well, in both forms', async () => {
    const structured = createRuntime({ ...runtime.settings, output: 'structured' });
    for (const { name, inputSchema } of listTools(runtime)) {
      if ((inputSchema.required ?? []).length > 0) continue;
      const { text, isError } = await ask(name);
      // What one cluster alone refuses (a log of no node), all of them refuse.
      expect(isError, `${name}: ${text}`).toBe((await ask(name, { cluster: 'alpha' })).isError);
      if (isError) continue;
      expect(text, name).toMatch(/^2 clusters/);
      const typed = await ask(name, {}, { name: 'test' }, structured);
      expect(typed.isError, typed.text).toBe(false);
    }
    await structured.close();
  });
});

describe('limits', () => {
  const limited: Caller = { name: 'limited', clusters: new Set(['beta']) };

  it('shows a caller its own clusters only', async () => {
    const all = await ask('list_guests', { cluster: 'all', limit: 100 }, limited);
    expect(rows(all.text)).toHaveLength(40);
    expect(all.text).not.toContain('alfa.');
    const refused = await ask('list_guests', { cluster: 'alpha' }, limited);
    const unknown = await ask('list_guests', { cluster: 'gamma' }, limited);
    expect(refused.text.replaceAll('alpha', 'X')).toBe(unknown.text.replaceAll('gamma', 'X'));
    expect((await ask('get_guest', { vmid: 100 }, limited)).text).toContain('bravo.');
  });

  it('asks a cluster with its own toolsets only', async () => {
    const some = createRuntime(
      settingsForAll([
        { ...demoClusterSettings(alpha, 'auditor', 'alpha'), toolsets: ['guests'] },
        demoClusterSettings(beta, 'auditor', 'beta'),
      ]),
    );
    expect((await ask('list_storage', { cluster: 'alpha' }, { name: 'test' }, some)).text).toMatch(/^Error \(forbidden\)/);
    const { text } = await ask('list_storage', {}, { name: 'test' }, some);
    expect(text).toMatch(/^1 of 2 clusters answered/);
    expect(text).toMatch(
      /Problem: cluster alpha \(forbidden\): The configuration of cluster alpha does not allow the storage tools/,
    );
    await some.close();
  });
});
