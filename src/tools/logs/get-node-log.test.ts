import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Harness, openHarness } from '../../../test/support/harness.ts';

/** The lines between the two lines of the fence. */
function fenced(text: string): string[] {
  const match = /<(upstream-text-[0-9a-f]+)>\n([\s\S]*)\n<\/\1>/.exec(text);
  return match === null ? [] : (match[2] ?? '').split('\n');
}

describe('get_node_log with Sys.Syslog', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await openHarness({ role: 'logs' });
  });
  afterAll(() => h.close());

  const journal = (node: string) => h.demo.world.areas.maintenance.node(node).journal;
  const newest = (node: string) => journal(node).at(-1)?.text.slice(0, 20) ?? '';

  test('T12 the newest lines of the journal, newest first, in one request of the node', async () => {
    const before = h.demo.requests.length;
    const { text } = await h.call('get_node_log', { node: 'pve1', lines: 5 });
    expect(text).toMatch(/^Journal of pve1: newest 5 lines, newest first/);
    expect(fenced(text)).toHaveLength(5);
    expect(fenced(text)[0]).toContain(newest('pve1'));
    expect(h.demo.requests.slice(before).filter((r) => r.path.startsWith('/nodes/'))).toMatchObject([
      { query: { lastentries: '5' } },
    ]);
  });

  test('all of a short log is told as all', async () => {
    expect((await h.call('get_node_log', { node: 'pve1', lines: 500 })).text).toMatch(/^Journal of pve1: all \d+ lines/);
  });

  test('a span, with the true number of its lines', async () => {
    const now = Date.now() / 1000;
    const inside = journal('pve2').filter((line) => line.time >= now - 3 * 3600).length;
    const { text } = await h.call('get_node_log', { node: 'pve2', since: '3h', lines: 4 });
    expect(text).toMatch(new RegExp(`^Journal of pve2 since .*: newest 4 of ${inside} lines`));
    expect(fenced(text)).toHaveLength(4);
  });

  test('grep is done here, and says how many lines it looked at', async () => {
    const { text } = await h.call('get_node_log', { node: 'pve1', grep: 'FAILED PASSWORD', lines: 1 });
    expect(text).toMatch(/^Journal of pve1: 2 of \d+ lines searched have "FAILED PASSWORD", the newest 1 of them shown/);
    expect(fenced(text)).toEqual([expect.stringContaining('Failed password')]);
    expect((await h.call('get_node_log', { node: 'pve1', grep: 'zzzz' })).text).toMatch(/: 0 of \d+ lines searched have "zzzz"/);
  });

  test('T12 syslog: total first, then the end; always within a span', async () => {
    const before = h.demo.requests.length;
    const { text } = await h.call('get_node_log', { node: 'pve1', source: 'syslog', lines: 3 });
    const asked = h.demo.requests.slice(before).filter((r) => r.path.endsWith('/syslog'));
    expect(asked).toHaveLength(2);
    expect(asked.every((r) => r.query['since'] !== undefined)).toBe(true);
    const total = Number(/newest 3 of (\d+) lines/.exec(text)?.[1]);
    expect(asked[1]?.query['start']).toBe(String(total - 3));
    expect(fenced(text)[0]).toContain(newest('pve1'));
  });

  test('firewall log', async () => {
    const { text } = await h.call('get_node_log', { node: 'pve1', source: 'firewall', lines: 2 });
    const lines = h.demo.world.areas.firewall.log('pve1');
    expect(text).toMatch(new RegExp(`^Firewall log of pve1: newest 2 of ${lines.length} lines`));
    expect(fenced(text)[0]).toBe(lines.at(-1)?.line);
  });

  test('Ceph log: the newest lines of a node with a monitor', async () => {
    const { log } = h.demo.world.areas.ceph;
    const { text } = await h.call('get_node_log', { node: 'pve1', source: 'ceph', lines: 3 });
    expect(text).toMatch(new RegExp(`^Ceph log of pve1: newest 3 of ${log.length} lines`));
    expect(fenced(text)).toHaveLength(3);
    for (const canary of h.demo.canaries) expect(text).not.toContain(canary);
  });

  test('firewall log of one guest, with the right to it; the guest is found by its id', async () => {
    const full = await openHarness({ demo: h.demo, role: 'full' });
    const { text } = await full.call('get_node_log', { vmid: 100, lines: 2 });
    expect(text).toMatch(/^Firewall log of guest 100: newest 2/);
    for (const line of fenced(text)) expect(line).toMatch(/^100 /);
    expect((await full.call('get_node_log', { vmid: 200 })).text).toContain('Firewall log of guest 200: no lines');
    await full.close();
    const { isError, text: refused } = await h.call('get_node_log', { vmid: 100 });
    expect(isError).toBe(true);
    expect(refused).toContain('VM.Console on /vms/100');
  });

  test('cluster log of everybody, of one node, repaired', async () => {
    const all = await h.call('get_node_log', { source: 'cluster' });
    expect(fenced(all.text)).toHaveLength(h.demo.world.areas.config.log.length);
    expect(all.text).not.toContain('Hidden');
    expect(all.text).toContain('(Björn)');
    const one = await h.call('get_node_log', { source: 'cluster', node: 'pve2' });
    expect(fenced(one.text)).toHaveLength(h.demo.world.areas.config.log.filter((row) => row['node'] === 'pve2').length);
    expect((await h.call('get_node_log', { source: 'cluster', node: 'pve22' })).text).toContain('Did you mean');
  });

  test('T13 no secret of a log leaves, in either form', async () => {
    for (const args of [{ node: 'pve1' }, { node: 'pve2' }, { node: 'pve1', source: 'syslog' }, { source: 'cluster' }]) {
      for (const form of ['text', 'structured'] as const) {
        const { text, structured } = await h.call('get_node_log', { ...args, lines: 500 }, { form, maxChars: 40_000 });
        for (const canary of h.demo.canaries) expect(text + JSON.stringify(structured ?? {})).not.toContain(canary);
      }
    }
  });

  test('an offline node is not asked', async () => {
    const before = h.demo.requests.length;
    const { text, isError } = await h.call('get_node_log', { node: 'pve3' });
    expect(isError).toBe(true);
    expect(text).toContain('Node pve3 is offline');
    expect(h.demo.requests.slice(before).some((r) => r.path.startsWith('/nodes/pve3'))).toBe(false);
  });

  test('wrong arguments', async () => {
    expect((await h.call('get_node_log')).text).toContain('The journal of which node?');
    expect((await h.call('get_node_log', { node: 'PVE1' })).text).toContain('Did you mean pve1?');
    expect((await h.call('get_node_log', { node: 'pve1', since: '1h', until: '2h' })).text).toContain(
      'since is not before until',
    );
    expect((await h.call('get_node_log', { node: 'pve1', since: 'soon' })).text).toContain('is no time');
    expect((await h.call('get_node_log', { node: 'pve1', source: 'kern' })).text).toContain('Error (bad-argument)');
    expect((await h.call('get_node_log', { vmid: 100, source: 'journal' })).text).toContain('firewall only');
    expect((await h.call('get_node_log', { node: 'pve1', source: 'ceph', since: '1h' })).text).toContain("can't be read by time");
  });

  test('a node that hangs times out', async () => {
    const slow = await openHarness({ demo: h.demo, role: 'logs', cluster: { timeoutMs: 700 } });
    const off = h.demo.faults.add({ kind: 'hang', match: '/nodes/pve2' });
    const { text, isError } = await slow.call('get_node_log', { node: 'pve2' });
    off();
    expect(isError).toBe(true);
    expect(text).toContain('no answer within');
    await slow.close();
  });
});

