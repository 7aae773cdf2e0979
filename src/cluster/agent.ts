import type { Call } from '../api/call.ts';
import { boolOf, byText, listOf, numberOf, rawOf, rowsOf, timeOf } from '../api/lenient.ts';
import type { Privilege } from '../api/privileges.ts';
import { attempt } from '../api/reading.ts';
import { atLeast } from '../api/release.ts';
import { normalMac } from './guest-nics.ts';
import type { Guest } from './inventory.ts';
import { cleaned } from './shown-text.ts';

/** An interface as the guest's own system sees it. */
export interface GuestInterface {
  /** Name in the guest. */
  readonly name: string;
  readonly mac: string | undefined;
  readonly addresses: readonly { readonly ip: string; readonly prefix: number | undefined }[];
}

/** What the guest's system says about itself. */
export interface OsInfo {
  readonly name: string | undefined;
  readonly kernel: string | undefined;
  readonly machine: string | undefined;
}

/** A mounted file system in a machine. */
export interface FileSystem {
  readonly mount: string;
  readonly type: string | undefined;
  /** Bytes; absent for systems that the agent can't measure. */
  readonly used: number | undefined;
  readonly total: number | undefined;
  /** Device in the guest. */
  readonly device: string | undefined;
}

/** CPUs as the guest's own system sees them. */
export interface GuestCpus {
  readonly online: number;
  readonly present: number;
}

/** Somebody who is logged in. */
export interface GuestUser {
  readonly user: string;
  readonly domain: string | undefined;
  /** Seconds since the epoch. */
  readonly since: number | undefined;
}

/** Whether the agent may be asked: it only answers in a running machine, and a mute one costs seconds. */
export function mayAskAgent(guest: Guest, enabled: boolean): boolean {
  return guest.type === 'qemu' && guest.status === 'running' && enabled;
}

/**
 * Whether the token may ask every agent, so that hundreds of requests are not sent to be refused; undefined where its
 * rights are not told, for then the agents' own answers tell them.
 */
export async function agentRight(call: Call): Promise<{ readonly privilege: Privilege; readonly held: boolean | undefined }> {
  const nine = atLeast(await call.release(), '9.0');
  const privileges = nine ? (['VM.GuestAgent.Audit', 'VM.GuestAgent.Unrestricted'] as const) : (['VM.Monitor'] as const);
  const held = await attempt({}, () => Promise.all(privileges.map((p) => call.rights.has(p, '/vms'))));
  return { privilege: privileges[0], held: held.data?.includes(true) };
}

/** Source: GET /nodes/{node}/qemu/{vmid}/agent/network-get-interfaces (VM.GuestAgent.Audit; up to 8.4 VM.Monitor). */
export async function readAgentInterfaces(call: Call, guest: Guest): Promise<readonly GuestInterface[]> {
  return parseAgentInterfaces((await call.get('/nodes/{node}/qemu/{vmid}/agent/network-get-interfaces', placeOf(guest))).data);
}

/** Source: GET /nodes/{node}/qemu/{vmid}/agent/get-osinfo. */
export async function readOsInfo(call: Call, guest: Guest): Promise<OsInfo> {
  return parseOsInfo((await call.get('/nodes/{node}/qemu/{vmid}/agent/get-osinfo', placeOf(guest))).data);
}

/** Source: GET /nodes/{node}/qemu/{vmid}/agent/get-fsinfo. */
export async function readFileSystems(call: Call, guest: Guest): Promise<readonly FileSystem[]> {
  return parseFileSystems((await call.get('/nodes/{node}/qemu/{vmid}/agent/get-fsinfo', placeOf(guest))).data);
}

/** Source: GET /nodes/{node}/qemu/{vmid}/agent/get-host-name. */
export async function readAgentHostName(call: Call, guest: Guest): Promise<string | undefined> {
  const { data } = await call.get('/nodes/{node}/qemu/{vmid}/agent/get-host-name', placeOf(guest));
  return cleaned(resultOf(data)['host-name']);
}

/** Source: GET /nodes/{node}/qemu/{vmid}/agent/get-users. */
export async function readAgentUsers(call: Call, guest: Guest): Promise<readonly GuestUser[]> {
  return parseAgentUsers((await call.get('/nodes/{node}/qemu/{vmid}/agent/get-users', placeOf(guest))).data);
}

/** `CET (UTC+1)`. Source: GET /nodes/{node}/qemu/{vmid}/agent/get-timezone. */
export async function readAgentTimezone(call: Call, guest: Guest): Promise<string | undefined> {
  return parseTimezone((await call.get('/nodes/{node}/qemu/{vmid}/agent/get-timezone', placeOf(guest))).data);
}

/**
 * Seconds that the guest's clock is ahead of the node that answers for the cluster; below two it means nothing. Undefined
 * when either does not tell.
 *
 * Source: GET /nodes/{node}/qemu/{vmid}/agent/get-time.
 */
