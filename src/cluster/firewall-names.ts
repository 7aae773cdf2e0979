import type { Call } from '../api/call.ts';
import { toApiError } from '../api/errors.ts';
import { boolOf, listOf, textOf } from '../api/lenient.ts';
import { attempt, type Gaps, gapFrom, mergeGaps, type Reading } from '../api/reading.ts';
import { fanOut } from './fan-out.ts';
import {
  type FirewallRule,
  getIpSet,
  getIpSets,
  notOpened,
  parseFirewallRules,
  readFirewallAliases,
  type SetLevel,
} from './firewall.ts';

export type Scope = 'dc' | 'guest';

/** An IP set's entries, as they are written. */
export interface RawSetEntry {
  readonly cidr: string;
  readonly nomatch: boolean;
}

/** What names in rules stand for. `hidden`: it may exist, but can't be read; `missing`: it does not exist. */
export interface FirewallNames {
  alias(scope: Scope, name: string): string | 'hidden' | 'missing';
  set(scope: Scope, name: string): readonly RawSetEntry[] | 'hidden' | 'missing';
}

/** Security groups by name; `hidden`: it can't be read. One that is not in it does not exist. */
export type Groups = ReadonlyMap<string, readonly FirewallRule[] | 'hidden'>;

/** Without a prefix the guest's own name comes before the datacenter's. */
export function scopesOf(reference: string): { readonly scopes: readonly Scope[]; readonly name: string } {
  const match = /^(dc|guest)\/(.+)$/.exec(reference);
  if (match === null) return { scopes: ['guest', 'dc'], name: reference.toLowerCase() };
  return { scopes: [match[1] === 'dc' ? 'dc' : 'guest'], name: (match[2] ?? '').toLowerCase() };
}

/** IP sets and groups that are opened in one call. */
const MAX_OPENED = 40;

/** The aliases and the names of the IP sets of one level; `undefined`: can't be read. */
export interface NamedThings {
  readonly aliases: ReadonlyMap<string, string> | undefined;
  readonly sets: ReadonlySet<string> | undefined;
}

/** Nothing is named here. */
export const NO_NAMES: NamedThings = { aliases: new Map(), sets: new Set() };

/** Source: GET .../firewall/aliases and .../firewall/ipset of the datacenter or a guest. Names are not case-sensitive. */
export async function readNamedThings(call: Call, level: SetLevel): Promise<Reading<NamedThings>> {
  const where = 'node' in level ? { node: level.node, vmid: level.vmid } : {};
  const [aliases, sets] = await Promise.all([
    attempt(where, async () => new Map((await readFirewallAliases(call, level)).map((a) => [a.name.toLowerCase(), a.cidr]))),
    attempt(
      where,
      async () =>
        new Set(listOf((await getIpSets(call, level)).data, 'IP sets').flatMap((r) => textOf(r['name'])?.toLowerCase() ?? [])),
    ),
  ]);
  return { data: { aliases: aliases.data, sets: sets.data }, ...mergeGaps(aliases, sets) };
}

export type SetContents = ReadonlyMap<string, readonly RawSetEntry[]>;

/** The entries of some of a level's IP sets: one request each. A set that could not be read is missing in the result. */
export async function readSets(call: Call, level: SetLevel, names: readonly string[]): Promise<Reading<SetContents>> {
  const opened = await fanOut(
    call,
    names.slice(0, MAX_OPENED),
    () => ('node' in level ? { node: level.node, vmid: level.vmid } : {}),
    async (name) => parseSetEntries((await getIpSet(call, level, name)).data),
  );
  return {
    data: new Map(opened.results.map((r) => [r.item, r.data])),
    ...mergeGaps(opened.gaps, notOpened(names.length, MAX_OPENED, 'IP sets')),
  };
}

export function parseSetEntries(data: unknown): readonly RawSetEntry[] {
  return listOf(data, 'IP set entries').flatMap((row) => {
    const cidr = textOf(row['cidr']);
    return cidr === undefined ? [] : [{ cidr, nomatch: boolOf(row['nomatch']) ?? false }];
  });
}

/**
 * The rules of some security groups: one request each. One that does not exist is left out, one that can't be read is
 * marked.
 *
 * Source: GET /cluster/firewall/groups/{group} (Sys.Audit on /).
 */
export async function readGroups(call: Call, names: readonly string[]): Promise<Reading<Groups>> {
  const groups = new Map<string, readonly FirewallRule[] | 'hidden'>();
  const gaps: Gaps[] = [];
  for (const name of names.slice(MAX_OPENED)) groups.set(name, 'hidden');
  await Promise.all(
    names.slice(0, MAX_OPENED).map(async (group) => {
      try {
        groups.set(group, parseFirewallRules((await call.get('/cluster/firewall/groups/{group}', { group })).data));
      } catch (thrown) {
        const { kind } = toApiError(thrown);
        if (kind === 'not-found' || kind === 'bad-argument') return;
        groups.set(group, 'hidden');
        gaps.push(gapFrom(thrown, {}));
      }
    }),
  );
  return { data: groups, ...mergeGaps(...gaps, notOpened(names.length, MAX_OPENED, 'security groups')) };
}

/** The IP sets that rules refer to, by scope; names of both scopes where the rule does not say which. */
export function referredSets(rules: readonly FirewallRule[]): Readonly<Record<Scope, ReadonlySet<string>>> {
  const found: Record<Scope, Set<string>> = { dc: new Set(), guest: new Set() };
  for (const rule of rules) {
    for (const spec of [rule.source, rule.dest]) {
      if (spec?.startsWith('+') !== true || spec.startsWith('+sdn/')) continue;
      const { scopes, name } = scopesOf(spec.slice(1));
      for (const scope of scopes) found[scope].add(name);
    }
  }
  return found;
}

/** One level's names and the sets of it that were opened. */
export interface OpenedNames extends NamedThings {
  readonly contents: SetContents;
}

/** Names as rules see them: the guest's own before the datacenter's. */
export function namesOf(datacenter: OpenedNames, guest: OpenedNames | undefined): FirewallNames {
  const of = (scope: Scope): OpenedNames => (scope === 'dc' ? datacenter : (guest ?? { ...NO_NAMES, contents: new Map() }));
  return {
    alias(scope, name) {
      const { aliases } = of(scope);
      return aliases === undefined ? 'hidden' : (aliases.get(name) ?? 'missing');
    },
    set(scope, name) {
      const { sets, contents } = of(scope);
      if (sets === undefined) return 'hidden';
      return sets.has(name) ? (contents.get(name) ?? 'hidden') : 'missing';
    },
  };
}
