import { describe, expect, test } from 'vitest';
import { guestOf } from '../../test/support/guest-of.ts';
import { type GuestConfig, parseGuestConfig } from '../cluster/guest-config.ts';
import { parseHaGroups, parseHaRules, parseHaStatus } from '../cluster/ha.ts';
import { parseMappings } from '../cluster/hardware.ts';
import { type Guest, parseInventory } from '../cluster/inventory.ts';
import type { MigrationFacts, TargetFacts } from '../cluster/migration-facts.ts';
import { parseInterfaces } from '../cluster/node-network.ts';
import { parseReplicationJobs } from '../cluster/replication.ts';
import { parseSdnObjects } from '../cluster/sdn.ts';
import { parseSnapshots } from '../cluster/snapshots.ts';
import { parseStorageDefinitions } from '../cluster/storage.ts';
import { judgeMigration, type MigrationReadiness, migrationWords, type Verdict } from './migration-readiness.ts';

const GIB = 2 ** 30;

const inventory = parseInventory([
  { type: 'node', node: 'n1', status: 'online', mem: 8 * GIB, maxmem: 64 * GIB },
  { type: 'node', node: 'n2', status: 'online', mem: 8 * GIB, maxmem: 64 * GIB },
  ...['n1', 'n2'].flatMap((node) => [
    { type: 'storage', storage: 'nas', node, status: 'available', shared: 1 },
    { type: 'storage', storage: 'lvm', node, status: 'available', disk: 10 * GIB, maxdisk: 100 * GIB },
    { type: 'storage', storage: 'zfs', node, status: 'available', disk: 10 * GIB, maxdisk: 100 * GIB },
    { type: 'sdn', sdn: 'z', node, status: node === 'n1' ? 'available' : 'error' },
    { type: 'sdn', sdn: 'good', node, status: 'ok' },
  ]),
  { type: 'storage', storage: 'san', node: 'n1', status: 'available', shared: 1 },
  { type: 'storage', storage: 'san', node: 'n2', status: 'unknown', shared: 1 },
]);
const storages = parseStorageDefinitions([
  { storage: 'nas', type: 'nfs' },
  { storage: 'lvm', type: 'lvmthin' },
  { storage: 'zfs', type: 'zfspool' },
  { storage: 'here', type: 'dir', nodes: 'n1' },
  { storage: 'san', type: 'rbd' },
  { storage: 'limited', type: 'nfs', nodes: 'n1' },
]);
const n2: TargetFacts = {
  node: 'n2',
  interfaces: parseInterfaces([{ iface: 'vmbr0', type: 'bridge' }]),
  bridgesSure: true,
  cpuModel: undefined,
};

function facts(config: GuestConfig | undefined, rest: Partial<MigrationFacts> = {}, guest: Partial<Guest> = {}): MigrationFacts {
  return {
    guest: guestOf({ type: config?.type ?? 'qemu', ...guest }),
    inventory,
    config,
    snapshots: [],
    snapshotVolumes: new Set(),
    stateStorages: [],
    snapshotsLeft: 0,
    storages,
    vnets: [],
    zones: [],
    mappings: undefined,
    replication: [],
    ha: undefined,
    targets: [n2],
    targetsLeft: 0,
    ownCpu: undefined,
    ...rest,
  };
}
const vm = (config: Record<string, unknown>): GuestConfig =>
  parseGuestConfig({ scsi0: 'nas:100/a.raw,size=8G', net0: 'virtio=BC:24:11:00:00:01,bridge=vmbr0', ...config }, 'qemu');
const ct = (config: Record<string, unknown>): GuestConfig => parseGuestConfig({ rootfs: 'nas:a,size=8G', ...config }, 'lxc');
const judged = (f: MigrationFacts): MigrationReadiness => judgeMigration(f);
const said = (m: MigrationReadiness): readonly string[] => m.findings.map((f) => `${f.effect}: ${f.what}`);
const verdicts = ({ live, off, recovery }: { live: Verdict; off: Verdict; recovery: Verdict }): string =>
  `${live} ${off} ${recovery}`;

