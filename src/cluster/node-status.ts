import type { Call } from '../api/call.ts';
import { boolOf, byText, intOf, listOf, numberOf, type Raw, rawOf, textOf, timeOf, vmidOf } from '../api/lenient.ts';
import { cleanText } from '../redact/plain-text.ts';
import { cleaned } from './shown-text.ts';

/** A measured part of a whole, in bytes. */
export interface Usage {
  readonly used: number | undefined;
  readonly total: number | undefined;
}

/** What a node tells about itself. */
export interface NodeStatus {
  readonly cpuModel: string | undefined;
  readonly sockets: number | undefined;
  /** Physical cores of all sockets. */
  readonly cores: number | undefined;
  /** Logical CPUs: what guests are scheduled on. */
  readonly threads: number | undefined;
  /** Fraction 0..1 of all logical CPUs. */
  readonly cpu: number | undefined;
  /** Fraction 0..1 of the time spent waiting for input and output. */
  readonly ioWait: number | undefined;
  /** Load averages of 1, 5 and 15 minutes. */
  readonly load: readonly number[];
  readonly memory: Usage;
  readonly swap: Usage;
  readonly root: Usage;
  /** Bytes that memory deduplication shares. */
  readonly ksm: number | undefined;
  /** Release of the running kernel, e.g. `6.17.4-2-pve`. */
  readonly kernel: string | undefined;
  /** Version of pve-manager, e.g. `9.2.11`. */
  readonly manager: string | undefined;
  /** `efi`, `legacy-bios`; 8.0 and later. */
  readonly boot: string | undefined;
  readonly secureBoot: boolean | undefined;
  /** Seconds. */
  readonly uptime: number | undefined;
}

/**
 * A node's live state.
 *
 * Source: GET /nodes/{node}/status (Sys.Audit on /nodes/{node}).
 */
export async function readNodeStatus(call: Call, node: string): Promise<NodeStatus> {
  return parseNodeStatus((await call.get('/nodes/{node}/status', { node })).data);
}

export function parseNodeStatus(data: unknown): NodeStatus {
  const row = rawOf(data);
  const cpu = rawOf(row['cpuinfo']);
  const boot = rawOf(row['boot-info']);
  return {
    cpuModel: cleaned(cpu['model']),
    sockets: intOf(cpu['sockets']),
    cores: intOf(cpu['cores']),
    threads: intOf(cpu['cpus']),
    cpu: numberOf(row['cpu']),
    ioWait: numberOf(row['wait']),
    load: Array.isArray(row['loadavg']) ? row['loadavg'].flatMap((value) => numberOf(value) ?? []) : [],
    memory: usageOf(row['memory']),
    swap: usageOf(row['swap']),
    root: usageOf(row['rootfs']),
    ksm: numberOf(rawOf(row['ksm'])['shared']),
    kernel: cleaned(rawOf(row['current-kernel'])['release']) ?? /^Linux (\S+)/.exec(textOf(row['kversion']) ?? '')?.[1],
    manager: managerVersion(textOf(row['pveversion'])),
    boot: cleaned(boot['mode']),
    secureBoot: boolOf(boot['secureboot']),
    uptime: timeOf(row['uptime']),
  };
}

function usageOf(value: unknown): Usage {
  const row = rawOf(value);
  return { used: numberOf(row['used']), total: numberOf(row['total']) };
}

/** `pve-manager/9.2.11/14a22df35955d97d` holds the version in the middle. */
function managerVersion(text: string | undefined): string | undefined {
  const parts = text?.split('/') ?? [];
  const version = parts.length > 1 ? parts[1] : parts[0];
  return version === undefined || version === '' ? undefined : cleanText(version);
}

/** A system service as the node's service manager sees it. */
export interface Service {
  readonly service: string;
  /** `running`, `dead`, `failed`, `exited`, ... */
  readonly state: string;
  /** `active`, `inactive`, `failed`, ... */
  readonly active: string | undefined;
  /** `enabled`, `disabled`, `masked`, `static`, `not-found`, ... */
  readonly unit: string | undefined;
  readonly about: string | undefined;
}

