import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { clusterAt, openSmallServer, type SmallServer } from '../../test/support/small-server.ts';
import { createCall } from './call.ts';
import { endpointSpec, endpoints, isEndpoint, type QuerySpec } from './endpoints.ts';
import { createLink } from './link.ts';
import { atLeast, NEWEST_KNOWN, parseRelease } from './release.ts';
import { createSession, type Session } from './session.ts';

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const thing of opened.splice(0).reverse()) await thing.close();
});

function send(response: ServerResponse, data: unknown): void {
  response.end(JSON.stringify({ data }));
}

/** A session at a server that answers each path by a function. */
async function sessionAt(
  answer: (path: string, response: ServerResponse) => void,
  now?: () => number,
): Promise<{ server: SmallServer; session: Session }> {
  const server = await openSmallServer((request, response) => answer(request.url ?? '', response));
  const link = createLink(clusterAt([server.url]), now);
  opened.push(server, link);
  return { server, session: createSession(link, 'mcp@pve!ro', '99999999-0000-4000-8000-000000000000') };
}

const outcome = (read: Promise<unknown>): Promise<string> =>
  read.then(
    () => 'ok',
    (error: unknown) => (error instanceof Error && 'kind' in error ? String(error.kind) : 'other'),
  );

describe('callers that share an answer', () => {
  test('the shortest budget among them ends only its own wait', async () => {
    const { server, session } = await sessionAt((_path, response) => setTimeout(() => send(response, []), 600));
    const short = outcome(createCall(session, { budgetMs: 100 }).get('/cluster/resources', {}));
    const long = outcome(createCall(session).get('/cluster/resources', {}));
    expect(await Promise.all([short, long])).toEqual(['timeout', 'ok']);
    expect(server.asked).toHaveLength(1);
  });

  test('the request is given up with the last of them, and the next caller asks anew', async () => {
    let given = 0;
    const { server, session } = await sessionAt((_path, response) => {
      response.on('close', () => {
        if (!response.writableEnded) given += 1;
      });
      if (server.asked.length > 1) send(response, []);
    });
    const stop = new AbortController();
    const first = outcome(createCall(session, { signal: stop.signal }).get('/cluster/resources', {}));
    await expect.poll(() => server.asked.length).toBe(1);
    stop.abort();
    expect(await first).toBe('cancelled');
    expect(await outcome(createCall(session).get('/cluster/resources', {}))).toBe('ok');
    await expect.poll(() => given).toBe(1);
  });

  test('who is gone already, or out of time, sends nothing', async () => {
    const { server, session } = await sessionAt((_path, response) => send(response, []));
    expect(await outcome(createCall(session, { signal: AbortSignal.abort() }).get('/cluster/resources', {}))).toBe('cancelled');
    expect(await outcome(createCall(session, { budgetMs: 0 }).get('/cluster/resources', {}))).toBe('timeout');
    expect(server.asked).toEqual([]);
  });

  // What goes on after the answer takes the turns of the next call's reads.
  test.each([200, 2_000, 20_000])('a call of %i ms that has no time left to read asks nothing more', async (budgetMs) => {
    let clock = 1_000_000;
    const { server, session } = await sessionAt(
      (_path, response) => send(response, []),
      () => clock,
    );
    const call = createCall(session, { budgetMs });
    expect(await outcome(call.get('/cluster/resources', {}))).toBe('ok');
    clock += call.remaining();
    expect(call.remaining()).toBe(0);
    expect(await outcome(call.get('/cluster/status', {}))).toBe('timeout');
    expect(server.asked).toHaveLength(1);
  });
});

