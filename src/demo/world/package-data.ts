import type { DemoRelease } from '../types.ts';
import type { Row } from './area-types.ts';
import { hex } from './random.ts';
import type { DemoNode } from './types.ts';

interface PackageLine {
  readonly manager: string;
  readonly managerOld: string;
  readonly meta: string;
  readonly kernelPrefix: string;
  readonly kernels: readonly [current: string, previous: string];
  readonly qemu: string;
  readonly qemuOld: string;
  readonly qemuServer: string;
  readonly container: string;
  readonly haManager: string;
  readonly firewall: string;
  readonly common: string;
  readonly storage: string;
  readonly zfs: string;
  readonly lxc: string;
  readonly corosync: string;
  readonly suite: string;
}

const LINES: Readonly<Record<DemoRelease, PackageLine>> = {
  '7.4': {
    manager: '7.4-19',
    managerOld: '7.4-17',
    meta: '7.4-1',
    kernelPrefix: 'pve-kernel',
    kernels: ['5.15.158-2-pve', '5.15.143-1-pve'],
    qemu: '7.2.10-1',
    qemuOld: '7.2.0-8',
    qemuServer: '7.4-6',
    container: '4.4-7',
    haManager: '3.6.1',
    firewall: '4.3-5',
    common: '7.4-2',
    storage: '7.4-4',
    zfs: '2.1.15-pve1',
    lxc: '5.0.2-2',
    corosync: '3.1.7-pve1',
    suite: 'bullseye',
  },
  '8.4': {
    manager: '8.4.16',
    managerOld: '8.4.1',
    meta: '8.4.0',
    kernelPrefix: 'proxmox-kernel',
    kernels: ['6.8.12-15-pve', '6.8.12-9-pve'],
    qemu: '9.2.0-7',
    qemuOld: '9.2.0-5',
    qemuServer: '8.4.4',
    container: '5.3.3',
    haManager: '4.0.7',
    firewall: '5.1.2',
    common: '8.3.4',
    storage: '8.3.7',
    zfs: '2.2.8-pve1',
    lxc: '6.0.0-1',
    corosync: '3.1.9-pve1',
    suite: 'bookworm',
  },
  '9.0': {
    manager: '9.0.18',
    managerOld: '9.0.6',
    meta: '9.0.0',
    kernelPrefix: 'proxmox-kernel',
    kernels: ['6.14.11-4-pve', '6.14.8-2-pve'],
    qemu: '10.0.2-4',
    qemuOld: '10.0.2-3',
    qemuServer: '9.0.23',
    container: '6.0.13',
    haManager: '5.0.5',
    firewall: '6.0.3',
    common: '9.0.11',
    storage: '9.0.13',
    zfs: '2.3.4-pve1',
    lxc: '6.0.5-1',
    corosync: '3.1.9-pve2',
    suite: 'trixie',
  },
  '9.2.11': {
    manager: '9.2.11',
    managerOld: '9.2.4',
    meta: '9.2.0',
    kernelPrefix: 'proxmox-kernel',
    kernels: ['6.17.4-2-pve', '6.14.11-4-pve'],
    qemu: '10.2.1-2',
    qemuOld: '10.1.2-5',
    qemuServer: '9.1.12',
    container: '6.1.4',
    haManager: '5.1.3',
    firewall: '6.0.6',
    common: '9.1.8',
    storage: '9.1.5',
    zfs: '2.4.1-pve1',
    lxc: '6.0.6-2',
    corosync: '3.1.10-pve1',
    suite: 'trixie',
  },
};

/** Version of pve-manager that a node runs; in the hand-made cluster `pve2` lags behind. */
export function managerVersion(release: DemoRelease, node: string): string {
  return node === 'pve2' ? LINES[release].managerOld : LINES[release].manager;
}

/** Repository id of a release, as /version gives it. */
function repoIdOf(release: DemoRelease): string {
  return hex(`repo/${release}`, 16);
}

