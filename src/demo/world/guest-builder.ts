import { createRandom } from './random.ts';
import type {
  AgentState,
  DemoGuest,
  DemoSnapshot,
  GuestConfig,
  GuestDetail,
  LxcInterface,
  PendingChange,
  PowerState,
} from './types.ts';
import { GIB, KIB, MIB, TIB } from './units.ts';

/** What a guest is made from; the live figures follow from its configuration and load. */
export interface GuestSpec {
  readonly vmid: number;
  readonly node: string;
  readonly pool?: string;
  readonly power: PowerState;
  readonly hastate?: string;
  /** Name and tags as the cluster index shows them where they differ from the configuration. */
  readonly indexName?: string;
  readonly indexTags?: string;
  /** Seconds since the last start. */
  readonly uptime?: number;
  /** Fraction of the guest's CPUs in use. */
  readonly cpu?: number;
  /** Fraction of the guest's memory in use. */
  readonly memUse?: number;
  /** Fraction of a running container's root file system in use. */
  readonly diskUse?: number;
  readonly config: GuestConfig;
  readonly changes?: Readonly<Record<string, PendingChange>>;
  readonly snapshots?: readonly DemoSnapshot[];
  readonly agent?: AgentState;
  readonly interfaces?: readonly LxcInterface[];
  readonly cloudinitChanges?: Readonly<Record<string, PendingChange>>;
}

/** The figures of a guest that exist without its configuration. */
export interface GuestFigures {
  readonly cpus: number;
  readonly maxmem: number;
  readonly maxdisk: number;
  readonly maxswap: number;
  readonly balloonMin?: number;
}

const OFF: AgentState = { kind: 'off' };
const UNIT: Readonly<Record<string, number>> = { K: KIB, M: MIB, G: GIB, T: TIB };

/** Bytes of a `size=` value such as `32G` or `931.5G`; 0 when there is none. */
export function sizeOf(volume: string): number {
  const match = /(?:^|,)size=(\d+(?:\.\d+)?)([KMGT])?/.exec(volume);
  if (!match) return 0;
  return Math.round(Number(match[1]) * (match[2] ? (UNIT[match[2]] ?? 1) : 1));
}

