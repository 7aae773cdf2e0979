import type { AgentFacts, AgentInterface, AgentState } from './types.ts';
import { gib } from './units.ts';

export interface AgentNic {
  readonly name: string;
  readonly mac: string;
  /** `address/prefix` */
  readonly v4?: readonly string[];
  readonly v6?: readonly string[];
}

const OS = {
  debian13: {
    id: 'debian',
    name: 'Debian GNU/Linux',
    'pretty-name': 'Debian GNU/Linux 13 (trixie)',
    version: '13 (trixie)',
    'version-id': '13',
    'kernel-release': '6.12.57+deb13-amd64',
    'kernel-version': '#1 SMP PREEMPT_DYNAMIC Debian 6.12.57-1',
    machine: 'x86_64',
  },
  ubuntu2404: {
    id: 'ubuntu',
    name: 'Ubuntu',
    'pretty-name': 'Ubuntu 24.04.3 LTS',
    version: '24.04.3 LTS (Noble Numbat)',
    'version-id': '24.04',
    'kernel-release': '6.8.0-90-generic',
    'kernel-version': '#91-Ubuntu SMP PREEMPT_DYNAMIC',
    machine: 'x86_64',
  },
  windows: {
    id: 'mswindows',
    name: 'Microsoft Windows',
    'pretty-name': 'Windows Server 2012 R2 Standard',
    version: 'Microsoft Windows Server 2012 R2',
    'version-id': '2012R2',
    variant: 'server',
    'variant-id': 'server',
    'kernel-release': '9600',
    'kernel-version': '6.3',
    machine: 'x86_64',
  },
} as const;

export type AgentOs = keyof typeof OS;

function address(cidr: string, type: 'ipv4' | 'ipv6') {
  const [ip = cidr, prefix = '0'] = cidr.split('/');
  return { 'ip-address': ip, 'ip-address-type': type, prefix: Number(prefix) };
}

function statistics(seed: number): Readonly<Record<string, number>> {
  return {
    'rx-bytes': seed * 1_048_583,
    'rx-packets': seed * 911,
    'rx-errs': 0,
    'rx-dropped': seed % 7,
    'tx-bytes': seed * 524_309,
    'tx-packets': seed * 701,
    'tx-errs': 0,
    'tx-dropped': 0,
  };
}

/** A guest agent that answers; the loopback comes first as in the real answer, addresses IPv6 before IPv4. */
export function agentAnswers(hostName: string, os: AgentOs, nics: readonly AgentNic[], diskBytes: number): AgentState {
  const interfaces: AgentInterface[] = [
    {
      name: 'lo',
      'hardware-address': '00:00:00:00:00:00',
      'ip-addresses': [address('127.0.0.1/8', 'ipv4'), address('::1/128', 'ipv6')],
      statistics: statistics(1),
    },
    ...nics.map((nic, index): AgentInterface => {
      const addresses = [...(nic.v6 ?? []).map((ip) => address(ip, 'ipv6')), ...(nic.v4 ?? []).map((ip) => address(ip, 'ipv4'))];
      return {
        name: nic.name,
        'hardware-address': nic.mac.toLowerCase(),
        ...(addresses.length > 0 ? { 'ip-addresses': addresses } : {}),
        ...(addresses.length > 0 ? { statistics: statistics(index + 3) } : {}),
      };
    }),
  ];
  return { kind: 'answers', facts: facts(hostName, os, interfaces, diskBytes) };
}

/** An agent of an old guest that knows no network command. */
export function agentWithoutNetwork(hostName: string, os: AgentOs, diskBytes: number): AgentState {
  const { interfaces: _none, ...rest } = facts(hostName, os, [], diskBytes);
  return { kind: 'answers', facts: rest };
}

function facts(hostName: string, os: AgentOs, interfaces: readonly AgentInterface[], diskBytes: number): AgentFacts {
  const windows = os === 'windows';
  const total = Math.floor(diskBytes * 0.96);
  return {
    hostName,
    osinfo: OS[os],
    interfaces,
    fsinfo: [
      {
        name: windows ? '\\\\?\\Volume{5d2c7a10-0000-0000-0000-500600000000}\\' : 'sda1',
        mountpoint: windows ? 'C:\\' : '/',
        type: windows ? 'NTFS' : 'ext4',
        'total-bytes': total,
        'used-bytes': Math.floor(total * 0.61),
        ...(windows ? {} : { 'total-bytes-privileged': Math.floor(diskBytes * 0.99) }),
        disk: [
          {
            'bus-type': 'scsi',
            bus: 0,
            target: 0,
            unit: 0,
            serial: '0QEMU_QEMU_HARDDISK_drive-scsi0',
            dev: windows ? '\\\\.\\PhysicalDrive0' : '/dev/sda1',
            'pci-controller': { domain: 0, bus: 9, slot: 1, function: 0 },
          },
        ],
      },
      ...(windows
        ? []
        : [
            {
              name: 'loop0',
              mountpoint: '/snap/core22/2216',
              type: 'squashfs',
              disk: [],
              'total-bytes': gib(0.07),
              'used-bytes': gib(0.07),
            },
          ]),
    ],
    users: [{ user: windows ? 'Administrator' : 'admin', domain: windows ? 'DEMO' : null, 'login-time': 1_767_000_000.25 }],
    timezone: { zone: 'CET', offset: 3600 },
    version: windows ? '107.0.1' : '10.0.6',
  };
}
