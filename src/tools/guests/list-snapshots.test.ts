import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { worldOf } from '../../../test/support/demo-world.ts';
import { callAs, type Harness, openHarness } from '../../../test/support/harness.ts';
import { cursorOf, tableOf } from '../../../test/support/read-answer.ts';

describe('list_snapshots', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await openHarness();
  });
  afterAll(() => h.close());

  test('the tree, without the pseudo snapshot, and where the present state hangs', async () => {
    const { text, stats } = await h.call('list_snapshots', { vmid: 101 });
    const rows = tableOf(text);
    expect(rows.map((r) => r['name']).sort()).toEqual(
      worldOf(h.demo)
        .guests.get(101)
        ?.detail.snapshots.map((s) => s.name)
        .sort(),
    );
    expect(rows.map((r) => [r['name'], r['depth']])).toEqual([
      ['initial', '0'],
      ['experiment', '1'],
      ['pre-pg17', '1'],
      ['password-reset', '2'],
    ]);
    expect(rows[2]).toMatchObject({ parent: 'initial', vmstate: 'yes' });
    expect(text.split('\n')[0]).toContain('4 snapshots, oldest 610 d');
    expect(text).toContain('The present state descends from password-reset.');
    expect(stats.requests).toBeLessThanOrEqual(2);
    for (const canary of h.demo.canaries) expect(text).not.toContain(canary);
  });

  test('stuck ones are told in the first line', async () => {
    const { text } = await h.call('list_snapshots', { vmid: 109 });
    expect(text.split('\n')[0]).toContain('2 STUCK (no-time: delete, half-done: prepare)');
    expect(text).toContain('locked (snapshot)');
    expect(tableOf(text).find((r) => r['name'] === 'no-time')?.['time']).toBe('');
  });

  test('none is none; a container may have some', async () => {
    expect((await h.call('list_snapshots', { vmid: 100 })).text.split('\n')[0]).toContain('no snapshots');
    expect(tableOf((await h.call('list_snapshots', { name: 'proxy.demo.example' })).text).map((r) => r['name'])).toEqual(['pre']);
  });

  test('pages in the order of the tree, and chosen fields', async () => {
    const first = await h.call('list_snapshots', { vmid: 101, limit: 3, fields: ['name', 'time'] });
    const cursor = cursorOf(first.text);
    expect(Object.keys(tableOf(first.text)[0] ?? {})).toEqual(['name', 'time']);
    const { text } = await h.call('list_snapshots', { vmid: 101, cursor });
    expect(tableOf(text).map((r) => r['name'])).toEqual(['password-reset']);
  });

  test('offline node, hidden guest, failing node: never "none"', async () => {
    expect(await h.call('list_snapshots', { vmid: 130 })).toMatchObject({ isError: true, errorKind: 'node-unreachable' });
    try {
      expect(await callAs(h.demo, 'noacl', 'list_snapshots', { vmid: 100 })).toMatchObject({
        isError: true,
        errorKind: 'forbidden',
      });
    } finally {
    }
    const off = h.demo.faults.add({ kind: 'status-500', match: '/nodes/pve1/qemu/100/snapshot' });
    try {
      expect((await h.call('list_snapshots', { vmid: 100 })).isError).toBe(true);
    } finally {
      off();
    }
  });
});
