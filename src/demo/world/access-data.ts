import type { AclEntry, DemoRelease, DemoRole, DemoToken, WorldUser } from '../types.ts';
import type { AccessArea, AccessScenario, Realm, TfaUser, UserDetail } from './area-types.ts';
import { plant } from './canaries.ts';
import { hex, uuidOf } from './random.ts';
import type { DemoWorld, WorldCore } from './types.ts';

const DAY = 86_400;

/** Privileges over guests that every supported release has. */
const VM_COMMON = [
  'VM.Allocate',
  'VM.Audit',
  'VM.Backup',
  'VM.Clone',
  'VM.Config.CDROM',
  'VM.Config.CPU',
  'VM.Config.Cloudinit',
  'VM.Config.Disk',
  'VM.Config.HWType',
  'VM.Config.Memory',
  'VM.Config.Network',
  'VM.Config.Options',
  'VM.Console',
  'VM.Migrate',
  'VM.PowerMgmt',
  'VM.Snapshot',
  'VM.Snapshot.Rollback',
];

const AGENT_ALL = [
  'VM.GuestAgent.Audit',
  'VM.GuestAgent.FileRead',
  'VM.GuestAgent.FileSystemMgmt',
  'VM.GuestAgent.FileWrite',
  'VM.GuestAgent.Unrestricted',
];

/** The roles that come with a release, and their privileges. */
export function builtinRoles(release: DemoRelease): Record<string, readonly string[]> {
  const nine = release !== '7.4' && release !== '8.4';
  const eight = release !== '7.4';
  const vmAll = [...VM_COMMON, ...(nine ? [...AGENT_ALL, 'VM.Replicate'] : ['VM.Monitor'])];
  const storeAll = ['Datastore.Allocate', 'Datastore.AllocateSpace', 'Datastore.AllocateTemplate', 'Datastore.Audit'];
  const sdnAll = ['SDN.Allocate', 'SDN.Audit', ...(eight ? ['SDN.Use'] : [])];
  const poolAll = ['Pool.Allocate', 'Pool.Audit'];
  const userAll = ['Group.Allocate', 'Realm.AllocateUser', 'User.Modify'];
  const sysAdmin = ['Sys.Audit', 'Sys.Console', 'Sys.Syslog', ...(eight ? [] : ['Permissions.Modify'])];
  const mappingUse = eight ? ['Mapping.Audit', 'Mapping.Use'] : [];
  const admin = [...vmAll, ...storeAll, ...sdnAll, ...poolAll, ...userAll, ...sysAdmin, ...mappingUse];
  const everything = [
    ...admin,
    ...(eight ? ['Mapping.Modify', 'Permissions.Modify', 'Sys.AccessNetwork'] : []),
    'Realm.Allocate',
    'Sys.Incoming',
    'Sys.Modify',
    'Sys.PowerMgmt',
  ];
  const roles: Record<string, readonly string[]> = {
    Administrator: everything,
    NoAccess: [],
    PVEAdmin: admin,
    PVEAuditor: [
      'Datastore.Audit',
      ...(eight ? ['Mapping.Audit'] : []),
      'Pool.Audit',
      'SDN.Audit',
      'Sys.Audit',
      'VM.Audit',
      ...(nine ? ['VM.GuestAgent.Audit'] : []),
    ],
    PVEDatastoreAdmin: storeAll,
    PVEDatastoreUser: ['Datastore.AllocateSpace', 'Datastore.Audit'],
    PVEPoolAdmin: poolAll,
    PVEPoolUser: ['Pool.Audit'],
    PVESDNAdmin: sdnAll,
    PVESysAdmin: sysAdmin,
    PVETemplateUser: ['VM.Audit', 'VM.Clone'],
    PVEUserAdmin: userAll,
    PVEVMAdmin: vmAll,
    PVEVMUser: [
      'VM.Audit',
      'VM.Backup',
      'VM.Config.CDROM',
      'VM.Config.Cloudinit',
      'VM.Console',
      'VM.PowerMgmt',
      ...(nine ? AGENT_ALL.filter((privilege) => privilege !== 'VM.GuestAgent.Unrestricted') : []),
    ],
  };
  if (eight) {
    roles.PVEMappingAdmin = ['Mapping.Audit', 'Mapping.Modify', 'Mapping.Use'];
    roles.PVEMappingUser = mappingUse;
    roles.PVESDNUser = ['SDN.Audit', 'SDN.Use'];
  }
  for (const [role, privileges] of Object.entries(roles)) roles[role] = [...privileges].sort();
  return roles;
}

