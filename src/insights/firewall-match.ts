import type { FirewallRule } from '../cluster/firewall.ts';
import { type FirewallNames, type Scope, scopesOf } from '../cluster/firewall-names.ts';
import { type MacroPattern, macroPatterns } from './firewall-macros.ts';
import {
  type Family,
  type IpRange,
  parseIpRange,
  type Relation,
  relationToAny,
  relationToSet,
  type SetEntry,
} from './ip-ranges.ts';

/** The connection that is asked about. */
export interface Packet {
  readonly family: Family;
  /** One of these is the sender; empty: not known. */
  readonly source: readonly IpRange[];
  /** One of these is the receiver; empty: not known. */
  readonly dest: readonly IpRange[];
  /** `tcp`, `udp`, `icmp`, `icmpv6`, ... */
  readonly proto: string;
  /** Undefined for protocols without ports. */
  readonly port: number | undefined;
}

/**
 * - `match`: the rule decides
 * - `no-match`
 * - `off`: switched off
 * - `ignored`: the firewall skips it, because something in it is wrong
 * - `unknown`: can't be decided
 */
export interface RuleMatch {
  readonly result: 'match' | 'no-match' | 'off' | 'ignored' | 'unknown';
  readonly why: string;
}

/** Ports from which clients connect. */
const CLIENT_PORTS: readonly [number, number] = [1_024, 65_535];

/**
 * Whether a rule applies to the packet.
 *
 * @param direction the kind of rules that count here
 * @param nic interface of the guest; rules for another one do not count
 */
export function matchRule(
  rule: FirewallRule,
  packet: Packet,
  names: FirewallNames,
  direction: 'in' | 'out' | 'forward',
  nic: string | undefined,
): RuleMatch {
  const off = unusable(rule, direction, nic);
  if (off !== undefined) return off;
  const found = [
    trafficOf(rule, packet),
    addressOf('source', rule.source, packet, names),
    addressOf('dest', rule.dest, packet, names),
  ];
  const ignored = found.find((f) => f.result === 'ignored');
  const no = found.find((f) => f.result === 'no-match');
  const unknown = found.filter((f) => f.result === 'unknown');
  if (ignored !== undefined) return ignored;
  if (no !== undefined) return no;
  if (unknown.length > 0) return { result: 'unknown', why: unknown.map((f) => f.why).join('; ') };
  return { result: 'match', why: 'applies' };
}

/** Why a rule does not count at all, or undefined. */
export function unusable(
  rule: FirewallRule,
  direction: 'in' | 'out' | 'forward',
  nic: string | undefined,
): RuleMatch | undefined {
  if (rule.type !== 'group' && rule.type !== direction)
    return { result: 'no-match', why: `for ${rule.type}going traffic`.replace('forwardgoing', 'forwarded') };
  if (!rule.enabled) return { result: 'off', why: 'switched off' };
  if (rule.errors !== undefined) return { result: 'ignored', why: `the firewall skips it: ${rule.errors}` };
  if (nic !== undefined && rule.iface !== undefined && rule.iface !== nic)
    return { result: 'no-match', why: `only on ${rule.iface}` };
  return undefined;
}

const MATCH: RuleMatch = { result: 'match', why: '' };

/** Protocol, ports and ICMP type, those of the macro included. */
function trafficOf(rule: FirewallRule, packet: Packet): RuleMatch {
  const own: Partial<MacroPattern> = {
    ...(rule.proto === undefined ? {} : { proto: rule.proto }),
    ...(rule.dport === undefined ? {} : { dport: rule.dport }),
    ...(rule.sport === undefined ? {} : { sport: rule.sport }),
    ...(rule.icmpType === undefined ? {} : { icmpType: rule.icmpType }),
  };
  if (rule.macro === undefined) return patternOf(own, packet);
  const patterns = macroPatterns(rule.macro, packet.family);
  if (patterns === undefined) return { result: 'unknown', why: `the ports of macro ${rule.macro} are not known here` };
  const results = patterns.map((pattern) => patternOf({ ...pattern, ...own }, packet));
  return (
    results.find((r) => r.result === 'match') ??
    results.find((r) => r.result === 'unknown') ?? { result: 'no-match', why: `not ${rule.macro} traffic` }
  );
}

function patternOf(pattern: Partial<MacroPattern>, packet: Packet): RuleMatch {
  const { proto, dport, sport, icmpType } = pattern;
  if (proto === undefined) {
    // iptables knows no port without a protocol: the firewall drops such a rule.
    return dport === undefined && sport === undefined
      ? MATCH
      : { result: 'ignored', why: 'the firewall skips it: ports without a protocol' };
  }
  if (protoName(proto) !== packet.proto) return { result: 'no-match', why: `only ${protoName(proto)}` };
  const port =
    dport === undefined || packet.port === undefined
      ? dport === undefined
        ? 'inside'
        : 'partly'
      : portsRelation(dport, packet.port, packet.port);
  const client = sport === undefined ? 'inside' : portsRelation(sport, ...CLIENT_PORTS);
  const type = icmpType === undefined ? 'inside' : icmpRelation(icmpType);
  if (port === 'outside') return { result: 'no-match', why: `only port ${dport}` };
  if (client === 'outside') return { result: 'no-match', why: `only from port ${sport}` };
  if (type === 'outside') return { result: 'no-match', why: `only ICMP ${icmpType}` };
  if (port === 'partly') return { result: 'unknown', why: `port ${dport} is a name or list that is not known here` };
  if (client === 'partly') return { result: 'unknown', why: `it depends on the source port (${sport})` };
  return type === 'partly' ? { result: 'unknown', why: `ICMP type ${icmpType} is not known here` } : MATCH;
}