describe('the guest itself', () => {
  test.each<[string, MigrationFacts, string, readonly string[]]>([
    ['nothing speaks against it', facts(vm({})), 'yes yes yes', []],
    ['an empty drive is nothing', facts(vm({ ide2: 'none,media=cdrom' })), 'yes yes yes', []],
    ['a shared ISO is nothing', facts(vm({ ide2: 'nas:iso/x.iso,media=cdrom' })), 'yes yes yes', []],
    ['a container moves by a restart', facts(ct({})), 'no yes yes', ['blocks live: container']],
    ['a lock', facts(vm({}), {}, { lock: 'backup' }), 'no no yes', ['blocks: lock']],
    ['local disks are copied', facts(vm({ scsi1: 'lvm:b,size=20G' })), 'yes yes no', ['copies: local disks']],
    [
      'an unused volume is copied, and does not hinder HA',
      facts(vm({ unused0: 'lvm:b' })),
      'yes yes yes',
      ['copies: local disks'],
    ],
    [
      'a local cloud-init drive is made anew',
      facts(vm({ ide2: 'lvm:vm-100-cloudinit,media=cdrom' })),
      'yes yes yes',
      ['copies: local disks'],
    ],
    ['a disk of the host', facts(vm({ scsi1: '/dev/disk/by-id/x' })), 'no no no', ['blocks: paths of the node']],
    [
      'a directory of the host',
      facts(ct({ mp0: '/mnt/x,mp=/x' })),
      'no no no',
      ['blocks: paths of the node', 'blocks live: container'],
    ],
    ['a directory that is everywhere', facts(ct({ mp0: '/mnt/x,mp=/x,shared=1' })), 'no yes yes', ['blocks live: container']],
    [
      'a linked clone on a local storage',
      facts(vm({ scsi1: 'lvm:base-9-disk-0/vm-100-disk-0' })),
      'no no no',
      ['blocks: linked clone'],
    ],
    ['a linked clone on a shared storage', facts(vm({ scsi1: 'nas:base-9-disk-0/vm-100-disk-0' })), 'yes yes yes', []],
    ['a local ISO', facts(vm({ ide2: 'lvm:iso/x.iso,media=cdrom' })), 'no no no', ['blocks: local ISO']],
    ["the node's own drive", facts(vm({ ide2: 'cdrom,media=cdrom' })), 'no no no', ['blocks: drive of the node']],
    ['a device without mapping', facts(vm({ hostpci0: '0000:01:00.0' })), 'no no no', ['blocks: host devices']],
    ['a serial socket is no device', facts(vm({ serial0: 'socket', usb0: 'spice' })), 'yes yes yes', []],
    ['a device of a container', facts(ct({ dev0: '/dev/ttyUSB0' })), 'no yes yes', ['blocks live: container', 'note: devices']],
    ['raw arguments', facts(vm({ args: '-x' })), 'yes yes yes', ['note: args']],
    ['a hook script on a local storage', facts(vm({ hookscript: 'lvm:snippets/h.pl' })), 'yes yes yes', ['note: snippets']],
    ['a hook script on a shared storage', facts(vm({ hookscript: 'nas:snippets/h.pl' })), 'yes yes yes', []],
    ['a storage that is not visible', facts(vm({ scsi1: 'secret:b' })), 'unknown unknown unknown', ['unknown: storages']],
    ['the configuration could not be read', facts(undefined), 'unknown unknown unknown', ['unknown: configuration']],
    [
      'the snapshots could not be read, with local disks',
      facts(vm({ scsi1: 'zfs:b' }), { snapshots: undefined }),
      'unknown unknown no',
      ['unknown: snapshots', 'copies: local disks'],
    ],
    ['the snapshots could not be read, with shared disks', facts(vm({}), { snapshots: undefined }), 'yes yes yes', []],
  ])('%s', (_name, given, expected, findings) => {
    const result = judged(given);
    expect(said(result)).toEqual(findings);
    expect(verdicts(result)).toBe(expected);
  });

  test('what is copied is added up', () => {
    expect(judged(facts(vm({ scsi1: 'lvm:b,size=20G', scsi2: 'zfs:c,size=1G' }))).copies).toBe(21 * GIB);
    expect(judged(facts(vm({}))).copies).toBe(0);
  });
});

