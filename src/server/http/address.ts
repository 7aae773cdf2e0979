import { BlockList, isIP } from 'node:net';
import type { Parsed } from '../../config/parsed.ts';

/** Where to listen. */
export interface ListenAddress {
  /** Name or address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
}

const ACCEPTS = 'host:port, a host or a port, for example 127.0.0.1:8765 or [::1]:8765';
const HOST_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/;

/** `host:port`, `host`, `:port`, `port` or empty; what is missing comes from the default. Port 0 is any free one. */
export function parseListenAddress(text: string, fallback: ListenAddress): Parsed<ListenAddress> {
  const wrong: Parsed<ListenAddress> = { fault: { what: 'is not an address to listen on', accepts: ACCEPTS } };
  if (text === '') return { value: fallback };
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^[\]:]*))(?::(\d{1,5}))?$/.exec(text);
  // A bare IPv6 address has no port behind it.
  if (match === null) return isIP(text) === 6 ? { value: { host: text, port: fallback.port } } : wrong;
  const [, bracketed, plain = '', digits] = match;
  if (bracketed === undefined && digits === undefined && /^\d{1,5}$/.test(plain)) return withPort(fallback.host, plain);
  const host = bracketed ?? (plain === '' ? fallback.host : plain);
  if (bracketed !== undefined ? isIP(bracketed) !== 6 : !HOST_NAME.test(host)) return wrong;
  return digits === undefined ? { value: { host, port: fallback.port } } : withPort(host, digits);
}

function withPort(host: string, digits: string): Parsed<ListenAddress> {
  const port = Number(digits);
  return port <= 65_535 ? { value: { host, port } } : { fault: { what: 'has a port beyond 65535', accepts: ACCEPTS } };
}

/** Whether only this machine can reach an address: `localhost`, 127.0.0.0/8, `::1`. */
export function isLoopback(host: string): boolean {
  const plain = host.toLowerCase();
  return plain === 'localhost' || plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'));
}

/** Whether an address stands for every interface, so that it is no name a client could ask for. */
export function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::' || host === '';
}

/** A host as it stands in a URL. */
export function urlHost(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

/** Addresses and networks (`10.0.0.5`, `10.0.0.0/24`, `fd00::/8`) whose connections are believed. */
export function parsePeers(texts: readonly string[]): Parsed<BlockList> {
  const peers = new BlockList();
  for (const text of texts) {
    const [address = '', bits] = text.split('/');
    const version = isIP(address);
    const longest = version === 4 ? 32 : 128;
    const length = bits === undefined ? longest : Number(bits);
    if (version === 0 || (bits !== undefined && (!/^\d{1,3}$/.test(bits) || length > longest))) {
      return { fault: { what: 'is not an address or a network', accepts: '10.0.0.5, 10.0.0.0/24 or fd00::/8' } };
    }
    peers.addSubnet(address, length, version === 4 ? 'ipv4' : 'ipv6');
  }
  return { value: peers };
}

/** The address of a connection; that of IPv4 may arrive in IPv6 clothes. */
export function plainAddress(remote: string): string {
  return remote.replace(/^::ffff:(?=\d+\.)/i, '');
}

/** Whom an address belongs to, for counting: one machine has one IPv4 address, but takes what it likes of its IPv6 /64. */
export function ownerOf(remote: string): string {
  const address = plainAddress(remote);
  if (isIP(address) !== 6) return address;
  const [before = '', behind = ''] = address.replace(/%.*/, '').split('::');
  const groups = before.split(':').filter((group) => group !== '');
  const rest = behind.split(':').filter((group) => group !== '');
  const zeros = Array<string>(Math.max(0, 8 - groups.length - rest.length)).fill('0');
  return `${[...groups, ...zeros, ...rest].slice(0, 4).join(':')}::/64`;
}

/** Whether a connection comes from one of these. */
export function isPeer(peers: BlockList, remote: string | undefined): boolean {
  if (remote === undefined) return false;
  const address = plainAddress(remote);
  const version = isIP(address);
  return version !== 0 && peers.check(address, version === 4 ? 'ipv4' : 'ipv6');
}
