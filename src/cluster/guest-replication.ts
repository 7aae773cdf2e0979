import type { Call } from '../api/call.ts';
import { byText, listOf } from '../api/lenient.ts';
import type { Guest } from './inventory.ts';
import { parseReplicationRow, type ReplicationJob, type ReplicationState } from './replication.ts';

/** Replication of one guest to one other node. */
export interface GuestReplication {
  readonly job: ReplicationJob;
  readonly state: ReplicationState;
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
  return listOf(data, 'replication jobs')
    .flatMap((row) => parseReplicationRow(row))
    .filter(({ job }) => job.vmid === vmid)
    .sort((a, b) => byText(a.job.id, b.job.id));
}
