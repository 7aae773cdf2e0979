import { expect, test } from 'vitest';
import { permissionsAnswer } from '../demo/permissions-answer.ts';
import { rightsOf } from '../demo/rights.ts';
import type { AclEntry, World } from '../demo/types.ts';
import { createRights } from './rights.ts';

const TOKEN = 'mcp@pve!ro';
const OWNER = 'mcp@pve';
const VMIDS = [100, 101, 102];
const STORAGES = ['local', 'nfs'];
const POOLS = ['prod', 'prod/web'];
const ROLES: Readonly<Record<string, readonly string[]>> = {
  PVEAuditor: ['Datastore.Audit', 'Pool.Audit', 'SDN.Audit', 'Sys.Audit', 'VM.Audit'],
  PVEVMUser: ['VM.Audit', 'VM.Backup'],
  PVEPoolUser: ['Pool.Audit'],
  NoAccess: [],
};
const PATHS = [
  ...['/', '/access', '/nodes', '/nodes/pve1', '/pool', '/storage', '/storage/nfs', '/vms', '/vms/100', '/vms/102'],
  ...['/sdn', '/sdn/zones', '/sdn/zones/z', ...POOLS.map((pool) => `/pool/${pool}`)],
];
const QUESTIONS = [
  { privilege: 'VM.Audit', under: '/vms', below: VMIDS.map((vmid) => `/vms/${vmid}`) },
  { privilege: 'VM.Backup', under: '/vms', below: VMIDS.map((vmid) => `/vms/${vmid}`) },
  { privilege: 'Datastore.Audit', under: '/storage', below: STORAGES.map((storage) => `/storage/${storage}`) },
  { privilege: 'Sys.Audit', under: '/nodes', below: ['/nodes/pve1', '/nodes/pve2'] },
  { privilege: 'Pool.Audit', under: '/pool', below: POOLS.map((pool) => `/pool/${pool}`) },
  { privilege: 'SDN.Audit', under: '/sdn/zones', below: ['/sdn/zones/z', '/sdn/zones/z/v', '/sdn/zones/other'] },
] as const;

/** mulberry32: the same lists on every run; a failure names its seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** An auditor's list with one to four entries more, of any kind, for anybody, anywhere. */
function randomAcl(random: () => number): AclEntry[] {
  const pick = <T>(list: readonly T[], otherwise: T): T => list[Math.floor(random() * list.length)] ?? otherwise;
  const [token, user, group] = [
    { type: 'token', ugid: TOKEN },
    { type: 'user', ugid: OWNER },
    { type: 'group', ugid: 'ops' },
  ] as const;
  const entry = (path: string, roleid: string, who: Pick<AclEntry, 'type' | 'ugid'>, propagate: 0 | 1): AclEntry => ({
    path,
    roleid,
    ...who,
    propagate,
  });
  const more = Array.from({ length: 1 + Math.floor(random() * 4) }, () =>
    entry(
      pick(PATHS, '/'),
      pick(['NoAccess', 'NoAccess', 'PVEAuditor', 'PVEVMUser', 'PVEPoolUser'], 'NoAccess'),
      pick<Pick<AclEntry, 'type' | 'ugid'>>([token, user, group, { type: 'group', ugid: 'others' }], token),
      random() < 0.7 ? 1 : 0,
    ),
  );
  return [entry('/', 'PVEAuditor', token, 1), entry('/', 'PVEAuditor', random() < 0.5 ? user : group, 1), ...more];
}

function worldWith(acl: AclEntry[]): World {
  return {
    now: 0,
    users: [
      { userid: OWNER, groups: ['ops'], enable: 1, expire: 0, tokens: [{ tokenid: 'ro', secret: 's', privsep: 1, expire: 0 }] },
    ],
    acl,
    roles: ROLES,
    nodes: [{ node: 'pve1', online: true }],
    poolOf: (vmid) => (vmid === 100 ? 'prod' : vmid === 101 ? 'prod/web' : undefined),
    poolsOfStorage: (storage) => (storage === 'nfs' ? ['prod'] : []),
  };
}

/** The API's answers about its own access control, from the embedded cluster's engine. */
function ask(world: World) {
  return createRights(async (path, _params, query) => {
    const at = query !== undefined && 'path' in query && typeof query.path === 'string' ? query.path : undefined;
    const answers: Readonly<Record<string, unknown>> = {
      '/access/acl': rightsOf(world, TOKEN)('/access').has('Sys.Audit') ? world.acl : [],
      '/access/roles': Object.entries(ROLES).map(([roleid, privs]) => ({ roleid, privs: privs.join(',') })),
      '/access/users/{userid}': { groups: ['ops'] },
    };
    const data = path === '/access/permissions' ? permissionsAnswer(world, TOKEN, at) : answers[path];
    return { data, total: undefined, changes: undefined, redacted: 0, clockOffset: undefined, at: 0 };
  }, TOKEN);
}

test('whatever the access control list says: complete is never claimed of a list in which something is closed', async () => {
  let complete = 0;
  for (let seed = 1; seed <= 1_500; seed += 1) {
    const world = worldWith(randomAcl(randomFrom(seed)));
    const rights = ask(world);
    const held = rightsOf(world, TOKEN);
    for (const { privilege, under, below } of QUESTIONS) {
      const { coverage } = await rights.over({ privilege, under, what: 'things' });
      if (coverage !== 'complete') continue;
      complete += 1;
      const closed = below.filter((path) => !held(path).has(privilege));
      expect(closed, `seed ${seed}: ${privilege} under ${under} with ${JSON.stringify(world.acl)}`).toEqual([]);
    }
  }
  // It must not have passed by never claiming anything.
  expect(complete).toBeGreaterThan(3_000);
});
