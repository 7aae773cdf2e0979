import { plant } from './canaries.ts';
import { createRandom, fingerprintOf } from './random.ts';
import type { CanarySink, DemoNode } from './types.ts';
import { DAY, gib, HOUR } from './units.ts';

const KERNEL = '6.17.4-2-pve';

/**
 * Nodes of the hand-made cluster: `pve1` answers the API, `pve2` is online, short of memory and has a failed
 * service, `pve3` is switched off. `now` is epoch seconds.
 */
export function handMadeNodes(sink: CanarySink, now: number): DemoNode[] {
  return [pve1(sink, now), pve2(sink, now), pve3()];
}

function pve1(sink: CanarySink, now: number): DemoNode {
  const postUp = plant(sink, '/nodes/pve1/network options', 'CANARY-postup-8fJ2kQ7xLw');
  const wifiKey = plant(sink, '/nodes/pve1/network options', 'CANARY-wpapsk-Zr41mVb9sT');
  const commented = plant(sink, '/nodes/pve1/network comments', 'CANARY-ifcomment-p0W6yHc3nE');
  const changed = plant(sink, '/nodes/pve1/network changes', 'CANARY-ifchange-Kd93vXo5aU');
  const notes = plant(sink, '/nodes/pve1/config description', 'CANARY-nodenote-Tq72bRf8gM');
  const licence = plant(sink, '/nodes/pve1/subscription key', 'pve2c-canary7e41');
  const signature = plant(sink, '/nodes/pve1/subscription signature', 'CANARY-subsig-u3N8eYw1iB5tGq');
  return {
    node: 'pve1',
    online: true,
    nodeid: 1,
    local: true,
    ip: '10.20.0.11',
    level: 'c',
    fingerprint: fingerprintOf('pve1'),
    maxcpu: 32,
    cpu: 0.213847561093,
    iowait: 0.0123,
    loadavg: [6.71, 6.4, 5.98],
    maxmem: gib(128),
    mem: gib(106.2),
    maxdisk: gib(94),
    disk: gib(31.2),
    swapTotal: gib(8),
    swapUsed: gib(0.4),
    bootedAt: now - 41 * DAY - 5 * HOUR,
    cpuModel: 'AMD Ryzen 9 7950X 16-Core Processor',
    sockets: 1,
    kernel: KERNEL,
    uefi: true,
    hastate: 'online',
    network: [
      { iface: 'eno1', type: 'eth', active: 1, exists: 1, method: 'manual', method6: 'manual', families: ['inet'], priority: 3 },
      {
        iface: 'enp5s0',
        type: 'eth',
        active: 1,
        exists: 1,
        method: 'manual',
        method6: 'manual',
        families: ['inet'],
        priority: 4,
        options: [`post-up /usr/local/sbin/announce --token ${postUp}`],
      },
      { iface: 'enp6s0', type: 'eth', exists: 1, method: 'manual', method6: 'manual', families: ['inet'], priority: 5 },
      {
        iface: 'wlp7s0',
        type: 'eth',
        exists: 1,
        autostart: 1,
        method: 'dhcp',
        method6: 'manual',
        families: ['inet'],
        priority: 6,
        options: ['wpa-ssid lab-oob', `wpa-psk ${wifiKey}`],
      },
      {
        iface: 'bond0',
        type: 'bond',
        active: 1,
        autostart: 1,
        bond_mode: '802.3ad',
        bond_miimon: '100',
        bond_xmit_hash_policy: 'layer3+4',
        slaves: 'enp5s0 enp6s0',
        method: 'manual',
        method6: 'manual',
        families: ['inet'],
        priority: 7,
      },
      {
        iface: 'vmbr0',
        type: 'bridge',
        active: 1,
        autostart: 1,
        address: '10.20.0.11',
        netmask: '24',
        cidr: '10.20.0.11/24',
        gateway: '10.20.0.1',
        address6: '2001:db8:20::11',
        netmask6: '64',
        cidr6: '2001:db8:20::11/64',
        bridge_ports: 'eno1',
        bridge_stp: 'off',
        bridge_fd: '0',
        bridge_vlan_aware: 1,
        bridge_vids: '2-4094',
        comments: `uplink; switch login admin / password: ${commented}\n`,
        method: 'static',
        method6: 'static',
        families: ['inet', 'inet6'],
        priority: 8,
      },
      {
        iface: 'vmbr1',
        type: 'bridge',
        active: 1,
        autostart: 1,
        bridge_ports: 'bond0',
        bridge_stp: 'off',
        bridge_fd: '0',
        method: 'manual',
        method6: 'manual',
        families: ['inet'],
        priority: 9,
      },
      {
        iface: 'eno1.50',
        type: 'vlan',
        autostart: 1,
        exists: null,
        address: '10.50.0.11',
        netmask: '24',
        cidr: '10.50.0.11/24',
        mtu: '9000',
        'vlan-id': '50',
        'vlan-raw-device': 'eno1',
        method: 'static',
        method6: 'manual',
        families: ['inet'],
        priority: 10,
      },
    ],
    networkChanges: [
      '--- /etc/network/interfaces\t2026-01-10 07:12:00.000000000 +0100',
      '+++ /etc/network/interfaces.new\t2026-01-11 18:40:00.000000000 +0100',
      '@@ -31,6 +31,7 @@',
      ' auto eno1.50',
      ' iface eno1.50 inet static',
      ' \taddress 10.50.0.11/24',
      '-\tmtu 1500',
      '+\tmtu 9000',
      `+\tpost-up /usr/local/sbin/announce --password ${changed}`,
      '',
    ].join('\n'),
    services: {},
    config: {
      description: `Rack 2, unit 7. Remote console 10.99.0.11, password: ${notes}\n\nCall facilities before touching the PSU.\n`,
      acme: 'account=default,domains=pve1.demo.example',
      'startall-onboot-delay': '15',
      'ballooning-target': '80',
      wakeonlan: 'mac=02:00:5E:10:00:11',
    },
    timezone: 'Europe/Berlin',
    clockSkew: 0,
    subscription: {
      status: 'active',
      productname: 'Proxmox VE Community Subscription 1 CPU/year',
      key: licence,
      level: 'c',
      serverid: '5D3A0F41C2B7E6908A1D4C5B6E7F8091',
      sockets: '1',
      regdate: '2025-06-01 00:00:00',
      nextduedate: '2026-06-01',
      checktime: String(now - 7 * HOUR),
      signature,
      url: 'https://www.proxmox.com/en/proxmox-virtual-environment/pricing',
    },
  };
}

