import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { endpointsOf, matchTemplate } from '../contract/facts.ts';
import { loadRecordings, objectOf, type RecordedRole, type Recording, type RecordingSet, rowsOf } from './recording-set.ts';
import { replay } from './replay.ts';

function ask(set: RecordingSet, path: string, query: Record<string, string> = {}): Recording | undefined {
  const matched = matchTemplate('9.2.11', path);
  const facts = matched && endpointsOf('9.2.11').get(matched.template);
  if (!matched || !facts) throw new Error(`no endpoint for ${path}`);
  return replay(set, { path, query, template: matched.template, params: matched.params, facts });
}

const askAs = (role: RecordedRole, path: string, query: Record<string, string> = {}) => ask(loadRecordings(role), path, query);
const volids = (recording: Recording | undefined) => rowsOf(recording)?.map((row) => row.volid);
const Total = z.object({ total: z.number() });

/** Lists and comma lists come in any order, and live values moved on between two recordings. */
function comparable(value: unknown, key = ''): unknown {
  if (Array.isArray(value))
    return value.map((item) => comparable(item)).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, item]) => [name, LIVE.has(name) ? 'live' : comparable(item, name)]),
    );
  return key === 'content' && typeof value === 'string' ? value.split(',').sort().join() : value;
}
const LIVE = new Set(['cpu', 'uptime', 'used', 'avail', 'used_fraction', 'pressurecpusome']);

describe('what is derived is what was recorded', () => {
  const roles: readonly RecordedRole[] = ['full', 'readonly', 'noacl'];

  it.each(roles)('%s: every narrower question whose own recording is hidden', (role) => {
    const set = loadRecordings(role);
    const derived = new Map<string, number>();
    for (const recording of set.all) {
      const matched = matchTemplate('9.2.11', recording.path);
      if (!matched || recording.status !== 200 || Object.keys(recording.params).length === 0) continue;
      const hiding: RecordingSet = {
        ...set,
        find: (path, params) => {
          const found = set.find(path, params);
          return found === recording ? undefined : found;
        },
      };
      const answer = ask(hiding, recording.path, { ...recording.params });
      if (!answer) continue;
      derived.set(matched.template, (derived.get(matched.template) ?? 0) + 1);
      const label = `${recording.path} ${JSON.stringify(recording.params)}`;
      expect({ label, status: answer.status, body: comparable(answer.body) }).toEqual({
        label,
        status: recording.status,
        body: comparable(recording.body),
      });
    }
    // Otherwise the loop above proves nothing.
    const proved = [...derived.keys()];
    const everywhere = ['/cluster/resources', '/nodes/{node}/storage', '/nodes/{node}/tasks', '/access/permissions', '/storage'];
    expect(proved).toEqual(expect.arrayContaining(everywhere));
    if (role !== 'noacl')
      expect(proved).toEqual(
        expect.arrayContaining([
          '/nodes/{node}/storage/{storage}/content',
          '/nodes/{node}/storage/{storage}/prunebackups',
          '/nodes/{node}/tasks/{upid}/log',
          '/access/users',
          '/nodes/{node}/qemu/{vmid}/config',
        ]),
      );
  });
});

describe('tasks', () => {
  const tasks = (query: Record<string, string>) => askAs('readonly', '/nodes/pve1/tasks', query);

  it('gives 50 finished ones by default and counts all', () => {
    expect(rowsOf(tasks({}))).toHaveLength(50);
    expect(Total.parse(tasks({})?.body).total).toBe(68);
    expect(rowsOf(tasks({ limit: '0' }))).toEqual([]);
    expect(Total.parse(tasks({ limit: '0' })?.body).total).toBe(68);
    expect(rowsOf(tasks({ start: '50' }))).toHaveLength(18);
  });

  it('filters by type, user, time, guest and result', () => {
    expect(rowsOf(tasks({ typefilter: 'qmigrate' }))).toHaveLength(1);
    expect(rowsOf(tasks({ userfilter: 'ALICE' }))).toHaveLength(2);
    expect(rowsOf(tasks({ since: '1795833762', until: '1795834762' }))).toHaveLength(2);
    expect(rowsOf(tasks({ statusfilter: 'warning' }))?.map((row) => row.status)).toEqual(['WARNINGS: 2']);
    expect(rowsOf(tasks({ statusfilter: 'unknown' }))?.map((row) => row.status)).toEqual(['unexpected status']);
    expect(rowsOf(tasks({ source: 'active' }))?.map((row) => row.status)).toEqual(['RUNNING']);
  });

  it('leaves the total out when nothing matches', () => {
    expect(tasks({ typefilter: 'nothing' })?.body).toEqual({ data: [] });
    expect(askAs('noacl', '/nodes/pve1/tasks', { typefilter: 'vzdump', limit: '7' })?.body).toEqual({ data: [] });
  });

  it('pages the long log from both ends, and not where nothing is recorded', () => {
    const apt = '/nodes/pve1/tasks/UPID:pve1:00000FA6:00061CD8:6B09498A:aptupdate::root@pam:/log';
    expect(rowsOf(askAs('readonly', apt))).toHaveLength(50);
    const tail = askAs('readonly', apt, { start: '115', limit: '50' });
    expect(rowsOf(tail)?.map((row) => row.n)).toEqual([116, 117, 118, 119, 120]);
    expect(Total.parse(tail?.body).total).toBe(120);
    expect(rowsOf(askAs('readonly', apt, { start: '500' }))).toEqual([]);
    expect(askAs('full', '/nodes/pve1/syslog', { start: '60', limit: '50' })).toBeUndefined();
    expect(askAs('full', '/nodes/pve1/syslog', { since: '2026-11-30' })).toBeUndefined();
  });
});

