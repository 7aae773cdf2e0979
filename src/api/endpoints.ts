import type { Privilege } from './privileges.ts';

/**
 * The allow-list: every GET this program may send, and nothing else can be sent.
 *
 * Source: the facts of the API schema of releases 7.4 to 9.2.11. Left out on purpose: endpoints that write, run an
 * outbound request, open a console, read files out of guests, or hand over documents full of secrets (`/report`,
 * snapshot `config`, `agent/file-read`, `scan/*`, ...).
 */

/** What a query key may hold, checked before a request is sent; an array is an enumeration. `since` names the first release that knows the key. */
export type QueryType = 'int' | 'bool' | 'text' | readonly string[];
export type QuerySpec = QueryType | { readonly type: QueryType; readonly since: string };

/** Privilege demanded by the endpoint itself; `on` is an ACL path and may hold path parameters. */
export interface Need {
  readonly on: string;
  readonly any?: readonly Privilege[];
  readonly all?: readonly Privilege[];
}

/**
 * What a call costs the cluster.
 * - `kvstore`: answered from shared memory by the entry node
 * - `file`: read from the replicated configuration by the entry node
 * - `proxied`: forwarded to the node in the path
 * - `shells-out`: the node runs a program
 * - `slow`: may wait for storage, a guest agent or Ceph
 */
export type Cost = 'kvstore' | 'file' | 'proxied' | 'shells-out' | 'slow';

export interface EndpointSpec {
  readonly query?: Readonly<Record<string, QuerySpec>>;
  readonly needs: Need | 'any-user';
  /** Need on releases before 9.0 where it differs. */
  readonly needsBefore9?: Need;
  /** First release that has the endpoint; default: all supported. */
  readonly since?: string;
  readonly cost: Cost;
  /** Rows (or figures) that are left out silently, and the privilege that shows them. */
  readonly rows?: string;
}

/** The agent reads moved from an administrator's privilege to an audit privilege in 9.0. */
const AGENT = { on: '/vms/{vmid}', any: ['VM.GuestAgent.Audit', 'VM.GuestAgent.Unrestricted'] } as const;
const AGENT_BEFORE_9 = { on: '/vms/{vmid}', any: ['VM.Monitor'] } as const;

