import { readFileSync } from 'node:fs';
import { z } from 'zod';

/**
 * Real answers of a Proxmox VE 9.2.11 API over a made-up cluster, asked by three tokens and trimmed (`data/*.jsonl`).
 * Every secret in them was planted and opens nothing; `canaries.ts` lists them.
 */

/**
 * - `full`: `root@pam!full`, every privilege.
 * - `readonly`: `mcp@pve!readonly`, PVEAuditor on `/`.
 * - `noacl`: `mcp@pve!noacl`, privilege-separated without any ACL entry.
 */
export type RecordedRole = 'full' | 'readonly' | 'noacl';
export const RECORDED_ROLES: readonly RecordedRole[] = ['full', 'readonly', 'noacl'];

/** When the answers were taken (epoch seconds): `now` for anything that tells an age from them. */
export const RECORDED_AT = 1_796_025_000;

/** Nodes whose own API does not answer; pve2 is listed as online all the same. */
export const OFFLINE_NODES: readonly string[] = ['pve2', 'pve3'];

export type QueryValues = Readonly<Record<string, string>>;

export interface Recording {
  /** Decoded path below `/api2/json`, e.g. `/nodes/pve1/status`. */
  readonly path: string;
  readonly params: QueryValues;
  readonly status: number;
  readonly reason: string;
  /** Parsed JSON body; null when the answer had no body. */
  readonly body: unknown;
}

const Line = z.strictObject({
  path: z.string(),
  /** Left out when the request had none. */
  params: z.record(z.string(), z.union([z.string(), z.number()]).transform(String)).default({}),
  status: z.number(),
  /** Left out when it is `OK` or the first line of the message. */
  reason: z.string().optional(),
  body: z.union([z.null(), z.looseObject({ data: z.unknown(), message: z.string().optional() })]),
});

export interface RecordingSet {
  readonly role: RecordedRole;
  readonly all: readonly Recording[];
  /** The recording of exactly this path and these parameters, in any order. */
  find(path: string, params?: QueryValues): Recording | undefined;
}

const dataDirectory = new URL('./data/', import.meta.url);
const loaded = new Map<RecordedRole, RecordingSet>();

/**
 * The recordings of one token. The file of `full` holds only what it was answered differently from `readonly`;
 * refusals are never taken over.
 */
export function loadRecordings(role: RecordedRole): RecordingSet {
  const known = loaded.get(role);
  if (known) return known;
  const byKey = new Map<string, Recording>();
  if (role === 'full')
    for (const recording of loadRecordings('readonly').all)
      if (recording.status !== 403) byKey.set(keyOf(recording.path, recording.params), recording);
  for (const recording of readLines(role)) byKey.set(keyOf(recording.path, recording.params), recording);
  const set: RecordingSet = {
    role,
    all: [...byKey.values()],
    find: (path, params = {}) => byKey.get(keyOf(path, params)),
  };
  loaded.set(role, set);
  return set;
}

function readLines(role: RecordedRole): Recording[] {
  const lines = readFileSync(new URL(`${role}.jsonl`, dataDirectory), 'utf8').split('\n');
  return lines.flatMap((text, index) => {
    if (text === '') return [];
    const parsed = Line.safeParse(JSON.parse(text));
    if (!parsed.success) throw new Error(`${role}.jsonl line ${index + 1}: ${parsed.error.message}`);
    const { path, params, status, reason, body } = parsed.data;
    const saidReason = reason ?? (status === 200 ? 'OK' : (body?.message?.split('\n')[0] ?? ''));
    return [{ path: decodeURIComponent(path), params, status, reason: saidReason, body }];
  });
}

function keyOf(path: string, params: QueryValues): string {
  const query = Object.entries(params).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${path}?${query.map(([name, value]) => `${name}=${value}`).join('&')}`;
}

/** The rows of a recorded list (`data` is an array of objects); undefined when the answer is no such list. */
export function rowsOf(recording: Recording | undefined): Record<string, unknown>[] | undefined {
  const parsed = z.object({ data: z.array(z.record(z.string(), z.unknown())) }).safeParse(recording?.body);
  return parsed.success ? parsed.data.data : undefined;
}

/** The `data` of an answer that is one object; undefined when it is none. */
export function objectOf(recording: Recording | undefined): Record<string, unknown> | undefined {
  const parsed = z.object({ data: z.record(z.string(), z.unknown()) }).safeParse(recording?.body);
  return parsed.success ? parsed.data.data : undefined;
}
