/**
 * The questions that administrators ask, put to the tools over the real recorded answers. Each of them was answered
 * wrongly by some server of this kind; the comments say what the wrong answer was.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordOf, tableOf } from '../support/read-answer.ts';
import { loadRecordings, RECORDED_AT, type RecordedRole, rowsOf } from './recording-set.ts';
import { openReplaySessions, type ReplaySessions } from './replay-session.ts';

describe('questions to the recorded cluster', () => {
  let sessions: ReplaySessions;
  beforeAll(async () => {
    sessions = await openReplaySessions(() => RECORDED_AT * 1000);
  });
  afterAll(() => sessions.close());
  const ask: ReplaySessions['ask'] = (...what) => sessions.ask(...what);

  const recorded = (role: RecordedRole, path: string, params = {}) => {
    const found = loadRecordings(role).find(path, params);
    if (found === undefined) throw new Error(`no recording of ${path}`);
    return rowsOf(found) ?? [];
  };

  test('a: three nodes, also with a 595 behind one that the cluster calls online', async () => {
    const { text, isError } = await ask('readonly', 'list_nodes');
    expect(isError).toBe(false);
    expect(tableOf(text).map((r) => [r['node'], r['status']])).toEqual([
      ['pve1', 'online'],
      ['pve2', 'online'],
      ['pve3', 'offline'],
    ]);
  });

  test('b: every guest, with the nameless and the unreachable ones', async () => {
    const { text } = await ask('readonly', 'list_guests');
    const expected = recorded('readonly', '/cluster/resources').filter((r) => r['type'] === 'qemu' || r['type'] === 'lxc');
    expect(
      tableOf(text)
        .map((r) => Number(r['vmid']))
        .sort(),
    ).toEqual(expected.map((r) => Number(r['vmid'])).sort());
    expect(tableOf(text).find((r) => r['vmid'] === '105')?.['status']).toBe('unknown');
  });

  test('g: inactive storage is inactive, and shared storage is one', async () => {
    const { text } = await ask('readonly', 'list_storage');
    const rows = tableOf(text);
    for (const dead of ['ceph-fs', 'san', 'old-esxi']) {
      const mine = rows.filter((r) => r['storage'] === dead);
      expect(mine.length, dead).toBeGreaterThan(0);
      expect(
        mine.every((r) => r['state'] !== 'available'),
        dead,
      ).toBe(true);
    }
    // Reachable from pve2 and not from pve1: neither simply available nor dead.
    expect(rows.find((r) => r['storage'] === 'nfs-media')).toMatchObject({ state: 'available', not_from: 'pve1' });
    expect(text).toContain('not reachable from every node');
    expect(rows.filter((r) => r['storage'] === 'ceph-rbd')).toHaveLength(1);
    expect(rows.filter((r) => r['storage'] === 'smb-share').every((r) => r['state'] === 'disabled')).toBe(true);
  });

  test('h: ISO images only, with the umlaut', async () => {
    const rows = tableOf(
      (await ask('readonly', 'list_storage_content', { storage: 'local', node: 'pve1', content: 'iso' })).text,
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every((r) => r['content'] === undefined || r['content'] === 'iso')).toBe(true);
    expect(rows.some((r) => /Ü/.test(r['volid'] ?? ''))).toBe(true);
  });

  test('i: an auditor sees five backups on local, where the content list is empty', async () => {
    const { text } = await ask('readonly', 'list_storage_content', { storage: 'local', node: 'pve1', content: 'backup' });
    const dryRun = recorded('readonly', '/nodes/pve1/storage/local/prunebackups', { 'prune-backups': 'keep-all=1' });
    expect(recorded('readonly', '/nodes/pve1/storage/local/content', { content: 'backup' })).toEqual([]);
    expect(
      tableOf(text)
        .map((r) => r['volid'])
        .sort(),
    ).toEqual(dryRun.map((r) => r['volid']).sort());
  });

  test('i: on PBS they are hidden, never none; a full token sees verification', async () => {
    const { text } = await ask('readonly', 'list_storage_content', { storage: 'pbs-main', node: 'pve1', content: 'backup' });
    expect(text).toContain('Hidden: backups on pbs-main');
    const full = tableOf(
      (await ask('full', 'list_storage_content', { storage: 'pbs-main', node: 'pve1', content: 'backup' })).text,
    );
    expect(full.find((r) => r['vmid'] === '200')?.['verified']).toBe('failed');
    expect(full.find((r) => r['vmid'] === '100')).toMatchObject({ verified: 'ok', encrypted: 'yes', flags: 'protected' });
  });

  test('j: jobs with schedule, next run and what they select', async () => {
    const { text } = await ask('readonly', 'list_backup_jobs');
    const nightly = tableOf(text, 'jobs').find((r) => r['id'] === 'backup-nightly');
    expect(nightly).toMatchObject({
      state: 'enabled',
      schedule: '02:00',
      selects: 'all except 102,111',
      retention: 'keep-daily=7,keep-weekly=4',
    });
    expect(nightly?.['next_run']).toContain('2026-12-01T02:00Z');
  });

  test('k: a disabled rule is off; macro, ports and interface are there; a broken rule says so', async () => {
    const cluster = tableOf((await ask('readonly', 'get_firewall_rules')).text, 'rules');
    expect(cluster.filter((r) => r['state'] === 'off').length).toBeGreaterThan(0);
    const guest = tableOf((await ask('readonly', 'get_firewall_rules', { vmid: 100 })).text, 'rules');
    expect(guest.find((r) => r['dport'] === '22')).toMatchObject({ sport: '1024:65535', iface: 'net0', source: 'office' });
    const vnet = await ask('readonly', 'get_firewall_rules', { scope: 'vnet', vnet: 'lan1' });
    expect(tableOf(vnet.text, 'rules')[0]).toMatchObject({ type: 'forward', dport: '443' });
  });

  test('l: all tasks of the reachable node, failed ones apart from warnings; the mute node is a problem', async () => {
    const { text } = await ask('readonly', 'list_recent_tasks', { limit: 200 });
    expect(tableOf(text).length).toBe(
      recorded('readonly', '/nodes/pve1/tasks', { source: 'all', limit: 500 }).length || tableOf(text).length,
    );
    expect(text).toMatch(/Problem: pve2 \(node-unreachable\)/);
    const failed = tableOf((await ask('readonly', 'list_recent_tasks', { state: 'failed' })).text);
    expect(failed.length).toBeGreaterThan(0);
    expect(failed.some((r) => /^(OK|WARNINGS)/.test(r['status'] ?? ''))).toBe(false);
  });

  test('m: the failed task says which guest failed and why', async () => {
    const failed = tableOf((await ask('readonly', 'list_recent_tasks', { state: 'failed', type: 'vzdump' })).text);
    const upid = failed.find((r) => r['status'] === 'job errors')?.['upid'];
    const { text } = await ask('readonly', 'get_task', { upid });
    expect(recordOf(text, 'task')['state']).toBe('failed');
    expect(text).toContain('## relevant');
  });

  test('m2: the last lines of the long log are its last lines', async () => {
    const long = tableOf((await ask('readonly', 'list_recent_tasks', { type: 'aptupdate' })).text)[0]?.['upid'];
    const { text } = await ask('readonly', 'get_task', { upid: long, lines: 20, log: 'tail' });
    const total = Number(/log of (\d+) lines/.exec(text)?.[1]);
    expect(total).toBeGreaterThan(50);
    expect(text).toContain(`\n${total}: `);
  });

  test('node status and network of the node that answers; the others say what is wrong', async () => {
    expect((await ask('readonly', 'get_node_status', { node: 'pve1' })).isError).toBe(false);
    const mute = await ask('readonly', 'get_node_status', { node: 'pve2' });
    expect(mute.text).toMatch(/cannot be reached|node-unreachable/);
    const off = await ask('readonly', 'get_node_status', { node: 'pve3' });
    expect(off.text).toMatch(/offline/);
    const network = await ask('readonly', 'list_node_network', { node: 'pve1' });
    expect(tableOf(network.text).some((r) => Object.values(r).includes('vmbr0'))).toBe(true);
  });

  test('n: quorum of the recorded cluster', async () => {
    const { text } = await ask('readonly', 'get_cluster_overview');
    expect(text).toContain('homelab');
    expect(text).toMatch(/quorate|quorum/);
  });

  test('p, q, r: no such guest, wrong case, path tricks: short, clear, and nothing odd is sent', async () => {
    const before = sessions.server.requests.length;
    expect((await ask('readonly', 'get_guest_config', { vmid: 999 })).text).toContain('no guest 999');
    expect((await ask('readonly', 'get_node_status', { node: 'PVE1' })).text).toContain('Did you mean pve1?');
    for (const node of ['pve1/qemu/100', '../access/domains/sso#', 'pve1%2Fqemu%2F100', 'pve1;x']) {
      const { isError, text } = await ask('readonly', 'get_node_status', { node });
      expect(isError).toBe(true);
      expect(text.length).toBeLessThan(1_000);
    }
    expect(sessions.server.requests.slice(before).every((r) => !/PVE1|sso|qemu/.test(r.path))).toBe(true);
  });

  test.each(['list_guests', 'list_storage', 'list_recent_tasks', 'list_nodes'])(
    'without any right %s says what is hidden',
    async (name) => {
      const { text } = await ask('noacl', name);
      expect(text).toMatch(/Hidden: /);
    },
  );

  test.each([
    ['list_backup_jobs', {}],
    ['list_storage_content', { storage: 'local' }],
    ['get_node_status', { node: 'pve1' }],
  ])('without any right %s is forbidden or hidden, never empty', async (name, args) => {
    const { text } = await ask('noacl', name, args);
    expect(text).toMatch(/Needs: |needs |Hidden: /);
  });

  test('only GET was sent, and everything that was asked had been recorded', () => {
    expect(sessions.server.requests.every((r) => r.method === 'GET')).toBe(true);
    expect(sessions.server.missing).toEqual([]);
  });
});
