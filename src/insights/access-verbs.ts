import { effectOf } from './token-areas.ts';

/** What a privilege lets its holder do, in an administrator's words. */
const VERBS: Readonly<Record<string, string>> = {
  'Datastore.Allocate': 'remove storages and volumes',
  'Datastore.AllocateSpace': 'store disks and backups',
  'Datastore.AllocateTemplate': 'upload images',
  'Group.Allocate': 'manage groups',
  'Mapping.Modify': 'change mappings',
  'Mapping.Use': 'use mappings',
  'Permissions.Modify': 'grant rights',
  'Pool.Allocate': 'change pools',
  'Realm.Allocate': 'manage realms',
  'Realm.AllocateUser': 'add users to realms',
  'SDN.Allocate': 'change SDN',
  'SDN.Use': 'use networks',
  'Sys.AccessNetwork': 'download from URLs',
  'Sys.Console': 'shell on nodes',
  'Sys.Incoming': 'receive migrations',
  'Sys.Modify': 'change nodes and cluster',
  'Sys.PowerMgmt': 'reboot nodes',
  'Sys.Syslog': 'read logs',
  'User.Modify': 'manage users',
  'VM.Allocate': 'create and remove',
  'VM.Backup': 'back up and restore',
  'VM.Clone': 'clone',
  'VM.Console': 'console',
  'VM.GuestAgent.FileRead': 'read files inside',
  'VM.GuestAgent.FileSystemMgmt': 'freeze file systems',
  'VM.GuestAgent.FileWrite': 'write files inside',
  'VM.GuestAgent.Unrestricted': 'run commands inside',
  'VM.Migrate': 'migrate',
  'VM.Monitor': 'QEMU monitor',
  'VM.PowerMgmt': 'start and stop',
  'VM.Replicate': 'replicate',
  'VM.Snapshot': 'snapshot',
  'VM.Snapshot.Rollback': 'roll back',
};

/** Kinds of privileges that mean something at an object, by the start of its ACL path; the longest start counts. */
const RELEVANT: readonly (readonly [start: string, kinds: readonly string[]])[] = [
  ['/vms', ['VM.']],
  ['/storage', ['Datastore.']],
  ['/nodes', ['Sys.']],
  ['/pool', ['Pool.', 'VM.', 'Datastore.']],
  ['/sdn', ['SDN.']],
  ['/mapping', ['Mapping.']],
  ['/access', ['User.', 'Group.', 'Realm.', 'Sys.']],
  ['/', ['VM.', 'Datastore.', 'Sys.', 'Pool.', 'SDN.', 'Mapping.', 'User.', 'Group.', 'Realm.']],
];

/** Whether a privilege lets somebody do anything to the object at an ACL path; granting rights always does. */
export function isRelevant(privilege: string, path: string): boolean {
  if (privilege === 'Permissions.Modify') return true;
  const kinds = RELEVANT.find(([start]) => path === start || path.startsWith(`${start}/`))?.[1] ?? RELEVANT.at(-1)?.[1] ?? [];
  return kinds.some((kind) => privilege.startsWith(kind));
}

/** `look`, then what changes things: `start and stop`, `configure`, ... Each once, audit privileges as one. */
export function verbsOf(privileges: Iterable<string>): readonly string[] {
  const verbs = new Set<string>();
  const rest = new Set<string>();
  for (const privilege of privileges) {
    if (privilege.endsWith('.Audit')) verbs.add('look');
    else if (privilege.startsWith('VM.Config.')) rest.add('configure');
    else rest.add(VERBS[privilege] ?? privilege);
  }
  return [...verbs, ...[...rest].sort()];
}

/** Privileges by which somebody can take over the cluster, or lock others out. */
const ADMINISTERS: ReadonlySet<string> = new Set([
  'Permissions.Modify',
  'Realm.Allocate',
  'Sys.Console',
  'Sys.Modify',
  'Sys.PowerMgmt',
  'User.Modify',
]);

export type Level = 'administers' | 'changes' | 'uses' | 'looks';

/** The strongest thing that privileges allow. */
export function levelOf(privileges: Iterable<string>): Level | undefined {
  let level: Level | undefined;
  for (const privilege of privileges) {
    if (ADMINISTERS.has(privilege)) return 'administers';
    const effect = privilege.endsWith('.Audit') ? 'reads' : effectOf(privilege);
    if (effect === 'changes') level = 'changes';
    else if (effect === 'uses' && level !== 'changes') level = 'uses';
    else level ??= 'looks';
  }
  return level;
}

export const LEVEL_RANK: Readonly<Record<Level, number>> = { administers: 0, changes: 1, uses: 2, looks: 3 };
