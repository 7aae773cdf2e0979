import { describe, expect, test } from 'vitest';
import { rule } from '../../test/support/health-facts.ts';
import type { FirewallRule } from '../cluster/firewall.ts';
import { NAMES, ranges } from './firewall-match.fixture.ts';
import { type GuestSide, type PathFacts, tracePath, type VnetSide } from './firewall-path.ts';

function side(extra: Partial<GuestSide> = {}): GuestSide {
  return {
    label: 'guest 100',
    nic: 'net0',
    nicFirewall: true,
    linkDown: false,
    options: { enable: 1 },
    rules: [],
    names: NAMES,
    ipfilter: undefined,
    ...extra,
  };
}

function vnet(extra: Partial<VnetSide> = {}): VnetSide {
  return { label: 'VNet lab', options: { enable: 1 }, rules: [], nftables: true, names: NAMES, ...extra };
}

function trace(extra: Partial<PathFacts> = {}) {
  return tracePath({
    packet: { family: 4, source: ranges('198.51.100.7'), dest: ranges('192.0.2.10'), proto: 'tcp', port: 22 },
    datacenterOn: true,
    groups: new Map<string, readonly FirewallRule[] | 'hidden'>([
      ['ssh', [rule({ macro: 'SSH' })]],
      ['empty', []],
      ['dark', 'hidden'],
    ]),
    names: NAMES,
    from: undefined,
    vnets: [],
    to: side(),
    ...extra,
  });
}

const group = (name: string, extra: Partial<FirewallRule> = {}): FirewallRule => rule({ type: 'group', action: name, ...extra });
const to = (rules: FirewallRule[], extra: Partial<GuestSide> = {}) => ({ to: side({ rules, ...extra }) });

describe('verdict', () => {
  test.each<[string, Partial<PathFacts>, string, string]>([
    [
      'the datacenter is off',
      { datacenterOn: false, ...to([rule({ action: 'DROP' })]) },
      'not filtered',
      'datacenter firewall is off',
    ],
    [
      'the guest is off',
      to([rule({ action: 'DROP' })], { options: { enable: 0 } }),
      'not filtered',
      "the guest's firewall is off",
    ],
    ['no option at all is off', to([], { options: {} }), 'not filtered', "the guest's firewall is off"],
    ['the interface is not filtered', to([], { nicFirewall: false }), 'not filtered', 'net0 has firewall=0'],
    ['the default policy drops', to([]), 'blocked', 'policy_in DROP'],
    ['a policy that accepts', to([], { options: { enable: 1, policy_in: 'ACCEPT' } }), 'reachable', 'policy_in ACCEPT'],
    ['a policy that rejects', to([], { options: { enable: 1, policy_in: 'REJECT' } }), 'blocked', 'policy_in REJECT'],
    ['a rule accepts', to([rule({ macro: 'SSH', pos: 3 })]), 'reachable', 'rule 3 (ACCEPT SSH)'],
    ['the first rule decides', to([rule({ action: 'DROP' }), rule({ pos: 1 })]), 'blocked', 'rule 0 (DROP)'],
    ['a rule that is off does not', to([rule({ action: 'DROP', enabled: false }), rule({ pos: 1 })]), 'reachable', 'rule 1'],
    ['a rule with errors does not', to([rule({ errors: 'source: no such alias' })]), 'blocked', 'policy_in'],
    ['a group decides', to([group('ssh', { pos: 2 })]), 'reachable', 'rule 2.0 (group ssh: ACCEPT SSH)'],
    ['a group that is off does not', to([group('ssh', { enabled: false })]), 'blocked', 'policy_in'],
    ['a group on another interface does not', to([group('ssh', { iface: 'net1' })]), 'blocked', 'policy_in'],
    ['an empty group does not', to([group('empty')]), 'blocked', 'policy_in'],
    ['a group that does not exist does not', to([group('gone')]), 'blocked', 'policy_in'],
    ['a group that can not be read may', to([group('dark')]), 'cannot know', "the group's rules can't be read"],
    ['a rule that can not be decided may', to([rule({ macro: 'Frobnicate' })]), 'cannot know', 'macro Frobnicate'],
    ['but not when what follows says the same', to([rule({ macro: 'Frobnicate', action: 'DROP' })]), 'blocked', 'policy_in DROP'],
    [
      'nor behind the rule that decides',
      to([rule({}), rule({ pos: 1, macro: 'Frobnicate', action: 'DROP' })]),
      'reachable',
      'rule 0',
    ],
    ['an action that is not known', to([rule({ action: 'TARPIT' })]), 'cannot know', 'TARPIT'],
    ['options can not be read', to([], { options: undefined }), 'cannot know', "options can't be read"],
    ['rules can not be read', to([], { rules: undefined }), 'cannot know', "rules can't be read"],
    ['the interface can not be read', to([], { nicFirewall: undefined }), 'cannot know', "configuration can't be read"],
    [
      'the interface can not be read, but the guest is off',
      to([], { nicFirewall: undefined, options: {} }),
      'not filtered',
      'is off',
    ],
    ['the cable is pulled', { datacenterOn: false, ...to([], { linkDown: true }) }, 'blocked', 'unplugged'],
    [
      'the switch of the datacenter can not be read: a block is none for sure',
      { datacenterOn: undefined, ...to([]) },
      'cannot know',
      'if it is: guest 100 net0 in: policy_in DROP',
    ],
    [
      'the switch of the datacenter can not be read: what passes passes',
      { datacenterOn: undefined, ...to([rule()]) },
      'reachable',
      'rule 0',
    ],
  ])('%s', (_what, facts, verdict, by) => {
    const result = trace(facts);
    expect(result.verdict).toBe(verdict);
    expect(result.by).toContain(by);
  });
});

