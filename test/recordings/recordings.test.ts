import { statSync } from 'node:fs';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CANARY_FORMS, RECORDED_CANARIES } from './canaries.ts';
import { loadRecordings, objectOf, RECORDED_AT, RECORDED_ROLES, type RecordedRole, rowsOf } from './recording-set.ts';
import { type ReplayServer, startReplayServer } from './replay-server.ts';

const fileOf = (role: RecordedRole) => new URL(`./data/${role}.jsonl`, import.meta.url);

/** What the tools rest on: path, query, and the status for full, readonly, noacl. */
const IMPORTANT: readonly (readonly [string, Record<string, string>, number, number, number])[] = [
  ['/version', {}, 200, 200, 200],
  ['/access/permissions', {}, 200, 200, 200],
  ['/access/acl', {}, 200, 200, 200],
  ['/access/users', { full: '1' }, 200, 200, 200],
  ['/access/groups', {}, 200, 200, 200],
  ['/access/roles', {}, 200, 200, 200],
  ['/access/domains', {}, 200, 200, 200],
  ['/access/domains/sso', {}, 200, 200, 403],
  ['/access/tfa', {}, 200, 200, 200],
  ['/cluster/backup', {}, 200, 200, 403],
  ['/cluster/backup/backup-nightly/included_volumes', {}, 200, 200, 403],
  ['/cluster/backup-info/not-backed-up', {}, 200, 200, 403],
  ['/cluster/backup-info', {}, 403, 403, 403],
  ['/cluster/ceph/status', {}, 200, 200, 403],
  ['/cluster/firewall/aliases', {}, 200, 200, 403],
  ['/cluster/firewall/groups', {}, 200, 200, 200],
  ['/cluster/firewall/groups/webserver', {}, 200, 200, 403],
  ['/cluster/firewall/ipset/management', {}, 200, 200, 403],
  ['/cluster/firewall/options', {}, 200, 200, 403],
  ['/cluster/firewall/rules', {}, 200, 200, 403],
  ['/cluster/ha/groups', {}, 200, 200, 403],
  ['/cluster/ha/resources', {}, 200, 200, 403],
  ['/cluster/ha/rules', {}, 200, 200, 403],
  ['/cluster/ha/status/current', {}, 200, 200, 403],
  ['/cluster/ha/status/manager_status', {}, 200, 200, 403],
  ['/cluster/log', {}, 200, 200, 200],
  ['/cluster/mapping/pci', {}, 200, 200, 200],
  ['/cluster/metrics/server/otel1', {}, 200, 200, 403],
  ['/cluster/notifications/endpoints/webhook', {}, 200, 200, 403],
  ['/cluster/options', {}, 200, 200, 200],
  ['/cluster/replication', {}, 200, 200, 200],
  ['/cluster/resources', {}, 200, 200, 200],
  ['/cluster/sdn/ipams', {}, 200, 200, 200],
  ['/cluster/sdn/ipams/netbox1', {}, 200, 403, 403],
  ['/cluster/sdn/vnets/lan1/firewall/rules', {}, 200, 200, 403],
  ['/cluster/sdn/zones', {}, 200, 200, 200],
  ['/cluster/sdn/zones/localz', {}, 200, 403, 403],
  ['/cluster/status', {}, 200, 200, 403],
  ['/cluster/tasks', {}, 200, 200, 200],
  ['/nodes', {}, 200, 200, 200],
  ['/nodes/nope/status', {}, 500, 500, 403],
  ['/nodes/pve1/apt/update', {}, 200, 403, 403],
  ['/nodes/pve1/ceph/osd', {}, 200, 200, 403],
  ['/nodes/pve1/certificates/info', {}, 200, 200, 200],
  ['/nodes/pve1/disks/zfs/tank', {}, 200, 200, 403],
  ['/nodes/pve1/firewall/rules', {}, 200, 200, 403],
  ['/nodes/pve1/hardware/pci', {}, 200, 200, 403],
  ['/nodes/pve1/hardware/usb', {}, 200, 403, 403],
  ['/nodes/pve1/lxc/200/config', {}, 200, 403, 403],
  ['/nodes/pve1/lxc/200/interfaces', {}, 200, 200, 403],
  ['/nodes/pve1/lxc/200/snapshot', {}, 200, 200, 403],
  ['/nodes/pve1/lxc/201/config', {}, 200, 200, 403],
  ['/nodes/pve1/lxc/201/interfaces', {}, 200, 200, 403],
  ['/nodes/pve1/network', {}, 200, 200, 200],
  ['/nodes/pve1/qemu/100/agent/network-get-interfaces', {}, 200, 200, 403],
  ['/nodes/pve1/qemu/100/config', {}, 200, 200, 403],
  ['/nodes/pve1/qemu/100/firewall/rules', {}, 200, 200, 403],
  ['/nodes/pve1/qemu/100/pending', {}, 200, 200, 403],
  ['/nodes/pve1/qemu/100/status/current', {}, 200, 200, 403],
  ['/nodes/pve1/qemu/101/config', { snapshot: 'before-upgrade' }, 200, 200, 403],
  ['/nodes/pve1/qemu/101/snapshot', {}, 200, 200, 403],
  ['/nodes/pve1/qemu/102/agent/get-osinfo', {}, 500, 500, 403],
  ['/nodes/pve1/qemu/999/config', {}, 500, 500, 403],
  ['/nodes/pve1/replication', {}, 200, 200, 200],
  ['/nodes/pve1/rrddata', { timeframe: 'hour' }, 200, 200, 403],
  ['/nodes/pve1/services', {}, 200, 200, 403],
  ['/nodes/pve1/status', {}, 200, 200, 403],
  ['/nodes/pve1/storage', {}, 200, 200, 200],
  ['/nodes/pve1/storage/local/content', {}, 200, 200, 403],
  ['/nodes/pve1/storage/local/prunebackups', { 'prune-backups': 'keep-all=1' }, 200, 200, 403],
  ['/nodes/pve1/storage/nfs-media/content', {}, 500, 500, 403],
  ['/nodes/pve1/subscription', {}, 200, 200, 200],
  ['/nodes/pve1/syslog', {}, 200, 403, 403],
  ['/nodes/pve1/tasks', { limit: '500', source: 'all' }, 200, 200, 200],
  ['/nodes/pve2/status', {}, 595, 595, 403],
  ['/nodes/pve3/status', {}, 595, 595, 403],
  ['/nope', {}, 501, 501, 501],
  ['/pools', {}, 200, 200, 200],
  ['/storage', {}, 200, 200, 200],
  ['/storage/local', {}, 200, 403, 403],
];

