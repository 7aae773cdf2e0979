import { formatBytes } from '../answer/units.ts';
import { byText } from '../api/lenient.ts';
import type { GuestConfig } from '../cluster/guest-config.ts';
import type { GuestDisk } from '../cluster/guest-disks.ts';
import type { GuestNic } from '../cluster/guest-nics.ts';
import type { HaGroup, HaRule } from '../cluster/ha.ts';
import type { ImpactFacts } from '../cluster/impact-facts.ts';
import { type Guest, onlineNodes } from '../cluster/inventory.ts';
import { type SdnObject, zoneNodes } from '../cluster/sdn.ts';
import { holdsVlan } from './address-book.ts';
import { runsNow } from './capacity.ts';
import { deviceTies, diskNames, diskTies, isNeeded, isOnNode, isReplicated } from './guest-ties.ts';

/** Something that needs the target. */
export interface Dependent {
  readonly kind:
    | 'guest'
    | 'backup job'
    | 'HA rule'
    | 'HA group'
    | 'replication'
    | 'storage'
    | 'mapping'
    | 'zone'
    | 'vnet'
    | 'node';
  readonly id: string;
  readonly name: string | undefined;
  readonly node: string | undefined;
  readonly status: string | undefined;
  /** How it depends: `scsi1 (500 GiB)`, `net0`, `runs there`. */
  readonly why: readonly string[];
  /** What is lost when the target goes. */
  readonly lost: string;
}

/** How a guest depends on the target; undefined when it does not. For a node its configuration may be missing. */
export function dependentGuest(facts: ImpactFacts, guest: Guest, config: GuestConfig | undefined): Dependent | undefined {
  const { target } = facts;
  if (target.kind === 'node') return guest.node === target.id ? onNode(facts, guest, config) : undefined;
  if (config === undefined) return undefined;
  if (target.kind === 'storage') return onStorage(target.id, guest, config);
  if (target.kind === 'mapping') return onMapping(target.id, guest, config);
  return onNetwork(facts, guest, config);
}

function row(guest: Guest, why: readonly string[], lost: string): Dependent {
  const { vmid, name, node, status, template } = guest;
  return { kind: 'guest', id: String(vmid), name, node, status: template ? 'template' : status, why, lost };
}

// --- storages

function onStorage(storage: string, guest: Guest, config: GuestConfig): Dependent | undefined {
  const disks = config.disks.filter((d) => d.storage === storage);
  const files = ['hookscript', 'cicustom'].filter((key) => (config.values.get(key) ?? '').includes(`${storage}:`));
  if (disks.length === 0 && files.length === 0) return undefined;
  const why = [...disks.map(diskWords), ...files.map((key) => `${key} (snippet)`)];
  return row(guest, why, lostWithStorage(guest, config, disks, files));
}

function diskWords(disk: GuestDisk): string {
  const size = disk.size === undefined ? '' : ` (${formatBytes(disk.size)})`;
  if (disk.kind === 'cdrom') return `${disk.key}: ${disk.volume.split(/[:/]/).at(-1) ?? disk.volume} mounted`;
  if (disk.kind === 'unused') return `${disk.key}, not in use`;
  if (disk.kind === 'cloud-init') return `${disk.key}, cloud-init drive`;
  if (disk.kind === 'state') return 'saved memory';
  const part = disk.kind === 'efi' ? ', EFI variables' : disk.kind === 'tpm' ? ', TPM state' : '';
  return `${disk.key}${disk.kind === 'mount' && disk.mount !== undefined ? ` at ${disk.mount}` : ''}${part}${size}`;
}

function lostWithStorage(guest: Guest, config: GuestConfig, disks: readonly GuestDisk[], files: readonly string[]): string {
  const needed = disks.filter(isNeeded);
  const boot = bootDisk(config);
  if (guest.template && needed.length > 0) return 'the template; its linked clones too';
  if (needed.length > 0 && runsNow(guest)) {
    if (needed.some((d) => d.key === boot))
      return config.type === 'lxc' ? 'its root file system: stops working' : 'its boot disk: stops working';
    return `${needed.map((d) => d.key).join(', ')}: I/O errors`;
  }
  if (needed.length > 0) return "can't start";
  if (disks.some((d) => d.kind === 'state')) return 'its saved memory: starts from cold';
  const drive = disks.find((d) => d.kind === 'cdrom' || d.kind === 'cloud-init');
  if (drive !== undefined || files.length > 0) {
    const what = drive === undefined ? files.join(', ') : `the drive ${drive.key}`;
    return runsNow(guest)
      ? `${what}: runs on, but can't start again as it is configured`
      : `${what}: can't start as it is configured`;
  }
  return 'only a volume that is not in use';
}

