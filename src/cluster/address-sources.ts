import type { Call } from '../api/call.ts';
import type { EndpointPath } from '../api/endpoints.ts';
import { boolOf, byText, listOf, textOf, vmidOf } from '../api/lenient.ts';
import { attempt, mergeGaps, NO_GAPS, type Reading, withGaps } from '../api/reading.ts';
import { atLeast } from '../api/release.ts';
import { oneLine } from '../redact/plain-text.ts';
import { cutGaps, optional } from './attempts.ts';
import { parseCorosyncNodes, readClusterStatus } from './cluster-status.ts';
import { fanOut } from './fan-out.ts';
import { normalMac } from './guest-nics.ts';
import { type Inventory, onlineNodes } from './inventory.ts';
import { type NodeInterface, readNodeNetwork } from './node-network.ts';
import { nameRefused } from './refused.ts';
import { readSdn } from './sdn.ts';

/** Most nodes whose interfaces are read; each costs a request. */
export const MAX_NETWORK_READS = 32;

/** An address that the cluster's own address management (IPAM) has given away. */
export interface IpamEntry {
  readonly ip: string;
  readonly mac: string | undefined;
  readonly vmid: number | undefined;
  readonly hostName: string | undefined;
  readonly vnet: string | undefined;
  /** The subnet's own gateway: no guest has it. */
  readonly gateway: boolean;
}

/** An address that a node has. */
export interface NodeAddress {
  readonly node: string;
  /** With a prefix length where one is told. */
  readonly address: string;
  /** Interface, or number of the cluster link. */
  readonly at: string | undefined;
  readonly source: 'node network' | 'cluster membership' | 'cluster link';
}

/** A VNet with the VLAN that it stands for. */
export interface VlanOfVnet {
  readonly vnet: string;
  readonly zone: string | undefined;
  readonly vlan: number;
}

/** Where addresses are known from besides the guests themselves. */
export interface AddressSources {
  readonly ipam: readonly IpamEntry[];
  readonly nodes: readonly NodeAddress[];
  /** VLAN interfaces of nodes. */
  readonly nodeVlans: readonly { readonly node: string; readonly at: string; readonly vlan: number }[];
  readonly vnets: readonly VlanOfVnet[];
  /** External address managements: what they hold can't be asked through the API. */
  readonly foreignIpams: readonly string[];
}

/**
 * The address sources that do not grow with the guests: five requests and one for each online node (32 at most), two more
 * for VNets when they are wanted. Each may fail alone.
 *
 * Source: GET /cluster/sdn/ipams, /cluster/sdn/ipams/pve/status (8.1+, rows by SDN.Audit), /cluster/status and
 * /cluster/config/nodes (Sys.Audit on /), /nodes/{node}/network; /cluster/sdn/{zones,vnets}.
 */
export async function readAddressSources(
  call: Call,
  inventory: Inventory,
  wish: { readonly addresses: boolean; readonly vnets: boolean },
): Promise<Reading<AddressSources>> {
  const [ipam, membership, networks, vnets] = await Promise.all([
    wish.addresses ? readIpam(call) : nothing<Ipam>({ entries: [], foreign: [] }),
    wish.addresses ? readMembership(call) : nothing<readonly NodeAddress[]>([]),
    readNetworks(call, inventory),
    wish.vnets ? readVlansOfVnets(call) : nothing<readonly VlanOfVnet[]>([]),
  ]);
  return {
    data: {
      ipam: ipam.data.entries,
      foreignIpams: ipam.data.foreign,
      nodes: [
        ...membership.data,
        ...networks.data.flatMap(({ node, interfaces }) =>
          interfaces.flatMap(({ name, addresses }) =>
            addresses.map((address) => ({ node, address, at: name, source: 'node network' as const })),
          ),
        ),
      ],
      nodeVlans: networks.data.flatMap(({ node, interfaces }) =>
        interfaces.flatMap(({ name, vlanId }) => (vlanId === undefined ? [] : [{ node, at: name, vlan: vlanId }])),
      ),
      vnets: vnets.data,
    },
    ...mergeGaps(ipam, membership, networks, vnets),
  };
}

function nothing<T>(data: T): Promise<Reading<T>> {
  return Promise.resolve({ data, ...NO_GAPS });
}

export interface Ipam {
  readonly entries: readonly IpamEntry[];
  readonly foreign: readonly string[];
}

/**
 * Only the built-in IPAM can be asked; that others exist is told.
 *
 * Source: GET /cluster/sdn/ipams, /cluster/sdn/ipams/pve/status (8.1+, rows by SDN.Audit on zone and VNet).
 */
