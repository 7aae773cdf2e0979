import { z } from 'zod';
import { entries, int, list, type RowOf, record, table, text } from '../../answer/spec.ts';
import { counted } from '../../answer/units.ts';
import type { Call } from '../../api/call.ts';
import { ApiError } from '../../api/errors.ts';
import { attempt, type Gaps, mergeGaps, type Problem } from '../../api/reading.ts';
import { whole } from '../../cluster/attempts.ts';
import {
  type FirewallLevel,
  type FirewallOptions,
  type FirewallRule,
  GUEST_FIREWALL_READS,
  levelEnabled,
  policies,
  readFirewallAliases,
  readFirewallMacros,
  readFirewallOptions,
  readFirewallRules,
  readIpSets,
  readSecurityGroups,
  type SecurityGroup,
} from '../../cluster/firewall.ts';
import { readInventory } from '../../cluster/inventory.ts';
import { errorOf } from '../../cluster/problem-error.ts';
import { requireOnlineNode, resolveGuest } from '../../cluster/resolve.ts';
import { macroPatterns } from '../../insights/firewall-macros.ts';
import { defineTool } from '../define-tool.ts';
import { guest, node } from '../params.ts';
import { RIGHTS_READS } from '../rights-reads.ts';

const SECTIONS = ['rules', 'options', 'groups', 'aliases', 'ipsets', 'macros'] as const;
type Section = (typeof SECTIONS)[number];

const ruleColumns = {
  pos: int(),
  state: text('"off": the rule is switched off and never applies'),
  type: text(),
  action: text('of type group: the name of the security group'),
  macro: text(),
  proto: text(),
  source: text(),
  dest: text(),
  sport: text(),
  dport: text(),
  icmp: text(),
  iface: text(),
  log: text(),
  comment: text(),
  errors: text('what the API finds wrong with the rule'),
};

