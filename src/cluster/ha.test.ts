import { describe, expect, test } from 'vitest';
import { stubCall } from '../../test/support/stub-call.ts';
import { ApiError } from '../api/errors.ts';
import { heartbeatAge, parseHaGroups, parseHaRules, parseHaStatus, readHa } from './ha.ts';

const MIGRATED = new ApiError('not-configured', 'HA groups were migrated to rules (cannot index groups: ...).');

describe('status rows', () => {
  test('numbers and flags as text, keys that vanish, junk in between', () => {
    const status = parseHaStatus([
      { id: 'quorum', type: 'quorum', quorate: '1', status: 'OK' },
      null,
      'junk',
      { type: 'service' },
      { id: 'service:vm:100', type: 'service', crm_state: 'started', max_restart: '3', failback: '0', node: null },
      { id: 'lrm:pve2', type: 'lrm', timestamp: '1796024957', status: 'pve2 (active, Mon Nov 30 07:49:17 2026)' },
      {
        id: 'master',
        type: 'master',
        node: 'pve1',
        timestamp: 0,
        status: 'pve1 (active, Mon Nov  2 07:49:22 2026) - static load CRS',
      },
      { id: 'fencing', type: 'fencing', 'armed-state': 'standby', status: 'standby (CRM watchdog standby)' },
      { id: 'x', type: 'something new' },
    ]);
    expect(status.quorate).toBe(true);
    expect(status.armed).toBe('standby');
    expect(status.resources).toEqual([
      expect.objectContaining({ sid: 'vm:100', vmid: 100, state: 'started', node: undefined, maxRestart: 3, failback: false }),
    ]);
    expect(status.managers).toEqual([
      { role: 'master', node: 'pve1', status: 'active - static load CRS', heartbeat: undefined },
      { role: 'lrm', node: 'pve2', status: 'active', heartbeat: 1_796_024_957 },
    ]);
  });

  test('comments arrive encoded twice', () => {
    const [resource] = parseHaStatus([{ type: 'service', sid: 'vm:100', comment: 'BÃ¼ro' }]).resources;
    expect(resource?.comment).toBe('Büro');
  });

  test('a heartbeat is aged by the clock of the cluster', () => {
    const status = parseHaStatus([{ id: 'lrm:a', type: 'lrm', timestamp: 1_000 }], 60_000);
    const [manager] = status.managers;
    if (manager === undefined) throw new Error('no manager');
    expect(heartbeatAge(manager, status, 1_000_000)).toBe(60);
    expect(heartbeatAge({ ...manager, heartbeat: 5_000 }, status, 1_000_000)).toBe(0);
    expect(heartbeatAge({ ...manager, heartbeat: undefined }, status, 1_000_000)).toBeUndefined();
  });
});

test('rules: lists as text, disabled ones, and why one is not followed', () => {
  const rules = parseHaRules([
    { rule: 'b', type: 'resource-affinity', affinity: 'negative', resources: 'vm:101,ct:200', disable: '1' },
    {
      rule: 'a',
      type: 'node-affinity',
      nodes: 'pve1:2,pve2',
      resources: ['vm:100'],
      strict: 0,
      errors: { resources: ['x', 'x'], nodes: 'y' },
    },
    { type: 'node-affinity' },
    7,
  ]);
  expect(rules).toEqual([
    expect.objectContaining({
      rule: 'a',
      nodes: ['pve1:2', 'pve2'],
      strict: false,
      enabled: true,
      errors: ['x', 'y'],
      affinity: undefined,
    }),
    expect.objectContaining({
      rule: 'b',
      affinity: 'apart',
      resources: ['ct:200', 'vm:101'],
      enabled: false,
      strict: undefined,
      errors: [],
    }),
  ]);
});

test('groups', () => {
  expect(parseHaGroups([{ group: 'g', nodes: 'pve2:1,pve1:2', restricted: '1' }, {}])).toEqual([
    { group: 'g', nodes: ['pve2:1', 'pve1:2'], restricted: true, noFailback: false, comment: undefined },
  ]);
  expect(() => parseHaGroups(null)).toThrow('no list');
});

describe('T28 placement is a state on every release', () => {
  const status = [{ id: 'quorum', type: 'quorum', quorate: 1 }];

  test('9.x, migrated', async () => {
    const reading = await readHa(
      stubCall((path) => (path.endsWith('/groups') ? MIGRATED : path.endsWith('/rules') ? [] : status)),
    );
    expect(reading).toMatchObject({
      coverage: 'complete',
      problems: [],
      data: { placement: 'migrated', groups: undefined, rules: [] },
    });
  });

  test('9.x, groups still in use', async () => {
    const reading = await readHa(
      stubCall((path) => (path.endsWith('/groups') ? [{ group: 'g', nodes: 'a' }] : path.endsWith('/rules') ? [] : status)),
    );
    expect(reading.data.placement).toBe('groups');
  });

  test('8.4 is not asked for rules', async () => {
    const asked: string[] = [];
    const reading = await readHa(
      stubCall((path) => {
        asked.push(path);
        return path.endsWith('/groups') ? [] : status;
      }, '8.4.1'),
    );
    expect(asked).not.toContain('/cluster/ha/rules');
    expect(reading).toMatchObject({ coverage: 'complete', data: { placement: 'groups', rules: undefined } });
  });
});

test('one part that fails costs its part; all of them fail the call', async () => {
  const broken = new ApiError('timeout', 'no answer');
  const partly = await readHa(stubCall((path) => (path.endsWith('/current') ? broken : [])));
  expect(partly.data.status).toBeUndefined();
  expect(partly).toMatchObject({ coverage: 'partial', problems: [{ kind: 'timeout' }] });
  const forbidden = new ApiError('forbidden', 'Not allowed.', { needs: 'Sys.Audit on /' });
  await expect(readHa(stubCall(() => forbidden))).rejects.toMatchObject({ kind: 'forbidden', needs: 'Sys.Audit on /' });
});
