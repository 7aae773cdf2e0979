import type { Call } from '../api/call.ts';
import { boolOf, listOf, textOf } from '../api/lenient.ts';
import { attempt, type Gaps, mergeGaps, NO_GAPS, type Reading, withGaps } from '../api/reading.ts';
import {
  type FirewallOptions,
  type FirewallRule,
  levelEnabled,
  readFirewallOptions,
  readFirewallRules,
  type SetLevel,
} from './firewall.ts';
import {
  type FirewallNames,
  type Groups,
  type NamedThings,
  namesOf,
  type OpenedNames,
  readGroups,
  readNamedThings,
  readSets,
  referredSets,
} from './firewall-names.ts';
import { type GuestNetwork, readGuestNetwork } from './guest-network.ts';
import type { Guest } from './inventory.ts';

/** The firewall of one guest, with its interfaces and addresses; `undefined`: can't be read. */
export interface GuestFirewall {
  readonly guest: Guest;
  readonly network: GuestNetwork;
  readonly options: FirewallOptions | undefined;
  readonly rules: readonly FirewallRule[] | undefined;
  readonly things: NamedThings;
  /** Why the guest was not asked for its live addresses. */
  readonly addressGaps: Gaps;
}

/**
 * Reads every level at which Proxmox VE filters a packet to a guest. At most about 14 requests, and one for each
 * security group and IP set that the rules name (at most 40 each).
 *
 * Source: firewall options, rules, aliases, IP sets of the datacenter (Sys.Audit on /) and the guests (VM.Audit), the
 * guests' configurations and live addresses, VNets (SDN.Audit) with their rules, nftables in the node's options (Sys.Audit).
 */
export async function readPath(call: Call, target: Guest, source: Guest | undefined): Promise<Reading<PathReading>> {
  const [datacenter, to, from] = await Promise.all([
    readDatacenter(call),
    readGuestFirewall(call, target),
    source === undefined ? undefined : readGuestFirewall(call, source),
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
  const data: PathReading = {
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
  return withGaps(data, ...gaps);
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
  // A read that failed is told in any case; that a guest can't be asked matters only where the verdict depends on it.
  const failed = !data.nicsKnown || missing.problems.length > 0;
  return withGaps(
    {
      guest,
      network: data,
      options: options.data,
      rules: rules.data,
      things: things.data,
      addressGaps: failed ? NO_GAPS : missing,
    },
    failed ? missing : NO_GAPS,
    options,
    rules,
    things,
  );
}

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

/** The firewall of a VNet on one node; `undefined`: can't be read. */
export interface ReadVnet {
  readonly vnet: string;
  readonly node: string;
  readonly label: string;
  readonly options: FirewallOptions | undefined;
  readonly rules: readonly FirewallRule[] | undefined;
  /** The node's switch to nftables, without which VNet rules do nothing. */
  readonly nftables: boolean | undefined;
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
      async () =>
        new Set(listOf((await call.get('/cluster/sdn/vnets', {})).data, 'VNets').flatMap((row) => textOf(row['vnet']) ?? [])),
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

/** Everything that decides on a packet's way. */
export interface PathReading {
  readonly datacenterOn: boolean | undefined;
  readonly groups: Groups;
  readonly names: FirewallNames;
  readonly vnets: readonly ReadVnet[];
  readonly to: { readonly firewall: GuestFirewall; readonly names: FirewallNames };
  readonly from: { readonly firewall: GuestFirewall; readonly names: FirewallNames } | undefined;
}
