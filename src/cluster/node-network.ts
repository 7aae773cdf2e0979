import type { Call } from '../api/call.ts';
import { boolOf, byText, intOf, listOf, type Raw, textOf } from '../api/lenient.ts';
import { type Gaps, NO_GAPS, type Reading } from '../api/reading.ts';
import { atLeast } from '../api/release.ts';
import { oneLine } from '../redact/plain-text.ts';
import { scrubFreeText } from '../redact/scrub-text.ts';
import { cleaned } from './shown-text.ts';

/** A network interface as the node's configuration has it, or as it was found (an unconfigured card). */
export interface NodeInterface {
  readonly name: string;
  /** `eth`, `bridge`, `bond`, `vlan`, `alias`, `OVSBridge`, `OVSBond`, `OVSPort`, `OVSIntPort`, `vnet`, `fabric`, ... */
  readonly type: string;
  readonly active: boolean;
  readonly autostart: boolean;
  /** Whether the card or device is there; undefined when the node does not tell. */
  readonly exists: boolean | undefined;
  /** `static`, `dhcp`, `manual`, ... */
  readonly method: string | undefined;
  readonly method6: string | undefined;
  /** With prefix lengths, IPv4 first. */
  readonly addresses: readonly string[];
  readonly gateways: readonly string[];
  /** Ports of a bridge, members of a bond. */
  readonly ports: readonly string[];
  /** The Open vSwitch bridge that it belongs to. */
  readonly bridge: string | undefined;
  readonly bond: string | undefined;
  readonly vlanId: number | undefined;
  readonly vlanDevice: string | undefined;
  readonly vlanAware: boolean | undefined;
  /** VLANs that a bridge lets through, e.g. `2-4094`. */
  readonly vids: string | undefined;
  readonly mtu: number | undefined;
  readonly comment: string | undefined;
  /** Further lines of its configuration (`post-up ...`), secrets hidden. */
  readonly options: readonly string[];
  /** Other names of the interface. */
  readonly altNames: readonly string[];
}

/** A network configuration that was edited, but not applied yet. */
export interface PendingNetwork {
  readonly added: number;
  readonly removed: number;
  /** A unified diff, secrets hidden. */
  readonly diff: string;
}

export interface NodeNetwork {
  readonly interfaces: readonly NodeInterface[];
  readonly pending: PendingNetwork | undefined;
}

/**
 * A node's network configuration. Bridges are left out silently for tokens without SDN.Audit (or SDN.Use) on the zone
 * that local bridges count to; that is told as hidden.
 *
 * Source: GET /nodes/{node}/network (any user).
 */
export async function readNodeNetwork(call: Call, node: string): Promise<Reading<NodeNetwork>> {
  const [got, coverage] = await Promise.all([call.get('/nodes/{node}/network', { node }), bridgeCoverage(call)]);
  return { data: { interfaces: parseInterfaces(got.data), pending: parsePendingNetwork(got.changes) }, ...coverage };
}

const LOCAL_ZONE = '/sdn/zones/localnetwork';

async function bridgeCoverage(call: Call): Promise<Gaps> {
  // Before 8.0 bridges were shown to everybody.
  if (!atLeast(await call.release(), '8.0')) return NO_GAPS;
  const gaps = await call.rights.over({ privilege: 'SDN.Audit', under: LOCAL_ZONE, what: 'bridges' });
  if (gaps.hidden.some((h) => h.path === LOCAL_ZONE) && (await call.rights.has('SDN.Use', LOCAL_ZONE))) return NO_GAPS;
  return gaps;
}

export function parseInterfaces(data: unknown): readonly NodeInterface[] {
  return listOf(data, 'network interfaces')
    .flatMap((row) => {
      const name = cleaned(row['iface']);
      return name === undefined ? [] : [parseInterface(row, name)];
    })
    .sort((a, b) => byText(a.name, b.name));
}

