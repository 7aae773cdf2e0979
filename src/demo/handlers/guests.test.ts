import { describe, expect, it } from 'vitest';
import { createWorld } from '../world/create-world.ts';
import { createHandlers } from './create-handlers.ts';
import { call, type TestCall } from './test-request.ts';

const NOW = Date.UTC(2026, 0, 14, 11, 30);
const world = createWorld({ now: NOW });
const table = createHandlers(world);

function record(path: string, options: TestCall = {}): Record<string, unknown> {
  const { data } = call(table, path, { now: NOW, ...options });
  if (typeof data !== 'object' || data === null) throw new Error(`${path} is no record`);
  return Object.fromEntries(Object.entries(data));
}

function list(path: string, options: TestCall = {}): Record<string, unknown>[] {
  const { data } = call(table, path, { now: NOW, ...options });
  if (!Array.isArray(data)) throw new Error(`${path} is no list`);
  return data;
}

const web = '/nodes/pve1/qemu/100';

describe('VM configuration', () => {
  it('shows pending values, `current=1` the running ones', () => {
    expect(record(`${web}/config`)).toMatchObject({ cores: 8, memory: '8192' });
    expect(record(`${web}/config`)).not.toHaveProperty('net1');
    expect(record(`${web}/config`, { query: { current: '1' } })).toMatchObject({ cores: 4, memory: '4096' });
  });

  it('masks the password everywhere but in the snapshot section', () => {
    expect(record(`${web}/config`).cipassword).toBe('**********');
    expect(list(`${web}/pending`).find((row) => row.key === 'cipassword')).toEqual({
      key: 'cipassword',
      value: '**********',
      pending: '********** ',
    });
    const db = '/nodes/pve1/qemu/101';
    expect(record(`${db}/config`, { query: { snapshot: 'pre-pg17' } }).cipassword).toBe('**********');
    expect(String(record(`${db}/snapshot/pre-pg17/config`, { rights: 'auditor' }).cipassword)).toMatch(/^\$5\$canary/);
  });

  it('has memory as a number on 7.4', () => {
    expect(record(`${web}/config`, { release: '7.4' }).memory).toBe(8192);
    expect(record('/nodes/pve1/qemu/113/config').memory).toBe('current=16384');
  });

  it('drops tags that the parser rejects, which the index still shows', () => {
    expect(record('/nodes/pve1/qemu/100/config')).not.toHaveProperty('tags');
    expect(list('/cluster/resources', { query: { type: 'vm' } }).find((row) => row.vmid === 100)?.tags).toBe('prod;web;übung');
  });

  it('has cloud-init rows with old and new on 7.4', () => {
    const row = (options: TestCall) => list(`${web}/cloudinit`, options).find((candidate) => candidate.key === 'nameserver');
    expect(row({})).toHaveProperty('value');
    expect(row({ release: '7.4' })).toHaveProperty('old');
    expect(row({ release: '7.4' })).not.toHaveProperty('value');
  });

  it('dumps the password to everybody before 9.1 and to the privileged after', () => {
    const dump = (options: TestCall) =>
      String(call(table, `${web}/cloudinit/dump`, { query: { type: 'user' }, ...options }).data);
    expect(dump({ rights: 'auditor', release: '8.4' })).toContain('$6$canaryNew01');
    expect(dump({ rights: 'auditor' })).toContain('password: **********');
    expect(dump({ rights: 'all' })).toContain('$6$canaryNew01');
  });

  it('knows no guest on another node or of another kind', () => {
    expect(() => call(table, '/nodes/pve1/qemu/120/config')).toThrow(
      "Configuration file 'nodes/pve1/qemu-server/120.conf' does not exist",
    );
    expect(() => call(table, '/nodes/pve1/qemu/200/config')).toThrow(
      "Configuration file 'nodes/pve1/qemu-server/200.conf' does not exist",
    );
    expect(() => call(table, '/nodes/nope/qemu/100/config')).toThrow("hostname lookup 'nope' failed");
  });
});

