import { describe, expect, test } from 'vitest';
import { guestOf } from '../../test/support/guest-of.ts';
import { parseBackupJobs } from '../cluster/backup-jobs.ts';
import { type GuestConfig, parseGuestConfig } from '../cluster/guest-config.ts';
import { parseHaGroups, parseHaRules, parseHaStatus } from '../cluster/ha.ts';
import { parseMappings } from '../cluster/hardware.ts';
import { type ImpactFacts, parseTarget } from '../cluster/impact-facts.ts';
import { type Guest, parseInventory } from '../cluster/inventory.ts';
import { parseInterfaces } from '../cluster/node-network.ts';
import { parseReplicationJobs } from '../cluster/replication.ts';
import { parseSdnObjects } from '../cluster/sdn.ts';
import { parseStorageDefinitions } from '../cluster/storage.ts';
import { type Dependent, dependentGuest, dependentObjects, impactNotes } from './impact.ts';

const inventory = parseInventory([
  { type: 'node', node: 'n1', status: 'online' },
  { type: 'node', node: 'n2', status: 'online' },
  { type: 'node', node: 'n3', status: 'offline' },
  { type: 'storage', storage: 'nas', node: 'n1', status: 'available', shared: 1 },
  { type: 'storage', storage: 'nas', node: 'n2', status: 'unknown', shared: 1 },
  { type: 'storage', storage: 'lvm', node: 'n1', status: 'available' },
  { type: 'storage', storage: 'lvm', node: 'n2', status: 'available' },
]);
const storages = parseStorageDefinitions([
  { storage: 'nas', type: 'nfs', content: 'images,backup' },
  { storage: 'lvm', type: 'lvmthin', content: 'images' },
  { storage: 'only', type: 'zfspool', nodes: 'n1' },
]);

const facts = (on: string, rest: Partial<ImpactFacts> = {}): ImpactFacts => ({
  target: parseTarget(on),
  inventory,
  storages,
  ...rest,
});
const vm = (config: Record<string, unknown>): GuestConfig => parseGuestConfig(config, 'qemu');
const ct = (config: Record<string, unknown>): GuestConfig => parseGuestConfig(config, 'lxc');
const lost = (on: ImpactFacts, guest: Partial<Guest>, config?: GuestConfig): string | undefined => {
  const all = { ...guestOf(), ...guest, ...(config === undefined ? {} : { type: config.type }) };
  return dependentGuest(on, all, config)?.lost;
};

