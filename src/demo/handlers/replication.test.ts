import { describe, expect, it } from 'vitest';
import { createAsker, NOW } from './area-request.fixture.ts';

const { ask, reply, rows, row, world } = createAsker();

describe('replication', () => {
  it('shows only jobs of guests the caller may see', () => {
    const identity = world.areas.access.tokens.scoped.id;
    const visible = rows('/cluster/replication', { identity }).map((job) => Number(job.guest));
    expect(visible.length).toBeGreaterThan(0);
    expect(visible.every((vmid) => world.guests.get(vmid)?.pool?.startsWith('prod'))).toBe(true);
    expect(rows('/nodes/pve1/replication', { identity: world.areas.access.tokens.noacl.id })).toEqual([]);
    expect(() => ask('/cluster/replication/112-0', { identity })).toThrow('Permission check failed (/vms/112, VM.Audit)');
  });

  it('a node tells of its own jobs', () => {
    expect(rows('/nodes/pve2/replication').map((job) => job.id)).toEqual(['121-0']);
    expect(rows('/nodes/pve1/replication', { query: { guest: '203' } }).map((job) => job.id)).toEqual(['203-0']);
  });

  it("the node's list leaves the comment as the file has it, the job itself does not", () => {
    expect(rows('/nodes/pve1/replication').find((job) => job.id === '101-0')?.comment).toBe(
      'database %E2%80%93 t%C3%A4glich gepr%C3%BCft',
    );
    expect(row('/nodes/pve1/replication/101-0/status').comment).toBe('database – täglich geprüft');
  });

  it('a job on time keeps to its schedule as time goes by, one that hangs does not', () => {
    const at = NOW + 7_200_000;
    const lag = (id: string) => at / 1000 - Number(row(`/nodes/pve1/replication/${id}/status`, { at }).last_sync);
    expect(lag('101-0')).toBeLessThan(1_800);
    expect(lag('203-0')).toBeGreaterThan(27 * 3_600);
  });

  it('a job without a log file answers with one line that says so', () => {
    expect(reply('/nodes/pve1/replication/205-0/log')).toMatchObject({
      data: [{ n: 1, t: 'unable to open file - No such file or directory' }],
      extra: { total: 1 },
    });
    expect(rows('/nodes/pve1/replication/112-0/log').at(-1)?.t).toMatch(/112-0: end replication job with error/);
  });
});