/** Key of the disk that a guest boots from, by its boot order, else the first disk. */
function bootDisk(config: GuestConfig): string | undefined {
  const disks = config.disks.filter((d) => d.kind === 'disk' || d.kind === 'root').map((d) => d.key);
  const order = /(?:^|,)order=([^,]+)/.exec(config.values.get('boot') ?? '')?.[1]?.split(';') ?? [];
  return order.find((key) => disks.includes(key)) ?? config.values.get('bootdisk') ?? disks[0];
}

// --- mappings

function onMapping(mapping: string, guest: Guest, config: GuestConfig): Dependent | undefined {
  const claims = deviceTies(config).filter((tie) => tie.mapping === mapping);
  if (claims.length === 0) return undefined;
  const keys = claims.map((tie) => tie.key);
  const lost = runsNow(guest) ? `${keys.join(', ')}: device gone, can't start again` : "can't start";
  return row(guest, keys, lost);
}

// --- networks

function onNetwork(facts: ImpactFacts, guest: Guest, config: GuestConfig): Dependent | undefined {
  const hits = config.nics.flatMap((nic) => {
    const way = wayOf(facts, nic);
    return way === undefined ? [] : [{ nic, way }];
  });
  if (hits.length === 0) return undefined;
  const why = hits.map(({ nic, way }) => `${nic.key}${way === '' ? '' : ` ${way}`}${nic.linkDown ? ' (link down)' : ''}`);
  return row(
    guest,
    why,
    lostWithNetwork(
      facts,
      guest,
      config,
      hits.map(({ nic }) => nic),
    ),
  );
}

/** How an interface reaches the target: `VLAN 20`, `by VNet office`; undefined when it does not. */
function wayOf({ target, vnets, zones }: ImpactFacts, nic: GuestNic): string | undefined {
  const vnet = vnets?.find((v) => v.id === nic.bridge);
  const zone = vnet === undefined ? undefined : zones?.find((z) => z.id === vnet.settings.get('zone'));
  if (target.kind === 'vlan') {
    const vlan = Number(target.id);
    if (nic.vlan === vlan) return `on ${nic.bridge ?? 'no bridge'}`;
    if (vnet !== undefined && isVlanZone(zone) && Number(vnet.settings.get('tag')) === vlan) return `by VNet ${vnet.id}`;
    return nic.trunks !== undefined && holdsVlan(nic.trunks, vlan) ? `as trunk on ${nic.bridge ?? 'no bridge'}` : undefined;
  }
  if (nic.bridge === target.id) return nic.vlan === undefined ? '' : `VLAN ${nic.vlan}`;
  return target.kind === 'bridge' && vnet !== undefined && zone?.settings.get('bridge') === target.id
    ? `by VNet ${vnet.id}`
    : undefined;
}

function isVlanZone(zone: SdnObject | undefined): boolean {
  return zone?.type === 'vlan' || zone?.type === 'qinq';
}

function lostWithNetwork({ target }: ImpactFacts, guest: Guest, config: GuestConfig, nics: readonly GuestNic[]): string {
  if (guest.template) return 'nothing now; clones of it use it too';
  // Without its bridge a guest is refused to start; a VLAN is only not carried.
  if (!runsNow(guest)) return target.kind === 'vlan' ? 'nothing now' : "can't start";
  const up = nics.filter((nic) => !nic.linkDown);
  if (up.length === 0) return 'nothing now: link down';
  const rest = config.nics.filter((nic) => !nic.linkDown && !nics.includes(nic));
  if (rest.length === 0) return 'all its network';
  return `${up.map((nic) => nic.key).join(', ')}; keeps ${rest.map((nic) => nic.key).join(', ')}`;
}

// --- nodes

/** States in which the HA manager does not keep a guest running. */
const HA_IDLE: ReadonlySet<string> = new Set(['ignored', 'disabled', 'stopped']);

