import type { Guest } from '../../cluster/inventory.ts';

/** `web-01 (VM 100) on pve1`, the way every answer about one guest begins. */
export function guestTitle(guest: Guest): string {
  const id = `${guest.type === 'qemu' ? 'VM' : 'CT'} ${guest.vmid}`;
  // A guest without a name is listed as "VM 105".
  return `${guest.name === undefined || guest.name === id ? id : `${guest.name} (${id})`} on ${guest.node}`;
}
