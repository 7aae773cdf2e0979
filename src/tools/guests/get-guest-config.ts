import { z } from 'zod';
import type { Cell } from '../../answer/spec.ts';
import { bool, bytes, entries, int, list, number, prose, record, table, text, time } from '../../answer/spec.ts';
import { counted } from '../../answer/units.ts';
import type { Call } from '../../api/call.ts';
import { ApiError, toApiError } from '../../api/errors.ts';
import { propertiesOf, tagsOf, timeOf } from '../../api/lenient.ts';
import { attempt, type Gaps, mergeGaps, NO_GAPS, problemFrom } from '../../api/reading.ts';
import {
  ENVIRONMENT_HINT,
  type GuestConfig,
  isEnvironmentBug,
  isTabledKey,
  readGuestConfig,
  summarizeConfig,
} from '../../cluster/guest-config.ts';
import type { GuestDisk } from '../../cluster/guest-disks.ts';
import type { GuestNic } from '../../cluster/guest-nics.ts';
import { readGuestStatus } from '../../cluster/guest-status.ts';
import type { Guest } from '../../cluster/inventory.ts';
import { type PendingChange, readCloudInitChanges, readPending } from '../../cluster/pending.ts';
import { requireOnlineNode, resolveGuest } from '../../cluster/resolve.ts';
import { readSnapshots } from '../../cluster/snapshots.ts';
import { closest } from '../../config/suggest.ts';
import { defineTool } from '../define-tool.ts';
import { guest } from '../params.ts';
import { RIGHTS_READS } from '../rights-reads.ts';
import { guestTitle } from './guest-words.ts';

/** Told in the `config` record, or not worth a line (`digest` only serves writers). */
const SUMMARIZED: ReadonlySet<string> = new Set(
  'name hostname ostype memory balloon swap cores sockets vcpus cpulimit agent onboot protection template unprivileged lock machine bios cpu boot bootdisk startup digest tags snaptime'.split(
    ' ',
  ),
);

/** Columns of a table of interfaces; `nicRow` makes its rows. */
export const nicColumns = {
  nic: text(),
  model: text(),
  name: text(),
  mac: text(),
  bridge: text(),
  vlan: int(),
  trunks: text(),
  firewall: bool(),
  rate: number('MB/s'),
  mtu: int(),
  link: text(),
  ip: text(),
  gateway: text(),
  ip6: text(),
  gateway6: text(),
};

