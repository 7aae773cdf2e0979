import { Agent, request } from 'undici';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startDemoCluster } from './start-demo-cluster.ts';
import type { DemoCluster, DemoOptions, DemoRole } from './types.ts';

const ROLES: readonly DemoRole[] = ['auditor', 'noacl', 'scoped', 'full', 'backup-one', 'blind-one', 'logs'];
const open: { cluster: DemoCluster; agent: Agent }[] = [];

async function start(options: DemoOptions = {}) {
  const cluster = await startDemoCluster({ authDelayMs: 0, ...options });
  const agent = new Agent({ connect: { ca: cluster.ca } });
  open.push({ cluster, agent });
  const get = async (path: string, role: DemoRole = 'auditor') => {
    const { id, secret } = cluster.token(role);
    const headers = { authorization: `PVEAPIToken=${id}=${secret}` };
    const answer = await request(`${cluster.url}/api2/json${path}`, { dispatcher: agent, headers });
    const text = await answer.body.text();
    const parsed = text === '' ? undefined : z.looseObject({ data: z.unknown() }).parse(JSON.parse(text));
    return { status: answer.statusCode, text, data: parsed?.data };
  };
  return { cluster, get };
}

afterAll(async () => {
  for (const { cluster, agent } of open) {
    await agent.close();
    await cluster.close();
  }
});

const rows = (data: unknown) => z.array(z.record(z.string(), z.unknown())).parse(data);

describe('the hand-made cluster', async () => {
  const { cluster, get } = await start();

  test.each(ROLES)('knows the token of %s', async (role) => {
    expect((await get('/version', role)).status).toBe(200);
  });

  test('an auditor sees all, a token without rights the nodes only', async () => {
    const all = rows((await get('/cluster/resources')).data);
    const few = rows((await get('/cluster/resources', 'noacl')).data);
    expect(new Set(all.map((row) => row.type))).toEqual(new Set(['node', 'qemu', 'lxc', 'storage', 'pool', 'network']));
    expect(new Set(few.map((row) => row.type))).toEqual(new Set(['node']));
    expect((await get('/storage', 'noacl')).data).toEqual([]);
    expect((await get('/cluster/status', 'noacl')).status).toBe(403);
  });

  test('the permissions of each token fit its part', async () => {
    const of = async (role: DemoRole) =>
      z.record(z.string(), z.record(z.string(), z.number())).parse((await get('/access/permissions', role)).data);
    expect(await of('noacl')).toEqual({});
    expect((await of('auditor'))['/']).toMatchObject({ 'Sys.Audit': 1, 'VM.Audit': 1 });
    expect((await of('auditor'))['/']).not.toHaveProperty('VM.Backup');
    expect((await of('full'))['/']).toHaveProperty('Sys.Modify', 1);
    expect((await of('logs'))['/']).toMatchObject({ 'Sys.Syslog': 1, 'VM.Backup': 1, 'Datastore.AllocateSpace': 1 });
    expect(await of('scoped')).not.toHaveProperty('/');
    const oneBackup = await of('backup-one');
    expect(Object.keys(oneBackup).filter((path) => oneBackup[path]?.['VM.Backup'] !== undefined)).toHaveLength(2);
  });

  test('an offline node can not be reached, its history can be read', async () => {
    const offline = cluster.world.nodes.find((node) => !node.online)?.node ?? '';
    expect(await get(`/nodes/${offline}/status`)).toMatchObject({ status: 595, text: '' });
    expect((await get(`/nodes/${offline}/rrddata?timeframe=hour`)).status).toBe(200);
  });

  test('the permitted reads of an auditor leave no handler behind', async () => {
    for (const path of [
      '/nodes',
      '/cluster/status',
      '/cluster/tasks',
      '/cluster/backup',
      '/storage',
      '/pools',
      '/cluster/ha/resources',
    ]) {
      expect(await get(path), path).toMatchObject({ status: 200 });
    }
  });

  test('secrets are planted, the tokens own ones among them', () => {
    expect(cluster.canaries.length).toBeGreaterThan(30);
    expect(cluster.canaries).toContain(cluster.token('auditor').secret);
  });
});

test.each(['7.4', '8.4', '9.0', '9.2.11'] as const)('answers as release %s', async (release) => {
  const { get } = await start({ release });
  const version = z.object({ version: z.string() }).parse((await get('/version')).data).version;
  expect(version.startsWith(release)).toBe(true);
  expect((await get('/cluster/ha/rules')).status).toBe(release.startsWith('9') ? 200 : 501);
});

test('a generated cluster of any size, quick enough', async () => {
  const { get } = await start({ nodes: 16, guests: 3000 });
  const begin = performance.now();
  const all = rows((await get('/cluster/resources?type=vm')).data);
  expect(all).toHaveLength(3000);
  expect(performance.now() - begin).toBeLessThan(2000);
});

test('one node on its own', async () => {
  const { get } = await start({ standalone: true });
  expect(rows((await get('/nodes')).data)).toHaveLength(1);
  expect(rows((await get('/cluster/status')).data).map((row) => row.type)).toEqual(['node']);
});
