import type { Call } from '../api/call.ts';
import { ApiError, toApiError } from '../api/errors.ts';
import { boolOf, byText, commaList, intOf, listOf, numberOf, type Raw, rawOf, rowsOf, textOf } from '../api/lenient.ts';
import { oneLine } from '../redact/plain-text.ts';
import { lineOf } from './shown-text.ts';

/** Nodes that are asked in turn for a Ceph that the entry node does not have. */
const MAX_TRIED = 6;
/** When this many do not answer it is Ceph itself that hangs, and not one node. */
const MAX_SILENT = 2;

/** Something that Ceph's own health watch found. */
export interface CephCheck {
  /** `OSD_DOWN`, `PG_DEGRADED`, ... */
  readonly check: string;
  /** `HEALTH_WARN`, `HEALTH_ERR` */
  readonly severity: string;
  readonly summary: string;
  readonly details: readonly string[];
  readonly muted: boolean;
}

/** State of the whole Ceph cluster. Sizes in bytes, rates per second. */
export interface CephStatus {
  /** `HEALTH_OK`, `HEALTH_WARN`, `HEALTH_ERR` */
  readonly health: string;
  readonly checks: readonly CephCheck[];
  readonly fsid: string | undefined;
  readonly monitors: readonly string[];
  readonly inQuorum: readonly string[];
  readonly managerAvailable: boolean | undefined;
  readonly activeManager: string | undefined;
  readonly standbyManagers: number | undefined;
  /** File systems: MDS that are up, of how many there must be. */
  readonly mdsUp: number | undefined;
  readonly mdsMax: number | undefined;
  readonly mdsStandby: number | undefined;
  readonly osds: number | undefined;
  readonly osdsUp: number | undefined;
  readonly osdsIn: number | undefined;
  readonly groups: number | undefined;
  /** Placement groups by state, most first. */
  readonly groupStates: readonly { readonly state: string; readonly count: number }[];
  readonly used: number | undefined;
  readonly available: number | undefined;
  readonly total: number | undefined;
  readonly objects: number | undefined;
  /** Fraction of the copies that are missing. */
  readonly degraded: number | undefined;
  readonly misplaced: number | undefined;
  readonly readRate: number | undefined;
  readonly writeRate: number | undefined;
  readonly readOps: number | undefined;
  readonly writeOps: number | undefined;
  readonly recoveryRate: number | undefined;
}

export interface CephPool {
  readonly name: string;
  readonly id: number | undefined;
  readonly type: string | undefined;
  /** Copies that are kept, and below which there is no writing. */
  readonly size: number | undefined;
  readonly minSize: number | undefined;
  readonly groups: number | undefined;
  /** What the autoscaler wants. */
  readonly wantedGroups: number | undefined;
  readonly autoscale: string | undefined;
  readonly used: number | undefined;
  /** Fraction of what the pool could hold. */
  readonly usedShare: number | undefined;
  readonly rule: string | undefined;
  readonly applications: readonly string[];
}

/** Releases that daemons and nodes run. */
export interface CephVersion {
  /** `node`, `mon`, `mgr`, `mds`, `osd` */
  readonly kind: string;
  readonly version: string;
  readonly who: readonly string[];
}

export interface CephOsd {
  readonly id: number;
  readonly host: string | undefined;
  readonly deviceClass: string | undefined;
  readonly up: boolean | undefined;
  readonly in: boolean | undefined;
  readonly weight: number | undefined;
  /** 1: takes its full share; 0: none. */
  readonly reweight: number | undefined;
  readonly groups: number | undefined;
  readonly size: number | undefined;
  readonly used: number | undefined;
  readonly usedShare: number | undefined;
  /** Milliseconds. */
  readonly applyLatency: number | undefined;
  readonly commitLatency: number | undefined;
  readonly version: string | undefined;
}

export interface CephOsdTree {
  readonly osds: readonly CephOsd[];
  readonly flags: readonly string[];
}

