import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callAs, type Harness, openHarness } from '../../../test/support/harness.ts';
import { tableOf } from '../../../test/support/read-answer.ts';

const addresses = (text: string) => tableOf(text, text.includes('## addresses') ? 'addresses' : undefined);

describe('get_guest_network', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await openHarness();
  });
  afterAll(() => h.close());

  test('a machine with an agent: by hardware address, without loopback and link-local', async () => {
    const { text, stats } = await h.call('get_guest_network', { vmid: 100 });
    expect(addresses(text).map((a) => [a['address'], a['nic'], a['interface'], a['source']])).toEqual([
      ['192.0.2.10/24', 'net0', 'eth0', 'agent'],
      ['2001:db8:2::10/64', 'net0', 'eth0', 'agent'],
      ['172.17.0.1/16', '', 'docker0', 'agent'],
    ]);
    // net1 is there until the next start.
    expect(tableOf(text, 'nics').map((n) => n['nic'])).toEqual(['net0', 'net1']);
    expect(text).toContain('3 loopback and link-local addresses left out');
    expect(stats.requests).toBeLessThanOrEqual(3);
  });

  test('a running container needs no agent, and all its addresses are told', async () => {
    const { text } = await h.call('get_guest_network', { vmid: 203 });
    expect(addresses(text).map((a) => [a['address'], a['source']])).toEqual([
      ['10.20.0.53/24', 'lxc-interfaces'],
      ['10.20.0.54/24', 'lxc-interfaces'],
      ['10.40.0.53/24', 'lxc-interfaces'],
    ]);
  });

  test('a stopped guest: what is configured, and that it is only that', async () => {
    const { text } = await h.call('get_guest_network', { vmid: 205 });
    expect(addresses(text)).toMatchObject([{ address: '10.20.0.60/24', nic: 'net0', source: 'config' }]);
    expect(text).toMatch(/^Coverage: unknown - the guest does not run \(stopped\)/m);
  });

  test('no agent: the addresses are not known, which is not "none"', async () => {
    const { text } = await h.call('get_guest_network', { vmid: 121 });
    expect(text.split('\n')[0]).toContain('no address known');
    expect(text).toContain('the guest agent is not enabled');
  });

  test.each([
    [122, 'The guest agent does not answer'],
    [111, 'guest-network-get-interfaces'],
  ])('guest %i: the agent fails, its interfaces are still told', async (vmid, message) => {
    const { text, isError } = await h.call('get_guest_network', { vmid });
    expect(isError).toBe(false);
    expect(text).toMatch(new RegExp(`^Problem: guest ${vmid} .*${message}`, 'm'));
    expect(tableOf(text, 'nics').map((n) => n['nic'])).toEqual(['net0']);
  });

  test('an agent is only asked where the guest runs and has one', async () => {
    const before = h.demo.requests.length;
    for (const vmid of [102, 121, 103, 105]) await h.call('get_guest_network', { vmid });
    expect(h.demo.requests.slice(before).some((r) => r.path.includes('/agent/'))).toBe(false);
  });

  test('a container whose configuration is refused still has its live addresses', async () => {
    const { text } = await h.call('get_guest_network', { vmid: 200 });
    expect(addresses(text).map((a) => a['address'])).toEqual(['192.0.2.20/24', '2001:db8:2::20/64']);
    expect(text).toContain('needs VM.Config.Options on /vms/200');
    expect(text).not.toContain('Made by the guest itself');
  });

  test('a mute agent costs its time-out once; asked again the answer comes at once', async () => {
    const slow = await openHarness({ demo: h.demo, cluster: { timeoutMs: 1_000 } });
    const off = h.demo.faults.add({ kind: 'hang', match: '/nodes/pve1/qemu/104/agent' });
    try {
      const first = await slow.call('get_guest_network', { vmid: 104 });
      expect(first.text).toMatch(/^Problem: guest 104 on pve1 \(timeout\)/m);
      const started = performance.now();
      const second = await slow.call('get_guest_network', { vmid: 104 });
      expect(performance.now() - started).toBeLessThan(900);
      expect(second.text).toContain('net0');
    } finally {
      off();
      await slow.close();
    }
  });

  test('before 9.0 the agent needs another privilege, and the answer names it', async () => {
    const old = await openHarness({ release: '8.4' });
    try {
      const { text } = await old.call('get_guest_network', { vmid: 100 });
      expect(text).toMatch(/^Problem: guest 100 on pve1 \(forbidden\).*needs VM\.Monitor on \/vms\/100/m);
      expect(addresses(text).map((a) => [a['address'], a['source']])).toContainEqual(['192.0.2.10/24', 'config']);
      // One address a family: these releases tell no more.
      const container = await old.call('get_guest_network', { vmid: 203 });
      expect(addresses(container.text).length).toBeGreaterThan(0);
    } finally {
      await old.close();
    }
  });

  test('7.4 has no interfaces of containers: the configured ones stay', async () => {
    const old = await openHarness({ release: '7.4' });
    try {
      const { text, isError } = await old.call('get_guest_network', { vmid: 203 });
      expect(isError).toBe(false);
      expect(text).toMatch(/^Problem: .*unsupported-by-this-release/m);
      expect(addresses(text)).toMatchObject([
        { address: '10.20.0.53/24', source: 'config' },
        { address: '10.40.0.53/24', source: 'config' },
      ]);
    } finally {
      await old.close();
    }
  });

  test('offline node and hidden guest', async () => {
    expect(await h.call('get_guest_network', { vmid: 130 })).toMatchObject({ isError: true, errorKind: 'node-unreachable' });
    try {
      expect(await callAs(h.demo, 'noacl', 'get_guest_network', { vmid: 100 })).toMatchObject({
        isError: true,
        errorKind: 'forbidden',
      });
    } finally {
    }
  });

  test('the structured form holds the same addresses', async () => {
    const { structured } = await h.call('get_guest_network', { vmid: 100 }, { form: 'structured' });
    expect(JSON.stringify(structured)).toContain('"192.0.2.10/24"');
  });
});
