import { z } from 'zod';
import { bytes, int, list, number, percent, prose, record, table, text } from '../../answer/spec.ts';
import { counted, formatPercent, shareOf } from '../../answer/units.ts';
import type { Call } from '../../api/call.ts';
import { attempt, type Gaps, mergeGaps, NO_GAPS, type Reading } from '../../api/reading.ts';
import {
  type Disk,
  devicePath,
  isFailing,
  readDirectories,
  readDisks,
  readSmart,
  readThinPools,
  readVolumeGroups,
  readZfsDetail,
  readZfsPools,
  type Smart,
  type ThinPool,
  type VolumeGroup,
  type ZfsDetail,
  type ZfsPool,
} from '../../cluster/disks.ts';
import { fanOut } from '../../cluster/fan-out.ts';
import { readInventory } from '../../cluster/inventory.ts';
import { requireOnlineNode } from '../../cluster/resolve.ts';
import { defineTool } from '../define-tool.ts';
import { node } from '../params.ts';

const SECTIONS = ['disks', 'lvm', 'lvmthin', 'zfs', 'directories'] as const;
type Section = (typeof SECTIONS)[number];

/** Pools that are looked at closely; each costs a request that runs a program on the node. */
const MAX_POOL_DETAILS = 8;

export const listNodeDisks = defineTool({
  name: 'list_node_disks',
  title: 'Node disks',
  toolset: 'nodes',
  description:
    'Disks of a node, LVM, thin pools with metadata, ZFS with faults, directories. health=true reads the state of all disks, smart=DEVICE SMART values of one.',
  params: {
    node,
    sections: z.array(z.enum(SECTIONS)).max(8).optional(),
    health: z.boolean().describe('May wake sleeping disks').optional(),
    smart: z.string().min(1).max(80).describe('/dev/sda').optional(),
  },
  output: {
    disks: table({
      disk: text(),
      model: text(),
      serial: text(),
      size: bytes(),
      type: text(),
      use: text(),
      health: text(),
      life_left: percent('of an SSD'),
    }),
    lvm: table({ group: text(), size: bytes(), free: bytes(), volumes: int(), devices: list() }),
    lvmthin: table({
      pool: text(),
      size: bytes(),
      used: percent(),
      metadata_size: bytes(),
      metadata_used: percent('a full one stops every volume in the pool, as full data does'),
    }),
    zfs: table({
      pool: text(),
      health: text(),
      size: bytes(),
      used: percent(),
      free: bytes(),
      fragmentation: percent(),
      dedup: number('ratio, 1 = none'),
      scan: text('last scrub or resilver'),
      errors: text(),
      status: text(),
    }),
    zfs_faults: table({
      pool: text(),
      device: text(),
      state: text(),
      read_errors: int(),
      write_errors: int(),
      checksum_errors: int(),
      message: text(),
    }),
    directories: table({ path: text(), device: text(), type: text(), options: text() }),
    smart: record({ disk: text(), health: text(), life_left: percent() }),
    smart_attributes: table({
      id: text(),
      attribute: text(),
      value: text(),
      worst: text(),
      threshold: text(),
      raw: text(),
      failed: text(),
    }),
    smart_text: prose(),
  },
  reads: [
    '/cluster/resources',
    '/nodes/{node}/disks/list',
    '/nodes/{node}/disks/lvm',
    '/nodes/{node}/disks/lvmthin',
    '/nodes/{node}/disks/zfs',
    '/nodes/{node}/disks/zfs/{name}',
    '/nodes/{node}/disks/directory',
    '/nodes/{node}/disks/smart',
  ],
  async run(args, call) {
    const path = args.smart === undefined ? undefined : devicePath(args.smart);
    requireOnlineNode(await readInventory(call), args.node);
    const health = args.health === true;
    if (path !== undefined && args.sections === undefined) return smartAnswer(call, args.node, path);
    const wanted = new Set<Section>(args.sections === undefined || args.sections.length === 0 ? SECTIONS : args.sections);
    const read = <T>(section: Section, reader: () => Promise<T>) =>
      wanted.has(section) ? attempt({ node: args.node }, reader) : NOTHING;
    const [disks, groups, thin, zfs, directories] = await Promise.all([
      read('disks', () => readDisks(call, args.node, health)),
      read('lvm', () => readVolumeGroups(call, args.node)),
      read('lvmthin', () => readThinPools(call, args.node)),
      read('zfs', () => readZfsPools(call, args.node)),
      read('directories', () => readDirectories(call, args.node)),
    ]);
    const [details, smart] = await Promise.all([
      zfs.data === undefined ? NO_DETAILS : readDetails(call, args.node, zfs.data),
      path === undefined ? NOTHING : readSmartOf(call, args.node, path, disks.data),
    ]);
    const gaps: Gaps = mergeGaps(disks, groups, thin, zfs, directories, details, smart);
    return {
      headline: headline(args.node, disks.data, thin.data, zfs.data, gaps),
      sections: {
        disks: disks.data?.map(diskRow),
        lvm: groups.data?.map(groupRow),
        lvmthin: thin.data?.map(thinRow),
        zfs: zfs.data?.map((pool) => zfsRow(pool, details.data.get(pool.name))),
        zfs_faults: faultRows(details.data),
        directories: directories.data?.map((d) => ({ ...d })),
        ...smartSections(path, smart.data),
      },
      gaps,
      notes:
        disks.data === undefined || health || disks.data.length === 0
          ? []
          : ['Health and wear were not read, since that may wake sleeping disks; health=true reads them.'],
    };
  },
});

