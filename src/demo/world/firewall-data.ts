import type { FirewallArea, FirewallScope, Row, SecurityGroup } from './area-types.ts';
import { hash } from './random.ts';
import type { WorldCore } from './types.ts';

const EMPTY: FirewallScope = { options: {}, rules: [], aliases: [], ipsets: [] };

/** An incoming or outgoing rule that is switched on, unless `extra` says otherwise. */
function rule(type: 'in' | 'out' | 'forward' | 'group', action: string, extra: Row = {}): Row {
  return { type, action, enable: 1, ...extra };
}

const v4 = { ipversion: 4 };

/** Cluster, node, guest and vnet firewalls; what never applies, and why, is listed in create-areas.ts. */
export function createFirewall(core: WorldCore): FirewallArea {
  const handMade = new Map<number, FirewallScope>(core.generated ? [] : handMadeGuests());
  return {
    cluster: createCluster(),
    groups: createGroups(),
    macros: MACROS.map(([macro, descr]) => ({ macro, descr })),
    node: (node) => nodeScope(node),
    guest: (vmid) => handMade.get(vmid) ?? (core.generated ? generatedGuest(vmid) : EMPTY),
    vnet: (vnet) => VNETS[vnet],
    log: (node) => createLog(core, node),
  };
}

function createCluster(): FirewallScope {
  return {
    options: {
      ebtables: 1,
      enable: 1,
      log_ratelimit: 'enable=1,burst=10,rate=5/second',
      policy_in: 'DROP',
      policy_out: 'ACCEPT',
    },
    rules: [
      rule('group', 'admin-access', { comment: 'staff', iface: 'vmbr0' }),
      rule('in', 'ACCEPT', { comment: 'web interface', dport: '8006', log: 'info', proto: 'tcp', source: '+dc/management' }),
      rule('in', 'ACCEPT', { comment: 'ssh from anywhere, off since the audit', enable: 0, log: 'nolog', macro: 'SSH' }),
      rule('in', 'ACCEPT', { comment: 'node metrics', dport: '9100', ...v4, proto: 'tcp', source: 'dc/monitoring' }),
      rule('out', 'REJECT', { dest: '198.51.100.0/24', dport: '53,5353', ...v4, log: 'warning', proto: 'udp' }),
      rule('in', 'DROP', { 'icmp-type': 'timestamp-request', ...v4, proto: 'icmp' }),
      rule('forward', 'ACCEPT', { ...v4, source: '10.20.0.0/24' }),
    ],
    aliases: [
      { cidr: '10.20.0.1', comment: 'default gateway', ...v4, name: 'gateway' },
      { cidr: '10.20.0.61', comment: 'Überwachung', ...v4, name: 'monitoring' },
      { cidr: '10.20.0.0/24', ...v4, name: 'server_net' },
      { cidr: '2001:db8:20::/64', ipversion: 6, name: 'server_net6' },
    ],
    ipsets: [
      { name: 'blocklist', entries: [{ cidr: '203.0.113.0/24' }] },
      {
        name: 'management',
        comment: 'admin workstations',
        entries: [
          { cidr: '10.20.0.0/24', comment: 'whole server net' },
          { cidr: '10.20.0.99', comment: 'except the kiosk', nomatch: 1 },
          { cidr: 'dc/gateway' },
        ],
      },
    ],
  };
}

function createGroups(): SecurityGroup[] {
  return [
    {
      group: 'admin-access',
      comment: 'SSH and ping for the staff',
      rules: [
        rule('in', 'ACCEPT', { log: 'nolog', macro: 'SSH', source: '+dc/management' }),
        rule('in', 'ACCEPT', { macro: 'Ping', source: '+dc/management' }),
      ],
    },
    { group: 'unused', rules: [] },
    {
      group: 'webserver',
      comment: 'HTTP(S) from everywhere',
      rules: [
        rule('in', 'ACCEPT', { log: 'nolog', macro: 'HTTP' }),
        rule('in', 'ACCEPT', { macro: 'HTTPS' }),
        rule('in', 'ACCEPT', { dport: '8080:8090', enable: 0, proto: 'tcp' }),
      ],
    },
  ];
}