/** `absent`: Ceph is not set up on any node that was asked. */
export type CephReading<T> = { readonly state: 'present'; readonly data: T; readonly notes: readonly string[] } | CephAbsent;

export interface CephAbsent {
  readonly state: 'absent';
  /** The API's words. */
  readonly why: string;
  /** Nodes that said so; empty when only the entry node was asked. */
  readonly asked: readonly string[];
}

/**
 * Health and figures of Ceph: from the entry node or else, when that has no Ceph, from the first online node that does.
 *
 * Source: GET /cluster/ceph/status, /nodes/{node}/ceph/status (Sys.Audit or Datastore.Audit on /).
 */
export async function readCephStatus(call: Call, online: readonly string[]): Promise<CephReading<CephStatus>> {
  try {
    return { state: 'present', data: parseCephStatus((await call.get('/cluster/ceph/status', {})).data), notes: [] };
  } catch (thrown) {
    const error = toApiError(thrown);
    if (!isAbsent(error)) throw error;
    return firstWithCeph(call, online, async (node) =>
      parseCephStatus((await call.get('/nodes/{node}/ceph/status', { node })).data),
    );
  }
}

/** The whole OSD tree, which any node with Ceph tells. Source: GET /nodes/{node}/ceph/osd. */
export function readCephOsds(call: Call, online: readonly string[]): Promise<CephReading<CephOsdTree>> {
  return firstWithCeph(call, online, async (node) => parseCephOsds((await call.get('/nodes/{node}/ceph/osd', { node })).data));
}

/** Pools with their use. Source: GET /nodes/{node}/ceph/pool. */
export function readCephPools(call: Call, online: readonly string[]): Promise<CephReading<readonly CephPool[]>> {
  return firstWithCeph(call, online, async (node) => parseCephPools((await call.get('/nodes/{node}/ceph/pool', { node })).data));
}

/** Flags that are set (`noout`, ...). Source: GET /cluster/ceph/flags (Sys.Audit on /). */
export async function readCephFlags(call: Call): Promise<readonly string[]> {
  return parseCephFlags((await call.get('/cluster/ceph/flags', {})).data);
}

/** Source: GET /cluster/ceph/metadata. */
export async function readCephVersions(call: Call): Promise<readonly CephVersion[]> {
  return parseCephVersions((await call.get('/cluster/ceph/metadata', {}, { scope: 'versions' })).data);
}

function isAbsent(error: ApiError): boolean {
  return error.kind === 'not-configured';
}

/**
 * Asks nodes in turn until one knows. A node without Ceph says so at once; one that does not answer costs its time-out,
 * and is told. Throws the first failure when none knew and not all said "no Ceph here".
 */
export async function firstWithCeph<T>(
  call: Call,
  nodes: readonly string[],
  read: (node: string) => Promise<T>,
): Promise<CephReading<T>> {
  const asked: string[] = [];
  const silent: string[] = [];
  let failure: ApiError | undefined;
  let why = 'Ceph is not set up here';
  for (const node of nodes.slice(0, MAX_TRIED)) {
    if (call.remaining() <= 0) {
      failure ??= new ApiError('timeout', `Not every node could be asked for Ceph in time: ${node} and those after it were not.`);
      break;
    }
    try {
      const data = await read(node);
      return { state: 'present', data, notes: silent.map((name) => `${name} did not answer; read from ${node}.`) };
    } catch (thrown) {
      const error = toApiError(thrown);
      if (error.kind === 'cancelled' || error.kind === 'forbidden' || error.kind === 'unauthenticated') throw error;
      if (isAbsent(error)) {
        asked.push(node);
        why = error.message;
      } else {
        silent.push(node);
        failure ??= error;
        if (silent.length >= MAX_SILENT) break;
      }
    }
  }
  if (failure !== undefined) throw failure;
  return { state: 'absent', why, asked };
}

