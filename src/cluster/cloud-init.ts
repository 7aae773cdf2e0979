import type { Call } from '../api/call.ts';
import { textOf } from '../api/lenient.ts';
import type { GuestConfig } from './guest-config.ts';
import type { Guest } from './inventory.ts';

/** Whether a machine gets its first settings from a cloud-init drive; a container never does. */
export function hasCloudInit(guest: Guest, config: GuestConfig): boolean {
  return guest.type === 'qemu' && config.disks.some((disk) => disk.kind === 'cloud-init');
}

/**
 * The network part of what the cloud-init drive would hold if it were written now, as its text. The part about users is
 * not read: older releases put the password's hash there, and what else is in it stands in the configuration.
 *
 * Source: GET /nodes/{node}/qemu/{vmid}/cloudinit/dump?type=network (VM.Audit).
 */
export async function readCloudInitNetwork(call: Call, { node, vmid }: Guest): Promise<string | undefined> {
  return textOf((await call.get('/nodes/{node}/qemu/{vmid}/cloudinit/dump', { node, vmid }, { type: 'network' })).data);
}
