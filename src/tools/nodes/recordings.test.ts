import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RECORDED_ROLES } from '../../../test/recordings/recording-set.ts';
import { openReplaySessions, type ReplaySessions } from '../../../test/recordings/replay-session.ts';
import { recordOf, tableOf } from '../../../test/support/read-answer.ts';

/** Tools that answer about nodes and about the cluster as a whole, with arguments that the recordings can answer. */
const CALLS: readonly (readonly [tool: string, args: Record<string, unknown>])[] = [
  ['get_cluster_overview', {}],
  ['search_inventory', { query: 'web' }],
  ['list_pools', {}],
  ['list_pools', { pool: 'prod' }],
  ['get_node_status', { node: 'pve1' }],
  ['get_node_status', { node: 'pve1', sections: ['all'] }],
  ['get_node_status', { node: 'pve2' }],
  ['get_node_status', { node: 'pve3' }],
  ['list_node_network', { node: 'pve1', changes: true }],
  ['list_node_disks', { node: 'pve1', sections: ['lvm', 'lvmthin', 'zfs', 'directories'] }],
  ['list_updates', {}],
  ['list_certificates', {}],
  ['get_cluster_config', {}],
  ['get_cluster_config', { sections: ['notifications', 'metrics', 'notes'] }],
  ['list_hardware', {}],
];

describe('tools about nodes and cluster, and the answers of a real API', () => {
  let sessions: ReplaySessions;
  beforeAll(async () => {
    sessions = await openReplaySessions();
  });
  afterAll(() => sessions.close());
  const ask: ReplaySessions['ask'] = (...what) => sessions.ask(...what);

  test.each(RECORDED_ROLES)('as %s: an answer or a known kind of error, and no secret', async (role) => {
    for (const [tool, args] of CALLS) {
      const { text, errorKind } = await ask(role, tool, args);
      expect(['forbidden', 'not-found', undefined], `${tool} ${JSON.stringify(args)}: ${text}`).toContain(errorKind);
      expect(text, `${tool} ${JSON.stringify(args)}`).not.toContain('internal');
    }
  });

  test('quorum and votes', async () => {
    const { text } = await ask('readonly', 'get_cluster_overview', {});
    expect(recordOf(text, 'cluster')).toMatchObject({
      name: 'homelab',
      quorum: 'yes, 2 of 3 votes present, 2 needed',
      nodes: '3',
    });
    expect(text).toContain('Problem: pve3 (node-unreachable)');
  });

  test('figures that are text, a service that failed, a node that only looks online', async () => {
    const { text } = await ask('readonly', 'get_node_status', { node: 'pve1' });
    expect(recordOf(text, 'status')).toMatchObject({ threads: '2', boot: 'legacy-bios', pve_manager: '9.2.11' });
    expect(tableOf(text, 'services_not_running').map((s) => [s['service'], s['state']])).toContainEqual(['pve-ha-lrm', 'failed']);
    const gone = await ask('readonly', 'get_node_status', { node: 'pve2' });
    expect(gone.text).toContain('Problem: pve2 (node-unreachable)');
  });

  test('network: addresses of both families, VLANs, pending edits; bridges hidden from a token without rights', async () => {
    const { text } = await ask('readonly', 'list_node_network', { node: 'pve1', changes: true });
    const rows = tableOf(text, 'interfaces');
    expect(rows.find((r) => r['iface'] === 'vmbr0')?.['addresses']).toBe('10.0.0.11/24, 2001:db8::11/64');
    expect(rows.find((r) => r['iface'] === 'eno1.50')).toMatchObject({ vlan: '50 on eno1', mtu: '1500' });
    expect(text).toContain('lines added: 1, removed: 1');
    const blind = await ask('noacl', 'list_node_network', { node: 'pve1' });
    expect(blind.text).toContain('Hidden: bridges');
  });

  test('a degraded pool with the device that is gone', async () => {
    const { text } = await ask('readonly', 'list_node_disks', { node: 'pve1', sections: ['zfs', 'lvmthin'] });
    expect(tableOf(text, 'zfs')[0]).toMatchObject({ pool: 'tank', health: 'DEGRADED' });
    expect(tableOf(text, 'zfs_faults').map((f) => [f['device'], f['state']])).toEqual([['8811234567890123456', 'UNAVAIL']]);
    expect(tableOf(text, 'lvmthin')[0]?.['pool']).toBe('pve/data');
  });

  test('pools: members of the parent only, nested ones named', async () => {
    const { text } = await ask('readonly', 'list_pools', { pool: 'prod' });
    expect(tableOf(text, 'guests').map((g) => g['vmid'])).toEqual(['100', '101', '200']);
    expect(recordOf(text, 'pool')['nested']).toBe('prod/web');
  });

  test('mapping descriptions that arrive encoded twice are put right', async () => {
    const { text } = await ask('readonly', 'list_hardware', {});
    expect(tableOf(text, 'mappings').find((m) => m['id'] === 'gpu-a')).toMatchObject({ about: 'RTX – A', present: 'no' });
  });

  test('notifications, realms and metric servers', async () => {
    const { text } = await ask('readonly', 'get_cluster_config', {});
    expect(tableOf(text, 'targets').map((t) => t['target'])).toEqual(['chatops', 'mail-relay', 'mail-to-root', 'phone']);
    expect(tableOf(text, 'realms').find((r) => r['realm'] === 'corp-ldap')?.['default']).toBe('yes');
    expect(tableOf(text, 'metric_servers').every((m) => m['enabled'] === 'no')).toBe(true);
  });
});
