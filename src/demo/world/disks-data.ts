import { hex } from './random.ts';
import type { DemoDisk, NodeDisks } from './types.ts';
import { gib, TIB } from './units.ts';

function attribute(
  id: string,
  name: string,
  value: string,
  raw: string,
  worst = value,
  threshold = '0',
): Readonly<Record<string, string>> {
  return { id: id.padStart(3), name, value, worst, threshold, flags: '-O--CK', fail: '-', raw };
}

function disk(fields: Partial<DemoDisk> & Pick<DemoDisk, 'devpath' | 'size' | 'model' | 'type'>, seed: string): DemoDisk {
  return {
    serial: hex(`${seed}/serial`, 12).toUpperCase(),
    vendor: 'ATA     ',
    wwn: `0x5${hex(`${seed}/wwn`, 15)}`,
    rpm: fields.type === 'hdd' ? 7200 : 0,
    health: 'PASSED',
    wearout: 'N/A',
    gpt: true,
    osdid: -1,
    smart: { type: 'ata', attributes: [] },
    ...fields,
  };
}

const NVME_TEXT = [
  '',
  'SMART/Health Information (NVMe Log 0x02)',
  'Critical Warning:                   0x00',
  'Temperature:                        41 Celsius',
  'Available Spare:                    100%',
  'Percentage Used:                    9%',
  'Data Units Read:                    81,204,417 [41.5 TB]',
  'Data Units Written:                 96,117,580 [49.2 TB]',
  'Power On Hours:                     19,240',
  'Media and Data Integrity Errors:    0',
  '',
].join('\n');

const ATA_GOOD = [
  attribute('5', 'Reallocated_Sector_Ct', '100', '0'),
  attribute('9', 'Power_On_Hours', '95', '23110'),
  attribute('177', 'Wear_Leveling_Count', '71', '611'),
  attribute('194', 'Temperature_Celsius', '67', '33 (Min/Max 19/48)'),
];

const ATA_FAILING = [
  attribute('5', 'Reallocated_Sector_Ct', '8', '2216', '8', '10'),
  attribute('9', 'Power_On_Hours', '41', '51902'),
  attribute('197', 'Current_Pending_Sector', '92', '144'),
  attribute('198', 'Offline_Uncorrectable', '95', '96'),
];

/** Disks, volume groups, pools and directories of the hand-made nodes. */
export function handMadeDisks(node: string): NodeDisks {
  if (node === 'pve1') return pve1Disks();
  if (node === 'pve2') return pve2Disks();
  return EMPTY;
}

const EMPTY: NodeDisks = { disks: [], lvm: { leaf: 0, children: [] }, lvmthin: [], zfs: [], directories: [] };

function lvmTree(rows: readonly { name: string; size: number; free: number; lvcount: number; device: string }[]) {
  return {
    leaf: 0,
    children: rows.map((row) => ({
      leaf: 0,
      name: row.name,
      size: row.size,
      free: row.free,
      lvcount: row.lvcount,
      children: [{ leaf: 1, name: row.device, size: row.size, free: row.free }],
    })),
  };
}