describe('without Sys.Syslog', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await openHarness();
  });
  afterAll(() => h.close());

  test.each(['journal', 'syslog', 'firewall'])(
    'T29 %s: privilege and path are named, and the node is not asked',
    async (source) => {
      const before = h.demo.requests.length;
      const { text, isError } = await h.call('get_node_log', { node: 'pve1', source });
      expect(isError).toBe(true);
      expect(text).toContain('Sys.Syslog on /nodes/pve1');
      expect(h.demo.requests.slice(before).some((r) => r.path.startsWith('/nodes/'))).toBe(false);
    },
  );

  test('cluster log: entries of others are hidden, not absent', async () => {
    const { text, isError } = await h.call('get_node_log', { source: 'cluster' });
    expect(isError).toBe(false);
    expect(text).toContain('Hidden: entries of others in the cluster log: needs Sys.Syslog on /');
  });
});

test.each(['8.4', '7.4'] as const)('release %s', async (release) => {
  const h = await openHarness({ release, role: 'logs' });
  for (const source of ['journal', 'syslog', 'firewall', 'cluster']) {
    const { text, isError } = await h.call('get_node_log', { node: 'pve1', source, lines: 2 });
    expect(isError, text).toBe(false);
    expect(fenced(text)).toHaveLength(2);
  }
  await h.close();
});