describe('snapshots', () => {
  const { snapshots } = parseSnapshots([{ name: 'a', snaptime: 1, vmstate: 0 }]);
  const memory = parseSnapshots([{ name: 'm', snaptime: 1, vmstate: 1 }]).snapshots;
  const job = parseReplicationJobs([{ id: '100-0', guest: 100, target: 'n2' }]);
  const holds = (volume: string) => ({ snapshots, snapshotVolumes: new Set([volume]) });
  test.each<[string, MigrationFacts, string, readonly string[]]>([
    ['of shared disks', facts(vm({}), holds('nas:100/a.raw')), 'yes yes yes', []],
    ['of a thin volume', facts(vm({ scsi1: 'lvm:b' }), holds('lvm:b')), 'no no no', ['blocks: snapshots', 'copies: local disks']],
    [
      'of a ZFS volume',
      facts(vm({ scsi1: 'zfs:b' }), holds('zfs:b')),
      'no yes no',
      ['blocks live: snapshots', 'copies: local disks'],
    ],
    [
      'of a qcow2 image',
      facts(vm({ scsi1: 'lvm:100/b.qcow2' }), holds('lvm:100/b.qcow2')),
      'no yes no',
      ['blocks live: snapshots', 'copies: local disks'],
    ],
    [
      'of a replicated volume',
      facts(vm({ scsi1: 'zfs:b' }), { ...holds('zfs:b'), replication: job }),
      'yes yes yes',
      ['copies: local disks', 'note: snapshots'],
    ],
    [
      'that do not hold the local disk',
      facts(vm({ scsi1: 'lvm:b' }), holds('nas:100/a.raw')),
      'yes yes no',
      ['copies: local disks'],
    ],
    [
      'not all looked into',
      facts(vm({ scsi1: 'lvm:b' }), { ...holds('nas:100/a.raw'), snapshotsLeft: 3 }),
      'unknown unknown no',
      ['unknown: snapshots', 'copies: local disks'],
    ],
    [
      'of a container',
      facts(ct({ mp0: 'zfs:b,mp=/x' }), holds('zfs:b')),
      'no yes no',
      ['blocks live: container', 'copies: local disks'],
    ],
    [
      'with memory on a local storage',
      facts(vm({}), { snapshots: memory, stateStorages: ['lvm'] }),
      'no yes yes',
      ['blocks live: saved memory'],
    ],
    [
      'with memory on a shared storage',
      facts(vm({}), { snapshots: memory, stateStorages: ['nas'] }),
      'yes yes yes',
      ['note: saved memory'],
    ],
  ])('%s', (_name, given, expected, findings) => {
    const result = judged(given);
    expect(said(result)).toEqual(findings);
    expect(verdicts(result)).toBe(expected);
  });
});

