import { z } from 'zod';
import { bool, bytes, int, list, percent, prose, rate, record, table, text } from '../../answer/spec.ts';
import { formatPercent } from '../../answer/units.ts';
import type { Call } from '../../api/call.ts';
import { attempt, mergeGaps, NO_GAPS, type Reading } from '../../api/reading.ts';
import { optional } from '../../cluster/attempts.ts';
import {
  type CephCheck,
  type CephPool,
  type CephReading,
  type CephStatus,
  type CephVersion,
  readCephFlags,
  readCephPools,
  readCephStatus,
  readCephVersions,
} from '../../cluster/ceph.ts';
import {
  readCephConfig,
  readCephCrush,
  readCephDaemons,
  readCephFileSystems,
  readCephRules,
} from '../../cluster/ceph-details.ts';
import { type Inventory, onlineNodes, readInventory } from '../../cluster/inventory.ts';
import { errorOf } from '../../cluster/problem-error.ts';
import { defineTool } from '../define-tool.ts';
import { absentAnswer } from './ceph-words.ts';

const SECTIONS = ['pools', 'versions', 'daemons', 'filesystems', 'rules', 'config', 'crush'] as const;
type Section = (typeof SECTIONS)[number];
/** What is read besides the health when nobody says what is wanted. */
const USUAL: readonly Section[] = ['pools', 'versions'];

export const getCephStatus = defineTool({
  name: 'get_ceph_status',
  title: 'Ceph status',
  toolset: 'ceph',
  description:
    'Ceph health with its checks, monitors, OSD and placement group counts, usage, load, flags; by sections pools, versions, daemons, configuration, ... Default: pools, versions.',
  params: { sections: z.array(z.enum(SECTIONS)).min(1).optional() },
  output: {
    ceph: record({
      health: text(),
      monitors: text(),
      managers: text(),
      mds: text(),
      osds: text(),
      groups: text('placement groups by state'),
      degraded: percent('of the copies'),
      misplaced: percent('of the copies'),
      used: bytes(),
      size: bytes(),
      used_share: percent(),
      objects: int(),
      reading: rate(),
      writing: rate(),
      read_ops: int('per second'),
      write_ops: int('per second'),
      recovering: rate(),
      flags: list('set'),
      fsid: text(),
    }),
    checks: table({ check: text(), severity: text(), summary: text(), details: list() }),
    pools: table({
      pool: text(),
      used: bytes(),
      full: percent('of what it could hold'),
      copies: text('kept / needed for writing'),
      groups: int(),
      groups_wanted: int('by the autoscaler, where it differs'),
      autoscale: text(),
      rule: text(),
      application: list(),
    }),
    versions: table({ of: text(), version: text(), count: int(), who: list() }),
    daemons: table({
      kind: text('mon, mgr or mds'),
      name: text(),
      host: text(),
      address: text(),
      state: text(),
      in_quorum: bool('of monitors'),
      filesystem: text(),
    }),
    filesystems: table({ name: text(), metadata_pool: text(), data_pools: list() }),
    placement: record({ rules: list() }),
    settings: table({ section: text(), name: text(), value: text(), mask: text() }, "in the monitors' database"),
    config: prose('ceph.conf'),
    crush: prose('placement map'),
  },
  reads: [
    '/cluster/resources',
    '/cluster/ceph/status',
    '/cluster/ceph/flags',
    '/cluster/ceph/metadata',
    '/nodes/{node}/ceph/status',
    '/nodes/{node}/ceph/pool',
    '/nodes/{node}/ceph/mon',
    '/nodes/{node}/ceph/mgr',
    '/nodes/{node}/ceph/mds',
    '/nodes/{node}/ceph/fs',
    '/nodes/{node}/ceph/rules',
    '/nodes/{node}/ceph/cfg/raw',
    '/nodes/{node}/ceph/cfg/db',
    '/nodes/{node}/ceph/crush',
  ],
  async run(args, call) {
    const wants = (section: Section): boolean => (args.sections ?? USUAL).includes(section);
    const inventory = await readInventory(call);
    const [status, flags, versions] = await Promise.all([
      attempt({}, () => readCephStatus(call, onlineNodes(inventory))),
      optional(() => readCephFlags(call)),
      wants('versions') ? optional(() => readCephVersions(call)) : NOTHING,
    ]);
    if (status.data?.state === 'absent') return absentAnswer(status.data, inventory);
    const data = status.data?.data;
    const [problem] = status.problems;
    // Figures without the health would look like all is well, were that not the first thing to be said.
    if (data === undefined && flags.data === undefined && versions.data === undefined && problem !== undefined)
      throw errorOf(problem, "Ceph can't be read");
    const nodes = likelyNodes(data?.monitors ?? [], inventory);
    const read = <T>(section: Section, reader: (c: Call, n: readonly string[]) => Promise<CephReading<T>>) =>
      wants(section) ? present(() => reader(call, nodes)) : NOTHING;
    const [pools, daemons, fileSystems, rules, config, crush] = await Promise.all([
      read('pools', readCephPools),
      read('daemons', readCephDaemons),
      read('filesystems', readCephFileSystems),
      read('rules', readCephRules),
      read('config', readCephConfig),
      read('crush', readCephCrush),
    ]);
    return {
      headline: data === undefined ? 'Ceph: its health could not be read' : headline(data),
      sections: {
        ceph: data === undefined ? { flags: flags.data } : cephRecord(data, flags.data),
        checks: data === undefined || data.checks.length === 0 ? undefined : data.checks.map(checkRow),
        pools: pools.data?.map(poolRow),
        versions: versions.data === undefined || versions.data.length === 0 ? undefined : versions.data.map(versionRow),
        daemons: daemons.data?.map((d) => ({
          kind: d.kind,
          name: d.name,
          host: d.host,
          address: d.address,
          state: d.state,
          in_quorum: d.inQuorum,
          filesystem: d.fileSystem,
        })),
        filesystems: fileSystems.data?.map((f) => ({ name: f.name, metadata_pool: f.metadataPool, data_pools: f.dataPools })),
        placement: rules.data === undefined ? undefined : { rules: rules.data },
        settings: config.data?.data.settings?.map((s) => ({ ...s })),
        config: config.data?.data.file,
        crush: crush.data,
      },
      gaps: mergeGaps(
        status,
        flags,
        versions,
        pools,
        daemons,
        fileSystems,
        rules,
        config,
        crush,
        ...(config.data === undefined ? [] : [config.data]),
      ),
      notes: [...(status.data?.notes ?? []), ...mixedVersions(versions.data ?? [])],
    };
  },
});

