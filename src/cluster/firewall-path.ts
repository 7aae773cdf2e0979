import type { Call } from '../api/call.ts';
import { boolOf, rowsOf, textOf } from '../api/lenient.ts';
import { attempt, type Gaps, mergeGaps, NO_GAPS, type Reading, withGaps } from '../api/reading.ts';
import { type FirewallNames, type Packet, sourceInSet } from '../insights/firewall-match.ts';
import {
  type Groups,
  type GuestSide,
  type PathFacts,
  type PathResult,
  tracePath,
  type VnetSide,
} from '../insights/firewall-path.ts';
import { type Family, type IpRange, parseIpRange } from '../insights/ip-ranges.ts';
import { type FirewallOptions, type FirewallRule, levelEnabled, readFirewallOptions, readFirewallRules } from './firewall.ts';
import {
  type NamedThings,
  namesOf,
  type OpenedNames,
  readGroups,
  readNamedThings,
  readSets,
  referredSets,
} from './firewall-names.ts';
import { type GuestNetwork, readGuestNetwork } from './guest-network.ts';
import type { GuestNic } from './guest-nics.ts';
import type { Guest } from './inventory.ts';

/** What is asked. */
export interface PathQuestion {
  /** A guest of this cluster, or addresses. */
  readonly source: { readonly guest: Guest } | { readonly range: IpRange };
  readonly target: Guest;
  readonly nic: string | undefined;
  readonly proto: string;
  readonly port: number | undefined;
}

/** The way through one interface of the target. */
export interface TracedNic {
  readonly nic: string;
  readonly bridge: string | undefined;
  /** Of the family that the packet has. */
  readonly addresses: readonly string[];
  /** The source's interface, when it is a guest. */
  readonly from: string | undefined;
  readonly result: PathResult;
}

export interface TracedPath {
  readonly traces: readonly TracedNic[];
  readonly family: Family;
  /** Addresses of the source, as far as they are known. */
  readonly sourceAddresses: readonly string[];
  /** Network of the target, to say why it has no interface. */
  readonly targetNics: readonly GuestNic[] | undefined;
  /** Interfaces that were left out because they are unplugged. */
  readonly unplugged: readonly string[];
  /** Why live addresses are not known; matters only where the verdict depends on them. */
  readonly addressGaps: Gaps;
}

/** Interfaces that are followed on each side. */
const MAX_NICS = 8;

interface GuestFirewall {
  readonly guest: Guest;
  readonly network: GuestNetwork;
  readonly options: FirewallOptions | undefined;
  readonly rules: readonly FirewallRule[] | undefined;
  readonly things: NamedThings;
  /** What kept live addresses from being read. */
  readonly addressGaps: Gaps;
}

/**
 * Follows a packet to a guest through every level that Proxmox VE filters at. At most about 14 requests, and one for each
 * security group and IP set that the rules name (at most 40 each).
 *
 * Source: firewall options, rules, aliases, IP sets of the datacenter (Sys.Audit on /) and the guests (VM.Audit), the
 * guests' configurations and live addresses, VNets (SDN.Audit) with their rules, nftables in the node's options (Sys.Audit).
 */
export async function readPath(call: Call, question: PathQuestion): Promise<Reading<TracedPath>> {
  const { source, target } = question;
  const [datacenter, to, from] = await Promise.all([
    readDatacenter(call),
    readGuestFirewall(call, target),
    'guest' in source ? readGuestFirewall(call, source.guest) : undefined,
  ]);
  const fromData = from?.data;
  const vnets = await readVnets(call, [to.data, ...(fromData === undefined ? [] : [fromData])]);
  const rules = [...(to.data.rules ?? []), ...(fromData?.rules ?? []), ...vnets.data.flatMap((v) => v.rules ?? [])];
  const named = [...new Set(rules.filter((r) => r.type === 'group' && r.enabled).map((r) => r.action))];
  const groups: Reading<Groups> = datacenter.data.visible
    ? await readGroups(call, named)
    : { data: new Map(named.map((name) => [name, 'hidden' as const])), ...NO_GAPS };
  const all = [...rules, ...[...groups.data.values()].flatMap((g) => (g === 'hidden' ? [] : g))];
  const [opened, ofTarget, ofSource] = await Promise.all([
    openSets(call, datacenter.data.things, { scope: 'cluster' }, [...referredSets(all).dc, 'blacklist']),
    openGuestSets(call, to.data, all),
    fromData === undefined ? undefined : openGuestSets(call, fromData, all),
  ]);
  const guestNames = (own: OpenedNames): FirewallNames => namesOf(opened.data, own);
  const world: World = {
    datacenterOn: datacenter.data.on,
    groups: groups.data,
    names: namesOf(opened.data, undefined),
    vnets: vnets.data,
    to: { firewall: to.data, names: guestNames(ofTarget.data) },
    from: fromData === undefined || ofSource === undefined ? undefined : { firewall: fromData, names: guestNames(ofSource.data) },
  };
  const gaps = [
    datacenter,
    to,
    vnets,
    groups,
    opened,
    ofTarget,
    ...(from === undefined ? [] : [from]),
    ...(ofSource === undefined ? [] : [ofSource]),
  ];
  return withGaps(traceAll(question, world), ...gaps);
}

