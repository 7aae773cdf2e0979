/** One number that a health check compares with. */
export interface HealthThreshold {
  readonly default: number;
  /** `%`, `days`, `hours`, `seconds`, or nothing for a plain number. */
  readonly unit: string;
  readonly about: string;
}

/** Numbers that an administrator may set in place of ours, by name (`health.thresholds` in the configuration file). */
export const HEALTH_THRESHOLDS = {
  'storage-warning': { default: 85, unit: '%', about: 'use of a storage' },
  'storage-critical': { default: 95, unit: '%', about: 'use of a storage' },
  'thin-overcommit': { default: 150, unit: '%', about: 'size of the volumes in a thin pool, against the pool' },
  'metadata-warning': { default: 80, unit: '%', about: 'use of the metadata of a thin pool' },
  'metadata-critical': { default: 95, unit: '%', about: 'use of the metadata of a thin pool' },
  'zfs-warning': { default: 80, unit: '%', about: 'use of a ZFS pool' },
  'zfs-critical': { default: 92, unit: '%', about: 'use of a ZFS pool' },
  'zfs-fragmentation': { default: 60, unit: '%', about: 'fragmentation of a ZFS pool' },
  'wear-warning': { default: 80, unit: '%', about: "part of a disk's life that is used up" },
  'wear-critical': { default: 95, unit: '%', about: "part of a disk's life that is used up" },
  'root-warning': { default: 85, unit: '%', about: "use of a node's root file system" },
  'root-critical': { default: 95, unit: '%', about: "use of a node's root file system" },
  'memory-warning': { default: 90, unit: '%', about: "use of a node's memory" },
  'memory-critical': { default: 97, unit: '%', about: "use of a node's memory" },
  'memory-assigned': { default: 120, unit: '%', about: 'memory assigned to running guests, against that of the node' },
  'swap-warning': { default: 50, unit: '%', about: "use of a node's swap" },
  'cpu-warning': { default: 90, unit: '%', about: "use of a node's CPUs" },
  'load-warning': { default: 150, unit: '%', about: 'load of 15 minutes, against the logical CPUs' },
  'io-wait-warning': { default: 20, unit: '%', about: 'time that a node waits for input and output' },
  'clock-warning': { default: 5, unit: 'seconds', about: 'distance of a clock from that of the node that answers' },
  'clock-critical': { default: 30, unit: 'seconds', about: 'distance of a clock from that of the node that answers' },
  'certificate-warning': { default: 30, unit: 'days', about: 'time until a certificate ends' },
  'certificate-critical': { default: 7, unit: 'days', about: 'time until a certificate ends' },
  'authority-warning': { default: 180, unit: 'days', about: "time until the cluster's own certificate authority ends" },
  'task-hours': { default: 24, unit: 'hours', about: 'how long a task may run' },
  'replication-intervals': { default: 3, unit: '', about: 'intervals that a replication may be behind' },
  'snapshot-days': { default: 30, unit: 'days', about: 'age of a snapshot' },
  'guest-memory': { default: 95, unit: '%', about: "use of a guest's memory" },
  'guest-cpu': { default: 95, unit: '%', about: "use of a guest's CPUs" },
  'guest-disk-warning': { default: 90, unit: '%', about: "use of a container's root file system" },
  'guest-disk-critical': { default: 97, unit: '%', about: "use of a container's root file system" },
  'ceph-warning': { default: 75, unit: '%', about: 'use of the Ceph cluster' },
  'ceph-critical': { default: 85, unit: '%', about: 'use of the Ceph cluster' },
} as const satisfies Readonly<Record<string, HealthThreshold>>;

export type ThresholdName = keyof typeof HEALTH_THRESHOLDS;

// The keys of a constant are what it is written with.
const NAMES = Object.keys(HEALTH_THRESHOLDS) as ThresholdName[];

export const THRESHOLD_NAMES: readonly string[] = NAMES;

/** The number to compare with: the administrator's, or ours. */
export function thresholdOf(set: Readonly<Record<string, number>>, name: ThresholdName): number {
  return Object.hasOwn(set, name) ? (set[name] ?? HEALTH_THRESHOLDS[name].default) : HEALTH_THRESHOLDS[name].default;
}

/** Numbers of the same thing: from where it is a warning, and from where it is critical. */
export function thresholdPairs(): readonly { readonly warning: ThresholdName; readonly critical: ThresholdName }[] {
  const named = (name: string): ThresholdName | undefined => NAMES.find((n) => n === name);
  return NAMES.flatMap((warning) => {
    const critical = named(warning.replace(/-warning$/, '-critical'));
    return critical === undefined || critical === warning ? [] : [{ warning, critical }];
  });
}