function pve1Disks(): NodeDisks {
  return {
    disks: [
      disk(
        {
          devpath: '/dev/nvme0n1',
          size: 1_000_204_886_016,
          model: 'Samsung SSD 990 PRO 1TB',
          type: 'nvme',
          vendor: 'unknown',
          wearout: 91,
          used: 'BIOS boot',
          smart: { type: 'text', text: NVME_TEXT },
        },
        'pve1/nvme0',
      ),
      disk(
        {
          devpath: '/dev/nvme0n1p3',
          parent: '/dev/nvme0n1',
          size: 999_126_793_216,
          model: '',
          type: 'nvme',
          vendor: 'unknown',
          health: '',
          used: 'LVM',
          smart: { type: 'text', text: '' },
        },
        'pve1/nvme0p3',
      ),
      disk(
        {
          devpath: '/dev/sda',
          size: 4_000_787_030_016,
          model: 'WDC_WD40EFRX-68N32N0',
          type: 'hdd',
          used: 'ZFS',
          smart: { type: 'ata', attributes: ATA_GOOD },
        },
        'pve1/sda',
      ),
      disk(
        {
          devpath: '/dev/sdb',
          size: 4_000_787_030_016,
          model: 'WDC_WD40EFRX-68N32N0',
          type: 'hdd',
          health: 'FAILED!',
          used: 'ZFS',
          smart: { type: 'ata', attributes: ATA_FAILING },
        },
        'pve1/sdb',
      ),
      disk(
        {
          devpath: '/dev/sdc',
          size: 1_000_204_886_016,
          model: 'Samsung_SSD_870_EVO_1TB',
          type: 'ssd',
          wearout: 71,
          used: 'ext4',
          smart: { type: 'ata', attributes: ATA_GOOD },
          byIdLink: '/dev/disk/by-id/ata-DEMO_SSD_870_S5Y1',
        },
        'pve1/sdc',
      ),
      disk(
        {
          devpath: '/dev/sdd',
          size: 480_103_981_056,
          model: 'INTEL_SSDSC2KB480G8',
          type: 'ssd',
          wearout: 4,
          osdid: '0',
          used: 'LVM',
          smart: { type: 'ata', attributes: ATA_GOOD },
        },
        'pve1/sdd',
      ),
      disk(
        {
          devpath: '/dev/sde',
          size: 32_010_928_128,
          model: 'Ultra_Fit',
          type: 'usb',
          vendor: 'SanDisk ',
          health: 'UNKNOWN',
          gpt: false,
          smart: { type: 'ata', attributes: [] },
        },
        'pve1/sde',
      ),
    ],
    lvm: lvmTree([{ name: 'pve', size: 999_124_815_872, free: 17_179_869_184, lvcount: 14, device: '/dev/nvme0n1p3' }]),
    lvmthin: [
      {
        lv: 'data',
        vg: 'pve',
        lv_size: gib(794),
        used: gib(619.3),
        metadata_size: 8_489_271_296,
        metadata_used: 8_149_700_444,
        lv_state: 'a',
        lv_type: 't',
        ctime: '1717200000',
      },
    ],
    zfs: [
      {
        row: {
          name: 'tank',
          size: 3_985_729_650_688,
          alloc: 2_372_977_131_520,
          free: 1_612_752_519_168,
          frag: 31,
          dedup: 1,
          health: 'DEGRADED',
        },
        detail: {
          name: 'tank',
          state: 'DEGRADED',
          status: 'One or more devices has experienced an unrecoverable error.',
          action:
            "Determine if the device needs to be replaced, and clear the errors using 'zpool clear' or replace the device with 'zpool replace'.",
          see: 'https://openzfs.github.io/openzfs-docs/msg/ZFS-8000-9P',
          scan: 'scrub repaired 1.2M in 09:13:50 with 0 errors on Sun Jan  4 09:37:51 2026',
          errors: 'No known data errors',
          leaf: 0,
          children: [
            {
              name: 'tank',
              state: 'DEGRADED',
              read: 0,
              write: 0,
              cksum: 0,
              msg: '',
              leaf: 0,
              children: [
                {
                  name: 'mirror-0',
                  state: 'DEGRADED',
                  read: 0,
                  write: 0,
                  cksum: 0,
                  msg: '',
                  leaf: 0,
                  children: [
                    { name: 'ata-WDC_WD40EFRX-68N32N0_A1', state: 'ONLINE', read: 0, write: 0, cksum: 0, msg: '', leaf: 1 },
                    {
                      name: 'ata-WDC_WD40EFRX-68N32N0_B2',
                      state: 'FAULTED',
                      read: 38,
                      write: 0,
                      cksum: 217,
                      msg: 'too many errors',
                      leaf: 1,
                    },
                  ],
                },
              ],
            },
          ],
        },
      },
    ],
    directories: [
      {
        path: '/mnt/backup',
        device: '/dev/disk/by-uuid/7d0c1f5e-3b2a-4c19-8f6e-2a1b0c9d8e7f',
        type: 'ext4',
        options: 'defaults',
        unitfile: '/etc/systemd/system/mnt-backup.mount',
      },
    ],
  };
}

function pve2Disks(): NodeDisks {
  return {
    disks: [
      disk(
        {
          devpath: '/dev/sda',
          size: 480_103_981_056,
          model: 'SAMSUNG_MZ7LH480',
          type: 'ssd',
          wearout: 38,
          used: 'BIOS boot',
          smart: { type: 'ata', attributes: ATA_GOOD },
        },
        'pve2/sda',
      ),
      disk(
        {
          devpath: '/dev/sdb',
          size: 480_103_981_056,
          model: 'INTEL_SSDSC2KB480G8',
          type: 'ssd',
          wearout: 88,
          osdid: 1,
          used: 'LVM',
          smart: { type: 'ata', attributes: ATA_GOOD },
        },
        'pve2/sdb',
      ),
    ],
    lvm: lvmTree([
      { name: 'pve', size: 478_000_000_000, free: 8_000_000_000, lvcount: 7, device: '/dev/sda3' },
      { name: 'fast', size: 478_890_950_656, free: 253_000_000_000, lvcount: 2, device: '/dev/sdb1' },
    ]),
    lvmthin: [
      {
        lv: 'data',
        vg: 'pve',
        lv_size: gib(338),
        used: gib(325.1),
        metadata_size: 3_623_878_656,
        metadata_used: 1_413_312_675,
        lv_state: 'a',
        lv_type: 't',
        ctime: '1650000000',
      },
    ],
    zfs: [],
    directories: [],
  };
}

/** A plain node of a generated cluster: two system disks. */
export function generatedDisks(node: string): NodeDisks {
  return {
    disks: ['a', 'b'].map((letter) =>
      disk(
        {
          devpath: `/dev/sd${letter}`,
          size: Math.round(1.92e12),
          model: 'SAMSUNG_MZ7L31T9',
          type: 'ssd',
          wearout: 95,
          used: 'LVM',
          smart: { type: 'ata', attributes: ATA_GOOD },
        },
        `${node}/sd${letter}`,
      ),
    ),
    lvm: lvmTree([{ name: 'pve', size: Math.round(1.7 * TIB), free: gib(16), lvcount: 3, device: '/dev/sda3' }]),
    lvmthin: [],
    zfs: [],
    directories: [],
  };
}
