import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callAs, type Harness, openHarness } from '../../../test/support/harness.ts';
import { tableOf } from '../../../test/support/read-answer.ts';
import { FIRST_PAGE, stubCall } from '../../../test/support/stub-call.ts';
import { ApiError } from '../../api/errors.ts';
import { getSdn } from './get-sdn.ts';

describe('get_sdn', () => {
  let h: Harness;
  let text: string;
  let requests: number;
  beforeAll(async () => {
    h = await openHarness();
    const outcome = await h.call('get_sdn');
    text = outcome.text;
    requests = outcome.stats.requests;
  });
  afterAll(() => h.close());

  const ids = (title: string, column: string) => tableOf(text, title).map((r) => r[column]);

  test('everything that is configured or running', () => {
    const { sdn } = h.demo.world.areas;
    expect(ids('zones', 'zone').sort()).toEqual(sdn.zones.map((z) => z.id).sort());
    expect(ids('vnets', 'vnet').sort()).toEqual(sdn.vnets.map((v) => v.id).sort());
    expect(ids('controllers', 'controller').sort()).toEqual(sdn.controllers.map((c) => c.id).sort());
    expect(ids('ipams', 'ipam').sort()).toEqual(sdn.ipams.map((i) => i['ipam']).sort());
    expect(ids('dns', 'dns')).toEqual(['pdns']);
    expect(tableOf(text, 'subnets')).toHaveLength(sdn.subnets.length);
    expect(tableOf(text, 'subnets').find((r) => r['vnet'] === 'labnet')).toMatchObject({
      subnet: '10.30.0.0/24',
      gateway: '10.30.0.1',
    });
    expect(tableOf(text, 'fabrics')[0]).toMatchObject({ fabric: 'spine', nodes: 'pve1 172.22.3.1, pve2 172.22.3.2' });
  });

  test('what is not applied comes first, with what would change', () => {
    const vnets = tableOf(text, 'vnets');
    expect(vnets.map((v) => [v['vnet'], v['pending']])).toEqual([
      ['office', 'changed'],
      ['retired', 'deleted'],
      ['tenant1', 'new'],
      ['labnet', 'applied'],
      ['voice', 'applied'],
    ]);
    expect(vnets[0]?.['changes']).toBe('vlanaware: unset -> 1');
    expect(tableOf(text, 'zones').slice(0, 2)).toMatchObject([
      { zone: 'campus', pending: 'changed', changes: 'mtu: unset -> 1496', nodes: 'pve1, pve2' },
      { zone: 'overlay', pending: 'new', nodes: 'all' },
    ]);
    expect(text).toContain('6 with changes that are not applied');
  });

  test('how a zone is on each node, what is not well first; the offline node is told', () => {
    expect(tableOf(text, 'zones').find((z) => z['zone'] === 'campus')?.['status']).toMatch(/^pve2 error, pve1 /);
    expect(text.split('\n')[0]).toContain('not well: campus on pve2 (error)');
    expect(text).toContain('Problem: pve3');
  });

  test('T13 tokens and keys stay out, though the lists carry them, and are counted', async () => {
    const { structured } = await h.call('get_sdn', {}, { form: 'structured' });
    for (const canary of h.demo.canaries) {
      expect(text).not.toContain(canary);
      expect(JSON.stringify(structured)).not.toContain(canary);
    }
    expect(text).toContain('Redacted: 3 secret values');
  });

  test('list endpoints only; a request for each VNet and no more', () => {
    const asked = h.demo.requests.map((r) => r.path).filter((p) => p.startsWith('/cluster/sdn/'));
    expect(
      asked.filter((p) => !/^\/cluster\/sdn\/(?:zones|vnets|controllers|ipams|dns|fabrics\/all|vnets\/\w+\/subnets)$/.test(p)),
    ).toEqual([]);
    expect(requests).toBeLessThanOrEqual(11 + h.demo.world.areas.sdn.vnets.length);
  });

  test('only the sections that are wanted', async () => {
    const before = h.demo.requests.length;
    const outcome = await h.call('get_sdn', { sections: ['vnets'] });
    expect(tableOf(outcome.text)).toHaveLength(5);
    const sent = h.demo.requests.slice(before).map((r) => r.path);
    expect(sent.filter((path) => path !== '/access/permissions')).toEqual(['/cluster/sdn/vnets']);
    // The right on zones and VNets alone, asked for once.
    expect(sent).toHaveLength(2);
    expect((await h.call('get_sdn', { sections: ['vlans'] })).text).toContain('Error (bad-argument)');
  });

  test('addresses by name: what the built-in IPAM gave away, and that others can not be asked', async () => {
    const { text: said } = await h.call('get_sdn', { sections: ['addresses'] });
    const { leases } = h.demo.world.areas.sdn;
    const rows = tableOf(said);
    expect(rows.map((r) => r['address']).sort()).toEqual(leases.map((l) => String(l['ip'])).sort());
    expect(rows.find((r) => r['gateway'] === 'yes')?.['address']).toBe('10.30.0.1');
    expect(said).toContain("can't be asked through the API");
    expect(text).not.toContain('## addresses');
    const seen = await callAs(h.demo, 'noacl', 'get_sdn', { sections: ['addresses'] });
    expect(seen.text).toMatch(/^SDN: \d+ address(?:es)? visible/);
    expect(seen.text).toMatch(/^Hidden: addresses in the SDN IPAM/m);
  });

  test('addresses that could not be read are not counted as none', async () => {
    const off = h.demo.faults.add({ kind: 'status-500', match: '/cluster/sdn/ipams' });
    const alone = await h.call('get_sdn', { sections: ['addresses'] });
    const beside = await h.call('get_sdn', { sections: ['zones', 'addresses'] });
    off();
    expect(alone.isError, alone.text).toBe(true);
    expect(beside.text).toMatch(/^SDN: \d+ zones/);
    expect(beside.text.split('\n')[0]).not.toContain('address');
    expect(beside.text).toMatch(/^Problem \(upstream\)/m);
  });

  test('T5 hidden, and never "not used"', async () => {
    const outcome = await callAs(h.demo, 'noacl', 'get_sdn');
    expect(outcome.text).toContain('Hidden: SDN objects: needs SDN.Audit on /sdn');
    expect(outcome.text).not.toContain('not used');
    expect(outcome.text).toContain('## zones (0 seen)');
  });

  test('a list that hangs costs its own section', async () => {
    const slow = await openHarness({ demo: h.demo, cluster: { timeoutMs: 700 } });
    const off = h.demo.faults.add({ kind: 'hang', match: '/cluster/sdn/controllers' });
    const outcome = await slow.call('get_sdn');
    off();
    expect(tableOf(outcome.text, 'zones')).toHaveLength(4);
    expect(outcome.text).not.toContain('## controllers');
    expect(outcome.text).toMatch(/^Problem.*no answer/m);
    await slow.close();
  });

  test('nothing that can be read is an error', async () => {
    const slow = await openHarness({ demo: h.demo, cluster: { timeoutMs: 700 } });
    const off = h.demo.faults.add({ kind: 'status-500', match: '/cluster/sdn' });
    const outcome = await slow.call('get_sdn');
    off();
    expect(outcome.isError).toBe(true);
    expect(outcome.text).toContain("SDN can't be read");
    await slow.close();
  });
});