describe('a storage', () => {
  const nas = facts('storage:nas');
  const stopped = { status: 'stopped' };
  test.each<[string, Partial<Guest>, GuestConfig, string | undefined]>([
    ['boot disk', {}, vm({ boot: 'order=scsi0', scsi0: 'nas:100/a.raw,size=8G' }), 'its boot disk: stops working'],
    ['second disk', {}, vm({ boot: 'order=scsi0', scsi0: 'lvm:a', scsi1: 'nas:100/b.raw' }), 'scsi1: I/O errors'],
    ['root file system', {}, ct({ rootfs: 'nas:subvol' }), 'its root file system: stops working'],
    ['mount point', {}, ct({ rootfs: 'lvm:a', mp0: 'nas:b,mp=/srv' }), 'mp0: I/O errors'],
    ['EFI variables', {}, vm({ scsi0: 'lvm:a', efidisk0: 'nas:e' }), 'efidisk0: I/O errors'],
    ['not running', stopped, vm({ scsi0: 'nas:100/a.raw' }), "can't start"],
    ['template', { ...stopped, template: true }, vm({ scsi0: 'nas:base-100-disk-0' }), 'the template; its linked clones too'],
    [
      'ISO, running',
      {},
      vm({ scsi0: 'lvm:a', ide2: 'nas:iso/x.iso,media=cdrom' }),
      "the drive ide2: runs on, but can't start again as it is configured",
    ],
    [
      'ISO, stopped',
      stopped,
      vm({ scsi0: 'lvm:a', ide2: 'nas:iso/x.iso,media=cdrom' }),
      "the drive ide2: can't start as it is configured",
    ],
    [
      'snippet',
      {},
      vm({ scsi0: 'lvm:a', hookscript: 'nas:snippets/h.pl' }),
      "hookscript: runs on, but can't start again as it is configured",
    ],
    ['saved memory', stopped, vm({ scsi0: 'lvm:a', vmstate: 'nas:s' }), 'its saved memory: starts from cold'],
    ['unused volume', {}, vm({ scsi0: 'lvm:a', unused0: 'nas:u' }), 'only a volume that is not in use'],
    ['nothing there', {}, vm({ scsi0: 'lvm:a', ide2: 'none,media=cdrom' }), undefined],
    ['a storage whose name begins alike', {}, vm({ scsi0: 'nas2:a' }), undefined],
  ])('%s', (_name, guest, config, expected) => {
    expect(lost(nas, guest, config)).toBe(expected);
  });

  test('how it depends is told with sizes', () => {
    const config = vm({ scsi0: 'nas:a,size=8G', ide2: 'nas:iso/x.iso,media=cdrom', unused0: 'nas:u' });
    expect(dependentGuest(nas, guestOf(), config)?.why).toEqual(['scsi0 (8 GiB)', 'ide2: x.iso mounted', 'unused0, not in use']);
  });

  test('backup jobs that write to it, disabled ones as such', () => {
    const jobs = parseBackupJobs([
      { id: 'a', storage: 'nas', enabled: 1 },
      { id: 'b', storage: 'nas', enabled: '0' },
      { id: 'c', storage: 'other' },
    ]);
    expect(dependentObjects({ ...nas, jobs }).map((d) => [d.id, d.status, d.lost])).toEqual([
      ['a', 'enabled', 'its backups fail'],
      ['b', 'disabled', 'nothing now: the job is off'],
    ]);
    expect(dependentObjects(nas)).toEqual([]);
  });

  test('what is true of it already', () => {
    expect(impactNotes(nas)).toEqual([
      "Storage nas can't be reached from n2 now: these guests are affected already.",
      'It may hold backups: list_storage_content storage=nas content=backup.',
    ]);
    expect(impactNotes(facts('storage:lvm'))).toEqual([
      'Storage lvm is local: each node has its own, and loses only what is on it.',
    ]);
  });
});

