import type { AccessData } from '../../src/cluster/access.ts';
import type { BackupJob } from '../../src/cluster/backup-jobs.ts';
import type { CephStatus } from '../../src/cluster/ceph.ts';
import type { Certificate } from '../../src/cluster/certificates.ts';
import type { FirewallRule } from '../../src/cluster/firewall.ts';
import { type GuestConfig, parseGuestConfig } from '../../src/cluster/guest-config.ts';
import type { HaRule } from '../../src/cluster/ha.ts';
import type { GuestDetail } from '../../src/cluster/health-facts.ts';
import { FACT_NAMES, type FactData, type HealthFacts } from '../../src/cluster/health-facts.ts';
import type { Guest, Node } from '../../src/cluster/inventory.ts';
import type { NodeInterface } from '../../src/cluster/node-network.ts';
import type { Replication } from '../../src/cluster/replication.ts';
import type { Storage, StorageDefinition } from '../../src/cluster/storage.ts';
import type { Task } from '../../src/cluster/tasks.ts';
import { guestOf } from './guest-of.ts';

/** The moment at which hand-made facts are judged, seconds since the epoch. */
export const NOW = 1_800_000_000;
export const HOUR = 3_600;
export const DAY = 86_400;
export const GIB = 2 ** 30;

/** Facts that are known; all others are not. */
export type Given = { readonly [K in keyof FactData]?: FactData[K] };

export function factsOf(given: Given): HealthFacts {
  const entries = FACT_NAMES.map((name) => [
    name,
    { data: given[name], lacks: given[name] === undefined ? [{ why: 'not given' }] : [] },
  ]);
  // One entry for each name of the list, with what was given under that very name.
  return Object.fromEntries(entries) as HealthFacts;
}

export function node(name: string, part: Partial<Node> = {}): Node {
  const figures = { cpu: 0.1, maxCpu: 8, mem: 10 * GIB, maxMem: 64 * GIB, disk: 10 * GIB, maxDisk: 100 * GIB, uptime: DAY };
  return { node: name, status: 'online', hasFigures: true, level: '', haState: undefined, ...figures, ...part };
}

export function guest(vmid: number, part: Partial<Guest> = {}): Guest {
  return guestOf({ vmid, name: `guest-${vmid}`, maxMem: 4 * GIB, maxCpu: 2, ...part });
}

export function storage(name: string, part: Partial<Storage> = {}): Storage {
  return {
    storage: name,
    plugin: 'nfs',
    shared: true,
    nodes: ['n1'],
    state: 'available',
    unreachableFrom: [],
    content: ['images'],
    used: 10 * GIB,
    total: 100 * GIB,
    place: undefined,
    retention: undefined,
    namespace: undefined,
    ...part,
  };
}

export function definition(name: string, part: Partial<StorageDefinition> = {}): StorageDefinition {
  return {
    storage: name,
    plugin: 'nfs',
    content: ['backup', 'images'],
    nodes: [],
    enabled: true,
    shared: true,
    place: undefined,
    retention: undefined,
    namespace: undefined,
    vgname: undefined,
    thinpool: undefined,
    ...part,
  };
}

export function job(id: string, part: Partial<BackupJob> = {}): BackupJob {
  return {
    id,
    enabled: true,
    schedule: '02:00',
    nextRun: undefined,
    storage: 'store',
    selection: { kind: 'all', exclude: [] },
    node: undefined,
    mode: 'snapshot',
    compress: undefined,
    retention: undefined,
    mailto: undefined,
    comment: undefined,
    repeatMissed: false,
    ...part,
  };
}

export function task(type: string, part: Partial<Task> = {}): Task {
  return {
    upid: `UPID:n1:${type}`,
    node: 'n1',
    type,
    id: undefined,
    user: 'root@pam',
    start: NOW - HOUR,
    end: NOW - HOUR / 2,
    state: 'ok',
    status: 'OK',
    ...part,
  };
}

export function certificate(file: string, use: Certificate['use'], notAfter: number, key = 'rsaEncryption 2048'): Certificate {
  return { file, use, notAfter, key, subject: 'n1', issuer: 'ca', san: [], notBefore: NOW - 100 * DAY, fingerprint: undefined };
}

export function rule(part: Partial<FirewallRule> = {}): FirewallRule {
  return {
    pos: 0,
    enabled: true,
    type: 'in',
    action: 'ACCEPT',
    macro: undefined,
    proto: undefined,
    source: undefined,
    dest: undefined,
    sport: undefined,
    dport: undefined,
    icmpType: undefined,
    iface: undefined,
    log: undefined,
    comment: undefined,
    errors: undefined,
    ...part,
  };
}

export function config(type: 'qemu' | 'lxc', raw: Readonly<Record<string, unknown>>): GuestConfig {
  return parseGuestConfig(raw, type);
}

/** A guest with its raw configuration. */
export function detail(who: Guest, raw: Readonly<Record<string, unknown>>, part: Partial<GuestDetail> = {}): GuestDetail {
  return {
    guest: who,
    config: config(who.type, raw),
    changes: [],
    snapshots: { snapshots: [], parentOfCurrent: undefined },
    firewall: undefined,
    agent: undefined,
    ...part,
  };
}

