import type { Family } from './ip-ranges.ts';

/** One pattern of a macro. */
export interface MacroPattern {
  /** Name, or number of a protocol without ports. */
  readonly proto: string;
  readonly dport?: string;
  readonly sport?: string;
  readonly icmpType?: string;
}

const tcp = (dport: string): MacroPattern => ({ proto: 'tcp', dport });
const udp = (dport: string, sport?: string): MacroPattern =>
  sport === undefined ? { proto: 'udp', dport } : { proto: 'udp', dport, sport };
const ip = (proto: string): MacroPattern => ({ proto });
const echo = (family: Family): MacroPattern => ({ proto: family === 4 ? 'icmp' : 'icmpv6', icmpType: 'echo-request' });

/**
 * What the firewall's macros stand for. The API names them without their ports, so they are listed here; a macro that is
 * missing can't be decided on.
 */
const MACROS: Readonly<Record<string, readonly MacroPattern[]>> = {
  Amanda: [udp('10080'), tcp('10080')],
  Auth: [tcp('113')],
  BGP: [tcp('179')],
  BitTorrent: [tcp('6881:6889'), udp('6881')],
  BitTorrent32: [tcp('6881:6999'), udp('6881')],
  Ceph: [tcp('3300,6789,6800:7300')],
  Citrix: [tcp('1494,2598'), udp('1604')],
  CVS: [tcp('2401')],
  DAAP: [tcp('3689'), udp('3689')],
  DCC: [tcp('6277')],
  DHCPfwd: [udp('67:68', '67:68')],
  DHCPv6: [udp('546:547', '546:547')],
  Distcc: [tcp('3632')],
  DNS: [udp('53'), tcp('53')],
  Finger: [tcp('79')],
  FTP: [tcp('21')],
  Git: [tcp('9418')],
  GNUnet: [tcp('1080,2086'), udp('1080,2086')],
  GRE: [ip('47')],
  HKP: [tcp('11371')],
  HTTP: [tcp('80')],
  HTTPS: [tcp('443')],
  ICPV2: [udp('3130')],
  ICQ: [tcp('5190')],
  IMAP: [tcp('143')],
  IMAPS: [tcp('993')],
  IPIP: [ip('94')],
  IPsec: [udp('500', '500'), ip('50')],
  IPsecah: [udp('500', '500'), ip('51')],
  IPsecnat: [udp('500,4500'), ip('50')],
  IRC: [tcp('6667')],
  Jetdirect: [tcp('9100')],
  L2TP: [udp('1701')],
  LDAP: [tcp('389')],
  LDAPS: [tcp('636')],
  Mail: [tcp('25,465,587')],
  MDNS: [udp('5353')],
  MSNP: [tcp('1863')],
  MSSQL: [tcp('1433')],
  Munin: [tcp('4949')],
  MySQL: [tcp('3306')],
  NNTP: [tcp('119')],
  NNTPS: [tcp('563')],
  NTP: [udp('123')],
  OpenVPN: [udp('1194')],
  OSPF: [ip('89')],
  PBS: [tcp('8007')],
  PCA: [udp('5632'), tcp('5631')],
  PMG: [tcp('8006')],
  POP3: [tcp('110')],
  POP3S: [tcp('995')],
  PostgreSQL: [tcp('5432')],
  PPtP: [ip('47'), tcp('1723')],
  Printer: [tcp('515')],
  Razor: [tcp('2703')],
  Rdate: [tcp('37')],
  RDP: [tcp('3389')],
  RIP: [udp('520')],
  RNDC: [tcp('953')],
  Rsync: [tcp('873')],
  SANE: [tcp('6566')],
  SixXS: [tcp('3874'), udp('3740,5072,8374'), ip('41')],
  SMB: [udp('135,445'), udp('137:139'), udp('1024:65535', '137'), tcp('135,139,445')],
  SMBswat: [tcp('901')],
  SMTP: [tcp('25')],
  SMTPS: [tcp('465')],
  SNMP: [udp('161:162'), tcp('161')],
  SPAMD: [tcp('783')],
  SPICEproxy: [tcp('3128')],
  Squid: [tcp('3128')],
  SSH: [tcp('22')],
  Submission: [tcp('587')],
  SVN: [tcp('3690')],
  Syslog: [udp('514'), tcp('514')],
  Telnet: [tcp('23')],
  Telnets: [tcp('992')],
  TFTP: [udp('69')],
  Time: [tcp('37')],
  VNC: [tcp('5900:5999')],
  VNCL: [tcp('5500')],
  Web: [tcp('80,443')],
  Webcache: [tcp('8080')],
  Webmin: [tcp('10000')],
  Whois: [tcp('43')],
  WireGuard: [udp('51820')],
};

const ICMP_MACROS: Readonly<Record<string, (family: Family) => readonly MacroPattern[]>> = {
  Ping: (family) => [echo(family)],
  Trcrt: (family) => [udp('33434:33524'), echo(family)],
  NeighborDiscovery: () =>
    ['router-solicitation', 'router-advertisement', 'neighbor-solicitation', 'neighbor-advertisement'].map((icmpType) => ({
      proto: 'icmpv6',
      icmpType,
    })),
};

const BY_NAME = new Map([...Object.keys(MACROS), ...Object.keys(ICMP_MACROS)].map((name) => [name.toLowerCase(), name]));

/** The patterns of a macro; undefined for one that is not known here. Names are not case-sensitive. */
export function macroPatterns(macro: string, family: Family): readonly MacroPattern[] | undefined {
  const name = BY_NAME.get(macro.toLowerCase());
  return name === undefined ? undefined : (MACROS[name] ?? ICMP_MACROS[name]?.(family));
}