describe('a node', () => {
  const ha = {
    status: parseHaStatus([{ id: 'service:vm:100', type: 'service', sid: 'vm:100', state: 'started', node: 'n1', group: 'g' }]),
    rules: parseHaRules([
      { rule: 'pinned', type: 'node-affinity', nodes: 'n1', resources: 'vm:102', strict: 1 },
      { rule: 'off', type: 'node-affinity', nodes: 'n1', resources: 'vm:103', strict: 1, disable: 1 },
      { rule: 'prefers', type: 'node-affinity', nodes: 'n1:2,n2:1', resources: 'vm:100' },
      { rule: 'elsewhere', type: 'node-affinity', nodes: 'n2', resources: 'vm:104', strict: 1 },
    ]),
    groups: undefined,
    placement: 'rules' as const,
  };
  const replication = parseReplicationJobs([
    { id: '101-0', guest: 101, source: 'n1', target: 'n2' },
    { id: '105-0', guest: 105, source: 'n2', target: 'n1' },
    { id: '106-0', guest: 106, source: 'n2', target: 'n1', disable: 1 },
  ]);
  const n1 = facts('node:n1', { ha, replication });
  const shared = vm({ scsi0: 'nas:a' });
  const local = vm({ scsi0: 'lvm:a' });
  test.each<[string, Partial<Guest>, GuestConfig | undefined, string | undefined]>([
    ['shared disks', {}, shared, 'stops; a person can start it elsewhere'],
    ['HA', { haState: 'started' }, shared, 'stops; HA may start it on another node'],
    ['HA that ignores it', { haState: 'ignored' }, shared, 'stops; a person can start it elsewhere'],
    ['local disks', {}, local, 'stops until the node is back (scsi0 on lvm only there)'],
    ['HA with local disks', { haState: 'started' }, local, "stops; HA can't start it elsewhere (scsi0 on lvm only there)"],
    [
      'HA with a device',
      { haState: 'started' },
      vm({ scsi0: 'nas:a', hostpci0: '0000:01:00.0' }),
      "stops; HA can't start it elsewhere (host devices: hostpci0)",
    ],
    [
      'a mapped device',
      { haState: 'started' },
      vm({ scsi0: 'nas:a', hostpci0: 'mapping=gpu' }),
      'stops; HA may start it on another node',
    ],
    [
      'local disks with a replica',
      { vmid: 101 },
      local,
      'stops; a person can start it elsewhere, from its replica: what was written since the last run is lost',
    ],
    [
      'a disk that its replication leaves out',
      { vmid: 101, haState: 'started' },
      vm({ scsi0: 'lvm:a', scsi1: 'lvm:b,replicate=0' }),
      "stops; HA can't start it elsewhere (scsi1 on lvm only there)",
    ],
    [
      'a replica on a node without the storage',
      { vmid: 101 },
      vm({ scsi0: 'only:a' }),
      'stops until the node is back (scsi0 on only only there)',
    ],
    ['pinned by a rule', { vmid: 102, haState: 'started' }, shared, 'stops: HA may run it nowhere else'],
    ['pinned by a rule that is off', { vmid: 103, haState: 'started' }, shared, 'stops; HA may start it on another node'],
    ['not running', { status: 'stopped' }, local, 'not available until the node is back (scsi0 on lvm only there)'],
    ['configuration not read', {}, undefined, 'stops; its configuration was not read'],
    [
      'configuration not read, HA',
      { haState: 'started' },
      undefined,
      'stops; whether HA can start it elsewhere is not known: its configuration was not read',
    ],
    [
      'storage not visible',
      {},
      vm({ scsi0: 'secret:a' }),
      'stops; whether it can start elsewhere is not known (scsi0 on secret not visible)',
    ],
    [
      'a directory of the node',
      {},
      ct({ rootfs: 'nas:a', mp0: '/mnt/x,mp=/x' }),
      'stops until the node is back (mp0 (/mnt/x) only there)',
    ],
    [
      'a directory that is said to be everywhere',
      {},
      ct({ rootfs: 'nas:a', mp0: '/mnt/x,mp=/x,shared=1' }),
      'stops; a person can start it elsewhere',
    ],
    ['on another node', { node: 'n2' }, shared, undefined],
  ])('%s', (_name, guest, config, expected) => {
    expect(lost(n1, { node: 'n1', ...guest }, config)).toBe(expected);
  });

  test('an old group pins, too', () => {
    const groups = parseHaGroups([{ group: 'g', nodes: 'n1:1', restricted: 1 }]);
    const old = facts('node:n1', { ha: { ...ha, rules: undefined, groups, placement: 'groups' } });
    expect(lost(old, { node: 'n1', haState: 'started' }, shared)).toBe('stops: HA may run it nowhere else');
  });

  test('jobs, rules, replication and what only it has', () => {
    const all = dependentObjects({
      ...n1,
      jobs: parseBackupJobs([{ id: 'j', node: 'n1' }, { id: 'k' }]),
      mappings: parseMappings(
        [
          { id: 'gpu', map: ['node=n1,path=0000:01:00.0'] },
          { id: 'both', map: ['node=n1', 'node=n2'] },
        ],
        'pci',
      ),
      zones: parseSdnObjects(
        [
          { zone: 'z', type: 'simple', nodes: 'n1' },
          { zone: 'everywhere', type: 'simple' },
        ],
        'zone',
      ),
    });
    expect(all.map((d) => `${d.kind} ${d.id}: ${d.lost}`)).toEqual([
      'HA rule off: nothing now: the rule is off',
      'HA rule pinned: its resources may run nowhere else',
      'HA rule prefers: its resources keep n2',
      'backup job j: does not run',
      'mapping gpu: guests that claim it start nowhere',
      'replication 105-0: the replica there; no new ones',
      'replication 106-0: nothing now: the job is off',
      'storage only: everything on it',
      'zone z: its VNets are nowhere else',
    ]);
  });

  const member = (node: string) => ({ node, nodeId: undefined, votes: 1, links: new Map() });
  const quorum = (present: number) => ({
    nodes: ['n1', 'n2', 'n3'].map(member),
    qdevice: undefined,
    votes: { expected: 3, present, needed: 2, qdevice: undefined },
  });
  test('whether the quorum outlives it', () => {
    expect(impactNotes({ ...n1, quorum: quorum(3) })[0]).toBe(
      'Without it 2 of 3 votes are left (2 needed): the cluster keeps its quorum.',
    );
    expect(impactNotes({ ...n1, quorum: quorum(2) })[0]).toMatch(
      /^Without it 1 of 3 votes are left \(2 needed\): quorum is lost/,
    );
    expect(impactNotes({ ...facts('node:n3'), quorum: quorum(2) })).toEqual([
      'n3 is offline now: its guests are affected already.',
    ]);
    expect(impactNotes(n1).join()).not.toContain('votes');
  });
});

