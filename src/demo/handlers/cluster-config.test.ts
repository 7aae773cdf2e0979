import { describe, expect, it } from 'vitest';
import { createAsker, NOW } from './area-request.fixture.ts';

const { ask, rows, row, world } = createAsker();
const noacl = { identity: world.areas.access.tokens.noacl.id };

describe('cluster configuration', () => {
  it('options are objects, and whoever may not audit sees three of them', () => {
    expect(row('/cluster/options').crs).toEqual({ ha: 'static', 'ha-rebalance-on-start': 1 });
    expect(Object.keys(row('/cluster/options', noacl)).sort()).toEqual(['allowed-tags', 'console', 'tag-style']);
    expect(row('/cluster/options', noacl)['allowed-tags']).toEqual(['db', 'web']);
    expect(row('/cluster/options')['allowed-tags']).toEqual(expect.arrayContaining(['prod', 'critical', 'übung']));
  });

  it('corosync numbers are text', () => {
    expect(rows('/cluster/config/nodes')[0]).toMatchObject({ name: 'pve1', node: 'pve1', nodeid: '1', quorum_votes: '1' });
    expect(row('/cluster/config/totem')).toMatchObject({ cluster_name: world.clusterName, version: '2' });
    expect(row('/cluster/config/join').preferred_node).toBe('pve1');
  });

  it('metrics hold nodes, guests and storages of what runs', () => {
    const ids = (query: Record<string, string>) => {
      const { data } = row('/cluster/metrics/export', { query });
      return new Set((Array.isArray(data) ? data : []).map((one: { id: string }) => one.id));
    };
    expect([...ids({})]).toEqual(expect.arrayContaining(['node/pve1', 'node/pve2', 'qemu/100', 'lxc/200', 'storage/pve1/local']));
    expect(ids({}).has('node/pve3')).toBe(false);
    expect(ids({ 'local-only': '1' }).has('node/pve2')).toBe(false);
    expect(ids({ 'node-list': 'pve2' }).has('node/pve1')).toBe(false);
    const history = row('/cluster/metrics/export', { query: { history: '1', 'start-time': String(NOW / 1000 - 100) } }).data;
    expect(new Set((Array.isArray(history) ? history : []).map((one: { timestamp: number }) => one.timestamp)).size).toBe(11);
  });

  it('the OpenTelemetry server came with 9', () => {
    const ids = (release: '7.4' | '8.4' | '9.0') =>
      createAsker({ release })
        .rows('/cluster/metrics/server')
        .map((server) => server.id);
    expect(ids('8.4')).not.toContain('otel');
    expect(ids('9.0')).toContain('otel');
    expect(() => ask('/cluster/metrics/server/nope')).toThrow("status server entry 'nope' does not exist");
  });

  it('a schedule is worked out in local time, a wrong one refused', () => {
    expect(rows('/cluster/jobs/schedule-analyze', { query: { schedule: 'mon..fri 21:30', iterations: '6' } })).toEqual([
      { timestamp: Date.UTC(2026, 10, 30, 20, 30) / 1000, utc: 'Mon Nov 30 20:30:00 2026' },
      { timestamp: Date.UTC(2026, 11, 1, 20, 30) / 1000, utc: 'Tue Dec  1 20:30:00 2026' },
      { timestamp: Date.UTC(2026, 11, 2, 20, 30) / 1000, utc: 'Wed Dec  2 20:30:00 2026' },
      { timestamp: Date.UTC(2026, 11, 3, 20, 30) / 1000, utc: 'Thu Dec  3 20:30:00 2026' },
      { timestamp: Date.UTC(2026, 11, 4, 20, 30) / 1000, utc: 'Fri Dec  4 20:30:00 2026' },
      { timestamp: Date.UTC(2026, 11, 7, 20, 30) / 1000, utc: 'Mon Dec  7 20:30:00 2026' },
    ]);
    expect(() => ask('/cluster/jobs/schedule-analyze', { query: { schedule: 'bogus!' } })).toThrow(
      expect.objectContaining({ status: 400 }),
    );
    expect(rows('/cluster/jobs/realm-sync')[0]).toMatchObject({ 'last-run': null, 'next-run': NOW / 1000 + 1_800 });
    expect(row('/cluster/jobs/realm-sync/staff-sync')).not.toHaveProperty('next-run');
  });

  it('mappings are filtered; notifications that are not there are the only 404', () => {
    expect(rows('/cluster/mapping/pci').map((mapping) => mapping.id)).toEqual(['gpu-a', 'nic-fast']);
    expect(rows('/cluster/mapping/pci', noacl)).toEqual([]);
    const [, fast] = rows('/cluster/mapping/pci', { query: { 'check-node': 'pve2' } });
    expect(fast?.checks).toEqual([{ message: 'No mapping for node pve2.', severity: 'warning' }]);
    expect(() => ask('/cluster/notifications/endpoints/sendmail/nope')).toThrow(
      expect.objectContaining({ status: 404, message: "endpoint 'nope' not found" }),
    );
  });

  it('webhook headers and bodies are encoded, secrets are names only', () => {
    const chat = row('/cluster/notifications/endpoints/webhook/chat');
    expect(chat.secret).toEqual(['name=room', 'name=sign']);
    const header = Array.isArray(chat.header) ? String(chat.header[0]) : '';
    expect(Buffer.from(header.replace('name=Authorization,value=', ''), 'base64').toString()).toMatch(/^Bearer hook-/);
  });
});