/**
 * - `running`: does its work, or has done it (a service that runs once and exits)
 * - `failed`
 * - `stopped`: enabled or disabled by somebody, and not running
 * - `absent`: not installed, which is normal (there is only one time service, for instance)
 */
export type ServiceVerdict = 'running' | 'failed' | 'stopped' | 'absent';

/**
 * The node's services, failed ones first.
 *
 * Source: GET /nodes/{node}/services (Sys.Audit on /nodes/{node}).
 */
export async function readServices(call: Call, node: string): Promise<readonly Service[]> {
  return parseServices((await call.get('/nodes/{node}/services', { node })).data);
}

export function parseServices(data: unknown): readonly Service[] {
  return listOf(data, 'services')
    .flatMap((row) => {
      const service = cleaned(row['service']) ?? cleaned(row['name']);
      if (service === undefined) return [];
      return [
        {
          service,
          state: cleaned(row['state']) ?? 'unknown',
          active: cleaned(row['active-state']),
          unit: cleaned(row['unit-state']),
          about: cleaned(row['desc']),
        },
      ];
    })
    .sort((a, b) => VERDICT_RANK[serviceVerdict(a)] - VERDICT_RANK[serviceVerdict(b)] || byText(a.service, b.service));
}

const VERDICT_RANK: Readonly<Record<ServiceVerdict, number>> = { failed: 0, stopped: 1, running: 2, absent: 3 };

export function serviceVerdict(service: Pick<Service, 'state' | 'active' | 'unit'>): ServiceVerdict {
  // A failed service may still be called active: the state is the one that counts.
  if (service.state === 'failed' || service.active === 'failed') return 'failed';
  if (service.state === 'running' || service.state === 'exited') return 'running';
  if (service.unit === 'not-found') return 'absent';
  return 'stopped';
}

/** A support subscription. The key arrives masked but for its product. */
export interface Subscription {
  /** `active`, `notfound`, `new`, `expired`, `invalid`, `suspended`. */
  readonly status: string;
  readonly level: string | undefined;
  readonly product: string | undefined;
  readonly key: string | undefined;
  readonly sockets: number | undefined;
  /** Dates as the shop writes them (`2026-06-01`). */
  readonly registered: string | undefined;
  readonly due: string | undefined;
  /** Epoch seconds of the last check with the shop. */
  readonly checked: number | undefined;
  readonly message: string | undefined;
}

/** Source: GET /nodes/{node}/subscription (any user; the key needs Sys.Audit). */
export async function readSubscription(call: Call, node: string): Promise<Subscription> {
  return parseSubscription((await call.get('/nodes/{node}/subscription', { node })).data);
}

export function parseSubscription(data: unknown): Subscription {
  const row = rawOf(data);
  return {
    status: (cleaned(row['status']) ?? 'unknown').toLowerCase(),
    level: cleaned(row['level']),
    product: cleaned(row['productname']),
    key: cleaned(row['key']),
    sockets: intOf(row['sockets']),
    registered: cleaned(row['regdate']),
    due: cleaned(row['nextduedate']),
    checked: timeOf(row['checktime']),
    message: cleaned(row['message']),
  };
}

export interface Dns {
  readonly search: string | undefined;
  readonly servers: readonly string[];
}

/** Source: GET /nodes/{node}/dns (Sys.Audit on /nodes/{node}). */
export async function readDns(call: Call, node: string): Promise<Dns> {
  return parseDns((await call.get('/nodes/{node}/dns', { node })).data);
}

export function parseDns(data: unknown): Dns {
  const row = rawOf(data);
  return {
    search: cleaned(row['search']),
    servers: ['dns1', 'dns2', 'dns3'].flatMap((key) => cleaned(row[key]) ?? []),
  };
}

/** A node's clock against others. The API tells whole seconds, so an offset below two means nothing. */
export interface NodeClock {
  readonly timezone: string | undefined;
  /** The node's time, epoch seconds. */
  readonly time: number | undefined;
  /** Seconds that the node is ahead of the machine this program runs on. */
  readonly ahead: number | undefined;
  /** Seconds that the node is ahead of the node that answers for the cluster. */
  readonly aheadOfEntry: number | undefined;
}

