import { DemoHttpError, type HandlerRequest, type HandlerTable } from '../types.ts';
import type { Row, SdnObject, SdnSubnet, SdnVnet } from '../world/area-types.ts';
import { digestOf, longDigestOf } from '../world/digests.ts';
import type { DemoWorld } from '../world/types.ts';
import { badParameter, demand, directory, isNine, isSet, nodeOf, parameter } from './answers.ts';

const LOOK = ['SDN.Audit', 'SDN.Use', 'SDN.Allocate'];

/** Zones, vnets, subnets, controllers, IPAM, DNS, fabrics, and what the nodes made of them. */
export function sdnHandlers(world: DemoWorld): HandlerTable {
  const { sdn } = world.areas;
  const digests = { zones: digestOf(sdn.zones), vnets: digestOf(sdn.vnets), subnets: digestOf(sdn.subnets) };
  const controllersDigest = digestOf(sdn.controllers);
  const fabricsDigest = longDigestOf(sdn.fabrics);

  const list = (
    request: HandlerRequest,
    objects: readonly SdnObject[],
    idKey: string,
    digest: string,
    pathOf: (object: SdnObject) => string,
  ) =>
    objects
      .filter((object) => request.query.type === undefined || object.type === request.query.type)
      .filter((object) => request.may(pathOf(object), ...LOOK))
      .flatMap((object) => view(object, idKey, digest, request));

  const item = (request: HandlerRequest, objects: readonly SdnObject[], idKey: string, digest: string): Row => {
    const id = parameter(request, idKey);
    const found = objects.find((object) => object.id === id);
    const [row] = found === undefined ? [] : view(found, idKey, digest, request);
    if (row === undefined) throw new DemoHttpError(500, `sdn '${id}' does not exist`);
    return row;
  };

  const section = (request: HandlerRequest, rows: readonly Row[], idKey: string): Row => {
    const id = parameter(request, idKey);
    const found = rows.find((row) => row[idKey] === id);
    if (found === undefined) throw new DemoHttpError(500, `sdn '${id}' does not exist`);
    return { ...found, digest: digestOf(rows) };
  };
  const sections = (request: HandlerRequest, rows: readonly Row[], idKey: string): Row[] =>
    rows
      .filter((row) => request.query.type === undefined || row.type === request.query.type)
      .filter((row) => request.may(`/sdn/${idKey === 'dns' ? 'dns' : `${idKey}s`}/${String(row[idKey])}`, ...LOOK))
      .map((row) => ({ ...row, digest: digestOf(rows) }));

  const vnetPath = (vnet: SdnObject): string => `/sdn/zones/${zoneOf(sdn.vnets, vnet.id)}/${vnet.id}`;

  /** Checks the right to look at the vnet of the path and gives it back. */
  const allowedVnet = (request: HandlerRequest): SdnVnet => {
    const id = parameter(request, 'vnet');
    const found = sdn.vnets.find((vnet) => vnet.id === id);
    if (found === undefined) throw new DemoHttpError(500, `sdn '${id}' does not exist`);
    demand(request, vnetPath(found), 'SDN.Audit', 'SDN.Allocate');
    return found;
  };

  const subnetView = (subnet: SdnSubnet, request: HandlerRequest): Row[] =>
    view(subnet, 'subnet', digests.subnets, request).map((row) => ({
      ...row,
      ...addressing(subnet),
      vnet: subnet.vnet,
      zone: subnet.zone,
    }));

  const fabricOf = (request: HandlerRequest, name: string) => {
    const id = parameter(request, name);
    const found = sdn.fabrics.find((candidate) => candidate.fabric.id === id);
    if (found === undefined) throw new DemoHttpError(500, `fabric '${id}' does not exist`);
    return found;
  };
  const visibleFabrics = (request: HandlerRequest) =>
    sdn.fabrics.filter(({ fabric }) => request.may(`/sdn/fabrics/${fabric.id}`, 'SDN.Audit', 'SDN.Allocate'));
  const fabricNodes = (request: HandlerRequest) =>
    visibleFabrics(request).flatMap(({ nodes }) =>
      nodes.filter((node) => request.may(`/nodes/${node.node_id}`, 'Sys.Audit', 'Sys.Modify')),
    );

  return {
    '/cluster/sdn': (request) =>
      directory('id', ['vnets', 'zones', 'controllers', 'ipams', 'dns', ...(isNine(request) ? ['fabrics'] : [])])(request),

    '/cluster/sdn/zones': (request) => list(request, sdn.zones, 'zone', digests.zones, (zone) => `/sdn/zones/${zone.id}`),
    '/cluster/sdn/zones/{zone}': (request) => item(request, sdn.zones, 'zone', digests.zones),
    '/cluster/sdn/vnets': (request) => list(request, sdn.vnets, 'vnet', digests.vnets, vnetPath),
    '/cluster/sdn/vnets/{vnet}': (request) => {
      allowedVnet(request);
      return item(request, sdn.vnets, 'vnet', digests.vnets);
    },
    '/cluster/sdn/vnets/{vnet}/subnets': (request) => {
      const vnet = allowedVnet(request);
      return sdn.subnets.filter((subnet) => subnet.vnet === vnet.id).flatMap((subnet) => subnetView(subnet, request));
    },
    '/cluster/sdn/vnets/{vnet}/subnets/{subnet}': (request) => {
      const vnet = allowedVnet(request);
      const id = parameter(request, 'subnet');
      const found = sdn.subnets.find((subnet) => subnet.id === id);
      const [row] = found === undefined ? [] : subnetView(found, request);
      if (row === undefined) throw new DemoHttpError(500, `sdn '${id}' does not exist`);
      if (found?.vnet !== vnet.id) throw badParameter('vnet', 'wrong vnet');
      return row;
    },

    '/cluster/sdn/controllers': (request) =>
      list(request, sdn.controllers, 'controller', controllersDigest, (controller) => `/sdn/controllers/${controller.id}`),
    '/cluster/sdn/controllers/{controller}': (request) => item(request, sdn.controllers, 'controller', controllersDigest),

    '/cluster/sdn/ipams': (request) => sections(request, sdn.ipams, 'ipam'),
    '/cluster/sdn/ipams/{ipam}': (request) => section(request, sdn.ipams, 'ipam'),
    '/cluster/sdn/ipams/{ipam}/status': (request) => {
      const { type } = section(request, sdn.ipams, 'ipam');
      if (type !== 'pve') {
        throw new DemoHttpError(
          500,
          'Currently only PVE IPAM is supported! at /usr/share/perl5/PVE/API2/Network/SDN/Ipams.pm line 319.',
        );
      }
      return sdn.leases.filter((lease) => request.may(`/sdn/zones/${String(lease.zone)}/${String(lease.vnet)}`, ...LOOK));
    },
    '/cluster/sdn/dns': (request) => sections(request, sdn.dns, 'dns'),
    '/cluster/sdn/dns/{dns}': (request) => section(request, sdn.dns, 'dns'),

    '/cluster/sdn/fabrics': directory('subdir', ['fabric', 'node', 'all']),
    '/cluster/sdn/fabrics/fabric': (request) => visibleFabrics(request).map(({ fabric }) => fabric),
    '/cluster/sdn/fabrics/fabric/{id}': (request) => ({ ...fabricOf(request, 'id').fabric, digest: fabricsDigest }),
    '/cluster/sdn/fabrics/node': fabricNodes,
    '/cluster/sdn/fabrics/node/{fabric_id}': (request) =>
      fabricOf(request, 'fabric_id').nodes.map((node) => ({ ...node, digest: fabricsDigest })),
    '/cluster/sdn/fabrics/node/{fabric_id}/{node_id}': (request) => {
      const node = parameter(request, 'node_id');
      const found = fabricOf(request, 'fabric_id').nodes.find((candidate) => candidate.node_id === node);
      if (found === undefined) throw new DemoHttpError(500, `node '${node}' does not exist`);
      return { ...found, digest: fabricsDigest };
    },
    '/cluster/sdn/fabrics/all': (request) => ({
      fabrics: visibleFabrics(request).map(({ fabric }) => ({ ...fabric, digest: fabricsDigest })),
      nodes: fabricNodes(request).map((node) => ({ ...node, digest: fabricsDigest })),
    }),

    '/cluster/sdn/dry-run': (request) => dryRun(world, request),

    ...nodeHandlers(world),
  };
}