describe('on the way out of a source guest', () => {
  const open = side({ rules: [rule()] });
  test.each<[string, Partial<GuestSide>, string, string]>([
    ['the default policy lets out', {}, 'reachable', 'policy_out ACCEPT'],
    ['a policy that drops', { options: { enable: 1, policy_out: 'DROP' } }, 'blocked', 'guest 200 net0 out: policy_out DROP'],
    [
      'an outgoing rule',
      { rules: [rule({ type: 'out', action: 'REJECT', dest: '192.0.2.0/24' })] },
      'blocked',
      'REJECT to 192.0.2.0/24',
    ],
    ['incoming rules do not count', { rules: [rule({ action: 'DROP' })] }, 'reachable', 'policy_out'],
    ['not filtered there', { nicFirewall: false }, 'reachable', 'guest 100 net0 in: rule 0'],
    ['its IP filter forbids its address', { ipfilter: 'no' }, 'blocked', 'IP filter'],
    ['its IP filter allows it', { ipfilter: 'yes' }, 'reachable', 'policy_out'],
    ['its IP filter is not known', { ipfilter: 'unknown' }, 'cannot know', 'IP filter'],
    [
      'its IP filter is not known, but a rule blocks anyway',
      { ipfilter: 'unknown', rules: [rule({ type: 'out', action: 'DROP' })] },
      'blocked',
      'rule 0',
    ],
    ['its cable is pulled', { linkDown: true }, 'blocked', 'unplugged'],
    ['it is not readable', { options: undefined }, 'cannot know', "options can't be read"],
  ])('%s', (_what, from, verdict, by) => {
    const result = trace({ from: side({ label: 'guest 200', ...from }), to: open });
    expect(result.verdict).toBe(verdict);
    expect(result.by).toContain(by);
  });

  test('blocked at the target is blocked, whatever is not known on the way', () => {
    expect(trace({ from: side({ options: undefined }), to: side() }).verdict).toBe('blocked');
  });

  test('neither end filtered', () => {
    expect(trace({ from: side({ nicFirewall: false }), to: side({ options: {} }) }).verdict).toBe('not filtered');
  });
});