/** Source: GET /nodes/{node}/time (Sys.Audit on /nodes/{node}); the answering node's clock is in the answer's Date. */
export async function readNodeClock(call: Call, node: string): Promise<NodeClock> {
  const asked = call.now();
  const got = await call.get('/nodes/{node}/time', { node });
  // The node looked at its clock somewhere between asking and answering.
  return parseNodeClock(got.data, (asked + call.now()) / 2, got.clockOffset);
}

/**
 * @param nowMs our time when the node looked at its clock, epoch milliseconds
 * @param entryOffsetMs milliseconds that the answering node is ahead of us
 */
export function parseNodeClock(data: unknown, nowMs: number, entryOffsetMs: number | undefined): NodeClock {
  const row = rawOf(data);
  const time = timeOf(row['time']);
  // Seconds are cut, not rounded, in the answer and in its date: on average half a second is lost.
  const ahead = time === undefined ? undefined : time + 0.5 - nowMs / 1000;
  return {
    timezone: cleaned(row['timezone']),
    time,
    ahead: ahead === undefined ? undefined : round(ahead),
    aheadOfEntry: ahead === undefined || entryOffsetMs === undefined ? undefined : round(ahead - (entryOffsetMs + 500) / 1000),
  };
}

function round(seconds: number): number {
  // No -0: it would be shown as such.
  return Math.round(seconds) + 0;
}

/** An installed package, or one that could be. */
export interface Package {
  readonly name: string;
  /** Undefined when it is not installed. */
  readonly installed: string | undefined;
  /** Newest version that the node's package lists know. */
  readonly candidate: string | undefined;
}

/** The packages that make up the product on a node. */
export interface NodeVersions {
  readonly packages: readonly Package[];
  readonly manager: string | undefined;
  readonly runningKernel: string | undefined;
  /** Newest kernel that is installed. */
  readonly newestKernel: string | undefined;
}

/**
 * Versions of the product's own packages.
 *
 * Source: GET /nodes/{node}/apt/versions (Sys.Audit on /nodes/{node}).
 */
export async function readNodeVersions(call: Call, node: string): Promise<NodeVersions> {
  return parseNodeVersions((await call.get('/nodes/{node}/apt/versions', { node })).data);
}

export function parseNodeVersions(data: unknown): NodeVersions {
  const rows = listOf(data, 'package versions');
  const packages = rows.flatMap(packageOf).sort((a, b) => byText(a.name, b.name));
  const first = (key: string): string | undefined => rows.map((row) => cleaned(row[key])).find((value) => value !== undefined);
  const kernels = packages.flatMap((p) => (p.installed === undefined ? [] : (kernelOf(p.name) ?? [])));
  return {
    packages,
    manager: first('ManagerVersion')?.split('/')[0],
    runningKernel: first('RunningKernel'),
    newestKernel: kernels.sort(compareVersions).at(-1),
  };
}

function packageOf(row: Raw): readonly Package[] {
  const name = cleaned(row['Package']);
  if (name === undefined) return [];
  const isInstalled = textOf(row['CurrentState']) === 'Installed';
  const candidate = cleaned(row['Version']);
  return [{ name, installed: isInstalled ? (cleaned(row['OldVersion']) ?? candidate) : undefined, candidate }];
}

/** `6.17.4-2-pve` out of `proxmox-kernel-6.17.4-2-pve-signed`; undefined for a meta package and anything else. */
function kernelOf(name: string): string | undefined {
  return /^(?:pve|proxmox)-kernel-(\d+\.\d+\.\d+-\d+-pve)(?:-signed)?$/.exec(name)?.[1];
}

/** Compares versions by their runs of digits: `6.17.4-2` is newer than `6.8.12-15`. */
export function compareVersions(a: string, b: string): number {
  const left = a.match(/\d+/g) ?? [];
  const right = b.match(/\d+/g) ?? [];
  for (let i = 0; i < Math.max(left.length, right.length); i += 1) {
    const difference = Number(left[i] ?? -1) - Number(right[i] ?? -1);
    if (difference !== 0) return difference;
  }
  return byText(a, b);
}

