/**
 * The data set behind the embedded cluster. Everything the handlers answer is derived from these records; values are
 * kept as release 9.2 answers them and are reshaped for older releases by the handlers.
 */
import type { AclEntry, DemoRelease, World, WorldUser } from '../types.ts';
import type { DemoAreas } from './create-areas.ts';

/** A value of a guest configuration as the API gives it; `lxc` is the only key with pairs. */
export type ConfigValue = string | number | readonly (readonly [string, string])[];
export type GuestConfig = Readonly<Record<string, ConfigValue>>;

export type GuestType = 'qemu' | 'lxc';

/** `prelaunch`, `paused` and `suspended` are the QMP states of a guest whose process exists. */
export type PowerState = 'running' | 'stopped' | 'prelaunch' | 'paused' | 'suspended';

export interface DemoSnapshot {
  readonly name: string;
  /** Epoch seconds; 0 when unknown. */
  readonly snaptime: number;
  readonly parent?: string;
  readonly description?: string;
  readonly vmstate?: 0 | 1;
  /** Present while (or after a crash) stuck in creation or removal. */
  readonly snapstate?: 'prepare' | 'delete';
  /** Raw configuration of that moment, secrets unmasked. */
  readonly config: GuestConfig;
}

/** What a pending change does to a key: a new value, or its removal. */
export interface PendingChange {
  readonly pending?: string | number;
  /** 1 = delete, 2 = force delete. */
  readonly delete?: 1 | 2;
}

export interface AgentAddress {
  readonly 'ip-address': string;
  readonly 'ip-address-type': 'ipv4' | 'ipv6';
  readonly prefix: number;
}

export interface AgentInterface {
  readonly name: string;
  readonly 'hardware-address'?: string;
  readonly 'ip-addresses'?: readonly AgentAddress[];
  readonly statistics?: Readonly<Record<string, number>>;
}

/** Facts an answering guest agent tells. */
export interface AgentFacts {
  readonly hostName: string;
  readonly osinfo: Readonly<Record<string, string>>;
  /** Undefined when the agent knows no network command. */
  readonly interfaces?: readonly AgentInterface[];
  readonly fsinfo: readonly Readonly<Record<string, unknown>>[];
  readonly users: readonly Readonly<Record<string, unknown>>[];
  readonly timezone: { readonly zone: string; readonly offset: number };
  readonly version: string;
}

/** `off` = not configured; `mute` = configured, never answers. */
export type AgentState =
  | { readonly kind: 'off' }
  | { readonly kind: 'mute' }
  | { readonly kind: 'answers'; readonly facts: AgentFacts };

/** One row of /nodes/{node}/lxc/{vmid}/interfaces. */
export interface LxcInterface {
  readonly name: string;
  readonly hwaddr: string;
  /** `address/prefix`, in the order the kernel lists them. */
  readonly inet: readonly string[];
  readonly inet6: readonly string[];
}

/** What is costly or rarely asked; computed on first use for generated guests. */
export interface GuestDetail {
  /** Configuration the guest runs with, secrets unmasked, without `digest`. */
  readonly config: GuestConfig;
  readonly changes: ReadonlyMap<string, PendingChange>;
  readonly snapshots: readonly DemoSnapshot[];
  readonly agent: AgentState;
  /** Running containers only. */
  readonly interfaces: readonly LxcInterface[];
  /** Keys of the configuration whose cloud-init image is older than the configuration. */
  readonly cloudinitChanges: ReadonlyMap<string, PendingChange>;
}

export interface DemoGuest {
  readonly vmid: number;
  readonly type: GuestType;
  readonly node: string;
  readonly name?: string;
  readonly pool?: string;
  /** `a;b`, as stored. */
  readonly tags?: string;
  readonly lock?: string;
  readonly template: boolean;
  readonly power: PowerState;
  /** State of the HA resource, when it is one. */
  readonly hastate?: string;
  /** Virtual CPUs after the host cap; `cpulimit` may make it fractional for containers. */
  readonly cpus: number;
  /** Fraction of `cpus` in use. */
  readonly cpu: number;
  /** Bytes. */
  readonly maxmem: number;
  readonly mem: number;
  readonly memhost: number;
  /** Lower bound of the balloon in bytes. */
  readonly balloonMin?: number;
  readonly maxswap: number;
  readonly swap: number;
  readonly maxdisk: number;
  /** Used bytes of a running container's root file system; 0 for VMs. */
  readonly disk: number;
  readonly netin: number;
  readonly netout: number;
  readonly diskread: number;
  readonly diskwrite: number;
  /** Epoch seconds of the last start; undefined when not running. */
  readonly startedAt: number | undefined;
  readonly pid: number | undefined;
  /** Lazy: the first read may compute it. */
  readonly detail: GuestDetail;
}

