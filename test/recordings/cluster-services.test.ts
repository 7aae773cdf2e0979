import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordOf, tableOf } from '../support/read-answer.ts';
import { openReplaySessions, type ReplaySessions } from './replay-session.ts';

let sessions: ReplaySessions;
beforeAll(async () => {
  sessions = await openReplaySessions();
});
afterAll(() => sessions.close());
const ask: ReplaySessions['ask'] = (...what) => sessions.ask(...what);

describe('on recorded answers of a real 9.2.11', () => {
  it('HA: groups that stand beside rules, a guest that is gone, managers that are silent', async () => {
    const { text } = await ask('readonly', 'get_ha_status');
    expect(text).toMatch(/^HA: 5 managed guests, 3 need attention, quorum yes; managers silent: master pve1, /);
    expect(recordOf(text, 'ha')).toMatchObject({
      placement: 'groups (not migrated to rules yet)',
      armed: 'standby (CRM watchdog standby)',
    });
    expect(tableOf(text, 'resources').map((r) => [r['sid'], r['state'], r['wanted']])).toEqual([
      ['vm:105', 'fence', 'started'],
      ['ct:203', 'error', 'started'],
      ['vm:7777', 'not found', 'disabled'],
      ['vm:100', 'started', 'started'],
      ['vm:101', 'stopped', 'stopped'],
    ]);
    // The manager's words without the node and the time, which have columns of their own.
    expect(tableOf(text, 'managers')[1]).toMatchObject({
      role: 'lrm',
      node: 'pve1',
      status: 'old timestamp - dead?, watchdog standby',
    });
    expect(
      tableOf(text, 'rules')
        .filter((r) => r['problem'] !== '')
        .map((r) => r['rule']),
    ).toEqual(['ha-group-prefer-pve1', 'web-on-pve1']);
  });

  it('replication: a job without a source in the configuration, one whose source does not answer', async () => {
    const { text } = await ask('readonly', 'list_replication');
    expect(tableOf(text).map((r) => [r['job'], r['source'], r['state']])).toEqual([
      ['100-0', 'pve1', 'failing'],
      ['104-0', 'pve2', 'unknown'],
      ['101-0', 'pve1', 'disabled'],
    ]);
    expect(text).toContain('Problem: pve2 (node-unreachable)');
  });

  it('metrics: moments without data are holes, pressure of a container comes as text', async () => {
    const node = await ask('readonly', 'get_metrics', { node: 'pve1', timeframe: 'hour' });
    expect(node.text).toMatch(/^Metrics of node pve1, last hour: 14 points of 1 min, 1 hole of 3 min/);
    expect(tableOf(node.text, 'shares')[0]?.['spark']).toContain('···');
    const guest = await ask('readonly', 'get_metrics', { vmid: 200, timeframe: 'hour', series: 'all' });
    expect(tableOf(guest.text, 'shares').find((r) => r['series'] === 'pressureiosome')).toMatchObject({ max: '1.3%' });
    expect(guest.text).not.toContain('While a guest is stopped');
    expect((await ask('readonly', 'get_metrics', { vmid: 201, timeframe: 'hour' })).text).toContain(
      'Nothing was recorded of cpu, mem',
    );
    expect((await ask('readonly', 'get_metrics', { storage: 'local', timeframe: 'hour', node: 'pve1' })).text).toContain(
      'used\t',
    );
    expect((await ask('noacl', 'get_metrics', { node: 'pve1', timeframe: 'hour' })).text).toContain('Sys.Audit on /nodes/pve1');
  });

  it('Ceph: OSDs without a host above them, a pool without most of its settings', async () => {
    const { text } = await ask('readonly', 'get_ceph_status');
    expect(text).toMatch(/^Ceph health HEALTH_WARN: 2 of 3 OSDs up, 3 in, 1.1% used - 1 osds down/);
    expect(tableOf(text, 'pools').map((r) => r['pool'])).toEqual(['vm-pool', '.mgr']);
    const osds = await ask('readonly', 'list_ceph_osds');
    expect(tableOf(osds.text).map((r) => [r['osd'], r['status']])).toEqual([
      ['osd.2', 'down, in'],
      ['osd.0', 'up, in'],
      ['osd.1', 'up, in'],
    ]);
  });

  it('SDN: pending objects as the API has them, without the tokens of the lists', async () => {
    const { text } = await ask('readonly', 'get_sdn', { sections: ['zones', 'vnets', 'ipams', 'dns'] });
    expect(tableOf(text, 'zones').map((r) => [r['zone'], r['type'], r['pending']])).toEqual([
      ['ev', 'evpn', 'new'],
      ['localz', 'simple', 'changed'],
      ['vl', 'vlan', 'changed'],
      ['vx', 'vxlan', 'new'],
    ]);
    expect(tableOf(text, 'vnets').find((r) => r['vnet'] === 'lan1')?.['changes']).toBe('alias: unset -> internal LAN');
    expect(text).toContain('Redacted: 3 secret values');
    expect((await ask('noacl', 'get_sdn', { sections: ['zones'] })).text).toContain(
      'Hidden: SDN objects: needs SDN.Audit on /sdn',
    );
  });

  it('logs: the cluster log repaired and newest first; what an auditor lacks', async () => {
    const { text } = await ask('full', 'get_node_log', { source: 'cluster' });
    expect(text).toContain('starting task with Umlaut ü');
    expect(text).toContain('end task failed: – boom');
    expect((await ask('readonly', 'get_node_log', { node: 'pve1' })).text).toContain('Sys.Syslog on /nodes/pve1');
  });
});