const NOTHING = { data: undefined, ...NO_GAPS };
const NO_DETAILS: Reading<ReadonlyMap<string, ZfsDetail>> = { data: new Map(), ...NO_GAPS };

/** Only one disk was asked about. */
async function smartAnswer(call: Call, name: string, path: string) {
  const smart = await readSmart(call, name, await readDisks(call, name, false), path);
  const state = smart.health ?? 'state of health not told';
  const failed = smart.attributes.filter((a) => a.failed !== undefined).length;
  return {
    headline: `${path} on ${name}: ${state}${failed === 0 ? '' : `, ${failed} failed ${failed === 1 ? 'attribute' : 'attributes'}`}`,
    sections: smartSections(path, smart),
    gaps: NO_GAPS,
  };
}

function readSmartOf(
  call: Call,
  name: string,
  path: string,
  disks: readonly Disk[] | undefined,
): Promise<Reading<Smart | undefined>> {
  return attempt({ node: name }, async () => readSmart(call, name, disks ?? (await readDisks(call, name, false)), path));
}

/** The device tree of each pool: a fault counts its errors there, and only there the last scrub is told. */
async function readDetails(
  call: Call,
  name: string,
  pools: readonly ZfsPool[],
): Promise<Reading<ReadonlyMap<string, ZfsDetail>>> {
  // Those that are not in order first.
  const ordered = [...pools].sort((a, b) => Number(a.health === 'ONLINE') - Number(b.health === 'ONLINE'));
  const out = await fanOut(
    call,
    ordered.slice(0, MAX_POOL_DETAILS),
    () => ({ node: name }),
    (pool) => readZfsDetail(call, name, pool.name),
  );
  return { data: new Map(out.results.map((r) => [r.item.name, r.data])), ...out.gaps };
}

function headline(
  name: string,
  disks: readonly Disk[] | undefined,
  thin: readonly ThinPool[] | undefined,
  zfs: readonly ZfsPool[] | undefined,
  gaps: Gaps,
): string {
  const parts: string[] = [];
  if (disks !== undefined) {
    const failing = disks.filter(isFailing);
    parts.push(counted(disks.length, 'disk'));
    if (failing.length > 0) parts.push(`${failing.map((d) => d.path).join(', ')} failing`);
  }
  for (const pool of thin ?? []) {
    const data = shareOf(pool.used, pool.size);
    const metadata = shareOf(pool.metadataUsed, pool.metadataSize);
    const fullest = Math.max(data ?? 0, metadata ?? 0);
    if (fullest >= 0.8)
      parts.push(`thin pool ${pool.name} ${formatPercent(fullest)} full${(metadata ?? 0) > (data ?? 0) ? ' (metadata)' : ''}`);
  }
  const broken = (zfs ?? []).filter((p) => p.health !== undefined && p.health !== 'ONLINE');
  for (const pool of broken) parts.push(`ZFS pool ${pool.name} ${pool.health}`);
  if (parts.length === 0) {
    const blind = gaps.problems.some((p) => p.kind === 'forbidden');
    const unread = gaps.problems.length > 0 ? 'not all that was asked for could be read' : 'what was asked for';
    return `Node ${name}: ${blind ? 'this token may not see its disks' : unread}`;
  }
  return `Node ${name}: ${parts.join('; ')}`;
}

function diskRow(d: Disk) {
  return {
    disk: d.path,
    model: d.model,
    serial: d.serial,
    size: d.size,
    type: d.type,
    use: d.use,
    health: d.health,
    life_left: d.lifeLeft,
  };
}

function groupRow(g: VolumeGroup) {
  return { group: g.name, size: g.size, free: g.free, volumes: g.volumes, devices: g.devices };
}

function thinRow(p: ThinPool) {
  return {
    pool: p.name,
    size: p.size,
    used: shareOf(p.used, p.size),
    metadata_size: p.metadataSize,
    metadata_used: shareOf(p.metadataUsed, p.metadataSize),
  };
}

function zfsRow(p: ZfsPool, detail: ZfsDetail | undefined) {
  return {
    pool: p.name,
    health: p.health,
    size: p.size,
    used: shareOf(p.used, p.size),
    free: p.free,
    fragmentation: p.fragmentation,
    dedup: p.dedup === 1 ? undefined : p.dedup,
    scan: detail?.scan,
    errors: detail?.errors,
    status: detail?.status,
  };
}

function faultRows(details: ReadonlyMap<string, ZfsDetail>) {
  const rows = [...details].flatMap(([pool, detail]) =>
    detail.faults.map((f) => ({
      pool,
      device: f.name,
      state: f.state,
      read_errors: f.readErrors,
      write_errors: f.writeErrors,
      checksum_errors: f.checksumErrors,
      message: f.message,
    })),
  );
  return rows.length === 0 ? undefined : rows;
}

function smartSections(path: string | undefined, smart: Smart | undefined) {
  if (path === undefined || smart === undefined) return {};
  return {
    smart: { disk: path, health: smart.health, life_left: smart.lifeLeft },
    smart_attributes:
      smart.attributes.length === 0
        ? undefined
        : smart.attributes.map((a) => ({
            id: a.id,
            attribute: a.name,
            value: a.value,
            worst: a.worst,
            threshold: a.threshold,
            raw: a.raw,
            failed: a.failed,
          })),
    smart_text: smart.text,
  };
}
