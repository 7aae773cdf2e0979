import { describe, expect, test } from 'vitest';
import { guest, ha, NOW, node, replication, task } from '../../test/support/health-facts.ts';
import type { Point } from '../cluster/metrics.ts';
import { parseClusterLog } from '../cluster/node-log.ts';
import { bootEvents, haEvents, haNow, logEvents, mergeEvents, metricEvents, replicationEvents, taskEvents } from './timeline.ts';

const SPAN = { from: NOW - 3_600, to: NOW };
const MIN = 60;

describe('taskEvents', () => {
  test('a failure is told when it ended, a success when it began, what began before the span by its end', () => {
    const events = taskEvents(
      [
        task('vzdump', { id: '100', start: NOW - 1_200, end: NOW - 600, state: 'failed', status: 'no space' }),
        task('qmstart', { id: '101', start: NOW - 900, end: NOW - 895 }),
        task('qmmove', { start: NOW - 7_200, end: NOW - 60 }),
        task('qmclone', { start: NOW - 30, end: undefined, state: 'running' }),
        task('x', { start: NOW - 50, end: NOW - 40, state: 'unknown', status: 'unexpected status' }),
      ],
      SPAN,
    );
    expect(events.map((e) => [e.time - NOW, e.grade, e.vmid, e.what])).toEqual([
      [-600, 'error', 100, 'vzdump 100 by root@pam failed after 10 min: no space'],
      [-900, 'info', 101, 'qmstart 101 by root@pam, ok in 5 s'],
      [-60, 'info', undefined, 'qmmove by root@pam ended, ok after 2 h'],
      [-30, 'info', undefined, 'qmclone by root@pam began and still runs'],
      [-40, 'warning', undefined, 'x by root@pam ended, nobody knows how (unexpected status)'],
    ]);
  });
});

describe('logEvents', () => {
  const row = (ago: number, msg: string, pri = 6, uid = 1) => ({
    time: NOW - ago,
    node: 'n1',
    pri,
    tag: 'pvedaemon',
    user: 'root@pam',
    msg,
    uid,
  });

  test('repeats become one event, tasks are left to the tasks, priorities to grades', () => {
    const events = logEvents(
      parseClusterLog([
        row(100, 'authentication failure', 4),
        row(90, 'authentication failure', 4),
        row(80, 'starting task UPID:n1:0001:0002:0003:qmstart:100:root@pam:'),
        row(70, 'disk gone', 3),
        row(5_000, 'authentication failure', '4' as unknown as number),
        'junk',
        { time: NOW },
      ]),
    );
    expect(events.map((e) => [e.time - NOW, e.grade, e.what])).toEqual([
      [-5_000, 'warning', 'pvedaemon (root@pam): authentication failure'],
      [-100, 'warning', 'pvedaemon (root@pam): authentication failure (2 times in 10 s)'],
      [-70, 'error', 'pvedaemon (root@pam): disk gone'],
    ]);
  });
});

describe('bootEvents', () => {
  test('nodes, and guests that started together as one', () => {
    const up = (vmid: number, ago: number, where = 'n1') => guest(vmid, { uptime: ago, node: where });
    const events = bootEvents(
      [node('n1', { uptime: 900 }), node('n2', { status: 'offline', uptime: 100 })],
      [up(100, 800), up(101, 790), up(102, 300), up(103, 800, 'n2'), guest(104, { status: 'stopped', uptime: undefined })],
      NOW,
    );
    expect(events.map((e) => [e.time - NOW, e.grade, e.vmid, e.what])).toEqual([
      [-900, 'warning', undefined, 'node n1 started'],
      [-800, 'info', undefined, '2 guests started: 100 guest-100, 101 guest-101'],
      [-300, 'info', 102, 'guest 102 guest-102 started'],
      [-800, 'info', 103, 'guest 103 guest-103 started'],
    ]);
  });
});

test('HA: who is silent now, by the last sign of life; troubled resources as of now', () => {
  const status = ha(
    { 'vm:100': 'error', 'vm:101': 'started' },
    {
      managers: [
        { role: 'lrm', node: 'n1', status: '', heartbeat: NOW - 900 },
        { role: 'lrm', node: 'n2', status: '', heartbeat: NOW - 10 },
      ],
    },
  ).status;
  expect(haEvents(status, [node('n1', { status: 'offline' })], NOW).map((e) => [e.time - NOW, e.what])).toEqual([
    [-900, 'last sign of life of the local HA manager of n1, whose node is offline now'],
  ]);
  expect(haNow(status)).toEqual(['vm:100 error']);
});

