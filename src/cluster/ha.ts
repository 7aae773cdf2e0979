import type { Call } from '../api/call.ts';
import { boolOf, byText, commaList, intOf, listOf, type Raw, rawOf, textOf, timeOf, vmidOf } from '../api/lenient.ts';
import { attempt, type Gaps, mergeGaps, NO_GAPS, type Reading, withGaps } from '../api/reading.ts';
import { atLeast } from '../api/release.ts';
import { isNotHere } from './attempts.ts';
import { errorOf } from './problem-error.ts';
import { lineOf } from './shown-text.ts';

/** A manager writes its sign of life every few seconds; one older than this counts as dead. */
export const HEARTBEAT_LIMIT_S = 120;

/** A guest under HA management, as the manager sees it. */
export interface HaResource {
  /** `vm:100`, `ct:203` */
  readonly sid: string;
  readonly vmid: number | undefined;
  /** State the manager reports: `started`, `error`, `fence`, `recovery`, `not found`, ... */
  readonly state: string;
  /** State asked for in the configuration. */
  readonly wanted: string | undefined;
  /** Absent when the manager knows no guest behind the resource. */
  readonly node: string | undefined;
  /** Before the change to rules. */
  readonly group: string | undefined;
  readonly maxRestart: number | undefined;
  readonly maxRelocate: number | undefined;
  readonly failback: boolean | undefined;
  readonly comment: string | undefined;
}

/** The cluster resource manager (`master`) or the local one of a node (`lrm`). */
export interface HaManager {
  readonly role: 'master' | 'lrm';
  readonly node: string;
  /** The manager's own words, without the node's name and the time. */
  readonly status: string;
  /** Seconds since the epoch of its last sign of life. */
  readonly heartbeat: number | undefined;
}

/** What `/cluster/ha/status/current` tells. */
export interface HaStatus {
  readonly resources: readonly HaResource[];
  readonly managers: readonly HaManager[];
  readonly quorate: boolean | undefined;
  readonly quorumText: string | undefined;
  /** `armed`, `standby`, `disarmed`, ... (9.2 and later). */
  readonly armed: string | undefined;
  readonly armedText: string | undefined;
  /** Server's clock minus ours, in milliseconds. */
  readonly clockOffset: number;
}

/** A placement rule (9.0 and later). */
export interface HaRule {
  readonly rule: string;
  readonly type: string;
  readonly resources: readonly string[];
  /** Preferred nodes, with priority where given: `pve1:2`. */
  readonly nodes: readonly string[];
  /** `together` or `apart`, for rules between resources. */
  readonly affinity: string | undefined;
  /** Node rules: the resources may run nowhere else. */
  readonly strict: boolean | undefined;
  readonly enabled: boolean;
  readonly comment: string | undefined;
  /** Why the manager does not follow the rule, in the API's words. */
  readonly errors: readonly string[];
}

/** A group of nodes (before 9.0, or not migrated yet). */
export interface HaGroup {
  readonly group: string;
  readonly nodes: readonly string[];
  /** Its resources may run nowhere else. */
  readonly restricted: boolean;
  readonly noFailback: boolean;
  readonly comment: string | undefined;
}

/** How placement is configured. `migrated`: groups were turned into rules, so there are none any more. */
export type HaPlacement = 'rules' | 'groups' | 'migrated' | 'unknown';

export interface HaOverview {
  readonly status: HaStatus | undefined;
  /** Undefined: could not be read. */
  readonly rules: readonly HaRule[] | undefined;
  readonly groups: readonly HaGroup[] | undefined;
  readonly placement: HaPlacement;
}

/**
 * State and placement of HA in at most three requests. Groups that were migrated to rules, or a release without rules,
 * are states and no problems. Throws when nothing at all could be read.
 *
 * Source: GET /cluster/ha/status/current, /cluster/ha/rules (9.0+), /cluster/ha/groups (Sys.Audit on /).
 */
export async function readHa(call: Call): Promise<Reading<HaOverview>> {
  const nine = atLeast(await call.release(), '9.0');
  const [status, rules, groups] = await Promise.all([
    attempt({}, () => readHaStatus(call)),
    nine ? orState(async () => parseHaRules((await call.get('/cluster/ha/rules', {})).data)) : absent<readonly HaRule[]>(),
    orState(async () => parseHaGroups((await call.get('/cluster/ha/groups', {})).data)),
  ]);
  const gaps = mergeGaps(status, rules.gaps, groups.gaps);
  const [first] = gaps.problems;
  if (status.data === undefined && rules.data === undefined && groups.data === undefined && first !== undefined) {
    throw errorOf(first, "The state of HA can't be read");
  }
  return withGaps(
    {
      status: status.data,
      rules: rules.data,
      groups: groups.data,
      placement: placementOf(nine, rules.data, groups),
    },
    gaps,
  );
}

/** Source: GET /cluster/ha/status/current (Sys.Audit on /). */
export async function readHaStatus(call: Call): Promise<HaStatus> {
  const got = await call.get('/cluster/ha/status/current', {});
  return parseHaStatus(got.data, got.clockOffset);
}

interface Part<T> {
  readonly data: T | undefined;
  readonly gaps: Gaps;
  /** The API said that this is not in use here. */
  readonly absent: boolean;
}

async function absent<T>(): Promise<Part<T>> {
  return { data: undefined, gaps: NO_GAPS, absent: true };
}

/** "Migrated to rules" and "this release has none" are answers, not failures. */
async function orState<T>(read: () => Promise<T>): Promise<Part<T>> {
  const { data, ...gaps } = await attempt({}, read);
  if (gaps.problems.some(isNotHere)) return absent();
  return { data, gaps, absent: false };
}

