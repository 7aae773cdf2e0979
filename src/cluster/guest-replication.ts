import type { Call } from '../api/call.ts';
import { boolOf, byText, intOf, numberOf, rowsOf, textOf, timeOf } from '../api/lenient.ts';
import { oneLine } from '../redact/plain-text.ts';
import { scrubFreeText } from '../redact/scrub-text.ts';
import type { Guest } from './inventory.ts';

/** Replication of one guest to one other node. */
export interface GuestReplication {
  readonly id: string;
  readonly target: string | undefined;
  /** Calendar event; every 15 minutes when the job does not say. */
  readonly schedule: string;
  /** Seconds since the epoch; undefined when it never ran to its end. */
  readonly lastSync: number | undefined;
  readonly nextSync: number | undefined;
  /** Seconds that the last run took. */
  readonly duration: number | undefined;
  readonly failCount: number;
  readonly error: string | undefined;
  readonly disabled: boolean;
  readonly running: boolean;
}

/**
 * Replication jobs of a guest with their state, as the node tells that it runs on.
 *
 * Source: GET /nodes/{node}/replication?guest=N (VM.Audit on the guest).
 */
export async function readGuestReplication(call: Call, guest: Guest): Promise<readonly GuestReplication[]> {
  const { data } = await call.get('/nodes/{node}/replication', { node: guest.node }, { guest: guest.vmid });
  return parseGuestReplication(data, guest.vmid);
}

/** Rows of other guests are left out, should a release not know the filter. */
export function parseGuestReplication(data: unknown, vmid: number): readonly GuestReplication[] {
  const jobs = rowsOf(data).flatMap((row): GuestReplication[] => {
    const id = textOf(row['id']);
    if (id === undefined || (intOf(row['guest']) ?? Number(id.split('-')[0])) !== vmid) return [];
    const error = textOf(row['error']);
    return [
      {
        id,
        target: textOf(row['target']),
        schedule: textOf(row['schedule']) ?? '*/15',
        lastSync: timeOf(row['last_sync']),
        nextSync: timeOf(row['next_sync']),
        duration: numberOf(row['duration']),
        failCount: intOf(row['fail_count']) ?? 0,
        error: error === undefined ? undefined : oneLine(scrubFreeText(error).text, 160),
        disabled: boolOf(row['disable']) ?? false,
        running: row['pid'] !== undefined && row['pid'] !== null,
      },
    ];
  });
  return jobs.sort((a, b) => byText(a.id, b.id));
}
