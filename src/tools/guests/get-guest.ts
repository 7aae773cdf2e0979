import { z } from 'zod';
import { bool, bytes, duration, int, list, number, percent, prose, record, table, text, time } from '../../answer/spec.ts';
import { counted, formatDuration, shareOf } from '../../answer/units.ts';
import type { Call } from '../../api/call.ts';
import { mergeGaps, NO_GAPS, type Reading } from '../../api/reading.ts';
import { hasCloudInit } from '../../cluster/cloud-init.ts';
import { DOSSIER_SECTIONS, type Dossier, type DossierSection, readDossier } from '../../cluster/dossier.ts';
import { levelEnabled, policies } from '../../cluster/firewall.ts';
import { summarizeConfig } from '../../cluster/guest-config.ts';
import { networkNotes } from '../../cluster/guest-network.ts';
import type { Guest, Inventory } from '../../cluster/inventory.ts';
import { MIGRATION_READS, readMigrationFacts } from '../../cluster/migration-facts.ts';
import { resolveGuest } from '../../cluster/resolve.ts';
import type { Snapshot } from '../../cluster/snapshots.ts';
import type { Task } from '../../cluster/tasks.ts';
import { judgeMigration, type MigrationReadiness, migrationWords } from '../../insights/migration-readiness.ts';
import { oneLine } from '../../redact/plain-text.ts';
import { defineTool } from '../define-tool.ts';
import { guest } from '../params.ts';
import { RIGHTS_READS } from '../rights-reads.ts';
import { diskRow, nicRow, pendingRow } from './get-guest-config.ts';
import { addressWords } from './get-guest-network.ts';
import { isOffline } from './get-guest-status.ts';
import { guestTitle } from './guest-words.ts';
import { snapshotWords } from './list-snapshots.ts';

/** Rows of each part: what is beyond is counted and has a tool of its own. */
const MOST = {
  disks: 10,
  nics: 6,
  addresses: 10,
  filesystems: 8,
  users: 5,
  snapshots: 4,
  backups: 8,
  replication: 4,
  pending: 8,
  tasks: 5,
  targets: 12,
};

/** Beyond the dossier: only when asked for, since it looks at other nodes. */
const SECTIONS = [...DOSSIER_SECTIONS, 'migration'] as const;