export function parseCephStatus(data: unknown): CephStatus {
  const all = rawOf(data);
  const health = rawOf(all['health']);
  const monmap = rawOf(all['monmap']);
  const mgrmap = rawOf(all['mgrmap']);
  const fsmap = rawOf(all['fsmap']);
  // Releases before Octopus nest it once more.
  const outer = rawOf(all['osdmap']);
  const osdmap = outer['osdmap'] === undefined ? outer : rawOf(outer['osdmap']);
  const pgmap = rawOf(all['pgmap']);
  const names = commaList(all['quorum_names']);
  return {
    health: textOf(health['status']) ?? 'unknown',
    checks: parseChecks(health),
    fsid: textOf(all['fsid']),
    monitors: [...new Set([...rowsOf(monmap['mons']).flatMap((row) => textOf(row['name']) ?? []), ...names])].sort(byText),
    inQuorum: [...names].sort(byText),
    managerAvailable: boolOf(mgrmap['available']),
    activeManager: textOf(mgrmap['active_name']),
    standbyManagers: intOf(mgrmap['num_standbys']) ?? listLength(mgrmap['standbys']),
    mdsUp: intOf(fsmap['up']),
    mdsMax: intOf(fsmap['max']),
    mdsStandby: intOf(fsmap['up:standby']),
    osds: intOf(osdmap['num_osds']),
    osdsUp: intOf(osdmap['num_up_osds']),
    osdsIn: intOf(osdmap['num_in_osds']),
    groups: intOf(pgmap['num_pgs']),
    groupStates: rowsOf(pgmap['pgs_by_state'])
      .flatMap((row) => {
        const state = textOf(row['state_name']);
        const count = intOf(row['count']);
        return state === undefined || count === undefined || count === 0 ? [] : [{ state: oneLine(state, 80), count }];
      })
      .sort((a, b) => b.count - a.count || byText(a.state, b.state)),
    used: numberOf(pgmap['bytes_used']),
    available: numberOf(pgmap['bytes_avail']),
    total: numberOf(pgmap['bytes_total']),
    objects: intOf(pgmap['num_objects']),
    degraded: numberOf(pgmap['degraded_ratio']),
    misplaced: numberOf(pgmap['misplaced_ratio']),
    readRate: numberOf(pgmap['read_bytes_sec']),
    writeRate: numberOf(pgmap['write_bytes_sec']),
    readOps: numberOf(pgmap['read_op_per_sec']),
    writeOps: numberOf(pgmap['write_op_per_sec']),
    recoveryRate: numberOf(pgmap['recovering_bytes_per_sec']),
  };
}

function parseChecks(health: Raw): readonly CephCheck[] {
  const rank = (check: CephCheck) => (check.muted ? 2 : check.severity === 'HEALTH_ERR' ? 0 : 1);
  return Object.entries(rawOf(health['checks']))
    .map(([check, value]) => {
      const row = rawOf(value);
      return {
        check: oneLine(check, 60),
        severity: textOf(row['severity']) ?? 'unknown',
        summary: lineOf(textOf(rawOf(row['summary'])['message']) ?? ''),
        details: rowsOf(row['detail']).flatMap((d) => {
          const message = textOf(d['message']);
          return message === undefined ? [] : [lineOf(message)];
        }),
        muted: boolOf(row['muted']) ?? false,
      };
    })
    .sort((a, b) => rank(a) - rank(b) || byText(a.check, b.check));
}

export function parseCephPools(data: unknown): readonly CephPool[] {
  return listOf(data, 'Ceph pools')
    .flatMap((row): CephPool[] => {
      const name = textOf(row['pool_name']) ?? textOf(row['name']);
      if (name === undefined) return [];
      return [
        {
          name: oneLine(name, 80),
          id: intOf(row['pool']),
          type: textOf(row['type']),
          size: intOf(row['size']),
          minSize: intOf(row['min_size']),
          groups: intOf(row['pg_num']),
          wantedGroups: intOf(row['pg_num_final']),
          autoscale: textOf(row['pg_autoscale_mode']),
          used: numberOf(row['bytes_used']),
          usedShare: numberOf(row['percent_used']),
          rule: textOf(row['crush_rule_name']),
          applications: Object.keys(rawOf(row['application_metadata'])).sort(byText),
        },
      ];
    })
    .sort((a, b) => (b.usedShare ?? 0) - (a.usedShare ?? 0) || byText(a.name, b.name));
}

