import type { Call } from '../api/call.ts';
import { ApiError, toApiError } from '../api/errors.ts';
import { boolOf, intOf, isRaw, numberOf, propertiesOf, rawOf, rowsOf, textOf } from '../api/lenient.ts';
import { cleanText } from '../redact/plain-text.ts';
import { type GuestDisk, isDiskKey, parseDisks } from './guest-disks.ts';
import { type GuestNic, isNicKey, parseNics } from './guest-nics.ts';
import type { Guest, GuestType } from './inventory.ts';

/** A public key that may log in to the guest. */
export interface SshKey {
  readonly type: string;
  readonly fingerprint: string | undefined;
  readonly comment: string | undefined;
}

/** A guest's configuration, taken apart. */
export interface GuestConfig {
  readonly type: GuestType;
  /** Every single-valued key as text, secrets hidden. */
  readonly values: ReadonlyMap<string, string>;
  readonly disks: readonly GuestDisk[];
  readonly nics: readonly GuestNic[];
  readonly sshKeys: readonly SshKey[];
  /** Raw `lxc.*` lines of a container, in order. */
  readonly rawLines: readonly { readonly key: string; readonly value: string }[];
  /** The notes, with their line breaks; as written by people. */
  readonly notes: string | undefined;
}

export interface ConfigQuery {
  /** Name of a snapshot: the configuration of that moment. */
  readonly snapshot?: string | undefined;
  /** True: what the guest runs with; otherwise the API answers with pending changes applied. */
  readonly current?: boolean | undefined;
}

/**
 * A guest's configuration. Snapshots are read by the same endpoint: the one made for them hands out secrets.
 *
 * Source: GET /nodes/{node}/{qemu|lxc}/{vmid}/config (VM.Audit). A container with `env` is refused to auditors.
 */
export async function readGuestConfig(call: Call, guest: Guest, query: ConfigQuery = {}): Promise<GuestConfig> {
  const where = { node: guest.node, vmid: guest.vmid };
  const asked = { snapshot: query.snapshot, current: query.current === true ? true : undefined };
  const { data } = await explainingRefusal(guest, () => call.get(`/nodes/{node}/${guest.type}/{vmid}/config`, where, asked));
  return parseGuestConfig(data, guest.type);
}

/**
 * Runs a read of the configuration and puts the one refusal into words that an auditor gets on a container with
 * environment variables: upstream checks VM.Config.Options for the whole answer instead of leaving out `env`.
 */
export async function explainingRefusal<T>(guest: Guest, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (thrown) {
    const error = toApiError(thrown);
    if (!isEnvironmentBug(error, guest)) throw error;
    throw new ApiError(
      'forbidden',
      `The configuration of container ${guest.vmid} holds environment variables (env) and is therefore refused to tokens without VM.Config.Options: a bug of Proxmox VE, an auditor should get all but env.`,
      { hint: ENVIRONMENT_HINT, needs: error.needs, status: error.status, cause: error },
    );
  }
}

/** What to do about that refusal. */
export const ENVIRONMENT_HINT =
  'VM.Config.Options opens the configuration and its pending changes, but also allows changes; get_guest_status, get_guest_network and list_snapshots work without it.';

/** True for the refusal of a container's configuration because of its environment variables. */
export function isEnvironmentBug(error: { readonly kind: string; readonly needs?: string | undefined }, guest: Guest): boolean {
  return guest.type === 'lxc' && error.kind === 'forbidden' && (error.needs ?? '').includes('VM.Config.Options');
}

export function parseGuestConfig(data: unknown, type: GuestType): GuestConfig {
  const raw = rawOf(data);
  const values = configValues(raw);
  return {
    type,
    values,
    disks: parseDisks(values, type),
    nics: parseNics(values, type),
    sshKeys: parseSshKeys(raw['sshkeys']),
    rawLines: parseRawLines(raw['lxc']),
    notes: textOf(raw['description']),
  };
}

/** Every value that is a text or a number, as clean text. */
export function configValues(raw: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const [key, value] of Object.entries(raw)) {
    const text = typeof value === 'boolean' ? (value ? '1' : '0') : textOf(value);
    if (text !== undefined && key !== 'description' && key !== 'sshkeys') values.set(key, cleanText(text));
  }
  return values;
}

/** Keys come as summaries, since their bodies are cut on the way in. */
function parseSshKeys(value: unknown): readonly SshKey[] {
  return rowsOf(value).map((row) => ({
    type: textOf(row['type']) ?? 'unknown',
    fingerprint: textOf(row['fingerprint']),
    comment: textOf(row['comment']),
  }));
}

