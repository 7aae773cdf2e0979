import { formatBytes } from '../answer/units.ts';
import { byText } from '../api/lenient.ts';
import type { GuestConfig } from '../cluster/guest-config.ts';
import type { GuestDisk } from '../cluster/guest-disks.ts';
import { type MigrationFacts, type TargetFacts, usesHostCpu } from '../cluster/migration-facts.ts';
import { zoneNodes } from '../cluster/sdn.ts';
import { runsNow } from './capacity.ts';
import { deviceTies, diskNames, diskTies, isReplicated, reachOf } from './guest-ties.ts';

/** `risky`: it would be tried, and may fail or break the guest. */
export type Verdict = 'yes' | 'risky' | 'unknown' | 'no';

/** What a fact about the guest means for a move, wherever it goes. */
export type Effect = 'blocks' | 'blocks live' | 'copies' | 'unknown' | 'note';

export interface MigrationFinding {
  readonly effect: Effect;
  /** `local disks`, `host devices`, ... */
  readonly what: string;
  readonly detail: string;
}

/** Whether one node can take the guest. */
export interface TargetVerdict {
  readonly node: string;
  /** While it runs; containers never can. */
  readonly live: Verdict;
  /** Switched off, or by a restart (containers). */
  readonly off: Verdict;
  /** Whether HA could start it there when its own node is lost. */
  readonly recovery: Verdict;
  /** Bytes. */
  readonly freeMemory: number | undefined;
  readonly remarks: readonly string[];
}

export interface MigrationReadiness {
  /** Blocking ones first. */
  readonly findings: readonly MigrationFinding[];
  /** The best first. */
  readonly targets: readonly TargetVerdict[];
  /** Bytes on local storages that go over the network. */
  readonly copies: number;
  /** The best that any target allows. */
  readonly live: Verdict;
  readonly off: Verdict;
  readonly recovery: Verdict;
}

const WORSE: Readonly<Record<Verdict, number>> = { yes: 0, risky: 1, unknown: 2, no: 3 };

function worst(...verdicts: readonly Verdict[]): Verdict {
  return verdicts.reduce((a, b) => (WORSE[a] >= WORSE[b] ? a : b), 'yes');
}

/** The best of several; with no node to go to it is `no`, unless some were not looked at. */
function best(verdicts: readonly Verdict[], complete: boolean): Verdict {
  const found = verdicts.reduce<Verdict>((a, b) => (WORSE[a] <= WORSE[b] ? a : b), 'no');
  return found === 'no' && !complete ? 'unknown' : found;
}

/**
 * Judges from the configuration alone whether a guest can move: nothing is tried, so that `yes` means that nothing known
 * speaks against it. What could not be read makes it `unknown`.
 */
export function judgeMigration(facts: MigrationFacts): MigrationReadiness {
  const findings = findingsOf(facts);
  const general = (effects: readonly Effect[]): Verdict =>
    findings.some((f) => effects.includes(f.effect)) ? 'no' : findings.some((f) => f.effect === 'unknown') ? 'unknown' : 'yes';
  const live = general(['blocks', 'blocks live']);
  const off = general(['blocks']);
  const recovery = recoveryInGeneral(facts, findings);
  const copies = facts.config === undefined ? 0 : total(copiedDisks(facts, facts.config));
  const targets = facts.targets.map((target) => judgeTarget(facts, target, { live, off, recovery }));
  const down = facts.inventory.nodes
    .filter((n) => n.status !== 'online' && n.node !== facts.guest.node)
    .map(
      (n): TargetVerdict => ({
        node: n.node,
        live: 'no',
        off: 'no',
        recovery: 'no',
        freeMemory: undefined,
        remarks: [`${n.status} now`],
      }),
    );
  const sorted = [...targets].sort(
    (a, b) =>
      WORSE[a.live] - WORSE[b.live] ||
      WORSE[a.off] - WORSE[b.off] ||
      (b.freeMemory ?? 0) - (a.freeMemory ?? 0) ||
      byText(a.node, b.node),
  );
  const complete = facts.targetsLeft === 0;
  return {
    findings: findings.sort((a, b) => EFFECTS.indexOf(a.effect) - EFFECTS.indexOf(b.effect) || byText(a.what, b.what)),
    targets: [...sorted, ...down],
    copies,
    live: best(
      targets.map((t) => t.live),
      complete || live === 'no',
    ),
    off: best(
      targets.map((t) => t.off),
      complete || off === 'no',
    ),
    recovery: best(
      targets.map((t) => t.recovery),
      complete || recovery === 'no',
    ),
  };
}

