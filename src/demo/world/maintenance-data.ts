import { createHash } from 'node:crypto';
import type { Certificate, MaintenanceArea, NodeUpkeep, Row } from './area-types.ts';
import { plant } from './canaries.ts';
import { packageUpdates, packageVersions, repositories } from './package-data.ts';
import { fingerprintOf, hex, uuidOf } from './random.ts';
import type { DemoNode, WorldCore } from './types.ts';

const DAY = 86_400;

/** Certificates, packages, services, devices and logs of each node, computed at first use. */
export function createMaintenance(core: WorldCore): MaintenanceArea {
  const cache = new Map<string, NodeUpkeep>();
  // The secrets have to be on the list before anything is asked for, so they are planted for a few nodes at once and
  // the rest of a generated cluster shares the last node's.
  const planted = core.nodes.slice(0, 3).map((node) => plantSecrets(core, node.node));
  return {
    node: (name) => {
      const known = cache.get(name);
      if (known !== undefined) return known;
      const index = core.nodes.findIndex((candidate) => candidate.node === name);
      const node = core.nodes[index];
      const secrets = planted[Math.min(index, planted.length - 1)];
      if (node === undefined || secrets === undefined) throw new Error(`the data set has no node ${name}`);
      const made = createUpkeep(core, node, secrets);
      cache.set(name, made);
      return made;
    },
  };
}

/** What a node's logs and package sources give away. */
interface NodeSecrets {
  readonly commandPassword: string;
  readonly logKey: string;
  readonly mirrorPassword: string;
  readonly kernelArgument: string;
}

function plantSecrets(core: WorldCore, node: string): NodeSecrets {
  return {
    commandPassword: plant(core, `/nodes/${node}/journal`, `Jn${hex(`demo journal ${node}`, 18)}`),
    logKey: plant(core, `/nodes/${node}/syslog`, `sk-live-${hex(`demo syslog ${node}`, 24)}`),
    mirrorPassword: plant(core, `/nodes/${node}/apt/repositories URIs`, `mir-${hex(`demo apt mirror ${node}`, 20)}`),
    kernelArgument: plant(core, `/nodes/${node}/report`, `luks-${hex(`demo report ${node}`, 22)}`),
  };
}

function createUpkeep(core: WorldCore, node: DemoNode, secrets: NodeSecrets): NodeUpkeep {
  return {
    versions: packageVersions(core.release, node),
    updates: packageUpdates(core.release, node),
    repositories: repositories(core.release, node, secrets.mirrorPassword),
    certificates: createCertificates(core, node),
    pci: createPci(node),
    usb: createUsb(node),
    services: createServices(core, node),
    subscription: node.subscription,
    network: createNetwork(core, node),
    networkChanges: node.networkChanges,
    dns: { dns1: '10.20.0.53', dns2: '10.20.0.54', search: 'demo.example' },
    hosts: createHosts(core, node),
    config: node.config,
    timezone: node.timezone,
    clockSkew: node.clockSkew,
    journal: createJournal(core, node, secrets),
    commandLine: `BOOT_IMAGE=/boot/vmlinuz-${node.kernel} root=/dev/mapper/pve-root ro quiet rd.luks.key=${secrets.kernelArgument}`,
  };
}

/**
 * A certificate's PEM form. The body is made up: it has the size and looks of one and does not parse, which no reader
 * of this API needs; the fingerprint is what the node's row in /nodes says.
 */