describe('networks', () => {
  const zones = parseSdnObjects(
    [
      { zone: 'campus', type: 'vlan', bridge: 'vmbr0' },
      { zone: 'tunnel', type: 'vxlan' },
    ],
    'zone',
  );
  const vnets = parseSdnObjects(
    [
      { vnet: 'office', zone: 'campus', tag: 20 },
      { vnet: 'far', zone: 'tunnel', tag: 20 },
    ],
    'vnet',
  );
  const networks = [
    {
      node: 'n1',
      interfaces: parseInterfaces([
        { iface: 'vmbr0', type: 'bridge', cidr: '10.0.0.1/24' },
        { iface: 'vmbr0.20', type: 'vlan', 'vlan-id': '20', 'vlan-raw-device': 'vmbr0', cidr: '10.2.0.1/24' },
        { iface: 'eno1', type: 'eth' },
      ]),
    },
  ];
  const rest = { zones, vnets, networks, bridgesSure: true };
  const why = (on: string, config: GuestConfig, guest: Partial<Guest> = {}): readonly string[] | undefined => {
    const found: Dependent | undefined = dependentGuest(facts(on, rest), { ...guestOf(), ...guest }, config);
    return found === undefined ? undefined : [...found.why, found.lost];
  };
  test.each<[string, string, GuestConfig, readonly string[] | undefined]>([
    ['the only interface', 'bridge:vmbr0', vm({ net0: 'virtio=A,bridge=vmbr0' }), ['net0', 'all its network']],
    [
      'one of two',
      'bridge:vmbr0',
      vm({ net0: 'virtio=A,bridge=vmbr0,tag=5', net1: 'virtio=B,bridge=vmbr1' }),
      ['net0 VLAN 5', 'net0; keeps net1'],
    ],
    [
      'a link that is down',
      'bridge:vmbr0',
      vm({ net0: 'virtio=A,bridge=vmbr0,link_down=1' }),
      ['net0 (link down)', 'nothing now: link down'],
    ],
    [
      'a VNet over the bridge',
      'bridge:vmbr0',
      ct({ net0: 'name=eth0,bridge=office' }),
      ['net0 by VNet office', 'all its network'],
    ],
    ['a VNet of a tunnel', 'bridge:vmbr0', vm({ net0: 'virtio=A,bridge=far' }), undefined],
    ['the VNet itself', 'vnet:far', vm({ net0: 'virtio=A,bridge=far' }), ['net0', 'all its network']],
    ['a VLAN by its tag', 'vlan:20', vm({ net0: 'virtio=A,bridge=vmbr0,tag=20' }), ['net0 on vmbr0', 'all its network']],
    ['a VLAN by its VNet', 'vlan:20', vm({ net0: 'virtio=A,bridge=office' }), ['net0 by VNet office', 'all its network']],
    ['a VXLAN of the same number', 'vlan:20', vm({ net0: 'virtio=A,bridge=far' }), undefined],
    ['a trunk', 'vlan:20', vm({ net0: 'virtio=A,bridge=vmbr0,trunks=10;15-25' }), ['net0 as trunk on vmbr0', 'all its network']],
    ['another bridge', 'bridge:vmbr0', vm({ net0: 'virtio=A,bridge=vmbr01' }), undefined],
  ])('%s', (_name, on, config, expected) => {
    expect(why(on, config)).toEqual(expected);
  });
  test('a guest that is off', () => {
    const config = vm({ net0: 'virtio=A,bridge=vmbr0,tag=20' });
    expect(why('bridge:vmbr0', config, { status: 'stopped' })?.at(-1)).toBe("can't start");
    expect(why('vlan:20', config, { status: 'stopped' })?.at(-1)).toBe('nothing now');
  });
  test("nodes' own addresses, zones and VNets", () => {
    const objects = (on: string) =>
      dependentObjects(facts(on, { ...rest, memberIps: new Map([['n1', '10.0.0.1']]) })).map(
        (d) => `${d.kind} ${d.id}: ${d.why.join()}: ${d.lost}`,
      );
    expect(objects('bridge:vmbr0')).toEqual([
      'node n1: vmbr0: 10.0.0.1/24,vmbr0.20: 10.2.0.1/24: the address by which the cluster knows it',
      'zone campus: uses it: VNets office',
    ]);
    expect(objects('vlan:20')).toEqual([
      'node n1: vmbr0.20: 10.2.0.1/24: this address of the node',
      'vnet office: is this VLAN in zone campus: its traffic',
    ]);
    expect(objects('bridge:vmbr9')).toEqual([]);
  });
  test('whether there is such a bridge', () => {
    expect(impactNotes(facts('bridge:vmbr0', rest))[0]).toContain('is a bridge of n1');
    expect(impactNotes(facts('bridge:vmbr9', rest))).toEqual(['Of n1 none shows a bridge vmbr9.']);
    // Bridges are hidden without SDN.Audit: nothing is said then.
    expect(impactNotes(facts('bridge:vmbr9', { ...rest, bridgesSure: false }))).toEqual([]);
  });
});

