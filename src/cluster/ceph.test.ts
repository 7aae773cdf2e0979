import { describe, expect, test } from 'vitest';
import { stubCall } from '../../test/support/stub-call.ts';
import { ApiError } from '../api/errors.ts';
import {
  parseCephFlags,
  parseCephOsds,
  parseCephPools,
  parseCephStatus,
  parseCephVersions,
  readCephOsds,
  readCephStatus,
} from './ceph.ts';

const ABSENT = new ApiError('not-configured', 'Ceph is not set up here (binary not installed: /usr/bin/ceph-mon).');
const SILENT = new ApiError('timeout', 'no answer');

describe('status', () => {
  test('a monitor out of quorum, states by number, checks by weight', () => {
    const status = parseCephStatus({
      health: {
        status: 'HEALTH_ERR',
        checks: {
          B_WARN: { severity: 'HEALTH_WARN', summary: { message: 'b' }, muted: true },
          A_WARN: { severity: 'HEALTH_WARN', summary: { message: 'a' } },
          Z_ERR: { severity: 'HEALTH_ERR', summary: { message: 'z' }, detail: [{ message: 'one' }, {}, null] },
        },
      },
      monmap: { mons: [{ name: 'a' }, { name: 'b' }, 7] },
      quorum_names: ['a'],
      mgrmap: { available: false, num_standbys: '0' },
      osdmap: { num_osds: '3', num_up_osds: 2, num_in_osds: 3 },
      pgmap: {
        num_pgs: 10,
        pgs_by_state: [{ state_name: 'degraded', count: 3 }, { state_name: 'clean', count: '7' }, {}],
        bytes_total: '100',
      },
    });
    expect(status).toMatchObject({
      health: 'HEALTH_ERR',
      monitors: ['a', 'b'],
      inQuorum: ['a'],
      managerAvailable: false,
      osds: 3,
      total: 100,
      used: undefined,
      groupStates: [
        { state: 'clean', count: 7 },
        { state: 'degraded', count: 3 },
      ],
    });
    expect(status.checks.map((c) => c.check)).toEqual(['Z_ERR', 'A_WARN', 'B_WARN']);
    expect(status.checks[0]?.details).toEqual(['one']);
  });

  test('the OSD map is nested once more by old releases', () => {
    expect(parseCephStatus({ osdmap: { osdmap: { num_osds: 2, num_up_osds: 1 } } })).toMatchObject({ osds: 2, osdsUp: 1 });
  });

  test('nothing at all is unknown, and no zeros', () => {
    expect(parseCephStatus(null)).toMatchObject({ health: 'unknown', osds: undefined, used: undefined, checks: [] });
  });
});

test('OSDs: flattened with their host, down ones without figures, percent as a fraction', () => {
  const { osds, flags } = parseCephOsds({
    flags: 'sortbitwise,noout',
    root: {
      children: [
        {
          type: 'root',
          children: [
            {
              type: 'host',
              name: 'a',
              children: [{ id: '1', type: 'osd', leaf: 1, name: 'osd.1', status: 'down', in: '0', reweight: 0 }],
            },
          ],
        },
        { id: '0', leaf: 1, name: 'osd.0', type: null, status: 'up', in: 1, percent_used: '12.5', total_space: 800, host: 'b' },
        { id: '5', leaf: 0, name: 'rack' },
        'junk',
      ],
    },
  });
  expect(flags).toEqual(['sortbitwise', 'noout']);
  expect(osds).toEqual([
    expect.objectContaining({ id: 0, host: 'b', up: true, in: true, usedShare: 0.125, size: 800 }),
    expect.objectContaining({ id: 1, host: 'a', up: false, in: false, usedShare: undefined, size: undefined, reweight: 0 }),
  ]);
});

test('a tree that goes on for ever ends', () => {
  const loop: Record<string, unknown> = { name: 'x', type: 'host' };
  loop['children'] = [loop];
  expect(parseCephOsds({ root: loop }).osds).toEqual([]);
});

test('pools, flags and versions', () => {
  expect(
    parseCephPools([
      { pool_name: 'b', percent_used: '0.1' },
      { pool_name: 'a', percent_used: 0.9, application_metadata: { rbd: {} } },
      {},
    ]),
  ).toEqual([
    expect.objectContaining({ name: 'a', usedShare: 0.9, applications: ['rbd'] }),
    expect.objectContaining({ name: 'b', usedShare: 0.1, size: undefined }),
  ]);
  expect(parseCephFlags([{ name: 'noout', value: '1' }, { name: 'noin', value: 0 }, { value: 1 }])).toEqual(['noout']);
  expect(
    parseCephVersions({
      mon: { 'a@a': { ceph_version_short: '19.2.3', name: 'a' } },
      node: { a: { version: { str: '19.2.3' } } },
      osd: [{ id: 0, ceph_version_short: '18.2.7' }, { id: 2 }],
    }),
  ).toEqual([
    { kind: 'mon', version: '19.2.3', who: ['a'] },
    { kind: 'node', version: '19.2.3', who: ['a'] },
    { kind: 'osd', version: '18.2.7', who: ['osd.0'] },
  ]);
});

describe('where Ceph is', () => {
  test('the entry node has none: the first node that does answers', async () => {
    const call = stubCall((path, { node }) =>
      path.startsWith('/cluster') || node === 'a' ? ABSENT : { health: { status: 'HEALTH_OK' } },
    );
    expect(await readCephStatus(call, ['a', 'b', 'c'])).toMatchObject({
      state: 'present',
      data: { health: 'HEALTH_OK' },
      notes: [],
    });
    expect(call.stats.requests).toBe(3);
  });

  test('none has it: a state that names who was asked', async () => {
    expect(
      await readCephOsds(
        stubCall(() => ABSENT),
        ['a', 'b'],
      ),
    ).toMatchObject({ state: 'absent', asked: ['a', 'b'] });
  });

  test('a node that is silent is told of, and never read as "no Ceph"', async () => {
    const answers: Record<string, unknown> = { a: SILENT, b: { root: {} } };
    expect(
      await readCephOsds(
        stubCall((_path, { node }) => answers[String(node)]),
        ['a', 'b'],
      ),
    ).toMatchObject({
      state: 'present',
      notes: ['a did not answer; read from b.'],
    });
    await expect(
      readCephOsds(
        stubCall((_path, { node }) => (node === 'a' ? SILENT : ABSENT)),
        ['a', 'b'],
      ),
    ).rejects.toMatchObject({ kind: 'timeout' });
  });

  test('a Ceph that hangs is not asked on every node', async () => {
    const call = stubCall(() => SILENT);
    await expect(readCephOsds(call, ['a', 'b', 'c', 'd'])).rejects.toMatchObject({ kind: 'timeout' });
    expect(call.stats.requests).toBe(2);
  });

  test('a missing right is no reason to go on', async () => {
    const call = stubCall(() => new ApiError('forbidden', 'no'));
    await expect(readCephStatus(call, ['a', 'b'])).rejects.toMatchObject({ kind: 'forbidden' });
    expect(call.stats.requests).toBe(1);
  });
});

test('where time ends before every node was asked, nobody says that there is no Ceph', async () => {
  const call = { ...stubCall(() => new ApiError('not-configured', 'no Ceph')), remaining: () => 0 };
  await expect(readCephStatus(call, ['pve1'])).rejects.toMatchObject({ kind: 'timeout' });
});