describe('the allow-list', () => {
  test.each([
    ['/nodes/{node}/storage/{storage}/prunebackups', { node: 'pve1', storage: 'nfs' }, { 'prune-backups': 'keep-last=1' }],
    ['/nodes/{node}/qemu/{vmid}/cloudinit/dump', { node: 'pve1', vmid: 100 }, { type: 'user' }],
    ['/nodes/{node}/tasks', { node: 'pve1' }, { limit: '5&source=all' }],
    ['/access/users', {}, { full: 'yes' }],
    ['/access/users', {}, { delete: 1 }],
  ] as const)('%s is not asked with %j and %j', async (path, params, query) => {
    const { server, session } = await sessionAt((_path, response) => send(response, []));
    const caller = { signal: new AbortController().signal, deadline: Number.POSITIVE_INFINITY, sent: () => undefined };
    expect(await outcome(session.get(path, params, query, caller))).toBe('other');
    expect(server.asked).toEqual([]);
  });

  test('a text that is no whole character can be asked for all the same', async () => {
    const { server, session } = await sessionAt((_path, response) => send(response, []));
    const read = createCall(session).get('/nodes/{node}/syslog', { node: 'pve1' }, { service: 'a\ud800;b&c' });
    expect(await outcome(read)).toBe('ok');
    expect(server.asked).toEqual(['/nodes/pve1/syslog?service=a%EF%BF%BD%3Bb%26c']);
  });
});

describe('what only newer releases know', () => {
  const gated = Object.keys(endpoints)
    .filter(isEndpoint)
    .flatMap((path) =>
      Object.entries<QuerySpec>(endpointSpec(path).query ?? {}).flatMap(([key, spec]) =>
        typeof spec === 'object' && 'since' in spec ? [{ path, key, type: spec.type, since: spec.since }] : [],
      ),
    );

  test.each(gated)('$path?$key is not sent before $since', async ({ path, key, type, since }) => {
    for (const version of ['7.4-20', '8.0.9', '8.1.3', '8.4.1', '9.2.11']) {
      const { server, session } = await sessionAt((asked, response) =>
        send(response, asked.endsWith('/version') ? { version } : []),
      );
      const caller = { signal: new AbortController().signal, deadline: Date.now() + 60_000, sent: () => undefined };
      const query = { [key]: typeof type === 'object' ? type[0] : 1 };
      const known = atLeast(parseRelease(version) ?? NEWEST_KNOWN, since);
      expect(await outcome(session.get(path, {}, query, caller)), version).toBe(known ? 'ok' : 'unsupported-by-this-release');
      expect(server.asked.filter((asked) => asked.includes('?'))).toHaveLength(known ? 1 : 0);
      // Without the key every release is asked, and nobody has to know which it is.
      expect(await outcome(session.get(path, {}, { [key]: undefined }, caller))).toBe('ok');
    }
  });

  test('there is something of the kind', () => {
    expect(gated.length).toBeGreaterThan(0);
  });
});

describe('a token that is refused', () => {
  test('is not sent again and again, however much is asked at once, and is tried again after a while', async () => {
    let clock = 1_000_000;
    let right = false;
    const { server, session } = await sessionAt(
      (_path, response) => {
        if (right) return send(response, []);
        response.writeHead(401, 'Authentication failed!');
        response.end();
      },
      () => clock,
    );
    const ask = (vmid: number) => outcome(createCall(session).get('/nodes/{node}/qemu/{vmid}/config', { node: 'pve1', vmid }));
    const outcomes = await Promise.all(Array.from({ length: 50 }, (_, i) => ask(100 + i)));
    expect(new Set(outcomes)).toEqual(new Set(['unauthenticated']));
    const asked = server.asked.length;
    // No more than were under way when the first answer came.
    expect(asked).toBeLessThanOrEqual(8);
    expect(await ask(200)).toBe('unauthenticated');
    expect(server.asked).toHaveLength(asked);
    right = true;
    clock += 11_000;
    expect(await ask(200)).toBe('ok');
  });
});

test('a cluster that is upgraded meanwhile is not taken for the old release', async () => {
  let version = '8.4.1';
  const { session } = await sessionAt((path, response) => send(response, path.endsWith('/version') ? { version } : []));
  const rules = () => outcome(createCall(session).get('/cluster/ha/rules', {}));
  expect(await rules()).toBe('unsupported-by-this-release');
  version = '9.2.1';
  session.forget();
  expect(await rules()).toBe('ok');
});

test.each([
  [{}, undefined],
  [{ total: null }, undefined],
  [{ total: '' }, undefined],
  [{ total: 'many' }, undefined],
  [{ total: 0 }, 0],
  [{ total: '12' }, 12],
])('the number of matches beside an answer: %j', async (beside, total) => {
  const { session } = await sessionAt((_path, response) => response.end(JSON.stringify({ data: [], ...beside })));
  expect((await createCall(session).get('/cluster/tasks', {})).total).toBe(total);
});
