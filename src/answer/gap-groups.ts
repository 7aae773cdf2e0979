/** Problems and hidden things, put together where they say the same about many places. */
import type { ErrorKind } from '../api/errors.ts';
import { byText } from '../api/lenient.ts';
import type { Gaps, Hidden, Problem, Where } from '../api/reading.ts';
import { oneLine } from '../redact/plain-text.ts';
import { compareNatural, compareSortKeys } from './sort-key.ts';

/** Longest name of a node, storage or cluster that is shown. */
const NAME_CHARS = 80;

export interface ProblemGroup {
  readonly kind: ErrorKind;
  /** One line; where places differ, their names are replaced by `<node>`, `<storage>` or `<vmid>`. */
  readonly message: string;
  readonly needs: string | undefined;
  /** Sorted. */
  readonly places: readonly Where[];
}

export interface HiddenGroup {
  readonly what: string;
  readonly privilege: string;
  readonly cluster?: string | undefined;
  /** Sorted. */
  readonly paths: readonly string[];
}

/** Replaces a name where it stands as a word of its own. */
function replaceName(text: string, name: string | number | undefined, by: string): string {
  if (name === undefined || name === '' || !text.includes(String(name))) return text;
  const escaped = String(name).replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
  return text.replace(new RegExp(`(?<![\\w-])${escaped}(?![\\w-])`, 'g'), by);
}

function withoutNames(text: string, where: Where): string {
  let general = replaceName(text, where.node, '<node>');
  general = replaceName(general, where.storage, '<storage>');
  return replaceName(general, where.vmid, '<vmid>');
}

function placeKey(where: Where): (string | number)[] {
  return [where.cluster ?? '', where.node ?? '', where.storage ?? '', where.vmid ?? 0];
}

/** Equal problems of many places as one; ordered by kind and words, whatever the order in which they came up. */
export function groupProblems(problems: readonly Problem[]): ProblemGroup[] {
  const groups = new Map<string, Problem[]>();
  for (const problem of problems) {
    const needs = problem.needs === undefined ? '' : withoutNames(problem.needs, problem.where);
    const key = JSON.stringify([problem.kind, withoutNames(problem.message, problem.where), needs]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [problem]);
    else group.push(problem);
  }
  return [...groups.entries()]
    .sort(([a], [b]) => byText(a, b))
    .flatMap(([, members]) => {
      const sorted = [...members].sort((a, b) => compareSortKeys(placeKey(a.where), placeKey(b.where)));
      const [first] = sorted;
      if (first === undefined) return [];
      // The words of one problem stand for all only if they name no place.
      const general = (words: string) =>
        sorted.some((other) => wordsDiffer(first, other)) ? withoutNames(words, first.where) : words;
      return [
        {
          kind: first.kind,
          message: general(first.message),
          needs: first.needs === undefined ? undefined : general(first.needs),
          places: sorted.map((member) => member.where),
        },
      ];
    });
}

function wordsDiffer(a: Problem, b: Problem): boolean {
  return a.message !== b.message || a.needs !== b.needs;
}

/** Equal hidden things on many paths as one, in a fixed order. */
export function groupHidden(hidden: readonly Hidden[]): HiddenGroup[] {
  const groups = new Map<string, { what: string; privilege: string; cluster: string | undefined; paths: Set<string> }>();
  for (const { what, privilege, path, cluster } of hidden) {
    const key = JSON.stringify([what, privilege, cluster]);
    const group = groups.get(key) ?? { what, privilege, cluster, paths: new Set<string>() };
    group.paths.add(path);
    groups.set(key, group);
  }
  return [...groups.entries()]
    .sort(([a], [b]) => byText(a, b))
    .map(([, { what, privilege, cluster, paths }]) => ({
      what,
      privilege,
      ...(cluster === undefined ? {} : { cluster }),
      paths: [...paths].sort(compareNatural),
    }));
}

