import { describe, expect, it } from 'vitest';
import { createWorld } from '../world/create-world.ts';
import { createHandlers } from './create-handlers.ts';
import { call } from './test-request.ts';

/**
 * Shapes of the genuine 9.2 answers, as facts in a form of our own: keys with the JSON types seen
 * (s text, n number, b boolean, a array, o object, z null), `?` where a key may be absent. Keys that are not named must
 * not occur. `where` picks rows; a shape without rows to check fails.
 */
interface Shape {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly where?: Readonly<Record<string, unknown>>;
  readonly keys: string;
  /** Regular expression over further allowed keys, with their type. */
  readonly also?: readonly [RegExp, string];
}

const NOW = Date.UTC(2026, 0, 14, 11, 30);
const world = createWorld({ now: NOW });
const table = createHandlers(world);

const GUEST =
  'cpu:n disk:n diskread:n diskwrite:n hastate?:s id:s lock?:s maxcpu:n maxdisk:n maxmem:n mem:n memhost:n name:s netin:n netout:n node:s pool?:s status:s tags?:s template:n type:s uptime:n vmid:n';
const PRESSURE_N =
  'pressurecpufull?:n pressurecpusome?:n pressureiofull?:n pressureiosome?:n pressurememoryfull?:n pressurememorysome?:n';
const PRESSURE_S = PRESSURE_N.replaceAll(':n', ':s');
const VM =
  'cpu:n cpus:n disk:n lock?:s maxdisk:n maxmem:n mem:n memhost:n name:s netin:n netout:n status:s tags?:s template?:n uptime:n vmid:n';
const CONTAINER =
  'cpu:n cpus:n disk:n diskread:n diskwrite:n lock?:s maxdisk:n maxmem:n maxswap:n mem:n name:s netin:n netout:n status:s swap:n tags?:s template?:n type:s uptime:n vmid:n';
const POINT =
  'cpu?:n disk?:n diskread?:n diskwrite?:n maxcpu?:n maxdisk?:n maxmem?:n mem?:n memhost?:n netin?:n netout?:n time:n';
const JOB =
  'all?:n comment?:s compress?:s enabled:n exclude?:s fleecing?:o id:s mailnotification?:s mailto?:s mode?:s node?:s notes-template?:s notification-mode?:s pbs-change-detection-mode?:s performance?:o pool?:s prune-backups?:o quiet?:n repeat-missed?:n schedule:s storage:s type:s vmid?:s';
const TASK = 'id:s node:s pid:n pstart:n starttime:n tokenid?:s type:s upid:s user:s';
const VM_CONFIG: readonly [RegExp, string] = [
  /^(?:(?:ide|sata|scsi|virtio|efidisk|tpmstate|unused|net|hostpci|usb|serial|ipconfig|numa|virtiofs|audio|rng)\d+)$/,
  's',
];
const VM_KEYS =
  'agent?:s args?:s balloon?:n bios?:s boot?:s bootdisk?:s cicustom?:s cipassword?:s ciuser?:s cores?:n cpu?:s cpulimit?:s cpuunits?:n description?:s digest:s hookscript?:s hugepages?:s keyboard?:s localtime?:n lock?:s machine?:s memory?:s meta?:s name?:s nameserver?:s numa?:n onboot?:n ostype?:s parent?:s protection?:n runningmachine?:s scsihw?:s searchdomain?:s smbios1?:s sockets?:n spice_enhancements?:s sshkeys?:s startup?:s tablet?:n tags?:s template?:n vcpus?:n vga?:s vmgenid?:s vmstate?:s watchdog?:s';

const firstUpid = (done: boolean): string => {
  const tasks = world.tasks.get('pve1') ?? [];
  return tasks.find((task) => (task.endtime !== undefined) === done)?.upid ?? '';
};

/** Shapes of the rows of one list: which rows, and their keys. */
function rowsOf(path: string, shapes: readonly (readonly [where: NonNullable<Shape['where']>, keys: string])[]): Shape[] {
  return shapes.map(([where, keys]) => ({ path, where, keys }));
}

