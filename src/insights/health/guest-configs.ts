import { formatDuration } from '../../answer/units.ts';
import { agentEnabled, type GuestConfig } from '../../cluster/guest-config.ts';
import type { FactData, GuestDetail } from '../../cluster/health-facts.ts';
import type { Storage } from '../../cluster/storage.ts';
import { isNeeded, isReplicated } from '../guest-ties.ts';
import { type Check, defineCheck, type Finding, onGuest, some } from './check.ts';

const DAY = 86_400;

/** What only the configuration, snapshots and agent of each guest tell: deep checks. */
export const guestConfigChecks: readonly Check[] = [
  defineCheck({
    id: 'PVE-G11',
    area: 'guests',
    severity: 'info',
    what: 'Configuration changes wait for a restart',
    why: 'the guest runs with the old values',
    command: 'qm pending <vmid> (pct pending for containers)',
    needs: ['details'],
    judge: ({ details }) =>
      each(details, ({ changes }, { vmid }) =>
        changes === undefined || changes.length === 0 ? undefined : `${vmid} ${some(changes.map((c) => c.key))}`,
      ),
  }),
  defineCheck({
    id: 'PVE-G12',
    area: 'guests',
    severity: 'info',
    what: 'Old snapshots',
    why: 'they grow with every write and slow disks and backups down; they are no backup',
    command: 'qm delsnapshot <vmid> SNAPSHOT (pct for containers)',
    needs: ['snapshots'],
    thresholds: ['snapshot-days'],
    judge: ({ snapshots: guests }, by) =>
      each(guests, ({ snapshots }, { vmid }) => {
        const limit = by.threshold('snapshot-days') * DAY;
        const old = (snapshots?.snapshots ?? []).filter(
          (s) => s.time !== undefined && by.now - s.time > limit && s.state === undefined,
        );
        if (old.length === 0) return undefined;
        const oldest = Math.min(...old.map((s) => s.time ?? by.now));
        return `${vmid}: ${old.length}, oldest ${formatDuration(by.now - oldest)}`;
      }),
  }),
  defineCheck({
    id: 'PVE-G13',
    area: 'guests',
    severity: 'warning',
    what: 'Snapshot stuck halfway',
    why: 'its creation or removal never came to its end; it blocks others',
    command: 'qm delsnapshot <vmid> SNAPSHOT --force 1',
    needs: ['snapshots'],
    judge: ({ snapshots: guests }) =>
      each(guests, ({ snapshots }, { vmid }) => {
        const stuck = (snapshots?.snapshots ?? []).filter((s) => s.state !== undefined);
        return stuck.length === 0 ? undefined : `${vmid} ${some(stuck.map((s) => `${s.name} (${s.state})`))}`;
      }),
  }),
  defineCheck({
    id: 'PVE-G14',
    area: 'guests',
    severity: 'warning',
    what: 'Guest agent enabled, but silent',
    why: 'backups are not consistent, addresses unknown, and shutdowns may hang',
    command: 'qm agent <vmid> ping; install or start qemu-guest-agent in the guest',
    needs: ['agents'],
    judge: ({ agents }) => each(agents, ({ agent }, { vmid }) => (agent === 'silent' ? `${vmid} does not answer` : undefined)),
  }),
  defineCheck({
    id: 'PVE-G15',
    area: 'guests',
    severity: 'info',
    what: 'Running machine without guest agent',
    why: 'its file systems are not frozen for backups, and its addresses are not known',
    command: 'qm set <vmid> --agent 1 (and install qemu-guest-agent in the guest)',
    needs: ['details'],
    judge: ({ details }) =>
      each(details, ({ config }, guest) =>
        guest.type === 'qemu' && guest.status === 'running' && config !== undefined && !agentEnabled(config.values.get('agent'))
          ? 'not enabled'
          : undefined,
      ),
  }),
  defineCheck({
    id: 'PVE-G16',
    area: 'guests',
    severity: 'warning',
    what: 'Guest under HA bound to devices of its node',
    why: 'HA cannot start it on another node',
    command: 'ha-manager remove <vmid>, or use a mapping that exists on every node',
    needs: ['details', 'ha'],
    judge: ({ details, ha }) =>
      underHa(details, ha, ({ config }, { vmid }) => {
        const bound = config === undefined ? [] : hostDevices(config);
        return bound.length === 0 ? undefined : `${vmid} ${some(bound)}`;
      }),
  }),
  defineCheck({
    id: 'PVE-G17',
    area: 'guests',
    severity: 'info',
    what: 'Guest under HA with the CPU type of its host',
    why: 'it moves live only between equal CPUs',
    command: 'qm set <vmid> --cpu x86-64-v2-AES',
    needs: ['details', 'ha'],
    judge: ({ details, ha }) =>
      underHa(details, ha, ({ config }, { vmid }) =>
        /^(?:cputype=)?host\b/.test(config?.values.get('cpu') ?? '') ? `${vmid} cpu host` : undefined,
      ),
  }),
  defineCheck({
    id: 'PVE-G18',
    area: 'guests',
    severity: 'warning',
    what: 'Guest under HA with disks that only its node has',
    why: 'another node cannot start it: HA fails when it is needed',
    command: 'qm disk move <vmid> DISK SHARED-STORAGE (or set up replication)',
    needs: ['details', 'ha', 'storages', 'replication'],
    judge: ({ details, ha, storages, replication }) =>
      underHa(details, ha, ({ config }, { vmid }) => {
        if (config === undefined) return undefined;
        const targets = replication.jobs.flatMap(({ job }) => (job.vmid === vmid && !job.disabled ? (job.target ?? []) : []));
        const has = (storage: string, node: string): boolean =>
          storages.some((s) => s.storage === storage && s.nodes.includes(node));
        const local = config.disks
          .filter((d) => isNeeded(d) && (d.storage === undefined || isLocal(d.storage, storages)))
          .filter((d) => !isReplicated(d, targets, has))
          .map((d) => d.key);
        return local.length === 0 ? undefined : `${vmid} ${some(local)}`;
      }),
  }),
  defineCheck({
    id: 'PVE-G19',
    area: 'guests',
    severity: 'info',
    what: 'ISO image of a local storage in the drive',
    why: 'the guest cannot move while it is there',
    command: 'qm set <vmid> --DRIVE none,media=cdrom',
    needs: ['details', 'storages'],
    judge: ({ details, storages }) =>
      each(details, ({ config }, { vmid }) => {
        const mounted = (config?.disks ?? []).filter(
          (d) => d.kind === 'cdrom' && d.storage !== undefined && isLocal(d.storage, storages),
        );
        return mounted.length === 0
          ? undefined
          : `${vmid} ${some(
              mounted.map((d) => `${d.key} ${d.volume}`),
              2,
            )}`;
      }),
  }),
  defineCheck({
    id: 'PVE-G20',
    area: 'guests',
    severity: 'warning',
    what: 'Same MAC address twice',
    why: 'frames go to either of them: both lose connections when they share a network',
    command: 'qm set <vmid> --netN MODEL,bridge=BRIDGE (a new address is drawn)',
    needs: ['details', 'oneGo'],
    also: ['everyNode'],
    judge: ({ details }) => {
      const owners = new Map<string, Map<number, string>>();
      for (const { guest, config } of details.values())
        for (const { mac } of config?.nics ?? [])
          if (mac !== undefined) owners.set(mac, (owners.get(mac) ?? new Map()).set(guest.vmid, guest.node));
      return [...owners].flatMap(([mac, guests]) =>
        guests.size < 2
          ? []
          : [{ on: { name: mac, nodes: [...new Set(guests.values())] }, evidence: `guests ${some([...guests.keys()])}` }],
      );
    },
  }),
  defineCheck({
    id: 'PVE-G21',
    area: 'guests',
    severity: 'warning',
    what: 'VLAN on a bridge that is not VLAN-aware',
    why: 'trunks are dropped, and a tag only works while the bridge has a single plain port',
    command: 'pvesh set /nodes/<node>/network/BRIDGE --bridge_vlan_aware 1',
    needs: ['details', 'networks'],
    judge: ({ details, networks }) =>
      [...details.values()].flatMap(({ config, guest }): readonly Finding[] => {
        const unaware = new Set(
          (networks.get(guest.node)?.interfaces ?? []).filter((i) => i.vlanAware === false).map((i) => i.name),
        );
        const tagged = (config?.nics ?? []).filter(
          (n) => n.bridge !== undefined && unaware.has(n.bridge) && (n.vlan !== undefined || n.trunks !== undefined),
        );
        if (tagged.length === 0) return [];
        const words = tagged.map((n) => `${n.key} ${n.bridge} ${n.vlan === undefined ? `trunks ${n.trunks}` : `tag ${n.vlan}`}`);
        const severity = tagged.some((n) => n.trunks !== undefined) ? ('warning' as const) : ('info' as const);
        return [{ on: onGuest(guest), severity, evidence: `${guest.vmid} ${some(words, 2)}` }];
      }),
  }),
  defineCheck({
    id: 'PVE-G22',
    area: 'guests',
    severity: 'warning',
    what: 'Bridge that its node does not have',
    why: 'the guest does not start (again) there',
    command: 'qm config <vmid>; pvesh get /nodes/<node>/network',
    needs: ['details', 'networks', 'sdn'],
    judge: ({ details, networks, sdn }) => {
      const vnets = new Set(sdn.vnets.map((v) => v.id));
      return each(details, ({ config }, guest) => {
        const interfaces = networks.get(guest.node)?.interfaces;
        // A list without any bridge was filtered, not empty.
        if (interfaces === undefined || !interfaces.some((i) => /bridge/i.test(i.type))) return undefined;
        const there = new Set(interfaces.map((i) => i.name));
        const lost = (config?.nics ?? []).filter((n) => n.bridge !== undefined && !there.has(n.bridge) && !vnets.has(n.bridge));
        return lost.length === 0 ? undefined : `${guest.vmid} ${some(lost.map((n) => `${n.key} ${n.bridge}`))}`;
      });
    },
  }),
  defineCheck({
    id: 'PVE-G23',
    area: 'guests',
    severity: 'info',
    what: 'Running guest that does not start with its node',
    why: 'after a reboot or power failure it stays down (HA would start it)',
    command: 'qm set <vmid> --onboot 1 (pct for containers)',
    needs: ['details', 'ha'],
    judge: ({ details, ha }) => {
      const managed = managedVmids(ha);
      return each(details, ({ config }, guest) =>
        guest.status === 'running' && config !== undefined && !managed.has(guest.vmid) && config.values.get('onboot') !== '1'
          ? 'onboot is off'
          : undefined,
      );
    },
  }),
  defineCheck({
    id: 'PVE-G24',
    area: 'guests',
    severity: 'critical',
    what: 'Disk on a storage that is not there',
    why: 'the guest does not start, or stops at its next access',
    command: 'qm config <vmid> (pct for containers)',
    needs: ['details', 'allStorages', 'storages'],
    judge: ({ details, allStorages, storages }) =>
      each(details, ({ config }, guest) => {
        const lost = (config?.disks ?? []).flatMap((d) => {
          if (d.storage === undefined || d.kind === 'unused') return [];
          const why = storageTrouble(d.storage, guest.node, allStorages, storages);
          return why === undefined ? [] : [`${d.key} on ${d.storage} (${why})`];
        });
        return lost.length === 0 ? undefined : `${guest.vmid} ${some(lost, 2)}`;
      }),
  }),
  defineCheck({
    id: 'PVE-G25',
    area: 'guests',
    severity: 'info',
    what: 'Unused disks',
    why: 'they take space and belong to nothing',
    command: 'qm set <vmid> --delete unusedN (removes the volume)',
    needs: ['details'],
    judge: ({ details }) =>
      each(details, ({ config }, { vmid }) => {
        const unused = (config?.disks ?? []).filter((d) => d.kind === 'unused').map((d) => d.key);
        return unused.length === 0 ? undefined : `${vmid} ${some(unused)}`;
      }),
  }),
  defineCheck({
    id: 'PVE-G26',
    area: 'guests',
    severity: 'info',
    what: 'Privileged container',
    why: 'root in it is root on the node if it breaks out',
    command: 'restore its backup with --unprivileged 1',
    needs: ['details'],
    judge: ({ details }) =>
      each(details, ({ config }, guest) =>
        guest.type === 'lxc' && config !== undefined && config.values.get('unprivileged') !== '1'
          ? 'not unprivileged'
          : undefined,
      ),
  }),
  defineCheck({
    id: 'PVE-G27',
    area: 'guests',
    severity: 'warning',
    what: 'Disk cache that ignores flushes',
    why: 'a crash of the node corrupts the file systems on it',
    command: 'qm set <vmid> --DISK VOLUME,cache=none',
    needs: ['details'],
    judge: ({ details }) =>
      each(details, ({ config }, { vmid }) => {
        const unsafe = (config?.disks ?? []).filter((d) => d.options.includes('cache=unsafe')).map((d) => d.key);
        return unsafe.length === 0 ? undefined : `${vmid} ${some(unsafe)}`;
      }),
  }),
];

