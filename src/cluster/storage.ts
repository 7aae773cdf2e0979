import type { Call } from '../api/call.ts';
import { boolOf, byText, commaList, isRaw, listOf, propertiesOf, type Raw, textOf } from '../api/lenient.ts';
import type { Reading } from '../api/reading.ts';
import { cleanText } from '../redact/plain-text.ts';
import { type Inventory, onlineNodes, type StorageRow, storageCoverage } from './inventory.ts';

/** A storage as the cluster's configuration defines it. */
export interface StorageDefinition {
  readonly storage: string;
  readonly plugin: string;
  readonly content: readonly string[];
  /** Nodes it is limited to; empty means all. */
  readonly nodes: readonly string[];
  readonly enabled: boolean;
  readonly shared: boolean;
  /** Where it is: path, export, pool, datastore, target, ... in the plugin's own words; no secrets. */
  readonly place: string | undefined;
  /** Retention of backups, e.g. `keep-last=3`. */
  readonly retention: string | undefined;
  /** PBS namespace: other namespaces of the datastore are not visible through this storage. */
  readonly namespace: string | undefined;
  readonly vgname: string | undefined;
  readonly thinpool: string | undefined;
}

/** Plugins that are shared by nature, whether the configuration says so or not. */
const ALWAYS_SHARED = new Set(['nfs', 'cifs', 'cephfs', 'rbd', 'pbs', 'iscsi', 'iscsidirect', 'glusterfs', 'esxi', 'zfs']);

/**
 * The storages that the configuration defines (those the token may see). Needs no node and no storage to be up.
 *
 * Source: GET /storage.
 */
export async function readStorageDefinitions(call: Call): Promise<Reading<readonly StorageDefinition[]>> {
  const [{ data }, coverage] = await Promise.all([call.get('/storage', {}), storageCoverage(call)]);
  return { data: parseStorageDefinitions(data), ...coverage };
}

export function parseStorageDefinitions(data: unknown): readonly StorageDefinition[] {
  return listOf(data, 'storage definitions')
    .flatMap((row) => {
      const storage = textOf(row['storage']);
      if (storage === undefined) return [];
      const plugin = textOf(row['type']) ?? 'unknown';
      return [
        {
          storage,
          plugin,
          content: [...commaList(row['content'])].sort(byText),
          nodes: [...commaList(row['nodes'])].sort(byText),
          enabled: boolOf(row['disable']) !== true,
          shared: boolOf(row['shared']) ?? ALWAYS_SHARED.has(plugin),
          place: placeOf(row),
          retention: retentionText(row['prune-backups']),
          namespace: textOf(row['namespace']),
          vgname: textOf(row['vgname']),
          thinpool: textOf(row['thinpool']),
        },
      ];
    })
    .sort((a, b) => byText(a.storage, b.storage));
}

function placeOf(row: Raw): string | undefined {
  const server = textOf(row['server']) ?? textOf(row['portal']) ?? textOf(row['monhost']);
  const inner = ['export', 'share', 'datastore', 'target', 'path', 'thinpool', 'pool', 'vgname', 'fs-name']
    .map((key) => textOf(row[key]))
    .find((v) => v !== undefined);
  const place = [server, inner].filter((part) => part !== undefined).join(':');
  return place === '' ? undefined : cleanText(place);
}

/** Retention as text; it arrives as a property string or as an object. */
export function retentionText(value: unknown): string | undefined {
  if (isRaw(value)) {
    const parts = Object.entries(value).flatMap(([key, v]) => (textOf(v) === undefined ? [] : [`${key}=${textOf(v)}`]));
    return parts.length === 0 ? undefined : parts.sort(byText).join(',');
  }
  const parts = [...propertiesOf(value)].map(([key, v]) => `${key}=${v}`);
  return parts.length === 0 ? undefined : parts.sort(byText).join(',');
}

/** A storage as an administrator counts it: a shared one once, a local one for each node. */
export interface Storage {
  readonly storage: string;
  readonly plugin: string;
  readonly shared: boolean;
  /** Nodes that have it: all of a shared one, the one node of a local one. */
  readonly nodes: readonly string[];
  /**
   * - `available`
   * - `inactive`: enabled, but its node is up and can't reach it
   * - `disabled`: switched off in the configuration
   * - `unknown`: all its nodes are offline, or its state is hidden from this token
   */
  readonly state: 'available' | 'inactive' | 'disabled' | 'unknown';
  /** Online nodes of a shared storage that can't reach it although others can. */
  readonly unreachableFrom: readonly string[];
  readonly content: readonly string[];
  /** Bytes. */
  readonly used: number | undefined;
  readonly total: number | undefined;
  readonly place: string | undefined;
  readonly retention: string | undefined;
  readonly namespace: string | undefined;
}

/** Puts live rows and definitions together; a definition without rows (disabled) is a storage, too. */
export function mergeStorages(inventory: Inventory, definitions: readonly StorageDefinition[]): readonly Storage[] {
  const online = new Set(onlineNodes(inventory));
  const defined = new Map(definitions.map((d) => [d.storage, d]));
  const groups = new Map<string, StorageRow[]>();
  for (const row of inventory.storages) {
    const key = row.shared || defined.get(row.storage)?.shared === true ? row.storage : `${row.storage}\n${row.node}`;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const storages: Storage[] = [];
  const seen = new Set<string>();
  for (const rows of groups.values()) {
    const [first] = rows;
    if (first === undefined) continue;
    seen.add(first.storage);
    storages.push(mergeRows(rows, first, defined.get(first.storage), online));
  }
  for (const d of definitions) {
    if (seen.has(d.storage)) continue;
    const nodes = d.nodes.length > 0 ? d.nodes : inventory.nodes.map((n) => n.node);
    // An enabled one has a row for each of its nodes, unless its figures are hidden from this token.
    storages.push({
      ...d,
      nodes,
      state: d.enabled ? 'unknown' : 'disabled',
      unreachableFrom: [],
      used: undefined,
      total: undefined,
    });
  }
  return storages.sort((a, b) => byText(a.storage, b.storage) || byText(a.nodes[0], b.nodes[0]));
}

function mergeRows(
  rows: readonly StorageRow[],
  first: StorageRow,
  definition: StorageDefinition | undefined,
  online: ReadonlySet<string>,
): Storage {
  const up = rows.filter((r) => online.has(r.node));
  const good = up.filter((r) => r.status === 'available');
  const best = good.find((r) => r.total !== undefined) ?? good[0];
  const state =
    definition?.enabled === false ? 'disabled' : good.length > 0 ? 'available' : up.length > 0 ? 'inactive' : 'unknown';
  return {
    storage: first.storage,
    plugin: definition?.plugin ?? first.plugin ?? 'unknown',
    shared: first.shared || definition?.shared === true,
    nodes: rows.map((r) => r.node),
    state,
    unreachableFrom: state === 'available' ? up.filter((r) => r.status !== 'available').map((r) => r.node) : [],
    content: definition?.content ?? first.content,
    used: best?.used,
    total: best?.total,
    place: definition?.place,
    retention: definition?.retention,
    namespace: definition?.namespace,
  };
}