function nodeScope(node: string): FirewallScope {
  const metrics = rule('in', 'ACCEPT', {
    comment: 'node_exporter',
    dport: '9100',
    iface: 'vmbr0',
    ...v4,
    proto: 'tcp',
    source: '10.20.0.61',
  });
  if (node === 'pve2') {
    return {
      ...EMPTY,
      options: { enable: 0, log_level_in: 'warning', nftables: 0 },
      rules: [metrics, rule('in', 'DROP', { comment: 'no NFS on the uplink', iface: 'vmbr0', macro: 'NFS' })],
    };
  }
  if (node === 'pve1') {
    return {
      ...EMPTY,
      options: {
        enable: 1,
        log_level_in: 'info',
        nf_conntrack_max: 262_144,
        nftables: 0,
        protection_synflood: 1,
        smurf_log_level: 'nolog',
        tcp_flags_log_level: 'nolog',
      },
      rules: [metrics, rule('in', 'ACCEPT', { macro: 'SSH', source: '+dc/management' })],
    };
  }
  return EMPTY;
}

function handMadeGuests(): [number, FirewallScope][] {
  return [
    [
      100,
      {
        options: { dhcp: 1, enable: 1, ipfilter: 1, log_level_in: 'debug', macfilter: 0, ndp: 1, policy_in: 'DROP', radv: 0 },
        rules: [
          rule('group', 'webserver'),
          rule('in', 'ACCEPT', {
            comment: '"jump host" only',
            dport: '22',
            iface: 'net0',
            ...v4,
            log: 'info',
            proto: 'tcp',
            source: 'office',
            sport: '1024:65535',
          }),
          rule('out', 'ACCEPT'),
        ],
        aliases: [{ cidr: '198.51.100.7', ...v4, name: 'office' }],
        ipsets: [
          { name: 'ipfilter-net0', comment: 'own addresses', entries: [{ cidr: '192.0.2.10' }, { cidr: '2001:db8:2::10' }] },
        ],
      },
    ],
    [
      101,
      {
        ...EMPTY,
        options: { enable: 1, policy_in: 'DROP' },
        rules: [
          rule('in', 'ACCEPT', { comment: 'apps', dport: '5432', ...v4, proto: 'tcp', source: '192.0.2.0/24' }),
          rule('in', 'ACCEPT', {
            comment: 'reporting',
            dport: '5432',
            errors: { source: "no such alias 'reporting_net'" },
            proto: 'tcp',
            source: 'dc/reporting_net',
          }),
        ],
      },
    ],
    [104, { ...EMPTY, rules: [rule('in', 'ACCEPT', { macro: 'HTTP' }), rule('in', 'DROP', { dport: '6379', proto: 'tcp' })] }],
    [
      111,
      {
        ...EMPTY,
        options: { enable: 1, policy_in: 'DROP' },
        rules: [rule('in', 'ACCEPT', { macro: 'RDP', source: '+dc/management' })],
      },
    ],
    [
      112,
      { ...EMPTY, options: { enable: 1, policy_in: 'ACCEPT' }, rules: [rule('in', 'DROP', { iface: 'net2', macro: 'SMB' })] },
    ],
    [
      116,
      {
        ...EMPTY,
        options: { enable: 1, log_level_in: 'nolog' },
        rules: [
          rule('in', 'ACCEPT', { dport: '25,465,587', proto: 'tcp' }),
          rule('in', 'ACCEPT', { errors: { source: "no such ipset 'partners'" }, macro: 'SSH', source: '+partners' }),
        ],
      },
    ],
    [120, { ...EMPTY, options: { enable: 1, policy_in: 'ACCEPT' }, rules: [rule('in', 'ACCEPT', { macro: 'HTTPS' })] }],
    [
      122,
      {
        ...EMPTY,
        options: { enable: 1 },
        rules: [
          rule('in', 'ACCEPT', { comment: 'remote desktop, temporary', macro: 'RDP' }),
          rule('in', 'ACCEPT', { macro: 'DNS', source: '192.0.2.0/24' }),
        ],
      },
    ],
    [
      200,
      {
        ...EMPTY,
        options: { enable: 1 },
        rules: [rule('in', 'ACCEPT', { macro: 'HTTP' }), rule('in', 'ACCEPT', { macro: 'HTTPS' })],
        aliases: [{ cidr: '198.51.100.9', comment: 'health checks', ...v4, name: 'probe' }],
        ipsets: [{ name: 'ipfilter-net0', entries: [{ cidr: '192.0.2.20' }] }],
      },
    ],
    [204, { ...EMPTY, options: { enable: 0 } }],
    [
      221,
      {
        ...EMPTY,
        options: { enable: 1 },
        rules: [rule('in', 'ACCEPT', { dport: '6379', proto: 'tcp', source: '192.0.2.0/24' })],
      },
    ],
  ];
}