test('replication: the last try of those that fail', () => {
  const events = replicationEvents([
    replication('100-0', {}, { failCount: 3, error: 'no space', lastTry: NOW - 60 }),
    replication('101-0'),
    replication('102-0', { disabled: true }, { failCount: 3, lastTry: NOW - 60 }),
  ]);
  expect(events.map((e) => e.what)).toEqual(['replication 100-0 to n2 failed (3 failures since it last succeeded): no space']);
});

describe('metricEvents', () => {
  const series = (name: string, values: readonly (number | undefined)[], extra: Readonly<Record<string, number>> = {}): Point[] =>
    values.map((value, i) => ({
      time: NOW - (values.length - i) * MIN,
      values: new Map(value === undefined ? [] : [[name, value], ...Object.entries(extra)]),
    }));
  const flat = (value: number, count: number): number[] => Array.from({ length: count }, (_, i) => value + (i % 2) * 0.02);

  test('a jump is told once, at its steepest, with what it was before and after', () => {
    const events = metricEvents(series('cpu', [...flat(0.1, 20), ...flat(0.95, 20)]), { node: 'n1' }, SPAN);
    expect(events.map((e) => [e.time, e.grade, e.what])).toEqual([[NOW - 20 * MIN, 'warning', 'n1: CPU from 11% to 96%']]);
  });

  test('unsteadiness is no jump', () => {
    expect(metricEvents(series('cpu', [...flat(0.4, 20), 0.7, ...flat(0.4, 20)]), { node: 'n1' }, SPAN)).toEqual([]);
    expect(metricEvents(series('netin', [...flat(1_000, 20), ...flat(90_000, 20)]), { node: 'n1' }, SPAN)).toEqual([]);
    expect(metricEvents([], { node: 'n1' }, SPAN)).toEqual([]);
  });

  test('shares of a whole, and rates', () => {
    expect(
      metricEvents(series('memused', [...flat(20, 20), ...flat(60, 20)], { memtotal: 100 }), { node: 'n1' }, SPAN)[0]?.what,
    ).toBe('n1: memory from 20% to 60%');
    const traffic = metricEvents(series('netin', [...flat(1e6, 20), ...flat(2e8, 20)]), { node: 'n1', vmid: 100 }, SPAN);
    expect(traffic[0]).toMatchObject({ vmid: 100, what: 'guest 100: incoming traffic from 976.6 KiB/s to 190.7 MiB/s' });
  });

  test('a node that was off all the time, or at the start of the span', () => {
    const off = series(
      'cpu',
      Array.from({ length: 30 }, () => undefined),
    );
    expect(metricEvents(off, { node: 'n1' }, { from: NOW - 10 * MIN, to: NOW }).map((e) => [e.time - NOW, e.what])).toEqual([
      [-600, 'no measurements of n1 in all of this span'],
    ]);
    const back = series('cpu', [...flat(0.1, 10), ...Array.from({ length: 15 }, () => undefined), ...flat(0.1, 5)]);
    expect(metricEvents(back, { node: 'n1' }, { from: NOW - 10 * MIN, to: NOW }).map((e) => [e.time - NOW, e.what])).toEqual([
      [-600, 'no measurements of n1 until 5 min later'],
    ]);
    expect(metricEvents(back, { node: 'n1' }, { from: NOW - 2 * MIN, to: NOW }).filter((e) => e.time >= NOW - 2 * MIN)).toEqual(
      [],
    );
  });

  test('a hole, and the end of all measurements', () => {
    const points = series('cpu', [...flat(0.1, 10), undefined, undefined, undefined, undefined, ...flat(0.1, 10)]);
    expect(metricEvents(points, { node: 'n1' }, SPAN).map((e) => e.what)).toEqual(['no measurements of n1 for 4 min']);
    const dead = series('cpu', [...flat(0.1, 10), ...Array.from({ length: 10 }, () => undefined)]);
    expect(metricEvents(dead, { node: 'n1' }, SPAN).map((e) => [e.grade, e.what])).toEqual([
      ['error', 'no measurements of n1 from here on'],
    ]);
    expect(metricEvents(series('cpu', [...flat(0.1, 10), undefined, ...flat(0.1, 10)]), { node: 'n1' }, SPAN)).toEqual([]);
  });
});

test('mergeEvents: in order, causes before consequences of the same moment, nothing outside of the span', () => {
  const event = (time: number, source: 'task' | 'metrics', what: string) => ({
    time,
    source,
    what,
    grade: 'info' as const,
    node: 'n1',
    vmid: undefined,
  });
  const merged = mergeEvents(
    SPAN,
    [event(NOW - 10, 'task', 'b'), event(NOW - 9_999, 'task', 'old')],
    [event(NOW - 10, 'metrics', 'a'), event(NOW - 20, 'metrics', 'first')],
  );
  expect(merged.map((e) => e.what)).toEqual(['first', 'a', 'b']);
});
