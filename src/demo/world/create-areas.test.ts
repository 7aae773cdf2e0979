import { describe, expect, it } from 'vitest';
import { type Asker, createAsker, NOW } from '../handlers/area-request.fixture.ts';
import { collectCanaries } from './canaries.ts';

/** Every answer in which the API gives a secret away, as one text. */
function everythingLeaky(asker: Asker): string {
  const identity = asker.world.areas.access.tokens.full.id;
  const get = (path: string, query: Record<string, string> = {}) => JSON.stringify(asker.reply(path, { identity, query }));
  return [
    ...asker.world.areas.access.realms.map((realm) => get(`/access/domains/${realm.realm}`)),
    get('/access/users', { full: '1' }),
    get('/cluster/sdn/ipams'),
    get('/cluster/sdn/dns'),
    get('/cluster/sdn/dry-run', { node: 'pve1' }),
    ...asker.world.areas.config.metricServers.map((server) => get(`/cluster/metrics/server/${server.id}`)),
    get('/cluster/notifications/endpoints/webhook'),
    get('/cluster/options'),
    get('/cluster/log'),
    get('/cluster/acme/plugins'),
    get('/nodes/pve1/ceph/cfg/raw'),
    get('/nodes/pve1/ceph/cfg/db'),
    get('/nodes/pve1/ceph/log'),
    ...['pve1', 'pve2', 'pve3'].flatMap((node) => [
      get(`/nodes/${node}/report`),
      get(`/nodes/${node}/apt/repositories`),
      get(`/nodes/${node}/journal`),
      get(`/nodes/${node}/syslog`, { limit: '1000' }),
    ]),
  ].join('\n');
}

/** The places of planted secrets that these areas answer for. */
const OWN = /^\/access|^\/cluster\/(sdn|metrics|notifications|options|log|acme)|\/(ceph|report|apt|journal|syslog)/;

describe('planted secrets', () => {
  const asker = createAsker();

  it('each one of the areas does stand in an answer', () => {
    const text = everythingLeaky(asker);
    const planted = asker.world.canaries.filter((canary) => OWN.test(canary.place));
    expect(planted.length).toBeGreaterThan(25);
    const silent = planted.filter((canary) => ![canary.value, ...canary.forms].some((form) => text.includes(form)));
    expect(silent.map((canary) => canary.place)).toEqual([]);
  });

  it('the secrets of all tokens are on the list, and in no answer', () => {
    const list = new Set(collectCanaries(asker.world));
    const secrets = asker.world.users.flatMap((user) => user.tokens.map((token) => token.secret));
    expect(secrets.every((secret) => list.has(secret))).toBe(true);
    const text = everythingLeaky(asker);
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  });

  it('encoded secrets are listed as they appear', () => {
    const { row, rows, world } = asker;
    const list = collectCanaries(world);
    expect(list).toContain(row('/cluster/metrics/server/otel')['otel-headers']);
    expect(list).toContain(row('/cluster/options')['consent-text']);
    const chat = rows('/cluster/notifications/endpoints/webhook').find((endpoint) => endpoint.name === 'chat');
    expect(list.some((form) => JSON.stringify(chat?.header).includes(form))).toBe(true);
  });

  it('are the same in every run', () => {
    expect(collectCanaries(createAsker().world)).toEqual(collectCanaries(asker.world));
  });

  it('a generated node gives away no secret that is not on the list', () => {
    const { world, reply } = createAsker({ nodes: 12, guests: 50 });
    const listed = collectCanaries(world);
    const journal = JSON.stringify(reply('/nodes/pve11/journal').data);
    const password = /--password=(\w+)/.exec(journal)?.[1];
    expect(listed).toContain(password);
    expect(collectCanaries(world)).toEqual(listed);
  });
});

describe('other clusters', () => {
  it('a standalone node has no corosync, HA, replication or Ceph', () => {
    const { ask, rows } = createAsker({ standalone: true });
    expect(() => ask('/cluster/config/join')).toThrow('node is not in a cluster, no join info available!');
    expect(() => ask('/cluster/config/nodes')).toThrow(/does not exist/);
    expect(rows('/cluster/ha/resources')).toEqual([]);
    expect(rows('/cluster/ha/status/current').map((row) => row.type)).toEqual(['quorum']);
    expect(rows('/cluster/replication')).toEqual([]);
    expect(() => ask('/cluster/ceph/status')).toThrow('binary not installed: /usr/bin/ceph-mon');
  });

  it('a generated cluster answers for nodes and guests that were never written down', () => {
    const { rows, row, world } = createAsker({ nodes: 30, guests: 300 });
    expect(rows('/cluster/config/nodes')).toHaveLength(world.nodes.length);
    expect(rows('/nodes/pve28/services').length).toBeGreaterThan(10);
    expect(rows('/nodes/pve28/certificates/info').map((certificate) => certificate.filename)).toContain('pve-ssl.pem');
    const guest = [...world.guests.values()].find((candidate) => candidate.vmid > 1000 && candidate.type === 'qemu');
    expect(row(`/nodes/${guest?.node}/qemu/${guest?.vmid}/firewall/options`)).toHaveProperty('digest');
    expect(rows('/cluster/ha/status/current').filter((status) => status.type === 'lrm')).toHaveLength(world.nodes.length);
  });
});

