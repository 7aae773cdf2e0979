import { describe, expect, it } from 'vitest';
import { createAsker } from './area-request.fixture.ts';

const asker = createAsker();
const { ask, reply, rows, row, world } = asker;

/** All `osd` leaves of a tree. */
function osds(tree: unknown): Record<string, unknown>[] {
  if (typeof tree !== 'object' || tree === null) return [];
  const children = 'children' in tree && Array.isArray(tree.children) ? tree.children.flatMap(osds) : [];
  return 'type' in tree && tree.type === 'osd' ? [{ ...tree }] : children;
}

describe('Ceph', () => {
  it('warns about one OSD that is down, in the state, the tree and the metadata alike', () => {
    expect(row('/nodes/pve2/ceph/status')).toMatchObject({
      health: { status: 'HEALTH_WARN' },
      osdmap: { num_osds: 4, num_up_osds: 3, num_in_osds: 4 },
    });
    const tree = osds(row('/nodes/pve1/ceph/osd').root);
    expect(tree.filter((osd) => osd.status === 'down').map((osd) => osd.name)).toEqual(['osd.3']);
    expect(tree.find((osd) => osd.name === 'osd.3')).not.toHaveProperty('total_space');
    expect(row('/cluster/ceph/metadata').osd).toContainEqual({ id: 3 });
  });

  it('ids of OSDs are text in the tree, truth values of Ceph are JSON booleans', () => {
    expect(osds(row('/nodes/pve1/ceph/osd').root).map((osd) => osd.id)).toEqual(['0', '1', '2', '3']);
    expect(row('/nodes/pve1/ceph/pool/vm-pool/status').fast_read).toBe(false);
    expect(rows('/nodes/pve1/ceph/pool').map((pool) => pool.pg_num_min)).toEqual([null, null, null, null]);
  });

  it('single values come from the file and from the database', () => {
    const secret = world.canaries.find((canary) => canary.place.includes('restful'))?.value;
    expect(
      ask('/nodes/pve1/ceph/cfg/value', { query: { 'config-keys': 'global:fsid;mgr:mgr/restful/admin/key;osd:nope' } }),
    ).toEqual({
      global: { fsid: world.areas.ceph.fsid },
      mgr: { 'mgr/restful/admin/key': secret },
    });
  });

  it('the log is pages of lines, and missing on a node without a monitor', () => {
    expect(reply('/nodes/pve1/ceph/log', { query: { limit: '2', start: '1' } })).toMatchObject({
      data: [{ n: 2 }, { n: 3 }],
      extra: { total: 6 },
    });
    expect(rows('/nodes/pve3/ceph/log')).toEqual([{ n: 1, t: 'unable to open file - No such file or directory' }]);
  });

  it('can be switched to the states of a cluster without it', () => {
    const other = createAsker();
    other.world.areas.ceph.state = 'absent';
    expect(() => other.ask('/nodes/pve1/ceph/osd')).toThrow(
      expect.objectContaining({ status: 500, message: 'binary not installed: /usr/bin/ceph-mon' }),
    );
    other.world.areas.ceph.state = 'bare';
    expect(() => other.ask('/cluster/ceph/status')).toThrow('pveceph configuration not initialized');
    expect(other.rows('/nodes/pve1/ceph').length).toBeGreaterThan(5);
  });

  it('an unknown OSD or pool is an error 500', () => {
    expect(() => ask('/nodes/pve1/ceph/osd/77/metadata')).toThrow(/OSD '77'/);
    expect(() => ask('/nodes/pve1/ceph/pool/nope/status')).toThrow(expect.objectContaining({ status: 500 }));
    expect(() => ask('/nodes/pve1/ceph/osd/2/lv-info')).toThrow(
      /^OSD '2' not found in 'ceph-volume lvm list' on node 'pve1'\.\n/,
    );
  });
});