export const getGuestConfig = defineTool({
  name: 'get_guest_config',
  title: 'Guest configuration',
  toolset: 'guests',
  description:
    'Configuration of one guest: CPU, memory, disks, network interfaces, the rest, pending changes. Also as of a snapshot.',
  params: {
    ...guest,
    snapshot: z.string().min(1).max(60).describe('As of this snapshot').optional(),
    current: z.boolean().describe('As it runs, without pending changes').optional(),
    notes: z.boolean().describe('With the notes').optional(),
  },
  output: {
    config: record({
      name: text(),
      taken: time('of the snapshot'),
      os: text('ostype'),
      cpus: number(),
      topology: text('sockets x cores'),
      cpu_limit: number(),
      cpu_type: text(),
      memory: bytes(),
      balloon_min: bytes(),
      swap: bytes(),
      agent: bool(),
      machine: text(),
      bios: text(),
      boot: text(),
      start_on_boot: bool(),
      startup: text(),
      protection: bool(),
      template: bool(),
      unprivileged: bool(),
      lock: text(),
      tags: list(),
      created: time(),
      disk: bytes('boot disk or root file system; only where the configuration is refused'),
      defaults: list('keys that are not set and have their default'),
    }),
    disks: table({
      key: text(),
      kind: text(),
      storage: text(),
      volume: text(),
      size: bytes(),
      mount: text(),
      backup: bool('part of backups of the guest'),
      clone_of: int(),
      options: list(),
    }),
    nics: table(nicColumns),
    ssh_keys: table({ type: text(), fingerprint: text(), comment: text() }),
    other: entries(),
    pending: table({ key: text(), now: text(), after: text('from the next start on'), applies: text() }),
    notes: prose(),
  },
  reads: [
    '/cluster/resources',
    '/nodes/{node}/qemu/{vmid}/config',
    '/nodes/{node}/lxc/{vmid}/config',
    '/nodes/{node}/qemu/{vmid}/pending',
    '/nodes/{node}/lxc/{vmid}/pending',
    '/nodes/{node}/qemu/{vmid}/cloudinit',
    '/nodes/{node}/lxc/{vmid}/status/current',
    '/nodes/{node}/qemu/{vmid}/snapshot',
    '/nodes/{node}/lxc/{vmid}/snapshot',
    '/cluster/nextid',
    ...RIGHTS_READS,
  ],
  async run(args, call) {
    if (args.snapshot !== undefined) checkSnapshotName(args.snapshot);
    const resolved = await resolveGuest(call, args);
    const { guest: target } = resolved;
    requireOnlineNode(resolved.inventory, target.node);
    const [read, pending] = await Promise.all([
      readOrExplain(call, target, args),
      args.snapshot === undefined
        ? attempt({ node: target.node, vmid: target.vmid }, () => readPending(call, target))
        : undefined,
    ]);
    if (!('config' in read)) return withoutConfig(call, target, read.error, resolved.notes);

    const { config } = read;
    const hasImage = args.snapshot === undefined && config.disks.some((d) => d.kind === 'cloud-init');
    const image = hasImage
      ? await attempt({ node: target.node, vmid: target.vmid }, () => readCloudInitChanges(call, target))
      : undefined;
    const changes = pending?.data?.changes ?? [];
    const outdated = image?.data ?? [];
    const state =
      args.snapshot !== undefined
        ? `as of snapshot ${args.snapshot}`
        : args.current === true
          ? 'as it runs'
          : changes.length > 0
            ? 'with pending changes applied'
            : '';
    const disks = config.disks.filter((d) => d.kind !== 'unused').length;
    const waiting =
      changes.length === 0
        ? ''
        : `; ${counted(changes.length, 'change')} wait${changes.length === 1 ? 's' : ''} for the next start`;
    return {
      headline: `${guestTitle(target)}${state === '' ? '' : `, ${state}`}: ${counted(disks, 'disk or drive', 'disks and drives')}, ${counted(config.nics.length, 'network interface')}${waiting}`,
      sections: {
        // The API leaves out tags with characters that it does not expect; the inventory has them.
        config: summaryRow(config, args.snapshot === undefined ? target.tags : []),
        disks: config.disks.length === 0 ? undefined : config.disks.map(diskRow),
        nics: config.nics.length === 0 ? undefined : config.nics.map(nicRow),
        ssh_keys: config.sshKeys.length === 0 ? undefined : config.sshKeys,
        other: otherEntries(config),
        pending: changes.length + outdated.length === 0 ? undefined : pendingRows(changes, outdated),
        notes: args.notes === true ? (config.notes ?? '') : undefined,
      },
      gaps: mergeGaps(NO_GAPS, ...[pending, image].filter((gap) => gap !== undefined)),
      notes: [
        ...resolved.notes,
        ...(config.notes !== undefined && args.notes !== true ? ['It has notes: ask with notes=true.'] : []),
      ],
    };
  },
});

function checkSnapshotName(name: string): void {
  if (name === 'current') {
    throw new ApiError('bad-argument', 'snapshot: "current" is no snapshot but the present state.', {
      hint: 'Leave out snapshot, or use current=true for the values that it runs with.',
    });
  }
  if (!/^[A-Za-z][\w-]{1,39}$/.test(name))
    throw new ApiError('bad-argument', `snapshot: ${JSON.stringify(name)} is no snapshot name.`, {
      hint: 'list_snapshots shows them.',
    });
}

type Read = { readonly config: GuestConfig } | { readonly error: ApiError };

/** The configuration, or the one refusal that can be explained. */
async function readOrExplain(
  call: Call,
  target: Guest,
  query: { readonly snapshot?: string | undefined; readonly current?: boolean | undefined },
): Promise<Read> {
  try {
    return { config: await readGuestConfig(call, target, query) };
  } catch (thrown) {
    const error = toApiError(thrown);
    // Of the present state the status still tells something.
    if (isEnvironmentBug(error, target) && query.snapshot === undefined) return { error };
    if (query.snapshot !== undefined && (error.kind === 'not-found' || error.kind === 'upstream'))
      throw await noSuchSnapshot(call, target, query.snapshot, error);
    throw error;
  }
}

async function noSuchSnapshot(call: Call, target: Guest, name: string, original: ApiError): Promise<ApiError> {
  const tree = await attempt({ node: target.node, vmid: target.vmid }, () => readSnapshots(call, target));
  if (tree.data === undefined) return original;
  const names = tree.data.snapshots.map((s) => s.name);
  // It is there, so the failure is something else.
  if (names.includes(name)) return original;
  const near = closest(name, names);
  return new ApiError('not-found', `Guest ${target.vmid} has no snapshot ${JSON.stringify(name)}.`, {
    hint:
      near !== undefined
        ? `Did you mean ${near}?`
        : names.length === 0
          ? 'It has no snapshots.'
          : `It has: ${names.slice(0, 10).join(', ')}.`,
  });
}

