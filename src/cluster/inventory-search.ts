import { isIP } from 'node:net';
import { byText } from '../api/lenient.ts';
import { oneLine } from '../redact/plain-text.ts';
import { scrubFreeText } from '../redact/scrub-text.ts';
import type { GuestConfig } from './guest-config.ts';
import type { Guest, Inventory } from './inventory.ts';

/** Something that a search found. Every source of findings (inventory, configurations, addresses) makes the same rows. */
export interface Finding {
  readonly kind: 'guest' | 'node' | 'storage' | 'pool' | 'network';
  /** vmid, or the object's name. */
  readonly id: string;
  readonly name: string | undefined;
  readonly node: string | undefined;
  readonly status: string | undefined;
  readonly pool: string | undefined;
  readonly tags: readonly string[];
  /** What matched: `name`, `vmid`, `tag db`, `net0: ...`. */
  readonly match: readonly string[];
  /** 0 for the very thing, 1 for a beginning, 2 for anything else: the order of the answer. */
  readonly rank: 0 | 1 | 2;
}

/** What is looked for, and what it looks like. */
export interface Search {
  /** Lower case. */
  readonly text: string;
  /** An address: found as a whole only, so that 10.0.0.1 is not found in 10.0.0.11. */
  readonly ip: boolean;
  /** Hexadecimal digits of a MAC address or of its beginning, whatever stands between them. */
  readonly mac: string | undefined;
  /** The text is such that it can stand in configurations only: an address, a volume. */
  readonly inConfigs: boolean;
}

const MAC = /^[0-9a-f]{2}(?:[:-][0-9a-f]{2}){2,5}$/;
const VOLUME = /^[a-z][\w.-]*:\S|(?:vm|base|subvol)-\d+-/;

export function parseSearch(query: string): Search {
  const text = query.trim().toLowerCase();
  const ip = isIP(text) !== 0;
  const mac = MAC.test(text) ? hexOf(text) : undefined;
  return { text, ip, mac, inConfigs: ip || mac !== undefined || VOLUME.test(text) || /^\d+\.\d+\.\d*/.test(text) };
}

function hexOf(text: string): string {
  return text.toLowerCase().replace(/[^0-9a-f]/g, '');
}

/** What is told of a guest that was found, whatever the way. */
export function foundGuest({ vmid, name, node, status, template, pool, tags }: Guest): Omit<Finding, 'match' | 'rank'> {
  return { kind: 'guest', id: String(vmid), name, node, status: template ? 'template' : status, pool, tags };
}

/** Findings in what one read of the cluster's shared memory tells: names, ids, tags, pools. */
export function searchInventory(inventory: Inventory, search: Search): readonly Finding[] {
  const { text } = search;
  const findings: Finding[] = [];
  const add = (
    base: Omit<Finding, 'match' | 'rank'>,
    fields: readonly (readonly [what: string, value: string | undefined])[],
  ) => {
    const hits = fields.filter(([, value]) => value?.toLowerCase().includes(text) === true);
    if (hits.length === 0) return;
    const ranks = hits.map(([, value]) => rankOf(value ?? '', text));
    findings.push({ ...base, match: hits.map(([what]) => what), rank: ranks.includes(0) ? 0 : ranks.includes(1) ? 1 : 2 });
  };
  for (const g of inventory.guests) {
    add(foundGuest(g), [
      ['name', g.name],
      ['vmid', String(g.vmid)],
      ['pool', g.pool],
      ...g.tags.map((tag) => [`tag ${tag}`, tag] as const),
    ]);
  }
  const bare = { name: undefined, pool: undefined, tags: [] };
  for (const n of inventory.nodes)
    add({ ...bare, kind: 'node', id: n.node, node: undefined, status: n.status }, [['name', n.node]]);
  for (const s of mergedStorages(inventory))
    add({ ...bare, kind: 'storage', id: s.storage, node: s.nodes, status: s.status }, [['name', s.storage]]);
  for (const pool of inventory.pools)
    add({ ...bare, kind: 'pool', id: pool, node: undefined, status: undefined }, [['name', pool]]);
  for (const [id, network] of mergedNetworks(inventory))
    add({ ...bare, kind: 'network', id, node: network.nodes, status: network.status }, [['name', id]]);
  return findings;
}

