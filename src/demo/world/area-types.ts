/**
 * The second half of the data set: what lies around guests, storage and tasks. Records hold what the configuration
 * files and daemons would; the handlers shape them into answers, release by release.
 */
import type { DemoRole, DemoToken } from '../types.ts';
import type { AccessBasis } from './types.ts';

/** A row or section as the API gives it, where no handler needs to look inside. */
export type Row = Readonly<Record<string, unknown>>;

export interface UserDetail {
  readonly comment?: string;
  readonly email?: string;
  readonly firstname?: string;
  readonly lastname?: string;
  /** Second-factor keys of the old format: a seed, a Yubikey id, or the marker `x...` of the new one. */
  readonly keys?: string;
  readonly totpLocked?: true;
}

export interface Realm {
  readonly realm: string;
  readonly type: 'pam' | 'pve' | 'ldap' | 'ad' | 'openid';
  /** The section of domains.cfg without realm and type. */
  readonly section: Row;
}

export interface TfaUser {
  readonly userid: string;
  readonly totpLocked?: true;
  /** id, type, description, created (epoch s), `enable: 0` when switched off. */
  readonly entries: readonly Row[];
}

/** The objects on which the demo tokens' rights differ. */
export interface AccessScenario {
  /** What `scoped` sees. */
  readonly scopedPool: string | undefined;
  readonly scopedStorage: string;
  /** Where `backup-one` may read backups. */
  readonly backupVmid: number;
  readonly backupStorage: string;
  /** The guest that is closed to `blind-one`. */
  readonly blindVmid: number;
}

export interface AccessArea extends AccessBasis {
  readonly details: ReadonlyMap<string, UserDetail>;
  readonly groups: readonly { readonly groupid: string; readonly comment?: string }[];
  readonly realms: readonly Realm[];
  readonly tfa: readonly TfaUser[];
  /** Names of the roles that come with the product. */
  readonly builtinRoles: ReadonlySet<string>;
  readonly tokens: Readonly<Record<DemoRole, DemoToken>>;
  readonly scenario: AccessScenario;
}

export interface IpSet {
  readonly name: string;
  readonly comment?: string;
  /** cidr, comment, nomatch, errors. */
  readonly entries: readonly Row[];
}

/** The firewall file of a cluster, node, guest or vnet. Rules lack `pos` and `digest`. */
export interface FirewallScope {
  readonly options: Row;
  readonly rules: readonly Row[];
  readonly aliases: readonly Row[];
  readonly ipsets: readonly IpSet[];
}

export interface SecurityGroup {
  readonly group: string;
  readonly comment?: string;
  readonly rules: readonly Row[];
}

export interface FirewallArea {
  readonly cluster: FirewallScope;
  readonly groups: readonly SecurityGroup[];
  readonly macros: readonly { readonly macro: string; readonly descr: string }[];
  node(node: string): FirewallScope;
  guest(vmid: number): FirewallScope;
  /** Undefined: no such file, which the API reads as an empty one. */
  vnet(vnet: string): FirewallScope | undefined;
  /** Lines of the packet log of a node, oldest first. */
  log(node: string): readonly { readonly vmid: number; readonly line: string }[];
}

export interface HaResource {
  /** `vm:100` */
  readonly sid: string;
  readonly type: 'vm' | 'ct';
  readonly vmid: number;
  /** Null: no such guest anywhere. */
  readonly node: string | null;
  /** State asked for in the configuration. */
  readonly request: 'started' | 'stopped' | 'disabled' | 'ignored';
  /** State the manager reports. */
  readonly state: string;
  readonly comment?: string;
  /** Group before the change to rules. */
  readonly group?: string;
  readonly maxRestart?: number;
  readonly maxRelocate?: number;
  readonly failback?: 0 | 1;
}

