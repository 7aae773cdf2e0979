import { describe, expect, test } from 'vitest';
import { healthChecks } from '../insights/health/catalog.ts';
import { factsOf } from '../insights/health/judge.ts';
import { DEEP_FACTS, FACT_NAMES, FACTS, factCost, lacksOf, type PlanInput, planFacts, requestsPerGuest } from './health-facts.ts';

const ALL = factsOf(healthChecks);
const on = (nodes: number, part: Partial<PlanInput> = {}): PlanInput => ({
  nodes,
  thinNodes: nodes,
  zfsNodes: nodes,
  deep: false,
  all: false,
  ...part,
});

describe('planFacts', () => {
  test.each([1, 2, 3, 4, 5])('%i nodes: at most 40 requests, and the cluster as a whole is always read', (nodes) => {
    const plan = planFacts(ALL, on(nodes));
    expect(plan.requests).toBeLessThanOrEqual(40);
    expect([...plan.read]).toEqual(
      expect.arrayContaining(['membership', 'quorum', 'running', 'jobs', 'ha', 'replication', 'storages', 'ceph', 'disks']),
    );
    expect([...plan.spared]).toEqual(expect.arrayContaining(['details', 'snapshots', 'everyFirewall']));
  });

  test('more nodes allow more requests, and never more than four each', () => {
    for (const nodes of [6, 10, 20, 50]) expect(planFacts(ALL, on(nodes)).requests).toBeLessThanOrEqual(40 + 4 * (nodes - 5));
    expect(planFacts(ALL, on(20)).read.has('disks')).toBe(true);
  });

  test('what is asked for by area is read whatever it costs, but not guest by guest', () => {
    const plan = planFacts(ALL, on(20, { all: true }));
    expect([...plan.spared].filter((fact) => !DEEP_FACTS.has(fact))).toEqual([]);
    expect(plan.spared.has('details')).toBe(true);
  });

  test('a deep check reads everything', () => {
    expect(planFacts(ALL, on(20, { deep: true })).spared.size).toBe(0);
  });

  test('what comes along with another fact is read or left with it', () => {
    for (const nodes of [1, 5, 20]) {
      const { read, spared } = planFacts(ALL, on(nodes));
      for (const fact of FACT_NAMES) {
        const { along } = FACTS[fact];
        if (along !== undefined && ALL.has(fact)) expect(read.has(fact), fact).toBe(read.has(along));
      }
      expect([...read].filter((fact) => spared.has(fact))).toEqual([]);
    }
  });

  test('nothing is read that no check needs', () => {
    expect([...planFacts(new Set(['ended', 'thinPools']), on(3, { thinNodes: 1 })).read].sort()).toEqual([
      'ended',
      'running',
      'thinPools',
    ]);
    expect(factCost('thinPools', on(3, { thinNodes: 1 }))).toBe(1);
  });
});

test('every fact belongs to a check, and every check to facts', () => {
  const along = new Set(FACT_NAMES.flatMap((fact) => FACTS[fact].along ?? []));
  expect(FACT_NAMES.filter((fact) => !ALL.has(fact) && !along.has(fact))).toEqual([]);
  expect(healthChecks.filter((c) => c.needs.length === 0)).toEqual([]);
});

test('a guest costs as much as what is asked of it', () => {
  expect(requestsPerGuest(['details'])).toBe(1);
  expect(requestsPerGuest(['details', 'snapshots', 'agents', 'guestFirewalls'])).toBe(5);
});

describe('lacksOf', () => {
  test('a right that is missing, a node that failed, a storage by its name', () => {
    const lacks = lacksOf({
      problems: [
        { where: { node: 'n1' }, kind: 'forbidden', message: 'Not allowed.', needs: 'Sys.Audit on /nodes/n1' },
        { where: { node: 'n2' }, kind: 'timeout', message: 'node n2: no answer.' },
        { where: { node: 'n2', storage: 's' }, kind: 'unreachable', message: 'Not active.' },
      ],
      coverage: 'partial',
      hidden: [{ what: 'guests', privilege: 'VM.Audit', path: '/vms' }],
    });
    expect(lacks).toEqual([
      { why: 'needs Sys.Audit on /nodes/n1', needs: 'Sys.Audit on /nodes/n1', nodes: ['n1'] },
      { why: 'node n2: no answer', nodes: ['n2'], kind: 'timeout' },
      { why: 's: Not active', nodes: ['n2'], kind: 'unreachable' },
      { why: 'guests: needs VM.Audit on /vms', needs: 'VM.Audit on /vms' },
    ]);
  });

  test('what is not known to be all is a lack, too', () => {
    expect(lacksOf({ problems: [], coverage: 'unknown', hidden: [], why: 'entries on /pool/x' })).toEqual([
      { why: 'entries on /pool/x' },
    ]);
    expect(lacksOf({ problems: [], coverage: 'complete', hidden: [] })).toEqual([]);
  });

  test('what a release does not have is no loss', () => {
    const [lack] = lacksOf({
      problems: [{ where: {}, kind: 'unsupported-by-this-release', message: 'x' }],
      coverage: 'partial',
      hidden: [],
    });
    expect(lack).toMatchObject({ spared: true });
  });
});
