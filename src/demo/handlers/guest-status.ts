import type { HandlerRequest } from '../types.ts';
import type { DemoGuest, DemoWorld } from '../world/types.ts';
import { isNine, seconds } from './answers.ts';
import { shownName, uptimeOf } from './guest-lookup.ts';
import type { Row } from './resource-rows.ts';

/** Pressure stall figures exist since 9.0: numbers for VMs, text for containers. */
function pressure(guest: DemoGuest): Row {
  const some = guest.cpu > 0.5 ? 3.17 : 0;
  const shown = (value: number): number | string => (guest.type === 'lxc' ? value.toFixed(2) : value);
  return {
    pressurecpusome: shown(some),
    pressurecpufull: shown(0),
    pressureiosome: shown(some / 2),
    pressureiofull: shown(0),
    pressurememorysome: shown(0),
    pressurememoryfull: shown(0),
  };
}

function common(request: HandlerRequest, guest: DemoGuest): Row {
  return {
    vmid: guest.vmid,
    status: guest.startedAt === undefined ? 'stopped' : 'running',
    name: shownName(guest),
    cpu: guest.cpu,
    cpus: guest.cpus,
    mem: guest.mem,
    maxmem: guest.maxmem,
    disk: guest.disk,
    maxdisk: guest.maxdisk,
    netin: guest.netin,
    netout: guest.netout,
    uptime: uptimeOf(guest, seconds(request)),
    ...(guest.tags === undefined || /[^\x20-\x7e]/.test(guest.tags) ? {} : { tags: guest.tags }),
    ...(guest.lock === undefined ? {} : { lock: guest.lock }),
    ...(guest.template ? { template: 1 } : {}),
    ...(guest.pid === undefined ? {} : { pid: guest.pid }),
    ...(guest.pid !== undefined && isNine(request) ? pressure(guest) : {}),
  };
}

/** Only a question to QEMU fills the disk counters in; without it they are 0, and absent since 9.0. */
function diskCounters(request: HandlerRequest, guest: DemoGuest, full: boolean): Row {
  if (full && guest.pid !== undefined) return { diskread: guest.diskread, diskwrite: guest.diskwrite };
  return isNine(request) ? {} : { diskread: 0, diskwrite: 0 };
}

/** A VM as /nodes/{node}/qemu lists it; `full` asks QEMU itself. */
export function vmRow(request: HandlerRequest, guest: DemoGuest, full: boolean): Row {
  const config = guest.pid === undefined ? {} : guest.detail.config;
  return {
    ...common(request, guest),
    ...diskCounters(request, guest, full),
    ...(isNine(request) ? { memhost: guest.memhost } : {}),
    ...(guest.balloonMin !== undefined && guest.pid !== undefined ? { balloon_min: guest.balloonMin, shares: 1000 } : {}),
    ...(config.serial0 === undefined ? {} : { serial: 1 }),
    ...(full ? { qmpstatus: guest.power } : {}),
  };
}

/** Guests that have run for longer still run the QEMU from before the last upgrade. */
const QEMU_UPGRADED_AGO = 20 * 86_400;

/** Version of the QEMU a guest runs on: the one that was installed when it started. */
function runningQemu(world: DemoWorld, request: HandlerRequest, guest: DemoGuest): string {
  const since = uptimeOf(guest, seconds(request));
  const second = world.nodes.some((node) => node.node === 'pve2') ? 'pve2' : guest.node;
  const { versions } = world.areas.maintenance.node(since > QEMU_UPGRADED_AGO ? second : guest.node);
  const row = versions.find((candidate) => candidate.Package === 'pve-qemu-kvm');
  return String(row?.OldVersion ?? row?.Version ?? '').split('-')[0] ?? '';
}

/** /nodes/{node}/qemu/{vmid}/status/current */
export function vmStatus(world: DemoWorld, request: HandlerRequest, guest: DemoGuest): Row {
  const { config } = guest.detail;
  const running = guest.pid !== undefined;
  const agent = /^(?:enabled=)?1/.test(String(config.agent ?? ''));
  return {
    ...vmRow(request, guest, true),
    ha: highAvailability(guest),
    ...(agent && running ? { agent: 1 } : {}),
    ...(String(config.vga ?? '').startsWith('qxl') && running ? { spice: 1 } : {}),
    ...(running && request.release !== '7.4' ? { clipboard: null } : {}),
    ...(running
      ? {
          'running-machine': runningMachine(config.machine),
          'running-qemu': runningQemu(world, request, guest),
          ...(guest.balloonMin === undefined
            ? {}
            : { balloon: guest.maxmem, ballooninfo: balloonInfo(guest), freemem: guest.maxmem - guest.mem }),
        }
      : {}),
  };
}

/** The versioned machine that a configured one stands for. */
function runningMachine(configured: unknown): string {
  const machine = String(configured ?? 'pc');
  if (machine === 'q35') return 'pc-q35-10.0+pve1';
  return machine === 'pc' ? 'pc-i440fx-10.0+pve1' : machine;
}

function balloonInfo(guest: DemoGuest): Row {
  return {
    actual: guest.maxmem,
    max_mem: guest.maxmem,
    total_mem: guest.maxmem - 67_108_864,
    free_mem: guest.maxmem - guest.mem,
    mem_swapped_in: 0,
    mem_swapped_out: 0,
    major_page_faults: 1211,
    minor_page_faults: 20_811_903,
    last_update: 1,
  };
}

/** The HA part of a guest's state. */
function highAvailability(guest: DemoGuest): Row {
  return guest.hastate === undefined ? { managed: 0 } : { managed: 1, state: guest.hastate };
}

/** A container as /nodes/{node}/lxc lists it; its vmid is text up to 7. */
export function containerRow(request: HandlerRequest, guest: DemoGuest): Row {
  const row = common(request, guest);
  return {
    ...row,
    vmid: request.release === '7.4' ? String(guest.vmid) : guest.vmid,
    type: 'lxc',
    diskread: guest.diskread,
    diskwrite: guest.diskwrite,
    swap: guest.swap,
    maxswap: guest.maxswap,
  };
}

/** /nodes/{node}/lxc/{vmid}/status/current */
export function containerStatus(request: HandlerRequest, guest: DemoGuest): Row {
  return { ...containerRow(request, guest), ha: highAvailability(guest) };
}
