import { boolOf } from '../api/lenient.ts';
import type { FirewallOptions, FirewallRule } from '../cluster/firewall.ts';
import type { FirewallNames, Groups } from '../cluster/firewall-names.ts';
import type { ReadVnet } from '../cluster/firewall-path.ts';
import { matchRule, type Packet, type RuleMatch, sourceInSet, unusable } from './firewall-match.ts';

/** The firewall of one guest, at one of its interfaces. `undefined`: can't be read. */
export interface GuestSide {
  /** `guest 100 (web-01)` */
  readonly label: string;
  /** `net0` */
  readonly nic: string;
  /** The interface's own firewall flag. */
  readonly nicFirewall: boolean | undefined;
  readonly linkDown: boolean;
  readonly options: FirewallOptions | undefined;
  readonly rules: readonly FirewallRule[] | undefined;
  readonly names: FirewallNames;
  /** Addresses that the interface may send from; undefined: no limit, `unknown`: limited to what can't be told. */
  readonly ipfilter: 'no' | 'yes' | 'unknown' | undefined;
}

/** The firewall of the VNet that an interface hangs on. */
export interface VnetSide extends Pick<ReadVnet, 'label' | 'options' | 'rules' | 'nftables'> {
  readonly names: FirewallNames;
}

export interface PathFacts {
  readonly packet: Packet;
  /** The datacenter's switch: off, nothing is filtered anywhere. Undefined: can't be read. */
  readonly datacenterOn: boolean | undefined;
  readonly groups: Groups;
  readonly names: FirewallNames;
  /** Undefined: the source is no guest of this cluster. */
  readonly from: GuestSide | undefined;
  readonly vnets: readonly VnetSide[];
  readonly to: GuestSide;
}

export type Outcome = 'accept' | 'drop' | 'reject' | 'unfiltered' | 'unknown';

/** One thing that was looked at, in the order of the packet. */
export interface PathStep {
  readonly level: string;
  /** Position of the rule; `1.0`: the first rule in the group that stands at 1. */
  readonly rule: string | undefined;
  readonly what: string;
  readonly result: RuleMatch['result'] | Outcome;
  readonly why: string | undefined;
  /** This is what decided at its level. */
  readonly decides: boolean;
}

/** What one level does with the packet. */
export interface LevelResult {
  readonly level: string;
  readonly outcome: Outcome;
  /** What decided, in words. */
  readonly by: string;
  readonly steps: readonly PathStep[];
}

/** Whether Proxmox VE's firewall lets the packet through. */
export type PathVerdict = 'reachable' | 'blocked' | 'not filtered' | 'cannot know';

export interface PathResult {
  readonly verdict: PathVerdict;
  /** The level and rule that decided it. */
  readonly by: string;
  readonly levels: readonly LevelResult[];
}

/** Follows a packet from its source to a guest's interface: out of the source guest, through VNets, into the guest. */
export function tracePath(facts: PathFacts): PathResult {
  const unplugged = unpluggedLevel(facts);
  if (unplugged !== undefined) return { verdict: 'blocked', by: `${unplugged.level}: ${unplugged.by}`, levels: [unplugged] };
  if (facts.datacenterOn === false) {
    const by = 'the datacenter firewall is off, so nothing is filtered anywhere';
    return { verdict: 'not filtered', by, levels: [single('datacenter', 'enable', 'unfiltered', 'the firewall is off')] };
  }
  const levels = [
    ...(facts.from === undefined ? [] : [guestLevel(facts.from, 'out', facts)]),
    ...facts.vnets.map((vnet) => vnetLevel(vnet, facts)),
    guestLevel(facts.to, 'in', facts),
  ];
  const verdict = verdictOf(levels);
  if (facts.datacenterOn === undefined && verdict.verdict === 'blocked') {
    const by = `whether the datacenter firewall is on can't be read; if it is: ${verdict.by}`;
    return { verdict: 'cannot know', by, levels };
  }
  return { ...verdict, levels };
}