describe('a mapping', () => {
  const gpu = facts('mapping:gpu', { mappings: parseMappings([{ id: 'gpu', map: ['node=n2', 'node=n1'] }], 'pci') });
  test.each<[string, Partial<Guest>, GuestConfig, string | undefined]>([
    ['running', {}, vm({ hostpci0: 'mapping=gpu,pcie=1' }), "hostpci0: device gone, can't start again"],
    ['stopped', { status: 'stopped' }, vm({ usb0: 'mapping=gpu' }), "can't start"],
    ['a directory', {}, vm({ virtiofs0: 'dirid=gpu,cache=auto' }), "virtiofs0: device gone, can't start again"],
    ['a directory without its key', {}, vm({ virtiofs0: 'gpu,cache=auto' }), "virtiofs0: device gone, can't start again"],
    ['another one', {}, vm({ hostpci0: 'mapping=gpu2' }), undefined],
    ['an address', {}, vm({ hostpci0: '0000:01:00.0' }), undefined],
  ])('%s', (_name, guest, config, expected) => {
    expect(lost(gpu, guest, config)).toBe(expected);
  });
  test('where it is', () => {
    expect(impactNotes(gpu)).toEqual(['Mapping gpu is defined on n1, n2.']);
    expect(impactNotes(facts('mapping:gpu'))).toEqual([]);
    expect(dependentGuest(gpu, guestOf(), undefined)).toBeUndefined();
  });
});