export async function readIpam(call: Call): Promise<Reading<Ipam>> {
  if (!atLeast(await call.release(), '8.1')) return { data: { entries: [], foreign: [] }, ...NO_GAPS };
  const [listed, status, visible] = await Promise.all([
    // Without the SDN packages there is no IPAM, and nothing is missing.
    optional(async () => listOf((await call.get('/cluster/sdn/ipams', {})).data, 'IPAMs')),
    optional(async () => parseIpamStatus((await call.get('/cluster/sdn/ipams/{ipam}/status', { ipam: 'pve' })).data)),
    call.rights.over({ privilege: 'SDN.Audit', under: '/sdn/zones', what: 'addresses in the SDN IPAM' }),
  ]);
  const foreign = (listed.data ?? []).flatMap((row) => (textOf(row['type']) === 'pve' ? [] : (textOf(row['ipam']) ?? [])));
  return {
    data: { entries: status.data ?? [], foreign: foreign.sort(byText) },
    ...mergeGaps(listed, status, visible),
  };
}

/** `/cluster/sdn/ipams/pve/status`; rows without an address are left out. */
export function parseIpamStatus(data: unknown): readonly IpamEntry[] {
  return listOf(data, 'IPAM addresses').flatMap((row) => {
    const ip = textOf(row['ip']);
    if (ip === undefined) return [];
    const hostName = textOf(row['hostname']);
    const vnet = textOf(row['vnet']);
    return [
      {
        ip: oneLine(ip, 60),
        mac: normalMac(row['mac']),
        vmid: vmidOf(row['vmid']),
        hostName: hostName === undefined ? undefined : oneLine(hostName, 80),
        vnet: vnet === undefined ? undefined : oneLine(vnet, 40),
        gateway: boolOf(row['gateway']) ?? false,
      },
    ];
  });
}

/** Addresses by which the members know each other; told for offline nodes, too. */
async function readMembership(call: Call): Promise<Reading<readonly NodeAddress[]>> {
  const [status, links] = await Promise.all([
    attempt({}, () => readClusterStatus(call)),
    attempt({}, async () => parseCorosyncNodes((await call.get('/cluster/config/nodes', {})).data)),
  ]);
  // A node that stands alone has no such configuration.
  const alone = status.data?.clustered === false;
  return {
    data: [
      ...(status.data?.members ?? []).flatMap(({ node, ip }) =>
        ip === undefined ? [] : [{ node, address: ip, at: undefined, source: 'cluster membership' as const }],
      ),
      ...(links.data ?? []).flatMap(({ node, links: byNumber }) =>
        [...byNumber].map(([link, address]) => ({ node, address, at: String(link), source: 'cluster link' as const })),
      ),
    ],
    ...mergeGaps(
      nameRefused(status, "the nodes' cluster addresses"),
      alone ? NO_GAPS : nameRefused(links, "the nodes' cluster links"),
    ),
  };
}

/** Interfaces of one node. */
export interface NodeInterfaces {
  readonly node: string;
  readonly interfaces: readonly NodeInterface[];
}

/**
 * Interfaces of the online nodes, 32 at most; nothing is sent to others.
 *
 * @param only nodes that matter; undefined for all
 */
export async function readNetworks(
  call: Call,
  inventory: Inventory,
  only?: ReadonlySet<string>,
): Promise<Reading<readonly NodeInterfaces[]>> {
  const online = onlineNodes(inventory).filter((node) => only?.has(node) ?? true);
  const asked = online.slice(0, MAX_NETWORK_READS);
  const out = await fanOut(
    call,
    asked,
    (node) => ({ node }),
    (node) => readNodeNetwork(call, node),
  );
  const left = cutGaps(
    online.length > asked.length,
    `the interfaces of ${asked.length} of ${online.length} nodes only were read`,
  );
  return {
    data: out.results.map(({ item, data }) => ({ node: item, interfaces: data.data.interfaces })),
    ...mergeGaps(out.gaps, left, ...out.results.map(({ data }) => data)),
  };
}

/** VNets that are VLANs: their number is one only in zones of that kind (elsewhere it names a VXLAN). */
async function readVlansOfVnets(call: Call): Promise<Reading<readonly VlanOfVnet[]>> {
  const sdn = await readSdn(call, new Set(['zones', 'vnets']));
  const kinds = new Map((sdn.data.zones ?? []).map((zone) => [zone.id, zone.type]));
  const found = (sdn.data.vnets ?? []).flatMap((vnet) => {
    const zone = vnet.settings.get('zone');
    const vlan = Number(vnet.settings.get('tag'));
    const kind = zone === undefined ? undefined : kinds.get(zone);
    return (kind === 'vlan' || kind === 'qinq') && Number.isInteger(vlan) ? [{ vnet: vnet.id, zone, vlan }] : [];
  });
  return withGaps(found, sdn);
}

/** Endpoints that are read, for the permission docs. */
export const ADDRESS_READS = [
  '/version',
  '/cluster/sdn/ipams',
  '/cluster/sdn/ipams/{ipam}/status',
  '/cluster/sdn/zones',
  '/cluster/sdn/vnets',
  '/cluster/status',
  '/cluster/config/nodes',
  '/nodes/{node}/network',
] as const satisfies readonly EndpointPath[];