function onNode(facts: ImpactFacts, guest: Guest, config: GuestConfig | undefined): Dependent {
  const why = [guest.status === 'unknown' ? 'belongs there' : runsNow(guest) ? 'runs there' : 'is there'];
  if (guest.haState !== undefined) why.push(`HA: ${guest.haState}`);
  const strict = strictRule(facts, guest);
  if (strict !== undefined) why.push(strict);
  const replicas = (facts.replication ?? []).filter(
    (job) => job.vmid === guest.vmid && job.target !== facts.target.id && !job.disabled,
  );
  if (replicas.length > 0) why.push(`replica on ${replicas.map((job) => job.target ?? '?').join(', ')}`);
  return row(
    guest,
    why,
    lostWithNode(
      facts,
      guest,
      config,
      strict !== undefined,
      replicas.flatMap((job) => job.target ?? []),
    ),
  );
}

function lostWithNode(
  facts: ImpactFacts,
  guest: Guest,
  config: GuestConfig | undefined,
  pinned: boolean,
  replicas: readonly string[],
): string {
  const managed = guest.haState !== undefined && !HA_IDLE.has(guest.haState);
  const stops = runsNow(guest) || managed ? 'stops' : guest.template ? 'the template' : 'not available';
  if (config === undefined)
    return managed
      ? `${stops}; whether HA can start it elsewhere is not known: its configuration was not read`
      : `${stops}; its configuration was not read`;
  const ties = diskTies(config, facts.storages, facts.inventory);
  const devices = deviceTies(config).filter((tie) => tie.mapping === undefined);
  const has = (storage: string, node: string): boolean => isOnNode(storage, node, facts.storages, facts.inventory);
  const tied = [...ties.paths, ...ties.local.filter((disk) => !isReplicated(disk, replicas, has))];
  const reasons = [
    ...(tied.length > 0 ? [`${diskNames(tied)} only there`] : []),
    ...(devices.length > 0 ? [`host devices: ${devices.map((d) => d.key).join(', ')}`] : []),
  ];
  if (managed && pinned) return `${stops}: HA may run it nowhere else`;
  if (reasons.length > 0)
    return `${stops}${managed ? "; HA can't start it elsewhere" : ' until the node is back'} (${reasons.join('; ')})`;
  if (ties.unseen.length > 0)
    return `${stops}; whether it can start elsewhere is not known (${diskNames(ties.unseen)} not visible)`;
  if (guest.template) return 'nothing of it: its disks are shared';
  const loss = ties.local.length > 0 ? ', from its replica: what was written since the last run is lost' : '';
  return managed ? `${stops}; HA may start it on another node${loss}` : `${stops}; a person can start it elsewhere${loss}`;
}

function sidOf(guest: Guest): string {
  return `${guest.type === 'qemu' ? 'vm' : 'ct'}:${guest.vmid}`;
}

/** The rule or group that allows a guest on no other node. */
function strictRule({ ha, target }: ImpactFacts, guest: Guest): string | undefined {
  const rule = ha?.rules?.find(
    (r) =>
      r.enabled &&
      r.errors.length === 0 &&
      r.strict === true &&
      r.resources.includes(sidOf(guest)) &&
      onlyNode(r.nodes, target.id),
  );
  if (rule !== undefined) return `HA rule ${rule.rule}: only there`;
  const resource = ha?.status?.resources.find((r) => r.sid === sidOf(guest));
  const group = ha?.groups?.find((g) => g.group === resource?.group && g.restricted && onlyNode(g.nodes, target.id));
  return group === undefined ? undefined : `HA group ${group.group}: only there`;
}

function onlyNode(nodes: readonly string[], node: string): boolean {
  return nodes.length > 0 && nodes.every((n) => plainNode(n) === node);
}

/** Without its priority: `pve1:2`. */
function plainNode(node: string): string {
  return node.split(':')[0] ?? node;
}

// --- everything that is no guest

const bare = { name: undefined, node: undefined, status: undefined };

/** Jobs, rules, storages, zones and nodes that depend on the target, by kind and name. */
export function dependentObjects(facts: ImpactFacts): readonly Dependent[] {
  const { kind } = facts.target;
  const found =
    kind === 'node'
      ? [...jobsOf(facts), ...rulesOf(facts), ...replicationOf(facts), ...onlyOnNode(facts)]
      : kind === 'storage'
        ? jobsOf(facts)
        : kind === 'mapping'
          ? []
          : networkObjects(facts);
  return found.sort((a, b) => byText(a.kind, b.kind) || byText(a.id, b.id));
}