/** The value of `key` as text; undefined when absent or a list of pairs. */
export function textOf(config: GuestConfig, key: string): string | undefined {
  const value = config[key];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/** MiB of a `memory` value: a number, a number as text, or `current=2048`. */
export function memoryMiB(value: string | undefined, fallback: number): number {
  const digits = value?.match(/(?:^|current=)(\d+)/)?.[1];
  return digits === undefined ? fallback : Number(digits);
}

/** Bytes of the disk a VM boots from; 0 without one. */
function bootDiskBytes(config: GuestConfig): number {
  const first = textOf(config, 'boot')?.match(/order=([a-z]+\d+)/)?.[1] ?? textOf(config, 'bootdisk');
  const keys = first === undefined ? [] : [first];
  for (const key of [...keys, 'scsi0', 'virtio0', 'sata0', 'ide0']) {
    const volume = textOf(config, key);
    if (volume !== undefined && !volume.includes('media=cdrom')) return sizeOf(volume);
  }
  return 0;
}

function qemuFigures(config: GuestConfig, hostCpus: number): GuestFigures {
  const configured = Number(
    textOf(config, 'vcpus') ?? Number(textOf(config, 'sockets') ?? 1) * Number(textOf(config, 'cores') ?? 1),
  );
  const balloon = Number(textOf(config, 'balloon') ?? 0);
  return {
    cpus: Math.min(configured, hostCpus),
    maxmem: memoryMiB(textOf(config, 'memory'), 512) * MIB,
    maxdisk: bootDiskBytes(config),
    maxswap: 0,
    ...(balloon > 0 ? { balloonMin: balloon * MIB } : {}),
  };
}

function lxcFigures(config: GuestConfig, hostCpus: number): GuestFigures {
  const configured = Number(textOf(config, 'cores') ?? textOf(config, 'cpulimit') ?? 0);
  return {
    cpus: Math.min(configured > 0 ? configured : hostCpus, hostCpus),
    maxmem: memoryMiB(textOf(config, 'memory'), 512) * MIB,
    maxdisk: sizeOf(textOf(config, 'rootfs') ?? ''),
    maxswap: Number(textOf(config, 'swap') ?? 512) * MIB,
  };
}

/** Builds a guest from its specification; `now` in epoch seconds, `hostCpus` caps what a guest can get. */
export function buildGuest(type: DemoGuest['type'], spec: GuestSpec, now: number, hostCpus: number): DemoGuest {
  const { config } = spec;
  const figures = type === 'qemu' ? qemuFigures(config, hostCpus) : lxcFigures(config, hostCpus);
  const detail: GuestDetail = {
    config,
    changes: new Map(Object.entries(spec.changes ?? {})),
    snapshots: spec.snapshots ?? [],
    agent: spec.agent ?? OFF,
    interfaces: spec.interfaces ?? [],
    cloudinitChanges: new Map(Object.entries(spec.cloudinitChanges ?? {})),
  };
  const name = spec.indexName ?? textOf(config, type === 'qemu' ? 'name' : 'hostname');
  const tags = spec.indexTags ?? textOf(config, 'tags');
  const lock = textOf(config, 'lock');
  return assembleGuest(
    {
      vmid: spec.vmid,
      type,
      node: spec.node,
      ...(name === undefined ? {} : { name }),
      ...(spec.pool === undefined ? {} : { pool: spec.pool }),
      ...(tags === undefined ? {} : { tags }),
      ...(lock === undefined ? {} : { lock }),
      ...(spec.hastate === undefined ? {} : { hastate: spec.hastate }),
      template: Number(textOf(config, 'template') ?? 0) === 1,
      power: spec.power,
    },
    figures,
    {
      uptime: spec.uptime ?? 6 * 86_400 + spec.vmid * 61,
      cpu: spec.cpu ?? 0.04,
      memUse: spec.memUse ?? 0.5,
      diskUse: spec.diskUse ?? 0.3,
    },
    now,
    () => detail,
  );
}

export type GuestIdentity = Pick<
  DemoGuest,
  'vmid' | 'type' | 'node' | 'name' | 'pool' | 'tags' | 'lock' | 'hastate' | 'template' | 'power'
>;

export interface GuestLoad {
  readonly uptime: number;
  readonly cpu: number;
  readonly memUse: number;
  readonly diskUse: number;
}

/** Puts identity, figures and load together; `detail` is computed once, at the first read. */
export function assembleGuest(
  identity: GuestIdentity,
  figures: GuestFigures,
  load: GuestLoad,
  now: number,
  detail: () => GuestDetail,
): DemoGuest {
  const alive = identity.power !== 'stopped';
  const container = identity.type === 'lxc';
  const counters = createRandom(identity.vmid * 7919);
  const count = (scale: number): number => (alive ? Math.floor(counters.next() * scale * load.uptime) : 0);
  const mem = alive ? Math.floor(figures.maxmem * load.memUse) : 0;
  let known: GuestDetail | undefined;
  return {
    ...identity,
    cpus: figures.cpus,
    cpu: alive && identity.power === 'running' ? load.cpu : 0,
    maxmem: figures.maxmem,
    mem,
    memhost: container ? 0 : alive ? Math.floor(Math.min(mem * 1.06, figures.maxmem * 1.02)) : 0,
    ...(figures.balloonMin === undefined ? {} : { balloonMin: figures.balloonMin }),
    maxswap: figures.maxswap,
    swap: container && alive ? Math.floor(figures.maxswap * 0.02) : 0,
    maxdisk: figures.maxdisk,
    disk: container && alive ? Math.floor(figures.maxdisk * load.diskUse) : 0,
    netin: count(90_000),
    netout: count(70_000),
    diskread: count(40_000),
    diskwrite: count(120_000),
    startedAt: alive ? now - load.uptime : undefined,
    pid: alive ? 1200 + ((identity.vmid * 37) % 60_000) : undefined,
    get detail() {
      known ??= detail();
      return known;
    },
  };
}