/** What applying the configuration would change on a node, as two diffs. */
function dryRun(world: DemoWorld, request: HandlerRequest): Row {
  const { sdn } = world.areas;
  const { node } = nodeOf(world, request);
  const fresh = sdn.vnets
    .filter((vnet) => vnet.running === undefined)
    .map((vnet) => [`+auto ${vnet.id}`, `+iface ${vnet.id}`, '+\tbridge_stp off', '+\tbridge_fd 0', '+']);
  const frr = [
    '+router bgp 65000',
    `+ bgp router-id ${nodeOf(world, request).ip}`,
    `+ neighbor 192.0.2.254 password ${sdn.neighborPassword}`,
    '+!',
  ];
  const diff = (file: string, lines: readonly string[]) =>
    [`--- ${file}`, '+++ /proc/self/fd/11', `@@ -0,0 +1,${lines.length} @@`, ...lines, ''].join('\n');
  return {
    'frr-diff': diff('/etc/frr/frr.conf', ['+frr defaults datacenter', `+hostname ${node}`, ...frr]),
    'interfaces-diff': diff('/etc/network/interfaces.d/sdn', fresh.flat()),
  };
}

function zoneOf(vnets: readonly SdnVnet[], id: string): string {
  return vnets.find((vnet) => vnet.id === id)?.zone ?? '';
}