const PROTOCOLS: Readonly<Record<string, string>> = {
  '1': 'icmp',
  '6': 'tcp',
  '17': 'udp',
  '58': 'icmpv6',
  '132': 'sctp',
  'ipv6-icmp': 'icmpv6',
};

/** A protocol in its one spelling. */
export function protoName(proto: string): string {
  const text = proto.toLowerCase();
  return PROTOCOLS[text] ?? text;
}

const SERVICES: Readonly<Record<string, number>> = {
  domain: 53,
  ftp: 21,
  http: 80,
  https: 443,
  imap: 143,
  imap2: 143,
  imaps: 993,
  ldap: 389,
  ldaps: 636,
  'microsoft-ds': 445,
  'ms-wbt-server': 3389,
  mysql: 3306,
  ntp: 123,
  pop3: 110,
  pop3s: 995,
  postgresql: 5432,
  smtp: 25,
  snmp: 161,
  ssh: 22,
  submission: 587,
  syslog: 514,
  telnet: 23,
  tftp: 69,
};

/** Where a span of ports lies with regard to `22`, `80,443`, `8000:8100`, `https`; unknown names may be any port. */
function portsRelation(spec: string, low: number, high: number): Relation {
  let touched = false;
  for (const part of spec.split(',')) {
    const [from = '', to = from] = part.trim().split(':');
    const start = portOf(from);
    const end = portOf(to);
    if (start === undefined || end === undefined) touched = true;
    else if (low >= start && high <= end) return 'inside';
    else if (high >= start && low <= end) touched = true;
  }
  return touched ? 'partly' : 'outside';
}

function portOf(text: string): number | undefined {
  return /^\d+$/.test(text) ? Number(text) : SERVICES[text.toLowerCase()];
}

/** An echo request is what a ping sends. */
function icmpRelation(type: string): Relation {
  if (['any', 'echo-request', '8', '8/0', '128', '128/0', 'ping'].includes(type)) return 'inside';
  return /^\d+(?:\/\d+)?$/.test(type) || /^[a-z-]+$/.test(type) ? 'outside' : 'partly';
}

function addressOf(side: 'source' | 'dest', spec: string | undefined, packet: Packet, names: FirewallNames): RuleMatch {
  if (spec === undefined) return MATCH;
  const word = side === 'source' ? 'source' : 'destination';
  const target = resolve(spec, names);
  if (target.kind === 'missing') return { result: 'ignored', why: `the firewall skips it: ${spec} does not exist` };
  if (target.kind === 'hidden') return { result: 'unknown', why: `${target.what} can't be read` };
  const addresses = packet[side];
  if (addresses.length === 0) return { result: 'unknown', why: `the ${word} address is not known` };
  const relations = addresses.map((a) => target.relation(a));
  if (relations.every((r) => r === 'inside')) return MATCH;
  if (relations.every((r) => r === 'outside')) return { result: 'no-match', why: `${word} not in ${spec}` };
  return { result: 'unknown', why: `only a part of the ${word} is in ${spec}` };
}

type Target =
  | { readonly kind: 'missing' }
  | { readonly kind: 'hidden'; readonly what: string }
  | { readonly kind: 'known'; readonly relation: (addresses: IpRange) => Relation };

/** `198.51.100.7`, a list of these, `alias`, `dc/alias`, `guest/alias`, `+set`, `+dc/set`, `+guest/set`, `+sdn/...`. */
function resolve(spec: string, names: FirewallNames): Target {
  if (spec.startsWith('+')) return resolveSet(spec.slice(1), names);
  const ranges: IpRange[] = [];
  for (const part of spec.split(',')) {
    const range = parseIpRange(part);
    const found = range ?? resolveAlias(part.trim(), names);
    if (found === 'missing') return { kind: 'missing' };
    if (found === 'hidden') return { kind: 'hidden', what: `alias ${part.trim()}` };
    ranges.push(found);
  }
  return { kind: 'known', relation: (addresses) => relationToAny(addresses, ranges) };
}

function resolveAlias(reference: string, names: FirewallNames): IpRange | 'hidden' | 'missing' {
  const { scopes, name } = scopesOf(reference);
  for (const scope of scopes) {
    const cidr = names.alias(scope, name);
    if (cidr === 'hidden') return 'hidden';
    if (cidr !== 'missing') return parseIpRange(cidr) ?? 'hidden';
  }
  return 'missing';
}

function resolveSet(reference: string, names: FirewallNames): Target {
  // Sets that SDN makes out of its subnets and addresses are not listed by the API.
  if (reference.startsWith('sdn/')) return { kind: 'hidden', what: `SDN set +${reference}` };
  const { scopes, name } = scopesOf(reference);
  for (const scope of scopes) {
    const set = names.set(scope, name);
    if (set === 'hidden') return { kind: 'hidden', what: `IP set +${reference}` };
    if (set === 'missing') continue;
    const entries: SetEntry[] = [];
    for (const { cidr, nomatch } of set) {
      const range = parseIpRange(cidr) ?? resolveAlias(cidr, names);
      if (range === 'hidden') return { kind: 'hidden', what: `${cidr} in IP set +${reference}` };
      if (range !== 'missing') entries.push({ range, nomatch });
    }
    return { kind: 'known', relation: (addresses) => relationToSet(addresses, entries) };
  }
  return { kind: 'missing' };
}

/** Where a sender lies with regard to an IP set of the given scope. */
export function sourceInSet(
  packet: Packet,
  scope: Scope,
  name: string,
  names: FirewallNames,
): 'yes' | 'no' | 'unknown' | 'missing' {
  const set = names.set(scope, name);
  if (set === 'missing') return 'missing';
  const found = addressOf('source', `+${scope}/${name}`, packet, names);
  return found.result === 'match' ? 'yes' : found.result === 'unknown' ? 'unknown' : 'no';
}
