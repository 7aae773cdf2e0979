import { describe, expect, test } from 'vitest';
import { stubCall } from '../../test/support/stub-call.ts';
import { ApiError } from '../api/errors.ts';
import { type Gaps, NO_GAPS } from '../api/reading.ts';
import { parseRelease } from '../api/release.ts';
import type { FactName } from './health-facts.ts';
import { readHealthFacts } from './health-read.ts';
import { parseInventory } from './inventory.ts';

const NODE = 'pve1';
const now = Math.floor(Date.now() / 1000);
const HOUR = 3_600;
const base = {
  inventory: parseInventory([{ type: 'node', node: NODE, status: 'online', maxmem: 1 }]),
  release: { data: parseRelease('9.2.11'), lacks: [] },
  guests: NO_GAPS,
  storages: NO_GAPS,
  seesCluster: true,
};
const scopeOf = (thorough: boolean, ...names: FactName[]) => ({
  plan: { read: new Set(names), spared: new Set<FactName>(), requests: 0 },
  node: undefined,
  thorough,
});

const ended = (start: number, end = start + 1) => ({
  upid: `UPID:${NODE}:00000001:00000001:${start.toString(16).toUpperCase()}:vzdump:100:root@pam:`,
  node: NODE,
  starttime: start,
  endtime: end,
  status: 'OK',
});
const running = (start: number) => ({ ...ended(start), endtime: undefined, status: undefined });

describe('tasks that ended within a day', () => {
  const read = async (thorough: boolean, rows: readonly { readonly starttime: number }[]) => {
    const call = stubCall((path, _, { since, limit }) => {
      if (path === '/cluster/tasks') return rows;
      if (path === '/access/permissions') return { '/nodes': { 'Sys.Audit': 1 } };
      return path === '/nodes/{node}/tasks' ? rows.filter((r) => r.starttime >= Number(since)).slice(0, Number(limit)) : [];
    });
    return (await readHealthFacts(call, base, scopeOf(thorough, 'running', 'ended'))).ended;
  };
  const many = (count: number) => Array.from({ length: count }, (_, i) => ended(now - HOUR - i));
  const words = (fact: Awaited<ReturnType<typeof read>>) => fact.lacks.map((l) => l.why).join();

  test('an archive that holds more of them than are read is a lack', async () => {
    expect(words(await read(true, many(499)))).not.toContain('only the newest');
    expect(words(await read(true, many(501)))).toContain('only the newest 500 tasks of a node were looked at');
  });
  test('a list of recent ones that does not reach back a day is a lack, whatever still runs since long ago', async () => {
    expect(words(await read(false, many(24)))).toBe('');
    expect(words(await read(false, many(25)))).toContain('only the newest 25');
    expect(words(await read(false, [running(now - 50 * HOUR), ...many(24)]))).toContain('only the newest 25');
  });
  test('one that began before that day is among them', async () => {
    expect((await read(true, [ended(now - 26 * HOUR, now - HOUR)])).data).toHaveLength(1);
  });
});

describe('Ceph that the entry node does not have', () => {
  const nodes = ['a', 'b', 'c'];
  const three = parseInventory(nodes.map((node) => ({ type: 'node', node, status: 'online', maxmem: 1 })));
  const read = async (storages: Gaps) => {
    const asked: string[] = [];
    const call = stubCall((path, params) => {
      if (path === '/nodes/{node}/ceph/status') asked.push(String(params['node']));
      return path.includes('ceph') ? new ApiError('not-configured', 'no Ceph here') : {};
    });
    const { ceph } = await readHealthFacts(call, { ...base, inventory: three, storages }, scopeOf(false, 'ceph'));
    return { asked, data: ceph.data, lacks: ceph.lacks.map((l) => l.why).join() };
  };

  test('with every storage visible and none on it, there is none', async () => {
    expect(await read(NO_GAPS)).toEqual({ asked: [], data: 'absent', lacks: '' });
  });
  test('with storages that may be hidden other nodes are asked, and the rest is told', async () => {
    const { asked, lacks } = await read({ ...NO_GAPS, coverage: 'unknown' });
    expect(asked).toEqual(['a', 'b']);
    expect(lacks).toContain('only 2 of 3 nodes were asked for Ceph');
  });
});

test('storages whose definitions could not be read lack them: disabled ones may be missing', async () => {
  const call = stubCall((path) => (path === '/access/permissions' ? {} : 'no list'));
  const facts = await readHealthFacts(call, base, scopeOf(false, 'storages', 'definitions'));
  expect(facts.storages.lacks.map((l) => l.kind)).toContain('malformed-answer');
});
