import type { BackupsEverywhere } from '../../src/cluster/backup-coverage.ts';
import type { Backup } from '../../src/cluster/backups.ts';
import type { FactData } from '../../src/cluster/health-facts.ts';
import { DAY, definition, detail, details, GIB, guest, HOUR, iface, job, NOW, node, storage } from '../support/health-facts.ts';
import type { Cases } from './case.ts';

const disk = (path: string, part: Partial<Parameters<typeof asDisk>[0]> = {}) => asDisk({ path, ...part });
function asDisk(part: { path: string; health?: string | undefined; lifeLeft?: number | undefined }) {
  return { model: 'M', serial: undefined, size: GIB, type: 'ssd', use: 'LVM', health: 'PASSED', lifeLeft: 0.9, ...part };
}
const zpool = (part: { health?: string | undefined; used?: number; fragmentation?: number }) => ({
  zfsPools: new Map([
    ['n1', [{ name: 'tank', size: 100, free: 50, dedup: 1, health: 'ONLINE', used: 50, fragmentation: 0.1, ...part }]],
  ]),
});
const thin = (part: { used?: number; metadataUsed?: number; name?: string }) => ({
  thinPools: new Map([
    [
      'n1',
      [{ name: 'pve/data', size: 100 * GIB, used: 10 * GIB, metadataSize: 100, metadataUsed: 10, created: undefined, ...part }],
    ],
  ]),
});
const thinStore = definition('local-lvm', { plugin: 'lvmthin', shared: false, vgname: 'pve', thinpool: 'data' });

const backup = (vmid: number, time: number, part: Partial<Backup> = {}): Backup => ({
  volid: `store:backup/${vmid}-${time}`,
  storage: 'store',
  vmid,
  type: 'qemu',
  time,
  size: GIB,
  format: 'vma.zst',
  protected: false,
  encrypted: false,
  verification: undefined,
  notes: undefined,
  source: 'content',
  ...part,
});
const backups = (list: readonly Backup[], state: BackupsEverywhere['places'][number]['state'] = 'read'): FactData['backups'] => ({
  backups: list,
  places: [{ storage: 'store', node: undefined, state, needs: undefined }],
  byGuest: [],
  bare: false,
});
const covered = { jobs: [job('nightly')], guests: [guest(100)], nodes: [node('n1')], definitions: [definition('store')] };
const update = (name: string, origin = 'Debian') => ({ name, installed: '1', available: '2', origin, section: undefined });
const versions = (installed: string) => ({
  packages: [{ name: 'pve-manager', installed, candidate: '2' }],
  manager: installed,
  runningKernel: undefined,
  newestKernel: undefined,
});
const subscription = (status: string, message?: string) => ({
  status,
  message,
  level: undefined,
  product: undefined,
  key: undefined,
  sockets: undefined,
  registered: undefined,
  due: undefined,
  checked: undefined,
});
const repository = (source: string, enabled = true) => ({ source, enabled, file: undefined, comment: undefined });
const repositories = (remarks: readonly string[], ...list: ReturnType<typeof repository>[]) => ({
  repositories: new Map([['n1', { remarks, repositories: list }]]),
});
const PVE = 'http://download.proxmox.com/debian/pve trixie pve-no-subscription';
const ENTERPRISE = 'https://enterprise.proxmox.com/debian/pve trixie pve-enterprise';
const target = (name: string, enabled = true) => ({ name, type: 'smtp', enabled, comment: undefined, place: undefined });
const matcher = (name: string, targets: readonly string[], enabled = true) => ({
  name,
  enabled,
  targets,
  conditions: [],
  mode: 'all',
  inverted: false,
  comment: undefined,
});
const notifications = (targets: ReturnType<typeof target>[], ...matchers: ReturnType<typeof matcher>[]) => ({
  notifications: { targets, matchers },
});
const network = (
  interfaces: ReturnType<typeof iface>[],
  pending?: FactData['networks'] extends ReadonlyMap<string, infer N> ? (N extends { pending: infer P } ? P : never) : never,
) => ({
  networks: new Map([['n1', { interfaces, pending }]]),
});
const sdnObject = (id: string, pending: 'applied' | 'new' | 'changed' | 'deleted') => ({
  id,
  type: undefined,
  pending,
  changes: [],
  settings: new Map<string, string>(),
});
const zone = (status: string, where = 'n1') => ({ id: `sdn/${where}/lab`, node: where, type: 'zone', status });