/** What can be told of a container whose configuration is refused because of its environment variables. */
async function withoutConfig(call: Call, target: Guest, error: ApiError, notes: readonly string[]) {
  const where = { node: target.node, vmid: target.vmid };
  const status = await attempt(where, () => readGuestStatus(call, target));
  const refused: Gaps = { problems: [problemFrom(error, where)], coverage: 'partial', hidden: [] };
  return {
    headline: `${guestTitle(target)}: configuration refused; what its status tells`,
    sections: {
      config: {
        name: status.data?.name ?? target.name,
        cpus: status.data?.cpus ?? target.maxCpu,
        memory: status.data?.maxMem ?? target.maxMem,
        swap: status.data?.maxSwap,
        disk: status.data?.maxDisk ?? target.maxDisk,
        template: target.template ? true : undefined,
        lock: status.data?.lock ?? target.lock,
        tags: target.tags.length === 0 ? undefined : target.tags,
      },
    },
    gaps: mergeGaps(refused, status),
    notes: [...notes, ENVIRONMENT_HINT],
  };
}

function summaryRow(config: GuestConfig, known: readonly string[]) {
  const summary = summarizeConfig(config);
  const own = tagsOf(config.values.get('tags'));
  const tags = own.length === 0 ? known : own;
  const { values } = config;
  return {
    name: values.get('name') ?? values.get('hostname'),
    taken: timeOf(values.get('snaptime')),
    os: values.get('ostype'),
    cpus: summary.cpus,
    topology: summary.topology,
    cpu_limit: summary.cpuLimit,
    cpu_type: values.get('cpu'),
    memory: summary.memory,
    balloon_min: summary.balloonMin,
    swap: summary.swap,
    agent: summary.agent,
    machine: values.get('machine'),
    bios: values.get('bios'),
    boot: values.get('boot'),
    start_on_boot: summary.onBoot,
    startup: values.get('startup'),
    protection: summary.protection ? true : undefined,
    template: summary.template ? true : undefined,
    unprivileged: summary.unprivileged,
    lock: values.get('lock'),
    tags: tags.length === 0 ? undefined : tags,
    created: timeOf(propertiesOf(values.get('meta')).get('ctime')),
    defaults: summary.defaults.length === 0 ? undefined : summary.defaults,
  };
}

/** A disk as the answers show it. */
export function diskRow(disk: GuestDisk) {
  return {
    key: disk.key,
    kind: disk.kind,
    storage: disk.storage,
    volume: disk.storage === undefined ? disk.volume : disk.volume.slice(disk.storage.length + 1),
    size: disk.size,
    mount: disk.mount,
    backup: disk.backup,
    clone_of: disk.cloneOf,
    options: disk.options.length === 0 ? undefined : disk.options,
  };
}

/** An interface as the answers show it. */
export function nicRow(nic: GuestNic) {
  return {
    nic: nic.key,
    model: nic.model,
    name: nic.name,
    mac: nic.mac,
    bridge: nic.bridge,
    vlan: nic.vlan,
    trunks: nic.trunks,
    firewall: nic.firewall,
    rate: nic.rate,
    mtu: nic.mtu,
    link: nic.linkDown ? 'down' : undefined,
    ip: nic.ip,
    gateway: nic.gateway,
    ip6: nic.ip6,
    gateway6: nic.gateway6,
  };
}

function otherEntries(config: GuestConfig): Readonly<Record<string, Cell>> | undefined {
  const rest: Record<string, Cell> = {};
  for (const [key, value] of config.values) {
    if (SUMMARIZED.has(key) || isTabledKey(key, config.type)) continue;
    // Their addresses stand in the row of the interface.
    if (/^ipconfig\d+$/.test(key) && config.nics.some((nic) => nic.key === key.replace('ipconfig', 'net'))) continue;
    // When it was made is told as a time, in the summary.
    const shown = key === 'meta' ? value.replace(/(?:^|,)ctime=\d+/, '').replace(/^,/, '') : value;
    if (shown !== '') rest[key] = shown;
  }
  for (const { key, value } of config.rawLines) {
    const before = rest[key];
    rest[key] = before === undefined ? value : [...(Array.isArray(before) ? before : [String(before)]), value];
  }
  return Object.keys(rest).length === 0 ? undefined : rest;
}

function pendingRows(changes: readonly PendingChange[], outdated: readonly PendingChange[]) {
  return [
    ...changes.map((change) => pendingRow(change, 'next start')),
    ...outdated.map((change) => pendingRow(change, 'next cloud-init image')),
  ];
}

/** A pending change as the answers show it. */
export function pendingRow(change: PendingChange, applies: string) {
  return {
    key: change.key,
    now: withUnit(change.key, change.now) ?? '(not set)',
    after: change.deleted ? '(removed)' : withUnit(change.key, change.after),
    applies,
  };
}

/** The configuration counts memory in MiB without saying so. */
function withUnit(key: string, value: string | undefined): string | undefined {
  return value !== undefined && /^(?:memory|balloon|swap)$/.test(key) && /^\d+$/.test(value) ? `${value} MiB` : value;
}
