import { describe, expect, it } from 'vitest';
import { DemoHttpError } from '../types.ts';
import { createWorld } from '../world/create-world.ts';
import { createHandlers, mergeTables } from './create-handlers.ts';
import { call, type TestCall } from './test-request.ts';

const NOW = Date.UTC(2026, 0, 14, 11, 30);
const world = createWorld({ now: NOW });
const table = createHandlers(world);

type Rows = Record<string, unknown>[];

function rows(path: string, options: TestCall = {}): Rows {
  const { data } = call(table, path, { now: NOW, ...options });
  if (!Array.isArray(data)) throw new Error(`${path} is no list`);
  return data;
}

describe('/cluster/resources', () => {
  it('gives a caller without rights the nodes, without figures', () => {
    const seen = rows('/cluster/resources', { rights: 'none' });
    expect(seen.map((row) => row.id).sort()).toEqual(['node/pve1', 'node/pve2', 'node/pve3']);
    for (const row of seen) for (const key of ['cpu', 'mem', 'maxmem', 'uptime']) expect(row).not.toHaveProperty(key);
  });

  it('leaves out single guests without a word', () => {
    const seen = rows('/cluster/resources', {
      rights: (path, privilege) => privilege === 'VM.Audit' && path !== '/vms/101',
      query: { type: 'vm' },
    });
    expect(seen).toHaveLength(world.guests.size - 1);
    expect(seen.some((row) => row.vmid === 101)).toBe(false);
  });

  it('tells only ids of guests on the dead node', () => {
    const lost = rows('/cluster/resources', { query: { type: 'vm' } }).filter((row) => row.node === 'pve3');
    expect(lost.map((row) => row.vmid).sort()).toEqual([130, 131, 230]);
    for (const row of lost) {
      expect(row.status).toBe('unknown');
      expect(row).not.toHaveProperty('name');
      expect(row).not.toHaveProperty('maxmem');
    }
  });

  it('gives pools no node, and no figures without running members', () => {
    const pools = rows('/cluster/resources').filter((row) => row.type === 'pool');
    expect(pools.map((row) => row.id).sort()).toEqual(['/pool/empty', '/pool/lab', '/pool/prod', '/pool/prod/web']);
    for (const row of pools) expect(row).not.toHaveProperty('node');
    expect(pools.find((row) => row.pool === 'empty')).toEqual({ id: '/pool/empty', pool: 'empty', type: 'pool' });
  });

  it('repeats shared storage per node and leaves disabled storage out', () => {
    const storages = rows('/cluster/resources', { query: { type: 'storage' } });
    expect(
      storages
        .filter((row) => row.storage === 'ceph-rbd')
        .map((row) => row.node)
        .sort(),
    ).toEqual(['pve1', 'pve2', 'pve3']);
    expect(storages.some((row) => row.storage === 'old-smb')).toBe(false);
    expect(storages.find((row) => row.id === 'storage/pve3/ceph-rbd')).not.toHaveProperty('maxdisk');
  });

  it('answers `type=sdn` with nothing once nodes report networks, and zones before', () => {
    expect(rows('/cluster/resources', { query: { type: 'sdn' } })).toEqual([]);
    expect(rows('/cluster/resources', { query: { type: 'sdn' }, release: '9.0' }).every((row) => row.type === 'sdn')).toBe(true);
  });

  it('knows no memhost before 9', () => {
    expect(rows('/cluster/resources', { query: { type: 'vm' }, release: '8.4' }).filter((row) => 'memhost' in row)).toEqual([]);
  });
});

describe('/cluster/tasks', () => {
  it('has at most 25 entries a node', () => {
    const seen = rows('/cluster/tasks');
    for (const node of ['pve1', 'pve2']) expect(seen.filter((row) => row.node === node)).toHaveLength(25);
  });

  it('hides even the own tasks of a token without Sys.Audit', () => {
    expect(rows('/cluster/tasks', { rights: 'none', identity: 'ops@pve!full' })).toEqual([]);
  });
});

describe('the rest', () => {
  it('names a guest in /cluster/nextid that the caller cannot see', () => {
    const ask = () => call(table, '/cluster/nextid', { query: { vmid: '101' }, rights: 'none' });
    expect(ask).toThrow(DemoHttpError);
    try {
      ask();
    } catch (error) {
      expect(error).toMatchObject({ status: 400, errors: { vmid: 'VM 101 already exists' } });
    }
    expect(call(table, '/cluster/nextid').data).toBe('118');
  });

  it('has no cluster row on a standalone node', () => {
    const alone = createHandlers(createWorld({ now: NOW, standalone: true }));
    expect(call(alone, '/cluster/status').data).toEqual([
      expect.objectContaining({ type: 'node', name: 'pve1', nodeid: 0, local: 1, online: 1 }),
    ]);
  });

  it('keeps quorum with two of three nodes', () => {
    expect(rows('/cluster/status').find((row) => row.type === 'cluster')).toMatchObject({ quorate: 1, nodes: 3 });
  });

  it('shows /nodes without figures to those without Sys.Audit', () => {
    for (const row of rows('/nodes', { rights: 'none' })) expect(row).not.toHaveProperty('maxcpu');
    expect(rows('/nodes').find((row) => row.node === 'pve1')).toHaveProperty('maxcpu', 32);
  });

  it('reads any pool with `poolid`, as the API does', () => {
    expect(rows('/pools', { rights: 'none' })).toEqual([]);
    expect(rows('/pools', { rights: 'none', query: { poolid: 'lab' } })).toHaveLength(1);
    expect(() => call(table, '/pools/nope')).toThrow("pool 'nope' does not exist");
    expect(rows('/pools', { release: '7.4' }).map((row) => row.poolid)).not.toContain('prod/web');
  });

  it('refuses two handlers for one path', () => {
    expect(() => mergeTables([{ '/version': () => 1 }, { '/version': () => 2 }])).toThrow('/version');
  });

  it('answers a large cluster in reasonable time', () => {
    const big = createHandlers(createWorld({ now: NOW, nodes: 32, guests: 5000 }));
    const started = performance.now();
    const { data } = call(big, '/cluster/resources', { now: NOW });
    expect(Array.isArray(data) && data.length).toBeGreaterThan(5500);
    expect(performance.now() - started).toBeLessThan(500);
  });
});