/** Kernel a node has booted; `pve2` still runs the previous one although the current one is installed. */
export function runningKernel(release: DemoRelease, node: string): string {
  const [current, previous] = LINES[release].kernels;
  return node === 'pve2' ? previous : current;
}

function row(
  name: string,
  version: string,
  old: string | undefined,
  description: string,
  section = 'admin',
  extra: Row = {},
): Row {
  return {
    Arch: 'amd64',
    CurrentState: old === undefined ? 'NotInstalled' : 'Installed',
    Description: description,
    ...(old === undefined ? {} : { OldVersion: old }),
    Origin: 'Proxmox',
    Package: name,
    Priority: 'optional',
    Section: section,
    Title: description,
    Version: version,
    ...extra,
  };
}

/** Rows of /nodes/{node}/apt/versions: what matters to the product, installed or not. */
export function packageVersions(release: DemoRelease, node: DemoNode): Row[] {
  const line = LINES[release];
  const lagging = node.node === 'pve2';
  const installed = (current: string, old: string) => (lagging ? old : current);
  const [kernel, previous] = line.kernels;
  const series = (version: string) => version.split('.').slice(0, 2).join('.');
  const signed = line.kernelPrefix === 'proxmox-kernel' ? '-signed' : '';
  const manager = installed(line.manager, line.managerOld);
  const both = (version: string) => [version, version] as const;
  const rows: Row[] = [
    row('proxmox-ve', ...both(line.meta), 'The Proxmox Virtual Environment', 'admin', {
      RunningKernel: runningKernel(release, node.node),
    }),
    row('pve-manager', line.manager, manager, 'Proxmox Virtual Environment Management Tools', 'admin', {
      ManagerVersion: `${manager}/${repoIdOf(release)}`,
    }),
    row(`${line.kernelPrefix}-${series(kernel)}`, ...both(kernel.replace(/-pve$/, '')), 'Latest Proxmox Kernel Image'),
    row(`${line.kernelPrefix}-${kernel}${signed}`, ...both(kernel.replace(/-pve$/, '')), 'Proxmox Kernel Image', 'kernel'),
    row(`${line.kernelPrefix}-${previous}${signed}`, ...both(previous.replace(/-pve$/, '')), 'Proxmox Kernel Image', 'kernel'),
    row('pve-qemu-kvm', line.qemu, installed(line.qemu, line.qemuOld), 'Full virtualization on x86 hardware'),
    row('qemu-server', ...both(line.qemuServer), 'Qemu Server Tools'),
    row('pve-container', ...both(line.container), 'Proxmox VE Container management tool'),
    row('pve-ha-manager', ...both(line.haManager), 'Proxmox VE HA Manager'),
    row('pve-firewall', ...both(line.firewall), 'Proxmox VE Firewall'),
    row('libpve-common-perl', ...both(line.common), 'Proxmox VE base library', 'perl'),
    row('libpve-storage-perl', ...both(line.storage), 'Proxmox VE storage management library', 'perl'),
    row('lxc-pve', ...both(line.lxc), 'Linux containers userspace tools'),
    row('corosync', ...both(line.corosync), 'cluster engine daemon and utilities'),
    row('zfsutils-linux', ...both(line.zfs), 'command-line tools to manage OpenZFS filesystems'),
    row('ifupdown2', '3.3.0-1+pmx7', '3.3.0-1+pmx7', 'Network Interface Management tool similar to ifupdown'),
    row('openvswitch-switch', '3.5.0-1', undefined, 'Open vSwitch switch implementation', 'net'),
    row('smartmontools', '7.4-pve1', '7.4-pve1', 'control and monitor storage systems using S.M.A.R.T.', 'utils'),
  ];
  return rows;
}

