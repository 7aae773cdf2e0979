import type { FactData } from '../../src/cluster/health-facts.ts';
import type { Snapshot } from '../../src/cluster/snapshots.ts';
import {
  access,
  ceph,
  DAY,
  definition,
  detail,
  details,
  GIB,
  guest,
  ha,
  iface,
  NOW,
  node,
  replication,
  rule,
  storage,
  task,
} from '../support/health-facts.ts';
import type { Cases } from './case.ts';

const one = (raw: Readonly<Record<string, unknown>>, part: Parameters<typeof detail>[2] = {}, who = guest(100)) =>
  details(detail(who, raw, part));
const ct = guest(200, { type: 'lxc' });
const snapshot = (name: string, time: number | undefined, state?: string): Snapshot => ({
  name,
  parent: undefined,
  depth: 0,
  time,
  vmState: undefined,
  description: undefined,
  state,
});
const snapshots = (...list: Snapshot[]) => one({}, { snapshots: { snapshots: list, parentOfCurrent: undefined } });
const managed = ha({ 'vm:100': 'started', 'ct:200': 'started' });
const unmanaged = ha({});
const local = storage('local', { plugin: 'dir', shared: false });
const none = { jobs: [], clockOffset: 0 };
const networks = (...list: ReturnType<typeof iface>[]): { networks: FactData['networks'] } => ({
  networks: new Map([['n1', { interfaces: list, pending: undefined }]]),
});
const sdn = (...vnets: string[]): { sdn: FactData['sdn'] } => ({
  sdn: {
    zones: [],
    vnets: vnets.map((id) => ({ id, type: undefined, pending: 'applied' as const, changes: [], settings: new Map() })),
  },
});
const level = (
  options: FactData['clusterFirewall']['options'],
  ...rules: ReturnType<typeof rule>[]
): FactData['clusterFirewall'] => ({ options, rules });
const fw = (
  options: FactData['clusterFirewall']['options'],
  rules: ReturnType<typeof rule>[],
  raw: Readonly<Record<string, unknown>> = {},
) => one(raw, { firewall: { options, rules } });
const both = (guests: FactData['details']) => ({ details: guests, guestFirewalls: guests });
const group = (name: string, ...rules: ReturnType<typeof rule>[]) => ({ name, comment: undefined, rules });
const drop = rule({ action: 'DROP' });
const ssh = rule({ macro: 'SSH' });
const NET = 'virtio=BC:24:11:00:00:01,bridge=vmbr0';

const user = (name: string, part: Partial<FactData['users'][number]> = {}) => ({
  user: name,
  realm: 'pve',
  enabled: true,
  expires: 'never' as const,
  groups: [],
  legacyKeys: false,
  tokens: [],
  ...part,
});
const entry = (ugid: string, role: string, path = '/', part: { type?: string; propagate?: boolean } = {}) => ({
  path,
  type: 'user',
  ugid,
  role,
  propagate: true,
  ...part,
});
const token = (owner: string, name: string, part: Partial<FactData['users'][number]['tokens'][number]> = {}) => ({
  id: `${owner}!${name}`,
  user: owner,
  privsep: true,
  expires: NOW + DAY,
  ...part,
});
const totp = (name: string) => ({ user: name, enabled: ['totp'], disabled: [] });
const people = (part: Parameters<typeof access>[0]): { access: FactData['access']; users: FactData['users'] } => ({
  access: access(part),
  users: part.users ?? [],
});

