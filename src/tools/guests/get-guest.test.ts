import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { worldOf } from '../../../test/support/demo-world.ts';
import { callAs, type Harness, openHarness } from '../../../test/support/harness.ts';
import { recordOf, tableOf } from '../../../test/support/read-answer.ts';

describe('get_guest', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await openHarness();
  });
  afterAll(() => h.close());

  test('a running guest with an agent: at most 12 requests and 6,000 characters, on a session that knows nothing', async () => {
    const fresh = await openHarness({ demo: h.demo });
    try {
      const { text, stats, isError } = await fresh.call('get_guest', { vmid: 100 });
      expect(isError).toBe(false);
      expect(stats.requests).toBeLessThanOrEqual(12);
      expect(text.length).toBeLessThanOrEqual(6_000);
    } finally {
      await fresh.close();
    }
  });

  test('every running guest keeps to it', async () => {
    for (const guest of worldOf(h.demo).guests.values()) {
      if (guest.power !== 'running' || guest.node === 'pve3') continue;
      const { text, stats } = await h.call('get_guest', { vmid: guest.vmid });
      expect(stats.requests, `requests for ${guest.vmid}`).toBeLessThanOrEqual(12);
      expect(text.length, `characters for ${guest.vmid}`).toBeLessThanOrEqual(6_000);
      for (const canary of h.demo.canaries) expect(text).not.toContain(canary);
    }
  });

  test('web-01 is right in every section', async () => {
    const world = worldOf(h.demo);
    const guest = world.guests.get(100);
    const facts = guest?.detail.agent.kind === 'answers' ? guest.detail.agent.facts : undefined;
    const { text } = await h.call('get_guest', { name: 'web-01' });
    expect(text.split('\n')[0]).toContain('web-01 (VM 100) on pve1: running; 3 addresses (agent); last backup seen');
    expect(recordOf(text, 'guest')).toMatchObject({
      status: 'running',
      cpus: String(guest?.cpus),
      memory: '4 GiB',
      agent: 'answers',
      os: facts?.osinfo['pretty-name'],
      kernel: facts?.osinfo['kernel-release'],
      ha: 'started',
      pool: 'prod',
      tags: 'prod, web, übung',
    });
    expect(tableOf(text, 'disks').map((d) => d['key'])).toEqual(['scsi0', 'scsi1', 'scsi2', 'ide2', 'ide3', 'unused0']);
    expect(tableOf(text, 'filesystems').map((f) => f['mount'])[0]).toBe('/');
    expect(tableOf(text, 'nics').map((n) => [n['nic'], n['vlan'], n['firewall']])).toEqual([
      ['net0', '20', 'yes'],
      ['net1', '', 'no'],
    ]);
    expect(tableOf(text, 'addresses').map((a) => a['address'])).toEqual(['192.0.2.10/24', '2001:db8:2::10/64', '172.17.0.1/16']);
    expect(text.split('\n')[0]).toContain('no snapshots');
    expect(tableOf(text, 'pending').map((p) => p['key'])).toEqual([...(guest?.detail.changes.keys() ?? [])].sort());
    expect(recordOf(text, 'firewall')).toMatchObject({ filters: 'net0', state: expect.stringContaining('not for net1') });

    for (const row of tableOf(text, 'backups')) {
      const all = world.backups(row['storage'] ?? '', 'pve1').filter((b) => b.vmid === 100);
      expect(Number(row['backups'])).toBe(all.length);
      const newest = new Date(Math.max(...all.map((b) => b.ctime)) * 1000).toISOString().slice(0, 16);
      expect(row['newest']).toContain(newest);
    }
    expect(tableOf(text, 'backups')[0]).toMatchObject({ storage: 'pbs-main', protected: '1' });

    const tasks = (world.tasks.get('pve1') ?? []).filter((t) => t.id === '100');
    const shown = tableOf(text, 'tasks');
    expect(shown.length).toBe(Math.min(5, tasks.length));
    for (const row of shown) expect(tasks.map((t) => t.type)).toContain(row['type']);
  });

  test('named parts come alone and in more detail', async () => {
    const { text } = await h.call('get_guest', { vmid: 100, sections: ['agent', 'backups'] });
    expect(text).toContain('## users');
    expect(recordOf(text, 'guest')).toMatchObject({ host_name: 'web-01.demo.example', timezone: expect.stringContaining('UTC') });
    for (const title of ['## disks', '## tasks', '## nics', '## snapshots']) expect(text).not.toContain(title);
    // Storages of other nodes as well.
    expect(h.demo.requests.some((r) => r.path === '/nodes/pve2/storage/local/prunebackups' && r.query['vmid'] === '100')).toBe(
      true,
    );
    const tasks = await h.call('get_guest', { vmid: 100, sections: 'tasks' });
    expect(tasks.text).not.toContain('## disks');
    expect(await h.call('get_guest', { vmid: 100, sections: ['nope'] })).toMatchObject({
      isError: true,
      errorKind: 'bad-argument',
    });
  });

  test('the agent by name: clock and CPUs too', async () => {
    const { text, stats } = await h.call('get_guest', { vmid: 100, sections: ['agent'] });
    const { cpus } = worldOf(h.demo).guests.get(100) ?? {};
    expect(recordOf(text, 'guest')).toMatchObject({ clock_ahead: '0', cpus_online: `${cpus} of ${cpus}` });
    expect(stats.requests).toBeLessThanOrEqual(9);
  });

  test('snapshots by name: what the storages of its disks allow', async () => {
    const asked = await h.call('get_guest', { vmid: 200, sections: ['snapshots'] });
    expect(recordOf(asked.text, 'possible')).toMatchObject({ snapshot: 'yes', linked_clone: 'no', full_clone: 'yes' });
    expect((await h.call('get_guest', { vmid: 200 })).text).not.toContain('## possible');
    const off = h.demo.faults.add({ kind: 'status-500', match: '/nodes/pve1/lxc/200/feature' });
    try {
      const failed = await h.call('get_guest', { vmid: 200, sections: ['snapshots'] });
      expect(failed.text).toMatch(/^Problem: guest 200/m);
      expect(failed.text).not.toContain('snapshot: no');
    } finally {
      off();
    }
  });

  test('cloud-init by name: addresses as they would be written, and no secret of its users', async () => {
    const { text, isError } = await h.call('get_guest', { vmid: 100, sections: ['cloudinit'] });
    expect(isError).toBe(false);
    expect(text).toContain('## cloudinit');
    expect(text).toContain('192.0.2.10');
    for (const canary of h.demo.canaries) expect(text).not.toContain(canary);
    expect(h.demo.requests.some((r) => r.path.endsWith('/cloudinit/dump') && r.query['type'] !== 'network')).toBe(false);
    const without = await h.call('get_guest', { vmid: 200, sections: ['cloudinit'] });
    expect(without.text).not.toContain('## cloudinit');
  });

  test('sizes and verification with the rights to see them', async () => {
    try {
      const { text } = await callAs(h.demo, 'logs', 'get_guest', { vmid: 101, sections: ['backups'] });
      const row = tableOf(text, 'backups').find((r) => r['storage'] === 'pbs-main');
      expect(row?.['size']).toMatch(/GiB$/);
      expect(row?.['verified']).toBe('none');
    } finally {
    }
  });

  test('a guest on an offline node: its backups on shared storages, and no word of "none" about the rest', async () => {
    const before = h.demo.requests.length;
    const { text, isError } = await h.call('get_guest', { vmid: 130 });
    expect(isError).toBe(false);
    expect(text.split('\n')[0]).toContain('state unknown, its node does not answer; last backup seen');
    expect(text).toContain('Problem: pve3 (node-unreachable)');
    expect(text).toContain('Problem: pve3/local (node-unreachable)');
    expect(text).not.toContain('no snapshots');
    expect(h.demo.requests.slice(before).some((r) => r.path.startsWith('/nodes/pve3'))).toBe(false);
  });

  test('no backup is said of the storages asked, not of the world', async () => {
    const world = worldOf(h.demo);
    expect(world.storages.some((s) => world.backups(s.storage, 'pve1').some((b) => b.vmid === 102))).toBe(false);
    const { text } = await h.call('get_guest', { vmid: 102 });
    expect(text.split('\n')[0]).toContain('NO BACKUP on the storages asked');
    expect(text).toMatch(/^Note: No backup of it on backup-dir \(pve1\), .*sections=backups looks everywhere/m);
    const thorough = await h.call('get_guest', { vmid: 102, sections: ['backups'] });
    expect(thorough.text).toContain('local (pve2)');
    const scoped = await openHarness({ demo: h.demo, role: 'scoped' });
    try {
      for (const vmid of [105, 200]) {
        const short = await scoped.call('get_guest', { vmid });
        expect(short.text.split('\n')[0]).toContain('no backup on the storages that this token sees');
        expect(short.text).toMatch(/^Hidden: storages: needs Datastore\.Audit on \/storage/m);
      }
      const seen = await scoped.call('get_guest', { vmid: 105, sections: ['backups'] });
      expect(seen.text).toMatch(/^Hidden: storages: needs Datastore\.Audit on \/storage/m);
    } finally {
      await scoped.close();
    }
  });

  test('stuck snapshots, failing replication and failed tasks are in the first line', async () => {
    expect((await h.call('get_guest', { vmid: 109 })).text.split('\n')[0]).toContain('2 STUCK');
    const replicated = await h.call('get_guest', { vmid: 112 });
    expect(replicated.text.split('\n')[0]).toContain('1 replication job failing');
    expect(tableOf(replicated.text, 'replication')).toMatchObject([{ job: '112-0', target: 'pve2', fails: '4' }]);
    const failed = await h.call('get_guest', { vmid: 103 });
    expect(failed.text.split('\n')[0]).toContain('1 of the last 1 task failed');
    expect(tableOf(failed.text, 'tasks')[0]).toMatchObject({ state: 'failed', upid: expect.stringContaining('UPID:pve1:') });
  });

  test('a container: addresses, and the refused configuration as one problem', async () => {
    const { text } = await h.call('get_guest', { vmid: 200 });
    expect(text.match(/^Problem: guest 200/gm)?.length).toBe(1);
    expect(tableOf(text, 'addresses').length).toBe(2);
    expect(recordOf(text, 'firewall')['state']).toContain('for which interfaces is not known');
    expect(text).not.toContain('## disks');
  });

  test('a mute agent is asked once, and costs its own problem', async () => {
    const before = h.demo.requests.length;
    const { text } = await h.call('get_guest', { vmid: 122 });
    expect(h.demo.requests.slice(before).filter((r) => r.path.includes('/agent/')).length).toBe(1);
    expect(recordOf(text, 'guest')).toMatchObject({ agent: 'silent', os: 'win11' });
    expect(tableOf(text, 'disks').length).toBe(3);
  });

  test('an old agent that lacks a command still tells the rest', async () => {
    const { text } = await h.call('get_guest', { vmid: 111 });
    expect(recordOf(text, 'guest')['os']).toContain('Windows');
    expect(text).toMatch(/^Problem: guest 111 .*guest-network-get-interfaces/m);
  });

  test.each([
    ['/nodes/pve1/qemu/100/snapshot', '## backups'],
    ['/nodes/pve1/qemu/100/firewall', '## tasks'],
    ['/nodes/pve1/tasks', '## disks'],
    ['/nodes/pve1/replication', '## addresses'],
    ['/nodes/pve1/storage/pbs-main', 'nas-backup'],
    ['/nodes/pve1/qemu/100/agent', '## nics'],
    ['/nodes/pve1/qemu/100/pending', '## tasks'],
  ])('%s fails: only its own part is missing', async (match, kept) => {
    const off = h.demo.faults.add({ kind: 'status-500', match });
    try {
      const { text, isError } = await h.call('get_guest', { vmid: 100 });
      expect(isError).toBe(false);
      expect(text).toMatch(/^Problem: (?!pve1\/pbs-offsite)/m);
      expect(text).toContain(kept);
      if (match.endsWith('snapshot')) expect(text).not.toContain('no snapshots');
    } finally {
      off();
    }
  });

  test('a node that accepts and never answers: the inventory is told, in a bounded time', async () => {
    const fresh = await openHarness({ demo: h.demo, cluster: { timeoutMs: 1_000 } });
    const off = h.demo.faults.add({ kind: 'hang', match: '/nodes/pve1/' });
    try {
      const started = performance.now();
      const { text, isError } = await fresh.call('get_guest', { vmid: 100 });
      expect(performance.now() - started).toBeLessThan(6_000);
      expect(isError).toBe(false);
      for (const line of ['status: running', 'memory: 4 GiB', 'ha: started']) expect(text.split('\n')).toContain(line);
      expect(text).toMatch(/^Problem: .*\(timeout\)/m);
      expect(text).not.toContain('no snapshots');
      expect(text).not.toContain('NO BACKUP');
    } finally {
      off();
      await fresh.close();
    }
  });

  test('a token without Sys.Audit on the node learns that tasks are hidden', async () => {
    try {
      const { text } = await callAs(h.demo, 'scoped', 'get_guest', { vmid: 100 });
      expect(text).toMatch(/^Hidden: other users' tasks: needs Sys\.Audit on \/nodes\/pve1/m);
    } finally {
    }
  });

  test('hidden guest, unknown name', async () => {
    try {
      expect(await callAs(h.demo, 'noacl', 'get_guest', { vmid: 100 })).toMatchObject({ isError: true, errorKind: 'forbidden' });
    } finally {
    }
    expect((await h.call('get_guest', { name: 'WEB-01' })).text).toContain('Did you mean "web-01"?');
  });

  test('the structured form', async () => {
    const { structured } = await h.call('get_guest', { vmid: 100 }, { form: 'structured' });
    expect(JSON.stringify(structured)).toContain('Debian GNU/Linux 13');
  });
});