const SHAPES: readonly Shape[] = [
  { path: '/version', keys: 'console:s release:s repoid:s version:s' },
  ...rowsOf('/cluster/resources', [
    [{ type: 'pool' }, 'cpu?:n id:s maxcpu?:n maxmem?:n mem?:n pool:s type:s uptime?:n'],
    [{ type: 'qemu', status: 'running' }, GUEST],
    [{ type: 'qemu', status: 'prelaunch' }, GUEST],
    [{ type: 'qemu', status: 'stopped' }, GUEST],
    [{ type: 'lxc', status: 'running' }, GUEST],
    [{ type: 'lxc', status: 'stopped' }, GUEST],
    [{ type: 'qemu', status: 'unknown' }, 'hastate?:s id:s node:s pool?:s status:s tags?:s type:s vmid:n'],
    [{ type: 'node', status: 'offline' }, 'hastate:s id:s node:s status:s type:s'],
    [
      { type: 'node', status: 'online' },
      'cgroup-mode?:n cpu:n disk:n hastate:s id:s level:s maxcpu:n maxdisk:n maxmem:n mem:n node:s status:s type:s uptime:n',
    ],
    [{ type: 'storage', status: 'unknown' }, 'content:s id:s node:s plugintype:s shared:n status:s storage:s type:s'],
    [
      { type: 'storage', status: 'available' },
      'content:s disk:n id:s maxdisk:n node:s plugintype:s shared:n status:s storage:s type:s',
    ],
    [{ network: 'localnetwork' }, 'id:s network:s network-type:s node:s status:s type:s'],
    [{ type: 'network', status: 'ok' }, 'id:s network:s network-type:s node:s protocol?:s status:s type:s zone-type?:s'],
  ]),
  {
    path: '/cluster/tasks',
    where: { saved: '1' },
    keys: 'endtime:n id:s node:s saved:s starttime:n status:s tokenid?:s type:s upid:s user:s',
  },
  {
    path: '/cluster/tasks',
    where: { saved: '0' },
    keys: 'id:s node:s pid:n saved:s starttime:n tokenid?:s type:s upid:s user:s',
  },
  { path: '/cluster/status', where: { type: 'cluster' }, keys: 'id:s name:s nodes:n quorate:n type:s version:n' },
  { path: '/cluster/status', where: { type: 'node' }, keys: 'id:s ip:s level:s local:n name:s nodeid:n online:n type:s' },
  { path: '/cluster/backup', keys: `${JOB} next-run:n` },
  { path: '/cluster/backup/backup-nightly', keys: JOB },
  { path: '/cluster/backup/backup-weekly-all/included_volumes', keys: 'children:a' },
  { path: '/cluster/backup-info/not-backed-up', keys: 'name?:s type:s vmid:n' },
  { path: '/nodes', where: { status: 'offline' }, keys: 'id:s node:s ssl_fingerprint:s status:s type:s' },
  {
    path: '/nodes',
    where: { status: 'online' },
    keys: 'cpu:n disk:n id:s level:s maxcpu:n maxdisk:n maxmem:n mem:n node:s ssl_fingerprint:s status:s type:s uptime:n',
  },
  {
    path: '/nodes/pve1/status',
    keys: 'boot-info:o cpu:n cpuinfo:o current-kernel:o idle:n ksm:o kversion:s loadavg:a memory:o pveversion:s rootfs:o swap:o uptime:n wait:n',
  },
  { path: '/nodes/pve1/version', keys: 'release:s repoid:s version:s console?:s' },
  { path: '/nodes/pve1/services', keys: 'active-state:s desc:s name:s service:s state:s unit-state:s' },
  { path: '/nodes/pve2/subscription', keys: 'message:s serverid:s status:s url:s' },
  { path: '/nodes/pve1/time', keys: 'localtime:n time:n timezone:s' },
  {
    path: '/nodes/pve1/network',
    keys: 'active?:n address?:s address6?:s autostart?:n bond_miimon?:s bond_mode?:s bond_xmit_hash_policy?:s bridge_fd?:s bridge_ports?:s bridge_stp?:s bridge_vids?:s bridge_vlan_aware?:n cidr?:s cidr6?:s comments?:s exists?:nz families:a gateway?:s iface:s method:s method6:s mtu?:s netmask?:s netmask6?:s options?:a priority?:n slaves?:s type:s vlan-id?:s vlan-raw-device?:s',
  },
  { path: '/nodes/pve1/qemu', where: { status: 'stopped' }, keys: VM },
  {
    path: '/nodes/pve1/qemu',
    where: { status: 'running' },
    keys: `${VM} ${PRESSURE_N} balloon_min?:n pid:n serial?:n shares?:n`,
  },
  { path: '/nodes/pve1/qemu', query: { full: '1' }, where: { status: 'stopped' }, keys: `${VM} qmpstatus:s` },
  {
    path: '/nodes/pve1/qemu/100/status/current',
    keys: `${VM} ${PRESSURE_N} agent:n balloon?:n balloon_min?:n ballooninfo?:o clipboard:z diskread?:n diskwrite?:n freemem?:n ha:o pid:n qmpstatus:s running-machine?:s running-qemu?:s serial?:n shares?:n`,
  },
  { path: '/nodes/pve1/qemu/103/status/current', keys: `${VM} ha:o qmpstatus:s` },
  { path: '/nodes/pve1/qemu/100/config', keys: VM_KEYS, also: VM_CONFIG },
  { path: '/nodes/pve1/qemu/101/config', keys: VM_KEYS, also: VM_CONFIG },
  { path: '/nodes/pve1/qemu/102/config', keys: VM_KEYS, also: VM_CONFIG },
  { path: '/nodes/pve1/qemu/105/config', keys: 'digest:s' },
  {
    path: '/nodes/pve1/qemu/101/config',
    query: { snapshot: 'pre-pg17' },
    keys: `${VM_KEYS} snaptime:n runningcpu?:s snapstate?:s`,
    also: VM_CONFIG,
  },
  { path: '/nodes/pve1/qemu/100/pending', keys: 'delete?:n key:s pending?:ns value?:ns' },
  { path: '/nodes/pve1/qemu/100/cloudinit', keys: 'delete?:n key:s pending?:s value?:s' },
  {
    path: '/nodes/pve1/qemu/101/snapshot',
    keys: 'description:s digest?:s name:s parent?:s running?:n snapstate?:s snaptime?:n vmstate?:n',
  },
  {
    path: '/nodes/pve1/qemu/101/snapshot/pre-pg17/config',
    keys: 'args?:s bios?:s boot:s cipassword?:s ciuser?:s cores:n description?:s memory:s name:s net0?:s parent?:s runningcpu?:s runningmachine?:s scsi0:s scsihw?:s snapstate?:s snaptime:n vmstate?:s',
  },
  { path: '/nodes/pve1/qemu/100/rrddata', query: { timeframe: 'hour' }, keys: `${POINT} ${PRESSURE_N}` },
  { path: '/nodes/pve1/qemu/100/agent/get-osinfo', keys: 'result:o' },
  { path: '/nodes/pve1/qemu/100/agent/network-get-interfaces', keys: 'result:a' },
  { path: '/nodes/pve1/qemu/100/agent/get-time', keys: 'result:n' },
  { path: '/nodes/pve1/lxc', where: { status: 'stopped' }, keys: CONTAINER },
  { path: '/nodes/pve1/lxc', where: { status: 'running' }, keys: `${CONTAINER} ${PRESSURE_S} pid:n` },
  { path: '/nodes/pve1/lxc/200/status/current', keys: `${CONTAINER} ${PRESSURE_S} ha:o pid:n` },
  {
    path: '/nodes/pve1/lxc/200/config',
    keys: 'arch:s cmode?:s cores?:n cpulimit?:s cpuunits?:n description?:s dev0?:s digest:s entrypoint?:s env?:s features?:s hookscript?:s hostname:s lock?:s lxc?:a memory:n mp0?:s mp1?:s nameserver?:s net0?:s onboot?:n ostype:s parent?:s protection?:n rootfs:s searchdomain?:s snaptime?:n startup?:s swap:n tags?:s template?:n timezone?:s tty?:n unprivileged?:n unused0?:s',
  },
  { path: '/nodes/pve1/lxc/200/pending', keys: 'delete?:n key:s pending?:n value?:ns' },
  { path: '/nodes/pve1/lxc/200/snapshot', keys: 'description:s digest?:s name:s parent?:s running?:n snaptime?:n' },
  {
    path: '/nodes/pve1/lxc/200/snapshot/pre/config',
    keys: 'arch:s cores:n description:s env?:s hostname:s memory:n ostype:s rootfs:s snaptime:n swap:n',
  },
  { path: '/nodes/pve1/lxc/200/interfaces', keys: 'hardware-address:s hwaddr:s inet?:s inet6?:s ip-addresses:a name:s' },
  { path: '/nodes/pve1/lxc/201/rrddata', query: { timeframe: 'day' }, keys: `${POINT} ${PRESSURE_N}` },
  { path: '/nodes/pve1/tasks', keys: `${TASK} endtime:n status:s` },
  { path: '/nodes/pve1/tasks', query: { source: 'active' }, keys: `${TASK} saved:s status:s` },
  { path: `/nodes/pve1/tasks/${firstUpid(true)}/log`, keys: 'n:n t:s' },
  { path: `/nodes/pve1/tasks/${firstUpid(true)}/status`, keys: `${TASK} exitstatus:s status:s` },
  { path: `/nodes/pve1/tasks/${firstUpid(false)}/status`, keys: `${TASK} status:s` },
  {
    path: '/nodes/pve1/storage',
    keys: 'active:n avail:n content:s enabled:n shared:n storage:s total:n type:s used:n used_fraction?:n',
  },
  { path: '/nodes/pve1/storage/local/status', keys: 'active:n avail:n content:s enabled:n shared:n total:n type:s used:n' },
  { path: '/nodes/pve1/storage/local/prunebackups', keys: 'ctime:n mark:s type:s vmid:n volid:s' },
  ...rowsOf('/nodes/pve1/storage/local/content', [
    [{ content: 'iso' }, 'content:s ctime:n format:s size:n volid:s'],
    [{ content: 'vztmpl' }, 'content:s ctime:n format:s size:n volid:s'],
    [{ content: 'snippets' }, 'content:s ctime:n format:s size:n volid:s'],
    [{ content: 'images' }, 'content:s ctime:n format:s parent:sz size:n used:n vmid:n volid:s'],
    [{ content: 'backup' }, 'content:s ctime:n format:s notes?:s protected?:n size:n subtype:s vmid:n volid:s'],
  ]),
  {
    path: '/nodes/pve1/storage/local-lvm/content',
    where: { vmid: 101 },
    keys: 'content:s ctime:s format:s size:n vmid:n volid:s',
  },
  { path: '/nodes/pve1/storage/tank/content', keys: 'content:s format:s name:s parent:sz size:n vmid:n volid:s' },
  {
    path: '/nodes/pve1/storage/pbs-main/content',
    keys: 'content:s ctime:n encrypted?:s format:s notes?:s protected?:n size:n subtype:s verification?:o vmid:n volid:s',
  },
  { path: '/nodes/pve1/storage/local/rrddata', query: { timeframe: 'hour' }, keys: 'time:n total?:n used?:n' },
  {
    path: '/nodes/pve1/rrddata',
    query: { timeframe: 'hour' },
    keys: 'arcsize?:n cpu?:n iowait?:n loadavg?:n maxcpu?:n memavailable?:n memtotal?:n memused?:n netin?:n netout?:n pressurecpusome?:n pressureiofull?:n pressureiosome?:n pressurememoryfull?:n pressurememorysome?:n roottotal?:n rootused?:n swaptotal?:n swapused?:n time:n',
  },
  { path: '/nodes/pve1/disks/lvm', keys: 'children:a leaf:n' },
  {
    path: '/nodes/pve1/disks/lvmthin',
    keys: 'ctime:s lv:s lv_size:n lv_state:s lv_type:s metadata_size:n metadata_used:n used:n vg:s',
  },
  { path: '/nodes/pve1/disks/zfs', keys: 'alloc:n dedup:n frag:n free:n health:s name:s size:n' },
  { path: '/nodes/pve1/disks/zfs/tank', keys: 'action:s children:a errors:s leaf:n name:s scan:s see:s state:s status:s' },
  {
    path: '/storage',
    where: { type: 'dir' },
    keys: 'content:s digest:s is_mountpoint?:s max-protected-backups?:n mkdir?:n nodes?:s path:s prune-backups?:s shared?:n storage:s type:s',
  },
  {
    path: '/storage',
    where: { type: 'pbs' },
    keys: 'content:s datastore:s digest:s encryption-key?:s fingerprint?:s master-pubkey?:n namespace?:s port?:n prune-backups?:s server:s shared:n storage:s type:s username:s',
  },
  { path: '/pools', keys: 'comment?:s poolid:s' },
  { path: '/pools', query: { poolid: 'prod' }, keys: 'comment?:s members:a poolid:s' },
  { path: '/pools/prod', keys: 'comment?:s members:a poolid:s' },
];