export const getGuest = defineTool({
  name: 'get_guest',
  title: 'Guest dossier',
  toolset: 'guests',
  description:
    'One guest in one answer: state, disks, addresses, agent, snapshots, last backups, replication, firewall, pending changes, tasks. Parts named in sections come in more detail; migration (can it move, where to) only then.',
  params: { ...guest, sections: z.array(z.enum(SECTIONS)).min(1).optional() },
  output: {
    guest: record({
      name: text(),
      status: text('unknown while the node is offline'),
      uptime: duration(),
      cpu: percent('of its own CPUs'),
      cpus: number(),
      cpu_limit: number(),
      mem: percent('of its memory'),
      memory: bytes(),
      balloon_min: bytes(),
      root_disk: percent('of the root file system'),
      agent: text('answers, silent, not asked, not enabled'),
      os: text('by the agent, else ostype'),
      kernel: text(),
      host_name: text(),
      timezone: text(),
      clock_ahead: int('seconds that its clock is ahead of the cluster'),
      cpus_online: text('of those that its system sees'),
      dns: text(),
      machine: text(),
      bios: text(),
      boot: text(),
      start_on_boot: bool(),
      protection: bool(),
      unprivileged: bool(),
      template: bool(),
      lock: text(),
      ha: text(),
      pool: text(),
      tags: list(),
    }),
    disks: table({ key: text(), kind: text(), storage: text(), volume: text(), size: bytes(), mount: text(), backup: bool() }),
    filesystems: table({ mount: text(), type: text(), used: percent(), size: bytes() }, 'fullest first'),
    nics: table({ nic: text(), model: text(), mac: text(), bridge: text(), vlan: int(), firewall: bool(), link: text() }),
    addresses: table({ address: text(), nic: text(), interface: text(), source: text() }),
    users: table({ user: text(), domain: text(), since: time() }),
    snapshots: table({ name: text(), time: time(), vmstate: bool(), stuck: text() }, 'newest first'),
    possible: record(
      { snapshot: bool(), linked_clone: bool(), full_clone: bool() },
      'what the storages of its disks allow for the present state',
    ),
    backups: table({
      storage: text(),
      node: text('of a storage that is not shared'),
      backups: int(),
      newest: time(),
      oldest: time(),
      protected: int(),
      size: bytes('of the newest'),
      verified: text('of the newest'),
    }),
    replication: table({
      job: text(),
      target: text(),
      schedule: text(),
      last: time(),
      next: time(),
      fails: int(),
      state: text(),
    }),
    firewall: record({ state: text(), filters: list(), policy_in: text(), policy_out: text() }),
    pending: table({ key: text(), now: text(), after: text('from the next start on') }),
    tasks: table({ start: time(), type: text(), state: text(), status: text(), user: text(), upid: text() }, 'failed ones first'),
    cloudinit: prose('network part of what its cloud-init drive would hold'),
    migration: record({
      live: text('the best of all targets: yes, risky, unknown, no'),
      switched_off: text('containers: by a restart'),
      ha: text('whether HA could start it elsewhere'),
      copies: bytes('on local storages'),
    }),
    obstacles: table({ effect: text(), what: text(), detail: text() }, 'wherever it goes'),
    targets: table({ node: text(), live: text(), switched_off: text(), ha: text(), free_memory: bytes(), remarks: text() }),
  },
  reads: [
    '/cluster/resources',
    '/nodes/{node}/qemu/{vmid}/pending',
    '/nodes/{node}/lxc/{vmid}/pending',
    '/nodes/{node}/qemu/{vmid}/snapshot',
    '/nodes/{node}/lxc/{vmid}/snapshot',
    '/nodes/{node}/qemu/{vmid}/feature',
    '/nodes/{node}/lxc/{vmid}/feature',
    '/nodes/{node}/qemu/{vmid}/cloudinit/dump',
    '/nodes/{node}/qemu/{vmid}/agent/get-osinfo',
    '/nodes/{node}/qemu/{vmid}/agent/get-fsinfo',
    '/nodes/{node}/qemu/{vmid}/agent/network-get-interfaces',
    '/nodes/{node}/qemu/{vmid}/agent/get-host-name',
    '/nodes/{node}/qemu/{vmid}/agent/get-users',
    '/nodes/{node}/qemu/{vmid}/agent/get-timezone',
    '/nodes/{node}/qemu/{vmid}/agent/get-time',
    '/nodes/{node}/qemu/{vmid}/agent/get-vcpus',
    '/nodes/{node}/lxc/{vmid}/interfaces',
    '/nodes/{node}/qemu/{vmid}/firewall/options',
    '/nodes/{node}/lxc/{vmid}/firewall/options',
    '/nodes/{node}/storage/{storage}/prunebackups',
    '/nodes/{node}/storage/{storage}/content',
    '/nodes/{node}/replication',
    '/nodes/{node}/tasks',
    '/version',
    '/cluster/nextid',
    ...MIGRATION_READS.filter(
      (path) => path !== '/version' && path !== '/nodes/{node}/replication' && !path.endsWith('/snapshot'),
    ),
    ...RIGHTS_READS,
  ],
  async run(args, call) {
    const { guest: target, inventory, notes } = await resolveGuest(call, args);
    const parts = args.sections?.filter((section) => section !== 'migration');
    const [reading, migration] = await Promise.all([
      readDossier(call, target, inventory, parts),
      args.sections?.includes('migration') === true ? readMigration(call, target, inventory) : undefined,
    ]);
    const { data: dossier } = reading;
    const wants = (section: DossierSection): boolean => args.sections?.includes(section) ?? true;
    const more = new More(target.vmid);
    const { config, network, agent, pending } = dossier;
    return {
      headline: `${guestTitle(target)}: ${headlineWords(target, dossier, isOffline(inventory, target.node), call.now(), migration?.data)}`,
      sections: {
        guest: guestRow(target, dossier),
        disks: wants('disks') ? more.cut(config?.disks.map(diskCells), MOST.disks, 'disks', 'get_guest_config') : undefined,
        filesystems: more.cut(agent?.fileSystems?.map(fileSystemRow), MOST.filesystems, 'file systems'),
        nics: more.cut(network?.nics.map(nicCells), MOST.nics, 'interfaces', 'get_guest_network'),
        addresses: more.cut(network?.addresses, MOST.addresses, 'addresses', 'get_guest_network'),
        users: more.cut(agent?.users, MOST.users, 'logged-in users'),
        snapshots: more.cut(
          newestFirst(dossier.snapshots?.snapshots)?.map(snapshotCells),
          MOST.snapshots,
          'snapshots',
          'list_snapshots',
        ),
        possible: possibleRow(dossier),
        backups: more.cut(backupRows(dossier), MOST.backups, 'storages'),
        replication: more.cut(replicationRows(dossier), MOST.replication, 'replication jobs', 'list_replication'),
        firewall: wants('firewall') ? firewallRow(dossier) : undefined,
        pending: wants('pending')
          ? more.cut(pending?.changes.map(pendingCells), MOST.pending, 'pending changes', 'get_guest_config')
          : undefined,
        tasks: more.cut(failedFirst(dossier.tasks)?.map(taskRow), MOST.tasks, 'recent tasks', 'list_recent_tasks'),
        cloudinit: dossier.cloudInit,
        ...migrationSections(migration?.data, more),
      },
      gaps: mergeGaps(reading, migration ?? NO_GAPS),
      notes: [
        ...notes,
        ...(network === undefined ? [] : networkNotes(network, target)),
        ...migrationNotes(migration?.data),
        ...backupNotes(dossier, args.sections?.includes('backups') ?? false),
        ...(args.sections?.includes('cloudinit') === true && config !== undefined && !hasCloudInit(target, config)
          ? ['It has no cloud-init drive.']
          : []),
        ...more.notes(),
      ],
    };
  },
});