describe('the recordings', () => {
  it.each(RECORDED_ROLES)('%s: every line parses, in a file that is no burden', (role) => {
    expect(statSync(fileOf(role)).size).toBeLessThan(300_000);
    const { all } = loadRecordings(role);
    expect(all.length).toBeGreaterThan(500);
    for (const { path, status, reason, body } of all) {
      expect([200, 400, 403, 404, 500, 501, 595], path).toContain(status);
      expect(reason, path).not.toBe('');
      expect(body === null, `${path} ${status}`).toBe(status === 595);
    }
  });

  it.each(IMPORTANT)('%s %o is there for each token', (path, query, ...statuses) => {
    expect(RECORDED_ROLES.map((role) => loadRecordings(role).find(path, query)?.status)).toEqual(statuses);
  });

  it('keeps what the tools must cope with', () => {
    const { find } = loadRecordings('readonly');
    const resources = rowsOf(find('/cluster/resources'));
    const types = new Set(resources?.map(({ type }) => type));
    expect([...types].sort()).toEqual(['lxc', 'network', 'node', 'pool', 'qemu', 'storage']);
    expect(new Set(resources?.map(({ status }) => status))).toContain('unknown');
    const results = rowsOf(find('/nodes/pve1/tasks', { limit: '500', source: 'all' }))?.map(({ status }) => status);
    for (const result of ['OK', 'RUNNING', 'WARNINGS: 2', 'job errors', 'unexpected status', 'interrupted by signal'])
      expect(results).toContain(result);
    const rrd = rowsOf(find('/nodes/pve1/rrddata', { timeframe: 'hour' }));
    expect(rrd?.some((point) => Object.keys(point).length === 1)).toBe(true);
    const steps = rrd?.slice(1).map((point, index) => Number(point.time) - Number(rrd[index]?.time));
    expect(new Set(steps)).toEqual(new Set([60]));
    expect(find('/nodes/pve1/network')?.body).toHaveProperty('changes');
    expect(objectOf(find('/nodes/pve1/qemu/100/config'))?.memory).toBe('8192');
    expect(
      rowsOf(find('/nodes/pve1/tasks', { limit: '500', source: 'all' }))?.every((row) => Number(row.starttime) < RECORDED_AT),
    ).toBe(true);
  });

  it('has a status and a log for every task but plain backups that went well', () => {
    const { find } = loadRecordings('readonly');
    for (const { upid, status, type } of rowsOf(find('/nodes/pve1/tasks', { limit: '500', source: 'all' })) ?? []) {
      if (type === 'vzdump' && status === 'OK') continue;
      expect(find(`/nodes/pve1/tasks/${upid}/status`), String(upid)).toBeDefined();
      expect(find(`/nodes/pve1/tasks/${upid}/log`, { limit: '5000' }), String(upid)).toBeDefined();
    }
  });
});

