import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCall } from '../../src/api/call.ts';
import { demoClusterSettings } from '../../src/demo/demo-settings.ts';
import { rightsOf } from '../../src/demo/rights.ts';
import { startDemoCluster } from '../../src/demo/start-demo-cluster.ts';
import type { AclEntry, DemoCluster } from '../../src/demo/types.ts';
import { createRuntime } from '../../src/server/runtime.ts';
import { settingsFor } from '../support/harness.ts';

let demo: DemoCluster;
beforeAll(async () => {
  demo = await startDemoCluster({ authDelayMs: 20 });
});
afterAll(async () => {
  await demo.close();
});

function rng(seed: number) {
  let s = seed;
  return () => {
    s = (s * 1103515245 + 12345) & 0x7fffffff;
    return s / 0x7fffffff;
  };
}

test('over() never claims complete when something is hidden', async () => {
  const id = demo.token('auditor').id;
  const [owner] = id.split('!') as [string];
  const world = demo.world;
  const user = world.users.find((u) => u.userid === owner)!;
  console.error('groups', user.groups, 'privsep', user.tokens);
  const vmids = [...world.guests.keys()];
  const pools = [...new Set(vmids.flatMap((v) => world.poolOf(v) ?? []))];
  console.error(pools);
  const members = vmids.filter((v) => world.poolOf(v) !== undefined);
  const paths = [
    '/',
    '/',
    '/vms',
    '/vms',
    `/vms/${members[0]}`,
    `/vms/${vmids[3]}`,
    '/pool',
    `/pool/${pools[0]}`,
    `/pool/${pools[1] ?? pools[0]}`,
    '/access',
    '/storage',
    '/storage/local',
    '/nodes',
    '/nodes/pve1',
    '/sdn',
    '/sdn/zones',
  ];
  const roles = ['PVEAuditor', 'PVEAuditor', 'NoAccess', 'PVEVMUser', 'PVEDatastoreUser', 'PVEPoolUser', 'PVEAdmin'];
  const saved = world.acl.slice();
  if (user.groups.length === 0) user.groups.push('ops');
  const subjects: [AclEntry['type'], string][] = [
    ['token', id],
    ['token', id],
    ['user', owner],
    ['group', user.groups[0]!],
    ['user', 'someone@pve'],
  ];
  const holes = new Map<string, string>();
  let completes = 0;
  const only = Number(process.env.N ?? 400);
  for (let seed = 1; seed <= only; seed++) {
    const r = rng(seed * 7919);
    for (let i = 0; i < 5; i++) r();
    const pick = <T>(l: readonly T[]): T => l[Math.floor(r() * l.length)]!;
    world.acl.length = 0;
    // base
    world.acl.push({ path: '/', type: 'token', ugid: id, roleid: 'PVEAuditor', propagate: 1 });
    world.acl.push({ path: '/', type: pick(['user', 'group'] as const), ugid: '', roleid: 'PVEAuditor', propagate: 1 });
    const b = world.acl[1]!;
    b.ugid = b.type === 'user' ? owner : user.groups[0]!;
    const n = 1 + Math.floor(r() * 3);
    for (let i = 0; i < n; i++) {
      const [type, ugid] = pick(subjects);
      const roleid = pick(roles);
      const path = pick(paths);
      world.acl.push({ path, type, ugid, roleid, propagate: r() < 0.7 ? 1 : 0 });
    }
    const runtime = createRuntime(settingsFor(demoClusterSettings(demo, 'auditor')));
    const call = createCall(runtime.session());
    const at = rightsOf(world, id);
    const qs = [
      ['VM.Audit', '/vms', vmids.map((v) => `/vms/${v}`)],
      ['VM.Backup', '/vms', vmids.map((v) => `/vms/${v}`)],
      ['Datastore.Audit', '/storage', ['/storage/local', '/storage/zzz']],
      ['Sys.Audit', '/nodes', ['/nodes/pve1', '/nodes/pve2']],
      ['SDN.Audit', '/sdn/zones', ['/sdn/zones/z', '/sdn/zones/z/v']],
      ['Pool.Audit', '/pool', pools.map((p) => `/pool/${p}`)],
    ] as const;
    for (const [privilege, under, targets] of qs) {
      const g = await call.rights.over({ privilege, under, what: 'x' });
      if (g.coverage !== 'complete') continue;
      completes++;
      const lacking = targets.filter((t) => !at(t).has(privilege));
      if (lacking.length > 0)
        holes.set(
          `${privilege} ${under}: ${JSON.stringify(world.acl.slice(2).map((e) => `${e.type === 'group' ? 'G' : e.type === 'user' ? (e.ugid === owner ? 'U' : 'other') : 'T'} ${e.path} ${e.roleid} ${e.propagate}`))} base ${b.type}`,
          lacking.slice(0, 2).join(),
        );
    }
    await runtime.close();
  }
  world.acl.length = 0;
  world.acl.push(...saved);
  console.error('completes', completes, 'holes', holes.size);
  for (const [k, v] of [...holes].slice(0, 40)) console.error(k, '=>', v);
  expect(holes.size).toBe(0);
}, 300_000);