/** What the move of a guest is judged by. */
interface MigrationReport extends MigrationReadiness {
  /** Online nodes beyond the most that are looked at. */
  readonly left: number;
}

async function readMigration(call: Call, target: Guest, inventory: Inventory): Promise<Reading<MigrationReport>> {
  const { data, ...gaps } = await readMigrationFacts(call, target, inventory);
  return { data: { ...judgeMigration(data), left: data.targetsLeft }, ...gaps };
}

function migrationSections(migration: MigrationReport | undefined, more: More) {
  if (migration === undefined) return {};
  const { live, off, recovery, copies, findings, targets } = migration;
  const rows = targets.map((t) => ({
    node: t.node,
    live: t.live,
    switched_off: t.off,
    ha: t.recovery,
    free_memory: t.freeMemory,
    remarks: t.remarks.length === 0 ? undefined : t.remarks.join('; '),
  }));
  return {
    migration: { live, switched_off: off, ha: recovery, copies: copies === 0 ? undefined : copies },
    obstacles: findings.length === 0 ? undefined : findings,
    targets: more.cut(rows, MOST.targets, 'nodes'),
  };
}

function migrationNotes(migration: MigrationReport | undefined): readonly string[] {
  if (migration === undefined || migration.findings.some((f) => f.what === 'configuration')) return [];
  const left = migration.left === 0 ? [] : [`${counted(migration.left, 'more online node')} not looked at.`];
  return ['Judged from the configuration; nothing was tried, so "yes" means that nothing known speaks against it.', ...left];
}

/** Cuts lists and remembers what to say about it. */
class More {
  readonly #vmid: number;
  readonly #cut: string[] = [];

  constructor(vmid: number) {
    this.#vmid = vmid;
  }

  /** Undefined for a part that was not read, and for an empty one: the headline says that there is none. */
  cut<T>(rows: readonly T[] | undefined, most: number, what: string, tool?: string): readonly T[] | undefined {
    if (rows === undefined || rows.length === 0) return undefined;
    const rest = rows.length - most;
    if (rest > 0) this.#cut.push(`${rest} more ${what}${tool === undefined ? '' : ` (${tool} vmid=${this.#vmid})`}`);
    return rest > 0 ? rows.slice(0, most) : rows;
  }

  notes(): readonly string[] {
    return this.#cut.length === 0 ? [] : [`Not shown: ${this.#cut.join('; ')}.`];
  }
}