describe('the planted secrets', () => {
  it.each(RECORDED_CANARIES)('$what', ({ forms, path, seenBy }) => {
    for (const role of RECORDED_ROLES) {
      const text = JSON.stringify(loadRecordings(role).all.filter((recording) => recording.path === path));
      const found = forms.some((form) => text.includes(form));
      expect(found, role).toBe(seenBy.includes(role));
      expect(
        forms.some((form) => JSON.stringify(loadRecordings(role).all).includes(form)),
        `${role}, anywhere`,
      ).toBe(found);
    }
  });

  it('are listed decoded too', () => {
    for (const encoded of CANARY_FORMS.filter((form) => /^(?:eyJ|QmVh)/.test(form))) {
      const [, secret = ''] = /Bearer ([\w-]+)/.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
      expect(CANARY_FORMS).toContain(secret);
    }
  });

  it('are all listed: nothing else in the fixtures looks like one', () => {
    // A secret-looking key or assignment whose value is no canary must be on this list of what is known to be harmless.
    const harmless = new Set([
      '**********',
      '',
      'name=tok',
      'name=chan',
      'x!oath',
      'type=oath,digits=6,step=30',
      'oath',
      'Signed-By',
    ]);
    const suspects: string[] = [];
    const walk = (value: unknown, key: string): void => {
      if (Array.isArray(value)) for (const item of value) walk(item, key);
      else if (typeof value === 'object' && value !== null) for (const [name, item] of Object.entries(value)) walk(item, name);
      else if (typeof value === 'string') {
        const named = /^(?:.*password|secret|token|key|client-key|keys|otel-headers|header|tfa|env|args|credentials?)$/i.test(
          key,
        );
        const assigned = /(?:passw(?:or)?d|secret|token|api[_ -]?key)\s*[=:]\s*[^\s*]/i.test(value);
        const inUrl = /:\/\/[^/\s@]+:[^/\s@]+@/.test(value);
        const known = CANARY_FORMS.some((form) => value.includes(form)) || harmless.has(value);
        if ((named || assigned || inUrl) && !known) suspects.push(`${key}: ${value.slice(0, 80)}`);
      }
    };
    // Rows of pending changes name the option in `key`; their values are those of the configuration.
    for (const role of RECORDED_ROLES)
      for (const { path, body } of loadRecordings(role).all) if (!/\/(?:pending|cloudinit)$/.test(path)) walk(body, '');
    // The webhook's other header is a template that names a secret, not one.
    const known = /^(?:header: name=X-Auth,value=e3sgc2VjcmV0cy50b2sgfX0=|secret: name=)/;
    expect([...new Set(suspects)].filter((suspect) => !known.test(suspect))).toEqual([]);
  });
});