describe('the target', () => {
  const one = (given: MigrationFacts): string => {
    const [target] = judged(given).targets;
    return target === undefined ? 'none' : `${verdicts(target)}: ${target.remarks.join('; ')}`;
  };
  const vnets = parseSdnObjects(
    [
      { vnet: 'a', zone: 'z' },
      { vnet: 'b', zone: 'only1' },
      { vnet: 'c', zone: 'good' },
    ],
    'vnet',
  );
  const zones = parseSdnObjects(
    [
      { zone: 'z', type: 'vlan' },
      { zone: 'only1', type: 'vlan', nodes: 'n1' },
      { zone: 'good', type: 'vlan' },
    ],
    'zone',
  );
  const on = (bridge: string, rest: Partial<MigrationFacts> = {}) =>
    facts(vm({ net0: `virtio=A,bridge=${bridge}` }), { vnets, zones, ...rest });
  const host = (cpuModel: string | undefined) =>
    facts(vm({ cpu: 'host' }), { ownCpu: 'AMD EPYC', targets: [{ ...n2, cpuModel }] });
  const mapped = (map: readonly string[]) =>
    facts(vm({ hostpci0: 'mapping=gpu' }), { mappings: parseMappings([{ id: 'gpu', map }], 'pci') });
  const job = parseReplicationJobs([{ id: '100-0', guest: 100, target: 'n2' }]);
  const off = parseReplicationJobs([{ id: '100-0', guest: 100, target: 'n2', disable: 1 }]);
  test.each<[string, MigrationFacts, string]>([
    ['has everything', facts(vm({})), 'yes yes yes: '],
    ['lacks the bridge', on('vmbr9'), 'no no no: no bridge vmbr9 there'],
    [
      'may hide the bridge',
      on('vmbr9', { targets: [{ ...n2, bridgesSure: false }] }),
      "unknown unknown unknown: whether bridge vmbr9 is there can't be seen",
    ],
    [
      'could not be read',
      on('vmbr0', { targets: [{ ...n2, interfaces: undefined }] }),
      "unknown unknown unknown: whether bridge vmbr0 is there can't be seen",
    ],
    [
      'VNets could not be read',
      on('a', { vnets: undefined }),
      "unknown unknown unknown: whether bridge a is there can't be seen",
    ],
    ['has the VNet', on('c'), 'yes yes yes: '],
    ['has a broken zone', on('a'), 'risky risky risky: VNet a: zone z is error there'],
    ['is not in the zone', on('b'), 'no no no: VNet b: zone only1 is not on this node'],
    ['lacks the shared storage', facts(vm({ scsi1: 'limited:b' })), 'no no no: storage limited is not available there'],
    ["can't reach the shared storage", facts(vm({ scsi1: 'san:b' })), 'no no no: storage san is not available there'],
    ['lacks the local storage', facts(vm({ scsi1: 'here:b' })), 'yes yes no: no storage here there: another one has to be named'],
    ['is too full', facts(vm({ scsi1: 'lvm:b,size=95G' })), 'risky risky no: 95 GiB to copy, and 90 GiB are free on lvm there'],
    [
      'has a replica',
      facts(vm({ scsi1: 'zfs:b,size=95G' }), { replication: job }),
      'yes yes yes: replicated there: only what changed is copied',
    ],
    ['has a replica without one of the disks', facts(vm({ scsi1: 'zfs:b,replicate=0' }), { replication: job }), 'yes yes no: '],
    ['had a replica', facts(vm({ scsi1: 'zfs:b' }), { replication: off }), 'yes yes no: '],
    [
      'is said to have a replica, without the storage',
      facts(vm({ scsi1: 'here:b' }), { replication: job }),
      'yes yes no: no storage here there: another one has to be named',
    ],
    ['has the mapping', mapped(['node=n1', 'node=n2']), 'no yes yes: '],
    ['lacks the mapping', mapped(['node=n1']), 'no no no: mapping gpu has nothing there'],
    [
      'mappings could not be read',
      facts(vm({ hostpci0: 'mapping=gpu' })),
      "no unknown unknown: whether mapping gpu has something there can't be seen",
    ],
    ['an equal processor', host('AMD EPYC'), 'yes yes yes: '],
    [
      'another processor',
      host('Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz'),
      'risky yes yes: another processor (Intel Xeon E5-2680 v4)',
    ],
    ['an unknown processor', host(undefined), 'unknown yes yes: whether its processor is equal is not known'],
    [
      'little memory',
      facts(vm({}), {}, { maxMem: 100 * GIB }),
      'risky yes risky: it may use 100 GiB, and 56 GiB of memory are free',
    ],
  ])('%s', (_name, given, expected) => {
    expect(one(given)).toBe(expected);
  });

  test('snapshots of local disks go along live only to where the replica is', () => {
    const given = (target: string) =>
      facts(vm({ scsi1: 'zfs:b' }), {
        snapshots: parseSnapshots([{ name: 'a' }]).snapshots,
        snapshotVolumes: new Set(['zfs:b']),
        replication: parseReplicationJobs([{ id: '100-0', guest: 100, target }]),
      });
    expect(one(given('n2'))).toBe('yes yes yes: replicated there: only what changed is copied');
    expect(one(given('n9'))).toBe('no yes no: ');
  });

  test('an offline node is named last, and nothing was asked of it', () => {
    const down = parseInventory([
      { type: 'node', node: 'n1', status: 'online' },
      { type: 'node', node: 'n0', status: 'offline' },
      { type: 'node', node: 'n2', status: 'online' },
      { type: 'storage', storage: 'nas', node: 'n2', status: 'available', shared: 1 },
    ]);
    const { targets } = judged(facts(vm({}), { inventory: down }));
    expect(targets.map((t) => [t.node, verdicts(t)])).toEqual([
      ['n2', 'yes yes yes'],
      ['n0', 'no no no'],
    ]);
  });

  test('nodes that were not looked at leave it open', () => {
    const far = facts(vm({ net0: 'virtio=A,bridge=vmbr9' }), { targetsLeft: 3 });
    expect(verdicts(judged(far))).toBe('unknown unknown unknown');
    expect(verdicts(judged(facts(vm({ hostpci0: '0000:01:00.0' }), { targetsLeft: 3 })))).toBe('no no no');
  });
});

