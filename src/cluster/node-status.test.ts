import { describe, expect, test } from 'vitest';
import {
  compareVersions,
  kernelPending,
  parseDns,
  parseNetstat,
  parseNodeClock,
  parseNodeConfig,
  parseNodeStatus,
  parseNodeVersions,
  parsePressure,
  parseServices,
  parseSubscription,
  serviceVerdict,
} from './node-status.ts';

describe('parseNodeStatus', () => {
  test('figures may be text, and a processor without sockets is one all the same', () => {
    const status = parseNodeStatus({
      cpu: '0.25',
      wait: 0,
      loadavg: ['1.50', '0.10', 'x'],
      cpuinfo: { model: 'Some\u202e CPU', cpus: '8', cores: 4 },
      memory: { total: '1024', used: 512 },
      swap: { total: 0, used: 0 },
      rootfs: { total: 10, used: 5 },
      ksm: { shared: 0 },
      'current-kernel': { release: '6.17.4-2-pve' },
      kversion: 'Linux 5.15.1 #1',
      pveversion: 'pve-manager/9.2.11/14a22df35955d97d',
      'boot-info': { mode: 'efi', secureboot: 1 },
      uptime: '77',
    });
    expect(status).toMatchObject({
      cpu: 0.25,
      ioWait: 0,
      load: [1.5, 0.1],
      cpuModel: 'Some CPU',
      threads: 8,
      cores: 4,
      sockets: undefined,
      memory: { used: 512, total: 1024 },
      swap: { used: 0, total: 0 },
      ksm: 0,
      kernel: '6.17.4-2-pve',
      manager: '9.2.11',
      boot: 'efi',
      secureBoot: true,
      uptime: 77,
    });
  });

  test('7.4 tells the kernel only inside a text, and no boot mode', () => {
    const status = parseNodeStatus({ kversion: 'Linux 5.15.158-2-pve #1 SMP', pveversion: 'pve-manager/7.4-19/abc' });
    expect(status).toMatchObject({ kernel: '5.15.158-2-pve', manager: '7.4-19', boot: undefined, secureBoot: undefined });
  });

  test.each([undefined, null, [], 'text', 7])('%s is a status without anything', (data) => {
    expect(parseNodeStatus(data)).toMatchObject({ cpu: undefined, load: [], memory: { used: undefined, total: undefined } });
  });
});

describe('services', () => {
  test('failed first, then stopped, then running; junk rows fall out', () => {
    const services = parseServices([
      { service: 'sshd', state: 'running', 'unit-state': 'enabled' },
      'junk',
      { state: 'dead' },
      { name: 'chrony', state: 'dead', 'unit-state': 'disabled' },
      { service: 'lrm', state: 'failed', 'active-state': 'active' },
    ]);
    expect(services.map((s) => s.service)).toEqual(['lrm', 'chrony', 'sshd']);
  });

  test.each([
    [{ state: 'running', active: 'active', unit: 'enabled' }, 'running'],
    [{ state: 'exited', active: 'active', unit: 'enabled' }, 'running'],
    [{ state: 'failed', active: 'active', unit: 'enabled' }, 'failed'],
    [{ state: 'dead', active: 'failed', unit: 'enabled' }, 'failed'],
    [{ state: 'dead', active: 'inactive', unit: 'not-found' }, 'absent'],
    [{ state: 'dead', active: 'inactive', unit: 'masked' }, 'stopped'],
  ])('%j is %s', (service, verdict) => {
    expect(serviceVerdict(service)).toBe(verdict);
  });
});

describe('parseNodeClock', () => {
  const now = 1_800_000_000_000;

  test('no difference when both clocks show the same second', () => {
    expect(parseNodeClock({ time: 1_800_000_000, timezone: 'UTC' }, now + 500, -500)).toMatchObject({
      ahead: 0,
      aheadOfEntry: 0,
    });
  });

  test('a node 48 s ahead of a cluster that is 10 s behind us', () => {
    const clock = parseNodeClock({ time: String(1_800_000_038) }, now, -10_000);
    expect(clock.ahead).toBe(39);
    expect(clock.aheadOfEntry).toBe(48);
  });

  test('without a date of the answer only our own clock can be compared', () => {
    expect(parseNodeClock({ time: 1_800_000_000 }, now, undefined)).toMatchObject({ ahead: 1, aheadOfEntry: undefined });
    expect(parseNodeClock({}, now, 0)).toMatchObject({ ahead: undefined, aheadOfEntry: undefined, time: undefined });
  });
});

