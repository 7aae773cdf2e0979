import type { Row, SdnArea, SdnObject, SdnSubnet, SdnVnet } from './area-types.ts';
import { plant } from './canaries.ts';
import { hex } from './random.ts';
import type { WorldCore } from './types.ts';

/** Something that is configured and applied alike. */
function applied(id: string, type: string, section: Row): SdnObject {
  return { id, type, configured: section, running: section };
}

/** Zones, vnets, subnets, controllers, IPAM, DNS and fabrics, with changes that wait to be applied. */
export function createSdn(core: WorldCore): SdnArea {
  const online = core.nodes.filter((node) => node.online);
  const first = online[0]?.node ?? 'pve1';
  const second = online[1]?.node ?? first;
  const peers = online
    .slice(0, 3)
    .map((node) => node.ip)
    .join(',');
  const localzone = { dhcp: 'dnsmasq', dns: 'pdns', dnszone: 'lab.demo.example', ipam: 'pve' };
  const vlan = { bridge: 'vmbr0', ipam: 'pve', nodes: first === second ? first : `${first},${second}` };
  const evpn = { controller: 'evpnctl', exitnodes: first, ipam: 'pve', mac: 'BC:24:11:0E:00:01', 'vrf-vxlan': 10_000 };
  const zones: SdnObject[] = [
    applied('lab', 'simple', localzone),
    { id: 'campus', type: 'vlan', configured: { ...vlan, mtu: 1496 }, running: vlan },
    { id: 'overlay', type: 'evpn', configured: evpn, running: undefined },
    applied('stretch', 'vxlan', { ipam: 'netbox', peers }),
  ];
  const vnets: SdnVnet[] = [
    {
      ...applied('labnet', 'vnet', { alias: 'lab network', zone: 'lab' }),
      zone: 'lab',
    },
    {
      id: 'office',
      type: 'vnet',
      zone: 'campus',
      configured: { tag: 20, vlanaware: 1, zone: 'campus' },
      running: { tag: 20, zone: 'campus' },
    },
    { ...applied('voice', 'vnet', { tag: 30, zone: 'campus' }), zone: 'campus' },
    {
      id: 'tenant1',
      type: 'vnet',
      zone: 'overlay',
      configured: { 'isolate-ports': 1, tag: 11_000, zone: 'overlay' },
      running: undefined,
    },
    { id: 'retired', type: 'vnet', zone: 'campus', configured: undefined, running: { tag: 40, zone: 'campus' } },
  ];
  const labSubnet = {
    'dhcp-dns-server': '10.30.0.53',
    'dhcp-range': [{ 'end-address': '10.30.0.200', 'start-address': '10.30.0.100' }],
    dnszoneprefix: 'l',
    gateway: '10.30.0.1',
    snat: 1,
  };
  const subnets: SdnSubnet[] = [
    { ...applied('lab-10.30.0.0-24', 'subnet', labSubnet), vnet: 'labnet', zone: 'lab' },
    {
      id: 'overlay-2001:db8:70::-64',
      type: 'subnet',
      vnet: 'tenant1',
      zone: 'overlay',
      configured: { 'dhcp-range': [], gateway: '2001:db8:70::1' },
      running: undefined,
    },
  ];
  return {
    zones,
    vnets,
    subnets,
    controllers: [
      applied('evpnctl', 'evpn', { asn: 65_000, peers }),
      applied(`bgp${first}`, 'bgp', { asn: 65_001, ebgp: 1, node: first, peers: '192.0.2.254' }),
    ],
    ipams: [
      { ipam: 'pve', type: 'pve' },
      {
        ipam: 'netbox',
        type: 'netbox',
        token: plant(core, '/cluster/sdn/ipams netbox token', hex('demo netbox', 40)),
        url: 'https://netbox.demo.example/api',
      },
      {
        ipam: 'phpipam',
        type: 'phpipam',
        section: 3,
        token: plant(core, '/cluster/sdn/ipams phpipam token', `pi${hex('demo phpipam', 30)}`),
        url: 'https://ipam.demo.example/api/pve',
      },
    ],
    dns: [
      {
        dns: 'pdns',
        type: 'powerdns',
        key: plant(core, '/cluster/sdn/dns pdns key', `pdns-${hex('demo pdns', 26)}`),
        ttl: 300,
        url: 'http://10.20.0.60:8081/api/v1/servers/localhost',
      },
    ],
    fabrics: [
      {
        fabric: { id: 'spine', hello_interval: '1', ip_prefix: '172.22.3.0/24', protocol: 'openfabric' },
        nodes: online.slice(0, 4).map((node, index) => ({
          fabric_id: 'spine',
          interfaces: ['name=ens20,hello_multiplier=50', 'name=ens21'],
          ip: `172.22.3.${index + 1}`,
          node_id: node.node,
          protocol: 'openfabric',
        })),
      },
    ],
    leases: createLeases(core),
    neighborPassword: plant(core, '/cluster/sdn/dry-run frr-diff', `bgp-${hex('demo frr', 20)}`),
    zoneState: (zone, node) => zoneState(zone, node, first),
  };
}

/** Addresses handed out in the lab zone: the gateway, and the first guests. */
function createLeases(core: WorldCore): Row[] {
  const common = { subnet: '10.30.0.0/24', vnet: 'labnet', zone: 'lab' };
  const guests = [...core.guests.values()].filter((guest) => !guest.template).slice(0, 3);
  return [
    { ...common, gateway: 1, ip: '10.30.0.1' },
    ...guests.map((guest, index) => ({
      ...common,
      hostname: guest.name ?? `guest${guest.vmid}`,
      ip: `10.30.0.${100 + index}`,
      mac: `BC:24:11:30:00:${(16 + index).toString(16).toUpperCase()}`,
      vmid: guest.vmid,
    })),
  ];
}

/** Every node but the first has not been reloaded since the last change of the VLAN zone. */
function zoneState(zone: string, node: string, first: string): ReturnType<SdnArea['zoneState']> {
  if (zone === 'overlay')
    return { status: 'pending', message: 'local sdn network configuration is not yet generated, please reload' };
  if (zone === 'campus' && node !== first) {
    return { status: 'error', message: 'missing network interface office' };
  }
  return { status: 'available' };
}