/** Storages, disks, backups, updates, notifications, networks. */
export const dataCases: Cases = {
  'PVE-S01': {
    fires: {
      storages: [
        storage('nfs', { state: 'inactive' }),
        storage('pbs', { state: 'inactive', content: ['backup'] }),
        storage('local', { state: 'inactive', shared: false, nodes: ['n2'] }),
      ],
    },
    on: ['n2/local', 'nfs', 'pbs:warning'],
    near: [{ storages: [storage('a'), storage('b', { state: 'disabled' }), storage('c', { state: 'unknown' })] }],
  },
  'PVE-S02': {
    fires: { storages: [storage('nfs', { unreachableFrom: ['n2'] })] },
    on: ['nfs'],
    near: [{ storages: [storage('nfs')] }],
  },
  'PVE-S03': {
    fires: { storages: [storage('a', { used: 86 * GIB }), storage('b', { used: 96 * GIB })], nodes: [node('n1')] },
    on: ['a:warning', 'b'],
    near: [
      {
        storages: [
          storage('a', { used: 84 * GIB }),
          storage('b', { used: undefined, total: undefined }),
          storage('c', { used: 99 * GIB, state: 'inactive' }),
          // The root file system's own figures: the node's check tells.
          storage('local', { plugin: 'dir', shared: false, used: 99 * GIB, total: 100 * GIB }),
        ],
        nodes: [node('n1', { disk: 99 * GIB, maxDisk: 100 * GIB })],
      },
    ],
  },
  'PVE-S04': {
    fires: { definitions: [definition('a', { nodes: ['n1', 'n9'] })], nodes: [node('n1')] },
    on: ['a'],
    near: [{ definitions: [definition('a', { nodes: ['n1'] }), definition('b')], nodes: [node('n1')] }],
  },
  'PVE-S05': { fires: thin({ metadataUsed: 85 }), on: ['n1 pve/data:warning'], near: [thin({ metadataUsed: 70 })] },
  'PVE-S06': {
    fires: { ...thin({ used: 96 * GIB }), allStorages: [] },
    on: ['n1 pve/data'],
    near: [
      { ...thin({ used: 96 * GIB }), allStorages: [thinStore] },
      { ...thin({}), allStorages: [] },
    ],
  },
  'PVE-S07': {
    fires: {
      ...thin({}),
      definitions: [thinStore],
      details: details(detail(guest(100), { scsi0: 'local-lvm:vm-100-disk-0,size=160G' })),
      oneGo: true,
    },
    on: ['n1 pve/data'],
    near: [
      {
        ...thin({}),
        definitions: [thinStore],
        details: details(detail(guest(100), { scsi0: 'local-lvm:vm-100-disk-0,size=140G', scsi1: 'nfs:100/x.raw,size=900G' })),
        oneGo: true,
      },
      {
        ...thin({}),
        definitions: [thinStore],
        details: details(detail(guest(100, { node: 'n2' }), { scsi0: 'local-lvm:vm-100-disk-0,size=900G' })),
        oneGo: true,
      },
    ],
  },
  'PVE-D01': {
    fires: { disks: new Map([['n1', [disk('/dev/sda', { health: 'FAILED!' }), disk('/dev/sdb')]]]) },
    on: ['n1 /dev/sda'],
    near: [{ disks: new Map([['n1', [disk('/dev/sda', { health: 'OK' }), disk('/dev/sdb', { health: undefined })]]]) }],
  },
  'PVE-D02': {
    fires: { disks: new Map([['n1', [disk('/dev/sda', { lifeLeft: 0.15 }), disk('/dev/sdb', { lifeLeft: 0.03 })]]]) },
    on: ['n1 /dev/sda:warning', 'n1 /dev/sdb'],
    near: [{ disks: new Map([['n1', [disk('/dev/sda', { lifeLeft: 0.25 }), disk('/dev/sdb', { lifeLeft: undefined })]]]) }],
  },
  'PVE-D03': { fires: zpool({ health: 'DEGRADED' }), on: ['n1 tank'], near: [zpool({}), zpool({ health: undefined })] },
  'PVE-D04': { fires: zpool({ used: 85 }), on: ['n1 tank:warning'], near: [zpool({ used: 75 })] },
  'PVE-D05': { fires: zpool({ fragmentation: 0.7 }), on: ['n1 tank'], near: [zpool({ fragmentation: 0.31 })] },

  'PVE-B01': {
    fires: {
      jobs: [job('a', { selection: { kind: 'guests', vmids: [100] } }), job('off', { enabled: false })],
      guests: [guest(100), guest(101), guest(102, { template: true })],
    },
    on: ['101'],
    near: [
      { jobs: [job('a')], guests: [guest(100)] },
      { jobs: [job('off', { enabled: false })], guests: [guest(100)] },
    ],
  },
  'PVE-B02': {
    fires: { jobs: [job('off', { enabled: false })], guests: [guest(100)] },
    on: ['cluster'],
    near: [
      { jobs: [job('a')], guests: [guest(100)] },
      { jobs: [], guests: [guest(100, { template: true })] },
    ],
  },
  'PVE-B03': { fires: { jobs: [job('off', { enabled: false })] }, on: ['off'], near: [{ jobs: [job('a')] }] },
  'PVE-B04': {
    fires: {
      jobs: [
        job('gone', { storage: 'nowhere' }),
        job('off', { storage: 'off' }),
        job('iso', { storage: 'iso' }),
        job('dead', { storage: 'dead' }),
      ],
      allStorages: [definition('off', { enabled: false }), definition('iso', { content: ['iso'] }), definition('dead')],
      storages: [storage('dead', { state: 'inactive' })],
    },
    on: ['dead', 'gone', 'iso', 'off'],
    near: [
      {
        jobs: [job('a'), job('b', { enabled: false, storage: 'nowhere' }), job('c', { storage: undefined })],
        allStorages: [definition('store')],
        storages: [storage('store')],
      },
    ],
  },
  'PVE-B05': {
    fires: { jobs: [job('a', { selection: { kind: 'guests', vmids: [100, 999] } })], allGuests: [guest(100)] },
    on: ['a'],
    near: [{ jobs: [job('a', { selection: { kind: 'guests', vmids: [100] } }), job('b')], allGuests: [guest(100)] }],
  },
  'PVE-B06': {
    fires: { jobs: [job('a')], definitions: [definition('store')] },
    on: ['store'],
    near: [
      { jobs: [job('a', { retention: 'keep-last=3' })], definitions: [definition('store')] },
      { jobs: [job('a')], definitions: [definition('store', { retention: 'keep-all=1' })] },
      { jobs: [job('a', { enabled: false })], definitions: [definition('store')] },
    ],
  },
  'PVE-B07': {
    fires: { jobs: [job('a', { node: 'n2' }), job('b', { node: 'n9' })], nodes: [node('n1'), node('n2', { status: 'offline' })] },
    on: ['a', 'b'],
    near: [{ jobs: [job('a', { node: 'n1' }), job('b'), job('c', { node: 'n9', enabled: false })], nodes: [node('n1')] }],
  },
  'PVE-B08': {
    fires: { jobs: [job('a', { selection: { kind: 'pool', pool: 'empty' } })], allGuests: [guest(100, { pool: 'p' })] },
    on: ['a'],
    near: [{ jobs: [job('a', { selection: { kind: 'pool', pool: 'p' } })], allGuests: [guest(100, { pool: 'p' })] }],
  },
  'PVE-B09': {
    fires: { ...covered, backups: backups([backup(100, NOW - 3 * DAY)]) },
    on: ['100'],
    near: [
      { ...covered, backups: backups([backup(100, NOW - 20 * HOUR)]) },
      // What could not be read says nothing about age.
      { ...covered, backups: backups([backup(100, NOW - 3 * DAY)], 'hidden') },
      { ...covered, backups: backups([backup(100, NOW - 3 * DAY)], 'guests') },
    ],
  },
  'PVE-B10': {
    fires: { ...covered, backups: backups([backup(100, NOW - HOUR, { verification: 'failed' })]) },
    on: ['100'],
    near: [
      { ...covered, backups: backups([backup(100, NOW - HOUR)]) },
      { ...covered, backups: backups([], 'hidden') },
      { ...covered, jobs: [], backups: backups([]) },
    ],
  },
  'PVE-B11': {
    fires: { guests: [guest(100)], backups: backups([backup(100, NOW, { verification: 'failed' })]) },
    on: ['100'],
    near: [
      {
        guests: [guest(100)],
        backups: backups([backup(100, NOW, { verification: 'ok' }), backup(100, NOW, { size: undefined })]),
      },
    ],
  },
  'PVE-B12': {
    fires: { allGuests: [guest(100)], backups: backups([backup(999, NOW)]) },
    on: ['store'],
    near: [{ allGuests: [guest(100)], backups: backups([backup(100, NOW)]) }],
  },
  'PVE-B13': {
    fires: {
      jobs: [job('a')],
      details: details(
        detail(guest(100), { scsi0: 'store:100/a.raw,backup=0,size=1G' }),
        detail(guest(200, { type: 'lxc' }), { mp0: 'store:200/a.raw,mp=/x,size=1G' }),
      ),
    },
    on: ['100', '200'],
    near: [
      {
        jobs: [job('a')],
        details: details(
          detail(guest(100), {
            scsi0: 'store:100/a.raw,size=1G',
            ide2: 'none,media=cdrom',
            tpmstate0: 'store:x,size=4M',
            ide0: 'store:vm-100-cloudinit,media=cdrom',
          }),
        ),
      },
      { jobs: [], details: details(detail(guest(100), { scsi0: 'store:100/a.raw,backup=0,size=1G' })) },
    ],
  },

  'PVE-U01': {
    fires: { updates: new Map([['n1', [update('openssl', 'Debian-Security')]]]) },
    on: ['n1'],
    near: [{ updates: new Map([['n1', [update('tzdata')]]]) }],
  },
  'PVE-U02': {
    fires: { updates: new Map([['n1', [update('tzdata')]]]) },
    on: ['n1'],
    near: [{ updates: new Map([['n1', []]]) }],
  },
  'PVE-U03': {
    fires: { versions: new Map([['n1', versions('1')]]) },
    on: ['n1'],
    near: [
      { versions: new Map([['n1', versions('2')]]) },
      { versions: new Map([['n1', versions('1')]]), updates: new Map([['n1', []]]) },
    ],
  },
  'PVE-U04': {
    fires: { subscriptions: new Map([['n1', subscription('notfound')]]) },
    on: ['n1'],
    near: [
      {
        subscriptions: new Map([
          ['n1', subscription('active')],
          ['n2', subscription('expired')],
          ['n3', subscription('unknown')],
        ]),
      },
    ],
  },
  'PVE-U05': {
    fires: { subscriptions: new Map([['n1', subscription('expired', 'x')]]) },
    on: ['n1'],
    near: [
      {
        subscriptions: new Map([
          ['n1', subscription('active')],
          ['n2', subscription('notfound')],
        ]),
      },
    ],
  },
  'PVE-U06': { fires: repositories(['line 4: unknown key']), on: ['n1'], near: [repositories([], repository(PVE))] },
  'PVE-U07': {
    fires: { ...repositories([], repository(ENTERPRISE)), subscriptions: new Map([['n1', subscription('notfound')]]) },
    on: ['n1'],
    near: [
      { ...repositories([], repository(ENTERPRISE)), subscriptions: new Map([['n1', subscription('active')]]) },
      { ...repositories([], repository(ENTERPRISE)), subscriptions: new Map([['n1', subscription('unknown')]]) },
      { ...repositories([], repository(ENTERPRISE, false)), subscriptions: new Map([['n1', subscription('notfound')]]) },
    ],
  },
  'PVE-U08': {
    fires: repositories([], repository('http://deb.debian.org trixie main'), repository(PVE, false)),
    on: ['n1'],
    near: [repositories([], repository(PVE)), repositories([])],
  },
  'PVE-U09': {
    fires: repositories([], repository('http://download.proxmox.com/debian/pve trixie pvetest')),
    on: ['n1'],
    near: [repositories([], repository('http://download.proxmox.com/debian/pve trixie pvetest', false), repository(PVE))],
  },

  'PVE-M01': {
    fires: notifications([target('a', false)], matcher('m', ['a'])),
    on: ['matcher m'],
    near: [notifications([target('a'), target('b', false)], matcher('m', ['a']), matcher('off', ['b'], false))],
  },
  'PVE-M02': {
    fires: notifications([target('a')], matcher('m', ['a', 'gone'])),
    on: ['matcher m'],
    near: [notifications([target('a')], matcher('m', ['a']), matcher('off', ['gone'], false))],
  },
  'PVE-M03': {
    fires: notifications([target('a', false)], matcher('m', ['a'])),
    on: ['cluster'],
    near: [notifications([target('a')], matcher('m', ['a']))],
  },
  'PVE-M04': {
    fires: notifications([target('a')], matcher('m', ['a'], false)),
    on: ['matcher m'],
    near: [notifications([target('a')], matcher('m', ['a']))],
  },
  'PVE-M05': {
    fires: { metricServers: [{ id: 'x', type: 'graphite', server: 's', port: 1, enabled: false, details: undefined }] },
    on: ['x'],
    near: [{ metricServers: [{ id: 'x', type: 'graphite', server: 's', port: 1, enabled: true, details: undefined }] }],
  },

  'PVE-W01': { fires: network([], { added: 2, removed: 1, diff: '' }), on: ['n1'], near: [network([])] },
  'PVE-W02': {
    fires: { sdn: { zones: [sdnObject('z', 'new')], vnets: [sdnObject('v', 'deleted')] } },
    on: ['VNet v', 'zone z'],
    near: [{ sdn: { zones: [sdnObject('z', 'applied')], vnets: [] } }],
  },
  'PVE-W03': {
    fires: { zones: [zone('error')], nodes: [node('n1')] },
    on: ['zone lab on n1'],
    near: [
      {
        zones: [zone('available'), zone('pending'), zone('error', 'n2')],
        nodes: [node('n1'), node('n2', { status: 'offline' })],
      },
    ],
  },
  'PVE-W04': {
    fires: network([iface('vmbr0', 'bridge', { active: false })]),
    on: ['n1'],
    near: [
      network([
        iface('vmbr0', 'bridge'),
        iface('vmbr1', 'OVSBridge', { active: false, autostart: false }),
        iface('eno1', 'eth', { active: false }),
      ]),
    ],
  },
  'PVE-W05': {
    fires: network([iface('bond0', 'bond', { ports: ['a', 'b'] }), iface('a', 'eth'), iface('b', 'eth', { active: false })]),
    on: ['n1 bond0'],
    near: [
      network([iface('bond0', 'bond', { ports: ['a', 'gone'] }), iface('a', 'eth')]),
      network([iface('bond0', 'bond', { ports: ['b'], active: false }), iface('b', 'eth', { active: false })]),
    ],
  },
};
