import { describe, expect, test } from 'vitest';
import { stubCall } from '../../test/support/stub-call.ts';
import { parseInventory } from './inventory.ts';
import { readTasks } from './tasks.ts';

const inventory = parseInventory([
  { type: 'node', node: 'pve1', status: 'online' },
  { type: 'node', node: 'pve2', status: 'online' },
]);

const upid = (node: string, start: number) =>
  `UPID:${node}:00000001:00000001:${start.toString(16).toUpperCase().padStart(8, '0')}:vzdump:100:root@pam:`;
const ended = (node: string, start: number) => ({ upid: upid(node, start), starttime: start, endtime: start + 1, status: 'OK' });
const running = (node: string, start: number) => ({ upid: upid(node, start), starttime: start });

describe('a list that is cut on one node', () => {
  // The API hands over running tasks first, whatever their age, and then the newest that ended.
  const page = {
    pve1: [running('pve1', 10), running('pve1', 20), ended('pve1', 900), ended('pve1', 890)],
    pve2: [ended('pve2', 500)],
  };
  const call = stubCall((path, params) => {
    if (path === '/access/permissions') return { '/nodes': { 'Sys.Audit': 1 } };
    return path === '/nodes/{node}/tasks' ? page[params['node'] === 'pve1' ? 'pve1' : 'pve2'] : [];
  });
  test('has no holes: old running tasks do not stand for all that ended since', async () => {
    const { data } = await readTasks(call, inventory, { perNode: 4 });
    expect(data.tasks.map((t) => t.start)).toEqual([900, 890]);
    expect(data.more).toBe(true);
  });
  test('goes down to the oldest task where the API gave all of them', async () => {
    const { data } = await readTasks(call, inventory, { perNode: 5 });
    expect(data.tasks.map((t) => t.start)).toEqual([900, 890, 500, 20, 10]);
    expect(data.more).toBe(false);
  });
  test('and of nothing but running tasks, to the oldest of these', async () => {
    const { data } = await readTasks(call, inventory, { perNode: 1 });
    expect(data.more).toBe(true);
    const only = stubCall((path) => (path === '/nodes/{node}/tasks' ? [running('pve1', 20), running('pve1', 10)] : {}));
    expect((await readTasks(only, inventory, { node: 'pve1', perNode: 2 })).data.tasks.map((t) => t.start)).toEqual([20, 10]);
  });
});
