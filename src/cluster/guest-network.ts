import { isIP } from 'node:net';
import type { Call } from '../api/call.ts';
import { ApiError } from '../api/errors.ts';
import { byText, listOf, numberOf, rowsOf, textOf } from '../api/lenient.ts';
import { attempt, type Gaps, NO_GAPS, type Reading, withGaps } from '../api/reading.ts';
import { cleanText } from '../redact/plain-text.ts';
import { type GuestInterface, mayAskAgent, readAgentInterfaces } from './agent.ts';
import { agentEnabled, type GuestConfig, readGuestConfig } from './guest-config.ts';
import { type GuestNic, normalMac } from './guest-nics.ts';
import type { Guest } from './inventory.ts';

/** Where an address is known from: the guest agent, the container's namespace, or only the configuration. */
export type AddressSource = 'agent' | 'lxc-interfaces' | 'config';

export interface GuestAddress {
  /** `192.0.2.10/24`; without a prefix where none is told. */
  readonly address: string;
  /** Name in the guest; undefined for an address that only the configuration knows of a machine. */
  readonly interface: string | undefined;
  /** `net0`, by hardware address; undefined for interfaces that the guest made itself (bridges, tunnels). */
  readonly nic: string | undefined;
  readonly mac: string | undefined;
  readonly source: AddressSource;
}

export interface GuestNetwork {
  /** Those of the guest's own interfaces first. */
  readonly addresses: readonly GuestAddress[];
  readonly nics: readonly GuestNic[];
  /** False when the configuration could not be read: which interface is which is then not known. */
  readonly nicsKnown: boolean;
  /** Where the live addresses came from; undefined when only the configuration could be asked. */
  readonly liveSource: AddressSource | undefined;
  /** Loopback and link-local addresses that were left out. */
  readonly leftOut: number;
}

/** Addresses told by the guest itself. */
export interface LiveInterfaces {
  readonly source: AddressSource;
  readonly interfaces: readonly GuestInterface[];
}

/**
 * A guest's addresses: from the agent of a running machine, from the namespace of a running container, and from the
 * configuration, each with its source. One source that fails costs its own problem only; one that cannot be asked makes
 * the coverage unknown.
 *
 * Source: GET .../config?current=1, .../agent/network-get-interfaces, .../lxc/{vmid}/interfaces (8.1 and later).
 */
export async function readGuestNetwork(call: Call, guest: Guest): Promise<Reading<GuestNetwork>> {
  const where = { node: guest.node, vmid: guest.vmid };
  const configRead = attempt(where, () => readGuestConfig(call, guest, { current: true }));
  const liveRead =
    guest.type === 'lxc'
      ? readLiveOfContainer(call, guest)
      : configRead.then((config) => readLiveOfMachine(call, guest, config.data));
  const [config, live] = await Promise.all([configRead, liveRead]);
  const network = assembleNetwork(config.data?.nics, live.data);
  return withGaps(network, config, live);
}

/** Addresses that a running container has. Needs no agent. */
export async function readLiveOfContainer(call: Call, guest: Guest): Promise<Reading<LiveInterfaces | undefined>> {
  if (guest.status !== 'running') return { data: undefined, ...notLive(guest) };
  return attempt({ node: guest.node, vmid: guest.vmid }, async () => ({
    source: 'lxc-interfaces' as const,
    interfaces: await readLxcInterfaces(call, guest),
  }));
}

/** Addresses that the agent of a running machine tells; it is only asked when it is enabled. */
export async function readLiveOfMachine(
  call: Call,
  guest: Guest,
  config: GuestConfig | undefined,
): Promise<Reading<LiveInterfaces | undefined>> {
  const enabled = agentEnabled(config?.values.get('agent'));
  if (!mayAskAgent(guest, enabled)) return { data: undefined, ...(config === undefined ? NO_GAPS : notLive(guest)) };
  return attempt({ node: guest.node, vmid: guest.vmid }, async () => ({
    source: 'agent' as const,
    interfaces: await readAgentInterfaces(call, guest),
  }));
}

/** Why the guest itself can't be asked: nothing failed, but what it would say is not known. */
export function notLive(guest: Guest): Gaps {
  const running = guest.status === 'running';
  const why = running
    ? 'the guest agent is not enabled, so only configured addresses are known'
    : `the guest does not run (${guest.status}), so only configured addresses are known`;
  return { problems: [], coverage: 'unknown', hidden: [], why };
}

async function readLxcInterfaces(call: Call, guest: Guest): Promise<readonly GuestInterface[]> {
  const { data } = await call.get('/nodes/{node}/lxc/{vmid}/interfaces', { node: guest.node, vmid: guest.vmid });
  if (data === null)
    throw new ApiError('not-configured', `Container ${guest.vmid} has no network namespace: it does not run any more.`);
  return parseLxcInterfaces(data);
}

