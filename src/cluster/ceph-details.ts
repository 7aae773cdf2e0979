import type { Call } from '../api/call.ts';
import { boolOf, byText, listOf, numberOf, rawOf, rowsOf, textOf } from '../api/lenient.ts';
import { attempt, mergeGaps, type Reading } from '../api/reading.ts';
import { oneLine } from '../redact/plain-text.ts';
import { type CephReading, firstWithCeph } from './ceph.ts';

/** A monitor, manager or metadata server. */
export interface CephDaemon {
  readonly kind: 'mon' | 'mgr' | 'mds';
  readonly name: string;
  readonly host: string | undefined;
  readonly address: string | undefined;
  /** `running`, `active`, `standby`, `up:active`, ... */
  readonly state: string | undefined;
  /** Of a monitor. */
  readonly inQuorum: boolean | undefined;
  /** That a metadata server serves. */
  readonly fileSystem: string | undefined;
}

/** The daemons that are no OSDs. Source: GET /nodes/{node}/ceph/mon, /mgr, /mds. */
export function readCephDaemons(call: Call, nodes: readonly string[]): Promise<CephReading<readonly CephDaemon[]>> {
  return firstWithCeph(call, nodes, async (node) => {
    const [mon, mgr, mds] = await Promise.all([
      call.get('/nodes/{node}/ceph/mon', { node }),
      call.get('/nodes/{node}/ceph/mgr', { node }),
      call.get('/nodes/{node}/ceph/mds', { node }),
    ]);
    return [...parseCephDaemons('mon', mon.data), ...parseCephDaemons('mgr', mgr.data), ...parseCephDaemons('mds', mds.data)];
  });
}

export function parseCephDaemons(kind: CephDaemon['kind'], data: unknown): readonly CephDaemon[] {
  return listOf(data, 'Ceph daemons')
    .flatMap((row): CephDaemon[] => {
      const name = short(row['name']);
      if (name === undefined) return [];
      return [
        {
          kind,
          name,
          host: short(row['host']),
          address: short(row['addr']),
          state: short(row['state']),
          inQuorum: kind === 'mon' ? boolOf(row['quorum']) : undefined,
          fileSystem: short(row['fs_name']),
        },
      ];
    })
    .sort((a, b) => byText(a.name, b.name));
}

export interface CephFileSystem {
  readonly name: string;
  readonly metadataPool: string | undefined;
  readonly dataPools: readonly string[];
}

/** Source: GET /nodes/{node}/ceph/fs. */
export function readCephFileSystems(call: Call, nodes: readonly string[]): Promise<CephReading<readonly CephFileSystem[]>> {
  return firstWithCeph(call, nodes, async (node) =>
    parseCephFileSystems((await call.get('/nodes/{node}/ceph/fs', { node })).data),
  );
}

/** Up to 8.x one data pool is told, later a list of them. */
export function parseCephFileSystems(data: unknown): readonly CephFileSystem[] {
  return listOf(data, 'Ceph file systems')
    .flatMap((row) => {
      const name = short(row['name']);
      if (name === undefined) return [];
      const many: readonly unknown[] = Array.isArray(row['data_pools']) ? row['data_pools'] : [row['data_pool']];
      return [{ name, metadataPool: short(row['metadata_pool']), dataPools: many.flatMap((pool) => short(pool) ?? []) }];
    })
    .sort((a, b) => byText(a.name, b.name));
}

/** Names of the placement rules. Source: GET /nodes/{node}/ceph/rules. */
export function readCephRules(call: Call, nodes: readonly string[]): Promise<CephReading<readonly string[]>> {
  return firstWithCeph(call, nodes, async (node) =>
    listOf((await call.get('/nodes/{node}/ceph/rules', { node })).data, 'CRUSH rules')
      .flatMap((row) => short(row['name']) ?? [])
      .sort(byText),
  );
}

/** The placement map as Ceph's tool writes it. Source: GET /nodes/{node}/ceph/crush. */
export function readCephCrush(call: Call, nodes: readonly string[]): Promise<CephReading<string>> {
  return firstWithCeph(call, nodes, async (node) => textOf((await call.get('/nodes/{node}/ceph/crush', { node })).data) ?? '');
}

/** A setting in the monitors' database; the file holds those that are needed to reach them. */
export interface CephSetting {
  readonly section: string;
  readonly name: string;
  readonly value: string | undefined;
  /** Limits it to some daemons: `class:ssd`, `host:a`. */
  readonly mask: string | undefined;
}