const EFFECTS: readonly Effect[] = ['blocks', 'blocks live', 'unknown', 'copies', 'note'];

// --- what holds for every target

function findingsOf(facts: MigrationFacts): MigrationFinding[] {
  const { config, guest } = facts;
  const found: MigrationFinding[] = [];
  const add = (effect: Effect, what: string, detail: string) => found.push({ effect, what, detail });
  if (guest.lock !== undefined) add('blocks', 'lock', `locked (${guest.lock}): the task behind it has to end first`);
  if (config === undefined) {
    add('unknown', 'configuration', 'could not be read, so nothing can be said');
    return found;
  }
  if (config.type === 'lxc')
    add(
      'blocks live',
      'container',
      runsNow(guest) ? 'moves by a restart only: stopped, moved, started again' : 'never moves while it runs',
    );
  diskFindings(facts, config, add);
  snapshotFindings(facts, config, add);
  deviceFindings(config, add);
  driveFindings(facts, config, add);
  if (usesHostCpu(config)) add('note', 'processor', 'uses the processor of its node: live only to a node with an equal one');
  const files = ['hookscript', 'cicustom'].filter((key) => isLocalFile(facts, config.values.get(key)));
  if (files.length > 0) add('note', 'snippets', `${files.join(', ')} on a local storage: has to be on the target, too`);
  if (config.values.has('args')) add('note', 'args', 'raw QEMU arguments may name things of this node; they are not looked into');
  if (config.values.has('hugepages')) add('note', 'hugepages', 'the target needs them free, too');
  if (facts.ha?.status?.resources.some((r) => r.vmid === guest.vmid && r.state === 'error') === true)
    add('note', 'HA', 'in state error: the manager takes no orders for it until that is cleared');
  return found;
}

type Add = (effect: Effect, what: string, detail: string) => void;

function diskFindings(facts: MigrationFacts, config: GuestConfig, add: Add): void {
  const ties = diskTies(config, facts.storages, facts.inventory);
  if (ties.paths.length > 0) add('blocks', 'paths of the node', diskNames(ties.paths));
  if (ties.unseen.length > 0)
    add('unknown', 'storages', `${diskNames(ties.unseen)}: not visible, so neither is whether they are shared`);
  const clones = ties.local.filter((d) => d.cloneOf !== undefined);
  if (clones.length > 0) {
    const bases = [...new Set(clones.map((d) => d.cloneOf))].join(', ');
    add('blocks', 'linked clone', `${diskNames(clones)}: builds on template ${bases}, whose local base does not come along`);
  }
  const copied = copiedDisks(facts, config);
  if (copied.length > 0) {
    const size = total(copied);
    add(
      'copies',
      'local disks',
      `${diskNames(copied)}: copied${size === 0 ? '' : `, ${formatBytes(size)}`}${config.type === 'qemu' ? ' (live needs --with-local-disks)' : ''}`,
    );
  }
}

/** Volumes on the node's own storages that go along, those not in use included. */
function copiedDisks({ storages, inventory }: MigrationFacts, config: GuestConfig): readonly GuestDisk[] {
  return config.disks.filter(
    (d) =>
      d.kind !== 'cdrom' &&
      d.kind !== 'bind' &&
      d.cloneOf === undefined &&
      d.storage !== undefined &&
      reachOf(d.storage, storages, inventory) === 'local',
  );
}

function total(disks: readonly GuestDisk[]): number {
  return disks.reduce((sum, d) => sum + (d.size ?? 0), 0);
}

