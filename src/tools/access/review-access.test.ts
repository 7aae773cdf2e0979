import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { worldOf } from '../../../test/support/demo-world.ts';
import { callAs, type Harness, openHarness } from '../../../test/support/harness.ts';
import { recordOf, tableOf } from '../../../test/support/read-answer.ts';
import { createCall } from '../../api/call.ts';
import { readAccess } from '../../cluster/access.ts';
import { rightsOf } from '../../demo/rights.ts';
import type { DemoRole } from '../../demo/types.ts';
import { resolutionOf } from '../../insights/access-review.ts';

describe('review_access', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await openHarness();
  });
  afterAll(() => h.close());

  const as = async (role: DemoRole, args = {}, form: 'text' | 'structured' = 'text') => {
    const outcome = await callAs(h.demo, role, 'review_access', args, { form });
    return outcome;
  };

  test('its resolution says of everybody, everywhere, what the permission engine of the cluster says', async () => {
    const world = worldOf(h.demo);
    const { data } = await readAccess(createCall(h.session));
    if (data.acl === undefined || data.roles === undefined) throw new Error('an auditor reads entries and roles');
    const guests = [...world.guests.keys()];
    const poolsOf = new Map([
      ...guests.flatMap((vmid) =>
        world.poolOf(vmid) === undefined ? [] : [[`/vms/${vmid}`, [world.poolOf(vmid) ?? '']] as const],
      ),
      ...world.storages.map((s) => [`/storage/${s.storage}`, world.poolsOfStorage(s.storage)] as const),
    ]);
    const resolution = resolutionOf({ acl: data.acl, roles: data.roles, users: data.users, poolsOf });
    const paths = [
      ...[
        '/',
        '/vms',
        '/storage',
        '/nodes',
        '/pool',
        '/access',
        '/access/groups',
        '/sdn/zones/localnetwork/vmbr0',
        '/mapping/pci',
        '/none/such',
      ],
      ...guests.map((vmid) => `/vms/${vmid}`),
      ...world.storages.map((s) => `/storage/${s.storage}`),
      ...world.nodes.map((n) => `/nodes/${n.node}`),
      ...world.pools.map((p) => `/pool/${p.poolid}`),
      ...world.acl.map((e) => e.path),
    ];
    const everybody = world.users.flatMap((u) => [u.userid, ...u.tokens.map((t) => `${u.userid}!${t.tokenid}`)]);
    expect(everybody.length).toBeGreaterThan(25);
    for (const who of everybody) {
      const engine = rightsOf(world, who);
      for (const path of paths) {
        const ours = [...resolution.privileges(who, path)].map(([p, below]) => `${p}=${below ? 1 : 0}`).sort();
        expect(ours, `${who} at ${path}`).toEqual([...engine(path)].map(([p, below]) => `${p}=${below}`).sort());
      }
    }
  });

  test.each(['auditor', 'full'] as const)('as %s: every planted fault and none of the near misses', async (role) => {
    const { text } = await as(role);
    const found = tableOf(text, 'findings').map((r) => `${r['code']} ${r['subject']}`);
    expect(found).toEqual([
      'admin-without-second-factor anna@pve',
      'root-token root@pam!terraform',
      'token-not-separated anna@pve!deploy',
      'token-not-separated root@pam!terraform',
      'dangling-entry gustav@corp-ldap',
      'recovery-keys-only carla@pve',
      'token-no-end anna@pve!deploy',
      'token-no-end root@pam!terraform',
      'disabled-with-rights erik@pve',
      'expired-with-rights frida@corp-ldap',
      'legacy-second-factor dora@corp-ldap',
      'token-expired bjorn@pve!old',
      'unused-group retired',
    ]);
    expect(recordOf(text, 'summary')['administrators']).toContain('ops@pve!full');
    expect(text.length).toBeLessThan(4_000);
  });

  test('who may do what to a guest: groups, pools, tokens and blocked accounts', async () => {
    const rows = tableOf((await h.call('review_access', { on: 100 })).text);
    const of = (who: string) => rows.find((r) => r['who'] === who);
    expect(of('anna@pve!deploy')).toMatchObject({ level: 'administers', through: 'all rights of its user: group admins on /' });
    expect(of('carla@pve')).toMatchObject({ level: 'changes', through: 'pool prod: group operators on /pool/prod', below: 'no' });
    expect(of('erik@pve!script')).toMatchObject({ blocked: 'user disabled' });
    expect(of('mcp@pve!auditor')).toMatchObject({ level: 'looks', may: 'look' });
    expect(of('mcp@pve!noacl')).toBeUndefined();
  });

  test('NoAccess is told where it locks somebody out', async () => {
    const { blindVmid } = worldOf(h.demo).areas.access.scenario;
    const { text } = await h.call('review_access', { on: String(blindVmid) });
    expect(text.split('\n')[0]).toContain('locked out by NoAccess');
    expect(tableOf(text).find((r) => r['who'] === 'mcp@pve!blind-one')?.['level']).toBe('closed');
  });

  test('storages: rights through pools, whose members are read', async () => {
    const rows = tableOf((await h.call('review_access', { on: 'nas-media' })).text);
    expect(rows.map((r) => r['who'])).toContain('root@pam');
    const withPool = tableOf((await h.call('review_access', { on: '/storage/local' })).text);
    expect(withPool.find((r) => r['who'] === 'mcp@pve!scoped')?.['through']).toContain('pool prod');
  });

  test('one privilege, and a misspelt one', async () => {
    const rows = tableOf((await h.call('review_access', { on: '/', privilege: 'Sys.Modify' })).text);
    expect(rows.map((r) => r['who'])).toEqual([
      'anna@pve',
      'anna@pve!deploy',
      'bjorn@pve',
      'ops@pve',
      'ops@pve!full',
      'root@pam',
      'root@pam!terraform',
    ]);
    const wrong = await h.call('review_access', { on: '/', privilege: 'VM.Backups' });
    expect(wrong).toMatchObject({ isError: true });
    expect(wrong.text).toContain('VM.Backup?');
  });

  test('the lists are what the cluster has, each alone', async () => {
    const world = worldOf(h.demo);
    const listOf = async (list: string) => tableOf((await h.call('review_access', { list }, { maxChars: 40_000 })).text);
    const users = await listOf('users');
    expect(users.map((r) => r['user'])).toEqual(world.users.map((u) => u.userid).sort());
    expect(users.find((r) => r['user'] === 'erik@pve')).toMatchObject({ enabled: 'no' });
    expect(users.find((r) => r['user'] === 'anna@pve')).toMatchObject({ second_factors: 'none', groups: 'admins' });
    expect(users.find((r) => r['user'] === 'dora@corp-ldap')?.['second_factors']).toContain('old format');
    expect((await listOf('tokens')).map((r) => r['token'])).toEqual(
      world.users.flatMap((u) => u.tokens.map((t) => `${u.userid}!${t.tokenid}`)).sort(),
    );
    expect((await listOf('tokens')).find((r) => r['token'] === 'anna@pve!deploy')).toMatchObject({ separate: 'no' });
    expect((await listOf('groups')).find((r) => r['group'] === 'admins')?.['entries']).toContain('Administrator on /');
    expect((await listOf('roles')).find((r) => r['role'] === 'PVEAuditor')?.['privileges']).toContain('VM.Audit');
    expect((await listOf('acl')).length).toBe(world.acl.length);
    const structured = await as('auditor', { list: 'users' }, 'structured');
    for (const canary of h.demo.canaries) expect(JSON.stringify(structured)).not.toContain(canary);
  });

  test('a list that the token may not read is hidden, not empty; list and on do not go together', async () => {
    for (const list of ['users', 'tokens', 'groups', 'acl']) {
      const { text, isError } = await as('noacl', { list });
      expect(isError).toBe(false);
      expect(text.split('\n')[0]).toContain('not readable by this token');
      expect(text).toMatch(/^Hidden: /m);
    }
    expect((await as('noacl', { list: 'roles' })).text).toContain('PVEAuditor');
    expect(await h.call('review_access', { list: 'users', on: '/' })).toMatchObject({ isError: true, errorKind: 'bad-argument' });
  });

  test.each([
    ['PVE1', 'Did you mean "pve1"?'],
    ['nas-mediaa', 'Did you mean "nas-media"?'],
    ['9999', 'There is no guest 9999'],
    ['/vms/10 0', 'is no ACL path'],
  ])('on %s: %s', async (on, said) => {
    const { text, isError } = await h.call('review_access', { on });
    expect(isError).toBe(true);
    expect(text).toContain(said);
  });

  test.each(['scoped', 'noacl'] as const)('as %s nothing is claimed', async (role) => {
    for (const args of [{}, { on: '/vms/100' }]) {
      const { text, isError } = await as(role, args);
      expect(isError).toBe(false);
      expect(text).toContain("can't be");
      expect(text).not.toMatch(/findings?\b.*high|have rights/);
      expect(text).toContain('Hidden: the access control list: needs Sys.Audit on /access');
      expect(text).toContain('Hidden: users, tokens, groups and second factors: needs Sys.Audit on /access/groups');
    }
  });

  test('a token that does not see every guest is told that entries for guests that are gone are not known', async () => {
    expect((await h.call('review_access')).text).not.toMatch(/not looked for|^Hidden/m);
    const { text } = await as('blind-one');
    expect(text).toMatch(/^\d+ findings about access/);
    expect(text).toContain('Entries for guests that do not exist any more were not looked for');
    expect(text).toMatch(/^Hidden: guests at \/vms\/\d+/m);
  });

  test('a bounded number of requests, and no secret', async () => {
    const big = await openHarness({ nodes: 5, guests: 500 });
    try {
      const { stats, text } = await big.call('review_access');
      expect(stats.requests).toBeLessThanOrEqual(12);
      expect((await big.call('review_access', { on: '/vms/100' })).stats.requests).toBeLessThanOrEqual(12);
      for (const canary of big.demo.canaries) expect(text).not.toContain(canary);
    } finally {
      await big.close();
    }
  });

  test('structured form', async () => {
    const { structured } = await as('auditor', { on: '/vms/100' }, 'structured');
    expect(structured).toMatchObject({
      holders: expect.arrayContaining([expect.objectContaining({ who: 'root@pam', may: ['everything'] })]),
    });
  });
});
