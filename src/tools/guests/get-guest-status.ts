import { bool, bytes, duration, int, list, number, percent, record, text } from '../../answer/spec.ts';
import { counted, shareOf } from '../../answer/units.ts';
import { attempt, mergeGaps, NO_GAPS } from '../../api/reading.ts';
import { type GuestStatus, readGuestStatus } from '../../cluster/guest-status.ts';
import { type Guest, type Inventory, offlineGaps } from '../../cluster/inventory.ts';
import { readPending } from '../../cluster/pending.ts';
import { resolveGuest } from '../../cluster/resolve.ts';
import { defineTool } from '../define-tool.ts';
import { guest } from '../params.ts';
import { RIGHTS_READS } from '../rights-reads.ts';
import { guestTitle } from './guest-words.ts';

export const getGuestStatus = defineTool({
  name: 'get_guest_status',
  title: 'Guest status',
  toolset: 'guests',
  description: 'Live status of one guest: state, load, memory with balloon, I/O since its start, pressure, HA, lock.',
  params: guest,
  output: {
    status: record({
      status: text('unknown while the node is offline'),
      qmp_status: text('what QEMU says, where it differs'),
      uptime: duration(),
      cpu: percent('of its own CPUs'),
      cpus: number(),
      mem: percent('of its memory'),
      mem_used: bytes(),
      memory: bytes(),
      mem_counted_by: text(),
      mem_on_host: bytes(),
      balloon: bytes('what it may use now'),
      balloon_min: bytes(),
      swap_used: bytes(),
      swap: bytes(),
      disk: percent('of the root file system'),
      disk_used: bytes(),
      disk_size: bytes('boot disk or root file system'),
      net_in: bytes('since its start'),
      net_out: bytes('since its start'),
      disk_read: bytes('since its start'),
      disk_written: bytes('since its start'),
      pressure_cpu: percent('of the last 10 s in which some task waited'),
      pressure_io: percent(),
      pressure_memory: percent(),
      agent_enabled: bool(),
      ha: text(),
      machine: text('running'),
      qemu: text('running version'),
      pid: int(),
      lock: text(),
      template: bool(),
      pool: text(),
      tags: list(),
      pending_changes: list('keys that change at the next start'),
    }),
  },
  reads: [
    '/cluster/resources',
    '/nodes/{node}/qemu/{vmid}/status/current',
    '/nodes/{node}/lxc/{vmid}/status/current',
    '/nodes/{node}/qemu/{vmid}/pending',
    '/nodes/{node}/lxc/{vmid}/pending',
    '/cluster/nextid',
    ...RIGHTS_READS,
  ],
  async run(args, call) {
    const { guest: target, inventory, notes } = await resolveGuest(call, args);
    if (isOffline(inventory, target.node)) {
      return {
        headline: `${guestTitle(target)}: state unknown, its node does not answer`,
        sections: { status: inventoryRow(target) },
        gaps: offlineGaps(inventory, new Set([target.node])),
        notes: [
          ...notes,
          ...(hasOldFigures(target) ? ['The figures are the last that the cluster saw, up to 5 minutes old.'] : []),
        ],
        next: [`get_metrics vmid=${target.vmid}`],
      };
    }
    const where = { node: target.node, vmid: target.vmid };
    const [status, pending] = await Promise.all([
      attempt(where, () => readGuestStatus(call, target)),
      attempt(where, () => readPending(call, target)),
    ]);
    if (status.data === undefined) {
      return {
        headline: `${guestTitle(target)}: ${target.status} by the cluster's view; its node gave no live status`,
        sections: { status: inventoryRow(target) },
        gaps: mergeGaps(status, pending),
        notes,
      };
    }
    const changes = pending.data?.changes.map((change) => change.key) ?? [];
    // A refused /pending (a container with environment variables) is get_guest_config's to explain.
    const pendingGaps = pending.problems.some((p) => p.kind === 'forbidden') ? NO_GAPS : pending;
    const refused = pending.problems.some((p) => p.kind === 'forbidden');
    return {
      headline: `${guestTitle(target)}: ${stateWords(status.data, target)}${changes.length === 0 ? '' : `; ${counted(changes.length, 'pending change')}`}`,
      sections: { status: { ...statusRow(status.data, target), pending_changes: changes.length === 0 ? undefined : changes } },
      gaps: mergeGaps(status, pendingGaps),
      notes: [
        ...notes,
        ...(refused
          ? [
              'Whether changes are pending can not be seen: that read needs VM.Config.Options for this container (it holds environment variables).',
            ]
          : []),
      ],
    };
  },
});

