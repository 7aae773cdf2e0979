import type { FactData, FactName, HealthFacts } from '../../cluster/health-facts.ts';
import type { Guest } from '../../cluster/inventory.ts';
import { type ThresholdName, thresholdOf } from '../../config/health-thresholds.ts';

export const SEVERITIES = ['critical', 'warning', 'info'] as const;
/** `critical`: broken, or about to lose data; `warning`: will hurt if it stays; `info`: worth knowing. */
export type Severity = (typeof SEVERITIES)[number];

export const AREAS = [
  'cluster',
  'nodes',
  'versions',
  'certificates',
  'storage',
  'disks',
  'ha',
  'replication',
  'backups',
  'tasks',
  'guests',
  'firewall',
  'access',
  'notifications',
  'updates',
  'ceph',
  'network',
] as const;
export type Area = (typeof AREAS)[number];

/** What a finding is about. */
export interface Target {
  /** As it is shown: `pve2`, `110`, `pve2/local`, `pve1 /dev/sdb`, `matcher backup-failures`. */
  readonly name: string;
  /** Its bare name for commands, where that differs: `/dev/sdb`. */
  readonly object?: string | undefined;
  readonly node?: string | undefined;
  /** Set when it concerns several nodes. */
  readonly nodes?: readonly string[] | undefined;
  readonly vmid?: number | undefined;
  readonly storage?: string | undefined;
}

export const CLUSTER: Target = { name: 'cluster' };

export function onNode(node: string): Target {
  return { name: node, node };
}

export function onGuest(guest: Pick<Guest, 'vmid' | 'node'>): Target {
  return { name: String(guest.vmid), vmid: guest.vmid, node: guest.node };
}

export function onStorage(storage: string, node?: string): Target {
  return { name: node === undefined ? storage : `${node}/${storage}`, storage, node };
}

/** Anything else, by its name. */
export function onThing(
  name: string,
  place: { readonly node?: string | undefined; readonly vmid?: number | undefined } = {},
): Target {
  return { name, ...place };
}

/** A part of a node: a disk, a pool, a bond. */
export function onPart(node: string, object: string): Target {
  return { name: `${node} ${object}`, object, node };
}

/** One thing that is wrong. */
export interface Finding {
  readonly on: Target;
  /** The figures or words behind it, short: `92% of 64 GiB`. */
  readonly evidence: string;
  /** Where it differs from the check's own. */
  readonly severity?: Severity | undefined;
}

/** What a check is told besides the facts. */
export interface Judging {
  /** Seconds since the epoch. */
  readonly now: number;
  /** The number to compare with, in the threshold's unit. */
  threshold(name: ThresholdName): number;
}

export function judging(nowMs: number, thresholds: Readonly<Record<string, number>>): Judging {
  return { now: nowMs / 1000, threshold: (name) => thresholdOf(thresholds, name) };
}

type Needed<N extends FactName> = { readonly [K in N]: FactData[K] };
type Useful<U extends FactName> = { readonly [K in U]: FactData[K] | undefined };

interface CheckDefinition<N extends FactName, A extends FactName, U extends FactName> {
  /** `PVE-Q01`: never given to another check, never changed. */
  readonly id: string;
  readonly area: Area;
  /** The gravest it can be. */
  readonly severity: Severity;
  /** What is wrong, as a noun phrase that stands for one or many: `Node offline`. */
  readonly what: string;
  /** Why it matters, one clause. */
  readonly why: string;
  /** What a person could run or do; `<node>`, `<vmid>`, `<storage>` and `<name>` stand for what the finding is on. */
  readonly command?: string;
  /** Without these it can't be judged. */
  readonly needs: readonly N[];
  /** Judged, too, where they are known; without them it is judged in part. */
  readonly also?: readonly A[];
  /** Only make what is said better. */
  readonly uses?: readonly U[];
  readonly thresholds?: readonly ThresholdName[];
  judge(facts: Needed<N> & Useful<A | U>, by: Judging): readonly Finding[];
}

export interface Check {
  readonly id: string;
  readonly area: Area;
  readonly severity: Severity;
  readonly what: string;
  readonly why: string;
  readonly command: string | undefined;
  readonly needs: readonly FactName[];
  readonly also: readonly FactName[];
  readonly uses: readonly FactName[];
  readonly thresholds: readonly ThresholdName[];
  /** Undefined when a fact that it needs is missing. */
  judge(facts: HealthFacts, by: Judging): readonly Finding[] | undefined;
}

/** Declares a check: a pure function of facts, with everything that is said about what it finds. */
export function defineCheck<const N extends FactName, const A extends FactName = never, const U extends FactName = never>(
  definition: CheckDefinition<N, A, U>,
): Check {
  const { needs, also = [], uses = [] } = definition;
  return {
    id: definition.id,
    area: definition.area,
    severity: definition.severity,
    what: definition.what,
    why: definition.why,
    command: definition.command,
    needs,
    also,
    uses,
    thresholds: definition.thresholds ?? [],
    judge(facts, by) {
      if (needs.some((name) => facts[name].data === undefined)) return undefined;
      const given = Object.fromEntries([...needs, ...also, ...uses].map((name) => [name, facts[name].data]));
      // Exactly the names that the definition lists, and those that it needs are there: the line above saw to that.
      return definition.judge(given as unknown as Needed<N> & Useful<A | U>, by);
    },
  };
}

/** `92%` */
export function percentText(share: number): string {
  return `${Math.round(share * 100)}%`;
}

/** The severity by two limits in percent; undefined below both. */
export function graded(share: number | undefined, warning: number, critical: number): Severity | undefined {
  if (share === undefined) return undefined;
  if (share * 100 >= critical) return 'critical';
  return share * 100 >= warning ? 'warning' : undefined;
}

/** `a, b, c and 4 more` */
export function some(items: readonly (string | number)[], most = 4): string {
  const shown = items.slice(0, most).join(', ');
  return items.length > most ? `${shown} and ${items.length - most} more` : shown;
}