function rankOf(value: string, text: string): 0 | 1 | 2 {
  const lower = value.toLowerCase();
  return lower === text ? 0 : lower.startsWith(text) ? 1 : 2;
}

/** One row a storage, wherever it is. */
function mergedStorages(inventory: Inventory): readonly { storage: string; nodes: string; status: string }[] {
  const groups = new Map<string, { nodes: Set<string>; states: Set<string> }>();
  for (const row of inventory.storages) {
    const group = groups.get(row.storage) ?? { nodes: new Set(), states: new Set() };
    group.nodes.add(row.node);
    group.states.add(row.status);
    groups.set(row.storage, group);
  }
  return [...groups].map(([storage, { nodes, states }]) => ({
    storage,
    nodes: [...nodes].join(', '),
    status: states.size === 1 ? [...states].join() : 'differs by node',
  }));
}

function mergedNetworks(inventory: Inventory): ReadonlyMap<string, { nodes: string; status: string }> {
  const groups = new Map<string, { nodes: string[]; states: Set<string> }>();
  for (const row of inventory.networks) {
    const group = groups.get(row.id) ?? { nodes: [], states: new Set() };
    group.nodes.push(row.node);
    group.states.add(row.status);
    groups.set(row.id, group);
  }
  return new Map(
    [...groups].map(([id, { nodes, states }]) => [
      id,
      { nodes: nodes.join(', '), status: states.size === 1 ? [...states].join() : 'differs by node' },
    ]),
  );
}

/** Keys that the inventory has been searched for already, or that mean nothing to a person. */
const SKIPPED: ReadonlySet<string> = new Set(['name', 'hostname', 'tags', 'digest', 'meta', 'lock', 'parent']);
/** More than these are counted only. */
const MAX_MATCHES = 4;

/**
 * What of a guest's configuration matches, e.g. `net0: virtio=BC:24:11:..,bridge=vmbr0`; empty when nothing does. Of
 * notes it is only said that they match.
 */
export function searchConfig(config: GuestConfig, search: Search): readonly string[] {
  const hits: string[] = [];
  const lines = [...config.values, ...config.rawLines.map(({ key, value }) => [key, value] as const)];
  for (const [key, value] of lines) {
    if (!SKIPPED.has(key) && matches(value, search)) hits.push(`${key}: ${oneLine(value, 120)}`);
  }
  hits.sort(byText);
  if (config.notes !== undefined && matches(scrubFreeText(config.notes).text, search)) hits.push('notes');
  return hits.length <= MAX_MATCHES ? hits : [...hits.slice(0, MAX_MATCHES), `${hits.length - MAX_MATCHES} more`];
}

function matches(value: string, search: Search): boolean {
  const lower = value.toLowerCase();
  if (search.ip) return asWhole(lower, search.text);
  if (search.mac !== undefined) {
    const { mac } = search;
    const found = lower.match(/\b[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5}\b/g) ?? [];
    return found.some((address) => hexOf(address).startsWith(mac));
  }
  return lower.includes(search.text);
}

/** An address is whole where no digit, letter or separator goes on; a prefix length may follow. */
function asWhole(text: string, address: string): boolean {
  let at = text.indexOf(address);
  while (at >= 0) {
    const before = text.charAt(at - 1);
    const after = text.slice(at + address.length);
    if (!/[0-9a-f.:]/.test(before) && !/^[0-9a-f:]|^\.\d/.test(after)) return true;
    at = text.indexOf(address, at + 1);
  }
  return false;
}
