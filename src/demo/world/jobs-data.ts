import type { DemoBackupJob, DemoPool, GuestType } from './types.ts';

/** Guests that `backup-weekly-all` has saved so far. */
export const WEEKLY_GUESTS: readonly (readonly [vmid: number, type: GuestType])[] = [
  [100, 'qemu'],
  [101, 'qemu'],
  [103, 'qemu'],
  [104, 'qemu'],
  [107, 'qemu'],
  [108, 'qemu'],
  [109, 'qemu'],
  [111, 'qemu'],
  [112, 'qemu'],
  [115, 'qemu'],
  [200, 'lxc'],
  [201, 'lxc'],
  [203, 'lxc'],
  [204, 'lxc'],
];

/** Resource pools of the hand-made cluster; `prod/web` is nested (8.1 and later). */
export function handMadePools(): DemoPool[] {
  return [
    { poolid: 'prod', comment: 'Production guests: line 1', storages: ['local', 'nas-media'] },
    { poolid: 'prod/web', comment: 'nested pool', storages: [] },
    { poolid: 'lab', storages: [] },
    { poolid: 'empty', comment: 'nothing in here', storages: [] },
  ];
}

/** vzdump jobs: enabled, disabled, by pool, all with exclusions, by node, by list, and a legacy one without schedule format. */
export function handMadeBackupJobs(): DemoBackupJob[] {
  return [
    {
      id: 'backup-nightly',
      enabled: true,
      schedule: '02:00',
      all: false,
      vmids: [],
      exclude: [],
      pool: 'prod',
      storage: 'pbs-main',
      options: {
        mode: 'snapshot',
        comment: 'Nightly: täglich',
        compress: 'zstd',
        fleecing: { enabled: 1, storage: 'local-lvm' },
        mailnotification: 'failure',
        mailto: 'ops@demo.example',
        'notes-template': '{{guestname}} on {{node}}',
        'notification-mode': 'notification-system',
        'repeat-missed': 1,
      },
    },
    {
      id: 'backup-weekly-all',
      enabled: true,
      schedule: 'sun 01:00',
      all: true,
      vmids: [],
      exclude: [102, 106, 117, 205],
      node: 'pve1',
      storage: 'nas-backup',
      options: { mode: 'snapshot', compress: 'zstd', 'prune-backups': { 'keep-last': '3', 'keep-weekly': '4' } },
    },
    {
      id: 'backup-lab',
      enabled: false,
      schedule: 'mon..fri 21:30',
      all: false,
      vmids: [],
      exclude: [],
      pool: 'lab',
      node: 'pve1',
      storage: 'local',
      options: { 'pbs-change-detection-mode': 'metadata' },
    },
    {
      id: 'backup-two',
      enabled: true,
      schedule: 'mon,thu 22:15',
      all: false,
      vmids: [121, 220, 9001],
      exclude: [],
      storage: 'backup-dir',
      options: { mode: 'stop', compress: '0', performance: { 'max-workers': '4', 'pbs-entries-max': '1048576' } },
    },
    {
      id: '6c2f41d0a9c3be17f7d5e0f4a1b2c3d4e5f60718:1',
      enabled: true,
      schedule: 'sat 03:30',
      all: false,
      vmids: [111],
      exclude: [],
      storage: 'nas-backup',
      options: { mode: 'suspend', compress: 'lzo', quiet: 1, mailto: 'ops@demo.example' },
    },
  ];
}
