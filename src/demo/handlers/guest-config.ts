import { DemoHttpError, type HandlerRequest } from '../types.ts';
import { digestOf } from '../world/digests.ts';
import type { ConfigValue, DemoGuest, DemoSnapshot, GuestConfig, PendingChange } from '../world/types.ts';
import { demand, isSet } from './answers.ts';
import { unordered } from './guest-lookup.ts';
import type { Row } from './resource-rows.ts';

/** What the API shows instead of a cloud-init password. */
export const MASK = '**********';

export type Config = Record<string, ConfigValue>;

/** What an answer shows of a value; undefined leaves the key out. */
type ValueRule = (key: string, value: ConfigValue) => ConfigValue | undefined;

/** Configuration with pending changes laid over it. */
export function withChanges(config: GuestConfig, changes: ReadonlyMap<string, PendingChange>): Config {
  const result: Config = { ...config };
  for (const [key, change] of changes) {
    if (change.delete !== undefined) delete result[key];
    if (change.pending !== undefined) result[key] = change.pending;
  }
  return result;
}

/** A snapshot by name; `current` is no snapshot. */
export function snapshotOf(guest: DemoGuest, name: string): DemoSnapshot {
  const found = guest.detail.snapshots.find((snapshot) => snapshot.name === name);
  if (found) return found;
  throw new DemoHttpError(500, `snapshot '${name}' does not exist`);
}

/** What a question for /config means: with pending changes applied, `current=1` without them, `snapshot=` of a snapshot. */
export function askedConfig(request: HandlerRequest, guest: DemoGuest): GuestConfig {
  const { config, changes } = guest.detail;
  const { snapshot } = request.query;
  if (snapshot !== undefined) return snapshotSection(snapshotOf(guest, snapshot));
  return isSet(request, 'current') ? config : withChanges(config, changes);
}

/** The section of a snapshot in the guest's file: its configuration and the snapshot's own keys. */
export function snapshotSection(snapshot: DemoSnapshot): Config {
  return {
    ...snapshot.config,
    snaptime: snapshot.snaptime,
    ...(snapshot.parent === undefined ? {} : { parent: snapshot.parent }),
    ...(snapshot.description === undefined || snapshot.description === '' ? {} : { description: snapshot.description }),
    ...(snapshot.snapstate === undefined ? {} : { snapstate: snapshot.snapstate }),
  };
}

/** SHA-1 of the guest's file. */
export function configDigest(guest: DemoGuest): string {
  const { config, snapshots } = guest.detail;
  return digestOf(Object.keys(config).length === 0 ? '' : [config, snapshots]);
}

/** Values of a VM's configuration in the type the release gives them, without those that it does not know. */
export function vmValues(request: HandlerRequest): ValueRule {
  return (key, value) => {
    if (key === 'cipassword') return MASK;
    if (key === 'memory' && request.release === '7.4') return Number(/\d+/.exec(String(value))?.[0] ?? 512);
    if (request.release === '7.4' && /^(ciupgrade|virtiofs\d|amd-sev)$/.test(key)) return undefined;
    // Tags with letters beyond ASCII fail the parser's format and the line is dropped.
    if (key === 'tags' && /[^\x20-\x7e]/.test(String(value))) return undefined;
    return value;
  };
}

/** A container's `env` needs VM.Config.Options; on the newest release even asking is refused (a bug of that build). */
export function demandEnv(request: HandlerRequest, guest: DemoGuest, config: GuestConfig): void {
  if (config.env !== undefined && request.release === '9.2.11') demand(request, `/vms/${guest.vmid}`, 'VM.Config.Options');
}

/** Values of a container's configuration; the OCI keys came with 9.1. */
export function containerValues(request: HandlerRequest): ValueRule {
  return (key, value) => ((key === 'env' || key === 'entrypoint') && request.release !== '9.2.11' ? undefined : value);
}

/** Applies a value rule to every key of a configuration. */
export function mapConfig(config: GuestConfig, rule: ValueRule): Row {
  const row: Row = {};
  for (const [key, value] of Object.entries(config)) {
    const shown = rule(key, value);
    if (shown !== undefined) row[key] = shown;
  }
  return row;
}

/**
 * Rows of /pending: every key once, with its running value, what will become of it, or both. The mask of a pending
 * password has a trailing blank. Lists of pairs are left out.
 */
export function pendingRows(config: GuestConfig, changes: ReadonlyMap<string, PendingChange>, rule: ValueRule): Row[] {
  const rows: Row[] = [];
  for (const key of new Set([...Object.keys(config), ...changes.keys()])) {
    const value = config[key];
    if (typeof value === 'object') continue;
    const change = changes.get(key);
    const row: Row = { key };
    if (value !== undefined) {
      const shown = rule(key, value);
      if (shown === undefined) continue;
      row.value = shown;
    }
    if (change?.pending !== undefined) row.pending = key === 'cipassword' ? `${MASK} ` : rule(key, change.pending);
    if (change?.delete !== undefined) row.delete = change.delete;
    rows.push(row);
  }
  return rows;
}

/** A guest's /pending, with the digest as one more row; `seed` mixes the rows. */
export function pendingList(guest: DemoGuest, rule: ValueRule, seed: number): Row[] {
  const rows = pendingRows(guest.detail.config, guest.detail.changes, rule);
  return unordered([...rows, { key: 'digest', value: configDigest(guest) }], seed);
}