describe('the replay over HTTPS', () => {
  let server: ReplayServer;
  let dispatcher: Agent;
  beforeAll(async () => {
    server = await startReplayServer();
    dispatcher = new Agent({ connect: { ca: server.ca } });
  });
  afterAll(async () => {
    await dispatcher.close();
    await server.close();
  });

  const authorization = (role: RecordedRole) => `PVEAPIToken=${server.token(role).id}=${server.token(role).secret}`;
  const send = async (
    path: string,
    options: { role?: RecordedRole; authorization?: string; method?: 'GET' | 'POST' | 'PUT' } = {},
  ) => {
    const given = options.authorization ?? (options.role && authorization(options.role));
    const answer = await request(`${server.url}/api2/json${path}`, {
      dispatcher,
      method: options.method ?? 'GET',
      headers: given === undefined ? {} : { authorization: given },
    });
    return { status: answer.statusCode, reason: answer.statusText, headers: answer.headers, text: await answer.body.text() };
  };

  it('answers each token with its own recording', async () => {
    const counts = await Promise.all(
      RECORDED_ROLES.map(async (role) => JSON.parse((await send('/cluster/resources', { role })).text).data.length),
    );
    expect(counts[0]).toBe(counts[1]);
    expect(counts[2]).toBe(3);
    const { headers, reason } = await send('/version', { role: 'readonly' });
    expect(reason).toBe('OK');
    expect(headers).toMatchObject({ server: 'pve-api-daemon/3.0', 'content-type': 'application/json;charset=UTF-8' });
  });

  it('serves every important recording as it is', async () => {
    for (const role of RECORDED_ROLES)
      for (const [path, query] of IMPORTANT) {
        const recorded = loadRecordings(role).find(path, query);
        const answer = await send(`${path}?${new URLSearchParams(query)}`, { role });
        expect({ path, status: answer.status, reason: answer.reason }).toEqual({
          path,
          status: recorded?.status,
          reason: recorded?.reason,
        });
        expect(answer.text === '' ? null : JSON.parse(answer.text), path).toEqual(recorded?.body);
      }
  });

  it('takes paths and queries in any encoding and order', async () => {
    const role = 'readonly';
    const upid = 'UPID:pve1:00000FA2:00061B48:6B093666:vzdump::root@pam:';
    expect((await send(`/nodes/pve1/tasks/${encodeURIComponent(upid)}/log?limit=2`, { role })).text).toContain('"total":11');
    expect((await send('//nodes//pve1/status/', { role })).status).toBe(200);
    expect((await send('/nodes/pve1/tasks?source=all;limit=5', { role })).text).toContain('RUNNING');
    expect((await send('/nodes/pve1/storage/local/content/local%3Aiso%2Fdebian-13.1.0-amd64-netinst.iso', { role })).status).toBe(
      200,
    );
  });

  it('refuses unknown callers without a body, and slowly', async () => {
    const began = Date.now();
    const anonymous = await send('/version');
    expect(Date.now() - began).toBeGreaterThanOrEqual(25);
    expect(anonymous).toMatchObject({ status: 401, reason: 'No ticket', text: '' });
    expect(anonymous.headers).not.toHaveProperty('content-length');
    expect(anonymous.headers).not.toHaveProperty('content-type');
    expect(anonymous.headers).not.toHaveProperty('transfer-encoding');
    expect(anonymous.headers.connection).toBe('close');
    const wrong = authorization('readonly').replace(/.$/, '0');
    expect(await send('/version', { authorization: wrong })).toMatchObject({ status: 401, reason: 'Authentication failed!' });
    const otherTokensSecret = `PVEAPIToken=${server.token('full').id}=${server.token('noacl').secret}`;
    expect((await send('/version', { authorization: otherTokensSecret })).status).toBe(401);
    expect((await send('/version', { authorization: authorization('full').toLowerCase() })).reason).toBe('No ticket');
    expect(
      (await send('/version', { authorization: authorization('full').replace('PVEAPIToken=', 'PVEAPIToken ') })).status,
    ).toBe(200);
  });

  it('has the manners of the real errors', async () => {
    const offline = await send('/nodes/pve2/status', { role: 'readonly' });
    expect(offline).toMatchObject({ status: 595, reason: 'Connection refused', text: '' });
    expect(offline.headers.connection).toBe('close');
    expect(offline.headers).not.toHaveProperty('content-length');
    const forbidden = await send('/nodes/pve1/qemu/100/config', { role: 'noacl' });
    expect(forbidden).toMatchObject({ status: 403, reason: 'Permission check failed (/vms/100, VM.Audit)' });
    expect(JSON.parse(forbidden.text)).toEqual({ data: null, message: 'Permission check failed (/vms/100, VM.Audit)\n' });
    const unknown = await send('/nodes/pve1/nothing/here', { role: 'readonly' });
    expect(unknown).toMatchObject({ status: 501, reason: "Method 'GET /nodes/pve1/nothing/here' not implemented" });
    const wrongParam = await send('/cluster/tasks?limit=5', { role: 'readonly' });
    expect(wrongParam).toMatchObject({ status: 400, reason: 'Parameter verification failed.' });
    expect(Object.keys(JSON.parse(wrongParam.text).errors)).toEqual(['limit']);
    expect((await send('/nodes/pve1/tasks?limit=1&limit=2', { role: 'readonly' })).status).toBe(400);
  });

  it('says loudly what was not recorded', async () => {
    const before = server.missing.length;
    const answer = await send('/nodes/pve1/rrddata?timeframe=day', { role: 'readonly' });
    expect(answer).toMatchObject({ status: 599, reason: 'not recorded: GET /nodes/pve1/rrddata?timeframe=day as readonly' });
    expect(server.missing.slice(before)).toEqual(['GET /nodes/pve1/rrddata?timeframe=day as readonly']);
  });

  it('logs every request with its method, also those it never answers well', async () => {
    const before = server.requests.length;
    await send('/nodes/pve1/tasks?limit=5&source=all', { role: 'noacl' });
    await send('/pools', { role: 'readonly', method: 'POST' });
    await send('/version', {});
    expect(server.requests.slice(before)).toMatchObject([
      { method: 'GET', path: '/nodes/pve1/tasks', query: { limit: '5', source: 'all' }, token: 'mcp@pve!noacl', status: 200 },
      { method: 'POST', path: '/pools', token: 'mcp@pve!readonly', status: 599 },
      { method: 'GET', path: '/version', token: undefined, status: 401 },
    ]);
  });

  it('can be pinned by its leaf and is trusted by its authority only', async () => {
    expect(server.fingerprint).toMatch(/^(?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/);
    const stranger = new Agent();
    await expect(request(`${server.url}/api2/json/version`, { dispatcher: stranger })).rejects.toThrow(/certificate/);
    await stranger.close();
  });
});
