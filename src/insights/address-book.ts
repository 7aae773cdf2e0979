import { isIP } from 'node:net';
import type { AddressSources, VlanOfVnet } from '../cluster/address-sources.ts';
import type { GuestConfig } from '../cluster/guest-config.ts';
import type { LiveInterfaces } from '../cluster/guest-network.ts';
import { type IpRange, parseIpRange, relationOf } from './ip-ranges.ts';

/** What an address search looks for. */
export type AddressQuery =
  | { readonly kind: 'ip'; readonly range: IpRange }
  /** Hexadecimal digits of a hardware address or of its beginning. */
  | { readonly kind: 'mac'; readonly hex: string }
  | { readonly kind: 'vlan'; readonly vlan: number };

const MAC = /^[0-9a-f]{2}(?:[:-][0-9a-f]{2}){2,5}$/i;
const VLAN = /^(?:vlan|tag)[\s:=-]*(\d{1,4})$/i;
/** `10.20.0` or `10.20.`: the beginning of an address. */
const BEGINNING = /^(\d{1,3}\.\d{1,3})(?:\.|(\.\d{1,3})\.?)$/;

/**
 * What a text asks for if it is an address: IP, CIDR, range, beginning (`10.20.0`), MAC address or its beginning,
 * `vlan 20`. Undefined for anything else.
 */
export function parseAddressQuery(text: string): AddressQuery | undefined {
  const given = text.trim();
  const vlan = VLAN.exec(given)?.[1];
  if (vlan !== undefined) return Number(vlan) >= 1 && Number(vlan) <= 4094 ? { kind: 'vlan', vlan: Number(vlan) } : undefined;
  if (MAC.test(given)) return { kind: 'mac', hex: hexOf(given) };
  const range = parseIpRange(given);
  if (range !== undefined) return { kind: 'ip', range };
  const beginning = BEGINNING.exec(given);
  if (beginning === null) return undefined;
  const [, two = '', third] = beginning;
  const subnet = parseIpRange(third === undefined ? `${two}.0.0/16` : `${two}${third}.0/24`);
  return subnet === undefined ? undefined : { kind: 'ip', range: subnet };
}

function hexOf(text: string): string {
  return text.toLowerCase().replace(/[^0-9a-f]/g, '');
}

/** Where an address is known from, in the words of the answers. */
export type AddressOrigin =
  | 'agent'
  | 'container'
  | 'cloud-init'
  | 'configured'
  | 'SDN IPAM'
  | 'node network'
  | 'cluster membership'
  | 'cluster link';

/** One address of one holder, as one source tells it. */
export interface AddressEntry {
  readonly holder: Holder;
  readonly what: 'ip' | 'mac' | 'vlan' | 'host name';
  /** `192.0.2.10/24`, `BC:24:11:00:00:01`, `20`, `10;20-30` */
  readonly value: string;
  /** Interface: `net0`, `eth0`, `vmbr0`. */
  readonly at: string | undefined;
  readonly origin: AddressOrigin;
  /**
   * False for what may stand at many guests: addresses of interfaces that a guest made for itself (`docker0`), VLANs,
   * subnet gateways.
   */
  readonly unique: boolean;
}

/** Who has an address. */
export type Holder =
  | { readonly kind: 'guest'; readonly vmid: number }
  | { readonly kind: 'node'; readonly node: string }
  | { readonly kind: 'network'; readonly id: string };

/** What a configuration says: hardware addresses, static addresses, VLANs (also those of the VNets it is plugged into). */
export function entriesOfConfig(vmid: number, config: GuestConfig, vnets: readonly VlanOfVnet[] = []): readonly AddressEntry[] {
  const holder: Holder = { kind: 'guest', vmid };
  const entries: AddressEntry[] = [];
  for (const nic of config.nics) {
    const at = nic.key;
    if (nic.mac !== undefined)
      entries.push({ holder, what: 'mac', value: nic.mac, at: place(at, nic.bridge), origin: 'configured', unique: true });
    for (const ip of [nic.ip, nic.ip6]) {
      if (ip === undefined || isIP(bare(ip)) === 0) continue;
      entries.push({
        holder,
        what: 'ip',
        value: ip,
        at,
        origin: config.type === 'qemu' ? 'cloud-init' : 'configured',
        unique: true,
      });
    }
    const vlan = (value: string, where: string) =>
      entries.push({ holder, what: 'vlan', value, at: where, origin: 'configured', unique: false });
    if (nic.vlan !== undefined) vlan(String(nic.vlan), place(at, nic.bridge));
    if (nic.trunks !== undefined) vlan(nic.trunks, `${place(at, nic.bridge)}, trunk`);
    for (const vnet of vnets) if (vnet.vnet === nic.bridge) vlan(String(vnet.vlan), `${at} on VNet ${vnet.vnet}`);
  }
  return entries;
}

