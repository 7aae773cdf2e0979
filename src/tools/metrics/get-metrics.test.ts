import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Harness, openHarness } from '../../../test/support/harness.ts';
import { recordOf, tableOf } from '../../../test/support/read-answer.ts';

describe('get_metrics', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await openHarness();
  });
  afterAll(() => h.close());

  const demoGuest = (vmid: number) => {
    const found = h.demo.world.guests.get(vmid);
    if (found === undefined) throw new Error(`no guest ${vmid}`);
    return found;
  };

  test('a node: every default series, in one request of its own, with the true figures', async () => {
    await h.call('list_nodes');
    const { text, stats } = await h.call('get_metrics', { node: 'pve1' });
    expect(stats.requests).toBe(1);
    expect(text).toMatch(/^Metrics of node pve1, last day: 1439 points of 1 min, no holes/);
    const node = h.demo.world.nodes.find((n) => n.node === 'pve1');
    const cpu = tableOf(text, 'shares').find((r) => r['series'] === 'cpu');
    // The wave of the data set is around the node's load.
    expect(Number.parseFloat(cpu?.['avg'] ?? '')).toBeCloseTo((node?.cpu ?? 0) * 100, -1);
    const memory = tableOf(text, 'sizes').find((r) => r['series'] === 'memused');
    expect(memory?.['limit']).toBe(`${(node?.maxmem ?? 0) / 2 ** 30} GiB`);
    expect(tableOf(text, 'sizes').map((r) => r['series'])).toEqual(['memused', 'swapused', 'rootused']);
    expect(tableOf(text, 'numbers').map((r) => r['series'])).toEqual(['loadavg']);
  });

  test('cpu of a guest is a share of its own cores', async () => {
    const { structured } = await h.call('get_metrics', { vmid: 100, timeframe: 'hour', series: 'cpu' }, { form: 'structured' });
    expect(structured).toMatchObject({ shares: [{ series: 'cpu', min_pct: expect.any(Number) }] });
    const rows = structured?.['shares'];
    const avg: unknown = Array.isArray(rows) ? rows[0]?.avg_pct : undefined;
    expect(avg).toBeGreaterThan(demoGuest(100).cpu * 0.5 * 100);
    expect(avg).toBeLessThan(demoGuest(100).cpu * 1.6 * 100);
  });

  test('a hole in the collection is named, and is no zero', async () => {
    const { text } = await h.call('get_metrics', { node: 'pve2', series: ['cpu'] });
    expect(text).toMatch(/^Metrics of node pve2, last day: 1439 points of 1 min, 1 hole of 4[45] min/);
    expect(recordOf(text, 'span')['holes']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\dZ to .*Z \(4[45] min\)$/);
    const [cpu] = tableOf(text, 'shares');
    expect(Number.parseFloat(cpu?.['min'] ?? '')).toBeGreaterThan(1);
    expect(cpu?.['missing']).toMatch(/^3/);
  });

  test('an offline node still has its history, and it is said how old that is', async () => {
    const { text, isError } = await h.call('get_metrics', { node: 'pve3', timeframe: 'week' });
    expect(isError).toBe(false);
    expect(text).toMatch(/Note: Node pve3 is not online: this is what was recorded before, last at /);
    expect(tableOf(text, 'shares')[0]?.['spark']).toMatch(/·$/);
    const empty = await h.call('get_metrics', { vmid: 130 });
    expect(empty.isError).toBe(false);
    expect(empty.text).toContain('nothing was recorded');
    expect(empty.text).toContain('a longer timeframe may reach further back');
  });

  test('a virtual machine has no disk use; a container has', async () => {
    expect((await h.call('get_metrics', { vmid: 100 })).text).not.toContain('\ndisk\t');
    expect(tableOf((await h.call('get_metrics', { vmid: 200 })).text, 'sizes').map((r) => r['series'])).toEqual(['mem', 'disk']);
    const refused = await h.call('get_metrics', { vmid: 100, series: ['disk'] });
    expect(refused.text).toContain('"disk" is not recorded of a virtual machine');
  });

  test('a stopped guest: its load is missing, not zero', async () => {
    const stopped = [...h.demo.world.guests.values()].find((g) => g.startedAt === undefined && !g.template && g.node === 'pve1');
    const { text } = await h.call('get_metrics', { vmid: stopped?.vmid, timeframe: 'hour' });
    expect(text).toContain('Nothing was recorded of cpu, mem');
  });

  test('storage: with the trend that fills it; one of its own on each node is named', async () => {
    const shared = await h.call('get_metrics', { storage: 'pbs-main', timeframe: 'month' });
    expect(shared.text).toMatch(/^Metrics of storage pbs-main as seen by pve[12]/);
    const grows = h.demo.world.storages.find((s) => s.storage === 'pbs-main')?.growthPerDay ?? 0;
    const { structured } = await h.call('get_metrics', { storage: 'pbs-main', timeframe: 'month' }, { form: 'structured' });
    const sizes = structured?.['sizes'];
    const perDay: unknown = Array.isArray(sizes) ? sizes[0]?.per_day_bytes : undefined;
    expect(perDay).toBeGreaterThan(grows * 0.8);
    expect(perDay).toBeLessThan(grows * 1.2);
    expect((await h.call('get_metrics', { storage: 'local' })).text).toContain('a storage of its own on each node');
    expect((await h.call('get_metrics', { storage: 'local', node: 'pve3' })).text).toContain('Error (node-unreachable)');
    expect((await h.call('get_metrics', { storage: 'pbs-mian' })).text).toContain('Did you mean pbs-main?');
  });

  test('points: at most 60, averaged, and that is said', async () => {
    const { text } = await h.call('get_metrics', { node: 'pve1', points: true, series: 'cpu,memused' });
    expect(tableOf(text, 'points')).toHaveLength(60);
    expect(Object.keys(tableOf(text, 'points')[0] ?? {})).toEqual(['time', 'cpu', 'memused']);
    expect(text).toContain('Each row is the average of 24 min.');
  });

  test('wrong arguments lead on', async () => {
    expect((await h.call('get_metrics')).text).toContain('Give node, vmid or name, or storage');
    expect((await h.call('get_metrics', { vmid: 100, storage: 'local' })).text).toContain('Metrics are of one thing');
    expect((await h.call('get_metrics', { node: 'PVE1' })).text).toContain('Did you mean pve1?');
    expect((await h.call('get_metrics', { node: 'pve1', series: ['cpuu'] })).text).toContain('Did you mean cpu?');
    expect((await h.call('get_metrics', { vmid: 100, timeframe: 'decade' })).text).toContain('kept of nodes only');
    expect((await h.call('get_metrics', { vmid: 4242 })).text).toContain('There is no guest 4242');
    const before = h.demo.requests.length;
    expect((await h.call('get_metrics', { node: 'pve1/qemu/100' })).isError).toBe(true);
    expect(h.demo.requests.slice(before).every((r) => !r.path.includes('rrddata'))).toBe(true);
  });

  test('a token without rights is told what it needs', async () => {
    const blind = await openHarness({ demo: h.demo, role: 'noacl' });
    expect((await blind.call('get_metrics', { node: 'pve1' })).text).toContain('Sys.Audit on /nodes/pve1');
    expect((await blind.call('get_metrics', { vmid: 100 })).text).toContain('VM.Audit on /vms/100');
    expect((await blind.call('get_metrics', { storage: 'local' })).text).toContain('among those this token can be sure to see');
    await blind.close();
  });

  test('a storage that hangs times out and says so', async () => {
    const slow = await openHarness({ demo: h.demo, cluster: { timeoutMs: 700 } });
    const off = h.demo.faults.add({ kind: 'hang', match: '/nodes/pve1/storage' });
    const { text, isError } = await slow.call('get_metrics', { storage: 'local', node: 'pve1' });
    off();
    expect(isError).toBe(true);
    expect(text).toContain('no answer within');
    await slow.close();
  });
});

test.each(['8.4', '7.4'] as const)('release %s: the old format, on its own grid', async (release) => {
  const h = await openHarness({ release });
  const { text } = await h.call('get_metrics', { node: 'pve1', series: ['cpu', 'pressureiosome'] });
  expect(text).toContain('69 points of 30 min');
  expect(text).toContain('Note: Nothing was recorded of pressureiosome');
  const decade = await h.call('get_metrics', { node: 'pve1', timeframe: 'decade' });
  expect(decade.text).toContain('Error (unsupported-by-this-release)');
  await h.close();
});

test('release 9.0: old and new measurements side by side, the resolution of each told', async () => {
  const h = await openHarness({ release: '9.0' });
  const { text } = await h.call('get_metrics', { node: 'pve1', timeframe: 'month', series: ['cpu'] });
  expect(text).toMatch(/\d+ points of 12 h, then \d+ points of 30 min/);
  await h.close();
});