/** Snapshots of local volumes go along only where the storage can send them, and never while the guest runs. */
function snapshotFindings(facts: MigrationFacts, config: GuestConfig, add: Add): void {
  const { snapshots, storages, inventory } = facts;
  const { local } = diskTies(config, storages, inventory);
  if (snapshots === undefined) {
    if (local.length > 0) add('unknown', 'snapshots', 'could not be read; with local disks they matter');
    return;
  }
  const held = local.filter((d) => facts.snapshotVolumes.has(d.volume));
  const fixed = held.filter((d) => !sendsSnapshots(facts, d));
  if (fixed.length > 0) add('blocks', 'snapshots', `of ${diskNames(fixed)}: this kind of storage can't send them`);
  else if (held.length > 0 && config.type === 'qemu' && !(facts.replication ?? []).some((job) => !job.disabled))
    add('blocks live', 'snapshots', `of ${diskNames(held)}: they go along only while it is off`);
  else if (held.length > 0 && config.type === 'qemu')
    add('note', 'snapshots', `of ${diskNames(held)}: while it runs they go only where it is replicated to`);
  if (fixed.length === 0 && local.length > 0 && facts.snapshotsLeft > 0)
    add('unknown', 'snapshots', `${facts.snapshotsLeft} of ${snapshots.length} were not looked into`);
  const states = facts.stateStorages.filter((s) => reachOf(s, storages, inventory) === 'local');
  const withMemory = snapshots.filter((s) => s.vmState === true);
  if (states.length > 0) add('blocks live', 'saved memory', `memory of snapshots lies on ${states.join(', ')}, a local storage`);
  else if (withMemory.length > 0)
    add(
      'note',
      'saved memory',
      `${withMemory
        .map((s) => s.name)
        .slice(0, 4)
        .join(', ')}: rolling back needs the same processor features and machine type as before`,
    );
}

function sendsSnapshots({ storages, inventory }: MigrationFacts, disk: GuestDisk): boolean {
  const plugin =
    storages?.find((s) => s.storage === disk.storage)?.plugin ??
    inventory.storages.find((s) => s.storage === disk.storage)?.plugin;
  return plugin === 'zfspool' || plugin === 'btrfs' || /\.(?:qcow2|vmdk)$/.test(disk.volume);
}

function deviceFindings(config: GuestConfig, add: Add): void {
  const ties = deviceTies(config);
  const mapped = ties.filter((t) => t.mapping !== undefined);
  const own = ties.filter((t) => t.mapping === undefined);
  const names = (list: typeof ties) => list.map((t) => t.key).join(', ');
  if (own.length > 0 && config.type === 'lxc') add('note', 'devices', `${names(own)}: has to be on the target, too`);
  else if (own.length > 0) add('blocks', 'host devices', `${names(own)}: given through without a mapping`);
  if (mapped.length > 0) {
    add(
      'blocks live',
      'mapped devices',
      `${mapped.map((t) => `${t.key} (${t.mapping})`).join(', ')}: given through, so it moves only while it is off`,
    );
  }
}

function driveFindings({ storages, inventory }: MigrationFacts, config: GuestConfig, add: Add): void {
  const drives = config.disks.filter((d) => d.kind === 'cdrom');
  const isos = drives.filter((d) => d.storage !== undefined && reachOf(d.storage, storages, inventory) === 'local');
  const unseen = drives.filter((d) => d.storage !== undefined && reachOf(d.storage, storages, inventory) === 'unknown');
  if (isos.length > 0) {
    const names = isos.map((d) => `${d.key}: ${d.volume.split(/[:/]/).at(-1) ?? d.volume}`).join(', ');
    add('blocks', 'local ISO', `${names} lies on a local storage: eject it`);
  }
  const physical = drives.filter((d) => d.storage === undefined && d.volume !== 'none');
  if (physical.length > 0)
    add('blocks', 'drive of the node', `${physical.map((d) => d.key).join(', ')}: uses the node's own drive or file`);
  if (unseen.length > 0) add('unknown', 'ISO', `${diskNames(unseen)}: not visible, so neither is whether it is shared`);
}