export async function readAgentClock(call: Call, guest: Guest): Promise<number | undefined> {
  const asked = call.now();
  const got = await call.get('/nodes/{node}/qemu/{vmid}/agent/get-time', placeOf(guest));
  if (got.clockOffset === undefined) return undefined;
  // The date of an answer is cut to whole seconds: on average half a second is lost.
  return parseAgentClock(got.data, (asked + call.now()) / 2 + got.clockOffset + 500);
}

/** Source: GET /nodes/{node}/qemu/{vmid}/agent/get-vcpus. */
export async function readAgentCpus(call: Call, guest: Guest): Promise<GuestCpus | undefined> {
  return parseAgentCpus((await call.get('/nodes/{node}/qemu/{vmid}/agent/get-vcpus', placeOf(guest))).data);
}

function placeOf(guest: Guest): { readonly node: string; readonly vmid: number } {
  return { node: guest.node, vmid: guest.vmid };
}

/** Agent answers stand in `result`. */
function resultOf(data: unknown): Readonly<Record<string, unknown>> {
  return rawOf(rawOf(data)['result']);
}

export function parseAgentInterfaces(data: unknown): readonly GuestInterface[] {
  return listOf(rawOf(data)['result'], "the guest's interfaces").flatMap((row) => {
    const name = cleaned(row['name']);
    if (name === undefined) return [];
    // An interface without an address has no list at all.
    const addresses = rowsOf(row['ip-addresses']).flatMap((address) => {
      const ip = cleaned(address['ip-address']);
      return ip === undefined ? [] : [{ ip, prefix: numberOf(address['prefix']) }];
    });
    return [{ name, mac: normalMac(row['hardware-address']), addresses }];
  });
}

export function parseOsInfo(data: unknown): OsInfo {
  const result = resultOf(data);
  const named = [cleaned(result['name']), cleaned(result['version'])].filter((part) => part !== undefined).join(' ');
  return {
    name: cleaned(result['pretty-name']) ?? (named === '' ? cleaned(result['id']) : named),
    kernel: cleaned(result['kernel-release']),
    machine: cleaned(result['machine']),
  };
}

/** Images that are mounted read-only are always full. */
const IMAGES: ReadonlySet<string> = new Set(['squashfs', 'iso9660', 'udf', 'cdfs', 'erofs', 'cramfs']);

/** Fullest first; read-only images (snaps, CD-ROMs) and those without figures last. */
export function parseFileSystems(data: unknown): readonly FileSystem[] {
  const found = listOf(rawOf(data)['result'], "the guest's file systems").flatMap((row): FileSystem[] => {
    const mount = cleaned(row['mountpoint']);
    if (mount === undefined) return [];
    const total = numberOf(row['total-bytes']);
    return [
      {
        mount,
        type: cleaned(row['type']),
        used: total === undefined ? undefined : numberOf(row['used-bytes']),
        total,
        device: cleaned(rowsOf(row['disk'])[0]?.['dev']) ?? cleaned(row['name']),
      },
    ];
  });
  return found.sort((a, b) => share(b) - share(a) || byText(a.mount, b.mount));
}

function share(system: FileSystem): number {
  if (IMAGES.has(system.type?.toLowerCase() ?? '')) return -2;
  return system.total === undefined || system.total === 0 ? -1 : (system.used ?? 0) / system.total;
}

export function parseAgentUsers(data: unknown): readonly GuestUser[] {
  const users = listOf(rawOf(data)['result'], "the guest's users").flatMap((row) => {
    const user = cleaned(row['user']);
    return user === undefined ? [] : [{ user, domain: cleaned(row['domain']), since: timeOf(row['login-time']) }];
  });
  return users.sort((a, b) => byText(a.user, b.user) || (a.since ?? 0) - (b.since ?? 0));
}

/** @param nowMs the time that it should be, epoch milliseconds; the agent tells nanoseconds */
export function parseAgentClock(data: unknown, nowMs: number): number | undefined {
  const nanoseconds = numberOf(rawOf(data)['result']);
  // No -0: it would be shown as such.
  return nanoseconds === undefined ? undefined : Math.round(nanoseconds / 1e9 - nowMs / 1000) + 0;
}

/** Windows and old agents tell no `online`: what is listed is there. */
export function parseAgentCpus(data: unknown): GuestCpus | undefined {
  const rows = rowsOf(rawOf(data)['result']);
  return rows.length === 0
    ? undefined
    : { online: rows.filter((row) => boolOf(row['online']) ?? true).length, present: rows.length };
}

export function parseTimezone(data: unknown): string | undefined {
  const result = resultOf(data);
  const zone = cleaned(result['zone']);
  const offset = numberOf(result['offset']);
  if (offset === undefined) return zone;
  const hours = offset / 3600;
  const utc = `UTC${hours < 0 ? '-' : '+'}${Number(Math.abs(hours).toFixed(2))}`;
  return zone === undefined ? utc : `${zone} (${utc})`;
}
