import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { worldOf } from '../../../test/support/demo-world.ts';
import { type Harness, openHarness } from '../../../test/support/harness.ts';
import { recordOf, tableOf } from '../../../test/support/read-answer.ts';

describe('list_pools', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await openHarness();
  });
  afterAll(() => h.close());

  test('every pool with its own guests; those below it are counted apart', async () => {
    const { text } = await h.call('list_pools');
    const guests = [...worldOf(h.demo).guests.values()];
    const rows = tableOf(text);
    expect(rows.map((r) => r['pool'])).toEqual(
      worldOf(h.demo)
        .pools.map((p) => p.poolid)
        .sort(),
    );
    for (const row of rows) expect(Number(row['guests'])).toBe(guests.filter((g) => g.pool === row['pool']).length);
    const prod = rows.find((r) => r['pool'] === 'prod');
    expect(Number(prod?.['with_nested'])).toBe(guests.filter((g) => g.pool?.startsWith('prod') === true).length);
    expect(text.split('\n')[0]).toContain(`${guests.filter((g) => g.pool === undefined).length} are in no pool`);
    expect(
      h.demo.requests
        .filter((r) => !r.path.startsWith('/access/'))
        .map((r) => r.path)
        .sort(),
    ).toEqual(['/cluster/resources', '/pools']);
  });

  test.each(['9.2.11', '8.4'] as const)('one pool on %s, a nested one too, by the newer question', async (release) => {
    const at = await openHarness({ release });
    const { text } = await at.call('list_pools', { pool: 'prod/web' });
    const members = [...worldOf(at.demo).guests.values()].filter((g) => g.pool === 'prod/web').map((g) => String(g.vmid));
    expect(tableOf(text, 'guests').map((g) => g['vmid'])).toEqual(members);
    expect(at.demo.requests.at(-1)).toMatchObject({ path: '/pools', query: { poolid: 'prod/web' } });
    await at.close();
  });

  test('on 7.4 by the older question', async () => {
    const old = await openHarness({ release: '7.4' });
    const { text } = await old.call('list_pools', { pool: 'prod' });
    expect(recordOf(text, 'pool')['pool']).toBe('prod');
    expect(old.demo.requests.some((r) => r.path === '/pools/prod')).toBe(true);
    await old.close();
  });

  test('guests, storages and nested pools of one', async () => {
    const { text } = await h.call('list_pools', { pool: 'prod' });
    expect(recordOf(text, 'pool')).toMatchObject({ nested: 'prod/web' });
    expect(tableOf(text, 'storages').map((s) => s['storage'])).toEqual(
      [...(worldOf(h.demo).pools.find((p) => p.poolid === 'prod')?.storages ?? [])].sort(),
    );
  });

  test('a misspelt pool, and a name that is none', async () => {
    const near = await h.call('list_pools', { pool: 'prd' });
    expect(near.text).toContain('Did you mean "prod"?');
    const bad = await h.call('list_pools', { pool: '../access/users' });
    expect(bad.text).toContain('is no pool name');
    expect(bad.errorKind).toBe('bad-argument');
  });

  test('members are not shown to a token that may not see the pool, whatever the API hands out', async () => {
    const blind = await openHarness({ demo: h.demo, role: 'noacl' });
    const before = h.demo.requests.length;
    const { text, errorKind } = await blind.call('list_pools', { pool: 'prod' });
    expect(errorKind).toBe('forbidden');
    expect(text).toContain('Pool.Audit on /pool/prod');
    expect(h.demo.requests.slice(before).some((r) => r.query['poolid'] !== undefined)).toBe(false);
    const list = await blind.call('list_pools');
    expect(list.text).toMatch(/^0 visible pools; no guest is visible to this token/);
    expect(list.text).toContain('Hidden: pools: needs Pool.Audit on /pool');
    await blind.close();
  });
});
