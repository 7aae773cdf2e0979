import { isIP } from 'node:net';

export type Family = 4 | 6;

/** Addresses from `low` to `high`, both included. */
export interface IpRange {
  readonly family: Family;
  readonly low: bigint;
  readonly high: bigint;
}

const BITS: Readonly<Record<Family, number>> = { 4: 32, 6: 128 };

/** `192.0.2.1`, `192.0.2.0/24`, `192.0.2.1-192.0.2.9`, IPv6 likewise; undefined for anything else. */
export function parseIpRange(text: string): IpRange | undefined {
  const given = text.trim();
  const dash = given.indexOf('-');
  if (dash > 0) {
    const low = parseAddress(given.slice(0, dash));
    const high = parseAddress(given.slice(dash + 1));
    if (low === undefined || high === undefined || low.family !== high.family || low.value > high.value) return undefined;
    return { family: low.family, low: low.value, high: high.value };
  }
  const [ip = '', prefix, ...more] = given.split('/');
  const address = parseAddress(ip);
  if (address === undefined || more.length > 0) return undefined;
  const bits = BITS[address.family];
  if (prefix !== undefined && !/^\d{1,3}$/.test(prefix)) return undefined;
  const length = prefix === undefined ? bits : Number(prefix);
  if (length > bits) return undefined;
  const size = 1n << BigInt(bits - length);
  const low = (address.value / size) * size;
  return { family: address.family, low, high: low + size - 1n };
}

function parseAddress(text: string): { readonly family: Family; readonly value: bigint } | undefined {
  // A zone (`fe80::1%eth0`) says nothing about the address.
  const ip = text.trim().replace(/%.*$/, '');
  const family = isIP(ip);
  if (family === 4) return { family, value: ip.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n) };
  if (family !== 6) return undefined;
  const mapped = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(ip);
  const [, head = '', a = '0', b = '0', c = '0', d = '0'] = mapped ?? [];
  const hex = (high: string, low: string): string => (Number(high) * 256 + Number(low)).toString(16);
  const plain = mapped === null ? ip : `${head}${hex(a, b)}:${hex(c, d)}`;
  const [left = '', right] = plain.split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const before = groups(left);
  const after = groups(right ?? '');
  const filled =
    right === undefined ? before : [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
  return { family, value: filled.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n) };
}

/** Where addresses lie with regard to others. */
export type Relation = 'inside' | 'outside' | 'partly';

export function relationOf(addresses: IpRange, target: IpRange): Relation {
  if (addresses.family !== target.family || addresses.high < target.low || addresses.low > target.high) return 'outside';
  return addresses.low >= target.low && addresses.high <= target.high ? 'inside' : 'partly';
}

/** With regard to several targets together: inside one of them is inside. */
export function relationToAny(addresses: IpRange, targets: readonly IpRange[]): Relation {
  const relations = targets.map((target) => relationOf(addresses, target));
  if (relations.includes('inside')) return 'inside';
  return relations.includes('partly') ? 'partly' : 'outside';
}

/** An entry of an IP set. */
export interface SetEntry {
  readonly range: IpRange;
  /** Cut out of the larger entries around it. */
  readonly nomatch: boolean;
}

/** With regard to an IP set: the smallest entry around an address decides. */
export function relationToSet(addresses: IpRange, entries: readonly SetEntry[]): Relation {
  const size = (entry: SetEntry): bigint => entry.range.high - entry.range.low;
  const smallestFirst = [...entries].sort((a, b) =>
    size(a) < size(b) ? -1 : size(a) > size(b) ? 1 : Number(b.nomatch) - Number(a.nomatch),
  );
  let touched = false;
  for (const { range, nomatch } of smallestFirst) {
    const relation = relationOf(addresses, range);
    if (relation === 'outside') continue;
    if (relation === 'inside') return touched ? 'partly' : nomatch ? 'outside' : 'inside';
    touched = true;
  }
  return touched ? 'partly' : 'outside';
}
