import { DemoHttpError, HandlerReply, type HandlerRequest, type HandlerTable } from '../types.ts';
import { digestOf } from '../world/digests.ts';
import { managerVersion, runningKernel } from '../world/package-data.ts';
import type { DemoWorld } from '../world/types.ts';
import { badParameter, directory, nodeOf, parameter, seconds } from './answers.ts';
import { versionOf } from './cluster-core.ts';
import { unordered } from './guest-lookup.ts';
import { nodeRow, type Row } from './resource-rows.ts';

const NODE_DIRECTORY = [
  'aplinfo',
  'apt',
  'capabilities',
  'ceph',
  'certificates',
  'config',
  'disks',
  'dns',
  'firewall',
  'hardware',
  'hosts',
  'journal',
  'lxc',
  'netstat',
  'network',
  'qemu',
  'replication',
  'report',
  'rrd',
  'rrddata',
  'scan',
  'sdn',
  'services',
  'status',
  'storage',
  'subscription',
  'syslog',
  'tasks',
  'time',
  'version',
  'vzdump',
];

const SERVICE_ACTIONS = ['state', 'start', 'stop', 'restart', 'reload'];
const BRIDGES: ReadonlySet<unknown> = new Set(['bridge', 'OVSBridge']);

/** /nodes, and the state and configuration of one node. */
export function nodesHandlers(world: DemoWorld): HandlerTable {
  const upkeep = (request: HandlerRequest) => world.areas.maintenance.node(nodeOf(world, request).node);
  return {
    '/nodes': (request) => unordered(world.nodes, 3).map((node) => nodeRow(request, node, 'index')),
    // The directory of a node that does not exist is answered all the same.
    '/nodes/{node}': directory('name', NODE_DIRECTORY),
    '/nodes/{node}/version': (request) => {
      const { node } = nodeOf(world, request);
      const version = versionOf(request.release);
      // The second node of the hand-made cluster waits for its upgrade.
      return node === 'pve2' ? { ...version, version: managerVersion(request.release, node) } : version;
    },
    '/nodes/{node}/services': (request) => upkeep(request).services,
    '/nodes/{node}/services/{service}': directory('subdir', SERVICE_ACTIONS),
    '/nodes/{node}/services/{service}/state': (request) => {
      const service = parameter(request, 'service');
      const row = upkeep(request).services.find((candidate) => candidate.service === service);
      if (row === undefined) throw new DemoHttpError(500, `unknown service '${service}'`);
      return row;
    },
    '/nodes/{node}/subscription': (request) => subscription(world, request),
    '/nodes/{node}/network': (request) => networkList(world, request),
    '/nodes/{node}/network/{iface}': (request) => networkItem(world, request),
    '/nodes/{node}/config': (request) => nodeConfig(world, request),
    '/nodes/{node}/time': (request) => {
      const { timezone, clockSkew } = upkeep(request);
      const time = seconds(request) + clockSkew;
      return { time, localtime: time + offsetOf(timezone, time), timezone };
    },
    '/nodes/{node}/dns': (request) => upkeep(request).dns,
    '/nodes/{node}/hosts': (request) => {
      const { hosts } = upkeep(request);
      return { data: hosts, digest: digestOf(hosts) };
    },
    '/nodes/{node}/netstat': (request) => netstat(world, request),
    '/nodes/{node}/status': (request) => nodeStatus(world, request),
    '/nodes/{node}/aplinfo': () => APPLIANCES,
  };
}

function nodeStatus(world: DemoWorld, request: HandlerRequest): Row {
  const node = nodeOf(world, request);
  const manager = managerVersion(request.release, node.node);
  const kernel = runningKernel(request.release, node.node);
  const cores = Math.floor(node.maxcpu / 2 / node.sockets);
  const build = '#1 SMP PREEMPT_DYNAMIC PMX';
  const modern = request.release !== '7.4';
  return {
    uptime: seconds(request) - node.bootedAt,
    idle: 0,
    cpu: node.cpu,
    wait: node.iowait,
    loadavg: node.loadavg.map((load) => load.toFixed(2)),
    cpuinfo: {
      model: node.cpuModel,
      cpus: node.maxcpu,
      cores: cores * node.sockets,
      sockets: node.sockets,
      mhz: '3593.246',
      hvm: '1',
      user_hz: 100,
      flags:
        'fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat clflush mmx fxsr sse sse2 ht syscall nx lm aes avx avx2',
      ...(modern ? { family: '25', vendor: node.cpuModel.startsWith('AMD') ? 'AuthenticAMD' : 'GenuineIntel' } : {}),
    },
    memory: {
      total: node.maxmem,
      used: node.mem,
      free: Math.floor((node.maxmem - node.mem) * 0.7),
      ...(modern ? { available: node.maxmem - node.mem } : {}),
    },
    swap: { total: node.swapTotal, used: node.swapUsed, free: node.swapTotal - node.swapUsed },
    rootfs: {
      total: node.maxdisk,
      used: node.disk,
      free: node.maxdisk - node.disk,
      avail: Math.floor((node.maxdisk - node.disk) * 0.94),
    },
    ksm: { shared: node.node === 'pve2' ? 3_221_225_472 : 0 },
    kversion: `Linux ${kernel} ${build}`,
    pveversion: `pve-manager/${manager}/${versionOf(request.release).repoid}`,
    ...(modern
      ? {
          'boot-info': node.uefi ? { mode: 'efi', secureboot: 0 } : { mode: 'legacy-bios' },
          'current-kernel': { sysname: 'Linux', release: kernel, version: build, machine: 'x86_64' },
        }
      : {}),
  };
}