describe('VM state', () => {
  it('says `running` for a process that has not begun, and what QEMU says beside it', () => {
    expect(record('/nodes/pve1/qemu/102/status/current')).toMatchObject({ status: 'running', qmpstatus: 'prelaunch' });
    expect(list('/cluster/resources', { query: { type: 'vm' } }).find((row) => row.vmid === 102)?.status).toBe('prelaunch');
  });

  it('names a guest without a name', () => {
    expect(list('/nodes/pve1/qemu').find((row) => row.vmid === 105)?.name).toBe('VM 105');
    expect(record('/nodes/pve1/qemu/105/config')).not.toHaveProperty('name');
  });

  it('lists only guests the caller may audit', () => {
    expect(list('/nodes/pve1/qemu', { rights: 'none' })).toEqual([]);
    expect(list('/nodes/pve1/qemu', { rights: (path) => path === '/vms/100' }).map((row) => row.vmid)).toEqual([100]);
  });
});

describe('guest agent', () => {
  const read = (vmid: number, what: string) => () => call(table, `/nodes/pve1/qemu/${vmid}/agent/${what}`, { now: NOW });

  it('tells why it does not answer', () => {
    expect(read(113, 'get-osinfo')).toThrow('QEMU guest agent is not running');
    expect(read(112, 'get-osinfo')).toThrow('No QEMU guest agent configured');
    expect(read(103, 'get-osinfo')).toThrow('VM 103 is not running');
    expect(read(111, 'network-get-interfaces')).toThrow('guest-network-get-interfaces has not been found');
    expect(read(111, 'get-host-name')().data).toEqual({ result: { 'host-name': 'WIN-LEGACY' } });
  });

  it('lists link-local addresses before the one that matters, and devices without any', () => {
    const { data } = read(104, 'network-get-interfaces')();
    expect(data).toMatchObject({
      result: [
        { name: 'lo' },
        { name: 'ens18', 'ip-addresses': [{ 'ip-address-type': 'ipv6' }, { 'ip-address': '198.51.100.14' }] },
      ],
    });
  });
});

describe('containers', () => {
  const proxy = '/nodes/pve1/lxc/200';

  it('refuses configuration and pending of one with `env` to an auditor', () => {
    for (const part of ['config', 'pending']) {
      expect(() => call(table, `${proxy}/${part}`, { rights: 'auditor' })).toThrow(
        'Permission check failed (/vms/200, VM.Config.Options)',
      );
    }
    expect(() => call(table, `${proxy}/config`, { rights: 'auditor', query: { snapshot: 'pre' } })).toThrow('VM.Config.Options');
    expect(record('/nodes/pve1/lxc/203/config', { rights: 'auditor' })).toHaveProperty('hostname', 'pihole');
  });

  it('has the environment as a list with NULs, and in clear in the snapshot', () => {
    expect(String(record(`${proxy}/config`).env).split('\u0000')).toHaveLength(3);
    const snapshot = record(`${proxy}/snapshot/pre/config`, { rights: 'auditor' });
    expect(String(snapshot.env)).toContain('CANARY-snapenv');
    expect(snapshot).not.toHaveProperty('lxc');
    expect(record(`${proxy}/config`, { query: { snapshot: 'pre' } })).toHaveProperty('lxc');
  });

  it('has no environment before 9.1', () => {
    expect(record(`${proxy}/config`, { release: '8.4', rights: 'auditor' })).not.toHaveProperty('env');
  });

  it('has text vmids on 7.4', () => {
    expect(list('/nodes/pve1/lxc', { release: '7.4' }).every((row) => typeof row.vmid === 'string')).toBe(true);
  });

  it('has fractional CPUs and full disks', () => {
    expect(list('/nodes/pve1/lxc').find((row) => row.vmid === 203)).toMatchObject({ cpus: 0.5 });
  });

  it('tells addresses of running ones only; the last address wins', () => {
    expect(call(table, '/nodes/pve1/lxc/202/interfaces').data).toBeNull();
    const eth0 = list('/nodes/pve1/lxc/203/interfaces').find((row) => row.name === 'eth0');
    expect(eth0).toMatchObject({ inet: '10.20.0.54/24', 'ip-addresses': [{ 'ip-address': '10.20.0.53', prefix: '24' }, {}, {}] });
  });
});

describe('snapshots', () => {
  it('end with the present', () => {
    const rows = list('/nodes/pve1/qemu/101/snapshot');
    expect(rows.at(-1)).toMatchObject({ name: 'current', description: 'You are here!', parent: 'password-reset', running: 1 });
    expect(() => call(table, '/nodes/pve1/qemu/101/snapshot/current/config')).toThrow("snapshot 'current' does not exist");
  });

  it('can be stuck', () => {
    expect(list('/nodes/pve1/qemu/109/snapshot').filter((row) => row.snapstate !== undefined)).toHaveLength(2);
  });
});