test.each(['8.4', '7.4'] as const)('release %s has no fabrics, and is not asked for them', async (release) => {
  const h = await openHarness({ release });
  const { text, isError } = await h.call('get_sdn');
  expect(isError).toBe(false);
  expect(tableOf(text, 'zones')).toHaveLength(4);
  expect(text).toContain('Note: Fabrics came with release 9.0.');
  expect(h.demo.requests.some((r) => r.path.includes('fabrics'))).toBe(false);
  await h.close();
});

describe('what is not there', () => {
  const rights: Record<string, unknown> = {
    '/access/permissions': { '/sdn': { 'SDN.Audit': 1 }, '/access': { 'Sys.Audit': 1 } },
    '/access/acl': [],
    '/access/roles': [],
    '/cluster/resources': [{ type: 'node', node: 'a', status: 'online' }],
    '/cluster/sdn/fabrics/all': { fabrics: [], nodes: [] },
  };

  test('SDN that is not used is said to be so when that is known', async () => {
    const answer = await getSdn.prepare({}).run(
      stubCall((path) => rights[path] ?? []),
      FIRST_PAGE,
    );
    expect(answer.headline).toMatch(/^SDN is not used: 0 zones, 0 VNets/);
    expect(answer.gaps.coverage).toBe('complete');
  });

  test('SDN that is not installed is a state', async () => {
    const missing = new ApiError('unsupported-by-this-release', 'no such path', { status: 501 });
    const answer = await getSdn.prepare({}).run(
      stubCall((path) => (path.startsWith('/cluster/sdn') ? missing : (rights[path] ?? [])), '7.4-3'),
      FIRST_PAGE,
    );
    expect(answer.headline).toBe('SDN is not installed on the node that answers');
  });
});
