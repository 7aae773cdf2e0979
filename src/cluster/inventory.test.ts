import { describe, expect, test } from 'vitest';
import { stubCall } from '../../test/support/stub-call.ts';
import { parseInventory, readInventory } from './inventory.ts';

const NODES = [
  { type: 'node', node: 'pve1', status: 'online', maxmem: 1 },
  { type: 'node', node: 'pve2', status: 'offline' },
];

describe('the inventory', () => {
  test.each([[null], [{}], [[]], ['busy'], [[{ type: 'qemu', vmid: 100, node: 'pve1' }]]])(
    'an answer without a node (%j) is no empty cluster',
    async (data) => {
      await expect(readInventory(stubCall(() => data))).rejects.toMatchObject({ kind: 'malformed-answer' });
    },
  );

  test('what an offline node last said of its guests is not their state', () => {
    const guest = { type: 'qemu', status: 'running', cpu: 0.5, mem: 10, maxmem: 20, uptime: 9 };
    const { guests } = parseInventory([
      { ...guest, vmid: 100, node: 'pve1', name: 'here' },
      { ...guest, vmid: 101, node: 'pve2', name: 'gone' },
      ...NODES,
    ]);
    expect(guests).toMatchObject([
      { vmid: 100, status: 'running', mem: 10 },
      { vmid: 101, name: 'gone', status: 'unknown', cpu: undefined, mem: undefined, uptime: undefined, maxMem: 20 },
    ]);
  });

  test('one bad row costs itself only', () => {
    const { guests, nodes } = parseInventory([...NODES, null, 7, { type: 'qemu' }, { type: 'lxc', vmid: '200', node: 'pve1' }]);
    expect([guests.map((g) => g.vmid), nodes.length]).toEqual([[200], 2]);
  });
});