function place(nic: string, bridge: string | undefined): string {
  return bridge === undefined ? nic : `${nic} on ${bridge}`;
}

/**
 * What a guest itself tells. Loopback and link-local addresses are left out; interfaces that its configuration does not
 * know are the guest's own business, and may look the same in other guests.
 *
 * @param config undefined where it could not be read: every interface may then be one of its own
 */
export function entriesOfLive(vmid: number, config: GuestConfig | undefined, live: LiveInterfaces): readonly AddressEntry[] {
  const holder: Holder = { kind: 'guest', vmid };
  const origin: AddressOrigin = live.source === 'agent' ? 'agent' : 'container';
  return live.interfaces.flatMap(({ name, mac, addresses }): AddressEntry[] => {
    if (name === 'lo') return [];
    const nic = config?.nics.find((n) => (mac !== undefined && n.mac === mac) || (n.name !== undefined && n.name === name));
    // Without its configuration a container's eth0 is its first interface by custom.
    const unique = nic !== undefined || (config === undefined && /^(?:eth|ens|enp)\d/.test(name));
    const known = addresses
      .map(({ ip, prefix }) => ({ ip: ip.replace(/%.*$/, ''), prefix }))
      .filter(({ ip }) => isIP(ip) !== 0 && !isLocal(ip));
    return [
      ...known.map(({ ip, prefix }) => ({
        holder,
        what: 'ip' as const,
        value: prefix === undefined ? ip : `${ip}/${prefix}`,
        at: nic === undefined ? name : `${name} (${nic.key})`,
        origin,
        unique,
      })),
      ...(mac === undefined || mac === '00:00:00:00:00:00'
        ? []
        : [{ holder, what: 'mac' as const, value: mac, at: name, origin, unique }]),
    ];
  });
}

/** What nodes, VNets and the cluster's own address management tell. */
export function entriesOfSources(sources: AddressSources): readonly AddressEntry[] {
  const entries: AddressEntry[] = [];
  for (const { node, address, at, source } of sources.nodes)
    entries.push({ holder: { kind: 'node', node }, what: 'ip', value: address, at, origin: source, unique: true });
  for (const { node, at, vlan } of sources.nodeVlans)
    entries.push({
      holder: { kind: 'node', node },
      what: 'vlan',
      value: String(vlan),
      at,
      origin: 'node network',
      unique: false,
    });
  for (const { vnet, zone, vlan } of sources.vnets)
    entries.push({
      holder: { kind: 'network', id: vnet },
      what: 'vlan',
      value: String(vlan),
      at: zone === undefined ? undefined : `VNet of zone ${zone}`,
      origin: 'configured',
      unique: false,
    });
  for (const { ip, mac, vmid, vnet, gateway } of sources.ipam) {
    const origin = 'SDN IPAM';
    const holder: Holder = vmid !== undefined && !gateway ? { kind: 'guest', vmid } : { kind: 'network', id: vnet ?? 'SDN IPAM' };
    const at = [vnet, gateway ? 'gateway' : undefined].filter((part) => part !== undefined).join(', ') || undefined;
    entries.push({ holder, what: 'ip', value: ip, at, origin, unique: !gateway });
    if (mac !== undefined) entries.push({ holder, what: 'mac', value: mac, at, origin, unique: !gateway });
  }
  return entries;
}

/** The entries that an address search asks for. */
export function matchEntries(entries: readonly AddressEntry[], query: AddressQuery): readonly AddressEntry[] {
  return entries.filter((entry) => isMatch(entry, query));
}

function isMatch(entry: AddressEntry, query: AddressQuery): boolean {
  if (query.kind === 'ip') {
    const range = entry.what === 'ip' ? parseIpRange(bare(entry.value)) : undefined;
    return range !== undefined && relationOf(range, query.range) === 'inside';
  }
  if (query.kind === 'mac') return entry.what === 'mac' && hexOf(entry.value).startsWith(query.hex);
  return entry.what === 'vlan' && holdsVlan(entry.value, query.vlan);
}

/** Whether `20` or a trunk such as `10;20-30` lets a VLAN through. */
export function holdsVlan(vlans: string, vlan: number): boolean {
  return vlans.split(/[;,\s]+/).some((part) => {
    const [low, high = low] = part.split('-').map(Number);
    return part !== '' && low !== undefined && high !== undefined && low <= vlan && vlan <= high;
  });
}

/** More addresses of one holder than these are counted only. */
const MAX_VALUES = 6;

