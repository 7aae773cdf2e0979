import { plant } from './canaries.ts';
import { fingerprintOf } from './random.ts';
import type { CanarySink, DemoStorage, StorageUse } from './types.ts';
import { GIB, gib, TIB } from './units.ts';

const DEAD: StorageUse = { active: false, total: 0, used: 0, avail: 0 };

interface StorageSpec {
  readonly storage: string;
  readonly type: string;
  readonly content: readonly string[];
  readonly shared?: true;
  readonly disabled?: true;
  readonly nodes?: readonly string[];
  readonly section?: Readonly<Record<string, string | number>>;
  /** GiB total and used: the same everywhere, or per node; absent = unreachable. */
  readonly fill?: readonly [number, number] | Readonly<Record<string, readonly [number, number]>>;
  readonly growthPerDay?: number;
}

function isPair(fill: StorageSpec['fill']): fill is readonly [number, number] {
  return Array.isArray(fill);
}

/** GiB total and used to the figures of a storage; `reserved` is the share that is neither used nor available. */
function filled([total, used]: readonly [number, number], reserved: number): StorageUse {
  const bytes = gib(total);
  const usedBytes = gib(used);
  return { active: true, total: bytes, used: usedBytes, avail: Math.max(0, bytes - usedBytes - Math.floor(bytes * reserved)) };
}

/** Turns a specification into a storage. */
export function buildStorage(spec: StorageSpec): DemoStorage {
  const disabled = spec.disabled === true;
  return {
    storage: spec.storage,
    type: spec.type,
    content: spec.content,
    shared: spec.shared === true,
    disabled,
    ...(spec.nodes ? { nodes: spec.nodes } : {}),
    section: spec.section ?? {},
    growthPerDay: spec.growthPerDay ?? 0,
    use(node) {
      if (disabled || (spec.nodes && !spec.nodes.includes(node))) return DEAD;
      const fill = isPair(spec.fill) ? spec.fill : spec.fill?.[node];
      return fill ? filled(fill, spec.type === 'dir' || spec.type === 'nfs' ? 0.05 : 0) : DEAD;
    },
  };
}