describe('versions', () => {
  const rows = [
    { Package: 'proxmox-ve', CurrentState: 'Installed', Version: '9.2.0', OldVersion: '9.2.0', RunningKernel: '6.14.11-4-pve' },
    { Package: 'pve-manager', CurrentState: 'Installed', Version: '9.2.11', OldVersion: '9.2.4', ManagerVersion: '9.2.4/abc' },
    { Package: 'proxmox-kernel-6.17', CurrentState: 'Installed', Version: '6.17.4-2' },
    { Package: 'proxmox-kernel-6.14.11-4-pve-signed', CurrentState: 'Installed', Version: '6.14.11-4' },
    { Package: 'proxmox-kernel-6.17.4-2-pve-signed', CurrentState: 'Installed', Version: '6.17.4-2' },
    { Package: 'proxmox-kernel-7.0.1-1-pve', CurrentState: 'NotInstalled', Version: '7.0.1-1' },
    { Package: 'ceph-fuse', CurrentState: 'NotInstalled', Version: '16' },
    { CurrentState: 'Installed' },
    null,
  ];

  test('what is installed is the old version, what could be is the new one', () => {
    const versions = parseNodeVersions(rows);
    expect(versions.packages.find((p) => p.name === 'pve-manager')).toEqual({
      name: 'pve-manager',
      installed: '9.2.4',
      candidate: '9.2.11',
    });
    expect(versions.packages.find((p) => p.name === 'ceph-fuse')?.installed).toBeUndefined();
    expect(versions.manager).toBe('9.2.4');
  });

  test('the newest kernel is the newest one that is installed, by number and not by letter', () => {
    const versions = parseNodeVersions(rows);
    expect(versions.newestKernel).toBe('6.17.4-2-pve');
    expect(kernelPending(versions.runningKernel, versions.newestKernel)).toBe(true);
    expect(compareVersions('6.17.4-2', '6.8.12-15')).toBeGreaterThan(0);
  });

  test('nothing is pending when it is not known, or when the newest runs', () => {
    expect(kernelPending(undefined, '6.17.4-2-pve')).toBeUndefined();
    expect(kernelPending('6.17.4-2-pve', undefined)).toBeUndefined();
    expect(kernelPending('6.17.4-2-pve', '6.17.4-2-pve')).toBe(false);
    // A kernel from somewhere else is no older one.
    expect(kernelPending('6.18.44-custom', '6.17.4-2-pve')).toBe(false);
    expect(parseNodeVersions([]).newestKernel).toBeUndefined();
    expect(() => parseNodeVersions({})).toThrow('no list');
  });
});

test('a subscription that is not there, and one with figures as text', () => {
  expect(parseSubscription({ status: 'NotFound', message: 'There is no subscription key' })).toMatchObject({
    status: 'notfound',
    key: undefined,
  });
  expect(parseSubscription({ status: 'Active', sockets: '2', checktime: '1796024962', nextduedate: '2027-06-01' })).toMatchObject(
    {
      status: 'active',
      sockets: 2,
      checked: 1_796_024_962,
      due: '2027-06-01',
    },
  );
  expect(parseSubscription(null).status).toBe('unknown');
});

test('name servers in their order', () => {
  expect(parseDns({ dns2: '192.0.2.54', dns1: '192.0.2.53', search: 'example.test' })).toEqual({
    search: 'example.test',
    servers: ['192.0.2.53', '192.0.2.54'],
  });
});

test('pressure is that of the newest sample, as fractions; older releases have none', () => {
  const pressure = parsePressure([
    { time: 1_796_025_060, pressurecpusome: '0.49', pressurememorysome: 0, pressureiofull: 12.5 },
    { time: 1_796_025_000, pressurecpusome: 90 },
    { time: 1_796_025_120, cpu: 0.2 },
  ]);
  expect(pressure?.time).toBe(1_796_025_060);
  expect(pressure?.cpuSome).toBeCloseTo(0.0049);
  expect(pressure?.ioFull).toBe(0.125);
  expect(pressure?.memorySome).toBe(0);
  expect(pressure?.memoryFull).toBeUndefined();
  expect(parsePressure([{ time: 1_796_025_120, cpu: 0.2 }])).toBeUndefined();
});

test('a node keeps its notes apart from its settings', () => {
  const config = parseNodeConfig({ wakeonlan: 'mac=AA', description: 'two\nlines\n', digest: 'abc', 'startall-onboot-delay': 5 });
  expect([...config.values]).toEqual([
    ['startall-onboot-delay', '5'],
    ['wakeonlan', 'mac=AA'],
  ]);
  expect(config.notes).toBe('two\nlines\n');
});

test('traffic counters come as text', () => {
  expect(parseNetstat([{ vmid: '101', dev: 'net0', in: '7', out: '0' }, { vmid: 100, dev: 'net0' }, 3])).toEqual([
    { vmid: 100, device: 'net0', received: undefined, sent: undefined },
    { vmid: 101, device: 'net0', received: 7, sent: 0 },
  ]);
});
