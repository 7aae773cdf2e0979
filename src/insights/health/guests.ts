import { counted, formatBytes, shareOf } from '../../answer/units.ts';
import { type Guest, isOnline } from '../../cluster/inventory.ts';
import { type Task, taskVmid } from '../../cluster/tasks.ts';
import { type Check, defineCheck, type Finding, graded, onGuest, onThing, percentText, some } from './check.ts';

/** Locks that are a state and not the trace of a task: a hibernated guest keeps its lock until it is started. */
const STATES: ReadonlySet<string> = new Set(['suspended']);

/** Guests, as far as the cluster's own list tells. */
export const guestChecks: readonly Check[] = [
  defineCheck({
    id: 'PVE-G01',
    area: 'guests',
    severity: 'warning',
    what: 'Guest locked without a running task',
    why: 'the lock is left over from an interrupted task, and blocks everything else',
    command: 'qm unlock <vmid> (pct unlock for containers), after a look at its last task',
    needs: ['guests', 'running', 'nodes'],
    judge: ({ guests, running, nodes }) =>
      guests.flatMap((g) => {
        const { lock } = g;
        const online = isOnline(nodes, g.node);
        if (lock === undefined || STATES.has(lock) || !online || running.some((t) => worksOn(t, g, lock))) return [];
        return [{ on: onGuest(g), evidence: `${g.vmid}: ${lock}` }];
      }),
  }),
  defineCheck({
    id: 'PVE-G02',
    area: 'guests',
    severity: 'warning',
    what: 'Machine paused or stuck at its start',
    why: 'it does nothing; a paused one often met a full or lost storage',
    command: 'qm status <vmid> --verbose; qm resume <vmid>',
    needs: ['guests'],
    judge: ({ guests }) =>
      guests.flatMap((g) =>
        ['paused', 'prelaunch', 'io-error', 'internal-error', 'guest-panicked'].includes(g.status)
          ? [{ on: onGuest(g), evidence: `${g.vmid}: ${g.status}` }]
          : [],
      ),
  }),
  defineCheck({
    id: 'PVE-G03',
    area: 'guests',
    severity: 'critical',
    what: "Container's root file system filling up",
    why: 'services in it fail when it is full',
    command: 'pct df <vmid>; pct resize <vmid> rootfs +5G',
    needs: ['guests'],
    thresholds: ['guest-disk-warning', 'guest-disk-critical'],
    judge: ({ guests }, by) =>
      guests.flatMap((g): Finding[] => {
        const share = g.type === 'lxc' ? shareOf(g.disk, g.maxDisk) : undefined;
        const severity = graded(share, by.threshold('guest-disk-warning'), by.threshold('guest-disk-critical'));
        return share === undefined || severity === undefined
          ? []
          : [{ on: onGuest(g), severity, evidence: `${g.vmid}: ${percentText(share)} of ${formatBytes(g.maxDisk ?? 0)}` }];
      }),
  }),
  defineCheck({
    id: 'PVE-G04',
    area: 'guests',
    severity: 'warning',
    what: 'Guest near its memory limit',
    why: 'at the limit a container loses processes; a machine may only be caching (without its agent or balloon driver the host cannot tell)',
    command: 'get_guest_status vmid=<vmid>',
    needs: ['guests'],
    thresholds: ['guest-memory'],
    judge: ({ guests }, by) =>
      guests.flatMap((g): Finding[] => {
        const share = shareOf(g.mem, g.maxMem);
        if (share === undefined || share * 100 < by.threshold('guest-memory')) return [];
        const severity = g.type === 'lxc' ? ('warning' as const) : ('info' as const);
        return [{ on: onGuest(g), severity, evidence: `${g.vmid}: ${percentText(share)} of ${formatBytes(g.maxMem ?? 0)}` }];
      }),
  }),
  defineCheck({
    id: 'PVE-G05',
    area: 'guests',
    severity: 'info',
    what: 'Guest uses all its CPUs',
    why: 'at this moment; get_metrics tells whether it lasts',
    command: 'get_metrics vmid=<vmid>',
    needs: ['guests'],
    thresholds: ['guest-cpu'],
    judge: ({ guests }, by) =>
      guests.flatMap((g) =>
        g.cpu !== undefined && g.cpu * 100 >= by.threshold('guest-cpu')
          ? [{ on: onGuest(g), evidence: `${g.vmid}: ${percentText(g.cpu)} of ${counted(g.maxCpu ?? 0, 'CPU')}` }]
          : [],
      ),
  }),
  defineCheck({
    id: 'PVE-G06',
    area: 'guests',
    severity: 'info',
    what: 'Guests with the same name',
    why: 'a command or a restore meant for one may hit the other',
    needs: ['guests'],
    judge: ({ guests }) => {
      const names = new Map<string, Guest[]>();
      for (const g of guests) if (g.name !== undefined) names.set(g.name, [...(names.get(g.name) ?? []), g]);
      return [...names].flatMap(([name, same]) =>
        same.length < 2 ? [] : [{ on: onThing(name, same[0]), evidence: some(same.map((g) => g.vmid)) }],
      );
    },
  }),
];

/** A task that names the guest accounts for its lock; some locks are held by tasks that name another, or none. */
function worksOn(task: Task, guest: Guest, lock: string): boolean {
  if (taskVmid(task) === guest.vmid) return true;
  // A backup of several guests names none of them.
  if (lock === 'backup') return task.type === 'vzdump' && task.id === undefined && task.node === guest.node;
  // The copy is locked as well, and the task names the original.
  return lock === 'clone' && /^(?:qm|vz)clone$/.test(task.type);
}
