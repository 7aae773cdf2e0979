import { describe, expect, it } from 'vitest';
import { createAsker, NOW } from './area-request.fixture.ts';

const nine = createAsker();
const eight = createAsker({ release: '8.4' });

describe('HA', () => {
  it('groups are an error since 9, and rows before', () => {
    expect(() => nine.ask('/cluster/ha/groups')).toThrow(
      expect.objectContaining({ status: 500, message: 'cannot index groups: ha groups have been migrated to rules' }),
    );
    expect(eight.rows('/cluster/ha/groups').map((group) => group.group)).toEqual(['only-pve3', 'prefer-pve1', 'spare']);
    expect(eight.row('/cluster/ha/groups/only-pve3')).toMatchObject({ nodes: 'pve3', restricted: 1, type: 'group' });
  });

  it('resources name their group up to 8.4, and failback since 9', () => {
    expect(eight.row('/cluster/ha/resources/vm:100')).toHaveProperty('group', 'prefer-pve1');
    expect(nine.row('/cluster/ha/resources/vm:100')).not.toHaveProperty('group');
    expect(nine.row('/cluster/ha/resources/vm:101')).toHaveProperty('failback', 0);
    expect(eight.row('/cluster/ha/resources/vm:101')).not.toHaveProperty('failback');
  });

  it('rules can be picked by kind and by resource', () => {
    expect(
      nine.rows('/cluster/ha/rules', { query: { type: 'node-affinity' } }).every((rule) => rule.type === 'node-affinity'),
    ).toBe(true);
    expect(nine.rows('/cluster/ha/rules', { query: { resource: 'ct:220' } }).map((rule) => rule.rule)).toEqual([
      'db-files-apart',
    ]);
    expect(nine.row('/cluster/ha/rules/web-again').errors).toHaveProperty('resources');
  });

  it('the state holds quorum, master, managers and services; fencing since 9.2', () => {
    const types = (asker: typeof nine) => new Set(asker.rows('/cluster/ha/status/current').map((row) => row.type));
    expect(types(nine)).toEqual(new Set(['quorum', 'master', 'fencing', 'lrm', 'service']));
    expect(types(eight)).toEqual(new Set(['quorum', 'master', 'lrm', 'service']));
  });

  it('a missing guest has no node and no state of the manager', () => {
    const row = nine.rows('/cluster/ha/status/current').find((status) => status.sid === 'vm:9901');
    expect(row).toMatchObject({ node: null, state: 'not found', status: 'vm:9901 (---, not found)' });
    expect(row).not.toHaveProperty('crm_state');
  });

  it('living managers stay seconds old as time goes by, dead ones do not', () => {
    const at = NOW + 3_600_000;
    const age = (id: string) =>
      at / 1000 - Number(nine.rows('/cluster/ha/status/current', { at }).find((row) => row.id === id)?.timestamp);
    expect(age('lrm:pve1')).toBeLessThan(10);
    expect(age('master')).toBeLessThan(10);
    expect(age('lrm:pve2')).toBeGreaterThan(3_600);
    const texts = nine
      .rows('/cluster/ha/status/current', { at })
      .filter((row) => row.type === 'lrm')
      .map((row) => String(row.status));
    expect(texts[0]).toMatch(/^pve1 \(active, watchdog active, \w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d 2026\)$/);
    expect(texts[1]).toMatch(/^pve2 \(old timestamp - dead\?, /);
  });

  it('the states are those the guests themselves show', () => {
    for (const row of nine.rows('/cluster/ha/status/current')) {
      if (row.type !== 'service' || row.node === null) continue;
      const guest = nine.world.guests.get(Number(String(row.sid).split(':')[1]));
      expect(row).toMatchObject({ node: guest?.node, state: guest?.hastate });
    }
  });

  it('quorate is text in the status of the manager', () => {
    expect(nine.row('/cluster/ha/status/manager_status').quorum).toEqual({ node: 'pve1', quorate: '1' });
  });
});