/** The roles this cluster's administrators made themselves. */
const OWN_ROLES: Record<string, readonly string[]> = {
  BackupReader: ['Datastore.AllocateSpace', 'VM.Backup'],
  LogReader: ['Sys.Syslog'],
  Watcher: ['Sys.Audit', 'VM.Audit'],
};

/** The first guest with a backup on the first storage that has any: shared storages first, backup servers last. */
function findBackup(core: WorldCore): { vmid: number; storage: string } | undefined {
  const rank = (type: string, shared: boolean): number => (shared ? (type === 'pbs' ? 1 : 0) : 2);
  const stores = core.storages
    .filter((storage) => !storage.disabled && storage.content.includes('backup'))
    .sort((left, right) => rank(left.type, left.shared) - rank(right.type, right.shared));
  for (const node of core.nodes.filter((candidate) => candidate.online)) {
    for (const { storage } of stores) {
      const row = core.backups(storage, node.node).find((backup) => core.guests.has(backup.vmid));
      if (row !== undefined) return { vmid: row.vmid, storage };
    }
  }
  return undefined;
}

/** Chooses the objects on which the tokens differ, whatever the cluster holds. */
function chooseScenario(core: WorldCore): AccessScenario {
  const guests = [...core.guests.values()];
  const local = core.nodes.find((node) => node.local)?.node;
  const backup = findBackup(core);
  const backupVmid = backup?.vmid ?? guests[0]?.vmid ?? 100;
  const blind = guests.filter(
    (guest) => guest.node === local && guest.power === 'running' && guest.hastate === undefined && guest.vmid !== backupVmid,
  );
  const pooled = core.pools.find((pool) => guests.some((guest) => guest.pool === pool.poolid));
  const usable = core.storages.filter((storage) => !storage.disabled);
  return {
    scopedPool: pooled?.poolid,
    scopedStorage:
      usable.find((storage) => storage.shared && pooled?.storages.includes(storage.storage))?.storage ??
      usable[0]?.storage ??
      'local',
    backupVmid,
    backupStorage: backup?.storage ?? 'local',
    blindVmid: (blind.find((guest) => guest.type === 'qemu') ?? blind[0])?.vmid ?? guests.at(-1)?.vmid ?? backupVmid,
  };
}

function createRealms(core: WorldCore): Realm[] {
  return [
    { realm: 'pam', type: 'pam', section: { comment: 'Linux PAM standard authentication' } },
    { realm: 'pve', type: 'pve', section: { comment: 'Proxmox VE authentication server' } },
    {
      realm: 'corp-ldap',
      type: 'ldap',
      section: {
        base_dn: 'ou=people,dc=demo,dc=example',
        bind_dn: 'cn=svc-pve,ou=services,dc=demo,dc=example',
        comment: 'Staff directory',
        default: 1,
        filter: '(objectClass=inetOrgPerson)',
        group_classes: 'groupOfNames',
        mode: 'ldap+starttls',
        port: 389,
        secure: 0,
        server1: '10.0.0.40',
        server2: '10.0.0.41',
        'sync-defaults-options': 'remove-vanished=entry;properties,scope=both',
        sync_attributes: 'email=mail,firstname=givenName,lastname=sn',
        user_attr: 'uid',
        verify: 1,
      },
    },
    {
      realm: 'plant-ad',
      type: 'ad',
      section: {
        'case-sensitive': 0,
        comment: 'Shop floor, Yubikey enforced',
        domain: 'plant.example',
        server1: '10.0.0.42',
        tfa: `type=yubico,id=40917,key=${plant(core, '/access/domains/plant-ad tfa key', `${hex('demo yubico key', 26)}=`)},url=https://yubi.plant.example/wsapi/2.0/verify`,
      },
    },
    {
      realm: 'sso',
      type: 'openid',
      section: {
        autocreate: 1,
        'client-id': 'pve-harbour',
        'client-key': plant(core, '/access/domains/sso client-key', `oidc-${hex('demo client key', 32)}`),
        'issuer-url': 'https://sso.demo.example/realms/main',
        prompt: 'login',
        scopes: 'email profile groups',
        'username-claim': 'preferred_username',
      },
    },
  ];
}