export const getFirewallRules = defineTool({
  name: 'get_firewall_rules',
  title: 'Firewall of one level',
  toolset: 'firewall',
  description:
    'Rules, options, security groups, aliases and IP sets of the datacenter, a node, a guest or a VNet, and whether that level is in force at all.',
  params: {
    scope: z.enum(['cluster', 'node', 'guest', 'vnet']).describe('Default: guest when one is given, else cluster').optional(),
    ...guest,
    node: node.optional(),
    vnet: z.string().max(64).optional(),
    sections: z.array(z.enum(SECTIONS)).optional(),
  },
  output: {
    state: record({ level: text(), enabled: text(), policy_in: text(), policy_out: text(), policy_forward: text() }),
    rules: table(ruleColumns),
    options: entries(),
    groups: table({ group: text(), ...ruleColumns }, 'security groups, one row a rule'),
    aliases: table({ name: text(), cidr: text(), comment: text() }),
    ipsets: table({ name: text(), entries: list('"!" in front: no match'), comment: text() }),
    macros: table({ macro: text(), ports: list('protocol/port, as far as known here'), about: text() }, 'that rules may name'),
  },
  reads: [
    '/cluster/resources',
    '/cluster/firewall/options',
    '/cluster/firewall/rules',
    '/cluster/firewall/groups',
    '/cluster/firewall/groups/{group}',
    '/cluster/firewall/aliases',
    '/cluster/firewall/ipset',
    '/cluster/firewall/ipset/{name}',
    '/cluster/firewall/macros',
    '/nodes/{node}/firewall/options',
    '/nodes/{node}/firewall/rules',
    ...GUEST_FIREWALL_READS,
    '/cluster/sdn/vnets/{vnet}/firewall/options',
    '/cluster/sdn/vnets/{vnet}/firewall/rules',
    '/cluster/nextid',
    ...RIGHTS_READS,
  ],
  async run(args, call) {
    const { level, label, notes } = await locate(args, call);
    const wants = (section: Section): boolean => args.sections === undefined || args.sections.includes(section);
    const where = 'node' in level ? { node: level.node } : {};
    const [options, rules, aliases, ipsets, macros, datacenter] = await Promise.all([
      attempt(where, () => readFirewallOptions(call, level)),
      attempt(where, () => readFirewallRules(call, level)),
      wants('aliases') ? attempt(where, () => readFirewallAliases(call, level)) : undefined,
      wants('ipsets') ? whole(() => readIpSets(call, level), where) : undefined,
      // A hundred rows that are the same everywhere: only when they are asked for.
      args.sections?.includes('macros') === true ? attempt({}, () => readFirewallMacros(call)) : undefined,
      level.scope === 'cluster' ? undefined : attempt({}, () => readFirewallOptions(call, { scope: 'cluster' })),
    ]);
    if (level.scope === 'vnet' && options.data === undefined && rules.data === undefined)
      throw noVnet(level.vnet, options.problems);
    // At the datacenter all groups are of interest, elsewhere those that the rules name.
    const named = new Set((rules.data ?? []).filter((r) => r.type === 'group').map((r) => r.action));
    const groups =
      wants('groups') && (level.scope === 'cluster' || named.size > 0)
        ? await whole(() => readSecurityGroups(call, level.scope === 'cluster' ? undefined : named))
        : undefined;
    const gaps: Gaps = mergeGaps(options, rules, ...[aliases, ipsets, macros, datacenter, groups].filter((r) => r !== undefined));
    const state = stateOf(level, options.data, datacenter?.data);
    const off = rules.data?.filter((r) => !r.enabled).length ?? 0;
    return {
      headline: `Firewall of ${label}: ${state.enabled}; ${rules.data === undefined ? 'rules not readable' : `${counted(rules.data.length, 'rule')}${off === 0 ? '' : ` (${off} off)`}`}`,
      sections: {
        state: { level: label, ...state },
        rules: wants('rules') ? rules.data?.map(ruleRow) : undefined,
        options: wants('options') ? options.data : undefined,
        groups: groups?.data?.flatMap(groupRows),
        aliases: aliases?.data,
        ipsets: ipsets?.data?.map((s) => ({ name: s.name, comment: s.comment, entries: s.entries })),
        macros: macros?.data?.map((m) => ({ macro: m.macro, ports: macroPorts(m.macro), about: m.about })),
      },
      gaps,
      notes,
      next: level.scope === 'guest' ? [`explain_firewall_path vmid=${level.vmid} tells whether a source reaches a port`] : [],
    };
  },
});

/** What the API says of a VNet that is not in the running configuration. */
const UNKNOWN_VNET = /invalid vnet/i;

/** Of a VNet there is nothing else to tell. */
function noVnet(vnet: string, [problem]: readonly Problem[]): ApiError {
  if (problem !== undefined && !UNKNOWN_VNET.test(problem.message)) return errorOf(problem);
  return new ApiError(
    'not-found',
    `The firewall knows no VNet ${JSON.stringify(vnet)}: there is none, or it is not applied yet.`,
    {
      hint: VNETS_HINT,
    },
  );
}

const VNETS_HINT = 'get_sdn (toolset sdn) lists them.';

interface Located {
  readonly level: FirewallLevel;
  readonly label: string;
  readonly notes: readonly string[];
}

interface Wish {
  readonly scope?: 'cluster' | 'node' | 'guest' | 'vnet' | undefined;
  readonly node?: string | undefined;
  readonly vmid?: number | undefined;
  readonly name?: string | undefined;
  readonly guest_type?: 'qemu' | 'lxc' | undefined;
  readonly vnet?: string | undefined;
}