function isLocalFile({ storages, inventory }: MigrationFacts, value: string | undefined): boolean {
  const named = [...(value ?? '').matchAll(/(?:^|[=,])([A-Za-z][\w.-]*):snippets\//g)].map((m) => m[1] ?? '');
  return named.some((storage) => reachOf(storage, storages, inventory) === 'local');
}

/** HA starts a guest elsewhere from what is left: nothing of the lost node, neither disks nor devices. */
function recoveryInGeneral(facts: MigrationFacts, findings: readonly MigrationFinding[]): Verdict {
  const fatal = ['paths of the node', 'linked clone', 'host devices', 'local ISO', 'drive of the node'];
  if (findings.some((f) => fatal.includes(f.what))) return 'no';
  // A replica may stand in for local disks: that is a question for each target.
  if (facts.config === undefined || findings.some((f) => f.effect === 'unknown' && f.what !== 'snapshots')) return 'unknown';
  return 'yes';
}

// --- what one target is like

interface Judgement {
  /** Of a running move, of any move, and of a restart by HA. */
  live: Verdict;
  off: Verdict;
  recovery: Verdict;
  readonly remarks: { readonly verdict: Verdict; readonly text: string }[];
}

function judgeTarget(
  facts: MigrationFacts,
  target: TargetFacts,
  general: { readonly live: Verdict; readonly off: Verdict; readonly recovery: Verdict },
): TargetVerdict {
  const judged: Judgement = { ...general, remarks: [] };
  if (facts.config !== undefined) {
    judgeStorages(facts, facts.config, target, judged);
    judgeBridges(facts, facts.config, target, judged);
    judgeMappings(facts, facts.config, target, judged);
    judgeProcessor(facts, facts.config, target, judged);
  }
  judgeRules(facts, target, judged);
  const node = facts.inventory.nodes.find((n) => n.node === target.node);
  const freeMemory = node?.maxMem === undefined || node.mem === undefined ? undefined : Math.max(0, node.maxMem - node.mem);
  const needs = facts.guest.maxMem;
  if (freeMemory !== undefined && needs !== undefined && needs > freeMemory) {
    judged.live = worst(judged.live, 'risky');
    judged.recovery = worst(judged.recovery, 'risky');
    remark(judged, 'risky', `it may use ${formatBytes(needs)}, and ${formatBytes(freeMemory)} of memory are free`);
  }
  // What speaks against the node comes first.
  const remarks = judged.remarks.sort((a, b) => WORSE[b.verdict] - WORSE[a.verdict]).map(({ text }) => text);
  return { node: target.node, freeMemory, live: judged.live, off: judged.off, recovery: judged.recovery, remarks };
}

function remark(judged: Judgement, verdict: Verdict, text: string): void {
  judged.remarks.push({ verdict, text });
}

function rule(judged: Judgement, verdict: Verdict, text: string, which: 'all' | 'live' | 'moves' = 'all'): void {
  judged.live = worst(judged.live, verdict);
  if (which !== 'live') judged.off = worst(judged.off, verdict);
  if (which === 'all') judged.recovery = worst(judged.recovery, verdict);
  remark(judged, verdict, text);
}

/** Shared storages have to be there; local ones by the same name, or another has to be named. */
function judgeStorages(facts: MigrationFacts, config: GuestConfig, { node }: TargetFacts, judged: Judgement): void {
  const { storages, inventory } = facts;
  const used = config.disks.filter((d) => d.kind !== 'bind' && d.storage !== undefined);
  const copied = copiedDisks(facts, config);
  const replicated =
    (facts.replication ?? []).some((job) => job.target === node && !job.disabled) &&
    copied.every((d) => isReplicated(d, [node], (storage) => storageAt(facts, storage, node) === 'yes'));
  for (const name of [...new Set(used.flatMap((d) => d.storage ?? []))].sort(byText)) {
    const there = storageAt(facts, name, node);
    const reach = reachOf(name, storages, inventory);
    if (reach === 'shared' && there !== 'yes')
      rule(
        judged,
        there === 'unknown' ? 'unknown' : 'no',
        `storage ${name} ${there === 'unknown' ? 'may not be' : 'is not'} available there`,
      );
    const here = copied.filter((d) => d.storage === name);
    if (reach !== 'local' || here.length === 0) continue;
    if (there === 'no') remark(judged, 'yes', `no storage ${name} there: another one has to be named`);
    else if (!replicated) roomFor(facts, name, node, total(here), judged);
  }
  if (copied.length === 0) return;
  if (replicated) remark(judged, 'yes', 'replicated there: only what changed is copied');
  const snapshots = copied.some((d) => facts.snapshotVolumes.has(d.volume));
  if (snapshots && config.type === 'qemu' && !replicated) judged.live = 'no';
  const needed = copied.some((d) => d.kind !== 'unused' && d.kind !== 'cloud-init' && d.kind !== 'state');
  if (needed && !replicated) judged.recovery = 'no';
}

function storageAt({ storages, inventory }: MigrationFacts, storage: string, node: string): Verdict {
  const definition = storages?.find((s) => s.storage === storage);
  if (definition !== undefined && (!definition.enabled || (definition.nodes.length > 0 && !definition.nodes.includes(node))))
    return 'no';
  const row = inventory.storages.find((s) => s.storage === storage && s.node === node);
  if (row !== undefined) return row.status === 'available' ? 'yes' : 'no';
  return definition === undefined ? 'unknown' : 'no';
}

function roomFor({ inventory }: MigrationFacts, storage: string, node: string, size: number, judged: Judgement): void {
  const row = inventory.storages.find((s) => s.storage === storage && s.node === node);
  if (row?.total === undefined || row.used === undefined) return;
  const free = Math.max(0, row.total - row.used);
  if (size <= free) return;
  // Thin volumes may need less than they may grow to.
  rule(judged, 'risky', `${formatBytes(size)} to copy, and ${formatBytes(free)} are free on ${storage} there`, 'moves');
}

function judgeBridges(facts: MigrationFacts, config: GuestConfig, target: TargetFacts, judged: Judgement): void {
  for (const bridge of [...new Set(config.nics.flatMap((n) => n.bridge ?? []))].sort(byText)) {
    const there = bridgeAt(facts, target, bridge);
    if (there.verdict !== 'yes') rule(judged, there.verdict, there.remark);
  }
}

function bridgeAt(
  { vnets, zones, inventory }: MigrationFacts,
  target: TargetFacts,
  bridge: string,
): { readonly verdict: Verdict; readonly remark: string } {
  if (target.interfaces?.some((i) => i.name === bridge) === true) return { verdict: 'yes', remark: '' };
  const vnet = vnets?.find((v) => v.id === bridge);
  const zone = vnet === undefined ? undefined : zones?.find((z) => z.id === vnet.settings.get('zone'));
  if (vnet !== undefined && zone !== undefined) {
    const nodes = zoneNodes(zone);
    if (nodes.length > 0 && !nodes.includes(target.node))
      return { verdict: 'no', remark: `VNet ${bridge}: zone ${zone.id} is not on this node` };
    const state = inventory.networks.find((n) => n.id === zone.id && n.node === target.node)?.status;
    return state === 'available' || state === 'ok'
      ? { verdict: 'yes', remark: '' }
      : { verdict: 'risky', remark: `VNet ${bridge}: zone ${zone.id} is ${state ?? 'in an unknown state'} there` };
  }
  const sure = target.interfaces !== undefined && target.bridgesSure && vnets !== undefined;
  return sure
    ? { verdict: 'no', remark: `no bridge ${bridge} there` }
    : { verdict: 'unknown', remark: `whether bridge ${bridge} is there can't be seen` };
}

function judgeMappings({ mappings }: MigrationFacts, config: GuestConfig, { node }: TargetFacts, judged: Judgement): void {
  for (const mapping of new Set(deviceTies(config).flatMap((t) => t.mapping ?? []))) {
    const entries = (mappings ?? []).filter((m) => m.id === mapping);
    if (entries.length === 0) rule(judged, 'unknown', `whether mapping ${mapping} has something there can't be seen`);
    else if (!entries.some((m) => m.node === node)) rule(judged, 'no', `mapping ${mapping} has nothing there`);
  }
}

function judgeProcessor({ ownCpu }: MigrationFacts, config: GuestConfig, { cpuModel }: TargetFacts, judged: Judgement): void {
  if (!usesHostCpu(config)) return;
  if (ownCpu === undefined || cpuModel === undefined)
    rule(judged, 'unknown', 'whether its processor is equal is not known', 'live');
  else if (ownCpu !== cpuModel) rule(judged, 'risky', `another processor (${plainCpu(cpuModel)})`, 'live');
}

/** `Intel Xeon E-2288G`, without marks and clock. */
function plainCpu(model: string): string {
  return model
    .replace(/\((?:R|TM)\)|\bCPU\b|@.*$|\b\d+-Core Processor\b/gi, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** HA rules hold for guests under HA only. */
function judgeRules({ ha, guest }: MigrationFacts, { node }: TargetFacts, judged: Judgement): void {
  if (guest.haState === undefined) return;
  if (ha === undefined || (ha.rules === undefined && ha.groups === undefined)) {
    rule(judged, 'unknown', "HA rules can't be seen");
    return;
  }
  const sid = `${guest.type === 'qemu' ? 'vm' : 'ct'}:${guest.vmid}`;
  const where = new Map(ha.status?.resources.map((r) => [r.sid, r.node]));
  for (const r of ha.rules ?? []) {
    if (!r.enabled || r.errors.length > 0 || !r.resources.includes(sid)) continue;
    const others = r.resources.filter((other) => other !== sid);
    if (r.nodes.length > 0 && r.strict === true && !names(r.nodes).includes(node))
      rule(judged, 'no', `HA rule ${r.rule} allows only ${names(r.nodes).join(', ')}`);
    const near = others.filter((other) => where.get(other) === node);
    if (r.affinity === 'apart' && near.length > 0) rule(judged, 'no', `HA rule ${r.rule} keeps it away from ${near.join(', ')}`);
    if (r.affinity === 'together' && others.length > 0)
      remark(judged, 'yes', `HA rule ${r.rule}: ${others.join(', ')} comes along`);
  }
  const group = ha.groups?.find((g) => g.group === ha.status?.resources.find((r) => r.sid === sid)?.group);
  if (group?.restricted === true && !names(group.nodes).includes(node))
    rule(judged, 'no', `HA group ${group.group} allows only ${names(group.nodes).join(', ')}`);
}

/** Without priorities: `pve1:2`. */
function names(nodes: readonly string[]): readonly string[] {
  return nodes.map((n) => n.split(':')[0] ?? n);
}

/** One clause for a headline: `moves live to pve2, pve4`, `moves only switched off, to pve2`, `can't move (local ISO, host devices)`. */
export function migrationWords({ findings, targets, live, off }: MigrationReadiness, isContainer: boolean): string {
  const to = (key: 'live' | 'off', verdict: Verdict) =>
    targets
      .filter((t) => t[key] === verdict)
      .map((t) => t.node)
      .slice(0, 4)
      .join(', ');
  const blockers = [...new Set(findings.filter((f) => f.effect === 'blocks').map((f) => f.what))];
  if (blockers.length > 0) return `can't move (${blockers.join(', ')})`;
  if (live === 'yes') return `can move live to ${to('live', 'yes')}`;
  const how = isContainer ? 'by a restart' : 'switched off';
  const risky = live === 'risky' ? `; live to ${to('live', 'risky')} is risky` : '';
  if (off === 'yes') return `can move ${how} to ${to('off', 'yes')}${risky}`;
  if (off === 'risky') return `may move ${how} to ${to('off', 'risky')}, with risk${risky}`;
  if (off === 'unknown' || live === 'unknown') return 'whether it can move is not known';
  return targets.length === 0 ? "can't move: there is no other node" : "can't move: no node can take it";
}