/** An interface whose cable is pulled carries nothing, firewall or not. */
function unpluggedLevel({ from, to }: PathFacts): LevelResult | undefined {
  if (from?.linkDown === true)
    return single(`${from.label} ${from.nic} out`, 'link_down', 'drop', 'the interface is unplugged (link_down)');
  return to.linkDown
    ? single(`${to.label} ${to.nic} in`, 'link_down', 'drop', 'the interface is unplugged (link_down)')
    : undefined;
}

function verdictOf(levels: readonly LevelResult[]): { readonly verdict: PathVerdict; readonly by: string } {
  const blocking = levels.find((l) => l.outcome === 'drop' || l.outcome === 'reject');
  if (blocking !== undefined) return { verdict: 'blocked', by: `${blocking.level}: ${blocking.by}` };
  const unknown = levels.filter((l) => l.outcome === 'unknown');
  if (unknown.length > 0) return { verdict: 'cannot know', by: unknown.map((l) => `${l.level}: ${l.by}`).join('; ') };
  const accepting = levels.filter((l) => l.outcome === 'accept');
  if (accepting.length === 0) return { verdict: 'not filtered', by: levels.map((l) => `${l.level}: ${l.by}`).join('; ') };
  return { verdict: 'reachable', by: accepting.map((l) => `${l.level}: ${l.by}`).join('; ') };
}

function single(level: string, what: string, outcome: Outcome, why: string): LevelResult {
  return { level, outcome, by: why, steps: [{ level, rule: undefined, what, result: outcome, why, decides: true }] };
}

function guestLevel(side: GuestSide, direction: 'in' | 'out', facts: PathFacts): LevelResult {
  const level = `${side.label} ${side.nic} ${direction}`;
  if (side.nicFirewall === false)
    return single(level, 'firewall flag of the interface', 'unfiltered', `${side.nic} has firewall=0`);
  const { options } = side;
  const before = direction === 'in' ? beforeIn(level, facts) : beforeOut(level, side);
  // This comes with the interface's flag alone, whatever the guest's own switch says.
  if (direction === 'in' && side.nicFirewall === true && before?.outcome === 'drop') return before;
  const on = options === undefined ? undefined : (boolOf(options['enable']) ?? false);
  if (on === false) {
    const off = single(level, 'enable', 'unfiltered', "the guest's firewall is off");
    if (direction === 'out' || side.nicFirewall !== true || before === undefined) return off;
    return { ...before, by: `${off.by}; ${before.by}`, steps: [...before.steps, ...off.steps].map(undecided) };
  }
  if (on === undefined || options === undefined)
    return single(level, 'enable', 'unknown', "the guest's firewall options can't be read");
  if (side.nicFirewall === undefined)
    return single(level, 'firewall flag of the interface', 'unknown', "the guest's configuration can't be read");
  if (dhcp(options, direction, facts.packet))
    return single(level, 'option dhcp', 'accept', 'DHCP is let through by the option dhcp');
  if (before !== undefined && before.outcome !== 'unknown') return before;
  if (side.rules === undefined) return single(level, 'rules', 'unknown', "the guest's rules can't be read");
  const policy = policyOf(options, direction === 'in' ? 'policy_in' : 'policy_out', direction === 'in' ? 'DROP' : 'ACCEPT');
  const result = walk({ level, rules: side.rules, policy, direction, nic: side.nic, names: side.names }, facts);
  if (before === undefined || result.outcome === 'drop' || result.outcome === 'reject')
    return { ...result, steps: [...(before?.steps ?? []), ...result.steps] };
  const by = result.outcome === 'unknown' ? `${result.by}; ${before.by}` : before.by;
  return { ...before, by, steps: [...before.steps, ...result.steps].map(undecided) };
}

function undecided(step: PathStep): PathStep {
  return { ...step, decides: false };
}

