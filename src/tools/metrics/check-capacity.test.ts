import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { worldOf } from '../../../test/support/demo-world.ts';
import { callAs, type Harness, openHarness } from '../../../test/support/harness.ts';
import { cursorOf, recordOf, tableOf } from '../../../test/support/read-answer.ts';
import { FIRST_PAGE, stubCall } from '../../../test/support/stub-call.ts';
import type { DemoRole } from '../../demo/types.ts';
import { checkCapacity } from './check-capacity.ts';

describe('check_capacity', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await openHarness();
  });
  afterAll(() => h.close());

  const as = async (role: DemoRole, args: Record<string, unknown> = {}) => {
    const outcome = await callAs(h.demo, role, 'check_capacity', args);
    return outcome;
  };

  test('allocation and use are those of the data', async () => {
    const { text } = await as('auditor');
    const world = worldOf(h.demo);
    const row = tableOf(text, 'nodes').find((r) => r['node'] === 'pve1');
    // Paused ones hold their memory, too.
    const active = [...world.guests.values()].filter((g) => g.node === 'pve1' && g.power !== 'stopped' && !g.template);
    const pve1 = world.nodes.find((n) => n.node === 'pve1');
    const share = active.reduce((sum, g) => sum + g.maxmem, 0) / (pve1?.maxmem ?? 1);
    expect(Number(row?.['active'])).toBe(active.length);
    expect(Number.parseFloat(row?.['mem_allocated'] ?? '')).toBeCloseTo(share * 100, 0);
    expect(Number(recordOf(text, 'cluster')['cores'])).toBe(
      world.nodes.filter((n) => n.online).reduce((sum, n) => sum + n.maxcpu, 0),
    );
  });

  test('losing a node: who finds no place, and that the quorum would go, too', async () => {
    const { text } = await as('auditor');
    const rows = tableOf(text, 'nodes');
    expect(rows.find((r) => r['node'] === 'pve1')).toMatchObject({ if_down: 'does-not-fit', quorum: 'lost' });
    expect(rows.find((r) => r['node'] === 'pve3')).toMatchObject({ status: 'offline', if_down: '' });
    expect(text.split('\n')[0]).toContain("the others can't carry the guests of pve1, pve2");
    expect(text.split('\n')[0]).toContain('one more node lost also loses the quorum');
  });

  test('forecasts: what grows by the data gets its date, what does not gets none; the soonest first', async () => {
    const { text } = await as('auditor');
    const rows = tableOf(text, 'storages');
    const world = worldOf(h.demo);
    for (const row of rows) {
      const storage = world.storages.find((s) => s.storage === row['storage']);
      const use = storage?.use(row['node'] === '' ? 'pve1' : (row['node'] ?? ''));
      const days =
        storage === undefined || use === undefined || storage.growthPerDay === 0
          ? undefined
          : (use.total - use.used) / storage.growthPerDay;
      if (days === undefined) expect(row, row['storage']).toMatchObject({ full_in: '', confidence: '' });
      else {
        const told = Number.parseFloat(row['full_in'] ?? '');
        expect(Math.abs(told / days - 1), `${row['storage']} ${row['node']}: ${told} of ${days} d`).toBeLessThan(0.1);
        expect(row['confidence']).toBe('high');
      }
    }
    expect(rows[0]).toMatchObject({ storage: 'local-lvm', node: 'pve2' });
    expect(new Set(rows.map((r) => `${r['storage']} ${r['node']}`)).size).toBe(rows.length);
    expect(rows.filter((r) => r['storage'] === 'nas-backup')).toHaveLength(1);
  });

  test('thin pools: metadata that is nearly full is in the headline; what disks may grow to needs a right', async () => {
    const auditor = await as('auditor');
    expect(auditor.text.split('\n')[0]).toMatch(/metadata of thin pool pve\/data on pve1 is 9\d% full/);
    expect(auditor.text).toContain('Hidden: what guest disks in thin pools may grow to: needs VM.Config.Disk on /vms');
    expect(tableOf(auditor.text, 'thin_pools')[0]).not.toHaveProperty('overcommit');
    const full = await as('full');
    expect(Number(tableOf(full.text, 'thin_pools')[0]?.['overcommit'])).toBeGreaterThan(0.1);
    expect(full.text).not.toContain('Hidden');
  });

  test('two storages on one thin pool list the same volumes, which are promised once', async () => {
    const other = await openHarness({ role: 'full' });
    try {
      const world = worldOf(other.demo);
      const promised = async () =>
        tableOf((await other.call('check_capacity')).text, 'thin_pools').map((r) => [r['storages'], r['provisioned']]);
      const before = await promised();
      const thin = world.storages.filter((s) => s.storage === 'local-lvm');
      const volume = {
        volid: 'second:vm-100-disk-0',
        storage: 'second',
        content: 'images',
        format: 'raw',
        size: 32 * 2 ** 30,
        ctime: 0,
        vmid: 100,
      } as const;
      const volumes = world.volumes.bind(world);
      Object.assign(world, {
        storages: [...world.storages, ...thin.map((s) => ({ ...s, storage: 'second' }))],
        volumes: (storage: string, node: string) => (storage === 'second' && node === 'pve1' ? [volume] : volumes(storage, node)),
      });
      other.session.forget();
      expect(await promised()).toEqual(before.map(([on, size]) => [`${on}, second`, size]));
    } finally {
      await other.close();
    }
  });

  test('unreachable storages and the offline node are told, not left out', async () => {
    const { text } = await as('auditor');
    expect(text).toMatch(/Problem: .*nas-media.*\(unreachable\)/);
    expect(text).toContain('Problem: pve3 (node-unreachable)');
  });

  test('as scoped and noacl nothing is claimed about what they do not see', async () => {
    for (const role of ['scoped', 'noacl'] as const) {
      const { text } = await as(role);
      expect(text.split('\n')[0]).toContain('whether a node can be lost is not known');
      expect(text).not.toMatch(/\tfits\t/);
      expect(text).toContain('Hidden: figures of nodes: needs Sys.Audit on /nodes');
      expect(text).toContain('Hidden: guests: needs VM.Audit on /vms');
      expect(text).toContain('Hidden: storages: needs Datastore.Audit on /storage');
    }
    const rows = tableOf((await as('noacl')).text, 'nodes');
    expect(rows[0]).not.toHaveProperty('active');
  });

  test('deep: what it costs is said before, guests of the wrong size are found', async () => {
    const before = (await as('auditor')).text;
    const cost = Number(/deep=true .* with (\d+) requests/.exec(before)?.[1]);
    const from = h.demo.requests.length;
    const { text } = await as('auditor', { deep: true });
    const asked = h.demo.requests.slice(from).filter((r) => r.path.endsWith('/rrddata'));
    expect(asked).toHaveLength(cost);
    expect(text).toContain(`${cost} guests to look at, one request each`);
    const rows = tableOf(text);
    expect(rows.find((r) => r['vmid'] === '115')?.['advice']).toContain('1 of its 8 cores would do');
    expect(rows.every((r) => r['advice'] !== '')).toBe(true);
    expect(asked.every((r) => !r.path.includes('pve3'))).toBe(true);
  });

  test('deep in a large cluster: at most 150 guests a page, all of them once', async () => {
    const big = await openHarness({ nodes: 5, guests: 300 });
    try {
      let cursor: string | undefined;
      let pages = 0;
      const asked: string[] = [];
      do {
        const from = big.demo.requests.length;
        const { text } = await big.call(
          'check_capacity',
          { deep: true, ...(cursor === undefined ? {} : { cursor }) },
          { maxChars: 40_000 },
        );
        const page = big.demo.requests.slice(from).filter((r) => r.path.endsWith('/rrddata'));
        expect(page.length).toBeLessThanOrEqual(150);
        asked.push(...page.map((r) => r.path));
        cursor = cursorOf(text);
        expect(text.split('\n')[0]).toContain('On this page');
        pages += 1;
      } while (cursor !== undefined && pages < 10);
      expect(new Set(asked).size).toBe(asked.length);
      expect(pages).toBeGreaterThan(1);
    } finally {
      await big.close();
    }
  });

  test('the overview does not grow with the guests', async () => {
    const big = await openHarness({ nodes: 5, guests: 500 });
    try {
      const { stats, text } = await big.call('check_capacity');
      // The inventory, definitions, rights, one thin-pool list a node, one history a storage.
      expect(stats.requests).toBeLessThanOrEqual(40);
      expect(text.length).toBeLessThanOrEqual(10_000);
    } finally {
      await big.close();
    }
  });

  test('one node, one storage, a misspelt one', async () => {
    expect(tableOf((await as('auditor', { node: 'pve2' })).text, 'nodes').map((r) => r['node'])).toEqual(['pve2']);
    const one = (await as('auditor', { storage: 'nas-backup' })).text;
    expect(one).toMatch(/^nas-backup: 95% used, full in 1\d d \(high confidence\)/);
    expect((await as('auditor', { storage: 'nas-backups' })).text).toContain('Did you mean nas-backup?');
    expect((await as('auditor', { node: 'PVE2' })).text).toContain('Did you mean pve2?');
  });

  test('a storage whose history fails costs only its own forecast', async () => {
    const other = await openHarness();
    try {
      other.demo.faults.add({ kind: 'status-500', match: '/nodes/pve1/storage/tank/rrddata' });
      const { text } = await other.call('check_capacity');
      expect(tableOf(text, 'storages').find((r) => r['storage'] === 'tank')).toMatchObject({ used: '61%', full_in: '' });
      expect(text).toMatch(/Problem: pve1\/tank/);
    } finally {
      await other.close();
    }
  });

  test('structured form', async () => {
    const { structured } = await h.call('check_capacity', { storage: 'tank' }, { form: 'structured' });
    expect(structured).toMatchObject({
      storages: [{ storage: 'tank', node: 'pve1', trend: 'fills', full_in_s: expect.any(Number) }],
    });
  });

  test.each(['7.4', '8.4', '9.0'] as const)('release %s, with its own grid of measurements', async (release) => {
    const old = await openHarness({ release });
    try {
      const rows = tableOf((await old.call('check_capacity')).text, 'storages');
      expect(rows.find((r) => r['storage'] === 'tank')?.['trend']).toBe('fills');
    } finally {
      await old.close();
    }
  });
});

test('a storage that tells its size but not how full it is, is not called empty', async () => {
  const rows = [
    { type: 'node', node: 'n1', status: 'online', maxmem: 8, mem: 4, maxcpu: 2 },
    { type: 'storage', storage: 'odd', node: 'n1', status: 'available', plugintype: 'dir', maxdisk: 100 },
  ];
  const call = stubCall((path) => (path === '/cluster/resources' ? rows : path === '/access/permissions' ? {} : []));
  const { headline } = await checkCapacity.prepare({ storage: 'odd' }).run(call, FIRST_PAGE);
  expect(headline).toContain('odd on n1: use not told, no date');
});