/**
 * Users, tokens, groups, ACL, realms and second factors, with the findings listed in create-areas.ts and the rights of
 * the demo tokens. The tokens' owners hold at least what their privilege-separated tokens are given.
 */
export function createAccess(core: WorldCore): AccessArea {
  const now = Math.floor(core.now / 1000);
  const scenario = chooseScenario(core);
  const secret = (id: string) => plant(core, `secret of token ${id}`, uuidOf(`demo token ${id}`));
  const user = (userid: string, groups: string[], extra: Partial<WorldUser> = {}): WorldUser => ({
    userid,
    groups,
    enable: 1,
    expire: 0,
    tokens: [],
    ...extra,
  });
  const token = (userid: string, tokenid: string, privsep: 0 | 1, expire: number, comment?: string) => ({
    tokenid,
    secret: secret(`${userid}!${tokenid}`),
    privsep,
    expire,
    ...(comment === undefined ? {} : { comment }),
  });

  const users: WorldUser[] = [
    user('root@pam', [], { tokens: [token('root@pam', 'terraform', 0, 0, 'infrastructure as code')] }),
    user('anna@pve', ['admins'], { tokens: [token('anna@pve', 'deploy', 0, 0, 'CI deployments')] }),
    user('bjorn@pve', ['admins'], {
      tokens: [
        token('bjorn@pve', 'old', 1, now - 200 * DAY, 'migration project'),
        token('bjorn@pve', 'ci', 1, now + 24 * DAY, 'rotated every quarter'),
      ],
    }),
    user('carla@pve', ['operators']),
    user('dana@pve', ['watchers'], { tokens: [token('dana@pve', 'panel', 1, now + 300 * DAY, 'wall display')] }),
    user('dora@corp-ldap', ['operators']),
    user('emil@corp-ldap', ['operators']),
    user('erik@pve', [], { enable: 0, tokens: [token('erik@pve', 'script', 1, 0)] }),
    user('frida@corp-ldap', ['operators'], { expire: now - 41 * DAY }),
    user('hana@pve', [], { enable: 0 }),
    user('ivo@plant-ad', []),
    user('mcp@pve', [], {
      tokens: [
        token('mcp@pve', 'auditor', 1, now + 365 * DAY, 'PVEAuditor on /'),
        token('mcp@pve', 'noacl', 1, now + 365 * DAY),
        token('mcp@pve', 'scoped', 1, now + 365 * DAY, 'one pool, one storage'),
        token('mcp@pve', 'backup-one', 1, now + 365 * DAY, 'auditor, plus the backups of one guest'),
        token('mcp@pve', 'blind-one', 1, now + 365 * DAY, 'auditor, one guest closed'),
        token('mcp@pve', 'logs', 1, now + 365 * DAY, 'auditor, plus logs and backups'),
      ],
    }),
    user('ops@pve', [], { tokens: [token('ops@pve', 'full', 1, now + 365 * DAY, 'break glass')] }),
    user('sam@sso', []),
    user('visitor@pve', []),
  ];

  const details = new Map<string, UserDetail>([
    ['root@pam', { comment: 'Built-in superuser', email: 'root@demo.example' }],
    ['anna@pve', { firstname: 'Anna', lastname: 'Lindqvist', email: 'anna@demo.example' }],
    ['bjorn@pve', { firstname: 'Björn', lastname: 'Åkesson', email: 'bjorn@demo.example' }],
    ['carla@pve', { firstname: 'Carla', lastname: 'Rossi', email: 'carla@demo.example', comment: 'on call Mon–Wed' }],
    ['dana@pve', { firstname: 'Dana', lastname: 'Novak', email: '' }],
    [
      'dora@corp-ldap',
      {
        firstname: 'Dora',
        lastname: 'Kovács',
        email: 'dora@demo.example',
        keys: plant(core, '/access/users dora@corp-ldap keys', `v2-0x${hex('demo totp seed', 40)}`),
      },
    ],
    ['emil@corp-ldap', { firstname: 'Emil', lastname: 'Berg', email: 'emil@demo.example', keys: 'x!oath' }],
    ['erik@pve', { firstname: 'Erik', lastname: 'Sand', comment: 'left the company' }],
    ['frida@corp-ldap', { firstname: 'Frida', lastname: 'Holm', email: 'frida@demo.example', comment: 'contract ended' }],
    ['hana@pve', { firstname: 'Hana', comment: 'parental leave' }],
    ['ivo@plant-ad', { firstname: 'Ivo', lastname: 'Horvat', totpLocked: true }],
    ['mcp@pve', { comment: 'read-only assistant' }],
    ['ops@pve', { comment: 'emergency access, sealed envelope' }],
    ['sam@sso', { firstname: 'Sam', email: 'sam@demo.example' }],
    ['visitor@pve', { comment: 'guest account of the training room' }],
  ]);

  const enrolled = now - 400 * DAY;
  const totp = (userid: string, description: string) => ({
    id: uuidOf(`demo tfa ${userid}`),
    type: 'totp',
    description,
    created: enrolled,
  });
  const recovery = { id: 'recovery', type: 'recovery', description: '', created: enrolled };
  const tfa: TfaUser[] = [
    { userid: 'root@pam', entries: [totp('root@pam', 'safe'), recovery] },
    { userid: 'bjorn@pve', entries: [totp('bjorn@pve', 'phone'), recovery] },
    { userid: 'carla@pve', entries: [recovery] },
    { userid: 'emil@corp-ldap', entries: [totp('emil@corp-ldap', 'phone')] },
    { userid: 'ivo@plant-ad', totpLocked: true, entries: [totp('ivo@plant-ad', 'tablet')] },
    {
      userid: 'ops@pve',
      entries: [
        { id: uuidOf('tfa ops'), type: 'webauthn', description: 'key in the safe', created: enrolled },
        { id: uuidOf('tfa ops old'), type: 'webauthn', description: 'lost key', created: enrolled - 90 * DAY, enable: 0 },
      ],
    },
  ];

  const entry = (path: string, type: AclEntry['type'], ugid: string, roleid: string, propagate: 0 | 1 = 1): AclEntry => ({
    path,
    type,
    ugid,
    roleid,
    propagate,
  });
  const pool = scenario.scopedPool;
  const nested = core.pools.find((candidate) => candidate.poolid.includes('/'))?.poolid;
  const vmids = [...core.guests.keys()];
  const someVmid = vmids.find((vmid) => vmid !== scenario.blindVmid && vmid !== scenario.backupVmid) ?? scenario.backupVmid;
  const backupPath = `/vms/${scenario.backupVmid}`;
  const storePath = `/storage/${scenario.backupStorage}`;
  const one = 'mcp@pve!backup-one';
  const acl: AclEntry[] = [
    entry('/', 'group', 'admins', 'Administrator'),
    entry('/', 'user', 'ops@pve', 'Administrator'),
    entry('/', 'token', 'ops@pve!full', 'Administrator'),
    entry('/', 'user', 'mcp@pve', 'PVEAuditor'),
    entry('/', 'user', 'mcp@pve', 'BackupReader'),
    entry('/', 'user', 'mcp@pve', 'LogReader'),
    entry('/', 'token', 'mcp@pve!auditor', 'PVEAuditor'),
    entry('/', 'token', one, 'PVEAuditor'),
    entry('/', 'token', 'mcp@pve!blind-one', 'PVEAuditor'),
    entry('/', 'token', 'mcp@pve!logs', 'PVEAuditor'),
    entry('/', 'token', 'mcp@pve!logs', 'BackupReader'),
    entry('/', 'token', 'mcp@pve!logs', 'LogReader'),
    // A deeper entry replaces what is inherited, so the auditor role is repeated beside the addition.
    entry(backupPath, 'token', one, 'PVEAuditor'),
    entry(backupPath, 'token', one, 'BackupReader'),
    entry(storePath, 'token', one, 'PVEAuditor'),
    entry(storePath, 'token', one, 'BackupReader'),
    entry(`/vms/${scenario.blindVmid}`, 'token', 'mcp@pve!blind-one', 'NoAccess'),
    entry(`/storage/${scenario.scopedStorage}`, 'token', 'mcp@pve!scoped', 'PVEAuditor'),
    ...(pool === undefined ? [] : [entry(`/pool/${pool}`, 'token', 'mcp@pve!scoped', 'PVEAuditor')]),
    entry('/nodes', 'group', 'watchers', 'Watcher', 0),
    entry('/nodes', 'token', 'dana@pve!panel', 'Watcher', 0),
    entry(pool === undefined ? '/vms' : `/pool/${pool}`, 'group', 'operators', 'PVEVMAdmin'),
    entry(nested === undefined ? `/vms/${someVmid}` : `/pool/${nested}`, 'user', 'sam@sso', 'PVEVMUser'),
    entry('/vms', 'user', 'erik@pve', 'PVEVMAdmin'),
    entry('/vms', 'token', 'erik@pve!script', 'PVEVMAdmin'),
    entry('/vms', 'user', 'visitor@pve', 'PVETemplateUser'),
    entry(`/vms/${someVmid}`, 'user', 'visitor@pve', 'NoAccess'),
    entry('/storage/local', 'user', 'ivo@plant-ad', 'PVEDatastoreUser'),
    entry('/vms', 'token', 'bjorn@pve!ci', 'PVEVMUser'),
    // The directory sync drops vanished users, but not their entries (see the realm's remove-vanished).
    entry(`/vms/${someVmid}`, 'user', 'gustav@corp-ldap', 'PVEVMAdmin'),
  ];

  const roles = { ...builtinRoles(core.release), ...OWN_ROLES };
  return {
    users,
    acl,
    roles,
    details,
    tfa,
    groups: [
      { groupid: 'admins', comment: 'full rights' },
      { groupid: 'operators', comment: 'daily operation – production' },
      { groupid: 'retired' },
      { groupid: 'watchers', comment: 'dashboards' },
    ],
    realms: createRealms(core),
    builtinRoles: new Set(Object.keys(builtinRoles(core.release))),
    tokens: collectTokens(users),
    scenario,
  };
}