function jobsOf({ jobs, target }: ImpactFacts): Dependent[] {
  return (jobs ?? []).flatMap((job): Dependent[] => {
    const hit = target.kind === 'storage' ? job.storage === target.id : job.node === target.id;
    if (!hit) return [];
    const why = target.kind === 'storage' ? 'writes its backups there' : 'for guests of this node only';
    const lost = !job.enabled ? 'nothing now: the job is off' : target.kind === 'storage' ? 'its backups fail' : 'does not run';
    return [{ ...bare, kind: 'backup job', id: job.id, status: job.enabled ? 'enabled' : 'disabled', why: [why], lost }];
  });
}

function rulesOf({ ha, target }: ImpactFacts): Dependent[] {
  const hits = (r: HaRule | HaGroup) => r.nodes.some((n) => plainNode(n) === target.id);
  const lostBy = (nodes: readonly string[], strict: boolean): string => {
    if (onlyNode(nodes, target.id))
      return strict ? 'its resources may run nowhere else' : 'the preference; its resources run elsewhere';
    return `its resources keep ${nodes
      .map(plainNode)
      .filter((n) => n !== target.id)
      .join(', ')}`;
  };
  return [
    ...(ha?.rules ?? []).filter(hits).map(
      (rule): Dependent => ({
        ...bare,
        kind: 'HA rule',
        id: rule.rule,
        status: !rule.enabled ? 'disabled' : rule.errors.length > 0 ? 'not followed' : 'enabled',
        why: [`names it for ${rule.resources.join(', ')}`],
        lost: rule.enabled ? lostBy(rule.nodes, rule.strict === true) : 'nothing now: the rule is off',
      }),
    ),
    ...(ha?.groups ?? []).filter(hits).map(
      (group): Dependent => ({
        ...bare,
        kind: 'HA group',
        id: group.group,
        why: ['names it'],
        lost: lostBy(group.nodes, group.restricted),
      }),
    ),
  ];
}

function replicationOf({ replication, target }: ImpactFacts): Dependent[] {
  return (replication ?? []).flatMap((job): Dependent[] => {
    if (job.target !== target.id) return [];
    const lost = job.disabled ? 'nothing now: the job is off' : 'the replica there; no new ones';
    const status = job.disabled ? 'disabled' : 'enabled';
    return [{ ...bare, kind: 'replication', id: job.id, status, why: [`copies guest ${job.vmid ?? '?'} to it`], lost }];
  });
}

/** What only this node has: storages, mapped devices, zones. */
function onlyOnNode({ storages, mappings, zones, target, inventory }: ImpactFacts): Dependent[] {
  const alone = inventory.nodes.length === 1;
  const only = (nodes: readonly string[]) => onlyNode(nodes, target.id) && !alone;
  const found: Dependent[] = [];
  for (const s of storages ?? []) {
    if (only(s.nodes))
      found.push({
        ...bare,
        kind: 'storage',
        id: s.storage,
        status: s.enabled ? undefined : 'disabled',
        why: ['only this node has it'],
        lost: 'everything on it',
      });
  }
  for (const id of new Set((mappings ?? []).map((m) => m.id))) {
    if (only((mappings ?? []).filter((m) => m.id === id).map((m) => m.node)))
      found.push({ ...bare, kind: 'mapping', id, why: ['only this node has it'], lost: 'guests that claim it start nowhere' });
  }
  for (const zone of zones ?? []) {
    if (only(zoneNodes(zone)))
      found.push({ ...bare, kind: 'zone', id: zone.id, why: ['limited to this node'], lost: 'its VNets are nowhere else' });
  }
  return found;
}

