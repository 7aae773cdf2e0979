import { z } from 'zod';
import { bool, bytes, duration, entries, int, list, percent, prose, record, table, text, time } from '../../answer/spec.ts';
import { formatBytes, formatDuration, formatPercent, shareOf } from '../../answer/units.ts';
import type { Call } from '../../api/call.ts';
import { attempt, type Gaps, mergeGaps, NO_GAPS, visibleWord } from '../../api/reading.ts';
import { readBackupDefaults } from '../../cluster/backup-jobs.ts';
import { guestCoverage, type Inventory, type Node, offlineGaps, readInventory } from '../../cluster/inventory.ts';
import {
  kernelPending,
  type NodeClock,
  type NodeStatus,
  type NodeVersions,
  type Pressure,
  readDns,
  readHosts,
  readNetstat,
  readNodeClock,
  readNodeConfig,
  readNodeStatus,
  readNodeVersions,
  readPressure,
  readServices,
  readSubscription,
  type Service,
  type Subscription,
  serviceVerdict,
  type Usage,
} from '../../cluster/node-status.ts';
import { requireNode } from '../../cluster/resolve.ts';
import { scrubFreeText } from '../../redact/scrub-text.ts';
import { defineTool } from '../define-tool.ts';
import { node } from '../params.ts';
import { RIGHTS_READS } from '../rights-reads.ts';

const SECTIONS = [
  'status',
  'services',
  'time',
  'versions',
  'subscription',
  'dns',
  'pressure',
  'config',
  'notes',
  'hosts',
  'netstat',
  'backup',
] as const;
type Section = (typeof SECTIONS)[number];

/** What is read when nobody says what is wanted: cheap, and what an administrator looks at first. */
const USUAL: readonly Section[] = ['status', 'services', 'time'];