describe('through a VNet', () => {
  const open = side({ nicFirewall: false });
  test.each<[string, Partial<VnetSide>, string, string]>([
    ['off', { options: {} }, 'not filtered', "VNet's firewall is off"],
    [
      'without nftables its rules do nothing',
      { nftables: false, rules: [rule({ type: 'forward', action: 'DROP' })] },
      'not filtered',
      'does not use nftables',
    ],
    ['nftables not known', { nftables: undefined }, 'cannot know', 'nftables'],
    ['a forward rule', { rules: [rule({ type: 'forward', action: 'DROP', macro: 'SSH' })] }, 'blocked', 'DROP SSH'],
    ['its policy', { options: { enable: 1, policy_forward: 'DROP' } }, 'blocked', 'policy_forward DROP'],
    ['open by default', {}, 'reachable', 'policy_forward ACCEPT'],
    ['not readable', { options: undefined }, 'cannot know', "can't be read"],
  ])('%s', (_what, extra, verdict, by) => {
    const result = trace({ vnets: [vnet(extra)], to: open });
    expect(result.verdict).toBe(verdict);
    expect(result.by).toContain(by);
  });
});

describe('what comes before the rules', () => {
  const blacklisting = (content: 'hidden' | string[]) => ({
    ...NAMES,
    set: (scope: 'dc' | 'guest', name: string) =>
      scope === 'dc' && name === 'blacklist'
        ? content === 'hidden'
          ? content
          : content.map((cidr) => ({ cidr, nomatch: false }))
        : NAMES.set(scope, name),
  });

  test("a sender in the datacenter's blacklist is dropped at any filtered interface, even of a guest that is off", () => {
    const names = blacklisting(['198.51.100.0/24']);
    expect(trace({ names, ...to([rule()]) })).toMatchObject({ verdict: 'blocked', by: expect.stringContaining('blacklist') });
    expect(trace({ names, ...to([], { options: {} }) }).verdict).toBe('blocked');
    expect(trace({ names, ...to([], { nicFirewall: false }) }).verdict).toBe('not filtered');
    expect(trace({ names: blacklisting(['203.0.113.0/24']), ...to([rule()]) }).verdict).toBe('reachable');
    expect(trace({ names: blacklisting('hidden'), ...to([rule()]) }).verdict).toBe('cannot know');
    expect(trace({ names: blacklisting('hidden'), ...to([]) }).verdict).toBe('blocked');
  });

  test('a guest that is off is not called unfiltered where the blacklist can not be read', () => {
    const hidden = blacklisting('hidden');
    const result = trace({ names: hidden, ...to([], { options: {} }) });
    expect(result).toMatchObject({ verdict: 'cannot know', by: expect.stringContaining('blacklist') });
    expect(result.by).toContain("the guest's firewall is off");
    expect(result.levels.flatMap((l) => l.steps).some((step) => step.decides)).toBe(false);
    expect(trace({ names: hidden, ...to([], { options: {}, nicFirewall: false }) }).verdict).toBe('not filtered');
  });

  test('DHCP is let in and out by an option of its own', () => {
    const packet = { family: 4, source: ranges('192.0.2.1'), dest: ranges('192.0.2.10'), proto: 'udp', port: 68 } as const;
    expect(trace({ packet, ...to([]) })).toMatchObject({ verdict: 'reachable', by: expect.stringContaining('DHCP') });
    expect(trace({ packet, ...to([], { options: { enable: 1, dhcp: 0 } }) }).verdict).toBe('blocked');
  });
});

test('every rule that was looked at is shown in order, also those that are off; those of the other direction are not', () => {
  const { levels } = trace(
    to([rule({ enabled: false }), rule({ pos: 1, type: 'out' }), group('ssh', { pos: 2 }), rule({ pos: 3 })]),
  );
  expect(levels[0]?.steps.map((s) => [s.rule, s.result, s.decides])).toEqual([
    ['0', 'off', false],
    ['2.0', 'match', true],
  ]);
});