const NOTHING = { data: undefined, ...NO_GAPS };

/** Monitors' names are their hosts' as a rule: those have Ceph for certain. */
function likelyNodes(monitors: readonly string[], inventory: Inventory): readonly string[] {
  const online = onlineNodes(inventory);
  return [...online.filter((n) => monitors.includes(n)), ...online.filter((n) => !monitors.includes(n))];
}

async function present<T>(read: () => Promise<CephReading<T>>): Promise<Reading<T | undefined>> {
  const { data, ...gaps } = await optional(read);
  return { data: data?.state === 'present' ? data.data : undefined, ...gaps };
}

function checkRow(c: CephCheck) {
  return {
    check: c.check,
    severity: c.muted ? `${shortHealth(c.severity)} (muted)` : shortHealth(c.severity),
    summary: c.summary,
    details: c.details.length === 0 ? undefined : c.details,
  };
}

function shortHealth(health: string): string {
  return health.replace(/^HEALTH_/, '').toLowerCase();
}

function headline(s: CephStatus): string {
  const checks = s.checks.filter((c) => !c.muted).map((c) => c.summary);
  const first = checks.slice(0, 3).join('; ');
  const more = checks.length > 3 ? ` and ${checks.length - 3} more` : '';
  const used = s.used === undefined || !s.total ? '' : `, ${formatPercent(s.used / s.total)} used`;
  const osds = s.osds === undefined ? '' : `: ${s.osdsUp ?? '?'} of ${s.osds} OSDs up, ${s.osdsIn ?? '?'} in${used}`;
  return `Ceph health ${s.health}${osds}${first === '' ? '' : ` - ${first}${more}`}`;
}

function cephRecord(s: CephStatus, flags: readonly string[] | undefined) {
  const out = s.monitors.filter((m) => !s.inQuorum.includes(m));
  return {
    health: s.health,
    monitors:
      s.monitors.length === 0
        ? undefined
        : `${s.inQuorum.length} of ${s.monitors.length} in quorum (${s.inQuorum.join(', ')})${out.length === 0 ? '' : `; OUT: ${out.join(', ')}`}`,
    managers: managerText(s),
    mds: s.mdsMax === undefined ? undefined : `${s.mdsUp ?? 0} of ${s.mdsMax} active, ${s.mdsStandby ?? 0} standby`,
    osds: s.osds === undefined ? undefined : `${s.osds}: ${s.osdsUp ?? '?'} up, ${s.osdsIn ?? '?'} in`,
    groups: s.groups === undefined ? undefined : `${s.groups}: ${s.groupStates.map((g) => `${g.count} ${g.state}`).join(', ')}`,
    degraded: s.degraded,
    misplaced: s.misplaced,
    used: s.used,
    size: s.total,
    used_share: s.used === undefined || !s.total ? undefined : s.used / s.total,
    objects: s.objects,
    reading: s.readRate,
    writing: s.writeRate,
    read_ops: s.readOps,
    write_ops: s.writeOps,
    recovering: s.recoveryRate,
    flags,
    fsid: s.fsid,
  };
}

function managerText(s: CephStatus): string | undefined {
  if (s.managerAvailable === undefined && s.activeManager === undefined) return undefined;
  const active = s.managerAvailable === false ? 'NONE active' : `${s.activeManager ?? 'one'} active`;
  return `${active}, ${s.standbyManagers ?? 0} standby`;
}

function poolRow(pool: CephPool) {
  const wanted = pool.wantedGroups === pool.groups ? undefined : pool.wantedGroups;
  return {
    pool: pool.name,
    used: pool.used,
    full: pool.usedShare,
    copies: pool.size === undefined ? undefined : `${pool.size} / ${pool.minSize ?? '?'}`,
    groups: pool.groups,
    groups_wanted: wanted,
    autoscale: pool.autoscale,
    rule: pool.rule,
    application: pool.applications,
  };
}

function versionRow(v: CephVersion) {
  return { of: v.kind, version: v.version, count: v.who.length, who: v.who };
}

function mixedVersions(versions: readonly CephVersion[]): string[] {
  const running = new Set(versions.filter((v) => v.kind !== 'node').map((v) => v.version));
  return running.size > 1 ? [`Daemons run ${running.size} versions: ${[...running].sort().join(', ')}.`] : [];
}
