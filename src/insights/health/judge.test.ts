import { describe, expect, test } from 'vitest';
import { DAY, factsOf as given, guest, NOW, node, storage } from '../../../test/support/health-facts.ts';
import type { HealthFacts, Plan } from '../../cluster/health-facts.ts';
import { healthChecks } from './catalog.ts';
import { type Check, judging } from './check.ts';
import { idRanges, judgeHealth, type Scope } from './judge.ts';

const EVERYTHING: Scope = { minimum: 'info', node: undefined, vmid: undefined };
const check = (id: string): Check => {
  const found = healthChecks.find((c) => c.id === id);
  if (found === undefined) throw new Error(`no check ${id}`);
  return found;
};
const plan = (...spared: Plan['spared'] extends ReadonlySet<infer F> ? F[] : never): Plan => ({
  read: new Set(),
  spared: new Set(spared),
  requests: 0,
});
const judge = (
  ids: readonly string[],
  facts: HealthFacts,
  scope: Partial<Scope> = {},
  ignore: Parameters<typeof judgeHealth>[5] = [],
  planned = plan(),
) => judgeHealth(ids.map(check), facts, planned, judging(NOW * 1000, {}), { ...EVERYTHING, ...scope }, ignore);

const locked = given({
  guests: [guest(100, { lock: 'backup' }), guest(20, { lock: 'snapshot' }), guest(1000, { lock: 'backup', node: 'n2' })],
  running: [],
  nodes: [node('n1'), node('n2')],
});

describe('judgeHealth', () => {
  test('the same finding on many objects is one, in the order of their numbers', () => {
    const [group] = judge(['PVE-G01'], locked).groups;
    expect(group?.targets.map((t) => t.name)).toEqual(['20', '100', '1000']);
    expect(group?.evidence).toBe('20: snapshot; 100: backup; 1000: backup');
    // Which of the three is meant can't be known.
    expect(group?.command).toContain('<vmid>');
  });

  test('one object: the command names it, the evidence does not', () => {
    const [group] = judge(['PVE-G01'], locked, { vmid: 100 }).groups;
    expect(group).toMatchObject({ evidence: 'backup' });
    expect(group?.command).toContain('qm unlock 100');
  });

  test('long lists of evidence are counted', () => {
    const guests = Array.from({ length: 9 }, (_, i) => guest(100 + i, { lock: `lock-${i}` }));
    const [group] = judge(['PVE-G01'], given({ guests, running: [], nodes: [node('n1')] })).groups;
    expect(group?.evidence).toBe('100: lock-0; 101: lock-1; 102: lock-2; and 6 more');
  });

  test('severities of one check are groups of their own, the gravest first', () => {
    const facts = given({
      storages: [storage('a', { used: 90 * 2 ** 30 }), storage('b', { used: 98 * 2 ** 30 })],
      nodes: [node('n1')],
    });
    expect(judge(['PVE-S03'], facts).groups.map((g) => [g.severity, g.targets[0]?.name])).toEqual([
      ['critical', 'b'],
      ['warning', 'a'],
    ]);
    expect(judge(['PVE-S03'], facts, { minimum: 'critical' }).groups).toHaveLength(1);
  });

  test('node and vmid choose by what a finding is on', () => {
    expect(judge(['PVE-G01'], locked, { node: 'n2' }).groups[0]?.targets.map((t) => t.name)).toEqual(['1000']);
    expect(judge(['PVE-G01'], locked, { vmid: 7 }).groups).toEqual([]);
  });

  test('what concerns several nodes is found by each of them, and accepted by none of them alone', () => {
    const local = (n: string) => storage('local', { state: 'inactive', shared: false, nodes: [n] });
    const facts = given({
      storages: [local('n1'), local('n2'), storage('nfs', { unreachableFrom: ['n1', 'n2'] })],
      nodes: [node('n1'), node('n2'), node('n3')],
    });
    const ids = ['PVE-S01', 'PVE-S02'];
    for (const name of ['n1', 'n2'])
      expect(judge(ids, facts, { node: name }).groups.map((g) => [g.check.id, g.targets[0]?.name])).toEqual([
        ['PVE-S01', 'local'],
        ['PVE-S02', 'nfs'],
      ]);
    expect(judge(ids, facts, { node: 'n3' }).groups).toEqual([]);
    const accepted = ids.map((id) => ({ id, on: 'n1', reason: 'known' }));
    expect(judge(ids, facts, {}, accepted).groups).toHaveLength(2);
  });

  test.each([['100'], ['n1'], [undefined]])('an entry of the ignore list for %s takes findings out, with its reason', (on) => {
    const { groups, ignored } = judge(['PVE-G01'], locked, {}, [
      { id: 'PVE-G01', ...(on === undefined ? {} : { on }), reason: 'known' },
    ]);
    const left = groups.flatMap((g) => g.targets.map((t) => t.name));
    expect(left).toEqual(on === undefined ? [] : on === 'n1' ? ['1000'] : ['20', '1000']);
    expect(ignored[0]?.reason).toBe('known');
  });

  test('an entry for another check or object takes nothing out', () => {
    const { groups } = judge(['PVE-G01'], locked, {}, [
      { id: 'PVE-G02', reason: 'x' },
      { id: 'PVE-G01', on: '10', reason: 'x' },
    ]);
    expect(groups[0]?.targets).toHaveLength(3);
  });
});

