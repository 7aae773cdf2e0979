import { describe, expect, test } from 'vitest';
import { stubCall } from '../../test/support/stub-call.ts';
import { ApiError } from '../api/errors.ts';
import { rowsOf } from '../api/lenient.ts';
import { parseInventory } from './inventory.ts';
import { longestPause, parseReplicationJobs, parseReplicationRow, readReplication } from './replication.ts';

const inventory = parseInventory([
  { type: 'node', node: 'a', status: 'online' },
  { type: 'node', node: 'b', status: 'online' },
  { type: 'node', node: 'c', status: 'offline' },
  { type: 'qemu', vmid: 100, node: 'a', status: 'running' },
  { type: 'lxc', vmid: 200, node: 'c', status: 'unknown' },
]);

describe('rows', () => {
  test('numbers as text, keys that vanish, junk', () => {
    expect(parseReplicationJobs([{ id: '100-0', guest: '100', disable: '1' }, { guest: 5 }, null])).toEqual([
      {
        id: '100-0',
        vmid: 100,
        source: undefined,
        target: undefined,
        schedule: '*/15',
        disabled: true,
        rate: undefined,
        comment: undefined,
      },
    ]);
  });

  test('a sync at 0 never happened; a pid means that it runs; the comment is decoded', () => {
    const [row] = rowsOf([
      { id: '100-0', last_sync: 0, fail_count: '2', error: 'x password=hunter2', pid: '77', comment: 'gepr%C3%BCft' },
    ]).flatMap(parseReplicationRow);
    expect(row?.state).toMatchObject({ lastSync: undefined, failCount: 2, running: true });
    expect(row?.state.error).not.toContain('hunter2');
    expect(row?.job).toMatchObject({ vmid: 100, comment: 'geprüft' });
  });

  test('a comment with a percent sign of its own stays', () => {
    expect(parseReplicationJobs([{ id: '100-0', comment: '100%FF sure' }])[0]?.comment).toBe('100%FF sure');
  });
});

test('the longest pause of the runs that are foretold', () => {
  expect(longestPause([{ timestamp: 1_000 }, { timestamp: '1600' }, { timestamp: 1_100 }, { utc: 'x' }])).toBe(500);
  expect(longestPause([{ timestamp: 1_000 }])).toBeUndefined();
});

describe('reading', () => {
  const config = [
    { id: '100-0', guest: 100, target: 'b' },
    { id: '200-0', guest: 200, source: 'c', target: 'a', schedule: 'sat 02:00' },
  ];

  test('only nodes that are a source are asked, an offline one never; unusual schedules are asked about', async () => {
    const asked: string[] = [];
    const reading = await readReplication(
      stubCall((path, { node }) => {
        asked.push(node === undefined ? path : `${path} ${node}`);
        if (path === '/cluster/replication') return config;
        if (path === '/cluster/jobs/schedule-analyze') return [{ timestamp: 1_000 }, { timestamp: 605_800 }];
        return [{ id: '100-0', guest: 100, last_sync: 5, fail_count: 0 }];
      }),
      inventory,
      undefined,
    );
    expect(asked.sort()).toEqual(['/cluster/jobs/schedule-analyze', '/cluster/replication', '/nodes/{node}/replication a']);
    expect(reading.data.jobs).toMatchObject([
      { job: { id: '100-0', source: 'a' }, state: { lastSync: 5 }, interval: 900 },
      { job: { id: '200-0', source: 'c' }, state: undefined, interval: 604_800 },
    ]);
    expect(reading).toMatchObject({ coverage: 'partial', problems: [{ where: { node: 'c' }, kind: 'node-unreachable' }] });
  });

  test('without the configuration every online node is asked, and that is said', async () => {
    const asked: unknown[] = [];
    const reading = await readReplication(
      stubCall((path, { node }) => {
        if (path === '/cluster/replication') return new ApiError('timeout', 'no answer');
        asked.push(node);
        return [];
      }),
      inventory,
      undefined,
    );
    expect(asked.sort()).toEqual(['a', 'b']);
    expect(reading).toMatchObject({ coverage: 'partial', problems: [{ kind: 'timeout' }], data: { jobs: [] } });
  });
});
