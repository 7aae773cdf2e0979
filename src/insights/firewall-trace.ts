import { boolOf } from '../api/lenient.ts';
import { type Gaps, mergeGaps, NO_GAPS } from '../api/reading.ts';
import type { FirewallNames } from '../cluster/firewall-names.ts';
import type { GuestFirewall, PathReading, ReadVnet } from '../cluster/firewall-path.ts';
import type { GuestNic } from '../cluster/guest-nics.ts';
import type { Guest } from '../cluster/inventory.ts';
import { type Packet, sourceInSet } from './firewall-match.ts';
import { type GuestSide, type PathFacts, type PathResult, tracePath } from './firewall-path.ts';
import { type Family, type IpRange, parseIpRange } from './ip-ranges.ts';

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
  /** Why a guest was not asked for its live addresses; matters only where the verdict depends on them. */
  readonly addressGaps: Gaps;
}

/** Interfaces that are followed on each side. */
const MAX_NICS = 8;

/** Every pair of interfaces that the packet may take. */
export function traceAll(question: PathQuestion, world: PathReading): TracedPath {
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
  world: PathReading,
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
