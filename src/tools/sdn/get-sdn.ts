import { z } from 'zod';
import { bool, int, list, table, text } from '../../answer/spec.ts';
import { byText } from '../../api/lenient.ts';
import { attempt, mergeGaps } from '../../api/reading.ts';
import { type IpamEntry, readIpam } from '../../cluster/address-sources.ts';
import { type Inventory, isOnline, offlineGaps, readInventory } from '../../cluster/inventory.ts';
import { errorOf } from '../../cluster/problem-error.ts';
import { readSdn, SDN_READS, SDN_SECTIONS, type Sdn, type SdnObject, type SdnSection, zoneNodes } from '../../cluster/sdn.ts';
import { defineTool } from '../define-tool.ts';
import { RIGHTS_READS } from '../rights-reads.ts';

/** Addresses are many: only when they are asked for. */
const SECTIONS = [...SDN_SECTIONS, 'addresses'] as const;

const PENDING = { pending: text('new, changed or deleted with the next apply; else applied'), changes: list() };

export const getSdn = defineTool({
  name: 'get_sdn',
  title: 'Software-defined network',
  toolset: 'sdn',
  description:
    'SDN zones with their state on each node, VNets, subnets, controllers, IPAM, DNS and fabrics; what is not applied yet comes first.',
  params: {
    sections: z.array(z.enum(SECTIONS)).min(1).max(SECTIONS.length).describe('Default all but addresses').optional(),
  },
  output: {
    zones: table({ zone: text(), type: text(), ...PENDING, nodes: list(), status: list('on each node'), settings: text() }),
    vnets: table({ vnet: text(), zone: text(), tag: text(), alias: text(), ...PENDING, settings: text() }),
    subnets: table({ subnet: text(), vnet: text(), gateway: text(), ...PENDING, settings: text() }),
    controllers: table({ controller: text(), type: text(), ...PENDING, settings: text() }),
    ipams: table({ ipam: text(), type: text(), settings: text() }),
    dns: table({ dns: text(), type: text(), settings: text() }),
    fabrics: table({ fabric: text(), protocol: text(), ...PENDING, nodes: list(), settings: text() }),
    addresses: table(
      { address: text(), mac: text(), vmid: int(), guest: text(), vnet: text(), gateway: bool() },
      'that the built-in IPAM has given away',
    ),
  },
  reads: [...SDN_READS, '/cluster/sdn/ipams/{ipam}/status', ...RIGHTS_READS],
  async run(args, call) {
    const named = args.sections ?? SDN_SECTIONS;
    const wanted = new Set<SdnSection>(SDN_SECTIONS.filter((section) => named.includes(section)));
    const addresses = args.sections?.includes('addresses') === true;
    const [reading, inventory, ipam] = await Promise.all([
      readSdn(call, wanted),
      wanted.has('zones') || addresses ? attempt({}, () => readInventory(call)) : undefined,
      addresses ? readIpam(call) : undefined,
    ]);
    const sdn = reading.data;
    if (!sdn.installed)
      return { headline: 'SDN is not installed on the node that answers', sections: {}, gaps: mergeGaps(reading) };
    const leases =
      ipam === undefined || (ipam.problems.length > 0 && ipam.data.entries.length === 0) ? undefined : ipam.data.entries;
    const parts = [sdn.zones, sdn.vnets, sdn.subnets, sdn.controllers, sdn.ipams, sdn.dns, sdn.fabrics, leases];
    const [problem] = [reading, ipam].flatMap((part) => part?.problems ?? []);
    const complete = [reading, ipam].every((part) => part === undefined || part.coverage === 'complete');
    if (problem !== undefined && parts.every((p) => p === undefined)) throw errorOf(problem, "SDN can't be read");
    return {
      headline: headline(sdn, complete, inventory?.data, leases?.length),
      sections: {
        zones: sdn.zones === undefined ? undefined : pendingFirst(sdn.zones).map((zone) => zoneRow(zone, inventory?.data)),
        vnets:
          sdn.vnets === undefined
            ? undefined
            : pendingFirst(sdn.vnets).map((vnet) => ({
                vnet: vnet.id,
                zone: vnet.settings.get('zone'),
                tag: vnet.settings.get('tag'),
                alias: vnet.settings.get('alias'),
                ...pendingOf(vnet),
                settings: settingsText(vnet, ['zone', 'tag', 'alias']),
              })),
        subnets:
          sdn.subnets === undefined
            ? undefined
            : pendingFirst(sdn.subnets).map((subnet) => ({
                subnet: subnet.settings.get('cidr') ?? subnet.id,
                vnet: subnet.vnet,
                gateway: subnet.settings.get('gateway'),
                ...pendingOf(subnet),
                settings: settingsText(subnet, ['cidr', 'gateway', 'vnet', 'zone', 'id', 'mask', 'network']),
              })),
        controllers:
          sdn.controllers === undefined
            ? undefined
            : pendingFirst(sdn.controllers).map((c) => ({
                controller: c.id,
                type: c.type,
                ...pendingOf(c),
                settings: settingsText(c),
              })),
        ipams: sdn.ipams?.map((ipam) => ({ ipam: ipam.id, type: ipam.type, settings: settingsText(ipam, ['token', 'key']) })),
        dns: sdn.dns?.map((dns) => ({ dns: dns.id, type: dns.type, settings: settingsText(dns, ['token', 'key']) })),
        fabrics: sdn.fabrics?.map(({ fabric, nodes }) => ({
          fabric: fabric.id,
          protocol: fabric.settings.get('protocol'),
          ...pendingOf(fabric),
          nodes,
          settings: settingsText(fabric, ['protocol', 'id']),
        })),
        addresses: leases?.map((entry) => addressRow(entry, inventory?.data)),
      },
      gaps: mergeGaps(
        reading,
        ...[inventory, ipam].filter((part) => part !== undefined),
        // The configuration is the cluster's, but how a zone is on a node only that node knows.
        ...(inventory?.data === undefined || !wanted.has('zones') ? [] : [offlineGaps(inventory.data)]),
      ),
      notes: [...notesFor(sdn, wanted), ...foreignNotes(ipam?.data.foreign ?? [])],
    };
  },
});