export function details(...list: readonly GuestDetail[]): FactData['details'] {
  return new Map(list.map((d) => [d.guest.vmid, d]));
}

/** HA with resources given as `sid: state`. */
export function ha(
  resources: Readonly<Record<string, string>>,
  part: {
    readonly rules?: readonly HaRule[];
    readonly managers?: FactData['ha']['status']['managers'];
    readonly armed?: string;
    readonly groups?: FactData['ha']['groups'];
    readonly wanted?: string;
    readonly group?: string;
  } = {},
): FactData['ha'] {
  const alive = [{ role: 'master' as const, node: 'n1', status: 'active', heartbeat: NOW - 5 }];
  return {
    status: {
      resources: Object.entries(resources).map(([sid, state]) => ({
        sid,
        state,
        vmid: Number(sid.split(':')[1]),
        wanted: part.wanted ?? 'started',
        node: 'n1',
        group: part.group,
        maxRestart: undefined,
        maxRelocate: undefined,
        failback: undefined,
        comment: undefined,
      })),
      managers: part.managers ?? alive,
      quorate: true,
      quorumText: undefined,
      armed: part.armed,
      armedText: undefined,
      clockOffset: 0,
    },
    rules: part.rules,
    groups: part.groups,
    placement: 'rules',
  };
}

export function haRule(name: string, part: Partial<HaRule> = {}): HaRule {
  return {
    rule: name,
    type: 'node-affinity',
    resources: ['vm:100'],
    nodes: ['n1'],
    affinity: undefined,
    strict: true,
    enabled: true,
    comment: undefined,
    errors: [],
    ...part,
  };
}

export function replication(
  id: string,
  part: Partial<Replication['job']> = {},
  state: Partial<NonNullable<Replication['state']>> = {},
): Replication {
  return {
    job: {
      id,
      vmid: 100,
      source: 'n1',
      target: 'n2',
      schedule: '*/15',
      disabled: false,
      rate: undefined,
      comment: undefined,
      ...part,
    },
    state: {
      lastSync: NOW - 600,
      lastTry: NOW - 600,
      nextSync: undefined,
      duration: 4,
      failCount: 0,
      error: undefined,
      running: false,
      ...state,
    },
    interval: 900,
  };
}

export function ceph(
  part: Partial<CephStatus> = {},
  flags: readonly string[] = [],
  versions: Exclude<FactData['ceph'], 'absent'>['versions'] = [],
): FactData['ceph'] {
  const status: CephStatus = {
    health: 'HEALTH_OK',
    checks: [],
    fsid: undefined,
    monitors: ['n1', 'n2', 'n3'],
    inQuorum: ['n1', 'n2', 'n3'],
    managerAvailable: true,
    activeManager: 'n1',
    standbyManagers: 1,
    mdsUp: undefined,
    mdsMax: undefined,
    mdsStandby: undefined,
    osds: 6,
    osdsUp: 6,
    osdsIn: 6,
    groups: undefined,
    groupStates: [],
    used: 10,
    available: 90,
    total: 100,
    objects: undefined,
    degraded: undefined,
    misplaced: undefined,
    readRate: undefined,
    writeRate: undefined,
    readOps: undefined,
    writeOps: undefined,
    recoveryRate: undefined,
    ...part,
  };
  return { status, flags, versions };
}

export function iface(name: string, type: string, part: Partial<NodeInterface> = {}): NodeInterface {
  return {
    name,
    type,
    active: true,
    autostart: true,
    exists: true,
    method: undefined,
    method6: undefined,
    addresses: [],
    gateways: [],
    ports: [],
    bridge: undefined,
    bond: undefined,
    vlanId: undefined,
    vlanDevice: undefined,
    vlanAware: type === 'bridge' ? true : undefined,
    vids: undefined,
    mtu: undefined,
    comment: undefined,
    options: [],
    altNames: [],
    ...part,
  };
}

/** Access facts with these parts; everything exists that is asked about. */
export function access(part: Partial<AccessData>): FactData['access'] {
  const roles = [
    {
      role: 'Administrator',
      builtIn: true,
      privileges: new Set(['Permissions.Modify', 'Sys.Modify', 'VM.Allocate', 'VM.Audit', 'VM.Config.Disk']),
    },
    {
      role: 'PVEVMAdmin',
      builtIn: true,
      privileges: new Set(['VM.Allocate', 'VM.Audit', 'VM.Config.Disk', 'VM.GuestAgent.FileRead']),
    },
    { role: 'PVEVMUser', builtIn: true, privileges: new Set(['VM.Audit', 'VM.Console', 'VM.GuestAgent.FileRead']) },
    { role: 'PVEAuditor', builtIn: true, privileges: new Set(['VM.Audit', 'Sys.Audit']) },
    { role: 'NoAccess', builtIn: true, privileges: new Set<string>() },
  ];
  const data = {
    acl: [],
    roles,
    users: [],
    groups: [],
    realms: [{ realm: 'pve', type: 'pve', tfa: undefined }],
    tfa: [],
    ...part,
  };
  return {
    facts: { ...data, acl: data.acl ?? [], roles: data.roles ?? [], poolsOf: new Map(), now: NOW },
    known: { vmids: new Set([100]), storages: new Set(['store']), nodes: new Set(['n1']), pools: new Set(['p']) },
  };
}
