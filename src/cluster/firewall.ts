import type { Call } from '../api/call.ts';
import type { EndpointPath } from '../api/endpoints.ts';
import { boolOf, byText, intOf, listOf, rawOf, textOf } from '../api/lenient.ts';
import { type Gaps, mergeGaps, NO_GAPS, type Reading } from '../api/reading.ts';
import { cleanText, oneLine } from '../redact/plain-text.ts';
import { scrubFreeText } from '../redact/scrub-text.ts';
import { cutGaps } from './attempts.ts';
import { fanOut, together } from './fan-out.ts';
import type { GuestType } from './inventory.ts';

/** One rule, in the order in which the firewall looks at them. */
export interface FirewallRule {
  readonly pos: number;
  /** A rule that is switched off never applies. */
  readonly enabled: boolean;
  /** `in`, `out`, `forward`, or `group` (then `action` is the group's name). */
  readonly type: string;
  readonly action: string;
  readonly macro: string | undefined;
  readonly proto: string | undefined;
  readonly source: string | undefined;
  readonly dest: string | undefined;
  readonly sport: string | undefined;
  readonly dport: string | undefined;
  readonly icmpType: string | undefined;
  readonly iface: string | undefined;
  readonly log: string | undefined;
  readonly comment: string | undefined;
  /** What the API itself finds wrong with the rule, e.g. a missing IP set. */
  readonly errors: string | undefined;
}

export interface FirewallAlias {
  readonly name: string;
  readonly cidr: string;
  readonly comment: string | undefined;
}

export interface IpSet {
  readonly name: string;
  readonly comment: string | undefined;
  /** CIDRs or aliases; `!` in front stands for "no match". Undefined when they could not be read. */
  readonly entries: readonly string[] | undefined;
}

export interface SecurityGroup {
  readonly name: string;
  readonly comment: string | undefined;
  readonly rules: readonly FirewallRule[] | undefined;
}

/** Options of one level; keys as the API names them. Absent ones have the level's default. */
export type FirewallOptions = Readonly<Record<string, string | number>>;

/** Where a firewall sits. */
export type FirewallLevel =
  | { readonly scope: 'cluster' }
  | { readonly scope: 'node'; readonly node: string }
  | { readonly scope: 'guest'; readonly node: string; readonly vmid: number; readonly type: GuestType }
  | { readonly scope: 'vnet'; readonly vnet: string };

/** Groups and IP sets that are opened one by one in a call. */
const MAX_OPENED = 30;

export async function readFirewallOptions(call: Call, level: FirewallLevel): Promise<FirewallOptions> {
  return parseFirewallOptions((await getOptions(call, level)).data);
}

function getOptions(call: Call, level: FirewallLevel) {
  if (level.scope === 'cluster') return call.get('/cluster/firewall/options', {});
  if (level.scope === 'node') return call.get('/nodes/{node}/firewall/options', { node: level.node });
  if (level.scope === 'vnet') return call.get('/cluster/sdn/vnets/{vnet}/firewall/options', { vnet: level.vnet });
  const { node, vmid } = level;
  return call.get(`/nodes/{node}/${level.type}/{vmid}/firewall/options`, { node, vmid });
}

export async function readFirewallRules(call: Call, level: FirewallLevel): Promise<readonly FirewallRule[]> {
  return parseFirewallRules((await getRules(call, level)).data);
}

function getRules(call: Call, level: FirewallLevel) {
  if (level.scope === 'cluster') return call.get('/cluster/firewall/rules', {});
  if (level.scope === 'node') return call.get('/nodes/{node}/firewall/rules', { node: level.node });
  if (level.scope === 'vnet') return call.get('/cluster/sdn/vnets/{vnet}/firewall/rules', { vnet: level.vnet });
  const { node, vmid } = level;
  return call.get(`/nodes/{node}/${level.type}/{vmid}/firewall/rules`, { node, vmid });
}

/** Rules of a level and whether they apply. */
export interface RulesOfLevel {
  readonly options: FirewallOptions;
  readonly rules: readonly FirewallRule[];
}

/** Options and rules of a level; fails when one of them can't be read. */
export async function readRulesOfLevel(call: Call, level: FirewallLevel): Promise<RulesOfLevel> {
  const [options, rules] = await together([readFirewallOptions(call, level), readFirewallRules(call, level)]);
  return { options, rules };
}