interface Datacenter {
  readonly visible: boolean;
  readonly on: boolean | undefined;
  readonly things: NamedThings;
}

async function readDatacenter(call: Call): Promise<Reading<Datacenter>> {
  if (!(await call.rights.has('Sys.Audit', '/'))) {
    const hidden = [
      { what: 'the datacenter firewall: its switch, security groups, aliases and IP sets', privilege: 'Sys.Audit', path: '/' },
    ];
    return {
      data: { visible: false, on: undefined, things: { aliases: undefined, sets: undefined } },
      problems: [],
      coverage: 'partial',
      hidden,
    };
  }
  const [options, things] = await Promise.all([
    attempt({}, () => readFirewallOptions(call, { scope: 'cluster' })),
    readNamedThings(call, { scope: 'cluster' }),
  ]);
  const on = options.data === undefined ? undefined : levelEnabled('cluster', options.data);
  return withGaps({ visible: true, on, things: things.data }, options, things);
}

async function readGuestFirewall(call: Call, guest: Guest): Promise<Reading<GuestFirewall>> {
  const { node, vmid, type } = guest;
  const level = { scope: 'guest', node, vmid, type } as const;
  const where = { node, vmid };
  const [network, options, rules, things] = await Promise.all([
    readGuestNetwork(call, guest),
    attempt(where, () => readFirewallOptions(call, level)),
    attempt(where, () => readFirewallRules(call, level)),
    readNamedThings(call, level),
  ]);
  const { data, ...missing } = network;
  const addressGaps = data.nicsKnown ? missing : NO_GAPS;
  return withGaps(
    { guest, network: data, options: options.data, rules: rules.data, things: things.data, addressGaps },
    data.nicsKnown ? NO_GAPS : missing,
    options,
    rules,
    things,
  );
}

type SetLevel = Parameters<typeof readSets>[1];

async function openSets(
  call: Call,
  things: NamedThings,
  level: SetLevel,
  wanted: readonly string[],
): Promise<Reading<OpenedNames>> {
  const there = [...new Set(wanted)].filter((name) => things.sets?.has(name) === true);
  const { data, ...gaps } = await readSets(call, level, there);
  return { data: { ...things, contents: data }, ...gaps };
}

function openGuestSets(call: Call, firewall: GuestFirewall, rules: readonly FirewallRule[]): Promise<Reading<OpenedNames>> {
  const { node, vmid, type } = firewall.guest;
  const filters = firewall.network.nics.map((nic) => `ipfilter-${nic.key}`);
  return openSets(call, firewall.things, { scope: 'guest', node, vmid, type }, [...referredSets(rules).guest, ...filters]);
}

interface ReadVnet extends Omit<VnetSide, 'names'> {
  readonly vnet: string;
  readonly node: string;
}

/** Bridges that a node's own network configuration has; anything else may be a VNet. */
const NODE_BRIDGE = /^vmbr\d+/;