/** What follows from a subnet's own name: `zone-address-mask`. */
function addressing(subnet: SdnSubnet): Row {
  const match = /^(.*)-(\d+)$/.exec(subnet.id.slice(subnet.zone.length + 1));
  const network = match?.[1] ?? '';
  const mask = match?.[2] ?? '';
  return { cidr: `${network}/${mask}`, id: subnet.id, mask, network };
}

function equal(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/**
 * An object as configured (default), as running (`running=1`), or as running with what is about to change beside it
 * (`pending=1`: `state` new, changed or deleted). Only the first has a digest. Empty when that view does not know it.
 */
function view(object: SdnObject, idKey: string, digest: string, request: HandlerRequest): Row[] {
  const { id, type, configured, running } = object;
  const head = { [idKey]: id, type };
  if (isSet(request, 'running')) return running === undefined ? [] : [{ digest: null, ...running, ...head }];
  if (!isSet(request, 'pending')) return configured === undefined ? [] : [{ ...configured, digest, ...head }];
  if (configured === undefined) return [{ digest: null, ...running, ...head, state: 'deleted' }];
  if (running === undefined) return [{ digest: null, ...head, pending: configured, state: 'new' }];
  const pending: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(configured), ...Object.keys(running)])) {
    if (!equal(configured[key], running[key])) pending[key] = configured[key] ?? 'deleted';
  }
  const changed = Object.keys(pending).length > 0;
  return [{ digest: null, ...running, ...head, ...(changed ? { pending, state: 'changed' } : {}) }];
}