/** Aliases of the datacenter or of a guest; other levels have none. */
export async function readFirewallAliases(call: Call, level: FirewallLevel): Promise<readonly FirewallAlias[]> {
  if (level.scope === 'cluster') return parseAliases((await call.get('/cluster/firewall/aliases', {})).data);
  if (level.scope !== 'guest') return [];
  const { node, vmid } = level;
  return parseAliases((await call.get(`/nodes/{node}/${level.type}/{vmid}/firewall/aliases`, { node, vmid })).data);
}

/** IP sets of the datacenter or of a guest with their entries: one request each, at most 30. */
export async function readIpSets(call: Call, level: FirewallLevel): Promise<Reading<readonly IpSet[]>> {
  if (level.scope !== 'cluster' && level.scope !== 'guest') return { data: [], ...NO_GAPS };
  const names = parseNamed((await getIpSets(call, level)).data, 'name');
  const opened = await fanOut(
    call,
    names.slice(0, MAX_OPENED),
    () => ({}),
    async ({ name }) => parseIpSetEntries((await getIpSet(call, level, name)).data),
  );
  const entries = new Map(opened.results.map((r) => [r.item.name, r.data]));
  return {
    data: names.map((n) => ({ ...n, entries: entries.get(n.name) })),
    ...mergeGaps(opened.gaps, notOpened(names.length, MAX_OPENED, 'IP sets')),
  };
}

/** Levels that have aliases and IP sets. */
export type SetLevel = Extract<FirewallLevel, { scope: 'cluster' | 'guest' }>;

export function getIpSets(call: Call, level: SetLevel) {
  if (level.scope === 'cluster') return call.get('/cluster/firewall/ipset', {});
  const { node, vmid } = level;
  return call.get(`/nodes/{node}/${level.type}/{vmid}/firewall/ipset`, { node, vmid });
}

export function getIpSet(call: Call, level: SetLevel, name: string) {
  if (level.scope === 'cluster') return call.get('/cluster/firewall/ipset/{name}', { name });
  const { node, vmid } = level;
  return call.get(`/nodes/{node}/${level.type}/{vmid}/firewall/ipset/{name}`, { node, vmid, name });
}

/** The datacenter's security groups with their rules: one request each, at most 30; only those named when given. */
export async function readSecurityGroups(call: Call, only?: ReadonlySet<string>): Promise<Reading<readonly SecurityGroup[]>> {
  const names = parseNamed((await call.get('/cluster/firewall/groups', {})).data, 'group').filter(
    (g) => only === undefined || only.has(g.name),
  );
  const opened = await fanOut(
    call,
    names.slice(0, MAX_OPENED),
    () => ({}),
    async ({ name }) => parseFirewallRules((await call.get('/cluster/firewall/groups/{group}', { group: name })).data),
  );
  const rules = new Map(opened.results.map((r) => [r.item.name, r.data]));
  return {
    data: names.map((n) => ({ ...n, rules: rules.get(n.name) })),
    ...mergeGaps(opened.gaps, notOpened(names.length, MAX_OPENED, 'security groups')),
  };
}

export function notOpened(count: number, most: number, what: string): Gaps {
  return cutGaps(count > most, `only the first ${most} of ${count} ${what} were opened`);
}

/** A name for a service's ports that rules may use. */
export interface FirewallMacro {
  readonly macro: string;
  readonly about: string | undefined;
}

/** The macros that rules of this release may name; their ports the API does not tell. Source: GET /cluster/firewall/macros. */
export async function readFirewallMacros(call: Call): Promise<readonly FirewallMacro[]> {
  return parseFirewallMacros((await call.get('/cluster/firewall/macros', {})).data);
}

export function parseFirewallMacros(data: unknown): readonly FirewallMacro[] {
  return listOf(data, 'firewall macros')
    .flatMap((row) => {
      const macro = textOf(row['macro']);
      const about = textOf(row['descr']);
      return macro === undefined
        ? []
        : [{ macro: cleanText(macro), about: about === undefined ? undefined : oneLine(about, 80) }];
    })
    .sort((a, b) => byText(a.macro, b.macro));
}

export function parseFirewallOptions(data: unknown): FirewallOptions {
  const options: Record<string, string | number> = {};
  for (const [key, value] of Object.entries(rawOf(data)).sort(([a], [b]) => byText(a, b))) {
    if (key === 'digest') continue;
    const text = textOf(value);
    if (text !== undefined) options[key] = typeof value === 'number' ? value : text;
  }
  return options;
}

