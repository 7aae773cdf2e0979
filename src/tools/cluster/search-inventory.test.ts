import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { worldOf } from '../../../test/support/demo-world.ts';
import { callAs, type Harness, openHarness } from '../../../test/support/harness.ts';
import { cursorOf, tableOf } from '../../../test/support/read-answer.ts';

const configReads = (h: Harness): number => h.demo.requests.filter((r) => r.path.endsWith('/config')).length;

describe('search_inventory', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await openHarness();
  });
  afterAll(() => h.close());

  test('by name, tag, vmid or pool: one request for data', async () => {
    const { text } = await h.call('search_inventory', { query: 'web-01' });
    expect(tableOf(text)).toEqual([expect.objectContaining({ kind: 'guest', id: '100', name: 'web-01', match: 'name' })]);
    expect(h.demo.requests.filter((r) => !r.path.startsWith('/access/')).map((r) => r.path)).toEqual(['/cluster/resources']);
    expect(tableOf((await h.call('search_inventory', { query: '101' })).text)[0]).toMatchObject({ id: '101', match: 'vmid' });
    const pool = tableOf((await h.call('search_inventory', { query: 'prod/web' })).text);
    expect(pool.map((r) => r['kind'])).toEqual(['guest', 'guest', 'pool']);
    expect(tableOf((await h.call('search_inventory', { query: 'pve2' })).text)[0]).toMatchObject({ kind: 'node', id: 'pve2' });
  });

  test('what may stand in configurations only is not looked for unasked, and the price is said', async () => {
    const before = configReads(h);
    const { text } = await h.call('search_inventory', { query: 'vm-108-disk-0' });
    expect(text).toMatch(/^0 things found/);
    const readable = [...worldOf(h.demo).guests.values()].filter((g) => g.node !== 'pve3').length;
    expect(text).toContain(`deep=true (reads ${readable} guest configurations)`);
    expect(configReads(h)).toBe(before);
  });

  test('neither a query nor a thing that others depend on, or both: says what to give', async () => {
    for (const args of [{}, { query: 'web', depends_on: 'node:pve1' }]) {
      const { isError, text } = await h.call('search_inventory', args);
      expect(isError).toBe(true);
      expect(text).toContain('Give either query (what to find) or depends_on');
    }
  });

  test('deep: a static address, a MAC address, a volume, a word of the notes', async () => {
    const found = async (query: string) => tableOf((await h.call('search_inventory', { query, deep: true })).text);
    expect((await found('10.20.0.53')).map((r) => r['id'])).toEqual(['203']);
    expect((await found('bc-24-11-20-01-12')).map((r) => r['id'])).toEqual(['112']);
    expect((await found('vm-108-disk-0'))[0]).toMatchObject({ id: '108', match: expect.stringContaining('scsi0: ') });
    // Two guests share this one: both are found.
    expect((await found('BC:24:11:20:01:04')).map((r) => r['id'])).toEqual(['104', '115']);
  });

  test('a template is called one, whether its name or its configuration was found', async () => {
    const templates = [...worldOf(h.demo).guests.values()].filter((g) => g.template && g.node !== 'pve3');
    expect(templates.length).toBeGreaterThan(0);
    for (const { vmid, name } of templates) {
      for (const args of [{ query: name }, { query: `-${vmid}-disk`, deep: true }]) {
        const row = tableOf((await h.call('search_inventory', args)).text).find((r) => r['id'] === String(vmid));
        expect(row, JSON.stringify(args)).toMatchObject({ status: 'template' });
      }
    }
  });

  test('deep: guests that could not be looked into are told', async () => {
    const { text } = await h.call('search_inventory', { query: 'no such thing', deep: true });
    expect(text).toContain('Problem: pve3 (node-unreachable)');
    expect(text).toContain('guest 200 on pve1 (forbidden)');
  });

  test('deep: no secret comes out, and none can be searched for', async () => {
    for (const canary of h.demo.canaries.filter((c) => c.length >= 8).slice(0, 12)) {
      const { text } = await h.call('search_inventory', { query: canary.slice(0, 200), deep: true });
      expect(text.split('\n')[0], canary).toMatch(/^0 things found/);
    }
    const { text } = await h.call('search_inventory', { query: 'a', deep: true }, { maxChars: 40_000 });
    for (const canary of h.demo.canaries) expect(text).not.toContain(canary);
  });

  test('nothing found without rights is no "none"', async () => {
    const { text } = await callAs(h.demo, 'noacl', 'search_inventory', { query: 'web' });
    expect(text).toMatch(/^0 visible things found/);
    expect(text).toContain('Hidden: guests: needs VM.Audit on /vms');
  });

  test('when time runs out the rest is one cursor away, and nothing is lost or told twice', async () => {
    const slow = await openHarness({ nodes: 3, guests: 320, latencyMs: 50 });
    const seen: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const { text, isError } = await slow.call(
        'search_inventory',
        { query: 'size=', deep: true, fields: ['kind', 'id', 'match'], ...(cursor === undefined ? {} : { cursor }) },
        { budgetMs: 2_400, maxChars: 40_000 },
      );
      expect(isError, text).toBe(false);
      cursor = cursorOf(text);
      if (cursor !== undefined) expect(text).toContain('counts are so far');
      pages += 1;
      seen.push(...tableOf(text).map((r) => r['id'] ?? ''));
    } while (cursor !== undefined && pages < 40);
    expect(pages).toBeGreaterThan(1);
    expect(cursor).toBeUndefined();
    // An unhurried search over the same guests finds the same ones.
    const whole = await slow.call(
      'search_inventory',
      { query: 'size=', deep: true, fields: ['kind', 'id', 'match'] },
      { maxChars: 40_000 },
    );
    expect(whole.text).not.toContain('so far');
    expect(seen.length).toBeGreaterThan(200);
    expect(seen).toEqual(tableOf(whole.text).map((r) => r['id']));
    await slow.close();
  }, 60_000);

  test('even when nothing is read in time, each page gets past one guest', async () => {
    const stuck = await openHarness();
    stuck.demo.faults.add({ kind: 'hang', match: /\/config$/ });
    const ask = (cursor?: string) =>
      stuck.call(
        'search_inventory',
        { query: 'vmbr0', deep: true, ...(cursor === undefined ? {} : { cursor }) },
        { budgetMs: 450 },
      );
    const first = await ask();
    expect(first.text).toContain('The configuration of guest 100 was not read in time');
    const second = await ask(cursorOf(first.text));
    expect(second.text).toContain('The configuration of guest 101 was not read in time');
    await stuck.close();
  });

  test('a node that hangs costs its own guests only, within the budget', async () => {
    const stuck = await openHarness({ cluster: { timeoutMs: 700 } });
    stuck.demo.faults.add({ kind: 'hang', match: /^\/nodes\/pve2\/.*\/config$/ });
    const started = Date.now();
    const { text } = await stuck.call('search_inventory', { query: 'vmbr0', deep: true }, { budgetMs: 5_000 });
    expect(Date.now() - started).toBeLessThan(6_000);
    const nodes = new Set(tableOf(text).map((r) => r['node']));
    expect(nodes).toContain('pve1');
    expect(nodes).not.toContain('pve2');
    expect(text).toMatch(/Problem: guest \d+ on pve2.*\(timeout\)/);
    await stuck.close();
  });
});