/** `pve2`, `pve2/local`, `storage nfs`, `guest 100 on pve2`; empty for the cluster itself. */
function placeName(where: Where, withCluster: boolean): string {
  const node = where.node === undefined ? undefined : oneLine(where.node, NAME_CHARS);
  const storage = where.storage === undefined ? undefined : oneLine(where.storage, NAME_CHARS);
  let name = node ?? '';
  if (storage !== undefined) name = node === undefined ? `storage ${storage}` : `${node}/${storage}`;
  if (where.vmid !== undefined) name = `guest ${where.vmid}${name === '' ? '' : ` on ${name}`}`;
  if (!withCluster || where.cluster === undefined) return name;
  const cluster = `cluster ${oneLine(where.cluster, NAME_CHARS)}`;
  return name === '' ? cluster : `${name} (${cluster})`;
}

/** The first names and how many more there are, within `max` characters. */
function someOf(names: readonly string[], max: number): string {
  let shown = '';
  for (const [index, name] of names.entries()) {
    const longer = index === 0 ? name : `${shown}, ${name}`;
    const rest = names.length - index - 1;
    const more = rest > 0 ? ` and ${rest} more` : '';
    if (index > 0 && longer.length + more.length > max) return `${shown} and ${rest + 1} more`;
    shown = longer;
  }
  return shown;
}

const unstopped = (words: string) => words.replace(/[.\s]+$/, '');

/** Whether places must be told with their cluster: only in answers about several, whose problems name theirs. */
export function manyClusters(problems: readonly Problem[]): boolean {
  return problems.some((problem) => problem.where.cluster !== undefined);
}

/** `pve2, pve3 (timeout): no answer within 10 s; needs Sys.Audit on /nodes`, within about `max` characters. */
export function problemText(group: ProblemGroup, max: number, withCluster: boolean): string {
  const names = [...new Set(group.places.map((where) => placeName(where, withCluster)))].filter((name) => name !== '');
  const places = someOf(names, Math.floor(max / 3));
  const needs = group.needs === undefined ? '' : `; needs ${oneLine(group.needs, Math.floor(max / 3))}`;
  const head = places === '' ? `(${group.kind}): ` : `${places} (${group.kind}): `;
  return head + unstopped(oneLine(group.message, Math.max(40, max - head.length - needs.length))) + needs;
}

/** `backups of guests: needs VM.Backup on /vms`, within about `max` characters. */
export function hiddenText(group: HiddenGroup, max: number): string {
  const paths = group.paths.map((path) => oneLine(path, NAME_CHARS));
  const where = group.cluster === undefined ? '' : ` (cluster ${oneLine(group.cluster, NAME_CHARS)})`;
  return `${oneLine(group.what, Math.floor(max / 2))}${where}: needs ${oneLine(group.privilege, NAME_CHARS)} on ${someOf(paths, Math.floor(max / 3))}`;
}

/** `timeout 30, forbidden 7`: how many of each kind, most first. */
export function countKinds(groups: readonly ProblemGroup[]): string {
  const counts = new Map<string, number>();
  for (const group of groups) counts.set(group.kind, (counts.get(group.kind) ?? 0) + group.places.length);
  return [...counts.entries()]
    .sort(([a, x], [b, y]) => y - x || byText(a, b))
    .map(([kind, count]) => `${kind} ${count}`)
    .join(', ');
}

/**
 * Why the coverage is not complete, one clause: undefined when it is complete, or when the problems and hidden things
 * already explain what is missing.
 */
export function coverageWhy(gaps: Gaps): string | undefined {
  if (gaps.coverage === 'complete') return undefined;
  if (gaps.why !== undefined) return unstopped(gaps.why);
  if (gaps.problems.length > 0 || gaps.hidden.length > 0) return undefined;
  return gaps.coverage === 'partial' ? 'something is missing here, it is not known what' : 'this token may not see everything';
}