export const getNodeStatus = defineTool({
  name: 'get_node_status',
  title: 'Node status',
  toolset: 'nodes',
  description: `One node: load, memory, kernel, failed services, clock; by sections also versions with pending reboot, subscription, DNS, ... Default: ${USUAL.join(', ')}.`,
  params: {
    node,
    sections: z
      .array(z.enum([...SECTIONS, 'all']))
      .max(14)
      .optional(),
  },
  output: {
    status: record({
      status: text(),
      cpu: percent('of all cores'),
      load: list('averages of 1, 5, 15 minutes'),
      io_wait: percent(),
      cpu_model: text(),
      threads: int('logical CPUs'),
      cores: int(),
      sockets: int(),
      mem: percent('of memory'),
      mem_used: bytes(),
      memory: bytes(),
      swap_used: bytes(),
      swap: bytes(),
      root_used: bytes(),
      root: bytes('root file system'),
      ksm: bytes('memory shared by deduplication'),
      uptime: duration(),
      kernel: text('running'),
      pve_manager: text(),
      boot: text(),
      secure_boot: bool(),
      guests: int('visible ones'),
      running: int(),
    }),
    services_not_running: table(
      { service: text(), state: text(), unit: text('enabled, disabled, masked, ...'), about: text() },
      'installed services that do not run',
    ),
    time: record({
      time: time("the node's clock"),
      timezone: text(),
      ahead: int('seconds that it is ahead of the machine this server runs on'),
      ahead_of_entry: int('seconds that it is ahead of the node that answers for the cluster'),
    }),
    versions: record({
      pve_manager: text(),
      running_kernel: text(),
      newest_kernel: text('installed'),
      newer_kernel_waits: bool('a reboot would start another kernel'),
    }),
    packages: table({ package: text(), installed: text(), available: text('when the package lists know a newer one') }),
    subscription: record({
      status: text(),
      level: text(),
      product: text(),
      key: text(),
      sockets: int(),
      due: text(),
      registered: text(),
      checked: time(),
      message: text(),
    }),
    dns: record({ search: text(), servers: list() }),
    pressure: record(
      {
        sample: time(),
        cpu_some: percent('of the last minute in which some work waited for a CPU'),
        memory_some: percent(),
        memory_full: percent('... in which all work waited'),
        io_some: percent(),
        io_full: percent(),
      },
      'pressure stall information, 9.0 and later',
    ),
    config: entries("the node's own settings"),
    notes: prose(),
    hosts: prose(),
    netstat: table(
      { vmid: int(), device: text(), received: bytes(), sent: bytes() },
      'traffic of guest interfaces since they came up, as the guest sees it',
    ),
    backup: entries('defaults of backups on this node, where a job does not say otherwise'),
  },
  reads: [
    '/cluster/resources',
    '/nodes/{node}/status',
    '/nodes/{node}/services',
    '/nodes/{node}/time',
    '/nodes/{node}/apt/versions',
    '/nodes/{node}/subscription',
    '/nodes/{node}/dns',
    '/nodes/{node}/rrddata',
    '/nodes/{node}/config',
    '/nodes/{node}/hosts',
    '/nodes/{node}/netstat',
    '/nodes/{node}/vzdump/defaults',
    ...RIGHTS_READS,
  ],
  async run(args, call) {
    const inventory = await readInventory(call);
    requireNode(inventory, args.node);
    const known = inventory.nodes.find((n) => n.node === args.node);
    if (known?.status !== 'online') return offlineAnswer(inventory, args.node, known, await guestCoverage(call));
    const wanted = new Set<Section>(wantedSections(args.sections));
    const read = <T>(section: Section, reader: (c: Call, n: string) => Promise<T>) =>
      wanted.has(section) ? attempt({ node: args.node }, () => reader(call, args.node)) : NOTHING;
    const [status, services, clock, versions, subscription, dns, pressure, config, hosts, netstat, backup, guests] =
      await Promise.all([
        read('status', readNodeStatus),
        read('services', readServices),
        read('time', readNodeClock),
        read('versions', readNodeVersions),
        read('subscription', readSubscription),
        read('dns', readDns),
        read('pressure', readPressure),
        wanted.has('config') || wanted.has('notes')
          ? attempt({ node: args.node }, () => readNodeConfig(call, args.node))
          : NOTHING,
        read('hosts', readHosts),
        read('netstat', readNetstat),
        read('backup', readBackupDefaults),
        wanted.has('status') ? guestCoverage(call) : NO_GAPS,
      ]);
    // Guests are only counted beside the node's figures.
    const counted = status.data === undefined ? NO_GAPS : guests;
    const gaps = mergeGaps(
      counted,
      status,
      services,
      clock,
      versions,
      subscription,
      dns,
      pressure,
      config,
      hosts,
      netstat,
      backup,
    );
    const notes = [
      ...(services.data === undefined ? [] : [serviceNote(services.data)]),
      ...(clock.data === undefined ? [] : clockNotes(clock.data)),
      ...(versions.data === undefined ? [] : versionNotes(versions.data)),
      ...(wanted.has('pressure') && pressure.data === undefined && pressure.problems.length === 0
        ? ['Pressure: no samples; it is recorded from release 9.0 on.']
        : []),
    ];
    return {
      headline: headline(args.node, known, status.data, services.data, gaps),
      sections: {
        status: status.data === undefined ? undefined : statusRecord(status.data, inventory, args.node, guests),
        services_not_running: services.data === undefined ? undefined : serviceRows(services.data),
        time: clock.data === undefined ? undefined : clockRecord(clock.data),
        versions: versions.data === undefined ? undefined : versionRecord(versions.data),
        packages: versions.data === undefined ? undefined : packageRows(versions.data),
        subscription: subscription.data === undefined ? undefined : subscriptionRecord(subscription.data),
        dns: dns.data,
        pressure: pressure.data === undefined ? undefined : pressureRecord(pressure.data),
        config: config.data === undefined || !wanted.has('config') ? undefined : Object.fromEntries(config.data.values.entries()),
        notes: config.data === undefined || !wanted.has('notes') ? undefined : scrubFreeText(config.data.notes ?? '').text,
        hosts: hosts.data,
        netstat: netstat.data,
        backup: backup.data === undefined ? undefined : Object.fromEntries(backup.data),
      },
      gaps,
      notes,
    };
  },
});

const NOTHING = { data: undefined, ...NO_GAPS };

function wantedSections(asked: readonly (Section | 'all')[] | undefined): readonly Section[] {
  if (asked === undefined || asked.length === 0) return USUAL;
  return asked.includes('all') ? SECTIONS : SECTIONS.filter((s) => asked.includes(s));
}

/** Of a node that is down only its membership and what belongs to it are known. */
function offlineAnswer(inventory: Inventory, name: string, known: Node | undefined, seen: Gaps) {
  const here = inventory.guests.filter((g) => g.node === name);
  const managed = here.filter((g) => g.haState !== undefined).length;
  return {
    headline: `Node ${name} is ${known?.status ?? 'unknown'}: its state can't be read now`,
    sections: { status: { status: known?.status ?? 'unknown', guests: told(here.length, here.length, seen) } },
    gaps: mergeGaps(offlineGaps(inventory, new Set([name])), seen),
    notes:
      here.length === 0
        ? []
        : [
            `${here.length} ${visibleWord(seen)}${here.length === 1 ? 'guest belongs' : 'guests belong'} to it, ${managed} under HA.`,
          ],
    next: [`list_guests node=${name}`, `get_metrics node=${name} (its history until it went down)`],
  };
}

/** A count of what this token sees there; nothing seen may be nothing shown, and then there is no count. */
function told(count: number, seen: number, gaps: Gaps): number | undefined {
  return seen === 0 && gaps.coverage !== 'complete' ? undefined : count;
}

