import type { Privilege } from '../api/privileges.ts';
import { atLeast, type Release } from '../api/release.ts';

/** What a privilege opens to this program, and where it is demanded. */
export interface Read {
  /** Noun phrase for what is then readable. */
  readonly opens: string;
  /** Any one of these is enough; the first one is the one to grant. */
  readonly any: readonly [Privilege, ...Privilege[]];
  /** ACL path. */
  readonly on: string;
  /** `path`: demanded at exactly this path. `below`: decided for each object under it, so that it may be held for some only. */
  readonly scope: 'path' | 'below';
  /**
   * - `core`: comes with PVEAuditor on `/`
   * - `optional`: a further read that is worth a grant to some
   * - `discouraged`: the privilege allows so much more that the read is not worth it
   */
  readonly kind: 'core' | 'optional' | 'discouraged';
}

/** One area of the cluster, in an administrator's words. */
export interface Area {
  readonly area: string;
  readonly reads: readonly Read[];
}

const core = (opens: string, privilege: Privilege, on: string, scope: Read['scope'] = 'below'): Read => ({
  opens,
  any: [privilege],
  on,
  scope,
  kind: 'core',
});

const further = (
  kind: 'optional' | 'discouraged',
  opens: string,
  privilege: Privilege,
  on: string,
  scope: Read['scope'] = 'below',
): Read => ({
  opens,
  any: [privilege],
  on,
  scope,
  kind,
});

/**
 * Everything this program reads, by area, with the privileges of the release. An area the release does not have is left out.
 *
 * Source: the privilege checks of the endpoints in `api/endpoints.ts`.
 */
export function areasOf(release: Release): readonly Area[] {
  const eight = atLeast(release, '8.0');
  const nine = atLeast(release, '9.0');
  const agent: Read = nine
    ? {
        opens: 'addresses, file systems and users inside guests',
        any: ['VM.GuestAgent.Audit', 'VM.GuestAgent.Unrestricted'],
        on: '/vms',
        scope: 'below',
        kind: 'core',
      }
    : further('discouraged', 'addresses, file systems and users inside guests', 'VM.Monitor', '/vms');
  return [
    { area: 'guests', reads: [core('guests, their configuration, state, snapshots and firewall', 'VM.Audit', '/vms')] },
    { area: 'guest agents', reads: [agent] },
    {
      area: 'nodes',
      reads: [
        core('node figures, status, services and metrics', 'Sys.Audit', '/nodes'),
        core('disks, hardware and hosts file', 'Sys.Audit', '/', 'path'),
      ],
    },
    {
      area: 'storage',
      reads: [
        core('storages, their usage, ISO images and templates', 'Datastore.Audit', '/storage'),
        further('optional', 'disk images in the content of storages', 'VM.Config.Disk', '/vms'),
      ],
    },
    {
      area: 'backups',
      reads: [
        core('which backups there are and how old they are', 'Datastore.Audit', '/storage'),
        core('backup jobs and guests without one', 'Sys.Audit', '/', 'path'),
        further('optional', 'size, notes and verification of backups', 'VM.Backup', '/vms'),
        further('optional', 'size, notes and verification of backups', 'Datastore.AllocateSpace', '/storage'),
      ],
    },
    {
      area: 'tasks',
      reads: [
        core('tasks of everybody', 'Sys.Audit', '/', 'path'),
        core('task history and logs of nodes', 'Sys.Audit', '/nodes'),
      ],
    },
    {
      area: 'access',
      reads: [
        core('the access control list', 'Sys.Audit', '/access', 'path'),
        core('users, groups, tokens and second factors', 'Sys.Audit', '/access/groups', 'path'),
      ],
    },
    { area: 'pools', reads: [core('pools and their members', 'Pool.Audit', '/pool')] },
    { area: 'SDN', reads: [core('zones, VNets, controllers and bridges', 'SDN.Audit', '/sdn')] },
    ...(eight
      ? [{ area: 'mappings', reads: [core('hardware mappings and notification targets', 'Mapping.Audit', '/mapping')] }]
      : []),
    {
      area: 'HA/firewall/cluster',
      reads: [core('HA, firewall, replication, Ceph and cluster configuration', 'Sys.Audit', '/', 'path')],
    },
    {
      area: 'logs',
      reads: [
        further('optional', 'system logs of nodes', 'Sys.Syslog', '/nodes'),
        further('optional', 'cluster log of everybody', 'Sys.Syslog', '/', 'path'),
      ],
    },
    { area: 'updates', reads: [further('discouraged', 'pending updates', 'Sys.Modify', '/nodes')] },
  ];
}

/** True for privileges that only let their holder look at configuration and state. */
export function isAudit(privilege: string): boolean {
  return privilege.endsWith('.Audit');
}

const LOOKS: ReadonlySet<string> = new Set(['Sys.Syslog', 'VM.GuestAgent.FileRead']);
const NEEDS_ANOTHER: ReadonlySet<string> = new Set(['SDN.Use', 'Mapping.Use']);

/**
 * What a non-audit privilege lets its holder do: `reads` shows more than configuration and state, `uses` changes something
 * only together with another one, `changes` is everything else. A privilege that a later release invents counts as one that changes.
 */
export type Effect = 'reads' | 'uses' | 'changes';

export function effectOf(privilege: string): Effect {
  if (LOOKS.has(privilege)) return 'reads';
  return NEEDS_ANOTHER.has(privilege) ? 'uses' : 'changes';
}