/** Up to 8.3 one `inet` and one `inet6` an interface; from 8.4 on `ip-addresses` holds all of them. */
export function parseLxcInterfaces(data: unknown): readonly GuestInterface[] {
  return listOf(data, "the container's interfaces").flatMap((row) => {
    const name = textOf(row['name']);
    if (name === undefined) return [];
    const listed = rowsOf(row['ip-addresses']).flatMap((address) => {
      const ip = textOf(address['ip-address']);
      return ip === undefined ? [] : [{ ip: cleanText(ip), prefix: numberOf(address['prefix']) }];
    });
    const single = [textOf(row['inet']), textOf(row['inet6'])].flatMap((cidr) => {
      const [ip, prefix] = (cidr ?? '').split('/');
      return ip === undefined || ip === '' ? [] : [{ ip: cleanText(ip), prefix: numberOf(prefix) }];
    });
    return [
      {
        name: cleanText(name),
        mac: normalMac(row['hardware-address'] ?? row['hwaddr']),
        addresses: listed.length > 0 ? listed : single,
      },
    ];
  });
}

/** Matches live interfaces with the configured ones by hardware address, and adds what only the configuration knows. */
export function assembleNetwork(configured: readonly GuestNic[] | undefined, live: LiveInterfaces | undefined): GuestNetwork {
  const nics = configured ?? [];
  const byMac = new Map(nics.flatMap((nic) => (nic.mac === undefined ? [] : [[nic.mac, nic.key] as const])));
  const byName = new Map(nics.flatMap((nic) => (nic.name === undefined ? [] : [[nic.name, nic.key] as const])));
  const addresses: GuestAddress[] = [];
  const seen = new Set<string>();
  let leftOut = 0;
  for (const found of live?.interfaces ?? []) {
    for (const { ip, prefix } of found.addresses) {
      if (isLocal(ip)) {
        leftOut += 1;
        continue;
      }
      seen.add(plain(ip));
      // A container sees its interface under the configured name even where its hardware address differs.
      const nic = (found.mac === undefined ? undefined : byMac.get(found.mac)) ?? byName.get(found.name);
      addresses.push({
        address: prefix === undefined ? ip : `${ip}/${prefix}`,
        interface: found.name,
        nic,
        mac: found.mac,
        source: live?.source ?? 'config',
      });
    }
  }
  for (const nic of nics) {
    for (const address of [nic.ip, nic.ip6]) {
      const ip = address?.split('/')[0];
      if (address === undefined || ip === undefined || isIP(plain(ip)) === 0 || seen.has(plain(ip))) continue;
      addresses.push({ address, interface: nic.name, nic: nic.key, mac: nic.mac, source: 'config' });
    }
  }
  addresses.sort(
    (a, b) =>
      Number(a.nic === undefined) - Number(b.nic === undefined) ||
      byText(a.nic, b.nic) ||
      isIP(ipOf(a)) - isIP(ipOf(b)) ||
      byText(a.address, b.address),
  );
  return { addresses, nics, nicsKnown: configured !== undefined, liveSource: live?.source, leftOut };
}

function ipOf(address: GuestAddress): string {
  return plain(address.address.split('/')[0] ?? '');
}

/** Without a zone, in lower case. */
function plain(ip: string): string {
  return ip.replace(/%.*$/, '').toLowerCase();
}

/** Loopback and link-local: every machine has them, and nobody reaches it there. */
function isLocal(ip: string): boolean {
  const address = plain(ip);
  return /^127\.|^169\.254\./.test(address) || address === '::1' || /^fe[89ab][0-9a-f]:/.test(address);
}

/** What the live and the configured addresses say about each other, in sentences. */
export function networkNotes(network: GuestNetwork, guest: Guest): readonly string[] {
  const notes: string[] = [];
  const drift = network.addresses.filter((a) => a.source === 'config');
  if (network.liveSource !== undefined && drift.length > 0) {
    notes.push(`Configured but not seen in the guest: ${drift.map((a) => `${a.address} (${a.nic})`).join(', ')}.`);
  }
  const foreign = new Set(
    network.addresses.flatMap((a) => (a.nic === undefined && a.interface !== undefined ? [a.interface] : [])),
  );
  if (network.nicsKnown && foreign.size > 0)
    notes.push(`Made by the guest itself, no interface of its configuration: ${[...foreign].join(', ')}.`);
  const dynamic = network.nics.filter((nic) => nic.ip === 'dhcp' && !network.addresses.some((a) => a.nic === nic.key));
  if (dynamic.length > 0) {
    const names = dynamic.map((nic) => nic.key).join(', ');
    notes.push(
      network.liveSource === undefined
        ? `${names}: by DHCP; the address is not known to the host${guest.status === 'running' ? '' : ' while the guest is not running'}.`
        : `${names}: by DHCP, without an address now.`,
    );
  }
  if (network.leftOut > 0) notes.push(`${network.leftOut} loopback and link-local addresses left out.`);
  return notes;
}
