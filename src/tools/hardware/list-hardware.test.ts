import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { worldOf } from '../../../test/support/demo-world.ts';
import { callAs, type Harness, openHarness } from '../../../test/support/harness.ts';
import { tableOf } from '../../../test/support/read-answer.ts';

describe('list_hardware', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await openHarness();
  });
  afterAll(() => h.close());

  test('PCI devices of every node with group and mapping; USB is hidden, mappings are checked', async () => {
    const { text } = await h.call('list_hardware');
    const { maintenance } = worldOf(h.demo).areas;
    const expected = ['pve1', 'pve2'].flatMap((n) =>
      maintenance
        .node(n)
        .pci.filter((d) => !/^0x(05|06|0b)/.test(String(d['class'])))
        .map((d) => `${n} ${String(d['id'])}`),
    );
    const rows = tableOf(text, 'pci');
    expect(rows.map((r) => `${r['node']} ${r['address']}`).sort()).toEqual(expected.sort());
    expect(rows.find((r) => r['node'] === 'pve1' && r['address'] === '0000:01:00.0')).toMatchObject({
      kind: 'display',
      ids: '10de:2684',
      iommu_group: '12',
      mapping: 'gpu-a',
    });
    expect(
      tableOf(text, 'mappings')
        .filter((m) => m['kind'] === 'pci')
        .map((m) => m['present']),
    ).toEqual(['yes', 'yes', 'yes']);
    expect(text).toContain('Hidden: USB devices: needs Sys.Modify on /');
    expect(text).toContain('Problem: pve3 (node-unreachable)');
    expect(
      h.demo.requests
        .filter((r) => r.path.startsWith('/nodes/'))
        .map((r) => r.path)
        .sort(),
    ).toEqual(['/nodes/pve1/hardware/pci', '/nodes/pve2/hardware/pci']);
  });

  test('which guests hold devices costs a request a guest, and that is said beforehand', async () => {
    const usual = await h.call('list_hardware', { node: 'pve1' });
    const here = [...worldOf(h.demo).guests.values()].filter((g) => g.node === 'pve1');
    expect(usual.text).toContain(`reads ${here.length} configurations`);
    const before = h.demo.requests.filter((r) => r.path.endsWith('/config')).length;
    const { text } = await h.call('list_hardware', { node: 'pve1', sections: ['guests'] });
    expect(h.demo.requests.filter((r) => r.path.endsWith('/config')).length - before).toBe(here.length);
    const claims = here.flatMap((g) =>
      Object.entries(g.detail.config)
        .filter(([key, value]) => /^(hostpci|usb)\d+$/.test(key) && !String(value).startsWith('spice'))
        .map(([key]) => `${g.vmid} ${key}`),
    );
    const told = tableOf(text).map((r) => `${r['vmid']} ${r['key']}`);
    for (const claim of claims) expect(told).toContain(claim);
    expect(text).toContain('guest 200 on pve1 (forbidden)');
  });

  test('USB with the right, mediated types, emulated hardware', async () => {
    const { text } = await callAs(h.demo, 'full', 'list_hardware', { node: 'pve1', sections: ['usb', 'mdev', 'emulated'] });
    expect(tableOf(text, 'usb').map((u) => [u['port'], u['ids']])).toEqual([
      ['1-2', '10c4:ea60'],
      ['1-4', '0781:5581'],
    ]);
    expect(tableOf(text, 'mdev').map((m) => [m['type'], m['available']])).toEqual([
      ['nvidia-63', '4'],
      ['nvidia-64', '0'],
    ]);
    expect(tableOf(text, 'cpu_models')[0]?.['custom']).toBe('custom-harbour');
    expect(tableOf(text, 'machines').map((m) => m['type'])).toEqual(['i440fx', 'q35']);
  });

  test('a part of a name narrows it down', async () => {
    const { text } = await h.call('list_hardware', { sections: ['pci'], query: 'NVIDIA' });
    expect(tableOf(text).map((r) => r['vendor'])).toEqual(Array.from({ length: 4 }, () => 'NVIDIA Corporation'));
    expect(text.split('\n')[0]).toBe('4 PCI devices on 2 nodes');
  });

  test('mappings that could not be read are not counted as none', async () => {
    const off = h.demo.faults.add({ kind: 'status-500', match: '/cluster/mapping' });
    const { text } = await h.call('list_hardware', { sections: ['mappings'] });
    off();
    expect(text.split('\n')[0]).toBe('mappings could not be read');
    expect(text).toMatch(/^Problem \(upstream\)/m);
  });

  test('without rights nothing is claimed', async () => {
    const { text } = await callAs(h.demo, 'noacl', 'list_hardware');
    expect(text.split('\n')[0]).toBe('PCI devices could not be read; 0 visible mapping entries');
    expect(text).not.toContain('## pci');
    expect(text).toContain('Hidden: pci mappings: needs Mapping.Audit on /mapping/pci');
  });

  test('7.4 has neither mappings nor a list of mediated types: no problem', async () => {
    const old = await openHarness({ release: '7.4' });
    const { text } = await old.call('list_hardware', { node: 'pve1', sections: ['pci', 'mappings', 'mdev'] });
    expect(text).not.toContain('Problem');
    expect(text).toContain('from release 8.0 on');
    await old.close();
  });
});