describe('storage', () => {
  it('narrows the content by kind and guest', () => {
    expect(volids(askAs('full', '/nodes/pve1/storage/local/content', { content: 'backup', vmid: '200' }))).toHaveLength(2);
    expect(volids(askAs('full', '/nodes/pve1/storage/local/content', { content: 'iso' }))?.length).toBeGreaterThan(1);
    // An auditor's list has no backups, and nothing says so.
    expect(askAs('readonly', '/nodes/pve1/storage/local/content', { content: 'backup' })).toMatchObject({
      status: 200,
      body: { data: [] },
    });
    expect(askAs('readonly', '/nodes/pve1/storage/nfs-media/content', { content: 'iso' })?.status).toBe(500);
  });

  it('narrows the prune dry run, which shows an auditor every backup', () => {
    const prune = (storage: string, query: Record<string, string>) =>
      askAs('readonly', `/nodes/pve1/storage/${storage}/prunebackups`, { 'prune-backups': 'keep-all=1', ...query });
    expect(rowsOf(prune('local', {}))).toHaveLength(5);
    expect(rowsOf(prune('local', { vmid: '200', type: 'lxc' }))).toHaveLength(2);
    expect(rowsOf(prune('local', { vmid: '101', type: 'qemu' }))).toEqual([]);
    expect(prune('pbs-main', { vmid: '101', type: 'qemu' })).toMatchObject({
      status: 500,
      reason: 'error pruning backups - check log',
    });
    expect(prune('zfs-tank', {})?.reason).toBe("storage 'zfs-tank' does not support backups");
    // No recording tells what such retention would mark.
    expect(prune('local', { 'prune-backups': 'keep-last=1' })).toBeUndefined();
  });

  it('leaves disabled storages out of an answer about a kind of content', () => {
    const names = rowsOf(askAs('readonly', '/nodes/pve1/storage', { content: 'backup' }))?.map((row) => row.storage);
    expect(names?.sort()).toEqual(['backup-dir', 'local', 'pbs-main']);
    expect(askAs('readonly', '/nodes/pve1/storage', { target: 'pve2' })).toBeUndefined();
  });
});

describe('rights', () => {
  it('tells the rights at any path of the kinds that exist', () => {
    expect(askAs('readonly', '/access/permissions', { path: '/vms/203' })?.body).toMatchObject({
      data: { '/vms/203': { 'VM.Audit': 1 } },
    });
    // The entry at /nodes is not propagated; what holds below comes from the root.
    expect(askAs('readonly', '/access/permissions', { path: '/nodes/pve3' })?.body).toMatchObject({
      data: { '/nodes/pve3': { 'VM.GuestAgent.Audit': 1 } },
    });
    expect(askAs('readonly', '/access/permissions', { path: '/nodes' })?.body).toMatchObject({
      data: { '/nodes': { 'Sys.Audit': 0 } },
    });
    expect(askAs('noacl', '/access/permissions', { path: '/storage/zfs-tank' })?.body).toEqual({
      data: { '/storage/zfs-tank': {} },
    });
    expect(askAs('readonly', '/access/permissions', { path: '/nonsense' })).toBeUndefined();
  });

  it('refuses other objects of an endpoint as it refused the recorded ones', () => {
    expect(askAs('noacl', '/nodes/pve2/lxc/203/config')).toMatchObject({
      status: 403,
      reason: 'Permission check failed (/vms/203, VM.Audit)',
    });
    expect(askAs('noacl', '/nodes/pve3/disks/list')?.status).toBe(403);
    expect(askAs('readonly', '/nodes/pve1/qemu/102/firewall/log')).toMatchObject({
      status: 403,
      reason: 'Permission check failed (/vms/102, VM.Console)',
    });
    // The zone in the ACL path of a VNet is nothing the request tells.
    expect(askAs('noacl', '/cluster/sdn/vnets/v20/subnets')).toBeUndefined();
  });
});