function headlineWords(
  target: Guest,
  dossier: Dossier,
  offline: boolean,
  nowMs: number,
  migration: MigrationReport | undefined,
): string {
  const { backups, snapshots, pending, replication, network, tasks } = dossier;
  const lock = target.lock === undefined ? '' : `, locked (${target.lock})`;
  const parts = [
    `${offline ? 'state unknown, its node does not answer' : `${target.status}${target.template ? ', template' : ''}`}${lock}`,
  ];
  if (migration !== undefined) parts.push(migrationWords(migration, target.type === 'lxc'));
  if (network !== undefined) parts.push(addressWords(network));
  if (backups !== undefined) parts.push(backupWords(dossier, nowMs));
  if (snapshots !== undefined) parts.push(snapshotWords(snapshots, nowMs));
  if (pending !== undefined && pending.changes.length > 0) parts.push(counted(pending.changes.length, 'pending change'));
  const failing = replication?.filter(({ state }) => state.failCount > 0).length ?? 0;
  if (failing > 0) parts.push(`${counted(failing, 'replication job')} failing`);
  const failed = tasks?.filter((task) => task.state === 'failed').length ?? 0;
  if (tasks?.length === 0) parts.push('no tasks seen');
  else if (failed > 0) parts.push(`${failed} of the last ${counted(tasks?.length ?? 0, 'task')} failed`);
  return parts.join('; ');
}

/** `last backup seen 14 h ago on pbs-main`; never "none" beyond the storages that were asked. */
function backupWords({ backups }: Dossier, nowMs: number): string {
  const newest = backups?.storages.find((s) => s.newest?.time !== undefined);
  if (newest?.newest?.time !== undefined) {
    return `last backup seen ${formatDuration(Math.max(0, nowMs / 1000 - newest.newest.time))} ago on ${newest.storage}`;
  }
  if (backups === undefined || backups.storages.length === 0) return 'backups not seen';
  if (backups.storages.some((s) => s.count > 0)) return 'backups of unknown age';
  return backups.hidden ? 'no backup on the storages that this token sees' : 'NO BACKUP on the storages asked';
}

function backupNotes({ backups }: Dossier, thorough: boolean): readonly string[] {
  const without =
    backups?.storages.filter((s) => s.count === 0).map((s) => (s.node === undefined ? s.storage : `${s.storage} (${s.node})`)) ??
    [];
  if (without.length === 0) return [];
  const rest = without.length > 8 ? ` and ${without.length - 8} more` : '';
  const all = !thorough && without.length === backups?.storages.length ? '; sections=backups looks everywhere' : '';
  return [`No backup of it on ${without.slice(0, 8).join(', ')}${rest}${all}.`];
}

function guestRow(target: Guest, dossier: Dossier) {
  const { config, agent } = dossier;
  const summary = config === undefined ? undefined : summarizeConfig(config);
  const values = config?.values;
  return {
    name: target.name,
    status: target.status,
    uptime: target.uptime,
    cpu: target.cpu,
    cpus: target.maxCpu ?? summary?.cpus,
    cpu_limit: summary?.cpuLimit,
    mem: shareOf(target.mem, target.maxMem),
    memory: target.maxMem ?? summary?.memory,
    balloon_min: summary?.balloonMin,
    root_disk: shareOf(target.disk, target.maxDisk),
    agent: agent?.state,
    os: agent?.os?.name ?? values?.get('ostype'),
    kernel: agent?.os?.kernel,
    host_name: agent?.hostName,
    timezone: agent?.timezone,
    clock_ahead: agent?.clockAhead,
    cpus_online: agent?.cpus === undefined ? undefined : `${agent.cpus.online} of ${agent.cpus.present}`,
    dns: [values?.get('nameserver'), values?.get('searchdomain')].filter((part) => part !== undefined).join(', ') || undefined,
    machine: values?.get('machine'),
    bios: values?.get('bios'),
    boot: values?.get('boot'),
    start_on_boot: summary?.onBoot,
    protection: summary?.protection === true ? true : undefined,
    unprivileged: summary?.unprivileged,
    template: target.template ? true : undefined,
    lock: target.lock,
    ha: target.haState,
    pool: target.pool,
    tags: target.tags.length === 0 ? undefined : target.tags,
  };
}