/** Two guests in three of a generated cluster are protected. */
function generatedGuest(vmid: number): FirewallScope {
  if (hash(`firewall ${vmid}`) % 3 === 0) return EMPTY;
  return {
    ...EMPTY,
    options: { enable: 1 },
    rules: [
      rule('group', 'admin-access'),
      rule('in', 'ACCEPT', { macro: hash(`macro ${vmid}`) % 2 === 0 ? 'HTTPS' : 'PostgreSQL', source: 'dc/server_net' }),
    ],
  };
}

const VNETS: Readonly<Record<string, FirewallScope>> = {
  labnet: {
    ...EMPTY,
    options: { enable: 1, policy_forward: 'DROP' },
    rules: [
      rule('forward', 'ACCEPT', { dport: '443', proto: 'tcp' }),
      rule('forward', 'DROP', { comment: 'no SMB out of the lab', macro: 'SMB' }),
    ],
  },
};

function createLog(core: WorldCore, node: string): { vmid: number; line: string }[] {
  const guest = core.guestsOn(node).find((candidate) => candidate.power === 'running');
  const lines: { vmid: number; line: string }[] = [];
  for (let minute = 60; minute > 0; minute--) {
    const time = logTime(core.now - minute * 60_000);
    const source = `203.0.113.${1 + ((minute * 37) % 200)}`;
    lines.push({
      vmid: 0,
      line: `0 5 PVEFW-HOST-IN ${time} policy DROP: IN=vmbr0 SRC=${source} DST=10.20.0.11 PROTO=TCP SPT=${40_000 + minute} DPT=23`,
    });
    if (guest === undefined) continue;
    const { vmid } = guest;
    const port = guest.type === 'qemu' ? `tap${vmid}i0` : `veth${vmid}i0`;
    lines.push({
      vmid,
      line: `${vmid} 6 ${port}-IN ${time} policy DROP: IN=fwbr${vmid}i0 SRC=${source} DST=192.0.2.10 PROTO=TCP SPT=${50_000 + minute} DPT=22`,
    });
  }
  return lines;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `30/Nov/2026:07:01:00 +0000` */
function logTime(milliseconds: number): string {
  const date = new Date(milliseconds);
  const two = (value: number) => String(value).padStart(2, '0');
  const clock = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;
  return `${two(date.getUTCDate())}/${MONTHS[date.getUTCMonth()]}/${date.getUTCFullYear()}:${clock} +0000`;
}

const MACROS: readonly (readonly [macro: string, description: string])[] = [
  ['BGP', 'Border Gateway Protocol traffic'],
  ['Ceph', 'Ceph Storage Cluster traffic (Ceph Monitors, OSD & MDS Daemons)'],
  ['DHCPfwd', 'Forwarded DHCP traffic'],
  ['DNS', 'Domain Name System traffic (udp and tcp)'],
  ['FTP', 'File Transfer Protocol'],
  ['HTTP', 'Hypertext Transfer Protocol (WWW)'],
  ['HTTPS', 'Hypertext Transfer Protocol (WWW) over SSL'],
  ['IMAP', 'Internet Message Access Protocol'],
  ['IMAPS', 'Internet Message Access Protocol over SSL'],
  ['LDAP', 'Lightweight Directory Access Protocol traffic'],
  ['LDAPS', 'Secure Lightweight Directory Access Protocol traffic'],
  ['MySQL', 'MySQL server'],
  ['NFS', 'Network File System traffic'],
  ['NTP', 'Network Time Protocol (ntpd)'],
  ['OpenVPN', 'OpenVPN traffic'],
  ['Ping', 'ICMP echo request'],
  ['PostgreSQL', 'PostgreSQL server'],
  ['RDP', 'Microsoft Remote Desktop Protocol traffic'],
  ['SMB', 'Microsoft SMB traffic'],
  ['SMTP', 'Simple Mail Transfer Protocol'],
  ['SNMP', 'Simple Network Management Protocol'],
  ['SPICEproxy', 'Proxmox VE SPICE display proxy traffic'],
  ['SSH', 'Secure shell traffic'],
  ['Syslog', 'Syslog protocol (RFC 5424) traffic'],
  ['Telnet', 'Telnet traffic'],
  ['VNC', "VNC traffic for VNC display's 0 - 99"],
  ['Web', 'WWW traffic (HTTP and HTTPS)'],
];
