import { z } from 'zod';

/**
 * Parameters that mean the same in every tool. Descriptions are short: they are paid for in every conversation.
 */
export const node = z.string().min(1).max(64).describe('Node name');
export const vmid = z.number().int().min(100).max(999_999_999).describe('Guest id');
export const guestName = z.string().min(1).max(128).describe('Guest name, instead of vmid');
export const guestType = z.enum(['qemu', 'lxc']);
export const storage = z.string().min(1).max(100).describe('Storage id');
export const upid = z.string().min(10).max(400).describe('Task id (UPID)');
export const since = z.string().min(1).max(40).describe('ISO time or age such as 24h, 7d');
export const until = z.string().min(1).max(40).describe('ISO time or age');
export const query = z.string().min(1).max(200);

/** How a guest is named everywhere; node and type are found by the inventory, and checked when given. */
export const guest = {
  vmid: vmid.optional(),
  name: guestName.optional(),
  node: node.describe('Found by itself').optional(),
  guest_type: guestType.optional(),
};

/** What every list accepts besides its filters. */
export const paging = {
  limit: z.number().int().min(1).max(1000).describe('Rows').optional(),
  cursor: z.string().min(1).max(1400).describe('From the last answer').optional(),
  fields: z.array(z.string().min(1).max(40)).max(40).describe('Columns to show').optional(),
};
export const PAGING_KEYS: readonly string[] = Object.keys(paging);