async function readVnets(call: Call, guests: readonly GuestFirewall[]): Promise<Reading<readonly ReadVnet[]>> {
  const bridges = new Map(
    guests.flatMap(({ guest, network }) =>
      network.nics.flatMap((nic) =>
        nic.bridge === undefined || NODE_BRIDGE.test(nic.bridge)
          ? []
          : [[`${nic.bridge} ${guest.node}`, { vnet: nic.bridge, node: guest.node }] as const],
      ),
    ),
  );
  if (bridges.size === 0) return { data: [], ...NO_GAPS };
  const [list, coverage] = await Promise.all([
    attempt(
      {},
      async () => new Set(rowsOf((await call.get('/cluster/sdn/vnets', {})).data).flatMap((row) => textOf(row['vnet']) ?? [])),
    ),
    call.rights.over({ privilege: 'SDN.Audit', under: '/sdn/zones', what: 'VNets and their firewalls' }),
  ]);
  const sides: ReadVnet[] = [];
  const gaps: Gaps[] = [list];
  for (const { vnet, node } of bridges.values()) {
    const label = `VNet ${vnet}`;
    if (list.data?.has(vnet) !== true) {
      // Not in the list: a bridge of the node, unless VNets are hidden.
      if (list.data !== undefined && coverage.coverage === 'complete') continue;
      gaps.push(coverage);
      sides.push({ vnet, node, label, options: undefined, rules: undefined, nftables: undefined });
      continue;
    }
    const level = { scope: 'vnet', vnet } as const;
    const [options, rules, host] = await Promise.all([
      attempt({}, () => readFirewallOptions(call, level)),
      attempt({}, () => readFirewallRules(call, level)),
      attempt({ node }, () => readFirewallOptions(call, { scope: 'node', node })),
    ]);
    // Releases before 8.3 have no firewall at VNets.
    const old = options.problems.some((p) => p.kind === 'unsupported-by-this-release');
    if (old) continue;
    const nftables = host.data === undefined ? undefined : (boolOf(host.data['nftables']) ?? false);
    gaps.push(options, rules, host);
    sides.push({ vnet, node, label, options: options.data, rules: rules.data, nftables });
  }
  return { data: sides, ...mergeGaps(...gaps) };
}

interface World {
  readonly datacenterOn: boolean | undefined;
  readonly groups: Groups;
  readonly names: FirewallNames;
  readonly vnets: readonly ReadVnet[];
  readonly to: { readonly firewall: GuestFirewall; readonly names: FirewallNames };
  readonly from: { readonly firewall: GuestFirewall; readonly names: FirewallNames } | undefined;
}

/** Every pair of interfaces that the packet may take. */
function traceAll(question: PathQuestion, world: World): TracedPath {
  const target = world.to.firewall;
  const family = 'range' in question.source ? question.source.range.family : familyOf(target, world.from?.firewall);
  const nics = nicsOf(target, question.nic).slice(0, MAX_NICS);
  const traces = nics.flatMap((nic) => {
    const senders = world.from === undefined ? [undefined] : sendersFor(nic, world.from.firewall).slice(0, MAX_NICS);
    return senders.map((sender): TracedNic => {
      const facts = factsFor(question, world, family, nic, sender);
      return {
        nic: nic?.key ?? '?',
        bridge: nic?.bridge,
        addresses: addressesOf(target, nic, family),
        from: sender?.key,
        result: tracePath(facts),
      };
    });
  });
  const sender = world.from?.firewall;
  return {
    traces,
    family,
    sourceAddresses:
      sender === undefined ? [] : [...new Set(nicsOf(sender, undefined).flatMap((nic) => addressesOf(sender, nic, family)))],
    targetNics: target.network.nicsKnown ? target.network.nics : undefined,
    unplugged: question.nic === undefined ? unpluggedOf(target) : [],
    addressGaps: mergeGaps(target.addressGaps, sender?.addressGaps ?? NO_GAPS),
  };
}

/** IPv4, unless both ends are known to have IPv6 only. */
function familyOf(target: GuestFirewall, sender: GuestFirewall | undefined): Family {
  const only6 = (g: GuestFirewall): boolean => {
    const all = g.network.addresses.flatMap((a) => parseIpRange(plain(a.address)) ?? []);
    return all.length > 0 && all.every((range) => range.family === 6);
  };
  return only6(target) && (sender === undefined || only6(sender)) ? 6 : 4;
}

function plain(address: string): string {
  return address.split('/')[0] ?? address;
}

