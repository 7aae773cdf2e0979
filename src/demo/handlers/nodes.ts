import type { HandlerRequest, HandlerTable } from '../types.ts';
import type { DemoWorld } from '../world/types.ts';
import { directory, nodeOf, seconds } from './answers.ts';
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


/** /nodes and the state of one node; its configuration is in `node-config.ts`. */
export function nodesHandlers(world: DemoWorld): HandlerTable {
  return {
    '/nodes': (request) => unordered(world.nodes, 3).map((node) => nodeRow(request, node, 'index')),
    // The directory of a node that does not exist is answered all the same.
    '/nodes/{node}': directory('name', NODE_DIRECTORY),
    '/nodes/{node}/status': (request) => nodeStatus(world, request),
    '/nodes/{node}/aplinfo': () => APPLIANCES,
  };
}

function nodeStatus(world: DemoWorld, request: HandlerRequest): Row {
  const node = nodeOf(world, request);
  const manager = String(versionOf(request.release).version);
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
      flags: 'fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat clflush mmx fxsr sse sse2 ht syscall nx lm aes avx avx2',
      ...(modern ? { family: '25', vendor: node.cpuModel.startsWith('AMD') ? 'AuthenticAMD' : 'GenuineIntel' } : {}),
    },
    memory: {
      total: node.maxmem,
      used: node.mem,
      free: Math.floor((node.maxmem - node.mem) * 0.7),
      ...(modern ? { available: node.maxmem - node.mem } : {}),
    },
    swap: { total: node.swapTotal, used: node.swapUsed, free: node.swapTotal - node.swapUsed },
    rootfs: { total: node.maxdisk, used: node.disk, free: node.maxdisk - node.disk, avail: Math.floor((node.maxdisk - node.disk) * 0.94) },
    ksm: { shared: node.node === 'pve2' ? 3_221_225_472 : 0 },
    kversion: `Linux ${node.kernel} ${build}`,
    pveversion: `pve-manager/${manager}/${versionOf(request.release).repoid}`,
    ...(modern
      ? {
          'boot-info': node.uefi ? { mode: 'efi', secureboot: 0 } : { mode: 'legacy-bios' },
          'current-kernel': { sysname: 'Linux', release: node.kernel, version: build, machine: 'x86_64' },
        }
      : {}),
  };
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