function typeOf(value: unknown): string {
  if (value === null) return 'z';
  if (Array.isArray(value)) return 'a';
  return { string: 's', number: 'n', boolean: 'b', object: 'o' }[String(typeof value)] ?? '?';
}

/** What is wrong with a row, in words; empty when it fits. */
function complaints(row: object, shape: Shape): string[] {
  const wanted = new Map(
    shape.keys.split(' ').map((entry): [string, { types: string; optional: boolean }] => {
      const colon = entry.lastIndexOf(':');
      const name = entry.slice(0, colon);
      return [name.replace(/\?$/, ''), { types: entry.slice(colon + 1), optional: name.endsWith('?') }];
    }),
  );
  const present = new Map(Object.entries(row));
  const wrong: string[] = [];
  for (const [key, { optional }] of wanted) if (!optional && !present.has(key)) wrong.push(`${key} is missing`);
  for (const [key, value] of present) {
    const types = wanted.get(key)?.types ?? (shape.also?.[0].test(key) ? shape.also[1] : undefined);
    if (types === undefined) wrong.push(`${key} is unknown`);
    else if (!types.includes(typeOf(value))) wrong.push(`${key} is ${typeOf(value)}, not ${types}`);
    if (typeof value === 'number' && !Number.isFinite(value)) wrong.push(`${key} is ${value}`);
  }
  return wrong;
}

describe('shapes of the genuine answers', () => {
  it.each(SHAPES)('$path $where $query', (shape) => {
    const { data } = call(table, shape.path, { ...(shape.query ? { query: shape.query } : {}), now: NOW });
    const rows: unknown[] = Array.isArray(data) ? data : [data];
    const chosen = rows.filter((row): row is Record<string, unknown> => {
      if (typeof row !== 'object' || row === null) return false;
      const fields = new Map(Object.entries(row));
      return Object.entries(shape.where ?? {}).every(([key, value]) => fields.get(key) === value);
    });
    expect(chosen.length).toBeGreaterThan(0);
    expect(chosen.flatMap((row) => complaints(row, shape).map((text) => `${JSON.stringify(row).slice(0, 60)}: ${text}`))).toEqual(
      [],
    );
  });
});
