import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { worldOf } from '../../../test/support/demo-world.ts';
import { type Harness, openHarness } from '../../../test/support/harness.ts';
import { cursorOf, tableOf } from '../../../test/support/read-answer.ts';

/** Impact: search_inventory depends_on. */
describe('search_inventory depends_on', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await openHarness();
  });
  afterAll(() => h.close());

  const ask = async (depends_on: string, by: Harness = h) => {
    const from = by.demo.requests.length;
    const { text, isError } = await by.call('search_inventory', { depends_on });
    expect(text.length).toBeLessThanOrEqual(10_000);
    const rows = tableOf(text);
    return { text, isError, rows, ids: rows.map((r) => `${r['kind']} ${r['id']}`), requests: by.demo.requests.slice(from) };
  };
  const lostOf = (rows: readonly Record<string, string>[], id: string) => rows.find((r) => r['id'] === id)?.['lost'];

  test('a storage: exactly the guests whose configuration names it, running ones first', async () => {
    const { rows, ids, text, requests } = await ask('storage:tank');
    const users = [...worldOf(h.demo).guests.values()].filter((g) =>
      Object.values(g.detail.config).some((v) => String(v).startsWith('tank:')),
    );
    expect(new Set(ids)).toEqual(new Set(users.map((g) => `guest ${g.vmid}`)));
    const states = rows.map((r) => r['status']);
    expect(states).toEqual([...states].sort((a, b) => Number(b === 'running') - Number(a === 'running')));
    expect(lostOf(rows, '101')).toBe('its boot disk: stops working');
    expect(lostOf(rows, '205')).toBe("can't start");
    expect(text).toMatch(/^storage tank: 6 guests depend on it, 3 running \(23 guest configurations read\)/);
    // The one that is refused to auditors is told, and so is the node that is off.
    expect(text).toContain('Problem: guest 200 on pve1 (forbidden)');
    // tank is on pve1 only: nobody else is asked.
    expect(requests.filter((r) => /^\/nodes\/pve[23]\//.test(r.path))).toEqual([]);
    expect(requests.length).toBeLessThanOrEqual([...worldOf(h.demo).guests.values()].filter((g) => g.node === 'pve1').length + 8);
  });

  test('a storage: mounted images, snippets, templates, backup jobs', async () => {
    const { rows, text } = await ask('storage:local');
    expect(rows.find((r) => r['id'] === '111')?.['why']).toBe('ide2: virtio-win-0.1.271.iso mounted');
    expect(lostOf(rows, '101')).toContain('hookscript');
    expect(lostOf(rows, '103')).toBe('the template; its linked clones too');
    expect(lostOf(rows, 'backup-lab')).toBe('nothing now: the job is off');
    expect(text).toContain('Note: Storage local is local: each node has its own');
    const nas = await ask('storage:nas-backup');
    expect(nas.ids).toEqual(['backup job 6c2f41d0a9c3be17f7d5e0f4a1b2c3d4e5f60718:1', 'backup job backup-weekly-all']);
    expect((await ask('storage:nas-media')).text).toContain("Storage nas-media can't be reached from pve1, pve2 now");
  });

  test('a node: what HA does for its guests, rules, replicas and the quorum', async () => {
    const { rows, text, requests } = await ask('node:pve2');
    expect(lostOf(rows, '120')).toBe('stops; HA may start it on another node');
    expect(lostOf(rows, '122')).toMatch(/^stops until the node is back \(scsi0 on local-lvm/);
    expect(lostOf(rows, '220')).toBe("stops; HA can't start it elsewhere (rootfs on local-lvm only there)");
    expect(lostOf(rows, '101-0')).toBe('the replica there; no new ones');
    expect(lostOf(rows, 'vg-fast')).toBe('everything on it');
    // pve3 is off already: one of three votes is not enough.
    expect(text).toContain('Without it 1 of 3 votes are left (2 needed): quorum is lost');
    const mine = [...worldOf(h.demo).guests.values()].filter((g) => g.node === 'pve2').length;
    expect(requests.length).toBeLessThanOrEqual(mine + 20);
  });

  test('a node that is off: its guests are told although they can not be read, and nothing is sent to it', async () => {
    const { rows, text, requests } = await ask('node:pve3');
    expect(rows.filter((r) => r['kind'] === 'guest').map((r) => r['id'])).toEqual(['130', '131', '230']);
    expect(lostOf(rows, '130')).toContain('is not known');
    expect(text).toContain('Note: pve3 is offline now');
    expect(text).toContain('Problem: pve3 (node-unreachable)');
    expect(requests.filter((r) => r.path.startsWith('/nodes/pve3/'))).toEqual([]);
  });

  test('a bridge, as guests run with it now: what is only planned does not count', async () => {
    const { rows, text } = await ask('bridge:vmbr1');
    // Its deletion of net1 is pending: it still has it.
    expect(rows.find((r) => r['id'] === '100')).toMatchObject({ why: 'net1 (link down)', lost: 'nothing now: link down' });
    expect(lostOf(rows, '112')).toBe('net1; keeps net0, net2, net3');
    expect(lostOf(rows, '115')).toBe('all its network');
    expect(text).toContain('vmbr1 is a bridge of pve1');
    const main = await ask('bridge:vmbr0');
    expect(lostOf(main.rows, 'pve1')).toBe('the address by which the cluster knows it');
    expect(lostOf(main.rows, 'campus')).toContain('VNets office');
  });

  test('a VLAN, a VNet, a mapping', async () => {
    expect((await ask('vlan:20')).ids).toEqual(['guest 100', 'guest 102', 'guest 112', 'guest 116', 'vnet office']);
    expect((await ask('vnet:office')).text).toMatch(/^vnet office: no dependent seen/);
    const lab = await ask('vnet:labnet');
    expect(lab.rows).toMatchObject([{ kind: 'guest', id: '204', why: 'net1', lost: 'net1; keeps net0' }]);
    expect(lab.text).toMatch(/^vnet labnet: 1 guest depends on it, 1 running/);
    // A guest on a VNet hangs on the VLAN of the VNet and on the bridge of its zone, too.
    const voice = await ask('vlan:30');
    expect(voice.rows.find((r) => r['id'] === '203')).toMatchObject({ why: 'net1 by VNet voice', lost: 'net1; keeps net0' });
    const trunk = await ask('bridge:vmbr0');
    expect(trunk.rows.find((r) => r['id'] === '203')).toMatchObject({ why: 'net0, net1 by VNet voice', lost: 'all its network' });
    const gpu = await ask('mapping:gpu-a');
    expect(gpu.ids).toEqual(['guest 101']);
    expect(gpu.text).toContain('Mapping gpu-a is defined on pve1, pve2.');
  });

  test('what does not exist, and what is no kind of thing', async () => {
    expect((await ask('storage:nas-medai')).text).toMatch(/There is no storage "nas-medai"[\s\S]*Did you mean nas-media\?/);
    expect((await ask('node:PVE1')).text).toMatch(/Did you mean pve1\?/);
    expect((await ask('mapping:gpu-b')).text).toMatch(/Did you mean gpu-a\?/);
    const wrong = await ask('tank');
    expect(wrong.isError).toBe(true);
    expect(wrong.text).toContain('storage:local-lvm');
    expect(wrong.requests).toEqual([]);
  });

  test('without rights nothing is claimed, not even that a thing does not exist', async () => {
    const blind = await openHarness({ demo: h.demo, role: 'noacl' });
    for (const target of [
      'storage:tank',
      'storage:no-such',
      'node:pve2',
      'bridge:vmbr1',
      'vlan:20',
      'vnet:labnet',
      'mapping:gpu-a',
    ]) {
      const { text, isError, rows } = await ask(target, blind);
      expect(isError, text).toBe(false);
      expect(text).toContain('no dependent seen');
      expect(text).not.toContain('nothing depends');
      expect(text).not.toContain('none shows a bridge');
      expect(text).toContain('Hidden: guests: needs VM.Audit on /vms');
      expect(rows).toEqual([]);
    }
    expect((await ask('storage:tank', blind)).text).toContain('Hidden: backup jobs: needs Sys.Audit on /');
    await blind.close();
  });

  test('a scoped token: its own guests, the rest hidden, no guess about storages that it does not see', async () => {
    const scoped = await openHarness({ demo: h.demo, role: 'scoped' });
    const { text, rows } = await ask('node:pve2', scoped);
    expect(text).toMatch(/^node pve2: 3 visible guests depend on it/);
    expect(lostOf(rows, '221')).toContain('is not known (rootfs on ceph-rbd not visible)');
    expect(text).toContain('Hidden: HA rules and states: needs Sys.Audit on /');
    await scoped.close();
  });

  test('structured, and without a secret', async () => {
    const { structured, text } = await h.call('search_inventory', { depends_on: 'storage:local-lvm' }, { form: 'structured' });
    expect(structured).toMatchObject({
      dependents: expect.arrayContaining([expect.objectContaining({ id: '100', kind: 'guest' })]),
    });
    for (const canary of h.demo.canaries) expect(text).not.toContain(canary);
  });

  test('in a large cluster it fits the answer, is resumed, and costs one request a guest', async () => {
    const large = await openHarness({ nodes: 5, guests: 300, latencyMs: 10 });
    const seen: string[] = [];
    const running: boolean[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const { text, isError, stats } = await large.call(
        'search_inventory',
        { depends_on: 'bridge:vmbr0', ...(cursor === undefined ? {} : { cursor }) },
        { budgetMs: 2_220 },
      );
      expect(isError, text).toBe(false);
      expect(text.length).toBeLessThanOrEqual(10_000);
      expect(stats.requests).toBeLessThanOrEqual(worldOf(large.demo).guests.size + 5 + 12);
      cursor = cursorOf(text);
      const rows = tableOf(text);
      seen.push(...rows.map((r) => `${r['kind']} ${r['id']}`));
      running.push(
        ...rows.filter((r) => r['kind'] === 'guest').map((r) => r['status'] !== 'stopped' && r['status'] !== 'template'),
      );
      pages += 1;
    } while (cursor !== undefined && pages < 40);
    expect(cursor).toBeUndefined();
    expect(pages).toBeGreaterThan(1);
    expect(new Set(seen).size).toBe(seen.length);
    expect(running).toEqual([...running].sort((a, b) => Number(b) - Number(a)));
    const users = [...worldOf(large.demo).guests.values()].filter(
      (g) =>
        worldOf(large.demo).nodes.find((n) => n.node === g.node)?.online === true &&
        g.vmid !== 200 &&
        Object.entries(g.detail.config).some(([k, v]) => /^net\d+$/.test(k) && /bridge=vmbr0(?:,|$)/.test(String(v))),
    );
    expect(new Set(seen.filter((s) => s.startsWith('guest')))).toEqual(new Set(users.map((g) => `guest ${g.vmid}`)));
    await large.close();
  }, 90_000);
});
