import { expect, test } from 'vitest';
import { parseSnapshots } from './snapshots.ts';

test('a tree in order, without the pseudo snapshot', () => {
  const tree = parseSnapshots([
    { name: 'current', parent: 'c', description: 'You are here!', running: 1 },
    { name: 'c', parent: 'b', snaptime: '30', vmstate: '1' },
    { name: 'other', parent: 'a', snaptime: 40 },
    { name: 'a', snaptime: 10, description: ' first\n' },
    { name: 'b', parent: 'a', snaptime: 20, snapstate: 'delete' },
  ]);
  expect(tree.parentOfCurrent).toBe('c');
  expect(tree.snapshots.map((s) => [s.name, s.depth])).toEqual([
    ['a', 0],
    ['b', 1],
    ['c', 2],
    ['other', 1],
  ]);
  expect(tree.snapshots[0]).toMatchObject({ description: 'first', vmState: undefined, state: undefined });
  expect(tree.snapshots[1]).toMatchObject({ state: 'delete' });
  expect(tree.snapshots[2]).toMatchObject({ time: 30, vmState: true });
});

test('a lost parent, an unknown time, a circle and junk lose no snapshot', () => {
  const tree = parseSnapshots([
    null,
    'x',
    { description: 'no name' },
    { name: 'orphan', parent: 'gone', snaptime: 0 },
    { name: 'x', parent: 'y', snaptime: 1 },
    { name: 'y', parent: 'x', snaptime: 2 },
  ]);
  expect(tree.snapshots.map((s) => s.name)).toEqual(['orphan', 'x', 'y']);
  expect(tree.snapshots[0]).toMatchObject({ time: undefined, depth: 0, parent: 'gone' });
});

test('nothing but the pseudo snapshot', () => {
  expect(parseSnapshots([{ name: 'current', running: 0 }])).toEqual({ snapshots: [], parentOfCurrent: undefined });
  expect(() => parseSnapshots(null)).toThrow('no list');
});