/** Names of the flags that are set. */
export function parseCephFlags(data: unknown): readonly string[] {
  return listOf(data, 'Ceph flags')
    .flatMap((row) => (boolOf(row['value']) === true ? (textOf(row['name']) ?? []) : []))
    .sort(byText);
}

/** Versions by kind of daemon; each with those that run it. */
export function parseCephVersions(data: unknown): readonly CephVersion[] {
  const found = new Map<string, { kind: string; version: string; who: string[] }>();
  const add = (kind: string, version: string | undefined, who: string) => {
    if (version === undefined) return;
    const key = `${kind} ${version}`;
    const entry = found.get(key) ?? { kind, version: oneLine(version, 40), who: [] };
    entry.who.push(oneLine(who, 60));
    found.set(key, entry);
  };
  const all = rawOf(data);
  for (const kind of ['mon', 'mgr', 'mds', 'node']) {
    for (const [id, value] of Object.entries(rawOf(all[kind]))) {
      const row = rawOf(value);
      const short = textOf(row['ceph_version_short']) ?? textOf(rawOf(row['version'])['str']);
      add(kind, short, textOf(row['name']) ?? id.split('@')[0] ?? id);
    }
  }
  // OSDs come as a list; one that is down has lost its metadata.
  for (const row of rowsOf(all['osd'])) {
    const id = intOf(row['id']);
    if (id !== undefined) add('osd', textOf(row['ceph_version_short']), `osd.${id}`);
  }
  return [...found.values()]
    .map((entry) => ({ ...entry, who: entry.who.sort(byText) }))
    .sort((a, b) => byText(a.kind, b.kind) || byText(b.version, a.version));
}

/** The tree of `/nodes/{node}/ceph/osd`, flattened. */
export function parseCephOsds(data: unknown): CephOsdTree {
  const all = rawOf(data);
  const osds: CephOsd[] = [];
  collect(all['root'], undefined, osds, 0);
  osds.sort((a, b) => a.id - b.id);
  return { osds, flags: commaList(all['flags']) };
}

const MAX_DEPTH = 12;

function collect(value: unknown, host: string | undefined, into: CephOsd[], depth: number): void {
  const row = rawOf(value);
  const name = textOf(row['name']);
  const type = textOf(row['type']);
  if (type === 'osd' || (boolOf(row['leaf']) === true && /^osd\.\d+$/.test(name ?? ''))) {
    const osd = osdOf(row, host);
    if (osd !== undefined) into.push(osd);
    return;
  }
  if (depth >= MAX_DEPTH) return;
  const below = type === 'host' ? name : host;
  for (const child of rowsOf(row['children'])) collect(child, below, into, depth + 1);
}

function osdOf(row: Raw, host: string | undefined): CephOsd | undefined {
  const id = intOf(row['id']) ?? intOf(textOf(row['name'])?.replace(/^osd\./, ''));
  if (id === undefined) return undefined;
  const status = textOf(row['status']);
  const size = numberOf(row['total_space']);
  const percent = numberOf(row['percent_used']);
  return {
    id,
    host: textOf(row['host']) ?? host,
    deviceClass: textOf(row['device_class']),
    up: status === undefined ? undefined : status === 'up',
    in: boolOf(row['in']),
    weight: numberOf(row['crush_weight']),
    reweight: numberOf(row['reweight']),
    groups: intOf(row['pgs']),
    size: size === 0 ? undefined : size,
    used: numberOf(row['bytes_used']),
    usedShare: percent === undefined ? undefined : percent / 100,
    applyLatency: numberOf(row['apply_latency_ms']),
    commitLatency: numberOf(row['commit_latency_ms']),
    version: textOf(row['ceph_version_short']),
  };
}

function listLength(value: unknown): number | undefined {
  return Array.isArray(value) ? value.length : undefined;
}
