import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Harness, openHarness } from '../../../test/support/harness.ts';
import { recordOf, tableOf } from '../../../test/support/read-answer.ts';
import { MAX_TARGETS } from '../../cluster/migration-facts.ts';

/** Migration readiness: get_guest sections=migration. */
describe('get_guest, section migration', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await openHarness();
  });
  afterAll(() => h.close());

  const ask = async (vmid: number, by: Harness = h) => {
    const from = by.demo.requests.length;
    const { text, isError } = await by.call('get_guest', { vmid, sections: ['migration'] });
    expect(isError, text).toBe(false);
    expect(text.length).toBeLessThanOrEqual(10_000);
    const targets = new Map(tableOf(text, 'targets').map((r) => [r['node'], r]));
    const obstacles = tableOf(text, 'obstacles').map((r) => `${r['effect']}: ${r['what']}`);
    return { text, targets, obstacles, verdict: recordOf(text, 'migration'), requests: by.demo.requests.slice(from) };
  };

  test('a machine on shared storage moves live', async () => {
    const { text, targets, verdict } = await ask(124);
    expect(text).toContain('can move live to pve1');
    expect(verdict).toEqual({ live: 'yes', switched_off: 'yes', ha: 'yes' });
    expect(targets.get('pve1')).toMatchObject({ live: 'yes', switched_off: 'yes', ha: 'yes' });
    expect(targets.get('pve3')).toMatchObject({ live: 'no', switched_off: 'no', ha: 'no', remarks: 'offline now' });
  });

  test.each<[number, string, readonly string[]]>([
    [
      101,
      "can't move (host devices, paths of the node)",
      ['blocks: host devices', 'blocks: paths of the node', 'blocks live: mapped devices', 'blocks live: saved memory'],
    ],
    [104, "can't move (linked clone)", ['blocks: linked clone']],
    [109, "can't move (lock)", ['blocks: lock', 'blocks live: snapshots']],
    [111, "can't move (local ISO)", ['blocks: local ISO']],
    [112, "can't move (host devices)", ['blocks: host devices']],
    [116, "can't move (lock)", ['blocks: lock']],
    [117, "can't move (snapshots)", ['blocks: snapshots']],
    [122, 'can move live to pve1', []],
    [221, 'can move by a restart to pve1', ['blocks live: container']],
  ])('guest %i: %s', async (vmid, words, blocking) => {
    const { text, obstacles } = await ask(vmid);
    expect(text.split('\n')[0]).toContain(words);
    expect(obstacles.filter((o) => o.startsWith('blocks'))).toEqual(blocking);
  });

  test('what the target lacks: storage, bridge, room, and what HA forbids', async () => {
    const remarks = (await ask(100)).targets.get('pve2')?.['remarks'] ?? '';
    for (const words of [
      'storage nas-media is not available',
      'no bridge vmbr1',
      'HA rule three-apart keeps it away from vm:120',
      'are free on local-lvm',
    ])
      expect(remarks).toContain(words);
    expect((await ask(101)).targets.get('pve2')?.['remarks']).toContain('another processor (Intel Xeon E-2288G)');
    // A local disk keeps HA from starting it elsewhere.
    expect((await ask(122)).verdict).toMatchObject({ live: 'yes', ha: 'no', copies: '100 GiB' });
  });

  test('what could not be read is unknown, never "can move"', async () => {
    const refused = await ask(200);
    expect(refused.text).toContain('whether it can move is not known');
    expect(refused.text).toContain('Problem: guest 200 on pve1 (forbidden)');
    const off = await ask(130);
    expect(off.verdict).toEqual({ live: 'unknown', switched_off: 'unknown', ha: 'unknown' });
    expect(off.text).toContain('Problem: pve3 (node-unreachable)');
    expect(off.requests.filter((r) => r.path.startsWith('/nodes/'))).toEqual([]);
  });

  test('a network that can not be read makes its node unknown, and no other part fails', async () => {
    const stuck = await openHarness();
    stuck.demo.faults.add({ kind: 'reset', match: /^\/nodes\/pve1\/network$/ });
    const { targets, verdict } = await ask(124, stuck);
    expect(verdict['live']).toBe('unknown');
    expect(targets.get('pve1')?.['remarks']).toContain("can't be seen");
    await stuck.close();
  });

  test('a scoped token: no verdict on storages and bridges that it does not see', async () => {
    const scoped = await openHarness({ demo: h.demo, role: 'scoped' });
    const { verdict, text, obstacles } = await ask(120, scoped);
    expect(verdict['live']).not.toBe('yes');
    expect(verdict['switched_off']).not.toBe('yes');
    expect(obstacles).toContain('unknown: storages');
    for (const what of ['storages', 'bridges', 'HA rules and states']) expect(text).toContain(`Hidden: ${what}: needs`);
    await scoped.close();
  });

  test('the number of requests is bounded by the nodes looked at, whatever the cluster', async () => {
    const large = await openHarness({ nodes: 20, guests: 40 });
    const { text, requests } = await ask(101, large);
    const looked = new Set(requests.flatMap((r) => /^\/nodes\/([^/]+)\/network$/.exec(r.path)?.[1] ?? []));
    expect(looked.size).toBe(MAX_TARGETS);
    expect(text).toMatch(/Note: \d+ more online nodes not looked at/);
    const data = requests.filter((r) => !r.path.startsWith('/access/') && r.path !== '/version');
    expect(data.length).toBeLessThanOrEqual(18 + 2 * MAX_TARGETS + 1);
    await large.close();
  });

  test('only when asked for: the dossier itself costs no more than before', async () => {
    const from = h.demo.requests.length;
    const { text } = await h.call('get_guest', { vmid: 124 });
    expect(text).not.toContain('## migration');
    expect(h.demo.requests.slice(from).filter((r) => /\/network$|^\/storage$/.test(r.path))).toEqual([]);
    const both = await h.call('get_guest', { vmid: 124, sections: ['disks', 'migration'] });
    expect(both.text).toContain('## disks');
    expect(both.text).toContain('## migration');
  });

  test('structured, and without a secret', async () => {
    const { structured, text } = await h.call('get_guest', { vmid: 101, sections: ['migration'] }, { form: 'structured' });
    expect(structured).toMatchObject({ migration: { live: 'no', copies_bytes: expect.any(Number) } });
    for (const canary of h.demo.canaries) expect(text).not.toContain(canary);
  });
});