export const endpoints = {
  '/version': { needs: 'any-user', cost: 'kvstore' },
  '/access/permissions': { query: { path: 'text', userid: 'text' }, needs: 'any-user', cost: 'file' },
  '/access/acl': { needs: 'any-user', cost: 'file', rows: 'Sys.Audit on /access' },
  '/access/users': { query: { full: 'bool' }, needs: 'any-user', cost: 'file', rows: 'Sys.Audit on /access/groups' },
  '/access/users/{userid}': { needs: { on: '/access/groups', any: ['Sys.Audit', 'User.Modify'] }, cost: 'file' },
  '/access/groups': { needs: 'any-user', cost: 'file', rows: 'Sys.Audit on /access/groups' },
  '/access/roles': { needs: 'any-user', cost: 'file' },
  '/access/domains': { needs: 'any-user', cost: 'file' },
  '/access/tfa': { needs: 'any-user', cost: 'file', rows: 'Sys.Audit on /access/groups' },
  '/cluster/resources': {
    needs: 'any-user',
    cost: 'kvstore',
    rows: 'VM.Audit on /vms/{vmid}, Datastore.Audit on /storage/{storage}, Pool.Audit on /pool/{pool}; node figures: Sys.Audit on /nodes/{node}',
  },
  '/cluster/status': { needs: { on: '/', all: ['Sys.Audit'] }, cost: 'kvstore' },
  '/cluster/tasks': { needs: 'any-user', cost: 'kvstore', rows: 'Sys.Audit on / for tasks of others' },
  '/cluster/options': { needs: 'any-user', cost: 'file' },
  '/cluster/nextid': { query: { vmid: 'int' }, needs: 'any-user', cost: 'file' },
  '/cluster/log': { query: { max: 'int' }, needs: 'any-user', cost: 'kvstore', rows: 'Sys.Syslog on / for entries of others' },
  '/cluster/backup': { needs: { on: '/', all: ['Sys.Audit'] }, cost: 'file' },
  '/cluster/backup/{id}/included_volumes': { needs: { on: '/', all: ['Sys.Audit'] }, cost: 'file' },
  '/cluster/replication': { needs: 'any-user', cost: 'file', rows: 'VM.Audit on /vms/{vmid}' },
  '/cluster/jobs/realm-sync': { needs: { on: '/', all: ['Sys.Audit'] }, since: '8.0', cost: 'file' },
  '/cluster/jobs/schedule-analyze': {
    query: { schedule: 'text', iterations: 'int', starttime: 'int' },
    needs: 'any-user',
    cost: 'kvstore',
  },
  '/cluster/config/nodes': { needs: { on: '/', all: ['Sys.Audit'] }, cost: 'file' },
  '/cluster/config/totem': { needs: { on: '/', all: ['Sys.Audit'] }, cost: 'file' },
  '/cluster/config/qdevice': { needs: { on: '/', all: ['Sys.Audit'] }, cost: 'proxied' },
  '/cluster/ha/groups': { needs: { on: '/', all: ['Sys.Audit'] }, cost: 'file' },
  '/cluster/ha/rules': { needs: { on: '/', all: ['Sys.Audit'] }, since: '9.0', cost: 'file' },
  '/cluster/ha/status/current': { needs: { on: '/', all: ['Sys.Audit'] }, cost: 'file' },
  '/cluster/firewall/options': { needs: { on: '/', all: ['Sys.Audit'] }, cost: 'file' },
  '/cluster/firewall/rules': { needs: { on: '/', all: ['Sys.Audit'] }, cost: 'file' },
  '/cluster/firewall/groups': { needs: 'any-user', cost: 'file' },
  '/cluster/firewall/groups/{group}': { needs: { on: '/', all: ['Sys.Audit'] }, cost: 'file' },
  '/cluster/firewall/aliases': { needs: { on: '/', all: ['Sys.Audit'] }, cost: 'file' },
  '/cluster/firewall/ipset': { needs: { on: '/', all: ['Sys.Audit'] }, cost: 'file' },
  '/cluster/firewall/ipset/{name}': { needs: { on: '/', all: ['Sys.Audit'] }, cost: 'file' },
  '/cluster/firewall/macros': { needs: 'any-user', cost: 'file' },
  '/cluster/sdn/zones': {
    query: { pending: 'bool', running: 'bool' },
    needs: 'any-user',
    cost: 'file',
    rows: 'SDN.Audit on /sdn/zones/{zone}',
  },
  '/cluster/sdn/vnets': {
    query: { pending: 'bool', running: 'bool' },
    needs: 'any-user',
    cost: 'file',
    rows: 'SDN.Audit on /sdn/zones/{zone}/{vnet}',
  },
  '/cluster/sdn/vnets/{vnet}/subnets': { query: { pending: 'bool', running: 'bool' }, needs: 'any-user', cost: 'file' },
  '/cluster/sdn/vnets/{vnet}/firewall/options': { needs: 'any-user', since: '8.3', cost: 'file' },
  '/cluster/sdn/vnets/{vnet}/firewall/rules': { needs: 'any-user', since: '8.3', cost: 'file' },
  '/cluster/sdn/controllers': {
    query: { pending: 'bool', running: 'bool' },
    needs: 'any-user',
    cost: 'file',
    rows: 'SDN.Audit on /sdn/controllers/{controller}',
  },
  '/cluster/sdn/ipams': { needs: 'any-user', cost: 'file', rows: 'SDN.Audit on /sdn/ipams/{ipam}' },
  '/cluster/sdn/ipams/{ipam}/status': { needs: 'any-user', since: '8.1', cost: 'file' },
  '/cluster/sdn/dns': { needs: 'any-user', cost: 'file', rows: 'SDN.Audit on /sdn/dns/{dns}' },
  '/cluster/sdn/fabrics/all': {
    query: { pending: 'bool', running: 'bool' },
    needs: 'any-user',
    since: '9.0',
    cost: 'file',
    rows: 'SDN.Audit on /sdn/fabrics/{fabric}',
  },
  '/cluster/mapping/pci': {
    query: { 'check-node': 'text' },
    needs: 'any-user',
    since: '8.0',
    cost: 'file',
    rows: 'Mapping.Audit on /mapping/pci',
  },
  '/cluster/mapping/usb': {
    query: { 'check-node': 'text' },
    needs: 'any-user',
    since: '8.0',
    cost: 'file',
    rows: 'Mapping.Audit on /mapping/usb',
  },
  '/cluster/mapping/dir': {
    query: { 'check-node': 'text' },
    needs: 'any-user',
    since: '8.4',
    cost: 'file',
    rows: 'Mapping.Audit on /mapping/dir',
  },
  '/cluster/metrics/server': { needs: { on: '/', all: ['Sys.Audit'] }, cost: 'file' },
  '/cluster/metrics/server/{id}': { needs: { on: '/', all: ['Sys.Audit'] }, cost: 'file' },
  '/cluster/notifications/targets': {
    needs: { on: '/mapping/notifications', any: ['Mapping.Audit'] },
    since: '8.1',
    cost: 'file',
  },
  '/cluster/notifications/matchers': {
    needs: { on: '/mapping/notifications', any: ['Mapping.Audit'] },
    since: '8.1',
    cost: 'file',
  },
  '/cluster/notifications/endpoints/webhook': {
    needs: { on: '/mapping/notifications', all: ['Mapping.Audit'] },
    since: '8.3',
    cost: 'file',
  },
  '/cluster/notifications/endpoints/smtp': {
    needs: { on: '/mapping/notifications', any: ['Mapping.Audit'] },
    since: '8.1',
    cost: 'file',
  },
  '/cluster/notifications/endpoints/gotify': {
    needs: { on: '/mapping/notifications', all: ['Mapping.Audit'] },
    since: '8.1',
    cost: 'file',
  },
  '/cluster/notifications/endpoints/sendmail': {
    needs: { on: '/mapping/notifications', any: ['Mapping.Audit'] },
    since: '8.1',
    cost: 'file',
  },
  '/cluster/acme/plugins': { needs: { on: '/', all: ['Sys.Modify'] }, cost: 'file' },
  '/cluster/acme/account': { needs: 'any-user', cost: 'file' },
  '/cluster/acme/directories': { needs: 'any-user', cost: 'file' },
  '/cluster/qemu/custom-cpu-models': {
    needs: 'any-user',
    since: '9.2',
    cost: 'file',
    rows: 'Mapping.Audit on /mapping/cpu/{model}',
  },
  '/cluster/ceph/status': { needs: { on: '/', any: ['Sys.Audit', 'Datastore.Audit'] }, cost: 'slow' },
  '/cluster/ceph/flags': { needs: { on: '/', all: ['Sys.Audit'] }, cost: 'slow' },
  '/cluster/ceph/metadata': {
    query: { scope: ['all', 'versions'] },
    needs: { on: '/', any: ['Sys.Audit', 'Datastore.Audit'] },
    cost: 'slow',
  },
  '/nodes/{node}/status': { needs: { on: '/nodes/{node}', all: ['Sys.Audit'] }, cost: 'proxied' },
  '/nodes/{node}/services': { needs: { on: '/nodes/{node}', all: ['Sys.Audit'] }, cost: 'shells-out' },
  '/nodes/{node}/subscription': { needs: 'any-user', cost: 'proxied' },
  '/nodes/{node}/dns': { needs: { on: '/nodes/{node}', all: ['Sys.Audit'] }, cost: 'proxied' },
  '/nodes/{node}/time': { needs: { on: '/nodes/{node}', all: ['Sys.Audit'] }, cost: 'proxied' },
  '/nodes/{node}/hosts': { needs: { on: '/', all: ['Sys.Audit'] }, cost: 'proxied' },
  '/nodes/{node}/netstat': { needs: { on: '/nodes/{node}', all: ['Sys.Audit'] }, cost: 'proxied' },
  '/nodes/{node}/config': { needs: { on: '/', all: ['Sys.Audit'] }, cost: 'file' },
  '/nodes/{node}/network': {
    query: {
      type: [
        'bridge',
        'bond',
        'eth',
        'alias',
        'vlan',
        'fabric',
        'OVSBridge',
        'OVSBond',
        'OVSPort',
        'OVSIntPort',
        'vnet',
        'any_bridge',
        'any_local_bridge',
        'include_sdn',
      ],
    },
    needs: 'any-user',
    cost: 'proxied',
    rows: 'bridges: SDN.Audit on /sdn/zones/localnetwork',
  },
  '/nodes/{node}/tasks': {
    query: {
      start: 'int',
      limit: 'int',
      userfilter: 'text',
      typefilter: 'text',
      vmid: 'int',
      errors: 'bool',
      source: ['archive', 'active', 'all'],
      since: 'int',
      until: 'int',
      statusfilter: 'text',
    },
    needs: 'any-user',
    cost: 'proxied',
    rows: 'Sys.Audit on /nodes/{node} for tasks of others',
  },
  '/nodes/{node}/tasks/{upid}/status': { needs: 'any-user', cost: 'proxied' },
  '/nodes/{node}/tasks/{upid}/log': { query: { start: 'int', limit: 'int' }, needs: 'any-user', cost: 'proxied' },
  '/nodes/{node}/rrddata': {
    query: { timeframe: ['hour', 'day', 'week', 'month', 'year', 'decade'], cf: ['AVERAGE', 'MAX'] },
    needs: { on: '/nodes/{node}', all: ['Sys.Audit'] },
    cost: 'file',
  },
  '/nodes/{node}/qemu/{vmid}/config': {
    query: { snapshot: 'text', current: 'bool' },
    needs: { on: '/vms/{vmid}', all: ['VM.Audit'] },
    cost: 'proxied',
  },
  '/nodes/{node}/lxc/{vmid}/config': {
    query: { snapshot: 'text', current: 'bool' },
    needs: { on: '/vms/{vmid}', all: ['VM.Audit'] },
    cost: 'proxied',
  },
  '/nodes/{node}/qemu/{vmid}/pending': { needs: { on: '/vms/{vmid}', all: ['VM.Audit'] }, cost: 'proxied' },
  '/nodes/{node}/lxc/{vmid}/pending': { needs: { on: '/vms/{vmid}', all: ['VM.Audit'] }, cost: 'proxied' },
  '/nodes/{node}/qemu/{vmid}/status/current': { needs: { on: '/vms/{vmid}', all: ['VM.Audit'] }, cost: 'proxied' },
  '/nodes/{node}/lxc/{vmid}/status/current': { needs: { on: '/vms/{vmid}', all: ['VM.Audit'] }, cost: 'proxied' },
  '/nodes/{node}/qemu/{vmid}/feature': {
    query: { feature: ['snapshot', 'clone', 'copy'] },
    needs: { on: '/vms/{vmid}', all: ['VM.Audit'] },
    cost: 'proxied',
  },
  '/nodes/{node}/lxc/{vmid}/feature': {
    query: { feature: ['snapshot', 'clone', 'copy'] },
    needs: { on: '/vms/{vmid}', all: ['VM.Audit'] },
    cost: 'proxied',
  },
  '/nodes/{node}/qemu/{vmid}/snapshot': { needs: { on: '/vms/{vmid}', all: ['VM.Audit'] }, cost: 'proxied' },
  '/nodes/{node}/lxc/{vmid}/snapshot': { needs: { on: '/vms/{vmid}', all: ['VM.Audit'] }, cost: 'proxied' },
  '/nodes/{node}/qemu/{vmid}/rrddata': {
    query: { timeframe: ['hour', 'day', 'week', 'month', 'year'], cf: ['AVERAGE', 'MAX'] },
    needs: { on: '/vms/{vmid}', all: ['VM.Audit'] },
    cost: 'file',
  },
  '/nodes/{node}/lxc/{vmid}/rrddata': {
    query: { timeframe: ['hour', 'day', 'week', 'month', 'year'], cf: ['AVERAGE', 'MAX'] },
    needs: { on: '/vms/{vmid}', all: ['VM.Audit'] },
    cost: 'file',
  },
  '/nodes/{node}/qemu/{vmid}/cloudinit': { needs: { on: '/vms/{vmid}', all: ['VM.Audit'] }, cost: 'proxied' },
  '/nodes/{node}/qemu/{vmid}/cloudinit/dump': {
    // `user` and `meta` are made of the password and of keys.
    query: { type: ['network'] },
    needs: { on: '/vms/{vmid}', all: ['VM.Audit'] },
    cost: 'proxied',
  },
  '/nodes/{node}/lxc/{vmid}/interfaces': { needs: { on: '/vms/{vmid}', all: ['VM.Audit'] }, since: '8.1', cost: 'proxied' },
  '/nodes/{node}/qemu/{vmid}/agent/network-get-interfaces': { needs: AGENT, needsBefore9: AGENT_BEFORE_9, cost: 'slow' },
  '/nodes/{node}/qemu/{vmid}/agent/get-osinfo': { needs: AGENT, needsBefore9: AGENT_BEFORE_9, cost: 'slow' },
  '/nodes/{node}/qemu/{vmid}/agent/get-fsinfo': { needs: AGENT, needsBefore9: AGENT_BEFORE_9, cost: 'slow' },
  '/nodes/{node}/qemu/{vmid}/agent/get-host-name': { needs: AGENT, needsBefore9: AGENT_BEFORE_9, cost: 'slow' },
  '/nodes/{node}/qemu/{vmid}/agent/get-users': { needs: AGENT, needsBefore9: AGENT_BEFORE_9, cost: 'slow' },
  '/nodes/{node}/qemu/{vmid}/agent/get-timezone': { needs: AGENT, needsBefore9: AGENT_BEFORE_9, cost: 'slow' },
  '/nodes/{node}/qemu/{vmid}/agent/get-time': { needs: AGENT, needsBefore9: AGENT_BEFORE_9, cost: 'slow' },
  '/nodes/{node}/qemu/{vmid}/agent/get-vcpus': { needs: AGENT, needsBefore9: AGENT_BEFORE_9, cost: 'slow' },
  '/nodes/{node}/qemu/{vmid}/agent/info': { needs: AGENT, needsBefore9: AGENT_BEFORE_9, cost: 'slow' },
  '/nodes/{node}/firewall/options': { needs: { on: '/nodes/{node}', all: ['Sys.Audit'] }, cost: 'proxied' },
  '/nodes/{node}/firewall/rules': { needs: { on: '/nodes/{node}', all: ['Sys.Audit'] }, cost: 'proxied' },
  '/nodes/{node}/firewall/log': {
    query: { start: 'int', limit: 'int', since: 'int', until: 'int' },
    needs: { on: '/nodes/{node}', all: ['Sys.Syslog'] },
    cost: 'proxied',
  },
  '/nodes/{node}/qemu/{vmid}/firewall/options': { needs: { on: '/vms/{vmid}', all: ['VM.Audit'] }, cost: 'proxied' },
  '/nodes/{node}/qemu/{vmid}/firewall/rules': { needs: { on: '/vms/{vmid}', all: ['VM.Audit'] }, cost: 'proxied' },
  '/nodes/{node}/qemu/{vmid}/firewall/aliases': { needs: { on: '/vms/{vmid}', all: ['VM.Audit'] }, cost: 'proxied' },
  '/nodes/{node}/qemu/{vmid}/firewall/ipset': { needs: { on: '/vms/{vmid}', all: ['VM.Audit'] }, cost: 'proxied' },
  '/nodes/{node}/qemu/{vmid}/firewall/ipset/{name}': { needs: { on: '/vms/{vmid}', all: ['VM.Audit'] }, cost: 'proxied' },
  '/nodes/{node}/qemu/{vmid}/firewall/log': {
    query: { start: 'int', limit: 'int', since: 'int', until: 'int' },
    needs: { on: '/vms/{vmid}', all: ['VM.Console'] },
    cost: 'proxied',
  },
  '/nodes/{node}/lxc/{vmid}/firewall/options': { needs: { on: '/vms/{vmid}', all: ['VM.Audit'] }, cost: 'proxied' },
  '/nodes/{node}/lxc/{vmid}/firewall/rules': { needs: { on: '/vms/{vmid}', all: ['VM.Audit'] }, cost: 'proxied' },
  '/nodes/{node}/lxc/{vmid}/firewall/aliases': { needs: { on: '/vms/{vmid}', all: ['VM.Audit'] }, cost: 'proxied' },
  '/nodes/{node}/lxc/{vmid}/firewall/ipset': { needs: { on: '/vms/{vmid}', all: ['VM.Audit'] }, cost: 'proxied' },
  '/nodes/{node}/lxc/{vmid}/firewall/ipset/{name}': { needs: { on: '/vms/{vmid}', all: ['VM.Audit'] }, cost: 'proxied' },
  '/nodes/{node}/lxc/{vmid}/firewall/log': {
    query: { start: 'int', limit: 'int', since: 'int', until: 'int' },
    needs: { on: '/vms/{vmid}', all: ['VM.Console'] },
    cost: 'proxied',
  },
  '/nodes/{node}/vzdump/defaults': { needs: 'any-user', cost: 'proxied' },
  '/nodes/{node}/storage/{storage}/content': {
    query: { content: 'text', vmid: 'int' },
    needs: { on: '/storage/{storage}', any: ['Datastore.Audit', 'Datastore.AllocateSpace'] },
    cost: 'slow',
    rows: 'backups: Datastore.AllocateSpace on /storage/{storage} and VM.Backup on /vms/{vmid}; disks: VM.Config.Disk on /vms/{vmid}; snippets: Datastore.Allocate on /storage/{storage}',
  },
  '/nodes/{node}/storage/{storage}/prunebackups': {
    query: { 'prune-backups': ['keep-all=1'], type: ['qemu', 'lxc'], vmid: 'int' },
    needs: { on: '/storage/{storage}', any: ['Datastore.Audit', 'Datastore.AllocateSpace'] },
    cost: 'slow',
  },
  '/nodes/{node}/storage/{storage}/rrddata': {
    query: { timeframe: ['hour', 'day', 'week', 'month', 'year'], cf: ['AVERAGE', 'MAX'] },
    needs: { on: '/storage/{storage}', any: ['Datastore.Audit', 'Datastore.AllocateSpace'] },
    cost: 'proxied',
  },
  '/nodes/{node}/disks/list': {
    query: { skipsmart: 'bool', 'include-partitions': 'bool', type: ['unused', 'journal_disks'] },
    needs: { on: '/', any: ['Sys.Audit'] },
    cost: 'shells-out',
  },
  '/nodes/{node}/disks/smart': {
    query: { disk: 'text', healthonly: 'bool' },
    needs: { on: '/', all: ['Sys.Audit'] },
    cost: 'slow',
  },
  '/nodes/{node}/disks/lvm': { needs: { on: '/', all: ['Sys.Audit'] }, cost: 'shells-out' },
  '/nodes/{node}/disks/lvmthin': { needs: { on: '/', all: ['Sys.Audit'] }, cost: 'shells-out' },
  '/nodes/{node}/disks/zfs': { needs: { on: '/', all: ['Sys.Audit'] }, cost: 'shells-out' },
  '/nodes/{node}/disks/zfs/{name}': { needs: { on: '/', all: ['Sys.Audit'] }, cost: 'shells-out' },
  '/nodes/{node}/disks/directory': { needs: { on: '/', all: ['Sys.Audit'] }, cost: 'shells-out' },
  '/nodes/{node}/replication': { query: { guest: 'int' }, needs: 'any-user', cost: 'proxied', rows: 'VM.Audit on /vms/{vmid}' },
  '/nodes/{node}/replication/{id}/log': {
    query: { start: 'int', limit: 'int' },
    needs: 'any-user',
    cost: 'proxied',
    rows: 'VM.Audit on /vms/{vmid} or Sys.Audit on /nodes/{node}, else refused',
  },
  '/nodes/{node}/hardware/pci': {
    query: { 'pci-class-blacklist': 'text', verbose: 'bool' },
    needs: { on: '/', any: ['Sys.Audit', 'Sys.Modify'] },
    cost: 'shells-out',
  },
  '/nodes/{node}/hardware/usb': { needs: { on: '/', all: ['Sys.Modify'] }, cost: 'shells-out' },
  '/nodes/{node}/hardware/pci/{pci-id-or-mapping}/mdev': {
    needs: { on: '/', any: ['Sys.Audit', 'Sys.Modify'] },
    since: '8.0',
    cost: 'proxied',
  },
  '/nodes/{node}/capabilities/qemu/cpu': {
    needs: 'any-user',
    cost: 'file',
    rows: 'models of your own: Mapping.Audit on /mapping/cpu/{model} or Sys.Audit on /nodes',
  },
  '/nodes/{node}/capabilities/qemu/machines': { needs: 'any-user', cost: 'proxied' },
  '/nodes/{node}/apt/versions': { needs: { on: '/nodes/{node}', all: ['Sys.Audit'] }, cost: 'slow' },
  '/nodes/{node}/apt/update': { needs: { on: '/nodes/{node}', all: ['Sys.Modify'] }, cost: 'slow' },
  '/nodes/{node}/apt/repositories': { needs: { on: '/nodes/{node}', all: ['Sys.Audit'] }, cost: 'proxied' },
  '/nodes/{node}/certificates/info': { needs: 'any-user', cost: 'proxied' },
  '/nodes/{node}/journal': {
    query: { since: 'int', until: 'int', lastentries: 'int', startcursor: 'text', endcursor: 'text' },
    needs: { on: '/nodes/{node}', all: ['Sys.Syslog'] },
    cost: 'slow',
  },
  '/nodes/{node}/syslog': {
    query: { start: 'int', limit: 'int', since: 'text', until: 'text', service: 'text' },
    needs: { on: '/nodes/{node}', all: ['Sys.Syslog'] },
    cost: 'slow',
  },
  '/nodes/{node}/ceph/status': { needs: { on: '/', any: ['Sys.Audit', 'Datastore.Audit'] }, cost: 'slow' },
  '/nodes/{node}/ceph/osd': { needs: { on: '/', any: ['Sys.Audit', 'Datastore.Audit'] }, cost: 'slow' },
  '/nodes/{node}/ceph/pool': { needs: { on: '/', any: ['Sys.Audit', 'Datastore.Audit'] }, cost: 'slow' },
  '/nodes/{node}/ceph/mon': { needs: { on: '/', any: ['Sys.Audit', 'Datastore.Audit'] }, cost: 'slow' },
  '/nodes/{node}/ceph/mgr': { needs: { on: '/', any: ['Sys.Audit', 'Datastore.Audit'] }, cost: 'slow' },
  '/nodes/{node}/ceph/mds': { needs: { on: '/', any: ['Sys.Audit', 'Datastore.Audit'] }, cost: 'slow' },
  '/nodes/{node}/ceph/fs': { needs: { on: '/', any: ['Sys.Audit', 'Datastore.Audit'] }, cost: 'slow' },
  '/nodes/{node}/ceph/rules': { needs: { on: '/', any: ['Sys.Audit', 'Datastore.Audit'] }, cost: 'slow' },
  '/nodes/{node}/ceph/crush': { needs: { on: '/', any: ['Sys.Audit', 'Datastore.Audit'] }, cost: 'slow' },
  '/nodes/{node}/ceph/cfg/raw': { needs: { on: '/', any: ['Sys.Audit', 'Datastore.Audit'] }, cost: 'file' },
  '/nodes/{node}/ceph/cfg/db': { needs: { on: '/', any: ['Sys.Audit', 'Datastore.Audit'] }, cost: 'slow' },
  '/nodes/{node}/ceph/osd/{osdid}/metadata': { needs: { on: '/', all: ['Sys.Audit'] }, cost: 'slow' },
  '/nodes/{node}/ceph/osd/{osdid}/lv-info': {
    query: { type: ['block', 'db', 'wal'] },
    needs: { on: '/', all: ['Sys.Audit'] },
    cost: 'shells-out',
  },
  '/nodes/{node}/ceph/log': {
    query: { start: 'int', limit: 'int' },
    needs: { on: '/nodes/{node}', all: ['Sys.Syslog'] },
    cost: 'proxied',
  },
  '/pools': {
    query: { poolid: { type: 'text', since: '8.1' }, type: { type: ['qemu', 'lxc', 'storage'], since: '8.1' } },
    needs: 'any-user',
    cost: 'file',
    rows: 'Pool.Audit on /pool/{pool}',
  },
  '/pools/{poolid}': {
    query: { type: ['qemu', 'lxc', 'storage'] },
    needs: { on: '/pool/{poolid}', all: ['Pool.Audit'] },
    cost: 'file',
  },
  '/storage': {
    query: {
      type: [
        'btrfs',
        'cephfs',
        'cifs',
        'dir',
        'esxi',
        'iscsi',
        'iscsidirect',
        'lvm',
        'lvmthin',
        'nfs',
        'pbs',
        'rbd',
        'zfs',
        'zfspool',
      ],
    },
    needs: 'any-user',
    cost: 'file',
    rows: 'Datastore.Audit on /storage/{storage}',
  },
} as const satisfies Readonly<Record<string, EndpointSpec>>;

/** A path template of the allow-list. */
export type EndpointPath = keyof typeof endpoints;

/** True when the text is a template of the allow-list. */
export function isEndpoint(path: string): path is EndpointPath {
  return Object.hasOwn(endpoints, path);
}

/** The declaration behind a template, in its general form. */
export function endpointSpec(path: EndpointPath): EndpointSpec {
  return endpoints[path];
}

type ParamNames<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | ParamNames<Rest> : never;

/** Path parameters inferred from the template: a misspelt one does not compile. */
export type PathParams<P extends string> = Readonly<Record<ParamNames<P>, string | number>>;

type SpecOf<P extends EndpointPath> = (typeof endpoints)[P];
type QueryKeys<P extends EndpointPath> = SpecOf<P> extends { readonly query: infer Q } ? keyof Q : never;

/** Query parameters that the template accepts; `undefined` ones are not sent. */
export type QueryOf<P extends EndpointPath> = { readonly [K in QueryKeys<P>]?: string | number | boolean | undefined };