/** True when a newer kernel is installed than the one that runs; undefined when one of them is not known. */
export function kernelPending(running: string | undefined, newest: string | undefined): boolean | undefined {
  if (running === undefined || newest === undefined) return undefined;
  return compareVersions(newest, running) > 0;
}

/** Pressure stall information: fractions 0..1 of the last minute in which work waited for the resource. */
export interface Pressure {
  /** Epoch seconds of the sample. */
  readonly time: number | undefined;
  readonly cpuSome: number | undefined;
  readonly memorySome: number | undefined;
  readonly memoryFull: number | undefined;
  readonly ioSome: number | undefined;
  readonly ioFull: number | undefined;
}

/**
 * The newest pressure figures of a node; undefined where the release does not record them (before 9.0).
 *
 * Source: GET /nodes/{node}/rrddata?timeframe=hour (Sys.Audit on /nodes/{node}).
 */
export async function readPressure(call: Call, node: string): Promise<Pressure | undefined> {
  return parsePressure((await call.get('/nodes/{node}/rrddata', { node }, { timeframe: 'hour', cf: 'AVERAGE' })).data);
}

export function parsePressure(data: unknown): Pressure | undefined {
  const samples = listOf(data, 'metrics')
    .filter((row) => numberOf(row['pressurecpusome']) !== undefined || numberOf(row['pressureiosome']) !== undefined)
    .sort((a, b) => (timeOf(a['time']) ?? 0) - (timeOf(b['time']) ?? 0));
  const last = samples.at(-1);
  if (last === undefined) return undefined;
  // Recorded in percent.
  const share = (key: string): number | undefined => {
    const value = numberOf(last[key]);
    return value === undefined ? undefined : value / 100;
  };
  return {
    time: timeOf(last['time']),
    cpuSome: share('pressurecpusome'),
    memorySome: share('pressurememorysome'),
    memoryFull: share('pressurememoryfull'),
    ioSome: share('pressureiosome'),
    ioFull: share('pressureiofull'),
  };
}

/** A node's own settings. */
export interface NodeConfig {
  /** Notes as people wrote them, line breaks kept; secrets hidden. */
  readonly notes: string | undefined;
  /** Everything else, single-line. */
  readonly values: ReadonlyMap<string, string>;
}

/** Source: GET /nodes/{node}/config (Sys.Audit on /). */
export async function readNodeConfig(call: Call, node: string): Promise<NodeConfig> {
  return parseNodeConfig((await call.get('/nodes/{node}/config', { node })).data);
}

export function parseNodeConfig(data: unknown): NodeConfig {
  const row = rawOf(data);
  const values = new Map<string, string>();
  for (const key of Object.keys(row).sort(byText)) {
    const value = cleaned(row[key]);
    // The digest serves only those who write.
    if (value !== undefined && key !== 'description' && key !== 'digest') values.set(cleanText(key), value);
  }
  return { notes: textOf(row['description']), values };
}

/** The node's hosts file. Source: GET /nodes/{node}/hosts (Sys.Audit on /). */
export async function readHosts(call: Call, node: string): Promise<string> {
  return textOf(rawOf((await call.get('/nodes/{node}/hosts', { node })).data)['data']) ?? '';
}

/** Traffic of one guest interface since it came up, in bytes. */
export interface Traffic {
  readonly vmid: number | undefined;
  readonly device: string | undefined;
  /** By the guest: what it received and sent. */
  readonly received: number | undefined;
  readonly sent: number | undefined;
}

/** Source: GET /nodes/{node}/netstat (Sys.Audit on /nodes/{node}). */
export async function readNetstat(call: Call, node: string): Promise<readonly Traffic[]> {
  return parseNetstat((await call.get('/nodes/{node}/netstat', { node })).data);
}

export function parseNetstat(data: unknown): readonly Traffic[] {
  return listOf(data, 'network traffic')
    .map((row) => ({
      vmid: vmidOf(row['vmid']),
      device: cleaned(row['dev']),
      received: numberOf(row['in']),
      sent: numberOf(row['out']),
    }))
    .sort((a, b) => (a.vmid ?? 0) - (b.vmid ?? 0) || byText(a.device, b.device));
}
