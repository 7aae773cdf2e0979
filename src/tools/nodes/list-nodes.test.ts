import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callAs, type Harness, openHarness } from '../../../test/support/harness.ts';
import { tableOf } from '../../../test/support/read-answer.ts';

describe('list_nodes', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await openHarness();
  });
  afterAll(() => h.close());

  test('all nodes with load and guest counts; the offline one is there, too', async () => {
    const { text, stats } = await h.call('list_nodes');
    expect(text).toMatch(/^3 nodes, 2 online/);
    const rows = tableOf(text);
    expect(rows.map((r) => [r['node'], r['status']])).toEqual([
      ['pve1', 'online'],
      ['pve2', 'online'],
      ['pve3', 'offline'],
    ]);
    for (const row of rows) {
      expect(Number(row['guests'])).toBe([...h.demo.world.guests.values()].filter((g) => g.node === row['node']).length);
    }
    expect(text).toContain('Problem: pve3 (node-unreachable)');
    expect(stats.requests).toBeLessThanOrEqual(5);
    expect(h.demo.requests.every((r) => !r.path.startsWith('/nodes/'))).toBe(true);
  });

  test('without rights: nodes with their state, figures hidden, guest counts not zero', async () => {
    const { text } = await callAs(h.demo, 'noacl', 'list_nodes');
    expect(tableOf(text)[0]).not.toHaveProperty('guests');
    expect(tableOf(text)[0]).not.toHaveProperty('mem');
    expect(text).toContain('Hidden: figures of nodes: needs Sys.Audit on /nodes');
    expect(text).toContain('Hidden: guests: needs VM.Audit on /vms');
  });

  test('guests that are hidden on a node are not counted as none', async () => {
    const { text } = await callAs(h.demo, 'scoped', 'list_nodes');
    for (const row of tableOf(text)) expect([row['guests'], row['running']], row['node']).not.toContain('0');
    expect(text).toContain('Hidden: guests: needs VM.Audit on /vms');
  });

  test('a standalone node is one node, and no problem', async () => {
    const alone = await openHarness({ standalone: true });
    const { text } = await alone.call('list_nodes');
    expect(text).toMatch(/^1 nodes?, 1 online/);
    expect(text).not.toContain('Problem');
    await alone.close();
  });
});