export interface HaRule {
  readonly rule: string;
  readonly type: 'node-affinity' | 'resource-affinity';
  readonly resources: readonly string[];
  readonly nodes?: string;
  readonly strict?: 0 | 1;
  readonly affinity?: 'positive' | 'negative';
  readonly disable?: 1;
  readonly comment?: string;
  readonly errors?: Readonly<Record<string, readonly string[]>>;
}

export interface HaGroup {
  readonly group: string;
  readonly nodes: string;
  readonly restricted: 0 | 1;
  readonly nofailback: 0 | 1;
  readonly comment?: string;
}

export interface LrmState {
  readonly node: string;
  readonly state: 'active' | 'wait_for_agent_lock';
  /** Epoch seconds of the last sign of life; undefined: alive, so it is always a few seconds ago. */
  readonly lastSeen: number | undefined;
}

export interface HaArea {
  /** False: no resource is configured, so neither manager runs. */
  readonly used: boolean;
  readonly master: string;
  readonly lrms: readonly LrmState[];
  readonly resources: readonly HaResource[];
  readonly rules: readonly HaRule[];
  readonly groups: readonly HaGroup[];
}

export interface ReplicationJob {
  /** `100-0` */
  readonly id: string;
  readonly guest: number;
  readonly vmtype: 'qemu' | 'lxc';
  readonly source: string;
  readonly target: string;
  readonly schedule?: string;
  /** Minutes between two runs of the schedule. */
  readonly every: number;
  readonly rate?: number;
  readonly comment?: string;
  readonly disable?: 1;
  /** Seconds the last run took; undefined: it never ran. */
  readonly duration?: number;
  readonly failCount: number;
  readonly error?: string;
  /** Epoch seconds; undefined: follows the schedule, 0: never. */
  readonly lastSync: number | undefined;
  readonly lastTry: number | undefined;
  /** Lines of the last run; undefined: the file is gone. */
  readonly log: readonly string[] | undefined;
}

export interface ReplicationArea {
  readonly jobs: readonly ReplicationJob[];
}

/** A configuration object with what is configured, what runs, or both. */
export interface SdnObject {
  readonly id: string;
  readonly type: string;
  /** As configured; undefined: deleted, not applied yet. */
  readonly configured: Row | undefined;
  /** As last applied; undefined: new, not applied yet. */
  readonly running: Row | undefined;
}

export interface SdnVnet extends SdnObject {
  readonly zone: string;
}

export interface SdnSubnet extends SdnObject {
  readonly vnet: string;
  readonly zone: string;
}

export interface SdnFabric {
  readonly fabric: Row & { readonly id: string };
  readonly nodes: readonly (Row & { readonly node_id: string })[];
}

export interface SdnArea {
  readonly zones: readonly SdnObject[];
  readonly vnets: readonly SdnVnet[];
  readonly subnets: readonly SdnSubnet[];
  readonly controllers: readonly SdnObject[];
  readonly ipams: readonly Row[];
  readonly dns: readonly Row[];
  readonly fabrics: readonly SdnFabric[];
  /** Rows of the built-in address management: zone, subnet, vnet, ip, mac, vmid, hostname, gateway. */
  readonly leases: readonly Row[];
  /** Password that a hand-written FRR configuration adds, as /cluster/sdn/dry-run shows it. */
  readonly neighborPassword: string;
  /** State of a zone on a node and, where it is not `available`, why. */
  zoneState(zone: string, node: string): { readonly status: 'available' | 'pending' | 'error'; readonly message?: string };
}

export interface NotificationEndpoint {
  readonly type: 'sendmail' | 'gotify' | 'smtp' | 'webhook';
  readonly name: string;
  readonly section: Row;
}

export interface NotificationMatcher {
  readonly name: string;
  readonly section: Row;
}

export interface MetricServer {
  readonly id: string;
  readonly type: 'graphite' | 'influxdb' | 'opentelemetry';
  readonly section: Row;
}

