import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { worldOf } from '../../../test/support/demo-world.ts';
import { type Harness, openHarness } from '../../../test/support/harness.ts';

const lineOf = (text: string, key: string): string | undefined => new RegExp(`^${key}: (.*)$`, 'm').exec(text)?.[1];

describe('get_guest_status', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await openHarness();
  });
  afterAll(() => h.close());

  test('a running machine, with the figures of the cluster', async () => {
    const { text, structured } = await h.call('get_guest_status', { vmid: 100 }, { form: 'structured' });
    const guest = worldOf(h.demo).guests.get(100);
    const json = JSON.stringify(structured);
    expect(json).toContain(String(guest?.netin));
    expect(json).toContain(String(guest?.maxmem));
    expect(text).toContain('running');
    const plain = (await h.call('get_guest_status', { vmid: 100 })).text;
    expect(plain.split('\n')[0]).toBe('web-01 (VM 100) on pve1: running; 6 pending changes');
    expect(lineOf(plain, 'pending_changes')).toBe([...(guest?.detail.changes.keys() ?? [])].sort().join(', '));
    expect(lineOf(plain, 'mem_counted_by')).toContain('balloon driver');
    expect(lineOf(plain, 'ha')).toBe('started');
    // The host does not know how full a machine's disk is.
    expect(lineOf(plain, 'disk_used')).toBeUndefined();
  });

  test('a container: root file system and swap', async () => {
    const { text } = await h.call('get_guest_status', { vmid: 203 });
    const guest = worldOf(h.demo).guests.get(203);
    expect(lineOf(text, 'disk')).toBe(`${Number((((guest?.disk ?? 0) / (guest?.maxdisk ?? 1)) * 100).toFixed(1))}%`);
    expect(lineOf(text, 'swap')).toBe('512 MiB');
  });

  test.each([
    [102, 'prelaunch'],
    [125, 'suspended'],
    [107, 'stopped, locked (suspended)'],
    [103, 'stopped, template'],
  ])('guest %i is %s', async (vmid, state) => {
    expect((await h.call('get_guest_status', { vmid })).text.split('\n')[0]).toMatch(
      new RegExp(`: ${state.replace(/[()]/g, '\\$&')}$`),
    );
  });

  test('a stopped guest has no load, and its zeros are not shown as figures', async () => {
    const { text } = await h.call('get_guest_status', { vmid: 103 });
    for (const key of ['cpu', 'mem', 'net_in', 'uptime']) expect(lineOf(text, key)).toBeUndefined();
    expect(lineOf(text, 'memory')).toBe('512 MiB');
  });

  test('on an offline node: what the cluster still knows, the problem, and no request to it', async () => {
    const before = h.demo.requests.length;
    const { text, isError } = await h.call('get_guest_status', { vmid: 130 });
    expect(isError).toBe(false);
    expect(text).toContain('state unknown, its node does not answer');
    expect(text).toContain('Problem: pve3 (node-unreachable)');
    expect(lineOf(text, 'ha')).toBe('fence');
    expect(h.demo.requests.slice(before).some((r) => r.path.startsWith('/nodes/pve3'))).toBe(false);
  });

  test('a node that is online and does not answer: the view of the cluster with the problem', async () => {
    const off = h.demo.faults.add({ kind: 'status-595', match: '/nodes/pve2/qemu/124' });
    try {
      const { text, isError } = await h.call('get_guest_status', { vmid: 124 });
      expect(isError).toBe(false);
      expect(text).toContain("running by the cluster's view");
      expect(text).toMatch(/^Problem: guest 124 on pve2 \(node-unreachable\)/m);
    } finally {
      off();
    }
  });

  test('a container whose pending changes are refused says so instead of none', async () => {
    const { text } = await h.call('get_guest_status', { vmid: 200 });
    expect(text).toContain('Whether changes are pending can not be seen');
  });

  test('hidden guests and wrong arguments', async () => {
    const blind = await openHarness({ demo: h.demo, role: 'noacl' });
    try {
      expect(await blind.call('get_guest_status', { vmid: 100 })).toMatchObject({ isError: true, errorKind: 'forbidden' });
      expect((await blind.call('get_guest_status', { name: 'web-01' })).text).toContain('this token can be sure to see');
    } finally {
      await blind.close();
    }
    expect(await h.call('get_guest_status', { vmid: 99 })).toMatchObject({ isError: true, errorKind: 'bad-argument' });
    expect((await h.call('get_guest_status', { vmid: 100, wat: 1 })).text).toContain('Accepted: vmid, name, node, guest_type');
  });

  test('three requests, no secrets', async () => {
    const fresh = await openHarness({ demo: h.demo });
    try {
      const { stats, text } = await fresh.call('get_guest_status', { vmid: 101 });
      expect(stats.requests).toBe(3);
      for (const canary of h.demo.canaries) expect(text).not.toContain(canary);
    } finally {
      await fresh.close();
    }
  });
});