/** VNets, zones and nodes behind a bridge or VLAN. */
function networkObjects(facts: ImpactFacts): Dependent[] {
  const { target, zones, vnets, networks, memberIps } = facts;
  const found: Dependent[] = [];
  const vnetsOf = (zone: SdnObject): readonly SdnObject[] => (vnets ?? []).filter((v) => v.settings.get('zone') === zone.id);
  for (const zone of zones ?? []) {
    if (target.kind === 'bridge' && zone.settings.get('bridge') === target.id) {
      const names = vnetsOf(zone).map((v) => v.id);
      found.push({
        ...bare,
        kind: 'zone',
        id: zone.id,
        why: ['uses it'],
        lost: names.length === 0 ? 'nothing now: no VNets' : `VNets ${names.join(', ')}`,
      });
    }
    if (target.kind !== 'vlan' || !isVlanZone(zone)) continue;
    for (const vnet of vnetsOf(zone)) {
      if (Number(vnet.settings.get('tag')) === Number(target.id))
        found.push({ ...bare, kind: 'vnet', id: vnet.id, why: [`is this VLAN in zone ${zone.id}`], lost: 'its traffic' });
    }
  }
  for (const { node, interfaces } of networks ?? []) {
    const own = interfaces.filter((i) =>
      target.kind === 'vlan' ? i.vlanId === Number(target.id) : i.name === target.id || i.vlanDevice === target.id,
    );
    const addressed = own.filter((i) => i.addresses.length > 0);
    if (addressed.length === 0) continue;
    const ip = memberIps?.get(node);
    const cluster = ip !== undefined && addressed.some((i) => i.addresses.some((a) => a.split('/')[0] === ip));
    found.push({
      kind: 'node',
      id: node,
      name: undefined,
      node,
      status: 'online',
      why: addressed.map((i) => `${i.name}: ${i.addresses.join(', ')}`),
      lost: cluster ? 'the address by which the cluster knows it' : 'this address of the node',
    });
  }
  return found;
}

// --- what has to be known besides the rows

/** What is true of the target already, and what follows for the cluster; sentences. */
export function impactNotes(facts: ImpactFacts): readonly string[] {
  const { target } = facts;
  if (target.kind === 'node') return nodeNotes(facts);
  if (target.kind === 'storage') return storageNotes(facts);
  if (target.kind === 'mapping') {
    const nodes = [...new Set((facts.mappings ?? []).filter((m) => m.id === target.id).map((m) => m.node))].sort(byText);
    return nodes.length === 0 ? [] : [`Mapping ${target.id} is defined on ${nodes.join(', ')}.`];
  }
  return target.kind === 'bridge' ? bridgeNotes(facts) : [];
}

function nodeNotes({ target, inventory, quorum }: ImpactFacts): readonly string[] {
  const notes: string[] = [];
  const status = inventory.nodes.find((n) => n.node === target.id)?.status ?? 'unknown';
  const member = quorum?.nodes.find((n) => n.node === target.id);
  const votes = quorum?.votes;
  if (status !== 'online') notes.push(`${target.id} is ${status} now: its guests are affected already.`);
  else if (votes !== undefined && member !== undefined) {
    const left = votes.present - member.votes;
    notes.push(
      left >= votes.needed
        ? `Without it ${left} of ${votes.expected} votes are left (${votes.needed} needed): the cluster keeps its quorum.`
        : `Without it ${left} of ${votes.expected} votes are left (${votes.needed} needed): quorum is lost, and neither HA nor a person can start guests then.`,
    );
  }
  if (status === 'online') notes.push('Whether the other nodes have room for its guests: check_capacity.');
  return notes;
}

function storageNotes({ target, inventory, storages }: ImpactFacts): readonly string[] {
  const definition = storages?.find((s) => s.storage === target.id);
  const rows = inventory.storages.filter((s) => s.storage === target.id);
  const online = new Set(onlineNodes(inventory));
  const dead = rows.filter((r) => online.has(r.node) && r.status !== 'available').map((r) => r.node);
  const notes: string[] = [];
  if (definition?.enabled === false) notes.push(`Storage ${target.id} is disabled already.`);
  else if (dead.length > 0)
    notes.push(`Storage ${target.id} can't be reached from ${dead.join(', ')} now: these guests are affected already.`);
  const shared = definition?.shared ?? rows[0]?.shared;
  if (shared === false && rows.length > 1)
    notes.push(`Storage ${target.id} is local: each node has its own, and loses only what is on it.`);
  if ((definition?.content ?? rows[0]?.content ?? []).includes('backup'))
    notes.push(`It may hold backups: list_storage_content storage=${target.id} content=backup.`);
  return notes;
}

function bridgeNotes({ target, networks, bridgesSure }: ImpactFacts): readonly string[] {
  const having = (networks ?? [])
    .filter(({ interfaces }) => interfaces.some((i) => i.name === target.id))
    .map(({ node }) => node);
  if (networks === undefined || networks.length === 0) return [];
  if (having.length === 0 && bridgesSure !== true) return [];
  return having.length === 0
    ? [`Of ${networks.map((n) => n.node).join(', ')} none shows a bridge ${target.id}.`]
    : [`${target.id} is a bridge of ${having.join(', ')}; each node has its own, and only guests on that node lose it.`];
}