function addressRow(entry: IpamEntry, inventory: Inventory | undefined) {
  return {
    address: entry.ip,
    mac: entry.mac,
    vmid: entry.vmid,
    guest: inventory?.guests.find((g) => g.vmid === entry.vmid)?.name ?? entry.hostName,
    vnet: entry.vnet,
    gateway: entry.gateway ? true : undefined,
  };
}

function foreignNotes(foreign: readonly string[]): readonly string[] {
  return foreign.length === 0 ? [] : [`What is in ${foreign.join(', ')} can't be asked through the API.`];
}

function zoneRow(zone: SdnObject, inventory: Inventory | undefined) {
  return {
    zone: zone.id,
    type: zone.type,
    ...pendingOf(zone),
    nodes: zoneNodes(zone).length === 0 ? ['all'] : zoneNodes(zone),
    status: inventory === undefined ? undefined : statusOn(zone, inventory),
    settings: settingsText(zone, ['nodes']),
  };
}

/** `pve2 error`, `pve1 available`: what is not well comes first. */
function statusOn(zone: SdnObject, inventory: Inventory): readonly string[] {
  const rows = inventory.networks.filter((n) => n.type === 'zone' && n.id === zone.id);
  return rows
    .map((n) => ({ ...n, status: isOnline(inventory.nodes, n.node) ? n.status : 'unknown (node not online)' }))
    .sort((a, b) => Number(isWell(a.status)) - Number(isWell(b.status)) || byText(a.node, b.node))
    .map((n) => `${n.node} ${n.status}`);
}

function isWell(status: string): boolean {
  return status === 'available' || status === 'ok';
}

function pendingOf(object: SdnObject) {
  return {
    pending: object.pending,
    changes: object.changes.length === 0 ? undefined : object.changes,
  };
}

function pendingFirst<T extends SdnObject>(objects: readonly T[]): readonly T[] {
  return [...objects].sort((a, b) => Number(a.pending === 'applied') - Number(b.pending === 'applied'));
}

function settingsText(object: SdnObject, except: readonly string[] = []): string | undefined {
  const parts = [...object.settings].filter(([key]) => !except.includes(key)).map(([key, value]) => `${key}=${value}`);
  return parts.length === 0 ? undefined : parts.join(' ');
}

function objectsOf(sdn: Sdn): readonly SdnObject[] {
  const { zones = [], vnets = [], subnets = [], controllers = [], fabrics = [] } = sdn;
  return [...zones, ...vnets, ...subnets, ...controllers, ...fabrics.map((f) => f.fabric)];
}

function headline(sdn: Sdn, complete: boolean, inventory: Inventory | undefined, addresses: number | undefined): string {
  const counts: string[] = [];
  const add = (count: number | undefined, one: string, many: string) => {
    if (count !== undefined) counts.push(`${count} ${count === 1 ? one : many}`);
  };
  add(sdn.zones?.length, 'zone', 'zones');
  add(sdn.vnets?.length, 'VNet', 'VNets');
  add(sdn.subnets?.length, 'subnet', 'subnets');
  add(sdn.controllers?.length, 'controller', 'controllers');
  add(sdn.ipams?.length, 'IPAM', 'IPAMs');
  add(sdn.dns?.length, 'DNS server', 'DNS servers');
  add(sdn.fabrics?.length, 'fabric', 'fabrics');
  add(addresses, 'address', 'addresses');
  const objects = objectsOf(sdn);
  const pending = objects.filter((o) => o.pending !== 'applied').length;
  if (complete && objects.length === 0 && sdn.zones !== undefined && sdn.vnets !== undefined)
    return `SDN is not used: ${counts.join(', ')}`;
  const state = objects.length === 0 ? '' : pending === 0 ? '; all applied' : `; ${pending} with changes that are not applied`;
  return `SDN: ${counts.join(', ')}${complete ? '' : ' visible'}${state}${sdn.zones === undefined ? '' : faultText(inventory)}`;
}

/** Zones and fabrics that an online node has trouble with. */
function faultText(inventory: Inventory | undefined): string {
  if (inventory === undefined) return '';
  const faulty = inventory.networks.filter((n) => !isWell(n.status) && isOnline(inventory.nodes, n.node));
  if (faulty.length === 0) return '';
  const named = faulty.slice(0, 4).map((n) => `${n.id} on ${n.node} (${n.status})`);
  return `; not well: ${named.join(', ')}${faulty.length > 4 ? ` and ${faulty.length - 4} more` : ''}`;
}

function notesFor(sdn: Sdn, wanted: ReadonlySet<SdnSection>): string[] {
  return [
    ...(sdn.vnetsLeft === 0 ? [] : [`Subnets of ${sdn.vnetsLeft} more VNets were not read.`]),
    ...(wanted.has('fabrics') && sdn.fabricsKnown === false ? ['Fabrics came with release 9.0.'] : []),
  ];
}