export interface DemoNode {
  readonly node: string;
  readonly online: boolean;
  readonly nodeid: number;
  /** The node whose API answers (`local` in /cluster/status). */
  readonly local: boolean;
  readonly ip: string;
  /** Subscription level; empty without one. */
  readonly level: string;
  /** SHA-256 of the node's certificate, `AA:BB:...`. */
  readonly fingerprint: string;
  readonly maxcpu: number;
  /** Fraction of all cores. */
  readonly cpu: number;
  readonly iowait: number;
  readonly loadavg: readonly [number, number, number];
  /** Bytes. */
  readonly maxmem: number;
  readonly mem: number;
  readonly maxdisk: number;
  readonly disk: number;
  readonly swapTotal: number;
  readonly swapUsed: number;
  readonly bootedAt: number;
  readonly cpuModel: string;
  readonly sockets: number;
  readonly kernel: string;
  readonly uefi: boolean;
  /** HA state of the node when HA is in use. */
  readonly hastate?: string;
  /** Rows of /nodes/{node}/network. */
  readonly network: readonly Readonly<Record<string, unknown>>[];
  /** Unified diff of not yet applied network changes. */
  readonly networkChanges?: string;
  /** Lines of /nodes/{node}/services that differ from the usual state. */
  readonly services: Readonly<Record<string, { readonly state: string; readonly active: string; readonly unit: string }>>;
  readonly config: Readonly<Record<string, string>>;
  readonly timezone: string;
  /** Seconds the node's clock is ahead of the world's. */
  readonly clockSkew: number;
  readonly subscription: Readonly<Record<string, string>>;
}

/** Fill of a storage on one node. */
export interface StorageUse {
  readonly active: boolean;
  /** Bytes. */
  readonly total: number;
  readonly used: number;
  readonly avail: number;
}

export interface DemoStorage {
  readonly storage: string;
  readonly type: string;
  readonly content: readonly string[];
  readonly shared: boolean;
  readonly disabled: boolean;
  /** Nodes it is restricted to; undefined = all. */
  readonly nodes?: readonly string[];
  /** The section of storage.cfg as /storage lists it, without storage, type, content and digest. */
  readonly section: Readonly<Record<string, string | number>>;
  /** State on a node that may use it. */
  use(node: string): StorageUse;
  /** Bytes a day the used space grows by, for the RRD curves. */
  readonly growthPerDay: number;
}

export interface DemoBackup {
  readonly volid: string;
  readonly storage: string;
  /** Node of a local storage; undefined for shared ones. */
  readonly node?: string;
  readonly vmid: number;
  readonly subtype: GuestType;
  /** Epoch seconds. */
  readonly ctime: number;
  readonly size: number;
  readonly format: string;
  readonly notes?: string;
  readonly protected?: true;
  /** Fingerprint of the client key, or `1`. */
  readonly encrypted?: string;
  readonly verification?: { readonly state: 'ok' | 'failed'; readonly upid: string };
}

/** A volume that is neither a backup nor a guest's disk. */
export interface DemoVolume {
  readonly volid: string;
  readonly storage: string;
  readonly node?: string;
  readonly content: 'iso' | 'vztmpl' | 'snippets' | 'import' | 'images' | 'rootdir';
  readonly format: string;
  readonly size: number;
  readonly used?: number;
  readonly ctime: number;
  /** Owner of an orphaned disk. */
  readonly vmid?: number;
  readonly notes?: string;
}