/** Senders in the datacenter's set `blacklist` are dropped in front of every filtered interface. */
function beforeIn(level: string, facts: PathFacts): LevelResult | undefined {
  const listed = sourceInSet(facts.packet, 'dc', 'blacklist', facts.names);
  const what = 'IP set blacklist of the datacenter';
  if (listed === 'yes') return single(level, what, 'drop', "the source is in the datacenter's IP set blacklist");
  return listed === 'unknown'
    ? single(level, what, 'unknown', "whether the source is in the datacenter's IP set blacklist is not known")
    : undefined;
}

/** With an IP filter a guest sends from its own addresses only. */
function beforeOut(level: string, side: GuestSide): LevelResult | undefined {
  if (side.ipfilter === 'no')
    return single(level, 'IP filter', 'drop', `its address is not among those that the IP filter of ${side.nic} allows`);
  if (side.ipfilter !== 'unknown') return undefined;
  return single(level, 'IP filter', 'unknown', `which addresses the IP filter of ${side.nic} allows is not known`);
}

function dhcp(options: FirewallOptions, direction: 'in' | 'out', packet: Packet): boolean {
  if (packet.proto !== 'udp' || boolOf(options['dhcp']) === false) return false;
  const [server, client] = packet.family === 4 ? [67, 68] : [547, 546];
  return packet.port === (direction === 'out' ? server : client);
}

function vnetLevel(side: VnetSide, facts: PathFacts): LevelResult {
  const { label: level, options } = side;
  if (options === undefined) return single(level, 'enable', 'unknown', "the VNet's firewall can't be read");
  if (boolOf(options['enable']) !== true) return single(level, 'enable', 'unfiltered', "the VNet's firewall is off");
  if (side.nftables === false)
    return single(level, 'nftables of the node', 'unfiltered', 'the node does not use nftables, so VNet rules do nothing');
  if (side.nftables === undefined)
    return single(level, 'nftables of the node', 'unknown', "whether the node uses nftables can't be read");
  if (side.rules === undefined) return single(level, 'rules', 'unknown', "the VNet's rules can't be read");
  const policy = policyOf(options, 'policy_forward', 'ACCEPT');
  return walk({ level, rules: side.rules, policy, direction: 'forward', nic: undefined, names: side.names }, facts);
}

function policyOf(options: FirewallOptions, key: string, fallback: string): { readonly key: string; readonly action: string } {
  return { key, action: String(options[key] ?? fallback).toUpperCase() };
}

interface Chain {
  readonly level: string;
  readonly rules: readonly FirewallRule[];
  readonly policy: { readonly key: string; readonly action: string };
  readonly direction: 'in' | 'out' | 'forward';
  readonly nic: string | undefined;
  readonly names: FirewallNames;
}

/** What a rule that can't be decided would do; `any`: the rules of a group that can't be read. */
type Doubt = { readonly outcome: 'accept' | 'block' | 'any'; readonly step: PathStep };

/** The first rule that applies decides, else the policy. A rule in doubt matters only if it would decide otherwise. */
function walk(chain: Chain, facts: PathFacts): LevelResult {
  const steps: PathStep[] = [];
  const doubts: Doubt[] = [];
  for (const rule of chain.rules) {
    const decided =
      rule.type === 'group'
        ? enterGroup(rule, chain, facts, steps, doubts)
        : lookAt(rule, String(rule.pos), chain, facts, steps, doubts);
    if (decided !== undefined) return settle(chain, decided, steps, doubts);
  }
  const { key, action } = chain.policy;
  const step: PathStep = {
    level: chain.level,
    rule: undefined,
    what: `${key} ${action}`,
    result: 'match',
    why: 'no rule before it decided',
    decides: true,
  };
  return settle(chain, { action, step }, steps, doubts);
}

interface Decided {
  readonly action: string;
  readonly step: PathStep;
}

