import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { callAs, type Harness, openHarness } from '../../../test/support/harness.ts';
import { cursorOf, tableOf } from '../../../test/support/read-answer.ts';
import { stubCall } from '../../../test/support/stub-call.ts';
import { runTool } from '../run-tool.ts';
import { listGuests } from './list-guests.ts';

describe('list_guests', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await openHarness();
  });
  afterAll(() => h.close());

  test('every guest once, sorted, with the values of the cluster', async () => {
    const { text } = await h.call('list_guests', {}, { maxChars: 40_000 });
    const rows = tableOf(text);
    const world = [...h.demo.world.guests.values()];
    expect(rows.map((r) => Number(r['vmid']))).toEqual(world.map((g) => g.vmid).sort((a, b) => a - b));
    const running = world.filter((g) => g.power === 'running' && g.node !== 'pve3').length;
    expect(text.split('\n')[0]).toContain(`${world.length} guests: ${running} running`);
    expect(rows.find((r) => r['vmid'] === '200')).toMatchObject({ type: 'lxc', node: 'pve1' });
  });

  test('guests of the offline node are listed as unknown, and the node is a problem', async () => {
    const { text } = await h.call('list_guests', { node: 'pve3' });
    expect(tableOf(text).every((r) => r['status'] === 'unknown')).toBe(true);
    expect(text).toContain('Problem: pve3 (node-unreachable)');
  });

  test.each([
    [{ guest_type: 'lxc' }, (r: Record<string, string>) => r['type'] === 'lxc'],
    [{ status: 'running' }, (r: Record<string, string>) => r['status'] === 'running'],
    [{ node: 'pve2' }, (r: Record<string, string>) => r['node'] === 'pve2'],
    [{ template: true }, (r: Record<string, string>) => r['template'] === 'template'],
    [{ tag: 'prod' }, (r: Record<string, string>) => (r['tags'] ?? '').split(', ').includes('prod')],
    [{ query: 'WEB' }, (r: Record<string, string>) => JSON.stringify(r).toLowerCase().includes('web')],
  ])('filter %j', async (filter, holds) => {
    const rows = tableOf((await h.call('list_guests', filter)).text);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every(holds)).toBe(true);
  });

  test('a pool stands for those nested in it', async () => {
    const pools = new Set(tableOf((await h.call('list_guests', { pool: 'prod' })).text).map((r) => r['pool']));
    expect(pools).toEqual(new Set(['prod', 'prod/web']));
  });

  test('figures are sorted downwards, and pages continue without a hole', async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { text } = await h.call('list_guests', { sort: 'mem', limit: 7, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...tableOf(text).map((r) => r['vmid'] ?? ''));
      cursor = cursorOf(text);
    } while (cursor !== undefined);
    expect(new Set(seen).size).toBe(h.demo.world.guests.size);
    expect(seen.length).toBe(h.demo.world.guests.size);
    const first = tableOf((await h.call('list_guests', { sort: 'mem', limit: 5 })).text).map((r) =>
      Number.parseFloat(r['mem'] ?? ''),
    );
    expect(first).toEqual([...first].sort((a, b) => b - a));
  });

  test('sorted by uptime, which grows while one reads, nothing is left out or repeated', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-30T12:00:00Z') });
    const began = Date.now();
    const guest = (vmid: number, uptime: number) => ({
      type: 'qemu',
      vmid,
      node: 'n1',
      status: 'running',
      // As the node last told it.
      uptime: Math.floor((uptime + (Date.now() - began) / 1000) / 10) * 10,
    });
    // All started within seconds of each other, as after a power cut.
    const { session } = stubCall((path) =>
      path === '/cluster/resources'
        ? [{ type: 'node', node: 'n1', status: 'online' }, ...Array.from({ length: 12 }, (_, i) => guest(100 + i, 500 - i * 2))]
        : [],
    );
    const seen: (string | undefined)[] = [];
    let cursor: string | undefined;
    do {
      const { text } = await runTool(listGuests, { sort: 'uptime', limit: 5, cursor }, session, {
        form: 'text',
        maxChars: 9_000,
      });
      seen.push(...tableOf(text).map((r) => r['vmid']));
      cursor = cursorOf(text);
      vi.setSystemTime(Date.now() + 67_000);
    } while (cursor !== undefined);
    vi.useRealTimers();
    expect(seen).toEqual(Array.from({ length: 12 }, (_, i) => String(100 + i)));
  });

  test('one data request at any size, and the permission requests do not grow with the guests', async () => {
    const big = await openHarness({ nodes: 8, guests: 1_000 });
    try {
      const { stats, text } = await big.call('list_guests', {});
      expect(text).toMatch(/1000 guests/);
      expect(big.demo.requests.filter((r) => r.path === '/cluster/resources')).toHaveLength(1);
      expect(stats.requests).toBeLessThanOrEqual(4);
      expect(text.length).toBeLessThanOrEqual(10_000);
    } finally {
      await big.close();
    }
  });

  test('without rights it is said what is hidden, and nothing reads as none', async () => {
    const { text } = await callAs(h.demo, 'noacl', 'list_guests');
    expect(text).toMatch(/^0 visible guests/);
    expect(text).toContain('Hidden: guests: needs VM.Audit on /vms');
  });

  test('NoAccess on one guest: the list is known to lack it', async () => {
    const { text } = await callAs(h.demo, 'blind-one', 'list_guests');
    expect(text).toMatch(/Hidden: guests at \/vms\/\d+/);
  });

  test('a misspelt node is answered with the right one, before anything is sent to it', async () => {
    const before = h.demo.requests.length;
    const { text, isError } = await h.call('list_guests', { node: 'PVE1' });
    expect(isError).toBe(true);
    expect(text).toContain('Did you mean pve1?');
    expect(h.demo.requests.slice(before).every((r) => !r.path.includes('PVE1'))).toBe(true);
  });

  test('structured form: typed, with units in the keys', async () => {
    const { structured } = await h.call('list_guests', { limit: 1 }, { form: 'structured' });
    expect(structured).toMatchObject({
      guests: [{ vmid: 100, type: 'qemu', memory_bytes: expect.any(Number), uptime_s: expect.any(Number) }],
      coverage: expect.any(String),
    });
  });
});