/** The interfaces to follow; one that stands for all when the configuration can't be read. */
function nicsOf(firewall: GuestFirewall, only: string | undefined): readonly (GuestNic | undefined)[] {
  const { network } = firewall;
  if (!network.nicsKnown) return [undefined];
  if (only !== undefined) return network.nics.filter((nic) => nic.key === only);
  const plugged = network.nics.filter((nic) => !nic.linkDown);
  return plugged.length > 0 ? plugged : network.nics;
}

/** Unplugged interfaces that others stand in for. */
function unpluggedOf({ network }: GuestFirewall): readonly string[] {
  const down = network.nics.filter((nic) => nic.linkDown).map((nic) => nic.key);
  return down.length < network.nics.length ? down : [];
}

/** The source guest's interfaces on the same segment; all of them when none is. */
function sendersFor(nic: GuestNic | undefined, sender: GuestFirewall): readonly (GuestNic | undefined)[] {
  const all = nicsOf(sender, undefined);
  const near = all.filter((s) => s !== undefined && nic !== undefined && s.bridge === nic.bridge && s.vlan === nic.vlan);
  return near.length > 0 ? near : all;
}

function addressesOf(firewall: GuestFirewall, nic: GuestNic | undefined, family: Family): readonly string[] {
  return firewall.network.addresses
    .filter((a) => nic === undefined || a.nic === nic.key)
    .map((a) => plain(a.address))
    .filter((ip) => parseIpRange(ip)?.family === family);
}

function factsFor(
  question: PathQuestion,
  world: World,
  family: Family,
  nic: GuestNic | undefined,
  sender: GuestNic | undefined,
): PathFacts {
  const ranges = (addresses: readonly string[]): readonly IpRange[] => addresses.flatMap((a) => parseIpRange(a) ?? []);
  const from = world.from;
  const packet: Packet = {
    family,
    source:
      'range' in question.source
        ? [question.source.range]
        : from === undefined
          ? []
          : ranges(addressesOf(from.firewall, sender, family)),
    dest: ranges(addressesOf(world.to.firewall, nic, family)),
    proto: question.proto === 'icmp' && family === 6 ? 'icmpv6' : question.proto,
    port: question.port,
  };
  const onVnet = (side: GuestFirewall, on: GuestNic | undefined): readonly ReadVnet[] =>
    world.vnets.filter((v) => v.vnet === on?.bridge && v.node === side.guest.node);
  const passed = new Set([...(from === undefined ? [] : onVnet(from.firewall, sender)), ...onVnet(world.to.firewall, nic)]);
  return {
    packet,
    datacenterOn: world.datacenterOn,
    groups: world.groups,
    names: world.names,
    from: from === undefined ? undefined : sideOf(from, sender, packet, true),
    vnets: [...passed].map((v) => ({ ...v, names: world.names })),
    to: sideOf(world.to, nic, packet, false),
  };
}

function sideOf(
  side: { readonly firewall: GuestFirewall; readonly names: FirewallNames },
  nic: GuestNic | undefined,
  packet: Packet,
  sends: boolean,
): GuestSide {
  const { firewall, names } = side;
  return {
    label: `guest ${firewall.guest.vmid}`,
    nic: nic?.key ?? '(interface not known)',
    nicFirewall: nic?.firewall,
    linkDown: nic?.linkDown ?? false,
    options: firewall.options,
    rules: firewall.rules,
    names,
    ipfilter: sends && nic !== undefined ? ipFilter(firewall, nic, packet, names) : undefined,
  };
}

/** Whether a guest's IP filter lets it send from its address. A set of the interface's name is in force even without the option. */
function ipFilter(firewall: GuestFirewall, nic: GuestNic, packet: Packet, names: FirewallNames): GuestSide['ipfilter'] {
  const found = sourceInSet(packet, 'guest', `ipfilter-${nic.key}`, names);
  if (found !== 'missing') return found;
  const on = firewall.options === undefined ? undefined : (boolOf(firewall.options['ipfilter']) ?? false);
  if (on === false) return undefined;
  // A container's configured addresses are let through; for a machine it depends on what the node derives.
  const own = [nic.ip, nic.ip6].flatMap((a) => (a === undefined ? [] : (parseIpRange(plain(a)) ?? [])));
  if (on === undefined || firewall.guest.type !== 'lxc' || packet.source.length === 0) return 'unknown';
  return packet.source.every((s) => own.some((o) => o.low === s.low && o.high === s.high)) ? 'yes' : 'unknown';
}