describe('what was not judged', () => {
  test('a fact that is missing: not at all, with the reason, checks together', () => {
    const { unchecked, made, total } = judge(['PVE-Q01', 'PVE-H01', 'PVE-H02'], {
      ...given({}),
      membership: { data: undefined, lacks: [{ why: 'needs Sys.Audit on /', needs: 'Sys.Audit on /' }] },
      ha: { data: undefined, lacks: [{ why: 'needs Sys.Audit on /', needs: 'Sys.Audit on /' }] },
    });
    expect([made, total]).toEqual([0, 3]);
    expect(unchecked).toHaveLength(1);
    expect(unchecked[0]).toMatchObject({ whole: true, why: 'needs Sys.Audit on /', needs: ['Sys.Audit on /'] });
    expect(unchecked[0]?.checks.map((c) => c.id)).toEqual(['PVE-Q01', 'PVE-H01', 'PVE-H02']);
  });

  test('nodes that are missing: in part, the same trouble of several nodes together', () => {
    const clocks = new Map([['n1', { timezone: 'UTC', time: NOW, ahead: 0, aheadOfEntry: 0 }]]);
    const { unchecked, made } = judge(['PVE-C05'], {
      ...given({ nodes: [node('n1'), node('n4', { status: 'offline' })] }),
      clocks: {
        data: clocks,
        lacks: [
          { why: 'needs Sys.Audit on /nodes/n2', nodes: ['n2'], needs: 'Sys.Audit on /nodes/n2' },
          { why: 'needs Sys.Audit on /nodes/n3', nodes: ['n3'], needs: 'Sys.Audit on /nodes/n3' },
          { why: 'Node n4 cannot be asked for this', nodes: ['n4'], kind: 'node-unreachable' },
        ],
      },
    });
    expect(made).toBe(1);
    expect(unchecked.map(({ nodes, why, whole }) => ({ nodes, why, whole }))).toEqual([
      { nodes: ['n2', 'n3'], why: 'needs Sys.Audit on /nodes/<node>', whole: false },
      { nodes: ['n4'], why: 'n4 is offline', whole: false },
    ]);
    expect(unchecked[0]?.needs).toEqual(['Sys.Audit on /nodes/n2', 'Sys.Audit on /nodes/n3']);
  });

  test('what was left out on purpose says so, and is not told twice', () => {
    const { unchecked } = judge(['PVE-F10'], given({}), {}, [], plan('guestFirewalls', 'securityGroups', 'everyFirewall'));
    expect(new Set(unchecked.map((u) => u.spared))).toEqual(new Set(['deep', undefined]));
    expect(unchecked.every((u) => u.whole)).toBe(true);
  });

  test('what compares nodes, with one of them, was left out and is not made', () => {
    const versions = new Map([['n1', { manager: '9', runningKernel: '6', newestKernel: '6', packages: [] }]]);
    const why = 'only n1 was asked';
    const facts = { ...given({ nodes: [node('n1'), node('n2')] }), versions: { data: versions, lacks: [] } };
    const { made, total, unchecked } = judge(['PVE-V01', 'PVE-V03'], {
      ...facts,
      everyNode: { data: undefined, lacks: [{ why, spared: true }] },
    });
    expect([made, total]).toEqual([1, 2]);
    expect(unchecked).toMatchObject([{ whole: true, why, spared: 'other', checks: [{ id: 'PVE-V01' }] }]);
  });

  test('facts that only make the words better are not missed', () => {
    const facts = given({ nodes: [node('n1', { status: 'offline' })] });
    const verdict = judge(['PVE-Q02'], facts);
    expect(verdict.unchecked).toEqual([]);
    expect(verdict.groups[0]?.evidence).toBe('offline');
  });
});

test('idRanges draws runs together, in the order of the catalogue, never over areas', () => {
  const ids = (...wanted: string[]) =>
    idRanges(
      healthChecks.filter((c) => wanted.includes(c.id)),
      healthChecks,
    );
  expect(ids('PVE-Q01', 'PVE-Q02', 'PVE-Q03', 'PVE-Q05')).toBe('Q01-Q03, Q05');
  expect(ids('PVE-Q08', 'PVE-Q09', 'PVE-N01')).toBe('Q08, Q09, N01');
  expect(ids('PVE-D01')).toBe('D01');
  expect(ids()).toBe('');
});

test('judging is the same whenever it happens: only the given moment counts', () => {
  const certificate = {
    file: 'a',
    use: 'web' as const,
    notAfter: NOW + 20 * DAY,
    key: undefined,
    subject: undefined,
    issuer: undefined,
    san: [],
    notBefore: undefined,
    fingerprint: undefined,
  };
  const facts = given({ certificates: new Map([['n1', [certificate]]]) });
  expect(judge(['PVE-C01'], facts).groups[0]?.evidence).toBe('a ends in 20 d');
});
