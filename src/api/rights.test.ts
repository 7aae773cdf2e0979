import { describe, expect, test } from 'vitest';
import { createRights } from './rights.ts';

type Dump = Record<string, Record<string, number>>;

/** The API always lists these paths, with what comes down to them; one of them that is left out is closed. */
const LISTED = ['/access', '/access/groups', '/nodes', '/pool', '/sdn', '/storage', '/vms'];

function inheriting(dump: Dump): Dump {
  const fromRoot = Object.fromEntries(Object.entries(dump['/'] ?? {}).filter(([, propagate]) => propagate === 1));
  if (Object.keys(fromRoot).length === 0) return dump;
  return { ...Object.fromEntries(LISTED.map((path) => [path, fromRoot])), ...dump };
}

/** A cluster's access control as the API would tell it; counts what is asked. */
function rightsOf(options: {
  dump: Dump;
  exact?: Record<string, Record<string, number>>;
  acl?: Record<string, unknown>[];
  groups?: string[];
}) {
  const asked: string[] = [];
  const roles = [
    { roleid: 'PVEAuditor', privs: 'VM.Audit,Sys.Audit,Datastore.Audit' },
    { roleid: 'NoAccess', privs: '' },
    { roleid: 'PVEVMUser', privs: 'VM.Audit,VM.Console' },
  ];
  const rights = createRights(async (path, _params, query) => {
    asked.push(path);
    const at = query !== undefined && 'path' in query && typeof query.path === 'string' ? query.path : undefined;
    const data =
      path === '/access/permissions'
        ? at === undefined
          ? Object.fromEntries(Object.entries(inheriting(options.dump)).filter(([, held]) => Object.keys(held).length > 0))
          : { [at]: options.exact?.[at] ?? {} }
        : path === '/access/acl'
          ? (options.acl ?? [])
          : path === '/access/roles'
            ? roles
            : { groups: options.groups ?? [] };
    return { data, total: undefined, changes: undefined, redacted: 0, clockOffset: undefined, at: 0 };
  }, 'mcp@pve!ro');
  return { rights, asked };
}

const GUESTS = { privilege: 'VM.Audit', under: '/vms', what: 'guests' } as const;
const ROOT = { '/': { 'VM.Audit': 1, 'Sys.Audit': 1 } };

