import { formatBytes, shareOf } from '../../answer/units.ts';
import { serviceVerdict } from '../../cluster/node-status.ts';
import { runsNow } from '../capacity.ts';
import { type Check, defineCheck, graded, onNode, percentText } from './check.ts';

/** Without these a node does not do its work as a member. */
const CORE_SERVICES: ReadonlySet<string> = new Set([
  'corosync',
  'pve-cluster',
  'pvedaemon',
  'pveproxy',
  'pvestatd',
  'pvescheduler',
  'pve-ha-crm',
  'pve-ha-lrm',
  'qmeventd',
]);
const TIME_SERVICES: ReadonlySet<string> = new Set([
  'chrony',
  'chronyd',
  'systemd-timesyncd',
  'ntp',
  'ntpd',
  'ntpsec',
  'openntpd',
]);

/** Nodes: what runs short, and services. */
export const nodeChecks: readonly Check[] = [
  defineCheck({
    id: 'PVE-N01',
    area: 'nodes',
    severity: 'critical',
    what: 'Node short of memory',
    why: 'guests swap or the kernel kills one of them',
    command: 'free -h; qm list',
    needs: ['nodes'],
    thresholds: ['memory-warning', 'memory-critical'],
    judge: ({ nodes }, by) =>
      nodes.flatMap((n) => {
        const share = n.status === 'online' ? shareOf(n.mem, n.maxMem) : undefined;
        const severity = graded(share, by.threshold('memory-warning'), by.threshold('memory-critical'));
        if (share === undefined || severity === undefined) return [];
        return [{ on: onNode(n.node), severity, evidence: `${percentText(share)} of ${formatBytes(n.maxMem ?? 0)}` }];
      }),
  }),
  defineCheck({
    id: 'PVE-N02',
    area: 'nodes',
    severity: 'critical',
    what: 'Root file system nearly full',
    why: 'a full one stops logins, tasks and the cluster file system',
    command: 'df -h /; du -xh --max-depth=2 / | sort -h | tail',
    needs: ['nodes'],
    thresholds: ['root-warning', 'root-critical'],
    judge: ({ nodes }, by) =>
      nodes.flatMap((n) => {
        const share = n.status === 'online' ? shareOf(n.disk, n.maxDisk) : undefined;
        const severity = graded(share, by.threshold('root-warning'), by.threshold('root-critical'));
        if (share === undefined || severity === undefined) return [];
        return [{ on: onNode(n.node), severity, evidence: `${percentText(share)} of ${formatBytes(n.maxDisk ?? 0)}` }];
      }),
  }),
  defineCheck({
    id: 'PVE-N03',
    area: 'nodes',
    severity: 'warning',
    what: 'Node out of CPU',
    why: 'its guests wait for each other',
    needs: ['nodes'],
    thresholds: ['cpu-warning'],
    judge: ({ nodes }, by) =>
      nodes.flatMap((n) =>
        n.status === 'online' && n.cpu !== undefined && n.cpu * 100 >= by.threshold('cpu-warning')
          ? [{ on: onNode(n.node), evidence: `${percentText(n.cpu)} of ${n.maxCpu ?? '?'} CPUs at the moment` }]
          : [],
      ),
  }),
  defineCheck({
    id: 'PVE-N04',
    area: 'nodes',
    severity: 'warning',
    what: 'More memory assigned than the node has',
    why: 'when the guests use what they were given, some are killed',
    needs: ['nodes', 'guests'],
    thresholds: ['memory-assigned'],
    judge: ({ nodes, guests }, by) =>
      nodes.flatMap((n) => {
        const assigned = guests.filter((g) => g.node === n.node && runsNow(g)).reduce((sum, g) => sum + (g.maxMem ?? 0), 0);
        const share = n.status === 'online' ? shareOf(assigned, n.maxMem) : undefined;
        return share !== undefined && share * 100 >= by.threshold('memory-assigned')
          ? [{ on: onNode(n.node), evidence: `${formatBytes(assigned)} of ${formatBytes(n.maxMem ?? 0)}` }]
          : [];
      }),
  }),
  defineCheck({
    id: 'PVE-N05',
    area: 'nodes',
    severity: 'warning',
    what: 'Swap in use',
    why: 'the node was short of memory, and what was swapped out is slow',
    command: 'swapon --show; vmstat 1 5',
    needs: ['nodeStatus'],
    thresholds: ['swap-warning'],
    judge: ({ nodeStatus }, by) =>
      [...nodeStatus].flatMap(([node, { swap }]) => {
        const share = shareOf(swap.used, swap.total);
        return share !== undefined && share * 100 >= by.threshold('swap-warning')
          ? [{ on: onNode(node), evidence: `${percentText(share)} of ${formatBytes(swap.total ?? 0)}` }]
          : [];
      }),
  }),
  defineCheck({
    id: 'PVE-N06',
    area: 'nodes',
    severity: 'warning',
    what: 'Load above what the CPUs can do',
    why: 'work queues up: CPU or storage is too slow for it',
    command: 'uptime; iostat -x 1 3',
    needs: ['nodeStatus'],
    thresholds: ['load-warning'],
    judge: ({ nodeStatus }, by) =>
      [...nodeStatus].flatMap(([node, { load, threads }]) => {
        const last = load[2];
        const share = shareOf(last, threads);
        return share !== undefined && share * 100 >= by.threshold('load-warning')
          ? [{ on: onNode(node), evidence: `${last} over 15 min on ${threads} CPUs` }]
          : [];
      }),
  }),
  defineCheck({
    id: 'PVE-N07',
    area: 'nodes',
    severity: 'warning',
    what: 'Node waits for its storage',
    why: 'slow disks make every guest on it slow',
    command: 'iostat -x 1 3',
    needs: ['nodeStatus'],
    thresholds: ['io-wait-warning'],
    judge: ({ nodeStatus }, by) =>
      [...nodeStatus].flatMap(([node, { ioWait }]) =>
        ioWait !== undefined && ioWait * 100 >= by.threshold('io-wait-warning')
          ? [{ on: onNode(node), evidence: `${percentText(ioWait)} of the time` }]
          : [],
      ),
  }),
  defineCheck({
    id: 'PVE-N08',
    area: 'nodes',
    severity: 'critical',
    what: 'Service failed',
    why: 'what it does is not done on this node',
    command: 'ssh <node> systemctl --failed',
    needs: ['services'],
    judge: ({ services }) =>
      [...services].flatMap(([node, list]) => {
        const failed = list.filter((s) => serviceVerdict(s) === 'failed').map((s) => s.service);
        if (failed.length === 0) return [];
        const severity = failed.some((s) => CORE_SERVICES.has(s)) ? ('critical' as const) : ('warning' as const);
        return [{ on: onNode(node), severity, evidence: failed.join(', ') }];
      }),
  }),
  defineCheck({
    id: 'PVE-N09',
    area: 'nodes',
    severity: 'warning',
    what: 'Core service not running',
    why: 'the node is only half a member',
    command: 'ssh <node> systemctl status <name of the service>',
    needs: ['services'],
    uses: ['membership'],
    judge: ({ services, membership }) =>
      [...services].flatMap(([node, list]) => {
        // A node that stands alone has no use for corosync.
        const alone = membership?.clustered === false;
        const stopped = list.filter(
          (s) => CORE_SERVICES.has(s.service) && serviceVerdict(s) === 'stopped' && !(alone && s.service === 'corosync'),
        );
        return stopped.length === 0
          ? []
          : [{ on: onNode(node), evidence: stopped.map((s) => `${s.service} ${s.state}`).join(', ') }];
      }),
  }),
  defineCheck({
    id: 'PVE-N10',
    area: 'nodes',
    severity: 'warning',
    what: 'No time service running',
    why: 'the clock drifts, and cluster, Ceph and logins depend on it',
    command: 'ssh <node> systemctl enable --now chrony',
    needs: ['services'],
    judge: ({ services }) =>
      [...services].flatMap(([node, list]) => {
        const known = list.filter((s) => TIME_SERVICES.has(s.service));
        if (known.length === 0 || known.some((s) => serviceVerdict(s) === 'running')) return [];
        const installed = known.filter((s) => serviceVerdict(s) !== 'absent').map((s) => `${s.service} ${s.state}`);
        return [{ on: onNode(node), evidence: installed.length === 0 ? 'none installed' : installed.join(', ') }];
      }),
  }),
];
