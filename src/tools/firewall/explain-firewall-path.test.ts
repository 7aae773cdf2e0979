import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { worldOf } from '../../../test/support/demo-world.ts';
import { callAs, type Harness, openHarness } from '../../../test/support/harness.ts';
import { recordOf, tableOf } from '../../../test/support/read-answer.ts';
import type { DemoRole } from '../../demo/types.ts';

describe('explain_firewall_path', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await openHarness();
  });
  afterAll(() => h.close());

  const ask = async (args: Record<string, unknown>, role: DemoRole = 'auditor') => {
    const outcome = await callAs(h.demo, role, 'explain_firewall_path', args);
    return { ...outcome, ...recordOf(outcome.text, 'verdict') };
  };

  test.each<[string, Record<string, unknown>, string, string]>([
    [
      'a group of the datacenter lets in',
      { source: '203.0.113.9', vmid: 100, port: 443 },
      'reachable',
      'rule 0.1 (group webserver: ACCEPT HTTPS)',
    ],
    ['a rule of the group that is off', { source: '203.0.113.9', vmid: 100, port: 8085 }, 'blocked', 'policy_in DROP'],
    ["an alias of the guest's own", { source: '198.51.100.7', vmid: 100, port: 22 }, 'reachable', 'from office'],
    ['anybody else', { source: '198.51.100.8', vmid: 100, port: 22 }, 'blocked', 'policy_in DROP'],
    ['a network that a rule names', { source: '192.0.2.77', vmid: 101, port: 5432 }, 'reachable', 'from 192.0.2.0/24'],
    [
      'a part of the source only',
      { source: '192.0.0.0/16', vmid: 101, port: 5432 },
      'cannot know',
      'only a part of the source is in 192.0.2.0/24',
    ],
    ['a rule with a dead alias is skipped', { source: '10.1.1.1', vmid: 101, port: 5432 }, 'blocked', 'policy_in DROP'],
    [
      'rules, but the guest is off (F-guest-off)',
      { source: 'any', vmid: 104, port: 6379 },
      'not filtered',
      "the guest's firewall is off",
    ],
    [
      'rules, but the interface is not filtered (F-nic-off)',
      { source: 'any', vmid: 111, port: 3389 },
      'not filtered',
      'net0 has firewall=0',
    ],
    ['open policy (F-open-policy)', { source: 'any', vmid: 120, port: 1 }, 'reachable', 'policy_in ACCEPT'],
    ['RDP from anywhere (F-open-rdp)', { source: 'any', vmid: 122, port: 3389 }, 'reachable', 'ACCEPT RDP'],
    ['a macro of two protocols', { source: '192.0.2.3', vmid: 122, port: 53, protocol: 'udp' }, 'reachable', 'ACCEPT DNS'],
    ['another protocol', { source: '192.0.2.3', vmid: 122, port: 3389, protocol: 'udp' }, 'blocked', 'policy_in DROP'],
    [
      'one interface of several',
      { source: '203.0.113.9', vmid: 112, port: 445, nic: 'net2' },
      'blocked',
      'rule 0 (DROP SMB on net2)',
    ],
    ['another one of them', { source: '203.0.113.9', vmid: 112, port: 445, nic: 'net0' }, 'not filtered', 'net0 has firewall=0'],
    ['they differ', { source: '203.0.113.9', vmid: 112, port: 445 }, 'cannot know', 'it depends on the interface'],
    ['all let it in', { source: '203.0.113.9', vmid: 112, port: 80 }, 'reachable', 'every interface lets it in'],
    ['from guest to guest', { source: '100', vmid: 101, port: 5432 }, 'reachable', 'guest 100 net0 out: rule 2 (ACCEPT)'],
    ['ping', { source: '203.0.113.9', vmid: 100, protocol: 'icmp' }, 'blocked', 'policy_in DROP'],
  ])('%s', async (_what, args, verdict, by) => {
    const { text, isError } = await ask(args);
    expect(isError, text).toBe(false);
    expect(recordOf(text, 'verdict')).toMatchObject({ verdict, decided_by: expect.stringContaining(by) });
    expect(text.split('\n')[0]).toContain(`: ${verdict}`);
    expect(text.length).toBeLessThan(3_000);
  });

  test('the way is shown with every rule up to the one that decides', async () => {
    const { text } = await ask({ source: '198.51.100.7', vmid: 100, port: 22 });
    expect(tableOf(text, 'path').map((r) => [r['rule'], r['result'], r['decides']])).toEqual([
      ['0.0', 'no-match', ''],
      ['0.1', 'no-match', ''],
      ['0.2', 'off', ''],
      ['1', 'match', 'yes'],
    ]);
    expect(text).toContain('net1 is unplugged (link_down) and not counted');
    expect(text).toContain('Not looked at: firewalls inside the guests');
  });

  test('a configuration that an auditor is refused makes the answer unknown, with the reason', async () => {
    const { text } = await ask({ source: 'proxy.demo.example', name: 'nextcloud', port: 443 });
    expect(recordOf(text, 'verdict')['verdict']).toBe('cannot know');
    expect(text).toMatch(/Problem: guest 200 .*VM\.Config\.Options/);
    expect(
      recordOf((await ask({ source: 'proxy.demo.example', name: 'nextcloud', port: 443 }, 'full')).text, 'verdict')['verdict'],
    ).toBe('reachable');
  });

  test('as scoped: what depends on the datacenter is not claimed, what does not is', async () => {
    const hidden = 'Hidden: the datacenter firewall: its switch, security groups, aliases and IP sets: needs Sys.Audit on /';
    const group = await ask({ source: '203.0.113.9', vmid: 100, port: 443 }, 'scoped');
    expect(recordOf(group.text, 'verdict')).toMatchObject({
      verdict: 'cannot know',
      decided_by: expect.stringContaining("the group's rules can't be read"),
    });
    expect(group.text).toContain(hidden);
    const off = await ask({ source: '203.0.113.9', vmid: 111, port: 3389 }, 'scoped');
    expect(recordOf(off.text, 'verdict')['verdict']).toBe('not filtered');
    expect(off.text).toContain(hidden);
  });

  test.each<[string, Record<string, unknown>, string, DemoRole]>([
    ['a guest that is not visible', { source: '10.0.0.1', vmid: 100, port: 1 }, 'this token may not see it', 'noacl'],
    ['no port', { source: '10.0.0.1', vmid: 100 }, 'needs port', 'auditor'],
    ['no guest', { source: '10.0.0.1', port: 1 }, 'Which guest?', 'auditor'],
    ['no address', { source: '10.0.0.300', vmid: 100, port: 1 }, 'is no address', 'auditor'],
    ['a source that is misspelt', { source: 'web-02', vmid: 101, port: 1 }, 'Did you mean "web-01"', 'auditor'],
    ['no such interface', { source: '10.0.0.1', vmid: 112, port: 1, nic: 'net9' }, 'It has net0, net1, net2, net3', 'auditor'],
    ['itself', { source: '100', vmid: 100, port: 1 }, 'the same guest', 'auditor'],
    ['a guest of the offline node', { source: '10.0.0.1', vmid: 130, port: 1 }, 'pve3 is offline', 'auditor'],
  ])('%s is refused', async (_what, args, said, role) => {
    const { text, isError } = await ask(args, role);
    expect(isError).toBe(true);
    expect(text).toContain(said);
  });

  test('a bounded number of requests, nothing to the offline node, no secret', async () => {
    const before = h.demo.requests.length;
    const { stats, text } = await ask({ source: '100', vmid: 101, port: 5432 });
    expect(stats.requests).toBeLessThanOrEqual(22);
    expect(h.demo.requests.slice(before).every((r) => !r.path.startsWith('/nodes/pve3'))).toBe(true);
    for (const canary of h.demo.canaries) expect(text).not.toContain(canary);
  });

  test('structured form', async () => {
    const { structured } = await h.call(
      'explain_firewall_path',
      { source: '203.0.113.9', vmid: 100, port: 443 },
      { form: 'structured' },
    );
    expect(structured).toMatchObject({
      verdict: { verdict: 'reachable', traffic: 'tcp/443' },
      path: [expect.anything(), { rule: '0.1', decides: 'yes' }],
    });
  });
});

describe('explain_firewall_path at a guest on a VNet', () => {
  const onVnet = async (nftables: 0 | 1, role: DemoRole = 'auditor') => {
    const h = await openHarness({ role });
    const world = worldOf(h.demo);
    const { firewall } = world.areas;
    const nodeScope = firewall.node.bind(firewall);
    Object.assign(firewall, { node: (node: string) => ({ ...nodeScope(node), options: { nftables } }) });
    return h;
  };

  test.each([
    [1, 443, 'reachable', 'VNet labnet: rule 0 (ACCEPT tcp port 443)'],
    [1, 80, 'blocked', 'VNet labnet: policy_forward DROP'],
    [0, 80, 'not filtered', 'the node does not use nftables, so VNet rules do nothing'],
  ] as const)('nftables %d, port %d: %s', async (nftables, port, verdict, by) => {
    const h = await onVnet(nftables);
    try {
      const { text } = await h.call('explain_firewall_path', { source: '203.0.113.9', vmid: 204, nic: 'net1', port });
      expect(recordOf(text, 'verdict')).toMatchObject({ verdict, decided_by: expect.stringContaining(by) });
    } finally {
      await h.close();
    }
  });
});
