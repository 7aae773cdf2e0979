import { DemoHttpError, type HandlerRequest, type HandlerTable } from '../types.ts';
import type { FirewallScope, Row } from '../world/area-types.ts';
import { digestOf } from '../world/digests.ts';
import type { DemoWorld } from '../world/types.ts';
import { badParameter, demand, directory, logPage, nodeOf, parameter } from './answers.ts';
import { guestOf } from './guest-lookup.ts';

/** SHA-1 of an empty file: what a missing firewall file is read as. */
const EMPTY_DIGEST = 'da39a3ee5e6b4b0d3255bfef95601890afd80709';

/** Firewall of the cluster, the nodes, the guests and the vnets. */
export function firewallHandlers(world: DemoWorld): HandlerTable {
  const { firewall } = world.areas;
  const cluster = () => firewall.cluster;
  const node = (request: HandlerRequest) => firewall.node(nodeOf(world, request).node);
  const vnet = (request: HandlerRequest) => vnetScope(world, request);
  const table: Record<string, HandlerTable[string]> = {
    '/cluster/firewall': directory('name', ['aliases', 'rules', 'options', 'groups', 'ipset', 'macros', 'refs']),
    '/cluster/firewall/macros': () => firewall.macros,
    '/cluster/firewall/groups': () => {
      const digest = digestOf(firewall.groups);
      return firewall.groups.map(({ group, comment }) => ({ ...(comment === undefined ? {} : { comment }), digest, group }));
    },
    '/cluster/firewall/groups/{group}': (request) => withPositions(groupRules(world, request), request),
    '/cluster/firewall/groups/{group}/{pos}': (request) => oneRule(groupRules(world, request), request),
    '/nodes/{node}/firewall': directory('name', ['rules', 'options', 'log']),
    '/nodes/{node}/firewall/log': (request) =>
      logPage(
        firewall.log(nodeOf(world, request).node).map((entry) => entry.line),
        request,
      ),
    '/cluster/sdn/vnets/{vnet}/firewall': directory('name', ['rules', 'options']),
    ...scopeHandlers('/cluster/firewall', cluster),
    ...namedSets('/cluster/firewall', cluster),
    ...references('/cluster/firewall', cluster, cluster),
    ...scopeHandlers('/nodes/{node}/firewall', node),
    ...scopeHandlers('/cluster/sdn/vnets/{vnet}/firewall', vnet),
  };
  for (const kind of ['qemu', 'lxc'] as const) {
    const base = `/nodes/{node}/${kind}/{vmid}/firewall`;
    const guest = (request: HandlerRequest) => firewall.guest(guestOf(world, request, kind).vmid);
    Object.assign(table, {
      [base]: directory('name', ['rules', 'aliases', 'ipset', 'refs', 'options']),
      [`${base}/log`]: (request: HandlerRequest) => {
        const { vmid } = guestOf(world, request, kind);
        const lines = firewall.log(nodeOf(world, request).node).filter((entry) => entry.vmid === vmid);
        return logPage(
          lines.map((entry) => entry.line),
          request,
        );
      },
      ...scopeHandlers(base, guest),
      ...namedSets(base, guest),
      ...references(base, cluster, guest),
    });
  }
  return table;
}

type ScopeOf = (request: HandlerRequest) => FirewallScope;

/** `options`, `rules` and `rules/{pos}` below a path. */
function scopeHandlers(base: string, scope: ScopeOf): HandlerTable {
  return {
    [`${base}/options`]: (request) => {
      const { options } = scope(request);
      return { ...optionsFor(options, request), digest: Object.keys(options).length === 0 ? EMPTY_DIGEST : digestOf(options) };
    },
    [`${base}/rules`]: (request) => withPositions(scope(request).rules, request),
    [`${base}/rules/{pos}`]: (request) => oneRule(scope(request).rules, request),
  };
}