/** Seconds that local time is ahead of UTC. */
function offsetOf(timezone: string, time: number): number {
  const name = new Intl.DateTimeFormat('en-US', { timeZone: timezone, timeZoneName: 'longOffset' })
    .formatToParts(time * 1000)
    .find((part) => part.type === 'timeZoneName')?.value;
  const match = /GMT([+-])(\d\d):(\d\d)/.exec(name ?? '');
  return match ? (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 3600 + Number(match[3]) * 60) : 0;
}

/** The licence; its key, server id and signature only with Sys.Audit on the node. */
function subscription(world: DemoWorld, request: HandlerRequest): Row {
  const { node } = nodeOf(world, request);
  const row: Row = { ...world.areas.maintenance.node(node).subscription };
  if (!request.may(`/nodes/${node}`, 'Sys.Audit')) {
    for (const key of ['key', 'serverid', 'signature']) delete row[key];
  }
  for (const key of ['sockets', 'checktime']) if (row[key] !== undefined) row[key] = Number(row[key]);
  return row;
}

/** Interfaces; bridges vanish without a privilege on the zone they count to. Pending changes stand beside the list. */
function networkList(world: DemoWorld, request: HandlerRequest): HandlerReply {
  const { node } = nodeOf(world, request);
  const upkeep = world.areas.maintenance.node(node);
  const { type } = request.query;
  const bridges = request.release === '7.4' || request.may('/sdn/zones/localnetwork', 'SDN.Audit', 'SDN.Use');
  const rows = upkeep.network.filter((row) => {
    if (BRIDGES.has(row.type) && !bridges) return false;
    if (type === undefined || type === 'include_sdn') return true;
    return type === 'any_bridge' || type === 'any_local_bridge' ? BRIDGES.has(row.type) : row.type === type;
  });
  return new HandlerReply(unordered(rows, 7), upkeep.networkChanges === undefined ? {} : { changes: upkeep.networkChanges });
}

function networkItem(world: DemoWorld, request: HandlerRequest): Row {
  const { node } = nodeOf(world, request);
  const row = world.areas.maintenance.node(node).network.find((candidate) => candidate.iface === request.params.iface);
  if (row === undefined) throw badParameter('iface', 'interface does not exist');
  const { iface: _inThePath, ...rest } = row;
  return rest;
}

function nodeConfig(world: DemoWorld, request: HandlerRequest): Row {
  const { config } = world.areas.maintenance.node(nodeOf(world, request).node);
  const asked = request.query.property;
  const shown =
    asked === undefined || asked === 'all' ? config : Object.fromEntries(Object.entries(config).filter(([key]) => key === asked));
  return { ...shown, digest: digestOf(config) };
}

/** Traffic of the first network device of each running guest. */
function netstat(world: DemoWorld, request: HandlerRequest): Row[] {
  const { node } = nodeOf(world, request);
  return world
    .guestsOn(node)
    .filter((guest) => guest.startedAt !== undefined)
    .map((guest) => ({ vmid: String(guest.vmid), dev: 'net0', in: String(guest.netin), out: String(guest.netout) }));
}

const APPLIANCES: readonly Row[] = [
  {
    template: 'debian-13-standard_13.1-2_amd64.tar.zst',
    package: 'debian-13-standard',
    type: 'lxc',
    os: 'debian-13',
    section: 'system',
    version: '13.1-2',
    source: 'https://releases.demo.example/system',
    location: 'http://download.demo.example/images/system/debian-13-standard_13.1-2_amd64.tar.zst',
    headline: 'Debian 13 Trixie (standard)',
    description: 'A small Debian Trixie system including all standard packages.\n',
    infopage: 'https://pve.proxmox.com/wiki/Linux_Container#pct_supported_distributions',
    maintainer: 'Support Team <support@demo.example>',
    sha512sum: 'c'.repeat(128),
  },
];
