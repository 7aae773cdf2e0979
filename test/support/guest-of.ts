import type { Guest } from '../../src/cluster/inventory.ts';

/** A guest of which only identity and state matter. */
export function guestOf(part: Partial<Guest> = {}): Guest {
  return {
    vmid: 100,
    type: 'qemu',
    name: 'web',
    node: 'n1',
    status: 'running',
    template: false,
    lock: undefined,
    pool: undefined,
    tags: [],
    haState: undefined,
    cpu: undefined,
    maxCpu: undefined,
    mem: undefined,
    maxMem: undefined,
    disk: undefined,
    maxDisk: undefined,
    uptime: undefined,
    ...part,
  };
}