describe('HA', () => {
  const status = parseHaStatus([
    { type: 'service', sid: 'vm:100', state: 'started', node: 'n1', group: 'g' },
    { type: 'service', sid: 'vm:101', state: 'started', node: 'n2' },
    { type: 'service', sid: 'vm:102', state: 'started', node: 'n1' },
  ]);
  const ruled = (rules: unknown, guest: Partial<Guest> = { haState: 'started' }, groups?: unknown): string => {
    const ha = {
      status,
      rules: groups === undefined ? parseHaRules(rules) : undefined,
      groups: groups === undefined ? undefined : parseHaGroups(groups),
      placement: 'rules' as const,
    };
    const [target] = judged(facts(vm({}), { ha }, guest)).targets;
    return target === undefined ? 'none' : `${verdicts(target)}: ${target.remarks.join('; ')}`;
  };
  const strict = { rule: 'r', type: 'node-affinity', resources: 'vm:100', nodes: 'n1:2', strict: 1 };
  const apart = { rule: 'r', type: 'resource-affinity', affinity: 'negative', resources: 'vm:100,vm:101' };
  test.each<[string, unknown, string]>([
    ['no rules', [], 'yes yes yes: '],
    ['a strict rule for other nodes', [strict], 'no no no: HA rule r allows only n1'],
    ['a preference for other nodes', [{ ...strict, strict: 0 }], 'yes yes yes: '],
    ['a rule that is off', [{ ...strict, disable: 1 }], 'yes yes yes: '],
    ['a rule that is not followed', [{ ...strict, errors: { resources: ['x'] } }], 'yes yes yes: '],
    ['a rule for others', [{ ...strict, resources: 'vm:999' }], 'yes yes yes: '],
    ['apart from what runs there', [apart], 'no no no: HA rule r keeps it away from vm:101'],
    ['apart from what runs elsewhere', [{ ...apart, resources: 'vm:100,vm:102' }], 'yes yes yes: '],
    ['together', [{ ...apart, affinity: 'positive' }], 'yes yes yes: HA rule r: vm:101 comes along'],
  ])('%s', (_name, rules, expected) => {
    expect(ruled(rules)).toBe(expected);
  });
  test('rules are nothing to a guest that is not under HA', () => {
    expect(ruled([strict], { haState: undefined })).toBe('yes yes yes: ');
  });
  test('a restricted group, as of old', () => {
    expect(ruled([], undefined, [{ group: 'g', nodes: 'n1', restricted: 1 }])).toBe('no no no: HA group g allows only n1');
    expect(ruled([], undefined, [{ group: 'g', nodes: 'n1', restricted: 0 }])).toBe('yes yes yes: ');
  });
  test('rules that could not be read leave it open', () => {
    const [target] = judged(facts(vm({}), { ha: undefined }, { haState: 'started' })).targets;
    expect(target?.off).toBe('unknown');
  });
  test('a resource in error is told', () => {
    const broken = parseHaStatus([{ type: 'service', sid: 'vm:100', state: 'error', node: 'n1' }]);
    const ha = { status: broken, rules: [], groups: undefined, placement: 'rules' as const };
    expect(said(judged(facts(vm({}), { ha }, { haState: 'error' })))).toEqual(['note: HA']);
  });
});

test.each<[MigrationFacts, string]>([
  [facts(vm({})), 'can move live to n2'],
  [facts(ct({})), 'can move by a restart to n2'],
  [facts(vm({ hostpci0: '0000:01:00.0', ide2: 'lvm:iso/x.iso,media=cdrom' })), "can't move (host devices, local ISO)"],
  [
    facts(vm({ scsi1: 'zfs:b' }), { snapshots: parseSnapshots([{ name: 'a' }]).snapshots, snapshotVolumes: new Set(['zfs:b']) }),
    'can move switched off to n2',
  ],
  [
    facts(vm({ cpu: 'host' }), { ownCpu: 'a', targets: [{ ...n2, cpuModel: 'b' }] }),
    'can move switched off to n2; live to n2 is risky',
  ],
  [facts(vm({ net0: 'virtio=A,bridge=vmbr9' })), "can't move: no node can take it"],
  [facts(vm({}), { targets: [] }), "can't move: there is no other node"],
  [facts(undefined), 'whether it can move is not known'],
])('in words %#', (given, words) => {
  expect(migrationWords(judged(given), given.config?.type === 'lxc')).toBe(words);
});