/** True when nothing may be sent to the guest's node. */
export function isOffline(inventory: Inventory, node: string): boolean {
  return inventory.nodes.find((n) => n.node === node)?.status !== 'online';
}

function hasOldFigures(guest: Guest): boolean {
  return guest.maxMem !== undefined;
}

function stateWords(status: GuestStatus, guest: Guest): string {
  const state = qmpStateOf(status) ?? status.status;
  const lock = status.lock ?? guest.lock;
  return `${state}${status.template || guest.template ? ', template' : ''}${lock === undefined ? '' : `, locked (${lock})`}`;
}

/** QEMU's own word where it says more than running or stopped. */
function qmpStateOf(status: GuestStatus): string | undefined {
  return status.qmpStatus === status.status ? undefined : status.qmpStatus;
}

function statusRow(status: GuestStatus, guest: Guest) {
  const { pressure } = status;
  return {
    status: status.status,
    qmp_status: qmpStateOf(status),
    uptime: status.uptime,
    cpu: status.cpu,
    cpus: status.cpus,
    mem: shareOf(status.mem, status.maxMem),
    mem_used: status.mem,
    memory: status.maxMem,
    mem_counted_by:
      status.memFromGuest === undefined
        ? undefined
        : status.memFromGuest
          ? 'the guest (balloon driver)'
          : 'the host (caches of the guest included)',
    mem_on_host: status.memHost,
    balloon: status.balloon === status.maxMem ? undefined : status.balloon,
    balloon_min: status.balloonMin,
    swap_used: status.swap,
    swap: status.maxSwap,
    disk: shareOf(status.disk, status.maxDisk),
    disk_used: status.disk,
    disk_size: status.maxDisk,
    net_in: status.netIn,
    net_out: status.netOut,
    disk_read: status.diskRead,
    disk_written: status.diskWrite,
    pressure_cpu: pressure?.cpuSome,
    pressure_io: pressure?.ioSome,
    pressure_memory: pressure?.memorySome,
    agent_enabled: status.agent,
    ha: haWords(status),
    machine: status.machine,
    qemu: status.qemu,
    pid: status.pid,
    lock: status.lock ?? guest.lock,
    template: status.template || guest.template ? true : undefined,
    pool: guest.pool,
    tags: guest.tags.length === 0 ? undefined : guest.tags,
  };
}

function haWords(status: GuestStatus): string | undefined {
  if (status.haManaged === undefined) return undefined;
  return status.haManaged ? (status.haState ?? 'managed') : 'not managed';
}

/** What the cluster's memory knows when the node can't be asked. */
function inventoryRow(guest: Guest) {
  return {
    status: guest.status,
    uptime: guest.uptime,
    cpu: guest.cpu,
    cpus: guest.maxCpu,
    mem: shareOf(guest.mem, guest.maxMem),
    mem_used: guest.mem,
    memory: guest.maxMem,
    disk: shareOf(guest.disk, guest.maxDisk),
    disk_used: guest.disk,
    disk_size: guest.maxDisk,
    ha: guest.haState,
    lock: guest.lock,
    template: guest.template ? true : undefined,
    pool: guest.pool,
    tags: guest.tags.length === 0 ? undefined : guest.tags,
  };
}