function placementOf(nine: boolean, rules: readonly HaRule[] | undefined, groups: Part<readonly HaGroup[]>): HaPlacement {
  if (!nine) return groups.data === undefined ? 'unknown' : 'groups';
  if (groups.absent) return 'migrated';
  if (groups.data === undefined) return rules === undefined ? 'unknown' : 'rules';
  return groups.data.length > 0 ? 'groups' : 'rules';
}

/** Rows of `/cluster/ha/status/current`; unknown kinds of rows are left out. */
export function parseHaStatus(data: unknown, clockOffset = 0): HaStatus {
  const resources: HaResource[] = [];
  const managers: HaManager[] = [];
  let quorate: boolean | undefined;
  let quorumText: string | undefined;
  let armed: string | undefined;
  let armedText: string | undefined;
  for (const row of listOf(data, 'the HA status')) {
    const id = textOf(row['id']) ?? '';
    const type = textOf(row['type']) ?? id.split(':')[0];
    if (type === 'service') resources.push(...resourceOf(row, id));
    else if (type === 'master' || type === 'lrm') managers.push(...managerOf(row, id, type));
    else if (type === 'quorum') {
      quorate = boolOf(row['quorate']);
      quorumText = cleaned(row['status']);
    } else if (type === 'fencing') {
      armed = cleaned(row['armed-state']);
      armedText = cleaned(row['status']);
    }
  }
  resources.sort((a, b) => byText(a.sid, b.sid));
  managers.sort((a, b) => (a.role === b.role ? byText(a.node, b.node) : a.role === 'master' ? -1 : 1));
  return { resources, managers, quorate, quorumText, armed, armedText, clockOffset };
}

function resourceOf(row: Raw, id: string): HaResource[] {
  const sid = textOf(row['sid']) ?? id.replace(/^service:/, '');
  if (sid === '') return [];
  return [
    {
      sid,
      vmid: vmidOf(sid.split(':')[1]),
      state: cleaned(row['state']) ?? cleaned(row['crm_state']) ?? 'unknown',
      wanted: cleaned(row['request_state']),
      node: textOf(row['node']),
      group: cleaned(row['group']),
      maxRestart: intOf(row['max_restart']),
      maxRelocate: intOf(row['max_relocate']),
      failback: boolOf(row['failback']),
      comment: cleaned(row['comment']),
    },
  ];
}

function managerOf(row: Raw, id: string, role: 'master' | 'lrm'): HaManager[] {
  const node = textOf(row['node']) ?? (role === 'lrm' ? id.replace(/^lrm:/, '') : undefined);
  if (node === undefined || node === '') return [];
  return [{ role, node, status: managerWords(cleaned(row['status']) ?? '', node), heartbeat: timeOf(row['timestamp']) }];
}

/** `pve1 (active, Mon Nov 30 07:49:22 2026) - static load CRS` becomes `active - static load CRS`: the time is told apart. */
function managerWords(status: string, node: string): string {
  const inner = status.startsWith(node) ? status.slice(node.length).trim() : status;
  const match = /^\((.*?)(?:,\s*\w{3} \w{3}\s+\d+ \d\d:\d\d:\d\d \d{4})?\)(.*)$/.exec(inner);
  return match === null ? inner : `${match[1] ?? ''}${match[2] ?? ''}`.trim();
}

/** Rows of `/cluster/ha/rules`. */
export function parseHaRules(data: unknown): readonly HaRule[] {
  const rules = listOf(data, 'HA rules').flatMap((row): HaRule[] => {
    const rule = textOf(row['rule']);
    if (rule === undefined) return [];
    const affinity = textOf(row['affinity']);
    return [
      {
        rule,
        type: textOf(row['type']) ?? 'unknown',
        resources: [...commaList(row['resources'])].sort(byText),
        nodes: commaList(row['nodes']),
        affinity: affinity === 'positive' ? 'together' : affinity === 'negative' ? 'apart' : affinity,
        strict: boolOf(row['strict']),
        enabled: boolOf(row['disable']) !== true,
        comment: cleaned(row['comment']),
        errors: errorTexts(row['errors']),
      },
    ];
  });
  return rules.sort((a, b) => byText(a.rule, b.rule));
}

/** `{resources: ["text", ...]}`, or a single text in place of the list. */
function errorTexts(errors: unknown): readonly string[] {
  const found = Object.values(rawOf(errors)).flatMap((texts) =>
    Array.isArray(texts) ? texts.flatMap((text) => cleaned(text) ?? []) : (cleaned(texts) ?? []),
  );
  return [...new Set(found)].sort(byText);
}

/** Rows of `/cluster/ha/groups`. */
export function parseHaGroups(data: unknown): readonly HaGroup[] {
  const groups = listOf(data, 'HA groups').flatMap((row): HaGroup[] => {
    const group = textOf(row['group']);
    if (group === undefined) return [];
    return [
      {
        group,
        nodes: commaList(row['nodes']),
        restricted: boolOf(row['restricted']) ?? false,
        noFailback: boolOf(row['nofailback']) ?? false,
        comment: cleaned(row['comment']),
      },
    ];
  });
  return groups.sort((a, b) => byText(a.group, b.group));
}

/** Comments of HA arrive encoded twice. */
function cleaned(value: unknown): string | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : lineOf(text);
}

/** Seconds since a manager's last sign of life, by the cluster's own clock; undefined when it never gave one. */
export function heartbeatAge(manager: HaManager, status: HaStatus, nowMs: number): number | undefined {
  if (manager.heartbeat === undefined) return undefined;
  return Math.max(0, (nowMs + status.clockOffset) / 1000 - manager.heartbeat);
}