describe('what is planted for the health checks', () => {
  const { row, rows, world } = createAsker();
  const now = NOW / 1000;

  it('M-*: certificate, drift, reboot, clock, service', () => {
    const expiry = (node: string) =>
      Object.fromEntries(
        rows(`/nodes/${node}/certificates/info`).map((one) => [one.filename, (Number(one.notafter) - now) / 86_400]),
      );
    expect(expiry('pve2')['pveproxy-ssl.pem']).toBeLessThan(14);
    expect(expiry('pve2')['pve-ssl.pem']).toBeGreaterThan(90);
    expect(expiry('pve1')['pve-ssl.pem']).toBeGreaterThan(60);
    expect(expiry('pve1')).not.toHaveProperty('pveproxy-ssl.pem');

    const versions = (node: string) => new Map(rows(`/nodes/${node}/apt/versions`).map((one) => [one.Package, one]));
    const [first, second] = [versions('pve1'), versions('pve2')];
    expect(first.get('pve-manager')?.OldVersion).not.toBe(second.get('pve-manager')?.OldVersion);
    expect(first.get('smartmontools')).toEqual(second.get('smartmontools'));
    const newest = 'proxmox-kernel-6.17.4-2-pve-signed';
    expect(second.get(newest)?.CurrentState).toBe('Installed');
    expect(second.get('proxmox-ve')?.RunningKernel).toBe('6.14.11-4-pve');
    expect(first.get('proxmox-ve')?.RunningKernel).toBe('6.17.4-2-pve');

    expect(row('/nodes/pve2/time').time).toBe(now + 47);
    expect(row('/nodes/pve1/time')).toEqual({ localtime: now + 3600, time: now, timezone: 'Europe/Berlin' });
    const failed = rows('/nodes/pve2/services').filter((service) => service.state === 'failed');
    expect(failed.map((service) => service.service)).toEqual(['pve-ha-lrm']);
  });

  it('F-*: rules that never apply because one level is off', () => {
    const guest = (vmid: number) => ({
      options: row(`/nodes/pve1/qemu/${vmid}/firewall/options`),
      rules: rows(`/nodes/pve1/qemu/${vmid}/firewall/rules`),
    });
    const nic = (vmid: number) => String(world.guests.get(vmid)?.detail.config.net0);
    expect(guest(104).options.enable).toBeUndefined();
    expect(guest(104).rules.length).toBeGreaterThan(0);
    expect(nic(104)).toContain('firewall=1');
    expect(guest(111).options.enable).toBe(1);
    expect(guest(111).rules.length).toBeGreaterThan(0);
    expect(nic(111)).toContain('firewall=0');
    expect(guest(100).options.enable).toBe(1);
    expect(nic(100)).toContain('firewall=1');
    expect(row('/nodes/pve2/firewall/options').enable).toBe(0);
    expect(rows('/nodes/pve2/firewall/rules').length).toBeGreaterThan(0);
    expect(row('/nodes/pve3/firewall/options')).not.toHaveProperty('enable');
    expect(row('/cluster/sdn/vnets/labnet/firewall/options').enable).toBe(1);
    expect(['pve1', 'pve2'].map((node) => row(`/nodes/${node}/firewall/options`).nftables)).toEqual([0, 0]);
  });

  it('H-*: more guests to keep apart than nodes that run, and a strict rule on a node that is off', () => {
    const online = new Set(world.nodes.filter((node) => node.online).map((node) => node.node));
    const rules = new Map(rows('/cluster/ha/rules').map((rule) => [rule.rule, rule]));
    expect(String(rules.get('three-apart')?.resources).split(',').length).toBeGreaterThan(online.size);
    expect(String(rules.get('db-files-apart')?.resources).split(',').length).toBe(online.size);
    expect(rules.get('replica-pinned')).toMatchObject({ nodes: 'pve3', strict: 1 });
    expect(online.has('pve3')).toBe(false);
    expect(rules.get('old-move')).toMatchObject({ nodes: 'pve3', strict: 1, disable: 1 });
  });

  it('R-*: failing, lagging, never run, and a source that is off', () => {
    const jobs = new Map(rows('/nodes/pve1/replication').map((job) => [job.id, job]));
    expect(Number(jobs.get('112-0')?.fail_count)).toBeGreaterThan(0);
    expect(jobs.get('112-0')).toHaveProperty('error');
    expect(now - Number(jobs.get('203-0')?.last_sync)).toBeGreaterThan(86_400);
    expect(jobs.get('203-0')).not.toHaveProperty('error');
    expect(jobs.get('205-0')?.last_sync).toBe(0);
    expect(jobs.get('205-0')).not.toHaveProperty('duration');
    expect(jobs.get('109-0')?.disable).toBe(1);
    expect(now - Number(jobs.get('101-0')?.last_sync)).toBeLessThan(1_800);
    const all = rows('/cluster/replication').map((job) => job.id);
    expect(all).toContain('131-0');
    expect(jobs.has('131-0')).toBe(false);
  });

  it('C-*, N-*: Ceph warns, a disabled target is still used', () => {
    const status = row('/cluster/ceph/status');
    expect(status.health).toMatchObject({ status: 'HEALTH_WARN', checks: { OSD_DOWN: { severity: 'HEALTH_WARN' } } });
    const off = rows('/cluster/notifications/targets').filter((target) => target.disable === 1);
    expect(off.map((target) => target.name)).toEqual(['pager', 'legacy']);
    const used = rows('/cluster/notifications/matchers')
      .filter((matcher) => matcher.disable !== 1)
      .flatMap((matcher) => matcher.target);
    expect(used).toContain('pager');
    expect(used).not.toContain('legacy');
  });
});