function parseInterface(row: Raw, name: string): NodeInterface {
  const type = cleaned(row['type']) ?? 'unknown';
  return {
    name,
    type,
    active: boolOf(row['active']) ?? false,
    autostart: boolOf(row['autostart']) ?? false,
    exists: boolOf(row['exists']),
    method: cleaned(row['method']),
    method6: cleaned(row['method6']),
    addresses: [address(row, ''), address(row, '6')].filter((a) => a !== undefined),
    gateways: [cleaned(row['gateway']), cleaned(row['gateway6'])].filter((g) => g !== undefined),
    ports: words(row['bridge_ports'] ?? row['slaves'] ?? row['ovs_ports'] ?? row['ovs_bonds']),
    bridge: cleaned(row['ovs_bridge']),
    bond: bondText(row),
    vlanId: intOf(row['vlan-id']) ?? intOf(ovsTag(row)) ?? intOf(vlanSuffix(name, type)),
    vlanDevice: cleaned(row['vlan-raw-device']),
    vlanAware: type === 'bridge' ? (boolOf(row['bridge_vlan_aware']) ?? false) : undefined,
    vids: cleaned(row['bridge_vids']),
    mtu: intOf(row['mtu']),
    comment: comment(row),
    options: [...lines(row['options']), ...lines(row['options6']), ...lines(row['ovs_options'])],
    altNames: lines(row['altnames']),
  };
}

/** `10.0.0.11/24`; older releases leave it to the reader to put address and mask together. */
function address(row: Raw, family: '' | '6'): string | undefined {
  const whole = cleaned(row[`cidr${family}`]);
  if (whole !== undefined) return whole;
  const bare = cleaned(row[`address${family}`]);
  const mask = cleaned(row[`netmask${family}`]);
  return bare === undefined || mask === undefined || bare.includes('/') ? bare : `${bare}/${mask}`;
}

/** Open vSwitch ports carry their VLAN among the options: `tag=77`. */
function ovsTag(row: Raw): string | undefined {
  return textOf(row['ovs_tag']) ?? /(?:^|[\s,])tag=(\d{1,4})\b/.exec(lines(row['ovs_options']).join(' '))?.[1];
}

/** A VLAN named `eno1.50` carries its id in the name. */
function vlanSuffix(name: string, type: string): string | undefined {
  return type === 'vlan' ? /\.(\d{1,4})$/.exec(name)?.[1] : undefined;
}

function bondText(row: Raw): string | undefined {
  const mode = cleaned(row['bond_mode']);
  if (mode === undefined) return undefined;
  const extras = [cleaned(row['bond_xmit_hash_policy']), prefixed('primary ', cleaned(row['bond-primary']))];
  return [mode, ...extras.filter((e) => e !== undefined)].join(', ');
}

function prefixed(prefix: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : `${prefix}${text}`;
}

/** Comments are prose of people, so they are scrubbed like it. */
function comment(row: Raw): string | undefined {
  const text = [textOf(row['comments']), textOf(row['comments6'])].filter((c) => c !== undefined).join(' ');
  return text.trim() === '' ? undefined : oneLine(scrubFreeText(text).text, 160);
}

function words(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((v) => cleaned(v) ?? []);
  // `none` is the way to write a bridge without ports.
  return (cleaned(value) ?? '').split(/[\s,;]+/).filter((word) => word !== '' && word !== 'none');
}

function lines(value: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.flatMap((line) => cleaned(line) ?? []);
}

/** Counts the lines of a unified diff that are added and removed. */
export function parsePendingNetwork(diff: string | undefined): PendingNetwork | undefined {
  if (diff === undefined || diff.trim() === '') return undefined;
  let added = 0;
  let removed = 0;
  for (const line of diff.split('\n')) {
    if (line.startsWith('+') && !line.startsWith('+++ ')) added += 1;
    else if (line.startsWith('-') && !line.startsWith('--- ')) removed += 1;
  }
  return { added, removed, diff };
}
