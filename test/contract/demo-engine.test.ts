import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createEngine } from '../../src/demo/answer.ts';
import { loadFacts } from '../../src/demo/facts.ts';
import { permissionsAnswer } from '../../src/demo/permissions-answer.ts';
import type { Reply } from '../../src/demo/reply.ts';
import { segmentsOf } from '../../src/demo/request-target.ts';
import { createRouter } from '../../src/demo/route.ts';
import type { HandlerTable, World } from '../../src/demo/types.ts';
import {
  loadRecordings,
  OFFLINE_NODES,
  RECORDED_AT,
  RECORDED_ROLES,
  type RecordedRole,
  type Recording,
} from '../recordings/recording-set.ts';

/**
 * The embedded cluster's engine, given the users, roles, ACL and pools of the recorded cluster, refuses what the real
 * API refused, with the same words. What only a handler can know (does the object exist, whose task is it) is left out.
 */

const IDENTITIES: Record<RecordedRole, string> = { full: 'root@pam!full', readonly: 'mcp@pve!readonly', noacl: 'mcp@pve!noacl' };
const HANDLED = { handled: true };

const facts = await loadFacts('9.2.11');
const route = createRouter(Object.keys(facts));
const handlers: HandlerTable = Object.fromEntries(Object.keys(facts).map((template) => [template, () => HANDLED]));
const world = recordedWorld();
const engine = createEngine({
  world,
  handlers,
  release: '9.2.11',
  facts,
  now: () => RECORDED_AT * 1000,
  onCrash: (error) => {
    throw error;
  },
});

function dataOf<T>(schema: z.ZodType<T>, path: string): T {
  return z.object({ data: schema }).parse(loadRecordings('full').find(path)?.body).data;
}

function recordedWorld(): World & { guests: ReadonlyMap<number, unknown>; pools: { poolid: string; storages: string[] }[] } {
  const roles = dataOf(z.array(z.object({ roleid: z.string(), privs: z.string() })), '/access/roles');
  const groups = dataOf(z.array(z.object({ groupid: z.string(), users: z.string() })), '/access/groups');
  const users = dataOf(z.array(z.object({ userid: z.string() })), '/access/users');
  const flag = z.union([z.literal(0), z.literal(1)]);
  const acl = dataOf(
    z.array(
      z.object({
        path: z.string(),
        type: z.enum(['user', 'group', 'token']),
        ugid: z.string(),
        roleid: z.string(),
        propagate: flag,
      }),
    ),
    '/access/acl',
  );
  // The list of a pool lacks the members of nested pools; the inventory names every guest's own pool.
  const pooled = dataOf(z.array(z.object({ vmid: z.number().optional(), pool: z.string().optional() })), '/cluster/resources');
  const poolByVmid = new Map(
    pooled.flatMap(({ vmid, pool }) => (vmid === undefined || pool === undefined ? [] : [[vmid, pool] as const])),
  );
  const { members } = dataOf(
    z.object({ members: z.array(z.object({ type: z.string(), storage: z.string().optional() })) }),
    '/pools/prod',
  );
  const storages = members.flatMap(({ type, storage }) => (type === 'storage' && storage !== undefined ? [storage] : []));
  return {
    now: RECORDED_AT * 1000,
    users: users.map(({ userid }) => ({
      userid,
      enable: 1,
      expire: 0,
      groups: groups.filter((group) => group.users.split(',').includes(userid)).map((group) => group.groupid),
      tokens: Object.values(IDENTITIES)
        .filter((identity) => identity.startsWith(`${userid}!`))
        .map((identity) => ({
          tokenid: identity.split('!')[1] ?? '',
          secret: 'x',
          privsep: userid === 'root@pam' ? 0 : 1,
          expire: 0,
        })),
    })),
    acl,
    roles: Object.fromEntries(roles.map(({ roleid, privs }) => [roleid, privs.split(',').filter((name) => name !== '')])),
    nodes: ['pve1', 'pve2', 'pve3'].map((node) => ({ node, online: !OFFLINE_NODES.includes(node) })),
    guests: poolByVmid,
    pools: [{ poolid: 'prod', storages }],
    poolOf: (vmid) => poolByVmid.get(vmid),
    poolsOfStorage: (storage) => (storages.includes(storage) ? ['prod'] : []),
  };
}

function ask(role: RecordedRole, { path, params }: Recording): Reply {
  const headers = { authorization: `PVEAPIToken=${IDENTITIES[role]}=x` };
  return engine({ method: 'GET', path: `/api2/json${path}`, values: new Map(Object.entries(params)), headers }).reply;
}

const wasHandled = (reply: Reply) => reply.status === 200 && reply.body === JSON.stringify({ data: HANDLED });

/** Refusals that the endpoint's own code gives, after the declared permissions let the caller through. */
function isDecidedByHandler({ path, status }: Recording): boolean {
  if (status !== 403) return true;
  const template = route(segmentsOf(path))?.template ?? '';
  // The real server refuses a container's configuration as a whole when it holds `env` (an upstream mistake).
  return facts[template]?.permissions?.user === 'all' || /^\/nodes\/\{node\}\/lxc\/\{vmid\}\/(config|pending)$/.test(template);
}

describe.each(RECORDED_ROLES)('as %s', (role) => {
  test('what the engine refuses was refused, with the same status, reason and errors', () => {
    const wrong: string[] = [];
    let refused = 0;
    for (const recording of loadRecordings(role).all) {
      const reply = ask(role, recording);
      if (wasHandled(reply) || recording.path === '/') continue;
      refused += 1;
      // Nothing listened on the recorded cluster's other addresses; here they have no route.
      const reason = reply.status === 595 ? 'Connection refused' : reply.reason;
      const same =
        reply.status === recording.status &&
        reason === recording.reason &&
        (reply.status === 595 ||
          JSON.stringify(sorted(JSON.parse(reply.body ?? 'null'))) === JSON.stringify(sorted(recording.body)));
      if (!same)
        wrong.push(
          `${recording.path} ${JSON.stringify(recording.params)}: ${reply.status} ${reply.reason}, not ${recording.status} ${recording.reason}`,
        );
    }
    expect(wrong).toEqual([]);
    expect(refused).toBeGreaterThan(10);
  });

  test('what was refused for lack of rights is refused', () => {
    const wrong = loadRecordings(role)
      .all.filter((recording) => recording.status === 403 && !isDecidedByHandler(recording))
      .filter((recording) => ask(role, recording).status !== 403)
      .map(({ path, reason }) => `${path}: ${reason}`);
    expect(wrong).toEqual([]);
  });

  test('the token is told the same permissions', () => {
    for (const { path, params, status, body } of loadRecordings(role).all) {
      if (path !== '/access/permissions' || status !== 200) continue;
      // For single paths the trimmed set of `full` holds what `readonly` was told.
      if (role === 'full' && params.path !== undefined) continue;
      const told = permissionsAnswer(world, params.userid ?? IDENTITIES[role], params.path);
      expect({ params, body: sorted({ data: told }) }).toEqual({ params, body: sorted(body) });
    }
  });
});

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}