function parseRawLines(value: unknown): GuestConfig['rawLines'] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((pair: unknown) => {
    if (!Array.isArray(pair)) return isRaw(pair) ? [] : toLine(/^(\S+?)\s*=\s*(.*)$/s.exec(String(pair)));
    const [key, text]: unknown[] = pair;
    const name = textOf(key);
    return name === undefined ? [] : [{ key: cleanText(name), value: cleanText(textOf(text) ?? '') }];
  });
}

function toLine(match: RegExpExecArray | null): { key: string; value: string }[] {
  return match === null ? [] : [{ key: cleanText(match[1] ?? ''), value: cleanText(match[2] ?? '') }];
}

/** The figures that a configuration means, defaults included. */
export interface ConfigSummary {
  /** Virtual CPUs; undefined for a container without a limit (all of the host's). */
  readonly cpus: number | undefined;
  /** `2 sockets x 4 cores`; `all cores of the host` */
  readonly topology: string | undefined;
  /** Upper bound in CPUs, may be fractional. */
  readonly cpuLimit: number | undefined;
  /** Bytes. */
  readonly memory: number | undefined;
  /** Bytes: the least a machine is shrunk to; undefined when it has no balloon range. */
  readonly balloonMin: number | undefined;
  /** Bytes, containers only. */
  readonly swap: number | undefined;
  readonly agent: boolean | undefined;
  readonly onBoot: boolean;
  readonly protection: boolean;
  readonly template: boolean;
  readonly unprivileged: boolean | undefined;
  /** Keys whose default is shown, because the configuration does not say. */
  readonly defaults: readonly string[];
}

const MIB = 2 ** 20;

/** Puts the figures together. Defaults are those of the API: 1 socket, 1 core, 512 MiB (machines and containers). */
export function summarizeConfig(config: GuestConfig): ConfigSummary {
  const { values, type } = config;
  const get = (key: string): string | undefined => values.get(key);
  const memory = memoryMib(get('memory'));
  const defaults: string[] = [];
  if (memory === undefined) defaults.push('memory');
  const bytes = (memory ?? 512) * MIB;
  const common = {
    cpuLimit: positive(numberOf(get('cpulimit'))),
    memory: bytes,
    onBoot: boolOf(get('onboot')) ?? false,
    protection: boolOf(get('protection')) ?? false,
    template: boolOf(get('template')) ?? false,
  };
  if (type === 'lxc') {
    const cores = intOf(get('cores'));
    const swap = numberOf(get('swap'));
    if (swap === undefined) defaults.push('swap');
    return {
      ...common,
      cpus: cores,
      topology: cores === undefined ? 'all cores of the host' : undefined,
      balloonMin: undefined,
      swap: (swap ?? 512) * MIB,
      agent: undefined,
      unprivileged: boolOf(get('unprivileged')) ?? false,
      defaults,
    };
  }
  const sockets = intOf(get('sockets'));
  const cores = intOf(get('cores'));
  if (cores === undefined) defaults.push('cores');
  const vcpus = intOf(get('vcpus'));
  const balloon = numberOf(get('balloon'));
  const most = (sockets ?? 1) * (cores ?? 1);
  const topology = `${sockets ?? 1} x ${cores ?? 1}${vcpus === undefined ? '' : `, ${vcpus} plugged in`}`;
  return {
    ...common,
    cpus: vcpus ?? most,
    topology: most === 1 && vcpus === undefined ? undefined : topology,
    balloonMin: balloon !== undefined && balloon > 0 && balloon * MIB < bytes ? balloon * MIB : undefined,
    swap: undefined,
    agent: agentEnabled(get('agent')),
    unprivileged: undefined,
    defaults,
  };
}

/** `2048`, `"2048"` or `current=2048` (8.1 and later), in MiB. */
function memoryMib(value: string | undefined): number | undefined {
  return numberOf(propertiesOf(value, 'current').get('current'));
}

function positive(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 ? value : undefined;
}

/** Whether the guest agent is enabled: `1`, `enabled=1`, `1,fstrim_cloned_disks=1`; absent means no. */
export function agentEnabled(value: string | undefined): boolean {
  return boolOf(propertiesOf(value, 'enabled').get('enabled')) ?? false;
}

/** Keys that the tables of disks and interfaces already tell. */
export function isTabledKey(key: string, type: GuestType): boolean {
  return isDiskKey(key, type) || isNicKey(key);
}