function pve2(sink: CanarySink, now: number): DemoNode {
  const notes = plant(sink, '/nodes/pve2/config description', 'CANARY-nodenote-J5sYc20oDl');
  return {
    node: 'pve2',
    online: true,
    nodeid: 2,
    local: false,
    ip: '10.20.0.12',
    level: '',
    fingerprint: fingerprintOf('pve2'),
    maxcpu: 16,
    cpu: 0.471220934,
    iowait: 0.0871,
    loadavg: [11.02, 9.87, 9.1],
    maxmem: gib(64),
    mem: gib(58.9),
    maxdisk: gib(68),
    disk: gib(61.4),
    swapTotal: gib(8),
    swapUsed: gib(5.9),
    bootedAt: now - 203 * DAY,
    cpuModel: 'Intel(R) Xeon(R) E-2288G CPU @ 3.70GHz',
    sockets: 1,
    kernel: '6.14.11-4-pve',
    uefi: false,
    hastate: 'online',
    network: [
      { iface: 'eno1', type: 'eth', active: 1, exists: 1, method: 'manual', method6: 'manual', families: ['inet'], priority: 3 },
      { iface: 'eno2', type: 'eth', exists: 1, method: 'manual', method6: 'manual', families: ['inet'], priority: 4 },
      {
        iface: 'vmbr0',
        type: 'bridge',
        active: 1,
        autostart: 1,
        address: '10.20.0.12',
        netmask: '24',
        cidr: '10.20.0.12/24',
        gateway: '10.20.0.1',
        bridge_ports: 'eno1',
        bridge_stp: 'off',
        bridge_fd: '0',
        method: 'static',
        method6: 'manual',
        families: ['inet'],
        priority: 5,
      },
    ],
    services: {
      'pve-ha-lrm': { state: 'failed', active: 'failed', unit: 'enabled' },
      chrony: { state: 'dead', active: 'inactive', unit: 'disabled' },
      postfix: { state: 'exited', active: 'active', unit: 'enabled' },
    },
    config: { description: `Old Xeon, to be replaced. BMC token=${notes}\n` },
    timezone: 'Europe/Berlin',
    clockSkew: 47,
    subscription: {
      status: 'notfound',
      message: 'There is no subscription key',
      serverid: '91B8E2D0A7C64F3512E0C9D8B7A65443',
      url: 'https://www.proxmox.com/en/proxmox-virtual-environment/pricing',
    },
  };
}

