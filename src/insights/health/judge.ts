import type { ErrorKind } from '../../api/errors.ts';
import { DEEP_FACTS, type FactName, type HealthFacts, type Lack, type Plan } from '../../cluster/health-facts.ts';
import type { HealthIgnore } from '../../config/settings.ts';
import { type Check, type Finding, type Judging, SEVERITIES, type Severity, type Target } from './check.ts';

/** What a caller wants to hear about. */
export interface Scope {
  readonly minimum: Severity;
  readonly node: string | undefined;
  readonly vmid: number | undefined;
}

/** Everything of one check and severity, as one row. */
export interface FindingGroup {
  readonly check: Check;
  readonly severity: Severity;
  /** In natural order, each once. */
  readonly targets: readonly Target[];
  readonly evidence: string;
  readonly command: string | undefined;
}

/** Findings that the administrator has accepted. */
export interface IgnoredGroup {
  readonly check: Check;
  readonly severity: Severity;
  readonly targets: readonly Target[];
  readonly reason: string;
}

/** Checks that could not be made, or only in part, for one reason. */
export interface Unchecked {
  readonly checks: readonly Check[];
  /** Whole: nothing of these checks was judged. */
  readonly whole: boolean;
  readonly nodes: readonly string[];
  readonly why: string;
  /** Rights that are missing: `Sys.Audit on /`. */
  readonly needs: readonly string[];
  /** How the read failed, when it did. */
  readonly kind: ErrorKind | undefined;
  /** Left out to save requests. */
  readonly spared: 'node' | 'deep' | 'other' | undefined;
}

export interface Verdict {
  /** The gravest first. */
  readonly groups: readonly FindingGroup[];
  readonly ignored: readonly IgnoredGroup[];
  readonly unchecked: readonly Unchecked[];
  /** Checks that were judged, at least in part. */
  readonly made: number;
  readonly total: number;
}

/** Facts of the checks. */
export function factsOf(checks: readonly Check[]): ReadonlySet<FactName> {
  return new Set(checks.flatMap((c) => [...c.needs, ...c.also, ...c.uses]));
}

/** Judges every check on what is known, and tells for each what is not. */
export function judgeHealth(
  checks: readonly Check[],
  facts: HealthFacts,
  plan: Plan,
  by: Judging,
  scope: Scope,
  ignore: readonly HealthIgnore[],
): Verdict {
  const found: { readonly check: Check; readonly finding: Finding }[] = [];
  let made = 0;
  for (const check of checks) {
    const findings = check.judge(facts, by);
    if (findings === undefined) continue;
    made += 1;
    for (const finding of findings) if (isWanted(check, finding, scope)) found.push({ check, finding });
  }
  const kept: typeof found = [];
  const ignored: ((typeof found)[number] & { readonly reason: string })[] = [];
  for (const item of found) {
    const entry = ignore.find((i) => i.id === item.check.id && (i.on === undefined || isOn(item.finding.on, i.on)));
    if (entry === undefined) kept.push(item);
    else ignored.push({ ...item, reason: entry.reason });
  }
  return {
    groups: grouped(kept, '').map(({ items, check, severity }) => groupOf(check, severity, items)),
    ignored: grouped(ignored, 'reason').map(({ items, check, severity }) => ({
      check,
      severity,
      targets: targetsOf(items.map((i) => i.finding.on)),
      reason: items[0]?.reason ?? '',
    })),
    unchecked: uncheckedOf(checks, facts, plan),
    made,
    total: checks.length,
  };
}

export function severityOf(check: Check, finding: Finding): Severity {
  return finding.severity ?? check.severity;
}

function isWanted(check: Check, finding: Finding, { minimum, node, vmid }: Scope): boolean {
  if (SEVERITIES.indexOf(severityOf(check, finding)) > SEVERITIES.indexOf(minimum)) return false;
  const { on } = finding;
  const here = node === undefined || on.node === node || on.nodes?.includes(node) === true;
  return here && (vmid === undefined || on.vmid === vmid);
}

