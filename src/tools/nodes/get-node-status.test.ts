import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { worldOf } from '../../../test/support/demo-world.ts';
import { callAs, type Harness, openHarness } from '../../../test/support/harness.ts';
import { recordOf, tableOf } from '../../../test/support/read-answer.ts';
import { formatBytes } from '../../answer/units.ts';

describe('get_node_status', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await openHarness();
  });
  afterAll(() => h.close());

  test('the usual sections in four requests and the rights, figures as the node has them', async () => {
    const { text, stats } = await h.call('get_node_status', { node: 'pve1' });
    const node = worldOf(h.demo).nodes.find((n) => n.node === 'pve1');
    const status = recordOf(text, 'status');
    expect(status).toMatchObject({
      status: 'online',
      threads: String(node?.maxcpu),
      cpu_model: node?.cpuModel,
      memory: formatBytes(node?.maxmem ?? 0),
      load: node?.loadavg.map(String).join(', '),
      boot: 'efi',
    });
    expect(text.split('\n')[0]).toMatch(/^Node pve1 is online, up 41 d, CPU .* of 32 threads, memory .* of 128 GiB/);
    const asked = h.demo.requests.slice(-stats.requests).map((r) => r.path);
    expect(asked.filter((path) => !path.startsWith('/access/'))).toHaveLength(4);
    expect(asked.length).toBeLessThanOrEqual(7);
  });

  test('backup defaults by name, nested settings as one line', async () => {
    const { text } = await h.call('get_node_status', { node: 'pve1', sections: ['backup'] });
    for (const line of ['mode: snapshot', 'bwlimit: 0', 'fleecing: enabled=0']) expect(text.split('\n')).toContain(line);
    expect(text).not.toContain('## status');
  });

  test('failed and stopped services, and a clock that is off', async () => {
    const { text } = await h.call('get_node_status', { node: 'pve2' });
    expect(tableOf(text, 'services_not_running').map((s) => [s['service'], s['state']])).toEqual([
      ['pve-ha-lrm', 'failed'],
      ['chrony', 'dead'],
    ]);
    expect(text.split('\n')[0]).toContain('1 service failed');
    const skew = worldOf(h.demo).areas.maintenance.node('pve2').clockSkew;
    const told = Number(/clock is (\d+) s ahead/.exec(text)?.[1]);
    expect(Math.abs(told - skew)).toBeLessThanOrEqual(1);
    expect((await h.call('get_node_status', { node: 'pve1' })).text).not.toContain('clock is');
  });

  test('a newer kernel that waits for a reboot, and packages that could be newer', async () => {
    const { text, stats } = await h.call('get_node_status', { node: 'pve2', sections: ['versions'] });
    expect(recordOf(text, 'versions')['newer_kernel_waits']).toBe('yes');
    expect(tableOf(text, 'packages').find((p) => p['package'] === 'pve-manager')).toMatchObject({
      installed: '9.2.4',
      available: '9.2.11',
    });
    // The inventory may still be known from before.
    expect(stats.requests).toBeLessThanOrEqual(2);
    const current = await h.call('get_node_status', { node: 'pve1', sections: ['versions'] });
    expect(recordOf(current.text, 'versions')['newer_kernel_waits']).toBe('no');
    expect(current.text).not.toContain('reboot is due');
  });

  test('the subscription key is masked, the date it runs out is not', async () => {
    const { text } = await h.call('get_node_status', { node: 'pve1', sections: ['subscription', 'dns'] });
    expect(recordOf(text, 'subscription')).toMatchObject({ status: 'active', due: '2026-06-01' });
    expect(recordOf(text, 'subscription')['key']).toContain('[redacted]');
    const none = await h.call('get_node_status', { node: 'pve2', sections: ['subscription', 'dns'] });
    expect(recordOf(none.text, 'subscription')['status']).toBe('none');
  });

  test('everything there is, without a secret, in both forms', async () => {
    for (const node of ['pve1', 'pve2']) {
      const all = await h.call('get_node_status', { node, sections: ['all'] });
      const structured = await h.call('get_node_status', { node, sections: ['all'] }, { form: 'structured' });
      for (const section of ['status', 'time', 'versions', 'packages', 'dns', 'pressure', 'config', 'notes', 'hosts', 'netstat'])
        expect(all.text, section).toContain(`## ${section}`);
      for (const canary of h.demo.canaries) {
        expect(all.text).not.toContain(canary);
        expect(JSON.stringify(structured.structured)).not.toContain(canary);
      }
      expect(all.isError || structured.isError).toBe(false);
    }
  });

  test('notes are shown only when they are asked for', async () => {
    const usual = await h.call('get_node_status', { node: 'pve1' });
    expect(usual.text).not.toContain('facilities');
    expect((await h.call('get_node_status', { node: 'pve1', sections: ['config'] })).text).not.toContain('facilities');
    expect((await h.call('get_node_status', { node: 'pve1', sections: ['notes'] })).text).toContain('Call facilities');
  });

  test('an offline node: what belongs to it, and not one request to it', async () => {
    const before = h.demo.requests.length;
    const { text, isError } = await h.call('get_node_status', { node: 'pve3' });
    expect(isError).toBe(false);
    expect(text).toMatch(/^Node pve3 is offline: its state can't be read now/);
    const guests = [...worldOf(h.demo).guests.values()].filter((g) => g.node === 'pve3').length;
    expect(text).toContain(`\nguests: ${guests}\n`);
    expect(text).toContain(`${guests} guests belong to it`);
    expect(text).toContain('Problem: pve3 (node-unreachable)');
    expect(h.demo.requests.slice(before).filter((r) => r.path.startsWith('/nodes/pve3'))).toEqual([]);
  });

  test('a token without rights is told which right it lacks', async () => {
    const blind = await openHarness({ demo: h.demo, role: 'noacl' });
    const { text } = await blind.call('get_node_status', { node: 'pve1' });
    expect(text.split('\n')[0]).toBe('Node pve1 is online, but this token may not see its figures');
    expect(text).toContain('needs Sys.Audit on /nodes/pve1');
    expect(text).not.toContain('## status');
    // Of a node that is down it does not count the guests that it may not see either.
    expect((await blind.call('get_node_status', { node: 'pve3' })).text).not.toMatch(/^guests:/m);
    await blind.close();
  });

  test.each([
    ['noacl', 'pve3', undefined],
    ['scoped', 'pve3', '1'],
    ['blind-one', 'pve1', '23'],
  ] as const)('%s: guests of %s that it may not see are told, and never counted as none', async (role, node, guests) => {
    const { text } = await callAs(h.demo, role, 'get_node_status', { node });
    expect(/^guests: (.*)$/m.exec(text)?.[1]).toBe(guests);
    expect(text).toMatch(/^Hidden: guests.*: needs VM\.Audit on/m);
  });

  test('one section that fails costs only itself', async () => {
    const off = h.demo.faults.add({ kind: 'status-500', match: '/nodes/pve1/services' });
    const { text } = await h.call('get_node_status', { node: 'pve1' });
    off();
    expect(recordOf(text, 'status')['status']).toBe('online');
    expect(text).toContain('Problem: pve1 (upstream)');
    expect(text).not.toContain('## services_not_running');
  });

  test.each([
    [{ node: 'PVE1' }, /Did you mean pve1\?/],
    [{ node: 'pve1/qemu/100' }, /is not a node name/],
    [{ node: 'pve1', sections: ['moods'] }, /sections/],
    [{}, /node/],
  ])('%j is refused with a hint', async (args, words) => {
    const { text, isError } = await h.call('get_node_status', args);
    expect(isError).toBe(true);
    expect(text).toMatch(words);
  });

  test('older releases: no pressure is a fact, not a fault', async () => {
    const old = await openHarness({ release: '7.4' });
    const { text } = await old.call('get_node_status', { node: 'pve1', sections: ['status', 'time', 'pressure'] });
    expect(recordOf(text, 'status')['kernel']).toBe('5.15.158-2-pve');
    expect(text).toContain('Note: Pressure: no samples');
    expect(text).not.toContain('Problem');
    await old.close();
  });
});