function headline(
  name: string,
  known: Node,
  status: NodeStatus | undefined,
  services: readonly Service[] | undefined,
  gaps: Gaps,
): string {
  const failed = services?.filter((s) => serviceVerdict(s) === 'failed').length ?? 0;
  const parts = [`Node ${name} is ${known.status}`];
  if (status !== undefined) {
    if (status.uptime !== undefined) parts.push(`up ${formatDuration(status.uptime)}`);
    if (status.cpu !== undefined) parts.push(`CPU ${formatPercent(status.cpu)} of ${status.threads ?? '?'} threads`);
    const mem = usageText(status.memory);
    if (mem !== undefined) parts.push(`memory ${mem}`);
    const root = usageText(status.root);
    if (root !== undefined) parts.push(`root disk ${root}`);
  } else if (gaps.problems.some((p) => p.kind === 'forbidden')) parts.push('but this token may not see its figures');
  if (failed > 0) parts.push(`${failed} ${failed === 1 ? 'service' : 'services'} failed`);
  return parts.join(', ');
}

/** `83.4 GiB of 128 GiB (65%)` */
function usageText({ used, total }: Usage): string | undefined {
  if (used === undefined || total === undefined || total === 0) return undefined;
  return `${formatBytes(used)} of ${formatBytes(total)} (${formatPercent(used / total)})`;
}

function statusRecord(s: NodeStatus, inventory: Inventory, name: string, seen: Gaps) {
  const here = inventory.guests.filter((g) => g.node === name);
  return {
    status: 'online',
    cpu: s.cpu,
    load: s.load.length === 0 ? undefined : s.load.map(String),
    io_wait: s.ioWait,
    cpu_model: s.cpuModel,
    threads: s.threads,
    cores: s.cores,
    sockets: s.sockets,
    mem: shareOf(s.memory.used, s.memory.total),
    mem_used: s.memory.used,
    memory: s.memory.total,
    swap_used: s.swap.used,
    swap: s.swap.total,
    root_used: s.root.used,
    root: s.root.total,
    ksm: s.ksm,
    uptime: s.uptime,
    kernel: s.kernel,
    pve_manager: s.manager,
    boot: s.boot,
    secure_boot: s.secureBoot,
    guests: told(here.length, here.length, seen),
    running: told(here.filter((g) => g.status === 'running').length, here.length, seen),
  };
}

function serviceRows(services: readonly Service[]) {
  return services
    .filter((s) => serviceVerdict(s) === 'failed' || serviceVerdict(s) === 'stopped')
    .map((s) => ({ service: s.service, state: s.state, unit: s.unit, about: s.about }));
}

function serviceNote(services: readonly Service[]): string {
  const count = (verdict: string): number => services.filter((s) => serviceVerdict(s) === verdict).length;
  return `Services: ${count('running')} run, ${count('failed')} failed, ${count('stopped')} stopped; ${count('absent')} more are not installed.`;
}

function clockRecord(clock: NodeClock) {
  return { time: clock.time, timezone: clock.timezone, ahead: clock.ahead, ahead_of_entry: clock.aheadOfEntry };
}

/** The API tells whole seconds and the way there takes time: less than two is no difference. */
const CLOCK_TOLERANCE = 2;

function clockNotes(clock: NodeClock): readonly string[] {
  const off = (seconds: number | undefined): boolean => seconds !== undefined && Math.abs(seconds) >= CLOCK_TOLERANCE;
  const words = (seconds: number): string => `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'}`;
  if (off(clock.aheadOfEntry) && clock.aheadOfEntry !== undefined)
    return [`The node's clock is ${words(clock.aheadOfEntry)} that of the node which answers for the cluster.`];
  if (off(clock.ahead) && clock.ahead !== undefined)
    return [`The cluster's clock and that of the machine this server runs on differ: the node is ${words(clock.ahead)} it.`];
  return [];
}

function versionRecord(v: NodeVersions) {
  return {
    pve_manager: v.manager,
    running_kernel: v.runningKernel,
    newest_kernel: v.newestKernel,
    newer_kernel_waits: kernelPending(v.runningKernel, v.newestKernel),
  };
}

function packageRows(v: NodeVersions) {
  return v.packages
    .filter((p) => p.installed !== undefined)
    .map((p) => ({ package: p.name, installed: p.installed, available: p.candidate === p.installed ? undefined : p.candidate }));
}

function versionNotes(v: NodeVersions): readonly string[] {
  if (kernelPending(v.runningKernel, v.newestKernel) !== true) return [];
  return [`Kernel ${v.newestKernel} is installed, ${v.runningKernel} runs: a reboot is due, unless the kernel is pinned.`];
}

function subscriptionRecord(s: Subscription) {
  return { ...s, status: s.status === 'notfound' ? 'none' : s.status };
}

function pressureRecord(p: Pressure) {
  return {
    sample: p.time,
    cpu_some: p.cpuSome,
    memory_some: p.memorySome,
    memory_full: p.memoryFull,
    io_some: p.ioSome,
    io_full: p.ioFull,
  };
}