function nodeHandlers(world: DemoWorld): HandlerTable {
  const { sdn } = world.areas;
  const onNode = (zone: SdnObject, node: string): boolean => {
    const nodes = zone.running?.nodes;
    return zone.running !== undefined && (typeof nodes !== 'string' || nodes.split(',').includes(node));
  };
  const zoneOnNode = (request: HandlerRequest): SdnObject => {
    const { node } = nodeOf(world, request);
    const id = parameter(request, 'zone');
    const found = sdn.zones.find((zone) => zone.id === id);
    if (found === undefined || !onNode(found, node)) throw badParameter('zone', 'zone does not exist');
    return found;
  };
  const runningVnets = (zone: string) => sdn.vnets.filter((vnet) => vnet.zone === zone && vnet.running !== undefined);
  const evpnOnly = (request: HandlerRequest): Row[] => {
    if (zoneOnNode(request).type !== 'evpn') throw badParameter('zone', 'zone is not an EVPN zone');
    return [];
  };
  return {
    '/nodes/{node}/sdn': (request) =>
      directory('name', request.release === '9.2.11' ? ['fabrics', 'vnets', 'zones'] : ['zones'])(request),
    '/nodes/{node}/sdn/zones': (request) => {
      const { node } = nodeOf(world, request);
      return sdn.zones
        .filter((zone) => onNode(zone, node))
        .map((zone) => ({ status: sdn.zoneState(zone.id, node).status, zone: zone.id }));
    },
    '/nodes/{node}/sdn/zones/{zone}': (request) =>
      directory('subdir', request.release === '9.2.11' ? ['content', 'bridges', 'ip-vrf'] : ['content'])(request),
    '/nodes/{node}/sdn/zones/{zone}/content': (request) => {
      const { node } = nodeOf(world, request);
      const zone = parameter(request, 'zone');
      const { status, message } = sdn.zoneState(zone, node);
      return runningVnets(zone).map((vnet) => ({
        status,
        ...(message === undefined ? {} : { statusmsg: message }),
        vnet: vnet.id,
      }));
    },
    '/nodes/{node}/sdn/zones/{zone}/bridges': (request) =>
      runningVnets(zoneOnNode(request).id).map((vnet) => ({ name: vnet.id, ports: [], vlan_filtering: null })),
    '/nodes/{node}/sdn/zones/{zone}/ip-vrf': evpnOnly,
    '/nodes/{node}/sdn/vnets/{vnet}': directory('subdir', ['mac-vrf']),
    '/nodes/{node}/sdn/vnets/{vnet}/mac-vrf': (request) => {
      const id = parameter(request, 'vnet');
      const found = sdn.vnets.find((vnet) => vnet.id === id);
      if (found?.running === undefined) throw badParameter('vnet', 'vnet does not exist');
      if (sdn.zones.find((zone) => zone.id === found.zone)?.type !== 'evpn')
        throw badParameter('zone', `zone ${found.zone} is not an EVPN zone.`);
      return [];
    },
    '/nodes/{node}/sdn/fabrics/{fabric}': directory('subdir', ['neighbors', 'routes']),
    '/nodes/{node}/sdn/fabrics/{fabric}/neighbors': (request) => fabricNeighbors(world, request),
    '/nodes/{node}/sdn/fabrics/{fabric}/routes': (request) =>
      fabricNeighbors(world, request).map((neighbor) => ({
        route: `${String(neighbor.address)}/32`,
        via: [String(neighbor.address)],
      })),
    '/nodes/{node}/sdn/fabrics/{fabric}/interfaces': (request) => {
      nodeOf(world, request);
      return [
        { name: 'ens20', state: 'up', type: 'Point-To-Point' },
        { name: 'ens21', state: 'down', type: 'Point-To-Point' },
      ];
    },
  };
}

/** The other members of a fabric, as a member sees them. */
function fabricNeighbors(world: DemoWorld, request: HandlerRequest): Row[] {
  const { node } = nodeOf(world, request);
  const id = parameter(request, 'fabric');
  const members = world.areas.sdn.fabrics.find(({ fabric }) => fabric.id === id)?.nodes ?? [];
  if (!members.some((member) => member.node_id === node)) return [];
  return members
    .filter((member) => member.node_id !== node)
    .map((member) => ({ address: member.ip, neighbor: member.node_id, status: 'Up', uptime: '3d04h12m' }));
}