export interface ConfigArea {
  /** /cluster/options without `allowed-tags`. */
  readonly options: Row;
  /** What those without Sys.Audit are shown of `allowed-tags`. */
  readonly userTags: readonly string[];
  readonly registeredTags: readonly string[];
  /** Undefined for a standalone node. */
  readonly corosync: { readonly totem: Row; readonly nodes: readonly Row[] } | undefined;
  readonly metricServers: readonly MetricServer[];
  readonly endpoints: readonly NotificationEndpoint[];
  readonly matchers: readonly NotificationMatcher[];
  readonly mappings: {
    readonly pci: readonly Row[];
    readonly usb: readonly Row[];
    readonly dir: readonly Row[];
  };
  readonly realmSyncJobs: readonly Row[];
  readonly acme: { readonly accounts: readonly string[]; readonly plugins: readonly Row[] };
  readonly cpuModels: readonly Row[];
  /** Newest first. */
  readonly log: readonly Row[];
}

/** `absent`: the packages are not installed; `bare`: installed, never initialised. */
export type CephState = 'present' | 'absent' | 'bare';

export interface CephOsd {
  readonly id: number;
  readonly node: string;
  readonly up: boolean;
  readonly in: boolean;
  readonly deviceClass: 'ssd' | 'hdd' | 'nvme';
  /** Bytes. */
  readonly total: number;
  readonly used: number;
  readonly pgs: number;
  readonly version: string;
}

export interface CephPool {
  readonly id: number;
  readonly name: string;
  readonly size: number;
  readonly minSize: number;
  readonly pgNum: number;
  readonly pgNumFinal: number;
  readonly application: string;
  /** Bytes. */
  readonly used: number;
  /** Fraction of what the pool could hold. */
  readonly usedFraction: number;
}

export interface CephArea {
  /** May be switched before requests are made. */
  state: CephState;
  readonly fsid: string;
  /** Nodes with monitors and managers, first = leader and active. */
  readonly monitors: readonly string[];
  readonly osds: readonly CephOsd[];
  readonly pools: readonly CephPool[];
  readonly fileSystem: string | undefined;
  readonly flags: readonly { readonly name: string; readonly description: string; readonly value: 0 | 1 }[];
  /** ceph.conf */
  readonly conf: string;
  readonly configDb: readonly Row[];
  readonly log: readonly string[];
}

export interface Certificate {
  readonly filename: string;
  readonly subject: string;
  readonly issuer: string;
  readonly san: readonly string[];
  readonly fingerprint: string;
  readonly pem: string;
  readonly keyBits: number;
  readonly keyType: string;
  /** Epoch seconds. */
  readonly notBefore: number;
  readonly notAfter: number;
}

export interface NodeUpkeep {
  readonly versions: readonly Row[];
  readonly updates: readonly Row[];
  readonly repositories: Row;
  readonly certificates: readonly Certificate[];
  readonly pci: readonly Row[];
  readonly usb: readonly Row[];
  readonly services: readonly Row[];
  readonly subscription: Row;
  readonly network: readonly (Row & { readonly iface: string; readonly type: string })[];
  readonly networkChanges: string | undefined;
  readonly dns: Row;
  readonly hosts: string;
  readonly config: Row;
  readonly timezone: string;
  /** Seconds the node's clock is ahead. */
  readonly clockSkew: number;
  /** The system journal, oldest first: epoch seconds, syslog level (0 = emergency) and what follows the host name. */
  readonly journal: readonly { readonly time: number; readonly priority: number; readonly unit: string; readonly text: string }[];
  /** Kernel command line, as /nodes/{node}/report quotes it. */
  readonly commandLine: string;
}

export interface MaintenanceArea {
  /** Computed at first use. */
  node(node: string): NodeUpkeep;
}

export interface DemoAreas {
  readonly access: AccessArea;
  readonly firewall: FirewallArea;
  readonly ha: HaArea;
  readonly replication: ReplicationArea;
  readonly sdn: SdnArea;
  readonly config: ConfigArea;
  readonly ceph: CephArea;
  readonly maintenance: MaintenanceArea;
}
