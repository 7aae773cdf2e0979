import type { Call } from '../api/call.ts';
import { boolOf, isRaw, listOf, textOf } from '../api/lenient.ts';
import { REDACTED } from '../redact/marker.ts';
import { configValues, explainingRefusal } from './guest-config.ts';
import { compareKeys } from './guest-disks.ts';
import type { Guest } from './inventory.ts';

/** A configuration value that takes effect at the guest's next start. */
export interface PendingChange {
  readonly key: string;
  /** What the guest runs with; undefined when the key is new. */
  readonly now: string | undefined;
  /** What it gets; undefined when the key goes away. */
  readonly after: string | undefined;
  readonly deleted: boolean;
}

/** A guest's configuration in both states. */
export interface PendingConfig {
  /** What the guest runs with, in the shape of `/config`. */
  readonly running: Readonly<Record<string, unknown>>;
  readonly changes: readonly PendingChange[];
}

/**
 * What changes when the guest is started again. It holds the running configuration as well (but no raw `lxc.*` lines).
 *
 * Source: GET /nodes/{node}/{qemu|lxc}/{vmid}/pending (VM.Audit).
 */
export async function readPending(call: Call, guest: Guest): Promise<PendingConfig> {
  const where = { node: guest.node, vmid: guest.vmid };
  const { data } = await explainingRefusal(guest, () => call.get(`/nodes/{node}/${guest.type}/{vmid}/pending`, where));
  return parsePending(data);
}

/** Rows `{key, value, pending, delete}`; releases before 8.0 say `old` and `new` for cloud-init. */
export function parsePending(data: unknown): PendingConfig {
  const running: Record<string, unknown> = {};
  const changes: PendingChange[] = [];
  for (const row of listOf(data, 'pending changes')) {
    const key = textOf(row['key']);
    if (key === undefined) continue;
    const now = row['value'] ?? row['old'];
    const after = row['pending'] ?? row['new'];
    if (now !== undefined && now !== null) running[key] = now;
    // 2 is a forced removal.
    const deleted = boolOf(row['delete']) ?? false;
    if (!deleted && (after === undefined || after === null || isSame(now, after))) continue;
    changes.push({ key, now: shown(key, now), after: deleted ? undefined : shown(key, after), deleted });
  }
  return { running, changes: changes.sort((a, b) => compareKeys(a.key, b.key)) };
}

/**
 * Keys whose cloud-init image is older than the configuration: they reach the guest when the image is made anew.
 *
 * Source: GET /nodes/{node}/qemu/{vmid}/cloudinit (VM.Audit).
 */
export async function readCloudInitChanges(call: Call, guest: Guest): Promise<readonly PendingChange[]> {
  const { data } = await call.get('/nodes/{node}/qemu/{vmid}/cloudinit', { node: guest.node, vmid: guest.vmid });
  return parsePending(data).changes;
}

/** Two hidden values look alike and may differ all the same: the API names what changes, so it is believed. */
function isSame(now: unknown, after: unknown): boolean {
  const written = textOf(after);
  const text = written ?? JSON.stringify(after);
  return !text.includes(REDACTED) && text === (written === undefined ? JSON.stringify(now) : textOf(now));
}

/** Long texts and key lists are named, not shown. */
function shown(key: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (key === 'description') return `(${String(value).length} characters)`;
  if (key === 'sshkeys' || Array.isArray(value) || isRaw(value)) return '(list)';
  return configValues({ [key]: value }).get(key);
}
