import { expect, test } from 'vitest';
import { parseInventory } from './inventory.ts';
import { mergeStorages, parseStorageDefinitions } from './storage.ts';

const NODES = [
  { type: 'node', node: 'pve1', status: 'online' },
  { type: 'node', node: 'pve2', status: 'offline' },
];
const row = (storage: string, node: string, more: Record<string, unknown> = {}) => ({
  type: 'storage',
  storage,
  node,
  status: 'available',
  disk: 1,
  maxdisk: 4,
  ...more,
});

function statesOf(rows: Record<string, unknown>[], definitions: Record<string, unknown>[]): Record<string, string> {
  const merged = mergeStorages(parseInventory([...NODES, ...rows]), parseStorageDefinitions(definitions));
  return Object.fromEntries(merged.map((s) => [`${s.storage} on ${s.nodes.join('+')}`, s.state]));
}

test('the state of each storage, by where it is and what its nodes say', () => {
  const states = statesOf(
    [
      row('local', 'pve1'),
      row('local', 'pve2', { status: 'unknown' }),
      row('nfs', 'pve1', { shared: 1, status: 'unknown' }),
      row('nfs', 'pve2', { shared: 1 }),
    ],
    [
      { storage: 'local', type: 'dir' },
      { storage: 'nfs', type: 'nfs' },
      { storage: 'off', type: 'dir', disable: 1 },
    ],
  );
  expect(states).toEqual({
    'local on pve1': 'available',
    'local on pve2': 'unknown',
    'nfs on pve1+pve2': 'inactive',
    'off on pve1+pve2': 'disabled',
  });
});

test('a storage whose figures are hidden is not called unreachable', () => {
  // A token with Datastore.AllocateSpace alone sees the definition, and none of its rows.
  expect(statesOf([], [{ storage: 'backup', type: 'dir', nodes: 'pve1' }])).toEqual({ 'backup on pve1': 'unknown' });
});