type Details = FactData['details'];

/** One finding for each guest that the function has something to say about. */
function each(
  details: Details,
  say: (detail: GuestDetail, guest: GuestDetail['guest']) => string | undefined,
): readonly Finding[] {
  return [...details.values()].flatMap((detail) => {
    const evidence = say(detail, detail.guest);
    return evidence === undefined ? [] : [{ on: onGuest(detail.guest), evidence }];
  });
}

function managedVmids(ha: FactData['ha']): ReadonlySet<number> {
  return new Set(ha.status.resources.flatMap((r) => (r.wanted === 'disabled' || r.wanted === 'ignored' ? [] : (r.vmid ?? []))));
}

function underHa(
  details: Details,
  ha: FactData['ha'],
  say: (detail: GuestDetail, guest: GuestDetail['guest']) => string | undefined,
): readonly Finding[] {
  const managed = managedVmids(ha);
  return each(details, (detail, guest) => (managed.has(guest.vmid) ? say(detail, guest) : undefined));
}

/** Devices and directories of the node; a mapping may stand for one on each node. */
function hostDevices(config: GuestConfig): readonly string[] {
  const bound = [...config.values].flatMap(([key, value]) => {
    if (/^(?:hostpci|usb)\d+$/.test(key)) return value.includes('mapping=') || /^spice\b/.test(value) ? [] : [key];
    if (/^dev\d+$/.test(key)) return [key];
    return [];
  });
  const mounts = config.disks.filter((d) => d.kind === 'bind' && !d.options.includes('shared=1')).map((d) => d.key);
  return [...bound, ...mounts].sort();
}

/** True only where the storage is known to be each node's own. */
function isLocal(storage: string, storages: readonly Storage[]): boolean {
  const parts = storages.filter((s) => s.storage === storage);
  return parts.length > 0 && parts.every((s) => !s.shared);
}

function storageTrouble(
  storage: string,
  node: string,
  all: FactData['allStorages'],
  storages: readonly Storage[],
): string | undefined {
  const definition = all.find((d) => d.storage === storage);
  if (definition === undefined) return 'not defined';
  if (!definition.enabled) return 'disabled';
  if (definition.nodes.length > 0 && !definition.nodes.includes(node)) return `not on ${node}`;
  const here = storages.find((s) => s.storage === storage && s.nodes.includes(node));
  return here?.state === 'inactive' || here?.unreachableFrom.includes(node) === true ? 'not reachable' : undefined;
}
