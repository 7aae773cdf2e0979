import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { worldOf } from '../../../test/support/demo-world.ts';
import { callAs, type Harness, openHarness } from '../../../test/support/harness.ts';
import { recordOf, tableOf } from '../../../test/support/read-answer.ts';

describe('get_guest_config', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await openHarness();
  });
  afterAll(() => h.close());

  test('a machine: values with pending changes applied, and what is pending', async () => {
    const { text, isError } = await h.call('get_guest_config', { vmid: 100 });
    expect(isError).toBe(false);
    expect(text.split('\n')[0]).toContain('web-01 (VM 100) on pve1, with pending changes applied');
    expect(recordOf(text, 'config')).toMatchObject({
      cpus: '8',
      memory: '8 GiB',
      balloon_min: '2 GiB',
      agent: 'yes',
      start_on_boot: 'yes',
    });
    const disks = tableOf(text, 'disks');
    expect(disks.map((d) => d['key'])).toEqual(['scsi0', 'scsi1', 'scsi2', 'ide2', 'ide3', 'unused0']);
    expect(disks[0]).toMatchObject({ storage: 'local-lvm', size: '32 GiB', backup: 'yes' });
    expect(disks[1]).toMatchObject({ storage: 'nas-media', backup: 'no' });
    // net1 goes away at the next start.
    expect(tableOf(text, 'nics').map((n) => [n['nic'], n['vlan'], n['firewall'], n['ip']])).toEqual([
      ['net0', '20', 'yes', '192.0.2.10/24'],
    ]);
    const pending = tableOf(text, 'pending').filter((p) => p['applies'] === 'next start');
    expect(pending.map((p) => p['key'])).toEqual([...(worldOf(h.demo).guests.get(100)?.detail.changes.keys() ?? [])].sort());
    expect(pending.find((p) => p['key'] === 'memory')).toMatchObject({ now: '4096 MiB', after: '8192 MiB' });
    expect(pending.find((p) => p['key'] === 'net1')).toMatchObject({ after: '(removed)' });
    expect(tableOf(text, 'ssh_keys').map((k) => [k['type'], k['comment']])).toEqual([
      ['ssh-ed25519', 'ops@demo.example'],
      ['ssh-rsa', 'bob@laptop'],
    ]);
  });

  test('current: what it runs with', async () => {
    const { text } = await h.call('get_guest_config', { vmid: '100', current: 'true' });
    expect(recordOf(text, 'config')).toMatchObject({ cpus: '4', memory: '4 GiB' });
    expect(tableOf(text, 'nics').map((n) => n['nic'])).toEqual(['net0', 'net1']);
  });

  test('as of a snapshot, by the endpoint that hides its secrets', async () => {
    const { text } = await h.call('get_guest_config', { vmid: 101, snapshot: 'pre-pg17' });
    expect(text.split('\n')[0]).toContain('as of snapshot pre-pg17');
    expect(recordOf(text, 'config')).toMatchObject({ cpus: '8', memory: '32 GiB' });
    expect(recordOf(text, 'other')).toMatchObject({ cipassword: '[redacted]' });
    expect(h.demo.requests.some((r) => /\/snapshot\/[^/]+\/config/.test(r.path))).toBe(false);
  });

  test('a snapshot that is not there, with a suggestion; and the pseudo snapshot', async () => {
    const wrong = await h.call('get_guest_config', { vmid: 101, snapshot: 'pre-pg16' });
    expect(wrong).toMatchObject({ isError: true, errorKind: 'not-found' });
    expect(wrong.text).toContain('Did you mean pre-pg17?');
    const none = await h.call('get_guest_config', { vmid: 100, snapshot: 'nope' });
    expect(none.text).toContain('It has no snapshots');
    for (const snapshot of ['current', '../x', 'a b', 'x']) {
      const before = h.demo.requests.length;
      expect(await h.call('get_guest_config', { vmid: 101, snapshot })).toMatchObject({
        isError: true,
        errorKind: 'bad-argument',
      });
      expect(h.demo.requests.length).toBe(before);
    }
  });

  test('an empty configuration shows the defaults as such', async () => {
    const { text } = await h.call('get_guest_config', { vmid: 105 });
    expect(text).toContain('VM 105 on pve1: 0 disks');
    expect(text).toMatch(/^memory: 512 MiB$/m);
    expect(text).toMatch(/^defaults: memory, cores$/m);
  });

  test('a container with environment variables: the refusal is explained, and what is known is told', async () => {
    const { text, isError } = await h.call('get_guest_config', { vmid: 200 });
    expect(isError).toBe(false);
    expect(text).toContain('configuration refused');
    expect(text).toContain('needs VM.Config.Options on /vms/200');
    expect(text).toContain('a bug of Proxmox VE');
    expect(text).toMatch(/^memory: 1 GiB$/m);
  });

  test('its old snapshot holds such variables too: no figures of today are passed off as those of then', async () => {
    const { text, isError } = await h.call('get_guest_config', { vmid: 200, snapshot: 'pre' });
    expect(isError).toBe(true);
    expect(text).toContain('environment variables');
    expect(text).not.toContain('memory');
  });

  test('with the right to read it: raw lines, mount points, and the names of variables without values', async () => {
    try {
      const { text } = await callAs(h.demo, 'full', 'get_guest_config', { vmid: 200 });
      const other = recordOf(text.replaceAll(/^lxc\./gm, 'lxc-'), 'other');
      expect(other).toMatchObject({ env: 'DB_PASSWORD=[redacted] API_TOKEN=[redacted] TZ=[redacted]' });
      expect(text).toContain('lxc.cgroup2.devices.allow: c 10:200 rwm');
      expect(tableOf(text, 'disks').map((d) => [d['key'], d['kind'], d['mount'], d['backup']])).toEqual([
        ['rootfs', 'root', '/', 'yes'],
        ['mp0', 'mount', '/srv/media', 'yes'],
        ['mp1', 'bind', '/data', 'no'],
        ['unused0', 'unused', '', ''],
      ]);
      for (const canary of h.demo.canaries) expect(text).not.toContain(canary);
    } finally {
    }
  });

  test('notes only when asked for, in a fence, without secrets', async () => {
    const without = await h.call('get_guest_config', { vmid: 102 });
    expect(without.text).not.toContain('IGNORE ALL');
    expect(without.text).toContain('notes=true');
    const { text } = await h.call('get_guest_config', { vmid: 102, notes: true });
    expect(text).toMatch(/<upstream-text-[0-9a-f]+>\nWindows 11/);
    for (const canary of h.demo.canaries) expect(text).not.toContain(canary);
  });

  test('a guest on a node that is down is an error that names the node', async () => {
    const { text, errorKind, stats } = await h.call('get_guest_config', { vmid: 130 });
    expect(errorKind).toBe('node-unreachable');
    expect(text).toContain('pve3');
    expect(stats.requests).toBeLessThanOrEqual(1);
  });

  test('a wrong belief about node and type is corrected', async () => {
    const { text } = await h.call('get_guest_config', { vmid: 100, node: 'pve2', guest_type: 'lxc' });
    expect(text).toContain('Guest 100 is on node pve1, not on pve2.');
    expect(text).toContain('of type qemu');
  });

  test('unknown names and ids say what was meant', async () => {
    expect((await h.call('get_guest_config', { name: 'web-1' })).text).toContain('Did you mean "web-01"?');
    expect(await h.call('get_guest_config', { vmid: 999 })).toMatchObject({ isError: true, errorKind: 'not-found' });
    expect((await h.call('get_guest_config', {})).text).toContain('Give vmid or name');
  });

  test('a token without rights learns that the guest is hidden', async () => {
    try {
      const { text, errorKind } = await callAs(h.demo, 'noacl', 'get_guest_config', { vmid: 100 });
      expect(errorKind).toBe('forbidden');
      expect(text).toContain('VM.Audit on /vms/100');
    } finally {
    }
  });

  test('pending changes that fail cost their own problem only', async () => {
    const off = h.demo.faults.add({ kind: 'status-500', match: '/nodes/pve1/qemu/104/pending' });
    try {
      const { text, isError } = await h.call('get_guest_config', { vmid: 104 });
      expect(isError).toBe(false);
      expect(text).toContain('virtio0');
      expect(text).toMatch(/^Problem: guest 104 on pve1/m);
    } finally {
      off();
    }
  });

  test('three requests, one more with a cloud-init drive; the structured form holds the same', async () => {
    const fresh = await openHarness({ demo: h.demo });
    try {
      expect((await fresh.call('get_guest_config', { vmid: 104 })).stats.requests).toBe(3);
      const { structured, stats } = await fresh.call('get_guest_config', { vmid: 100 }, { form: 'structured' });
      expect(stats.requests).toBeLessThanOrEqual(4);
      expect(JSON.stringify(structured)).toContain('vm-100-disk-0');
    } finally {
      await fresh.close();
    }
  });
});