function pve3(): DemoNode {
  return {
    node: 'pve3',
    online: false,
    nodeid: 3,
    local: false,
    ip: '10.20.0.13',
    level: '',
    fingerprint: fingerprintOf('pve3'),
    maxcpu: 8,
    cpu: 0,
    iowait: 0,
    loadavg: [0, 0, 0],
    maxmem: gib(32),
    mem: 0,
    maxdisk: gib(68),
    disk: 0,
    swapTotal: 0,
    swapUsed: 0,
    bootedAt: 0,
    cpuModel: 'Intel(R) Core(TM) i5-8500T CPU @ 2.10GHz',
    sockets: 1,
    kernel: KERNEL,
    uefi: true,
    hastate: 'fence',
    network: [],
    services: {},
    config: {},
    timezone: 'Europe/Berlin',
    clockSkew: 0,
    subscription: { status: 'notfound', message: 'There is no subscription key', serverid: '', url: '' },
  };
}

/** The node of a stand-alone installation: `pve1` without cluster membership. */
export function standaloneNode(node: DemoNode): DemoNode {
  const { hastate: _left, ...rest } = node;
  return { ...rest, nodeid: 0 };
}

/** Ordinary nodes `pve4`, `pve5`, ... for clusters of a chosen size. */
export function generatedNode(index: number, seed: string, now: number): DemoNode {
  const random = createRandom(`${seed}/node/${index}`);
  const node = `pve${index}`;
  const maxcpu = random.pick([32, 48, 64, 96]);
  const maxmem = gib(random.pick([128, 256, 384, 512]));
  const address = `10.20.${Math.floor(index / 200)}.${10 + (index % 200)}`;
  return {
    node,
    online: index % 29 !== 0,
    nodeid: index,
    local: false,
    ip: address,
    level: 'b',
    fingerprint: fingerprintOf(node),
    maxcpu,
    cpu: 0.05 + random.next() * 0.6,
    iowait: random.next() * 0.05,
    loadavg: [maxcpu * 0.31, maxcpu * 0.29, maxcpu * 0.27],
    maxmem,
    mem: Math.round(maxmem * (0.35 + random.next() * 0.5)),
    maxdisk: gib(94),
    disk: gib(12 + random.next() * 60),
    swapTotal: gib(8),
    swapUsed: gib(random.next()),
    bootedAt: now - random.int(3, 240) * DAY,
    cpuModel: 'AMD EPYC 7543P 32-Core Processor',
    sockets: 1,
    kernel: KERNEL,
    uefi: true,
    hastate: 'online',
    network: [
      { iface: 'eno1', type: 'eth', active: 1, exists: 1, method: 'manual', method6: 'manual', families: ['inet'], priority: 3 },
      {
        iface: 'vmbr0',
        type: 'bridge',
        active: 1,
        autostart: 1,
        address,
        netmask: '16',
        cidr: `${address}/16`,
        gateway: '10.20.0.1',
        bridge_ports: 'eno1',
        bridge_stp: 'off',
        bridge_fd: '0',
        bridge_vlan_aware: 1,
        bridge_vids: '2-4094',
        method: 'static',
        method6: 'manual',
        families: ['inet'],
        priority: 4,
      },
    ],
    services: {},
    config: {},
    timezone: 'Europe/Berlin',
    clockSkew: 0,
    subscription: {
      status: 'active',
      productname: 'Proxmox VE Basic Subscription 1 CPU/year',
      level: 'b',
      serverid: fingerprintOf(node).replaceAll(':', '').slice(0, 32),
      sockets: '1',
      nextduedate: '2027-02-01',
      url: 'https://www.proxmox.com/en/proxmox-virtual-environment/pricing',
    },
  };
}
