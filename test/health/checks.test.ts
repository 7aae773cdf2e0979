/** Every health check on hand-made facts: it speaks where it must, and keeps quiet where something is nearly wrong. */
import { describe, expect, test } from 'vitest';
import { HEALTH_THRESHOLDS } from '../../src/config/health-thresholds.ts';
import { healthChecks } from '../../src/insights/health/catalog.ts';
import { AREAS, type Check, judging } from '../../src/insights/health/check.ts';
import { factsOf, type Given, NOW } from '../support/health-facts.ts';
import { clusterCases } from './cases-cluster.ts';
import { dataCases } from './cases-data.ts';
import { guestCases } from './cases-guests.ts';

const CASES = { ...clusterCases, ...dataCases, ...guestCases };
const by = judging(NOW * 1000, {});

function judge(check: Check, given: Given) {
  return check.judge(factsOf(given), by);
}

test('every check has a case, and every case a check', () => {
  expect(Object.keys(CASES).sort()).toEqual(healthChecks.map((c) => c.id).sort());
});

test('ids are unique and say the area: at least 60 checks over every area', () => {
  const ids = healthChecks.map((c) => c.id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBeGreaterThanOrEqual(60);
  expect(ids.filter((id) => !/^PVE-[A-Z]\d\d$/.test(id))).toEqual([]);
  expect(new Set(healthChecks.map((c) => c.area))).toEqual(new Set(AREAS));
  const letters = new Map<string, Set<string>>();
  for (const { id, area } of healthChecks) letters.set(id.charAt(4), (letters.get(id.charAt(4)) ?? new Set()).add(area));
  expect([...letters].filter(([, areas]) => areas.size > 1)).toEqual([]);
});

describe.each(healthChecks.map((check) => [check.id, check] as const))('%s', (id, check) => {
  const found = CASES[id];
  if (found === undefined) return;

  test(`${check.what}: fires`, () => {
    const findings = judge(check, found.fires) ?? [];
    const on = findings.map((f) =>
      f.severity === undefined || f.severity === check.severity ? f.on.name : `${f.on.name}:${f.severity}`,
    );
    expect(on.sort()).toEqual([...found.on].sort());
    expect(findings.filter((f) => f.evidence === '' || /undefined|NaN|\[object/.test(f.evidence))).toEqual([]);
  });

  test.each(found.near.map((near, index) => [index, near] as const))('near miss %i', (_index, near) => {
    expect(judge(check, near)).toEqual([]);
  });

  test('is not judged without any of its facts', () => {
    for (const name of check.needs) expect(judge(check, { ...found.fires, [name]: undefined }), name).toBeUndefined();
  });

  test('says why it matters, in words that fit a cell', () => {
    expect(check.what.length).toBeLessThanOrEqual(60);
    expect(check.why.length).toBeLessThanOrEqual(140);
    expect(check.command ?? '').not.toMatch(/\/nodes\/<node>.*<storage>.*<vmid>/);
    for (const threshold of check.thresholds) expect(Object.keys(HEALTH_THRESHOLDS)).toContain(threshold);
  });
});

test('every threshold belongs to a check', () => {
  const used = new Set<string>(healthChecks.flatMap((c) => c.thresholds));
  expect(Object.keys(HEALTH_THRESHOLDS).filter((name) => !used.has(name))).toEqual([]);
});

test('an administrator sets a threshold', () => {
  const check = healthChecks.find((c) => c.id === 'PVE-S03');
  const facts = factsOf(CASES['PVE-S03']?.fires ?? {});
  expect(check?.judge(facts, judging(NOW * 1000, { 'storage-warning': 99, 'storage-critical': 99.5 }))).toEqual([]);
});