async function locate(args: Wish, call: Call): Promise<Located> {
  const scope =
    args.scope ??
    (args.vmid !== undefined || args.name !== undefined
      ? 'guest'
      : args.vnet !== undefined
        ? 'vnet'
        : args.node !== undefined
          ? 'node'
          : 'cluster');
  if (scope === 'cluster')
    return { level: { scope }, label: 'the datacenter', notes: unused(scope, args, ['node', 'vmid', 'name', 'vnet']) };
  if (scope === 'vnet') {
    if (args.vnet === undefined) throw new ApiError('bad-argument', 'Which VNet? Give vnet.', { hint: VNETS_HINT });
    return {
      level: { scope, vnet: args.vnet },
      label: `VNet ${args.vnet}`,
      notes: ['VNet rules need nftables on the nodes (node option nftables).', ...unused(scope, args, ['node', 'vmid', 'name'])],
    };
  }
  if (scope === 'node') {
    if (args.node === undefined) throw new ApiError('bad-argument', 'Which node? Give node.', { hint: 'list_nodes shows them.' });
    const target = requireOnlineNode(await readInventory(call), args.node);
    return { level: { scope, node: target }, label: `node ${target}`, notes: unused(scope, args, ['vmid', 'name', 'vnet']) };
  }
  const { guest: found, inventory, notes } = await resolveGuest(call, args);
  requireOnlineNode(inventory, found.node);
  return {
    level: { scope, node: found.node, vmid: found.vmid, type: found.type },
    label: `guest ${found.vmid}${found.name === undefined ? '' : ` (${found.name})`}`,
    notes: [...notes, "A guest's firewall works only on network interfaces with firewall=1 (get_guest_config shows them)."],
  };
}

/** Who names an object together with another scope may take the answer for that object's. */
function unused(scope: string, args: Wish, names: readonly (keyof Wish)[]): readonly string[] {
  const given = names.filter((name) => args[name] !== undefined);
  return given.length === 0 ? [] : [`scope=${scope}: ${given.join(' and ')} ${given.length === 1 ? 'was' : 'were'} not used.`];
}

function stateOf(level: FirewallLevel, options: FirewallOptions | undefined, datacenter: FirewallOptions | undefined) {
  const policy = options === undefined || level.scope === 'node' ? undefined : policies(level.scope, options);
  const guestOrCluster = level.scope === 'cluster' || level.scope === 'guest';
  return {
    enabled: enabledText(level, options, datacenter),
    policy_in: guestOrCluster ? policy?.in : undefined,
    policy_out: guestOrCluster ? policy?.out : undefined,
    policy_forward: level.scope === 'guest' ? undefined : policy?.forward,
  };
}

function enabledText(
  level: FirewallLevel,
  options: FirewallOptions | undefined,
  datacenter: FirewallOptions | undefined,
): string {
  if (options === undefined) return 'unknown whether in force (options not readable)';
  if (!levelEnabled(level.scope, options))
    return level.scope === 'cluster' ? 'off, so no firewall rule applies anywhere' : 'off, so its rules do not apply';
  if (level.scope === 'cluster') return 'on';
  if (datacenter === undefined) return 'on here; unknown whether the datacenter firewall is';
  const on = level.scope === 'vnet' ? 'on, on nodes that use nftables' : 'on';
  return levelEnabled('cluster', datacenter) ? on : 'on here, but without effect: the datacenter firewall is off';
}

/** `["tcp/80,443"]` */
function macroPorts(macro: string): readonly string[] | undefined {
  return macroPatterns(macro, 4)?.map(({ proto, dport, icmpType }) =>
    [proto, dport ?? icmpType].filter((p) => p !== undefined).join('/'),
  );
}

function ruleRow(rule: FirewallRule) {
  return {
    pos: rule.pos,
    state: rule.enabled ? 'on' : 'off',
    type: rule.type,
    action: rule.action,
    macro: rule.macro,
    proto: rule.proto,
    source: rule.source,
    dest: rule.dest,
    sport: rule.sport,
    dport: rule.dport,
    icmp: rule.icmpType,
    iface: rule.iface,
    log: rule.log,
    comment: rule.comment,
    errors: rule.errors,
  };
}

function groupRows(group: SecurityGroup): readonly (RowOf<typeof ruleColumns> & { group: string })[] {
  if (group.rules === undefined) return [{ group: group.name, comment: group.comment, errors: 'not read' }];
  if (group.rules.length === 0) return [{ group: group.name, comment: group.comment, state: 'empty' }];
  return group.rules.map((rule) => ({ ...ruleRow(rule), group: group.name, comment: rule.comment ?? group.comment }));
}