function pemOf(name: string, bytes: number): string {
  let body = Buffer.alloc(0);
  for (let block = 0; body.length < bytes; block++) {
    body = Buffer.concat([body, createHash('sha512').update(`${name} ${block}`).digest()]);
  }
  const lines =
    body
      .subarray(0, bytes)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function createCertificates(core: WorldCore, node: DemoNode): Certificate[] {
  const now = Math.floor(core.now / 1000);
  const authority = `/CN=Proxmox Virtual Environment/OU=${uuidOf('demo certificate authority')}/O=PVE Cluster Manager CA`;
  const ssl: Certificate = {
    filename: 'pve-ssl.pem',
    subject: `/OU=PVE Cluster Node/O=Proxmox Virtual Environment/CN=${node.node}.demo.example`,
    issuer: authority,
    san: ['127.0.0.1', '0000:0000:0000:0000:0000:0000:0000:0001', 'localhost', node.ip, node.node, `${node.node}.demo.example`],
    fingerprint: node.fingerprint,
    pem: pemOf(`${node.node} pve-ssl`, 1_180),
    keyBits: 2048,
    keyType: 'rsaEncryption',
    notBefore: now - 400 * DAY,
    notAfter: now + (node.nodeid <= 1 ? 74 : 330) * DAY,
  };
  const root: Certificate = {
    filename: 'pve-root-ca.pem',
    subject: authority,
    issuer: authority,
    san: [],
    fingerprint: fingerprintOf('demo certificate authority'),
    pem: pemOf('root', 1_500),
    keyBits: 4096,
    keyType: 'rsaEncryption',
    notBefore: now - 900 * DAY,
    notAfter: now + 2_750 * DAY,
  };
  const proxy: Certificate = {
    filename: 'pveproxy-ssl.pem',
    subject: `/CN=${node.node}.demo.example`,
    issuer: "/C=US/O=Let's Encrypt/CN=R11",
    san: [`${node.node}.demo.example`],
    fingerprint: fingerprintOf(`${node.node} acme`),
    pem: pemOf(`${node.node} acme`, 1_290),
    keyBits: 2048,
    keyType: 'rsaEncryption',
    notBefore: now - 81 * DAY,
    notAfter: now + 9 * DAY,
  };
  return node.node === 'pve2' && !core.standalone ? [root, ssl, proxy] : [root, ssl];
}

function createPci(node: DemoNode): Row[] {
  const device = (
    id: string,
    group: number,
    type: string,
    vendor: [string, string],
    model: [string, string],
    extra: Row = {},
  ): Row => ({
    class: type,
    device: model[0],
    device_name: model[1],
    id,
    iommugroup: group,
    subsystem_device: '0x0001',
    subsystem_vendor: '0x1458',
    subsystem_vendor_name: 'Gigabyte Technology Co., Ltd',
    vendor: vendor[0],
    vendor_name: vendor[1],
    ...extra,
  });
  const isFirst = node.nodeid <= 1;
  const gpu = isFirst ? '0000:01:00' : '0000:02:00';
  return [
    device(`${gpu}.0`, isFirst ? 12 : 3, '0x030000', ['0x10de', 'NVIDIA Corporation'], ['0x2684', 'AD102 [GeForce RTX 4090]'], {
      mdev: 1,
    }),
    device(
      `${gpu}.1`,
      isFirst ? 12 : 3,
      '0x040300',
      ['0x10de', 'NVIDIA Corporation'],
      ['0x22ba', 'AD102 High Definition Audio Controller'],
    ),
    device('0000:41:00.0', 17, '0x020000', ['0x8086', 'Intel Corporation'], ['0x1592', 'Ethernet Controller E810-C for QSFP']),
    device('0000:41:00.1', 18, '0x020000', ['0x8086', 'Intel Corporation'], ['0x1592', 'Ethernet Controller E810-C for QSFP']),
    device('0000:61:00.0', 24, '0x010802', ['0x144d', 'Samsung Electronics Co Ltd'], ['0xa80a', 'NVMe SSD Controller PM9A1']),
    device('0000:00:1f.0', -1, '0x060100', ['0x8086', 'Intel Corporation'], ['0x7a04', 'LPC Controller']),
  ];
}

function createUsb(node: DemoNode): Row[] {
  return [
    {
      busnum: 1,
      class: 9,
      devnum: 1,
      level: 0,
      manufacturer: 'Linux xhci-hcd',
      port: 0,
      prodid: '0002',
      product: 'xHCI Host Controller',
      serial: '0000:00:14.0',
      speed: '480',
      vendid: '1d6b',
    },
    {
      busnum: 1,
      class: 255,
      devnum: 4,
      level: 1,
      manufacturer: 'Silicon Labs',
      port: 2,
      prodid: 'ea60',
      product: 'CP2102N USB to UART Bridge',
      serial: hex(`demo usb ${node.node}`, 12),
      speed: '12',
      usbpath: '2',
      vendid: '10c4',
    },
    { busnum: 1, class: 8, devnum: 5, level: 1, port: 4, prodid: '5581', speed: '480', usbpath: '4', vendid: '0781' },
  ];
}

const SERVICES: readonly (readonly [service: string, description: string, state: string, unit: string])[] = [
  ['chrony', 'chrony, an NTP client/server', 'running', 'enabled'],
  ['corosync', 'Corosync Cluster Engine', 'running', 'enabled'],
  ['cron', 'Regular background program processing daemon', 'running', 'enabled'],
  ['ksmtuned', 'Kernel Samepage Merging (KSM) Tuning Daemon', 'running', 'enabled'],
  ['lxcfs', 'FUSE filesystem for LXC', 'running', 'enabled'],
  ['postfix', 'Postfix Mail Transport Agent (instance -)', 'exited', 'enabled'],
  ['proxmox-firewall', 'Proxmox nftables firewall', 'running', 'enabled'],
  ['pve-cluster', 'The Proxmox VE cluster filesystem', 'running', 'enabled'],
  ['pve-firewall', 'Proxmox VE firewall', 'running', 'enabled'],
  ['pve-ha-crm', 'PVE Cluster HA Resource Manager Daemon', 'running', 'enabled'],
  ['pve-ha-lrm', 'PVE Local HA Resource Manager Daemon', 'running', 'enabled'],
  ['pve-lxc-syscalld', 'Proxmox VE LXC Syscall Daemon', 'running', 'enabled'],
  ['pvedaemon', 'PVE API Daemon', 'running', 'enabled'],
  ['pvefw-logger', 'Proxmox VE firewall logger', 'running', 'enabled'],
  ['pveproxy', 'PVE API Proxy Server', 'running', 'enabled'],
  ['pvescheduler', 'Proxmox VE scheduler', 'running', 'enabled'],
  ['pvestatd', 'PVE Status Daemon', 'running', 'enabled'],
  ['qmeventd', 'PVE Qemu Event Daemon', 'running', 'enabled'],
  ['spiceproxy', 'PVE SPICE Proxy Server', 'running', 'enabled'],
  ['sshd', 'OpenBSD Secure Shell server', 'running', 'alias'],
  ['syslog', 'syslog.service', 'dead', 'not-found'],
  ['systemd-journald', 'Journal Service', 'running', 'static'],
  ['systemd-timesyncd', 'systemd-timesyncd.service', 'dead', 'not-found'],
];

function createServices(core: WorldCore, node: DemoNode): Row[] {
  const old = core.release === '7.4';
  return SERVICES.filter(([service]) => !(old && service === 'proxmox-firewall')).map(([service, desc, state, unit]) => {
    const override = node.services[service];
    const stopped = core.standalone && service === 'corosync';
    const usual = { state: stopped ? 'dead' : state, unit, active: state === 'dead' || stopped ? 'inactive' : 'active' };
    const now = override ?? usual;
    return { 'active-state': now.active, desc, name: service, service, state: now.state, 'unit-state': now.unit };
  });
}

/** The node's interfaces; the second node of the hand-made cluster also has an Open vSwitch bridge for the lab. */
function createNetwork(core: WorldCore, node: DemoNode): NodeUpkeep['network'] {
  const rows = node.network.map((row) => ({ ...row, iface: String(row.iface), type: String(row.type) }));
  if (node.node !== 'pve2' || core.standalone) return rows;
  const common = { method: 'manual', method6: 'manual', families: ['inet'], autostart: 1 };
  return [
    ...rows,
    { ...common, iface: 'vmbr9', type: 'OVSBridge', active: 1, ovs_ports: 'eno3 ovsmgmt', priority: 6, comments: 'lab switch\n' },
    {
      ...common,
      iface: 'eno3',
      type: 'OVSPort',
      active: 1,
      exists: 1,
      ovs_bridge: 'vmbr9',
      ovs_options: 'vlan_mode=native-untagged',
      priority: 7,
    },
    {
      ...common,
      iface: 'ovsmgmt',
      type: 'OVSIntPort',
      address: '10.77.0.12',
      cidr: '10.77.0.12/24',
      method: 'static',
      netmask: '24',
      ovs_bridge: 'vmbr9',
      ovs_options: 'tag=77',
      priority: 8,
    },
  ];
}

function createHosts(core: WorldCore, node: DemoNode): string {
  const peers = core.nodes.slice(0, 8).map((peer) => `${peer.ip} ${peer.node}.demo.example ${peer.node}`);
  return ['127.0.0.1 localhost.localdomain localhost', ...peers, '', `# ${node.node}`, '::1 ip6-localhost ip6-loopback', ''].join(
    '\n',
  );
}

function createJournal(core: WorldCore, node: DemoNode, secrets: NodeSecrets): NodeUpkeep['journal'] {
  const now = Math.floor(core.now / 1000);
  const lines: { time: number; priority: number; unit: string; text: string }[] = [];
  const say = (ago: number, unit: string, text: string, priority = 6): void => {
    lines.push({ time: now - ago, priority, unit, text });
  };
  for (let hour = 26; hour > 0; hour--) {
    say(hour * 3600 + 17, 'CRON', 'pam_unix(cron:session): session opened for user root(uid=0) by root(uid=0)');
    say(hour * 3600 + 16, 'CRON', '(root) CMD (cd / && run-parts --report /etc/cron.hourly)');
    say(hour * 3600 - 900, 'pvestatd', 'auth key pair too old, rotating..');
    say(hour * 3600 - 1_800, 'smartd', 'Device: /dev/nvme0, SMART/Health Information: Temperature changed from 41 to 43 Celsius');
  }
  say(
    21_000,
    'sudo',
    `anna : TTY=pts/0 ; PWD=/root ; USER=root ; COMMAND=/usr/bin/mysql -u root --password=${secrets.commandPassword}`,
  );
  say(20_400, 'monitor-agent', `pushing metrics api_key=${secrets.logKey}`);
  say(9_000, 'sshd', 'Failed password for root from 203.0.113.77 port 40112 ssh2', 5);
  say(8_996, 'sshd', 'Failed password for root from 203.0.113.77 port 40114 ssh2', 5);
  say(1_500, 'pveproxy', 'starting 1 worker(s) – naÃ¯ve encoding');
  if (node.services['pve-ha-lrm'] !== undefined) {
    say(7_402, 'pve-ha-lrm', 'watchdog active, unable to open: Device or resource busy', 3);
    say(7_401, 'systemd', 'pve-ha-lrm.service: Main process exited, code=exited, status=255/EXCEPTION', 5);
    say(7_400, 'systemd', "pve-ha-lrm.service: Failed with result 'exit-code'.", 4);
  }
  return lines.sort((left, right) => left.time - right.time);
}
