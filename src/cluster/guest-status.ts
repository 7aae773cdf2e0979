import type { Call } from '../api/call.ts';
import { boolOf, intOf, numberOf, type Raw, rawOf, tagsOf, textOf } from '../api/lenient.ts';
import { cleanText } from '../redact/plain-text.ts';
import type { Guest, GuestType } from './inventory.ts';
import { cleaned } from './shown-text.ts';

/** A guest at this moment, as its node tells. */
export interface GuestStatus {
  readonly name: string | undefined;
  /** `running` or `stopped`. */
  readonly status: string;
  /** What QEMU says: `running`, `paused`, `prelaunch`, `postmigrate`, ...; machines only. */
  readonly qmpStatus: string | undefined;
  /** Fraction 0..1 of the guest's own CPUs. */
  readonly cpu: number | undefined;
  /** CPUs it may use, capped by the host's; fractional with a limit. */
  readonly cpus: number | undefined;
  /** Bytes. */
  readonly mem: number | undefined;
  readonly maxMem: number | undefined;
  /** Bytes of the host's memory that its process holds, from 9.0 on. */
  readonly memHost: number | undefined;
  /** True when the guest's own balloon driver counted `mem`; false when it is the host's view (caches included). */
  readonly memFromGuest: boolean | undefined;
  /** Bytes that the balloon leaves to the guest, and the least it may shrink to. */
  readonly balloon: number | undefined;
  readonly balloonMin: number | undefined;
  readonly swap: number | undefined;
  readonly maxSwap: number | undefined;
  /** Bytes of the root file system in use; containers only, since the host does not know it of a machine. */
  readonly disk: number | undefined;
  /** Bytes: size of the boot disk or root file system. */
  readonly maxDisk: number | undefined;
  /** Seconds. */
  readonly uptime: number | undefined;
  /** Bytes since the guest was started. */
  readonly netIn: number | undefined;
  readonly netOut: number | undefined;
  readonly diskRead: number | undefined;
  readonly diskWrite: number | undefined;
  /** Fractions 0..1 of the last 10 s in which some (all) of its tasks waited; from 9.0 on. */
  readonly pressure: Pressure | undefined;
  /** Whether the agent is enabled in what it runs with; machines only. */
  readonly agent: boolean | undefined;
  readonly haManaged: boolean | undefined;
  readonly haState: string | undefined;
  readonly machine: string | undefined;
  readonly qemu: string | undefined;
  readonly pid: number | undefined;
  readonly lock: string | undefined;
  readonly template: boolean;
  readonly tags: readonly string[];
}

export interface Pressure {
  readonly cpuSome: number | undefined;
  readonly cpuFull: number | undefined;
  readonly ioSome: number | undefined;
  readonly ioFull: number | undefined;
  readonly memorySome: number | undefined;
  readonly memoryFull: number | undefined;
}

/**
 * A guest's live status.
 *
 * Source: GET /nodes/{node}/{qemu|lxc}/{vmid}/status/current (VM.Audit).
 */
export async function readGuestStatus(call: Call, guest: Guest): Promise<GuestStatus> {
  const where = { node: guest.node, vmid: guest.vmid };
  const { data } = await call.get(`/nodes/{node}/${guest.type}/{vmid}/status/current`, where);
  return parseGuestStatus(data, guest.type);
}

export function parseGuestStatus(data: unknown, type: GuestType): GuestStatus {
  const row = rawOf(data);
  const status = textOf(row['status']) ?? 'unknown';
  // A guest that does not run has figures of 0 that mean nothing.
  const live = status === 'running';
  const whileLive = (value: unknown): number | undefined => (live ? numberOf(value) : undefined);
  const balloon = rawOf(row['ballooninfo']);
  const ha = rawOf(row['ha']);
  return {
    name: cleaned(row['name']),
    status,
    qmpStatus: type === 'qemu' ? textOf(row['qmpstatus']) : undefined,
    cpu: whileLive(row['cpu']),
    cpus: numberOf(row['cpus']),
    mem: whileLive(row['mem']),
    maxMem: numberOf(row['maxmem']),
    memHost: type === 'qemu' ? whileLive(row['memhost']) : undefined,
    memFromGuest: type === 'qemu' && live ? numberOf(balloon['free_mem']) !== undefined : undefined,
    balloon: whileLive(balloon['actual'] ?? row['balloon']),
    balloonMin: numberOf(row['balloon_min']),
    swap: whileLive(row['swap']),
    maxSwap: numberOf(row['maxswap']),
    disk: type === 'lxc' ? whileLive(row['disk']) : undefined,
    maxDisk: positive(row['maxdisk']),
    uptime: whileLive(row['uptime']),
    netIn: whileLive(row['netin']),
    netOut: whileLive(row['netout']),
    diskRead: whileLive(row['diskread']),
    diskWrite: whileLive(row['diskwrite']),
    pressure: live ? parsePressure(row) : undefined,
    agent: type === 'qemu' ? (boolOf(row['agent']) ?? false) : undefined,
    haManaged: boolOf(ha['managed']),
    haState: cleaned(ha['state']),
    machine: cleaned(row['running-machine']),
    qemu: cleaned(row['running-qemu']),
    pid: intOf(row['pid']),
    lock: cleaned(row['lock']),
    template: boolOf(row['template']) ?? false,
    tags: tagsOf(row['tags']).map((tag) => cleanText(tag)),
  };
}

function parsePressure(row: Raw): Pressure | undefined {
  const share = (key: string): number | undefined => {
    const percent = numberOf(row[key]);
    return percent === undefined ? undefined : percent / 100;
  };
  const pressure = {
    cpuSome: share('pressurecpusome'),
    cpuFull: share('pressurecpufull'),
    ioSome: share('pressureiosome'),
    ioFull: share('pressureiofull'),
    memorySome: share('pressurememorysome'),
    memoryFull: share('pressurememoryfull'),
  };
  return Object.values(pressure).every((value) => value === undefined) ? undefined : pressure;
}

function positive(value: unknown): number | undefined {
  const found = numberOf(value);
  return found === undefined || found <= 0 ? undefined : found;
}