/** Guests, firewall, access, Ceph. */
export const guestCases: Cases = {
  'PVE-G01': {
    fires: {
      guests: [guest(100, { lock: 'backup' }), guest(101, { lock: 'snapshot' })],
      running: [task('vzdump', { id: '555', state: 'running' })],
      nodes: [node('n1')],
    },
    on: ['100', '101'],
    near: [
      {
        guests: [guest(100, { lock: 'backup' })],
        running: [task('vzdump', { id: '100', state: 'running' })],
        nodes: [node('n1')],
      },
      { guests: [guest(100, { lock: 'backup' })], running: [task('vzdump', { state: 'running' })], nodes: [node('n1')] },
      {
        guests: [guest(101, { lock: 'clone' })],
        running: [task('qmclone', { id: '100', state: 'running' })],
        nodes: [node('n1')],
      },
      {
        guests: [guest(100, { lock: 'suspended' }), guest(101), guest(102, { lock: 'backup', node: 'n2' })],
        running: [],
        nodes: [node('n1'), node('n2', { status: 'offline' })],
      },
    ],
  },
  'PVE-G02': {
    fires: { guests: [guest(100, { status: 'paused' })] },
    on: ['100'],
    near: [{ guests: [guest(100), guest(101, { status: 'stopped' }), guest(102, { status: 'suspended' })] }],
  },
  'PVE-G03': {
    fires: { guests: [guest(200, { type: 'lxc', disk: 92, maxDisk: 100 }), guest(201, { type: 'lxc', disk: 99, maxDisk: 100 })] },
    on: ['200:warning', '201'],
    near: [{ guests: [guest(200, { type: 'lxc', disk: 80, maxDisk: 100 }), guest(100, { disk: 99, maxDisk: 100 })] }],
  },
  'PVE-G04': {
    fires: { guests: [guest(100, { mem: 4 * GIB }), guest(200, { type: 'lxc', mem: 4 * GIB })] },
    on: ['100:info', '200'],
    near: [{ guests: [guest(100, { mem: 3.7 * GIB }), guest(101, { mem: undefined })] }],
  },
  'PVE-G05': {
    fires: { guests: [guest(100, { cpu: 0.99 })] },
    on: ['100'],
    near: [{ guests: [guest(100, { cpu: 0.9 }), guest(101, { cpu: undefined })] }],
  },
  'PVE-G06': {
    fires: { guests: [guest(100, { name: 'a' }), guest(101, { name: 'a' })] },
    on: ['a'],
    near: [{ guests: [guest(100), guest(101), guest(102, { name: undefined }), guest(103, { name: undefined })] }],
  },
  'PVE-G11': {
    fires: { details: one({}, { changes: [{ key: 'cores', now: '1', after: '2', deleted: false }] }) },
    on: ['100'],
    near: [{ details: one({}) }, { details: one({}, { changes: undefined }) }],
  },
  'PVE-G12': {
    fires: { snapshots: snapshots(snapshot('a', NOW - 40 * DAY)) },
    on: ['100'],
    near: [
      { snapshots: snapshots(snapshot('a', NOW - 20 * DAY), snapshot('b', undefined), snapshot('c', NOW - 40 * DAY, 'delete')) },
    ],
  },
  'PVE-G13': {
    fires: { snapshots: snapshots(snapshot('a', NOW, 'prepare')) },
    on: ['100'],
    near: [{ snapshots: snapshots(snapshot('a', NOW)) }],
  },
  'PVE-G14': {
    fires: { agents: one({ agent: '1' }, { agent: 'silent' }) },
    on: ['100'],
    near: [{ agents: one({ agent: '1' }, { agent: 'answers' }) }, { agents: one({ agent: '1' }) }],
  },
  'PVE-G15': {
    fires: { details: details(detail(guest(100), {}), detail(guest(101), { agent: '0' })) },
    on: ['100', '101'],
    near: [
      { details: one({ agent: 'enabled=1,fstrim_cloned_disks=1' }) },
      { details: one({}, {}, guest(100, { status: 'stopped' })) },
      { details: one({}, {}, ct) },
      { details: one({}, { config: undefined }) },
    ],
  },
  'PVE-G16': {
    fires: {
      details: details(detail(guest(100), { hostpci0: '0000:01:00.0' }), detail(ct, { dev0: '/dev/ttyUSB0' })),
      ha: managed,
    },
    on: ['100', '200'],
    near: [
      { details: one({ hostpci0: '0000:01:00.0' }), ha: unmanaged },
      { details: one({ hostpci0: 'mapping=gpu', usb0: 'spice,usb3=1' }), ha: managed },
    ],
  },
  'PVE-G17': {
    fires: { details: one({ cpu: 'host,flags=+aes' }), ha: managed },
    on: ['100'],
    near: [
      { details: one({ cpu: 'x86-64-v2-AES' }), ha: managed },
      { details: one({ cpu: 'host' }), ha: unmanaged },
    ],
  },
  'PVE-G18': {
    // One reason each: no replica, one that is off, one that lacks a disk by the disk's own word, or for want of the storage.
    fires: {
      details: details(
        detail(guest(100), { scsi0: 'local:100/a.raw,size=1G' }),
        detail(guest(101), { scsi0: 'local:101/a.raw,size=1G' }),
        detail(guest(102), { scsi0: 'local:102/a.raw,size=1G', scsi1: 'local:102/b.raw,replicate=0,size=1G' }),
        detail(guest(103), { scsi0: 'local:103/a.raw,size=1G', scsi1: 'ssd:c,size=1G' }),
      ),
      ha: ha({ 'vm:100': 'started', 'vm:101': 'started', 'vm:102': 'started', 'vm:103': 'started' }),
      storages: [local, storage('local', { shared: false, nodes: ['n2'] }), storage('ssd', { shared: false })],
      replication: {
        jobs: [
          replication('101-0', { vmid: 101, disabled: true }),
          replication('102-0', { vmid: 102 }),
          replication('103-0', { vmid: 103 }),
        ],
        clockOffset: 0,
      },
    },
    on: ['100', '101', '102', '103'],
    near: [
      {
        details: one({ scsi0: 'nfs:100/a.raw,size=1G', ide2: 'local:iso/a.iso,media=cdrom' }),
        ha: managed,
        storages: [local, storage('nfs')],
        replication: none,
      },
      {
        details: one({ scsi0: 'local:100/a.raw,size=1G' }),
        ha: managed,
        storages: [local, storage('local', { shared: false, nodes: ['n2'] })],
        replication: { jobs: [replication('100-0')], clockOffset: 0 },
      },
      // A storage that is not visible may well be shared.
      { details: one({ scsi0: 'hidden:100/a.raw,size=1G' }), ha: managed, storages: [local], replication: none },
    ],
  },
  'PVE-G19': {
    fires: { details: one({ ide2: 'local:iso/a.iso,media=cdrom' }), storages: [local] },
    on: ['100'],
    near: [
      {
        details: one({ ide2: 'nfs:iso/a.iso,media=cdrom', ide3: 'none,media=cdrom', ide1: 'local:vm-100-cloudinit,media=cdrom' }),
        storages: [local, storage('nfs')],
      },
    ],
  },
  'PVE-G20': {
    fires: { details: details(detail(guest(100), { net0: NET }), detail(guest(101), { net0: NET.toLowerCase() })), oneGo: true },
    on: ['BC:24:11:00:00:01'],
    near: [
      {
        details: details(
          detail(guest(100), { net0: NET }),
          detail(guest(101), { net0: 'virtio=BC:24:11:00:00:02,bridge=vmbr0' }),
        ),
        oneGo: true,
      },
    ],
  },
  'PVE-G21': {
    fires: {
      details: details(detail(guest(100), { net0: `${NET},tag=5` }), detail(guest(101), { net0: `${NET},trunks=1;2` })),
      ...networks(iface('vmbr0', 'bridge', { vlanAware: false })),
    },
    on: ['100:info', '101'],
    near: [
      { details: one({ net0: `${NET},tag=5` }), ...networks(iface('vmbr0', 'bridge')) },
      { details: one({ net0: NET }), ...networks(iface('vmbr0', 'bridge', { vlanAware: false })) },
      { details: one({ net0: `${NET},tag=5` }), ...networks(iface('vmbr0', 'OVSBridge')) },
    ],
  },
  'PVE-G22': {
    fires: { details: one({ net0: 'virtio=BC:24:11:00:00:01,bridge=vmbr7' }), ...networks(iface('vmbr0', 'bridge')), ...sdn() },
    on: ['100'],
    near: [
      { details: one({ net0: NET }), ...networks(iface('vmbr0', 'bridge')), ...sdn() },
      {
        details: one({ net0: 'virtio=BC:24:11:00:00:01,bridge=office' }),
        ...networks(iface('vmbr0', 'bridge')),
        ...sdn('office'),
      },
      // Bridges that are hidden are not missing.
      { details: one({ net0: NET }), ...networks(iface('eno1', 'eth')), ...sdn() },
    ],
  },
  'PVE-G23': {
    fires: { details: one({}), ha: unmanaged },
    on: ['100'],
    near: [
      { details: one({ onboot: 1 }), ha: unmanaged },
      { details: one({}), ha: managed },
      { details: one({}, {}, guest(100, { status: 'stopped' })), ha: unmanaged },
    ],
  },
  'PVE-G24': {
    fires: {
      details: details(
        detail(guest(100), { scsi0: 'gone:100/a.raw,size=1G' }),
        detail(guest(101), { scsi0: 'off:101/a.raw,size=1G' }),
        detail(guest(102), { scsi0: 'dead:102/a.raw,size=1G' }),
        detail(guest(103), { scsi0: 'other:103/a.raw,size=1G' }),
      ),
      allStorages: [definition('off', { enabled: false }), definition('dead'), definition('other', { nodes: ['n2'] })],
      storages: [storage('dead', { state: 'inactive' })],
    },
    on: ['100', '101', '102', '103'],
    near: [
      {
        details: one({
          scsi0: 'nfs:100/a.raw,size=1G',
          unused0: 'gone:100/b.raw',
          virtio1: '/dev/sdb',
          ide2: 'none,media=cdrom',
        }),
        allStorages: [definition('nfs')],
        storages: [storage('nfs')],
      },
    ],
  },
  'PVE-G25': {
    fires: { details: one({ unused0: 'local:100/a.raw' }) },
    on: ['100'],
    near: [
      {
        details: one({
          scsi0: 'local:100/a.raw,size=1G',
          tpmstate0: 'local:x,size=4M',
          ide0: 'local:vm-100-cloudinit,media=cdrom',
        }),
      },
    ],
  },
  'PVE-G26': {
    fires: { details: one({}, {}, ct) },
    on: ['200'],
    near: [{ details: one({ unprivileged: 1 }, {}, ct) }, { details: one({}) }],
  },
  'PVE-G27': {
    fires: { details: one({ scsi0: 'local:100/a.raw,cache=unsafe,size=1G' }) },
    on: ['100'],
    near: [{ details: one({ scsi0: 'local:100/a.raw,cache=writeback,size=1G' }) }],
  },

  'PVE-F01': {
    fires: { clusterFirewall: level({}, ssh) },
    on: ['cluster'],
    near: [
      { clusterFirewall: level({ enable: 1 }, ssh) },
      { clusterFirewall: level({}, rule({ enabled: false })) },
      { clusterFirewall: level({}), guestFirewalls: fw({}, [ssh]) },
    ],
  },
  'PVE-F02': {
    fires: { nodeFirewalls: new Map([['n1', level({ enable: 0 }, ssh)]]) },
    on: ['n1'],
    near: [
      {
        nodeFirewalls: new Map([
          ['n1', level({}, ssh)],
          ['n2', level({ enable: 0 })],
        ]),
      },
    ],
  },
  'PVE-F03': {
    fires: { guestFirewalls: fw({}, [ssh]) },
    on: ['100'],
    near: [
      { guestFirewalls: fw({ enable: 1 }, [ssh]) },
      { guestFirewalls: fw({}, [rule({ enabled: false })]) },
      { guestFirewalls: one({}) },
    ],
  },
  'PVE-F04': {
    fires: both(fw({ enable: 1 }, [ssh], { net0: `${NET},firewall=0` })),
    on: ['100'],
    near: [
      both(fw({ enable: 1 }, [ssh], { net0: NET, net1: 'virtio=BC:24:11:00:00:02,bridge=vmbr0,firewall=1' })),
      both(fw({ enable: 0 }, [ssh], { net0: NET })),
      both(fw({ enable: 1 }, [ssh])),
    ],
  },
  'PVE-F05': {
    fires: {
      everyNode: true,
      vnetFirewalls: new Map([['lab', level({}, drop)]]),
      nodeFirewalls: new Map([['n1', level({ nftables: 0 })]]),
    },
    on: ['VNet lab'],
    near: [
      {
        everyNode: true,
        vnetFirewalls: new Map([['lab', level({}, drop)]]),
        nodeFirewalls: new Map([
          ['n1', level({})],
          ['n2', level({ nftables: 1 })],
        ]),
      },
      { everyNode: true, vnetFirewalls: new Map([['lab', level({})]]), nodeFirewalls: new Map([['n1', level({})]]) },
    ],
  },
  'PVE-F06': {
    fires: { guestFirewalls: fw({ enable: 1, policy_in: 'ACCEPT' }, [ssh]) },
    on: ['100'],
    near: [
      { guestFirewalls: fw({ enable: 1, policy_in: 'ACCEPT' }, [drop]) },
      { guestFirewalls: fw({ enable: 1 }, []) },
      { guestFirewalls: fw({ policy_in: 'ACCEPT' }, []) },
    ],
  },
  'PVE-F07': {
    fires: { clusterFirewall: level({ enable: 1, policy_in: 'ACCEPT' }) },
    on: ['cluster'],
    near: [
      { clusterFirewall: level({ enable: 1 }) },
      { clusterFirewall: level({ policy_in: 'ACCEPT' }) },
      { clusterFirewall: level({ enable: 1, policy_in: 'ACCEPT' }, drop) },
    ],
  },
  'PVE-F08': {
    fires: {
      clusterFirewall: level({ enable: 1 }, ssh),
      nodeFirewalls: new Map([['n1', level({}, rule({ dport: '22,80', proto: 'tcp', source: '0.0.0.0/0' }))]]),
    },
    on: ['cluster', 'n1'],
    near: [
      {
        clusterFirewall: level(
          { enable: 1 },
          rule({ macro: 'SSH', source: '+management' }),
          rule({ macro: 'SSH', enabled: false }),
          rule({ macro: 'HTTPS' }),
          rule({ macro: 'SSH', type: 'out' }),
        ),
      },
    ],
  },
  'PVE-F09': {
    fires: {
      clusterFirewall: level({ enable: 1 }, rule({ errors: 'source: no such alias' })),
      securityGroups: [group('g', rule({ errors: 'x' }))],
    },
    on: ['cluster', 'group g'],
    near: [{ clusterFirewall: level({ enable: 1 }, ssh, rule({ enabled: false, errors: 'x' })) }],
  },
  'PVE-F10': {
    fires: {
      securityGroups: [group('a'), group('b')],
      clusterFirewall: level({}, rule({ type: 'group', action: 'a' })),
      nodes: [],
      nodeFirewalls: new Map(),
      vnetFirewalls: new Map(),
      guestFirewalls: details(),
      everyFirewall: { unreachable: [] },
    },
    on: ['b'],
    near: [
      {
        securityGroups: [group('a'), group('b')],
        clusterFirewall: level({}),
        nodes: [],
        nodeFirewalls: new Map([['n1', level({}, rule({ type: 'group', action: 'b' }))]]),
        vnetFirewalls: new Map([['office', level({}, rule({ type: 'group', action: 'a' }))]]),
        guestFirewalls: details(),
        everyFirewall: { unreachable: [] },
      },
      {
        securityGroups: [group('a')],
        clusterFirewall: level({}),
        nodes: [],
        nodeFirewalls: new Map(),
        vnetFirewalls: new Map(),
        guestFirewalls: fw({}, [rule({ type: 'group', action: 'a' })]),
        everyFirewall: { unreachable: [] },
      },
    ],
  },
  'PVE-F11': {
    fires: { clusterFirewall: level({}) },
    on: ['cluster'],
    near: [{ clusterFirewall: level({ enable: 1 }) }, { clusterFirewall: level({}, ssh) }],
  },
  'PVE-F12': {
    fires: { guestFirewalls: fw({ enable: 1 }, [rule({ macro: 'RDP' })]) },
    on: ['100'],
    near: [
      { guestFirewalls: fw({ enable: 1 }, [rule({ macro: 'RDP', source: '+management' }), rule({ macro: 'HTTPS' })]) },
      { guestFirewalls: fw({}, [ssh]) },
    ],
  },
  'PVE-F13': {
    fires: { guestFirewalls: fw({ enable: 1 }, [rule({ errors: 'no such ipset' })]) },
    on: ['100'],
    near: [{ guestFirewalls: fw({ enable: 1 }, [ssh]) }],
  },

  'PVE-A01': {
    fires: people({ users: [user('a@pve')], acl: [entry('a@pve', 'Administrator')] }),
    on: ['a@pve'],
    near: [
      people({ users: [user('a@pve')], acl: [entry('a@pve', 'Administrator')], tfa: [totp('a@pve')] }),
      people({ users: [user('a@pve')], acl: [entry('a@pve', 'PVEAuditor')] }),
    ],
  },
  'PVE-A02': {
    fires: people({ users: [user('root@pam', { realm: 'pam', tokens: [token('root@pam', 't')] })], tfa: [totp('root@pam')] }),
    on: ['root@pam!t'],
    near: [
      people({
        users: [user('a@pve', { tokens: [token('a@pve', 't')] })],
        acl: [entry('a@pve!t', 'Administrator', '/', { type: 'token' })],
      }),
    ],
  },
  'PVE-A03': {
    fires: people({
      users: [user('a@pve', { tokens: [token('a@pve', 't', { privsep: false })] })],
      acl: [entry('a@pve', 'Administrator')],
    }),
    on: ['a@pve!t'],
    near: [people({ users: [user('a@pve', { tokens: [token('a@pve', 't')] })], acl: [entry('a@pve', 'Administrator')] })],
  },
  'PVE-A04': {
    fires: people({
      users: [user('a@pve', { tokens: [token('a@pve', 't', { expires: 'never', privsep: false })] })],
      acl: [entry('a@pve', 'Administrator')],
    }),
    on: ['a@pve!t'],
    near: [
      people({
        users: [user('a@pve', { tokens: [token('a@pve', 't', { privsep: false })] })],
        acl: [entry('a@pve', 'Administrator')],
      }),
      people({
        users: [user('a@pve', { tokens: [token('a@pve', 't', { expires: 'never', privsep: false })] })],
        acl: [entry('a@pve', 'PVEAuditor')],
      }),
    ],
  },
  'PVE-A05': {
    fires: people({ users: [user('a@pve', { tokens: [token('a@pve', 't', { expires: NOW - DAY })] })] }),
    on: ['a@pve!t'],
    near: [people({ users: [user('a@pve', { tokens: [token('a@pve', 't')] })] })],
  },
  'PVE-A06': {
    fires: people({
      users: [user('a@pve')],
      acl: [entry('a@pve', 'Administrator')],
      tfa: [{ user: 'a@pve', enabled: ['recovery'], disabled: [] }],
    }),
    on: ['a@pve'],
    near: [
      people({
        users: [user('a@pve')],
        acl: [entry('a@pve', 'Administrator')],
        tfa: [{ user: 'a@pve', enabled: ['recovery', 'totp'], disabled: [] }],
      }),
    ],
  },
  'PVE-A07': {
    fires: people({ users: [user('a@pve', { legacyKeys: true })] }),
    on: ['a@pve'],
    near: [people({ users: [user('a@pve')] })],
  },
  'PVE-A08': {
    fires: people({ users: [user('a@pve', { enabled: false })], acl: [entry('a@pve', 'PVEVMAdmin', '/vms')] }),
    on: ['a@pve'],
    near: [people({ users: [user('a@pve', { enabled: false })] })],
  },
  'PVE-A09': {
    fires: people({ users: [user('a@pve', { expires: NOW - DAY })], acl: [entry('a@pve', 'PVEVMAdmin', '/vms')] }),
    on: ['a@pve'],
    near: [people({ users: [user('a@pve', { expires: NOW + DAY })], acl: [entry('a@pve', 'PVEVMAdmin', '/vms')] })],
  },
  'PVE-A10': {
    fires: people({ users: [user('a@pve')], acl: [entry('gone@pve', 'PVEVMAdmin', '/vms')] }),
    on: ['gone@pve'],
    near: [people({ users: [user('a@pve')], acl: [entry('a@pve', 'PVEVMAdmin', '/vms')] })],
  },
  'PVE-A11': {
    fires: people({ users: [user('a@pve')], acl: [entry('a@pve', 'PVEVMAdmin', '/vms/999')] }),
    on: ['a@pve'],
    near: [people({ users: [user('a@pve')], acl: [entry('a@pve', 'PVEVMAdmin', '/vms/100')] })],
  },
  'PVE-A12': {
    fires: people({ roles: [{ role: 'Own', builtIn: false, privileges: new Set(['VM.Audit']) }] }),
    on: ['Own'],
    near: [
      people({
        users: [user('a@pve')],
        roles: [{ role: 'Own', builtIn: false, privileges: new Set(['VM.Audit']) }],
        acl: [entry('a@pve', 'Own')],
      }),
    ],
  },
  'PVE-A13': {
    fires: people({ groups: [{ group: 'g', members: [] }] }),
    on: ['g'],
    near: [people({ groups: [{ group: 'g', members: [] }], acl: [entry('g', 'PVEAuditor', '/', { type: 'group' })] })],
  },
  'PVE-A14': {
    fires: people({ users: [user('a@pve')], acl: [entry('a@pve', 'NoAccess', '/vms/100')] }),
    on: ['a@pve'],
    near: [people({ users: [user('a@pve')], acl: [entry('a@pve', 'PVEAuditor', '/vms/100')] })],
  },
  'PVE-A15': {
    fires: people({ users: [user('a@pve')], acl: [entry('a@pve', 'PVEAuditor', '/nodes', { propagate: false })] }),
    on: ['a@pve'],
    near: [
      people({
        users: [user('a@pve')],
        acl: [entry('a@pve', 'PVEAuditor', '/nodes'), entry('a@pve', 'PVEAuditor', '/vms/100', { propagate: false })],
      }),
    ],
  },
  'PVE-A16': {
    fires: people({ users: [user('a@pve')], acl: [entry('a@pve', 'PVEVMUser', '/vms')] }),
    on: ['a@pve'],
    near: [people({ users: [user('a@pve')], acl: [entry('a@pve', 'PVEVMAdmin', '/vms'), entry('a@pve', 'PVEAuditor', '/')] })],
  },

  'PVE-E01': {
    fires: { ceph: ceph({ health: 'HEALTH_WARN' }) },
    on: ['Ceph:warning'],
    near: [{ ceph: ceph() }, { ceph: 'absent' }],
  },
  'PVE-E02': {
    fires: { ceph: ceph({ osdsUp: 5 }) },
    on: ['Ceph'],
    near: [{ ceph: ceph() }, { ceph: ceph({ osds: undefined }) }],
  },
  'PVE-E03': { fires: { ceph: ceph({}, ['noout']) }, on: ['Ceph'], near: [{ ceph: ceph() }] },
  'PVE-E04': {
    fires: {
      ceph: ceph(
        {},
        [],
        [
          { kind: 'mon', version: '19.2.3', who: ['n1'] },
          { kind: 'osd', version: '19.2.2', who: ['osd.1'] },
        ],
      ),
    },
    on: ['Ceph'],
    near: [
      {
        ceph: ceph(
          {},
          [],
          [
            { kind: 'mon', version: '19.2.3', who: ['n1'] },
            { kind: 'node', version: '19.2.2', who: ['n2'] },
          ],
        ),
      },
    ],
  },
  'PVE-E05': { fires: { ceph: ceph({ inQuorum: ['n1', 'n2'] }) }, on: ['Ceph'], near: [{ ceph: ceph() }] },
  'PVE-E06': { fires: { ceph: ceph({ managerAvailable: false }) }, on: ['Ceph'], near: [{ ceph: ceph() }] },
  'PVE-E07': { fires: { ceph: ceph({ used: 80 }) }, on: ['Ceph:warning'], near: [{ ceph: ceph({ used: 70 }) }] },
  'PVE-E08': { fires: { ceph: ceph({ osdsIn: 5 }) }, on: ['Ceph'], near: [{ ceph: ceph() }] },
};