const TOKEN_OF_ROLE: Record<DemoRole, string> = {
  auditor: 'mcp@pve!auditor',
  noacl: 'mcp@pve!noacl',
  scoped: 'mcp@pve!scoped',
  full: 'ops@pve!full',
  'backup-one': 'mcp@pve!backup-one',
  'blind-one': 'mcp@pve!blind-one',
  logs: 'mcp@pve!logs',
};

function collectTokens(users: readonly WorldUser[]): Record<DemoRole, DemoToken> {
  const find = (role: DemoRole): DemoToken => {
    const id = TOKEN_OF_ROLE[role];
    const [userid, tokenid] = id.split('!');
    const found = users.find((user) => user.userid === userid)?.tokens.find((token) => token.tokenid === tokenid);
    if (found === undefined) throw new Error(`the data set lacks the token ${id}`);
    return { id, secret: found.secret };
  };
  return {
    auditor: find('auditor'),
    noacl: find('noacl'),
    scoped: find('scoped'),
    full: find('full'),
    'backup-one': find('backup-one'),
    'blind-one': find('blind-one'),
    logs: find('logs'),
  };
}

/** The tokens that every embedded cluster knows, by the part they play. */
export function demoTokens(world: DemoWorld): Readonly<Record<DemoRole, DemoToken>> {
  return world.areas.access.tokens;
}