describe('coverage of a filtered list', () => {
  test('complete only when the right comes down from the root and nothing deeper takes it away', async () => {
    const { rights } = rightsOf({
      dump: ROOT,
      acl: [{ path: '/', ugid: 'mcp@pve', type: 'user', roleid: 'PVEAuditor', propagate: 1 }],
    });
    expect((await rights.over(GUESTS)).coverage).toBe('complete');
  });

  test('a token without any right: partial, and what is hidden is named', async () => {
    const { rights } = rightsOf({ dump: {} });
    expect(await rights.over(GUESTS)).toMatchObject({
      coverage: 'partial',
      hidden: [{ what: 'guests', privilege: 'VM.Audit', path: '/vms' }],
    });
  });

  test('held at the root without propagating is not enough', async () => {
    const { rights } = rightsOf({ dump: { '/': { 'VM.Audit': 0, 'Sys.Audit': 1 } } });
    expect((await rights.over(GUESTS)).coverage).toBe('partial');
  });

  test('a listed ancestor that holds 0 does not hide what comes down from the root', async () => {
    const { rights } = rightsOf({ dump: { ...ROOT, '/nodes': { 'Sys.Audit': 0 } } });
    expect((await rights.over({ privilege: 'Sys.Audit', under: '/nodes', what: 'figures' })).coverage).toBe('complete');
  });

  test('NoAccess on one guest is found by asking for exactly that path', async () => {
    const { rights } = rightsOf({
      dump: ROOT,
      acl: [{ path: '/vms/105', ugid: 'mcp@pve!ro', type: 'token', roleid: 'NoAccess' }],
    });
    expect(await rights.over(GUESTS)).toMatchObject({ coverage: 'partial', hidden: [{ path: '/vms/105' }] });
  });

  test('an entry for the owner counts, one for somebody else does not', async () => {
    const entry = (ugid: string) => [{ path: '/vms/105', ugid, type: 'user', roleid: 'NoAccess' }];
    expect((await rightsOf({ dump: ROOT, acl: entry('mcp@pve') }).rights.over(GUESTS)).coverage).toBe('partial');
    expect((await rightsOf({ dump: ROOT, acl: entry('alice@pve') }).rights.over(GUESTS)).coverage).toBe('complete');
  });

  test("a group's entry counts when the owner is in it", async () => {
    const acl = [{ path: '/vms/105', ugid: 'ops', type: 'group', roleid: 'NoAccess' }];
    expect((await rightsOf({ dump: ROOT, acl, groups: ['ops'] }).rights.over(GUESTS)).coverage).toBe('partial');
    expect((await rightsOf({ dump: ROOT, acl, groups: ['other'] }).rights.over(GUESTS)).coverage).toBe('complete');
  });

  test('a deeper role that still holds the privilege hides nothing', async () => {
    const { rights } = rightsOf({ dump: ROOT, acl: [{ path: '/vms/105', ugid: 'mcp@pve', type: 'user', roleid: 'PVEVMUser' }] });
    expect((await rights.over(GUESTS)).coverage).toBe('complete');
  });

  test.each(['/pool/secret', '/pool'])('NoAccess on %s may hide members: unknown, and the path is named', async (path) => {
    const { rights } = rightsOf({ dump: ROOT, acl: [{ path, ugid: 'mcp@pve', type: 'user', roleid: 'NoAccess' }] });
    expect(await rights.over(GUESTS)).toMatchObject({ coverage: 'unknown', why: expect.stringContaining(path) });
  });

  test('any other role on a pool only adds rights on its members', async () => {
    const acl = [{ path: '/pool/web', ugid: 'mcp@pve', type: 'user', roleid: 'PVEPoolUser' }];
    expect((await rightsOf({ dump: ROOT, acl }).rights.over(GUESTS)).coverage).toBe('complete');
  });

  test('NoAccess on all guests leaves the path out of the dump, and does not read as complete', async () => {
    const acl = [{ path: '/vms', ugid: 'mcp@pve!ro', type: 'token', roleid: 'NoAccess' }];
    expect(await rightsOf({ dump: { ...ROOT, '/vms': {} }, acl }).rights.over(GUESTS)).toMatchObject({
      coverage: 'partial',
      hidden: [{ path: '/vms' }],
    });
  });

  test('an access control list that is closed to the token is not taken for an empty one', async () => {
    expect((await rightsOf({ dump: { ...ROOT, '/access': {} }, acl: [] }).rights.over(GUESTS)).coverage).toBe('unknown');
  });

  test('held here without being inherited, while another role on the same path is inherited: unknown', async () => {
    const dump = { ...ROOT, '/vms': { 'VM.Audit': 0, 'Sys.Audit': 0 } };
    const acl = [
      { path: '/vms', ugid: 'mcp@pve', type: 'user', roleid: 'PVEAuditor', propagate: 0 },
      { path: '/vms', ugid: 'mcp@pve', type: 'user', roleid: 'PVEPoolUser', propagate: 1 },
    ];
    expect((await rightsOf({ dump, acl }).rights.over(GUESTS)).coverage).toBe('unknown');
    expect((await rightsOf({ dump, acl: acl.slice(0, 1) }).rights.over(GUESTS)).coverage).toBe('complete');
  });

  test('without the right to read the access control list it is unknown, never complete', async () => {
    const { rights } = rightsOf({ dump: { '/': { 'VM.Audit': 1 } } });
    expect(await rights.over(GUESTS)).toMatchObject({
      coverage: 'unknown',
      why: expect.stringContaining('Sys.Audit on /access'),
    });
  });

  test('the requests do not grow with what is asked about', async () => {
    const many = Array.from({ length: 500 }, (_, i) => ({
      path: `/vms/${100 + i}`,
      ugid: 'mcp@pve',
      type: 'user',
      roleid: 'NoAccess',
    }));
    const { rights, asked } = rightsOf({ dump: ROOT, acl: many });
    expect((await rights.over(GUESTS)).coverage).toBe('unknown');
    expect(asked.length).toBeLessThan(8);
  });
});
