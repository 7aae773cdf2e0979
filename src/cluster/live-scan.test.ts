import { describe, expect, test } from 'vitest';
import { guestOf } from '../../test/support/guest-of.ts';
import { stubCall } from '../../test/support/stub-call.ts';
import { ApiError } from '../api/errors.ts';
import { parseGuestConfig } from './guest-config.ts';
import { askable, scanLive } from './live-scan.ts';

const WISH = { interfaces: true, hostNames: false };
const machines = (count: number) => Array.from({ length: count }, (_, i) => guestOf({ vmid: 100 + i }));
const withAgent = parseGuestConfig({ agent: '1' }, 'qemu');
const without = parseGuestConfig({ agent: '0' }, 'qemu');

test('who can be asked: running guests; containers only for addresses', () => {
  const guests = [guestOf(), guestOf({ vmid: 101, status: 'stopped' }), guestOf({ vmid: 200, type: 'lxc' })];
  expect(askable(guests, WISH).map((g) => g.vmid)).toEqual([100, 200]);
  expect(askable(guests, { interfaces: false, hostNames: true }).map((g) => g.vmid)).toEqual([100]);
});

describe('rights and releases', () => {
  const asked = (release: string, held: object, guests = machines(40)) => {
    const paths: string[] = [];
    const call = stubCall((path) => {
      paths.push(path);
      if (path === '/access/permissions') return held;
      return path.endsWith('/interfaces') ? [] : { result: [] };
    }, release);
    const configs = new Map(guests.map((g) => [g.vmid, withAgent]));
    return scanLive(call, guests, configs, WISH).then((scan) => ({
      scan,
      agents: paths.filter((p) => p.includes('/agent/')).length,
      paths,
    }));
  };
  test('without the right not hundreds of agents are asked to be refused: it is hidden', async () => {
    const { scan, agents } = await asked('8.4', { '/vms': { 'VM.Audit': 1 } });
    expect(agents).toBe(0);
    expect(scan.gaps.hidden).toEqual([{ what: 'what guest agents tell', privilege: 'VM.Monitor', path: '/vms' }]);
  });
  test('with the right of the release all are asked', async () => {
    expect((await asked('8.4', { '/vms': { 'VM.Monitor': 1 } })).agents).toBe(40);
    expect((await asked('9.2.11', { '/vms': { 'VM.GuestAgent.Audit': 1 } })).agents).toBe(40);
    expect((await asked('9.2.11', { '/vms': { 'VM.GuestAgent.Unrestricted': 1 } })).agents).toBe(40);
  });
  test('a few are tried, for a right on single guests', async () => {
    expect((await asked('8.4', { '/vms': {} }, machines(5))).agents).toBe(5);
  });
  test('an old release that does not tell the addresses of containers', async () => {
    const { scan, paths } = await asked('7.4', { '/vms': { 'VM.Monitor': 1 } }, [guestOf({ vmid: 200, type: 'lxc' })]);
    expect(paths).not.toContain('/nodes/{node}/lxc/{vmid}/interfaces');
    expect(scan.gaps.why).toContain('does not tell the addresses of containers');
  });
});

test('a silent agent costs itself, a machine without one is not asked, a known configuration not read again', async () => {
  const paths: string[] = [];
  const call = stubCall((path, params) => {
    paths.push(`${path} ${params['vmid']}`);
    if (path.endsWith('/config')) return { agent: 'enabled=1' };
    if (params['vmid'] === 100) return new ApiError('timeout', 'The guest agent does not answer');
    return { result: [{ name: 'eth0', 'ip-addresses': [{ 'ip-address': '10.0.0.1' }] }] };
  });
  const configs = new Map([
    [100, withAgent],
    [101, without],
  ]);
  const scan = await scanLive(call, machines(3), configs, WISH);
  expect(scan.answers.map((a) => [a.guest.vmid, a.asked, a.live?.interfaces.length])).toEqual([
    [101, false, undefined],
    [102, true, 1],
  ]);
  expect(scan.gaps.problems.map((p) => [p.where.vmid, p.kind])).toEqual([[100, 'timeout']]);
  expect(paths.filter((p) => p.includes('/config'))).toEqual(['/nodes/{node}/qemu/{vmid}/config 102']);
  expect(scan.stoppedAfter).toBeUndefined();
});