function diskCells(disk: Parameters<typeof diskRow>[0]) {
  const { key, kind, storage, volume, size, mount, backup } = diskRow(disk);
  return { key, kind, storage, volume: oneLine(volume, 60), size, mount, backup };
}

function nicCells(nic: Parameters<typeof nicRow>[0]) {
  const { nic: key, model, mac, bridge, vlan, firewall, link } = nicRow(nic);
  return { nic: key, model, mac, bridge, vlan, firewall, link };
}

function fileSystemRow(system: { mount: string; type: string | undefined; used: number | undefined; total: number | undefined }) {
  return { mount: oneLine(system.mount, 60), type: system.type, used: shareOf(system.used, system.total), size: system.total };
}

function newestFirst(snapshots: readonly Snapshot[] | undefined): readonly Snapshot[] | undefined {
  // Those that are stuck are the ones to look at.
  return snapshots?.toSorted(
    (a, b) => Number(b.state !== undefined) - Number(a.state !== undefined) || (b.time ?? 0) - (a.time ?? 0),
  );
}

function snapshotCells(snapshot: Snapshot) {
  return { name: snapshot.name, time: snapshot.time, vmstate: snapshot.vmState, stuck: snapshot.state };
}

function possibleRow({ possible }: Dossier) {
  if (possible === undefined) return undefined;
  return { snapshot: possible.snapshot, linked_clone: possible.linkedClone, full_clone: possible.fullClone };
}

function backupRows({ backups }: Dossier) {
  return backups?.storages
    .filter((s) => s.count > 0)
    .map((s) => ({
      storage: s.storage,
      node: s.node,
      backups: s.count,
      newest: s.newest?.time,
      oldest: s.count > 1 ? s.oldest : undefined,
      protected: s.protectedCount === 0 ? undefined : s.protectedCount,
      size: s.newest?.size,
      verified: s.newest?.verification,
    }));
}

function replicationRows({ replication }: Dossier) {
  return replication?.map(({ job, state }) => ({
    job: job.id,
    target: job.target,
    schedule: job.schedule,
    last: state.lastSync,
    next: job.disabled ? undefined : state.nextSync,
    fails: state.failCount,
    state: job.disabled
      ? 'disabled'
      : (state.error ?? (state.running ? 'running' : state.lastSync === undefined ? 'never ran to its end' : 'ok')),
  }));
}

/** The guest's level alone: it works only as far as the datacenter's firewall is on. */
function firewallRow({ firewall, config }: Dossier) {
  if (config !== undefined && !config.nics.some((nic) => nic.firewall)) {
    return { state: config.nics.length === 0 ? 'no interface' : 'off: no interface has the firewall flag' };
  }
  if (firewall === undefined) return undefined;
  const flagged = config?.nics.filter((nic) => nic.firewall).map((nic) => nic.key);
  if (!levelEnabled('guest', firewall)) return { state: 'off: not enabled for this guest' };
  const policy = policies('guest', firewall);
  const open = config?.nics.filter((nic) => !nic.firewall).map((nic) => nic.key) ?? [];
  return {
    state: `on, as far as the datacenter firewall is on${flagged === undefined ? '; for which interfaces is not known' : open.length === 0 ? '' : `; not for ${open.join(', ')}`}`,
    filters: flagged,
    policy_in: policy.in,
    policy_out: policy.out,
  };
}

function pendingCells(change: Parameters<typeof pendingRow>[0]) {
  const { key, now, after } = pendingRow(change, '');
  return { key, now: oneLine(now, 60), after: after === undefined ? undefined : oneLine(after, 60) };
}

function failedFirst(tasks: readonly Task[] | undefined): readonly Task[] | undefined {
  const rank = (task: Task): number => (task.state === 'failed' ? 0 : task.state === 'running' ? 1 : 2);
  return tasks?.toSorted((a, b) => rank(a) - rank(b) || (b.start ?? 0) - (a.start ?? 0));
}

function taskRow(task: Task) {
  const open = task.state !== 'ok';
  return {
    start: task.start,
    type: task.type,
    state: task.state,
    status: open && task.status !== undefined ? oneLine(task.status, 100) : undefined,
    user: task.user,
    // Only where there is something to look into.
    upid: open ? task.upid : undefined,
  };
}