/** Aliases and IP sets below a path. */
function namedSets(base: string, scope: ScopeOf): HandlerTable {
  const setOf = (request: HandlerRequest) => {
    const name = parameter(request, 'name');
    const found = scope(request).ipsets.find((set) => set.name === name);
    if (found === undefined) throw new DemoHttpError(500, `no such ipset '${name}'`);
    return found;
  };
  return {
    [`${base}/aliases`]: (request) => {
      const { aliases } = scope(request);
      const digest = digestOf(aliases);
      return aliases.map((alias) => ({ ...alias, digest }));
    },
    [`${base}/aliases/{name}`]: (request) => {
      const name = parameter(request, 'name');
      const found = scope(request).aliases.find((alias) => alias.name === name);
      if (found === undefined) throw badParameter('name', 'no such alias');
      return found;
    },
    [`${base}/ipset`]: (request) => {
      const { ipsets } = scope(request);
      const digest = digestOf(ipsets);
      return ipsets.map(({ name, comment }) => ({ ...(comment === undefined ? {} : { comment }), digest, name }));
    },
    [`${base}/ipset/{name}`]: (request) => {
      const { entries } = setOf(request);
      const digest = digestOf(entries);
      return entries.map((entry) => ({ ...entry, digest }));
    },
    [`${base}/ipset/{name}/{cidr}`]: (request) => {
      const { entries } = setOf(request);
      const cidr = parameter(request, 'cidr');
      const found = entries.find((entry) => entry.cidr === cidr);
      if (found === undefined) throw badParameter('cidr', 'no such IP/Network');
      return { ...found, digest: digestOf(entries) };
    },
  };
}

/** What rules below a path may refer to: the datacenter's sets and aliases, and a guest's own. */
function references(base: string, cluster: ScopeOf, own: ScopeOf): HandlerTable {
  const list = (scope: FirewallScope, where: 'dc' | 'guest', release: HandlerRequest['release']): Row[] => {
    const place = release === '7.4' ? {} : { scope: where };
    const about = (comment: unknown) => (comment === undefined ? {} : { comment });
    return [
      ...scope.ipsets.map((set) => ({ ...about(set.comment), name: set.name, ref: `+${set.name}`, ...place, type: 'ipset' })),
      ...scope.aliases.map((alias) => ({ ...about(alias.comment), name: alias.name, ref: alias.name, ...place, type: 'alias' })),
    ];
  };
  return {
    [`${base}/refs`]: (request) => {
      const { type } = request.query;
      const shared = list(cluster(request), 'dc', request.release);
      const all = own === cluster ? shared : [...shared, ...list(own(request), 'guest', request.release)];
      return all.filter((row) => type === undefined || row.type === type);
    },
  };
}

/** Rules as lists give them; the position is a number here and a text where one rule is asked for. */
function withPositions(rules: readonly Row[], request: HandlerRequest): Row[] {
  const digest = digestOf(rules);
  return rules
    .map((rule, pos): Row => ({ ...rule, digest, pos }))
    .filter((rule) => rule.type !== 'forward' || request.release !== '7.4');
}

function oneRule(rules: readonly Row[], request: HandlerRequest): Row {
  const pos = parameter(request, 'pos');
  const found = rules[Number(pos)];
  if (found === undefined) throw new DemoHttpError(500, `no rule at position ${pos}`);
  return { ...found, digest: digestOf(rules), pos };
}

/** Options a release does not know are left out. */
function optionsFor(options: Row, request: HandlerRequest): Row {
  if (request.release !== '7.4') return options;
  return Object.fromEntries(Object.entries(options).filter(([key]) => key !== 'nftables' && key !== 'policy_forward'));
}

function groupRules(world: DemoWorld, request: HandlerRequest): readonly Row[] {
  const group = parameter(request, 'group');
  const found = world.areas.firewall.groups.find((candidate) => candidate.group === group);
  if (found === undefined) throw new DemoHttpError(500, `no such security group '${group}'`);
  return found.rules;
}

/** The vnet's file; a vnet that is not in the running configuration is no vnet to the firewall. */
function vnetScope(world: DemoWorld, request: HandlerRequest): FirewallScope {
  const name = parameter(request, 'vnet');
  const found = world.areas.sdn.vnets.find((vnet) => vnet.id === name);
  if (found?.running === undefined) {
    throw new DemoHttpError(500, 'invalid vnet specified at /usr/share/perl5/PVE/API2/Firewall/Helpers.pm line 54.');
  }
  demand(request, `/sdn/zones/${found.zone}/${found.id}`, 'SDN.Audit', 'SDN.Allocate');
  return world.areas.firewall.vnet(name) ?? { options: {}, rules: [], aliases: [], ipsets: [] };
}