export interface DemoTask {
  readonly upid: string;
  readonly node: string;
  readonly pid: number;
  readonly pstart: number;
  readonly starttime: number;
  /** Undefined while it runs. */
  readonly endtime?: number;
  readonly type: string;
  readonly id: string;
  /** `user@realm`, without the token. */
  readonly user: string;
  readonly tokenid?: string;
  /** Undefined while it runs. */
  readonly status?: string;
  /** Lines of the log; undefined when the file is gone. */
  readonly log: () => readonly string[] | undefined;
}

/** A vzdump job as /cluster/backup lists it, without `next-run`. */
export interface DemoBackupJob {
  readonly id: string;
  readonly enabled: boolean;
  readonly schedule: string;
  readonly all: boolean;
  readonly vmids: readonly number[];
  readonly exclude: readonly number[];
  readonly pool?: string;
  readonly node?: string;
  readonly storage?: string;
  /** Further properties of the section. */
  readonly options: Readonly<Record<string, unknown>>;
}

export interface DemoPool {
  readonly poolid: string;
  readonly comment?: string;
  readonly storages: readonly string[];
}

export interface DemoDisk {
  readonly devpath: string;
  readonly size: number;
  readonly model: string;
  readonly serial: string;
  readonly vendor: string;
  readonly wwn: string;
  readonly type: 'ssd' | 'hdd' | 'nvme' | 'usb' | 'unknown';
  readonly rpm: number;
  readonly health: string;
  readonly wearout: number | 'N/A';
  readonly used?: string;
  readonly gpt: boolean;
  readonly osdid: number | string;
  readonly byIdLink?: string;
  readonly parent?: string;
  readonly smart: {
    readonly type: 'ata' | 'text';
    readonly attributes?: readonly Readonly<Record<string, unknown>>[];
    readonly text?: string;
  };
}

export interface NodeDisks {
  readonly disks: readonly DemoDisk[];
  readonly lvm: Readonly<Record<string, unknown>>;
  readonly lvmthin: readonly Readonly<Record<string, unknown>>[];
  readonly zfs: readonly {
    readonly row: Readonly<Record<string, unknown>>;
    readonly detail: Readonly<Record<string, unknown>>;
  }[];
  readonly directories: readonly Readonly<Record<string, unknown>>[];
}

/** A planted secret. */
export interface Canary {
  /** Where it stands, e.g. `/nodes/pve1/qemu/101/config args`. */
  readonly place: string;
  readonly value: string;
  /** Other encodings in which it appears in answers. */
  readonly forms: readonly string[];
}

/** Where secrets are registered. */
export interface CanarySink {
  readonly canaries: Canary[];
}

/** What users, ACL and roles the other parts build on; the access area must contain it. */
export interface AccessBasis {
  readonly users: WorldUser[];
  readonly acl: AclEntry[];
  readonly roles: Record<string, readonly string[]>;
}

/** The part of the world that exists before the areas are built: `createAreas(core)` receives it. */
export interface WorldCore extends CanarySink {
  /** Epoch milliseconds the data set is laid around. */
  readonly now: number;
  readonly release: DemoRelease;
  /** One node without cluster configuration. */
  readonly standalone: boolean;
  /** True for a cluster of a chosen size, false for the hand-made one. */
  readonly generated: boolean;
  readonly clusterName: string;
  readonly nodes: DemoNode[];
  /** By vmid, ascending. */
  readonly guests: ReadonlyMap<number, DemoGuest>;
  readonly storages: readonly DemoStorage[];
  readonly pools: readonly DemoPool[];
  readonly backupJobs: readonly DemoBackupJob[];
  /** Newest first per node. */
  readonly tasks: ReadonlyMap<string, readonly DemoTask[]>;
  /** What a file read, and an earlier command, in any answering guest yield. */
  readonly agentOutput: { readonly file: string; readonly command: string };
  /** ISO images, templates, snippets, orphaned disks on a storage as one node sees it. */
  volumes(storage: string, node: string): readonly DemoVolume[];
  /** Backups on a storage as one node sees it; lazy for generated clusters. */
  backups(storage: string, node: string): readonly DemoBackup[];
  disks(node: string): NodeDisks;
  guestsOn(node: string): readonly DemoGuest[];
  poolOf(vmid: number): string | undefined;
  poolsOfStorage(storage: string): readonly string[];
}

export interface DemoWorld extends WorldCore, World {
  readonly nodes: DemoNode[];
  readonly areas: DemoAreas;
}
