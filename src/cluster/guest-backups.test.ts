import { expect, test } from 'vitest';
import { backupPlaces } from './guest-backups.ts';
import { parseInventory } from './inventory.ts';

const inventory = parseInventory([
  { type: 'node', node: 'n1', status: 'online' },
  { type: 'node', node: 'n2', status: 'online' },
  { type: 'node', node: 'n3', status: 'offline' },
  ...['n1', 'n2', 'n3'].map((node) => ({
    type: 'storage',
    storage: 'local',
    node,
    status: node === 'n3' ? 'unknown' : 'available',
    content: 'backup,iso',
    shared: 0,
  })),
  ...['n1', 'n2', 'n3'].map((node) => ({
    type: 'storage',
    storage: 'nas',
    node,
    status: node === 'n2' ? 'available' : 'unknown',
    content: 'backup',
    shared: 1,
  })),
  { type: 'storage', storage: 'pbs', node: 'n1', status: 'available', content: 'backup', shared: 1, plugintype: 'pbs' },
  { type: 'storage', storage: 'dead', node: 'n1', status: 'unknown', content: 'backup', shared: 1 },
  { type: 'storage', storage: 'isos', node: 'n1', status: 'available', content: 'iso', shared: 1 },
]);

test('a shared storage once, from a node that reaches it; backup servers first', () => {
  const { places, unreachable } = backupPlaces(inventory, 'n1', false);
  expect(places.map((p) => [p.storage, p.node])).toEqual([
    ['pbs', 'n1'],
    ['nas', 'n2'],
    ['local', 'n1'],
  ]);
  expect(unreachable).toMatchObject([{ where: { storage: 'dead' }, kind: 'unreachable' }]);
});

test('the home node is down: shared storages through others, its own is a problem', () => {
  const { places, unreachable } = backupPlaces(inventory, 'n3', false);
  expect(places.map((p) => p.storage)).toEqual(['pbs', 'nas']);
  expect(unreachable.map((p) => [p.where.storage, p.kind])).toEqual([
    ['dead', 'unreachable'],
    ['local', 'node-unreachable'],
  ]);
});

test('everywhere: the local storages of other nodes as well', () => {
  expect(
    backupPlaces(inventory, 'n1', true)
      .places.filter((p) => p.storage === 'local')
      .map((p) => p.node),
  ).toEqual(['n1', 'n2']);
});