/** The storages of the hand-made cluster: every kind in use, near full, unreachable, disabled and foreign ones. */
export function handMadeStorages(sink: CanarySink): DemoStorage[] {
  const nfsOption = plant(sink, '/storage options of nas-backup', 'CANARY-nfsopt-Eq4jG8oXb1');
  const cifsOption = plant(sink, '/storage options of smb-archive', 'CANARY-cifsopt-Fr0kV5pYc7');
  const cephSecret = plant(sink, '/storage options of ceph-fs', 'AQCANARYcephfsGs6lU2qZdA==');
  const apiKey = plant(sink, '/storage api_key of flash-array', 'CANARY-arraykey-Ht2mT9rAe3');
  const arrayPassword = plant(sink, '/storage chap_password of flash-array', 'CANARY-chap-Iu8nS6sBf9');
  const keyData = plant(sink, '/storage encryption-key of pbs-offsite', 'CANARY-pbskey-Jv4oR3tCg5');
  const clientKey = JSON.stringify({
    kdf: null,
    created: '2025-02-01T10:00:00+01:00',
    modified: '2025-02-01T10:00:00+01:00',
    data: keyData,
  });
  return [
    buildStorage({
      storage: 'local',
      type: 'dir',
      content: ['iso', 'vztmpl', 'backup', 'images', 'rootdir', 'snippets', 'import'],
      section: { path: '/var/lib/vz', 'prune-backups': 'keep-daily=7,keep-last=3', shared: 0 },
      fill: { pve1: [94, 31.2], pve2: [68, 61.4], pve3: [68, 20] },
      growthPerDay: 0.05 * GIB,
    }),
    buildStorage({
      storage: 'local-lvm',
      type: 'lvmthin',
      content: ['images', 'rootdir'],
      section: { thinpool: 'data', vgname: 'pve' },
      fill: { pve1: [794, 619.3], pve2: [338, 325.1], pve3: [338, 90] },
      growthPerDay: 2.4 * GIB,
    }),
    buildStorage({
      storage: 'vg-fast',
      type: 'lvm',
      content: ['images', 'rootdir'],
      nodes: ['pve2'],
      section: { vgname: 'fast', saferemove: 0 },
      fill: [446, 210],
    }),
    buildStorage({
      storage: 'tank',
      type: 'zfspool',
      content: ['images', 'rootdir'],
      nodes: ['pve1'],
      section: { pool: 'tank/vmdata', blocksize: '16k', sparse: 1, mountpoint: '/tank/vmdata' },
      fill: [3620, 2210],
      growthPerDay: 11 * GIB,
    }),
    buildStorage({
      storage: 'backup-dir',
      type: 'dir',
      content: ['backup', 'images'],
      nodes: ['pve1', 'pve2'],
      section: { path: '/mnt/backup', is_mountpoint: 'yes', mkdir: 0, 'max-protected-backups': 5 },
      fill: { pve1: [931, 402], pve2: [931, 120] },
    }),
    buildStorage({
      storage: 'nas-backup',
      type: 'nfs',
      content: ['backup', 'iso'],
      shared: true,
      section: {
        server: '10.20.0.20',
        export: '/export/backup',
        path: '/mnt/pve/nas-backup',
        options: `vers=4.2,soft,password=${nfsOption}`,
        'prune-backups': 'keep-daily=7,keep-monthly=6,keep-weekly=4',
      },
      fill: [7450, 7102],
      growthPerDay: 24 * GIB,
    }),
    buildStorage({
      storage: 'nas-media',
      type: 'nfs',
      content: ['images', 'iso', 'rootdir'],
      shared: true,
      section: {
        server: '10.20.0.21',
        export: '/export/media',
        path: '/mnt/pve/nas-media',
        options: 'vers=4.2,soft',
        preallocation: 'off',
      },
    }),
    buildStorage({
      storage: 'smb-archive',
      type: 'cifs',
      content: ['images', 'backup'],
      shared: true,
      section: {
        server: 'filer.demo.example',
        share: 'Archive',
        domain: 'DEMO',
        username: 'svc-pve',
        smbversion: '3.11',
        path: '/mnt/pve/smb-archive',
        options: `mfsymlinks,password=${cifsOption},vers=3.11`,
      },
      fill: [11_170, 6020],
    }),
    buildStorage({
      storage: 'old-smb',
      type: 'cifs',
      content: ['backup'],
      shared: true,
      disabled: true,
      section: { server: '10.20.0.22', share: 'Backups', username: 'backup', path: '/mnt/pve/old-smb' },
    }),
    buildStorage({
      storage: 'ceph-rbd',
      type: 'rbd',
      content: ['images', 'rootdir'],
      shared: true,
      section: { pool: 'vm-pool', monhost: '10.20.0.31 10.20.0.32 10.20.0.33', username: 'admin', krbd: 0 },
      fill: [1370, 611],
      growthPerDay: 1.1 * GIB,
    }),
    buildStorage({
      storage: 'ceph-fs',
      type: 'cephfs',
      content: ['iso', 'vztmpl'],
      shared: true,
      section: {
        'fs-name': 'cephfs',
        monhost: '10.20.0.31',
        username: 'admin',
        path: '/mnt/pve/ceph-fs',
        options: `noatime,secret=${cephSecret}`,
      },
      fill: [1370, 42],
    }),
    buildStorage({
      storage: 'pbs-main',
      type: 'pbs',
      content: ['backup'],
      shared: true,
      section: {
        server: 'pbs.demo.example',
        datastore: 'main',
        namespace: 'prod/pve',
        username: 'pve@pbs!sync',
        port: 8007,
        fingerprint: fingerprintOf('pbs-main'),
        'encryption-key': fingerprintOf('pbs-main/key'),
        'master-pubkey': 1,
        'prune-backups': 'keep-all=1',
      },
      fill: [14_900, 9313],
      growthPerDay: 31 * GIB,
    }),
    buildStorage({
      storage: 'pbs-offsite',
      type: 'pbs',
      content: ['backup'],
      shared: true,
      section: {
        server: '203.0.113.7',
        datastore: 'offsite',
        username: 'pve@pbs',
        fingerprint: fingerprintOf('pbs-offsite'),
        'encryption-key': clientKey,
      },
    }),
    buildStorage({
      storage: 'san',
      type: 'iscsi',
      content: ['none'],
      shared: true,
      section: { portal: '10.20.0.40', target: 'iqn.2024-05.example.demo:store1' },
    }),
    buildStorage({
      storage: 'btr',
      type: 'btrfs',
      content: ['images'],
      disabled: true,
      section: { path: '/mnt/btr' },
    }),
    buildStorage({
      storage: 'flash-array',
      type: 'purestorage',
      content: ['images'],
      shared: true,
      section: {
        address: 'https://array.demo.example',
        api_key: apiKey,
        chap_password: arrayPassword,
        hgsuffix: 'demo',
        protocol: 'iscsi',
      },
      fill: [20_480, 4100],
    }),
    buildStorage({
      storage: 'old-esxi',
      type: 'esxi',
      content: ['import'],
      section: { server: '10.20.0.50', username: 'root', 'skip-cert-verification': 1 },
    }),
  ];
}

/** Storages of a cluster of a chosen size: the hand-made ones plus roomy shared ones that hold the many guests. */
export function generatedStorages(): DemoStorage[] {
  return [
    buildStorage({
      storage: 'ceph-bulk',
      type: 'rbd',
      content: ['images', 'rootdir'],
      shared: true,
      section: { pool: 'bulk', monhost: '10.20.0.31 10.20.0.32 10.20.0.33', username: 'admin', krbd: 0 },
      fill: [(900 * TIB) / GIB, (510 * TIB) / GIB],
      growthPerDay: 300 * GIB,
    }),
    buildStorage({
      storage: 'pbs-bulk',
      type: 'pbs',
      content: ['backup'],
      shared: true,
      section: {
        server: 'pbs2.demo.example',
        datastore: 'bulk',
        username: 'pve@pbs!bulk',
        port: 8007,
        fingerprint: fingerprintOf('pbs-bulk'),
        'prune-backups': 'keep-all=1',
      },
      fill: [(600 * TIB) / GIB, (377 * TIB) / GIB],
      growthPerDay: 120 * GIB,
    }),
  ];
}