export interface CephConfig {
  /** ceph.conf, secrets hidden. */
  readonly file: string | undefined;
  readonly settings: readonly CephSetting[] | undefined;
}

/** Source: GET /nodes/{node}/ceph/cfg/raw, /cfg/db; each may fail alone. */
export function readCephConfig(call: Call, nodes: readonly string[]): Promise<CephReading<Reading<CephConfig>>> {
  return firstWithCeph(call, nodes, async (node) => {
    // The database answers only where Ceph runs, so it decides whether this is the node to ask.
    const settings = parseCephSettings((await call.get('/nodes/{node}/ceph/cfg/db', { node })).data);
    const file = await attempt({ node }, async () => textOf((await call.get('/nodes/{node}/ceph/cfg/raw', { node })).data));
    return { data: { file: file.data, settings }, ...mergeGaps(file) };
  });
}

export function parseCephSettings(data: unknown): readonly CephSetting[] {
  return listOf(data, 'Ceph settings')
    .flatMap((row) => {
      const name = short(row['name']);
      if (name === undefined) return [];
      const value = textOf(row['value']);
      return [
        {
          section: short(row['section']) ?? 'global',
          name,
          value: value === undefined ? undefined : oneLine(value, 200),
          mask: short(row['mask']),
        },
      ];
    })
    .sort((a, b) => byText(a.section, b.section) || byText(a.name, b.name) || byText(a.mask ?? '', b.mask ?? ''));
}

/** What one OSD is made of. */
export interface CephOsdDetail {
  /** `block on nvme0n1 (ssd)` */
  readonly devices: readonly string[];
  readonly store: string | undefined;
  readonly encrypted: boolean | undefined;
  /** Memory it uses, in bytes; undefined while it is down. */
  readonly memory: number | undefined;
  readonly front: string | undefined;
  readonly back: string | undefined;
  readonly version: string | undefined;
  /** `vg/lv` */
  readonly volume: string | undefined;
  /** When it was made, epoch seconds. */
  readonly created: number | undefined;
}

/**
 * Devices and daemon of one OSD, from the host that it is on.
 *
 * Source: GET /nodes/{node}/ceph/osd/{osdid}/metadata, /lv-info (Sys.Audit on /).
 */
export async function readCephOsdDetail(call: Call, node: string, osdid: number): Promise<Reading<CephOsdDetail>> {
  const [metadata, volume] = await Promise.all([
    attempt({ node }, async () => (await call.get('/nodes/{node}/ceph/osd/{osdid}/metadata', { node, osdid })).data),
    attempt({ node }, async () => (await call.get('/nodes/{node}/ceph/osd/{osdid}/lv-info', { node, osdid })).data),
  ]);
  return { data: parseCephOsdDetail(metadata.data, volume.data), ...mergeGaps(metadata, volume) };
}

export function parseCephOsdDetail(metadata: unknown, volume: unknown): CephOsdDetail {
  const osd = rawOf(rawOf(metadata)['osd']);
  const lv = rawOf(volume);
  const memory = numberOf(osd['mem_usage']);
  const path = [short(lv['vg_name']), short(lv['lv_name'])].filter((part) => part !== undefined).join('/');
  return {
    devices: rowsOf(rawOf(metadata)['devices']).map((row) => {
      const type = short(row['type']);
      const on = short(row['physical_device']) ?? short(row['dev_node']) ?? 'unknown';
      return `${short(row['device']) ?? 'device'} on ${on}${type === undefined ? '' : ` (${type})`}`;
    }),
    store: short(osd['osd_objectstore']),
    encrypted: boolOf(osd['encrypted']),
    memory: memory === 0 ? undefined : memory,
    front: short(osd['front_addr']),
    back: short(osd['back_addr']),
    version: short(osd['version'])?.split(' ')[0],
    volume: path === '' ? undefined : path,
    created: creationTime(lv['creation_time']),
  };
}

/** `2025-03-02 10:11:12.000000000 +0100`, as LVM writes it. */
function creationTime(value: unknown): number | undefined {
  const match = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)\S* ([+-]\d\d):?(\d\d)$/.exec(textOf(value) ?? '');
  const ms = match === null ? Number.NaN : Date.parse(`${match[1]}T${match[2]}${match[3]}:${match[4]}`);
  return Number.isNaN(ms) ? undefined : ms / 1000;
}

function short(value: unknown): string | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : oneLine(text, 120);
}