describe('nodes and guests', () => {
  it('cannot reach the nodes that do not answer', () => {
    for (const path of ['/nodes/pve2/qemu/104/status/current', '/nodes/pve3/network', '/nodes/pve2/storage/local/content'])
      expect(askAs('readonly', path), path).toMatchObject({ status: 595, reason: 'Connection refused', body: null });
    expect(askAs('noacl', '/nodes/pve2/network')?.status).toBe(595);
    // Answered by the asked node itself, from what it holds of the others: not recorded.
    expect(askAs('readonly', '/nodes/pve2/rrddata', { timeframe: 'hour' })).toBeUndefined();
  });

  it('has the same error for a guest that is elsewhere, of another type or nowhere', () => {
    for (const [path, file] of [
      ['/nodes/pve1/qemu/104/status/current', 'nodes/pve1/qemu-server/104.conf'],
      ['/nodes/pve1/lxc/101/config', 'nodes/pve1/lxc/101.conf'],
      ['/nodes/pve1/qemu/777/config', 'nodes/pve1/qemu-server/777.conf'],
    ] as const)
      expect(askAs('readonly', path)).toMatchObject({ status: 500, reason: `Configuration file '${file}' does not exist` });
    expect(askAs('noacl', '/nodes/pve1/qemu/777/config')?.status).toBe(403);
  });

  it('answers for what a guest or storage is known not to have', () => {
    const agent = '/nodes/pve1/qemu/102/agent/network-get-interfaces';
    expect(askAs('readonly', agent)).toMatchObject({ status: 500, reason: 'QEMU guest agent is not running' });
    expect(askAs('noacl', agent)?.status).toBe(403);
    expect(askAs('readonly', '/nodes/pve1/qemu/101/agent/get-osinfo')).toBeUndefined();
    expect(askAs('readonly', '/nodes/pve1/qemu/101/firewall/ipset')?.body).toEqual({ data: [] });
    // VM 111 has a firewall file, of which no recording tells the aliases.
    expect(askAs('readonly', '/nodes/pve1/qemu/111/firewall/aliases')).toBeUndefined();
    expect(askAs('readonly', '/nodes/pve1/storage/btr/content')?.reason).toBe("storage 'btr' is disabled");
    expect(askAs('readonly', '/nodes/pve1/storage/unheard-of/content')).toBeUndefined();
  });

  it('knows taken guest ids whoever asks', () => {
    expect(askAs('noacl', '/cluster/nextid', { vmid: '203' })).toMatchObject({
      status: 400,
      body: { errors: { vmid: 'VM 203 already exists' } },
    });
    expect(askAs('noacl', '/cluster/nextid', { vmid: '555' })?.body).toEqual({ data: '555' });
  });

  it('takes the configuration for the running one where nothing is pending', () => {
    const running = (vmid: string) => objectOf(askAs('readonly', `/nodes/pve1/qemu/${vmid}/config`, { current: '1' }));
    expect(running('100')?.cores).toBe(4);
    expect(running('102')?.cores).toBe(2);
  });

  it('lists the members of every pool', () => {
    const members = (poolid: string, query = {}) =>
      z.array(z.object({ id: z.string() })).parse(rowsOf(askAs('readonly', '/pools', { poolid, ...query }))?.[0]?.members);
    expect(members('prod')).toHaveLength(5);
    expect(
      members('lab')
        .map(({ id }) => id)
        .sort(),
    ).toEqual(['lxc/201', 'qemu/103']);
    expect(members('lab', { type: 'lxc' })).toHaveLength(1);
    expect(members('prod/web').map(({ id }) => id)).toEqual(['qemu/110']);
    expect(askAs('noacl', '/pools', { poolid: 'lab' })).toBeUndefined();
  });
});