/** The entries of one holder, an address each: `192.0.2.10/24: cloud-init net0, agent eth0 (net0)`. */
export function entryWords(entries: readonly AddressEntry[]): readonly string[] {
  const values = new Map<string, { shown: string; sources: string[] }>();
  for (const entry of entries) {
    const key = canonical(entry);
    const group = values.get(key) ?? { shown: shownValue(entry), sources: [] };
    // The same address is told with and without its prefix length.
    const shown = group.shown.includes('/') ? group.shown : shownValue(entry);
    const source = entry.at === undefined ? entry.origin : `${entry.origin} ${entry.at}`;
    values.set(key, { shown, sources: group.sources.includes(source) ? group.sources : [...group.sources, source] });
  }
  const words = [...values.values()].map(({ shown, sources }) => `${shown}: ${sources.join(', ')}`);
  return words.length <= MAX_VALUES ? words : [...words.slice(0, MAX_VALUES), `${words.length - MAX_VALUES} more addresses`];
}

function shownValue({ what, value }: AddressEntry): string {
  if (what === 'vlan') return `VLAN ${value}`;
  return what === 'host name' ? `host name ${value}` : value;
}

/** Equal for equal addresses, however they are written. */
function canonical({ what, value }: AddressEntry): string {
  if (what === 'mac') return `mac ${hexOf(value)}`;
  if (what !== 'ip') return `${what} ${value.toLowerCase()}`;
  const range = parseIpRange(bare(value));
  return range === undefined ? `ip ${value}` : `ip ${range.family} ${range.low}`;
}

/** An address that more than one holder has. */
export interface Duplicate {
  readonly what: 'ip' | 'mac';
  readonly value: string;
  readonly holders: readonly { readonly holder: Holder; readonly sources: readonly string[] }[];
}

/** Addresses that stand at several places, by address. Whether that is a fault (or a shared virtual address) is for the reader. */
export function duplicatesOf(entries: readonly AddressEntry[]): readonly Duplicate[] {
  const groups = new Map<string, AddressEntry[]>();
  for (const entry of entries) {
    if (!entry.unique || (entry.what !== 'ip' && entry.what !== 'mac')) continue;
    const key = canonical(entry);
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return [...groups.entries()]
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .flatMap(([, group]): Duplicate[] => {
      const [first] = group;
      const holders = new Map<string, { holder: Holder; sources: string[] }>();
      for (const { holder, origin, at } of group) {
        const name = holderName(holder);
        const known = holders.get(name) ?? { holder, sources: [] };
        const source = at === undefined ? origin : `${origin} ${at}`;
        holders.set(name, { holder, sources: [...new Set([...known.sources, source])] });
      }
      // One interface may be configured twice on a machine of its own; two holders are what matters here.
      if (first === undefined || holders.size < 2 || (first.what !== 'ip' && first.what !== 'mac')) return [];
      const value = first.what === 'ip' ? bare(first.value) : first.value;
      return [{ what: first.what, value, holders: [...holders.values()] }];
    });
}

/** `guest 100`, `node pve1`, `network labnet` */
export function holderName(holder: Holder): string {
  if (holder.kind === 'guest') return `guest ${holder.vmid}`;
  return holder.kind === 'node' ? `node ${holder.node}` : `network ${holder.id}`;
}

/** More duplicates than these are counted only. */
const MAX_DUPLICATES = 6;

/** The duplicates as sentences; empty when there are none. */
export function duplicateWords(duplicates: readonly Duplicate[]): readonly string[] {
  const words = duplicates.slice(0, MAX_DUPLICATES).map(
    ({ value, holders }) =>
      `${value} at ${holders
        .slice(0, 6)
        .map(({ holder, sources }) => `${holderName(holder)} (${sources.join(', ')})`)
        .join(' and ')}${holders.length > 6 ? ` and ${holders.length - 6} more` : ''}`,
  );
  if (words.length === 0) return [];
  const rest = duplicates.length > MAX_DUPLICATES ? `; and ${duplicates.length - MAX_DUPLICATES} more addresses` : '';
  const shared = duplicates.some((d) => d.what === 'ip') ? ' A virtual address that moves between guests looks the same.' : '';
  return [`The same address at several places: ${words.join('; ')}${rest}.${shared}`];
}

/** Whether a configuration alone leaves addresses open: some interface gets them elsewhere (DHCP, set in the guest). */
export function addressesOpen(config: GuestConfig): boolean {
  return config.nics.some((nic) => ![nic.ip, nic.ip6].some((ip) => ip !== undefined && isIP(bare(ip)) !== 0));
}

/** Without prefix length, in lower case. */
function bare(ip: string): string {
  return (ip.split('/')[0] ?? '').toLowerCase();
}

/** Loopback and link-local: every machine has them. */
function isLocal(ip: string): boolean {
  const address = ip.toLowerCase();
  return /^127\.|^169\.254\./.test(address) || address === '::1' || /^fe[89ab][0-9a-f]:/.test(address);
}