export function parseFirewallRules(data: unknown): readonly FirewallRule[] {
  return listOf(data, 'firewall rules')
    .flatMap((row, index) => {
      const action = textOf(row['action']);
      if (action === undefined) return [];
      const errors = Object.entries(rawOf(row['errors'])).map(([key, text]) => `${key}: ${textOf(text) ?? ''}`);
      return [
        {
          pos: intOf(row['pos']) ?? index,
          // Absent means 0 in the API's own lists, which always send the key; older ones leave it out for active rules.
          enabled: boolOf(row['enable']) ?? true,
          type: textOf(row['type']) ?? 'in',
          action,
          macro: textOf(row['macro']),
          proto: textOf(row['proto']),
          source: textOf(row['source']),
          dest: textOf(row['dest']),
          sport: textOf(row['sport']),
          dport: textOf(row['dport']),
          icmpType: textOf(row['icmp-type']),
          iface: textOf(row['iface']),
          log: textOf(row['log']) === 'nolog' ? undefined : textOf(row['log']),
          comment: comment(row['comment']),
          errors: errors.length === 0 ? undefined : cleanText(errors.join('; ')),
        },
      ];
    })
    .sort((a, b) => a.pos - b.pos);
}

function parseAliases(data: unknown): readonly FirewallAlias[] {
  return listOf(data, 'aliases')
    .flatMap((row) => {
      const name = textOf(row['name']);
      const cidr = textOf(row['cidr']);
      return name === undefined || cidr === undefined ? [] : [{ name, cidr, comment: comment(row['comment']) }];
    })
    .sort((a, b) => byText(a.name, b.name));
}

function parseNamed(
  data: unknown,
  key: 'name' | 'group',
): readonly { readonly name: string; readonly comment: string | undefined }[] {
  return listOf(data, 'names')
    .flatMap((row) => {
      const name = textOf(row[key]);
      return name === undefined ? [] : [{ name, comment: comment(row['comment']) }];
    })
    .sort((a, b) => byText(a.name, b.name));
}

function parseIpSetEntries(data: unknown): readonly string[] {
  return listOf(data, 'IP set entries')
    .flatMap((row) => {
      const cidr = textOf(row['cidr']);
      return cidr === undefined ? [] : [boolOf(row['nomatch']) === true ? `!${cidr}` : cidr];
    })
    .sort(byText);
}

function comment(value: unknown): string | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : scrubFreeText(cleanText(text)).text;
}

/** Whether a level is switched on, by its options and the level's own default. */
export function levelEnabled(scope: FirewallLevel['scope'], options: FirewallOptions): boolean {
  return boolOf(options['enable']) ?? scope === 'node';
}

/** Default policies of a level, as they are when the options do not say. */
export function policies(
  scope: FirewallLevel['scope'],
  options: FirewallOptions,
): { readonly in: string; readonly out: string; readonly forward: string } {
  const of = (key: string, fallback: string): string => String(options[key] ?? fallback);
  return {
    in: of('policy_in', scope === 'cluster' || scope === 'guest' ? 'DROP' : 'ACCEPT'),
    out: of('policy_out', 'ACCEPT'),
    forward: of('policy_forward', 'ACCEPT'),
  };
}

/** Endpoints that tell the whole firewall of a guest, for the permission docs. */
export const GUEST_FIREWALL_READS = [
  '/nodes/{node}/qemu/{vmid}/firewall/options',
  '/nodes/{node}/qemu/{vmid}/firewall/rules',
  '/nodes/{node}/qemu/{vmid}/firewall/aliases',
  '/nodes/{node}/qemu/{vmid}/firewall/ipset',
  '/nodes/{node}/qemu/{vmid}/firewall/ipset/{name}',
  '/nodes/{node}/lxc/{vmid}/firewall/options',
  '/nodes/{node}/lxc/{vmid}/firewall/rules',
  '/nodes/{node}/lxc/{vmid}/firewall/aliases',
  '/nodes/{node}/lxc/{vmid}/firewall/ipset',
  '/nodes/{node}/lxc/{vmid}/firewall/ipset/{name}',
] as const satisfies readonly EndpointPath[];