function lookAt(
  rule: FirewallRule,
  at: string,
  chain: Chain,
  facts: PathFacts,
  steps: PathStep[],
  doubts: Doubt[],
): Decided | undefined {
  const nic = at.includes('.') ? undefined : chain.nic;
  const match = matchRule(rule, facts.packet, chain.names, chain.direction, nic);
  // Rules of the other direction are no part of this path.
  if (match.result === 'no-match' && rule.type !== chain.direction) return undefined;
  const step: PathStep = {
    level: chain.level,
    rule: at,
    what: ruleText(rule),
    result: match.result,
    why: match.why,
    decides: match.result === 'match',
  };
  if (match.result === 'match') return { action: rule.action, step };
  steps.push(step);
  if (match.result === 'unknown') doubts.push({ outcome: outcomeOf(rule.action) === 'accept' ? 'accept' : 'block', step });
  return undefined;
}

function enterGroup(rule: FirewallRule, chain: Chain, facts: PathFacts, steps: PathStep[], doubts: Doubt[]): Decided | undefined {
  const at = String(rule.pos);
  const off = unusable(rule, chain.direction, chain.nic);
  const rules = facts.groups.get(rule.action);
  const note = (result: PathStep['result'], why: string): PathStep => ({
    level: chain.level,
    rule: at,
    what: `group ${rule.action}`,
    result,
    why,
    decides: false,
  });
  if (off !== undefined) {
    steps.push(note(off.result, off.why));
    return undefined;
  }
  if (rules === undefined) {
    steps.push(note('ignored', 'the firewall skips it: there is no such group'));
    return undefined;
  }
  if (rules === 'hidden') {
    const step = note('unknown', "the group's rules can't be read");
    steps.push(step);
    doubts.push({ outcome: 'any', step });
    return undefined;
  }
  for (const inner of rules) {
    const decided = lookAt(inner, `${at}.${inner.pos}`, { ...chain, level: chain.level }, facts, steps, doubts);
    if (decided !== undefined) {
      const step = { ...decided.step, what: `group ${rule.action}: ${decided.step.what}` };
      return { action: decided.action, step };
    }
  }
  if (rules.length === 0) steps.push(note('no-match', 'the group is empty'));
  return undefined;
}

function settle(chain: Chain, { action, step }: Decided, steps: readonly PathStep[], doubts: readonly Doubt[]): LevelResult {
  const outcome = outcomeOf(action);
  const where = step.rule === undefined ? step.what : `rule ${step.rule} (${step.what})`;
  const against = doubts.filter((d) => d.outcome !== (outcome === 'accept' ? 'accept' : 'block'));
  const all = [...steps, step];
  if (outcome === 'unknown')
    return { level: chain.level, outcome, by: `${where} does something that is not known here`, steps: all };
  if (against.length === 0) return { level: chain.level, outcome, by: where, steps: all };
  const why = against.map((d) => `rule ${d.step.rule} (${d.step.what}): ${d.step.why}`).join('; ');
  return {
    level: chain.level,
    outcome: 'unknown',
    by: `${why}; without that ${where}`,
    steps: all.map((s) => ({ ...s, decides: false })),
  };
}

function outcomeOf(action: string): Outcome {
  const name = action.toUpperCase();
  if (name === 'ACCEPT') return 'accept';
  if (name === 'DROP') return 'drop';
  return name === 'REJECT' ? 'reject' : 'unknown';
}

/** `ACCEPT SSH from +dc/management`, the way the web interface's columns read. */
export function ruleText(rule: FirewallRule): string {
  const parts = [rule.action];
  if (rule.macro !== undefined) parts.push(rule.macro);
  if (rule.proto !== undefined) parts.push(rule.proto);
  if (rule.dport !== undefined) parts.push(`port ${rule.dport}`);
  if (rule.sport !== undefined) parts.push(`from port ${rule.sport}`);
  if (rule.icmpType !== undefined) parts.push(rule.icmpType);
  if (rule.source !== undefined) parts.push(`from ${rule.source}`);
  if (rule.dest !== undefined) parts.push(`to ${rule.dest}`);
  if (rule.iface !== undefined) parts.push(`on ${rule.iface}`);
  return parts.join(' ');
}