/**
 * Whether a target is what an entry of the ignore list names: as it is shown, or by node, storage or vmid. What concerns
 * several nodes is not accepted by naming one of them.
 */
function isOn(target: Target, name: string): boolean {
  return [
    target.name,
    target.object,
    target.node,
    target.storage,
    target.vmid === undefined ? undefined : String(target.vmid),
  ].includes(name);
}

interface Found {
  readonly check: Check;
  readonly finding: Finding;
  readonly reason?: string;
}

function grouped<F extends Found>(
  items: readonly F[],
  by: '' | 'reason',
): readonly { check: Check; severity: Severity; items: readonly F[] }[] {
  const groups = new Map<string, { check: Check; severity: Severity; items: F[] }>();
  for (const item of items) {
    const severity = severityOf(item.check, item.finding);
    const key = `${item.check.id} ${severity} ${by === 'reason' ? (item.reason ?? '') : ''}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { check: item.check, severity, items: [item] });
    else group.items.push(item);
  }
  const order = (g: { check: Check; severity: Severity }): number => SEVERITIES.indexOf(g.severity);
  return [...groups.values()].sort(
    (a, b) => order(a) - order(b) || (a.check.id < b.check.id ? -1 : a.check.id > b.check.id ? 1 : 0),
  );
}

/** Evidence of a group shows the first few. */
const MAX_EVIDENCE = 3;
const MAX_EVIDENCE_CHARS = 220;

function groupOf(check: Check, severity: Severity, items: readonly Found[]): FindingGroup {
  const sorted = [...items].sort((a, b) => naturally(a.finding.on.name, b.finding.on.name));
  const targets = targetsOf(sorted.map((i) => i.finding.on));
  return { check, severity, targets, evidence: evidenceOf(sorted.map((i) => i.finding)), command: commandOf(check, targets) };
}

function evidenceOf(findings: readonly Finding[]): string {
  const texts = new Set(
    findings.map(({ on, evidence }) =>
      // Which of several a figure belongs to must be told, unless all have the same.
      findings.length === 1 || evidence.includes(on.name) || findings.every((f) => f.evidence === evidence)
        ? evidence
        : `${on.name}: ${evidence}`,
    ),
  );
  const list = [...texts];
  const [first] = findings;
  // One thing that needs no naming.
  if (first !== undefined && list.length === 1 && findings.length === 1)
    return first.evidence.replace(new RegExp(`^${escaped(first.on.name)}:? `), '');
  const shown: string[] = [];
  let size = 0;
  for (const text of list.slice(0, MAX_EVIDENCE)) {
    if (shown.length > 0 && size + text.length > MAX_EVIDENCE_CHARS) break;
    shown.push(text);
    size += text.length;
  }
  return `${shown.join('; ')}${list.length > shown.length ? `; and ${list.length - shown.length} more` : ''}`;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}

function targetsOf(targets: readonly Target[]): readonly Target[] {
  return [...new Map(targets.map((t) => [t.name, t])).values()].sort((a, b) => naturally(a.name, b.name));
}

/** Numbers by their size, everything else by code unit. */
function naturally(a: string, b: string): number {
  const x = Number(a);
  const y = Number(b);
  if (Number.isFinite(x) && Number.isFinite(y)) return x - y;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The command with what it is about filled in, where it is about one thing only. */
function commandOf(check: Check, targets: readonly Target[]): string | undefined {
  const [target, another] = targets;
  if (check.command === undefined || target === undefined || another !== undefined) return check.command;
  const values: Readonly<Record<string, string | number | undefined>> = {
    node: target.node,
    vmid: target.vmid,
    storage: target.storage,
    name: target.object ?? target.name,
  };
  return check.command.replace(/<(node|vmid|storage|name)>/g, (placeholder, key: string) => String(values[key] ?? placeholder));
}

interface LackGroup {
  readonly lack: Lack;
  readonly whole: boolean;
  readonly spared: Unchecked['spared'];
  readonly checks: Set<Check>;
  readonly nodes: Set<string>;
  readonly needs: Set<string>;
}

/** For each check what it lacks; checks with the same lack together, and nodes as well. */
function uncheckedOf(checks: readonly Check[], facts: HealthFacts, plan: Plan): readonly Unchecked[] {
  const groups = new Map<string, LackGroup>();
  const down = new Map((facts.nodes.data ?? []).flatMap((n) => (n.status === 'online' ? [] : [[n.node, n.status] as const])));
  const add = (check: Check, lack: Lack, whole: boolean, spared: Unchecked['spared']): void => {
    const [node, another] = lack.nodes ?? [];
    const one = node !== undefined && another === undefined ? node : undefined;
    // Whatever a reader said of a node that is down comes to the same.
    const state = one === undefined ? undefined : down.get(one);
    const why =
      one === undefined
        ? lack.why
        : state !== undefined && lack.needs === undefined
          ? `<node> is ${state}`
          : lack.why.replaceAll(one, '<node>');
    const key = JSON.stringify([why, one === undefined ? lack.nodes : undefined, whole, spared]);
    const group = groups.get(key) ?? {
      lack: { ...lack, why, kind: state === undefined ? lack.kind : undefined },
      whole,
      spared,
      checks: new Set<Check>(),
      nodes: new Set<string>(),
      needs: new Set<string>(),
    };
    group.checks.add(check);
    if (lack.needs !== undefined) group.needs.add(lack.needs);
    for (const n of lack.nodes ?? []) group.nodes.add(n);
    groups.set(key, group);
  };
  // A fact that is missing without a reason is still missing.
  const lacksFor = (name: FactName): readonly Lack[] =>
    facts[name].data === undefined && facts[name].lacks.length === 0 ? [{ why: 'not told' }] : facts[name].lacks;
  for (const check of checks) {
    const missing = check.needs.filter((name) => facts[name].data === undefined || plan.spared.has(name));
    // What is not judged at all is not judged in part besides.
    for (const name of missing.length > 0 ? missing : [...check.needs, ...check.also]) {
      const whole = missing.length > 0;
      if (plan.spared.has(name)) add(check, { why: '' }, whole, sparedBy(name));
      else for (const lack of lacksFor(name)) add(check, lack, whole, lack.spared === true ? 'other' : undefined);
    }
  }
  return [...groups.values()].map(({ lack, whole, spared, checks: those, nodes, needs }) => {
    const [node, another] = [...nodes].sort();
    return {
      checks: [...those],
      whole,
      nodes: [...nodes].sort(),
      why: node !== undefined && another === undefined ? lack.why.replaceAll('<node>', node) : lack.why,
      needs: [...needs].sort(),
      kind: lack.kind,
      spared,
    };
  });
}

function sparedBy(name: FactName): 'deep' | 'node' {
  return DEEP_FACTS.has(name) ? 'deep' : 'node';
}

/** `Q01-Q05, N02`: ids in the order of the catalogue, runs drawn together. */
export function idRanges(checks: readonly Check[], all: readonly Check[]): string {
  const wanted = new Set(checks.map((c) => c.id));
  const runs: { first: string; last: string; size: number }[] = [];
  let before: string | undefined;
  for (const { id } of all) {
    const run = runs.at(-1);
    if (wanted.has(id)) {
      if (run !== undefined && before === run.last && id.slice(0, 5) === run.last.slice(0, 5)) {
        run.last = id;
        run.size += 1;
      } else runs.push({ first: id, last: id, size: 1 });
    }
    before = id;
  }
  const short = (id: string): string => id.replace(/^PVE-/, '');
  return runs
    .map((r) =>
      r.size === 1 ? short(r.first) : r.size === 2 ? `${short(r.first)}, ${short(r.last)}` : `${short(r.first)}-${short(r.last)}`,
    )
    .join(', ');
}
