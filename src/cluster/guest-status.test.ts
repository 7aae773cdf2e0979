import { expect, test } from 'vitest';
import { parseGuestStatus } from './guest-status.ts';

test('a running machine', () => {
  const status = parseGuestStatus(
    {
      status: 'running',
      qmpstatus: 'running',
      cpu: 0.25,
      cpus: 2,
      mem: '1024',
      maxmem: 4096,
      memhost: 2048,
      disk: 0,
      maxdisk: 100,
      agent: 1,
      ballooninfo: { actual: 3000, free_mem: 5 },
      balloon_min: 1000,
      pressurecpusome: 1.25,
      pressureiosome: '2.50',
      ha: { managed: 1, state: 'started' },
      'running-machine': 'pc-q35',
      'running-qemu': '10.2.1',
      netin: '18446744073709551615',
    },
    'qemu',
  );
  expect(status).toMatchObject({
    cpu: 0.25,
    mem: 1024,
    memFromGuest: true,
    balloon: 3000,
    disk: undefined,
    agent: true,
    haManaged: true,
    haState: 'started',
    machine: 'pc-q35',
    qemu: '10.2.1',
  });
  expect(status.pressure).toMatchObject({ cpuSome: 0.0125, ioSome: 0.025, memorySome: undefined });
  expect(status.netIn).toBeGreaterThan(1e18);
});

test('without numbers from the balloon driver the memory is the view of the host', () => {
  expect(parseGuestStatus({ status: 'running', ballooninfo: { actual: 1, max_mem: 1 } }, 'qemu').memFromGuest).toBe(false);
  expect(parseGuestStatus({ status: 'running' }, 'qemu')).toMatchObject({
    memFromGuest: false,
    agent: false,
    pressure: undefined,
  });
});

test('the zeros of a stopped guest are no figures', () => {
  const stopped = parseGuestStatus({ status: 'stopped', cpu: 0, mem: 0, maxmem: 5, netin: 0, uptime: 0, maxdisk: 0 }, 'qemu');
  expect(stopped).toMatchObject({
    cpu: undefined,
    mem: undefined,
    maxMem: 5,
    netIn: undefined,
    uptime: undefined,
    maxDisk: undefined,
  });
});

test('zero of a running one is zero', () => {
  expect(parseGuestStatus({ status: 'running', cpu: 0, swap: 0, disk: 0 }, 'lxc')).toMatchObject({
    cpu: 0,
    swap: 0,
    disk: 0,
    agent: undefined,
  });
});

test.each([[null], [undefined], [[]], ['x']])('%j says nothing', (data) => {
  expect(parseGuestStatus(data, 'lxc')).toMatchObject({ status: 'unknown', template: false, tags: [] });
});
