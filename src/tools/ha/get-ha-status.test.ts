import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callAs, type Harness, openHarness } from '../../../test/support/harness.ts';
import { recordOf, tableOf } from '../../../test/support/read-answer.ts';

describe('get_ha_status', () => {
  let h: Harness;
  let text: string;
  let requests: number;
  beforeAll(async () => {
    h = await openHarness();
    const outcome = await h.call('get_ha_status');
    text = outcome.text;
    requests = outcome.stats.requests;
  });
  afterAll(() => h.close());

  test('wanted and actual state of every resource, as the data set has them, in five requests', () => {
    const rows = tableOf(text, 'resources');
    const { resources } = h.demo.world.areas.ha;
    expect(rows).toHaveLength(resources.length);
    for (const resource of resources) {
      expect(rows.find((r) => r['sid'] === resource.sid)).toMatchObject({
        state: resource.state,
        wanted: resource.request,
        node: resource.node ?? '',
        comment: resource.comment ?? '',
      });
    }
    expect(requests).toBeLessThanOrEqual(5);
  });

  test('faulty ones first, each with the reason', () => {
    const rows = tableOf(text, 'resources');
    const problems = rows.filter((r) => r['problem'] !== '');
    expect(problems.map((r) => r['sid'])).toEqual(['vm:130', 'ct:220', 'vm:9901']);
    expect(rows.slice(0, problems.length)).toEqual(problems);
    expect(problems.find((r) => r['sid'] === 'vm:9901')?.['problem']).toBe('no such guest');
    expect(text).toContain('8 managed guests, 3 need attention');
  });

  test('a manager that is silent for over two minutes is flagged, one of a few seconds is not', () => {
    const managers = tableOf(text, 'managers');
    const flagged = managers.filter((m) => m['problem'] !== '').map((m) => `${m['role']} ${m['node']}`);
    expect(flagged).toEqual(['lrm pve2', 'lrm pve3']);
    expect(recordOf(text, 'ha')).toMatchObject({ quorum: 'yes', armed: expect.stringContaining('armed') });
  });

  test('rules: the one that is not followed first, the disabled one last; T28 migrated is a state', () => {
    const rules = tableOf(text, 'rules');
    expect(rules[0]).toMatchObject({ rule: 'web-again', problem: expect.stringContaining('already used') });
    expect(rules.at(-1)).toMatchObject({ rule: 'old-move', enabled: 'no' });
    expect(rules.find((r) => r['rule'] === 'replica-pinned')).toMatchObject({ strict: 'yes', nodes: 'pve3' });
    expect(recordOf(text, 'ha')['placement']).toBe('rules (groups were migrated to rules)');
    expect(text).not.toMatch(/^Problem.*migrated/m);
    // A rule that is not followed places nothing.
    expect(tableOf(text, 'resources').find((r) => r['sid'] === 'vm:100')?.['placement']).toBe('three-apart, web-on-pve1');
  });

  test('the offline node is told; secrets stay out; the structured form is typed', async () => {
    expect(text).toContain('Problem: pve3 (node-unreachable)');
    for (const canary of h.demo.canaries) expect(text).not.toContain(canary);
    const { structured } = await h.call('get_ha_status', {}, { form: 'structured' });
    expect(structured).toMatchObject({
      coverage: 'partial',
      resources: expect.arrayContaining([expect.objectContaining({ sid: 'vm:101', failback: false, max_restart: 1 })]),
    });
    expect(JSON.stringify(structured)).not.toContain('"rank"');
  });

  test('a token without rights is told what it needs', async () => {
    const outcome = await callAs(h.demo, 'noacl', 'get_ha_status');
    expect(outcome.isError).toBe(true);
    expect(outcome.text).toContain('Sys.Audit on /');
  });

  test('the state that does not come costs its part only', async () => {
    const slow = await openHarness({ demo: h.demo, cluster: { timeoutMs: 700 } });
    const off = h.demo.faults.add({ kind: 'hang', match: '/cluster/ha/status' });
    const outcome = await slow.call('get_ha_status');
    off();
    expect(outcome.isError).toBe(false);
    expect(outcome.text).toContain('the current state could not be read');
    expect(tableOf(outcome.text, 'rules').length).toBeGreaterThan(0);
    expect(outcome.text).toMatch(/^Problem.*no answer/m);
    await slow.close();
  });

  test('a wrong argument', async () => {
    expect((await h.call('get_ha_status', { nodes: 'x' })).text).toContain('Error (bad-argument)');
  });
});

test.each(['8.4', '7.4'] as const)('T28 release %s has groups, and is not asked for rules', async (release) => {
  const h = await openHarness({ release });
  const { text, isError } = await h.call('get_ha_status');
  expect(isError).toBe(false);
  expect(tableOf(text, 'groups').map((g) => g['group'])).toEqual(h.demo.world.areas.ha.groups.map((g) => g.group).sort());
  expect(recordOf(text, 'ha')['placement']).toBe('groups');
  expect(tableOf(text, 'resources').find((r) => r['sid'] === 'vm:100')?.['placement']).toBe('prefer-pve1');
  expect(h.demo.requests.some((r) => r.path === '/cluster/ha/rules')).toBe(false);
  await h.close();
});

test('HA that is not used is a state', async () => {
  const h = await openHarness({ standalone: true });
  const { text, isError } = await h.call('get_ha_status');
  expect(isError).toBe(false);
  expect(text).toMatch(/^HA is not used: no guest is managed, quorum yes/);
  await h.close();
});