/** Rows of /nodes/{node}/apt/update. */
export function packageUpdates(release: DemoRelease, node: DemoNode): Row[] {
  const line = LINES[release];
  const update = (name: string, old: string, version: string, origin: string, description: string, section = 'admin'): Row => ({
    Arch: 'amd64',
    Description: description,
    OldVersion: old,
    Origin: origin,
    Package: name,
    Priority: 'optional',
    Section: section,
    Title: description,
    Version: version,
  });
  const common = [
    update('libcurl4t64', '8.14.1-2', '8.14.1-2+deb13u2', 'Debian', 'easy-to-use client-side URL transfer library', 'libs'),
    update('tzdata', '2025b-4', '2025c-1', 'Debian', 'time zone and daylight-saving time data', 'localization'),
  ];
  if (node.node !== 'pve2') return common;
  return [
    ...common,
    update('pve-manager', line.managerOld, line.manager, 'Proxmox', 'Proxmox Virtual Environment Management Tools'),
    update('pve-qemu-kvm', line.qemuOld, line.qemu, 'Proxmox', 'Full virtualization on x86 hardware'),
    update('openssl', '3.5.1-1', '3.5.4-1~deb13u1', 'Debian-Security', 'Secure Sockets Layer toolkit', 'utils'),
    update('openssh-server', '1:10.0p1-7', '1:10.0p1-7+deb13u1', 'Debian-Security', 'secure shell (SSH) server', 'net'),
  ];
}

/** /nodes/{node}/apt/repositories: a node without subscription on the enterprise repository, and one without any error. */
export function repositories(release: DemoRelease, node: DemoNode, mirrorPassword: string): Row {
  const { suite } = LINES[release];
  const licensed = node.level !== '';
  const uri = `https://mirror-user:${mirrorPassword}@mirror.demo.example/debian`;
  const listContent = `deb ${uri} ${suite} main contrib\n`;
  const fileDigest = Array.from({ length: 32 }, (_, index) => (index * 7 + node.nodeid) % 256);
  return {
    digest: hex(`demo apt digest ${node.node}`, 64),
    errors: licensed ? [] : [{ error: 'line 4: unknown key', path: '/etc/apt/sources.list.d/extra.sources' }],
    files: [
      {
        digest: fileDigest,
        'file-type': 'sources',
        path: '/etc/apt/sources.list.d/proxmox.sources',
        repositories: [
          {
            Components: [licensed ? 'pve-enterprise' : 'pve-no-subscription'],
            Enabled: 1,
            FileType: 'sources',
            Options: [{ Key: 'Signed-By', Values: ['/usr/share/keyrings/proxmox-archive-keyring.gpg'] }],
            Suites: [suite],
            Types: ['deb'],
            URIs: [licensed ? 'https://enterprise.proxmox.com/debian/pve' : 'http://download.proxmox.com/debian/pve'],
          },
        ],
      },
      {
        content: listContent,
        digest: fileDigest,
        'file-type': 'list',
        path: '/etc/apt/sources.list',
        repositories: [
          { Components: ['main', 'contrib'], Enabled: 1, FileType: 'list', Suites: [suite], Types: ['deb'], URIs: [uri] },
          {
            Comment: 'off since the move',
            Components: ['pvetest'],
            Enabled: 0,
            FileType: 'list',
            Suites: [suite],
            Types: ['deb'],
            URIs: ['http://download.proxmox.com/debian/pve'],
          },
        ],
      },
    ],
    infos: [
      { index: 0, kind: 'origin', message: 'Proxmox', path: '/etc/apt/sources.list.d/proxmox.sources' },
      ...(licensed
        ? []
        : [
            {
              index: 0,
              kind: 'warning',
              message: 'The no-subscription repository is not recommended for production use!',
              path: '/etc/apt/sources.list.d/proxmox.sources',
              property: 'Components',
            },
          ]),
    ],
    'standard-repos': [
      { description: 'Production-ready updates', handle: 'enterprise', name: 'Enterprise', ...(licensed ? { status: 1 } : {}) },
      {
        description: 'Updates without subscription',
        handle: 'no-subscription',
        name: 'No-Subscription',
        ...(licensed ? {} : { status: 1 }),
      },
      { description: 'Updates to be tested', handle: 'test', name: 'Test', status: 0 },
    ],
  };
}
