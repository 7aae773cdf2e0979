import { counted } from '../../answer/units.ts';
import { boolOf } from '../../api/lenient.ts';
import { type FirewallOptions, type FirewallRule, levelEnabled, policies } from '../../cluster/firewall.ts';
import type { FactData, GuestDetail } from '../../cluster/health-facts.ts';
import { type Check, CLUSTER, defineCheck, type Finding, onGuest, onNode, onThing, some, type Target } from './check.ts';

/** Services that nobody should offer to the whole world, by macro and by port. */
const ADMIN_MACROS: ReadonlySet<string> = new Set([
  'SSH',
  'RDP',
  'Telnet',
  'VNC',
  'SMB',
  'SPICEproxy',
  'MySQL',
  'PostgreSQL',
  'MongoDB',
  'Redis',
  'IPMI',
]);
const ADMIN_PORTS: ReadonlySet<string> = new Set([
  '22',
  '23',
  '445',
  '3389',
  '5900',
  '8006',
  '3128',
  '3306',
  '5432',
  '6379',
  '27017',
  '623',
]);

/** Rules that never apply because a level is off, and rules that let too much in. */
export const firewallChecks: readonly Check[] = [
  defineCheck({
    id: 'PVE-F01',
    area: 'firewall',
    severity: 'warning',
    what: "Datacenter's firewall off although there are rules",
    why: 'no firewall rule of any level applies: nothing is filtered',
    command: 'pvesh set /cluster/firewall/options --enable 1 (after a rule for your own access)',
    needs: ['clusterFirewall'],
    also: ['nodeFirewalls', 'guestFirewalls', 'everyFirewall'],
    judge: ({ clusterFirewall, nodeFirewalls, guestFirewalls }) => {
      if (levelEnabled('cluster', clusterFirewall.options)) return [];
      const own = active(clusterFirewall.rules).length;
      const nodes = [...(nodeFirewalls ?? [])].filter(([, f]) => active(f.rules).length > 0).map(([node]) => node);
      const guests = [...(guestFirewalls?.values() ?? [])]
        .filter((d) => guestOn(d) && active(d.firewall?.rules ?? []).length > 0)
        .map((d) => d.guest.vmid);
      const parts = [
        ...(own === 0 ? [] : [`${counted(own, 'rule')} of the datacenter`]),
        ...(nodes.length === 0 ? [] : [`rules of ${some(nodes)}`]),
        ...(guests.length === 0 ? [] : [`rules of ${counted(guests.length, 'guest')}`]),
      ];
      return parts.length === 0 ? [] : [{ on: CLUSTER, evidence: parts.join(', ') }];
    },
  }),
  defineCheck({
    id: 'PVE-F02',
    area: 'firewall',
    severity: 'warning',
    what: "Node's firewall off although it has rules",
    why: 'they never apply',
    command: 'pvesh set /nodes/<node>/firewall/options --enable 1',
    needs: ['nodeFirewalls'],
    judge: ({ nodeFirewalls }) =>
      [...nodeFirewalls].flatMap(([node, f]) => {
        const rules = active(f.rules).length;
        return levelEnabled('node', f.options) || rules === 0 ? [] : [{ on: onNode(node), evidence: counted(rules, 'rule') }];
      }),
  }),
  defineCheck({
    id: 'PVE-F03',
    area: 'firewall',
    severity: 'warning',
    what: "Guest's firewall off although it has rules",
    why: 'they never apply',
    command: 'pvesh set /nodes/<node>/qemu/<vmid>/firewall/options --enable 1',
    needs: ['guestFirewalls'],
    judge: ({ guestFirewalls }) =>
      eachGuest(guestFirewalls, (d) => {
        const rules = active(d.firewall?.rules ?? []).length;
        return d.firewall === undefined || guestOn(d) || rules === 0 ? undefined : `${d.guest.vmid}: ${counted(rules, 'rule')}`;
      }),
  }),
  defineCheck({
    id: 'PVE-F04',
    area: 'firewall',
    severity: 'warning',
    what: "Guest's firewall on, but on none of its interfaces",
    why: 'the rules look active and filter nothing',
    command: 'qm set <vmid> --netN ...,firewall=1',
    needs: ['details', 'guestFirewalls'],
    judge: ({ details }) =>
      eachGuest(details, (d) => {
        const nics = d.config?.nics ?? [];
        if (!guestOn(d) || nics.length === 0 || nics.some((n) => n.firewall)) return undefined;
        return `${d.guest.vmid}: firewall=0 on ${some(nics.map((n) => n.key))}`;
      }),
  }),
  defineCheck({
    id: 'PVE-F05',
    area: 'firewall',
    severity: 'warning',
    what: 'Rules of a VNet that no node applies',
    why: 'they need the nftables firewall, which is off',
    command: 'pvesh set /nodes/NODE/firewall/options --nftables 1',
    needs: ['vnetFirewalls', 'nodeFirewalls', 'everyNode'],
    judge: ({ vnetFirewalls, nodeFirewalls }) => {
      if (nodeFirewalls.size === 0 || [...nodeFirewalls.values()].some((f) => boolOf(f.options['nftables']) === true)) return [];
      return [...vnetFirewalls].flatMap(([vnet, f]) => {
        const rules = active(f.rules).length;
        return rules === 0
          ? []
          : [
              {
                on: onThing(`VNet ${vnet}`),
                evidence: `${counted(rules, 'rule')}, nftables on none of ${some([...nodeFirewalls.keys()])}`,
              },
            ];
      });
    },
  }),
  defineCheck({
    id: 'PVE-F06',
    area: 'firewall',
    severity: 'warning',
    what: "Guest's firewall lets everything in",
    why: 'its policy accepts what no rule drops, and no rule drops anything',
    command: 'pvesh set /nodes/<node>/qemu/<vmid>/firewall/options --policy_in DROP',
    needs: ['guestFirewalls'],
    judge: ({ guestFirewalls }) =>
      eachGuest(guestFirewalls, (d) => {
        if (d.firewall === undefined || !guestOn(d) || policies('guest', d.firewall.options).in !== 'ACCEPT') return undefined;
        return active(d.firewall.rules).some((r) => r.type === 'in' && r.action !== 'ACCEPT')
          ? undefined
          : `${d.guest.vmid}: policy_in ACCEPT`;
      }),
  }),
  defineCheck({
    id: 'PVE-F07',
    area: 'firewall',
    severity: 'warning',
    what: "Datacenter's firewall lets everything in",
    why: 'nodes are open to whoever reaches them',
    command: 'pvesh set /cluster/firewall/options --policy_in DROP',
    needs: ['clusterFirewall'],
    judge: ({ clusterFirewall: { options, rules } }) =>
      levelEnabled('cluster', options) &&
      policies('cluster', options).in === 'ACCEPT' &&
      !active(rules).some((r) => r.type === 'in' && r.action !== 'ACCEPT')
        ? [{ on: CLUSTER, evidence: 'policy_in ACCEPT' }]
        : [],
  }),
  defineCheck({
    id: 'PVE-F08',
    area: 'firewall',
    severity: 'warning',
    what: 'Administration of nodes open to everybody',
    why: 'logins are attacked from everywhere: name who may come in',
    command: 'add a source to the rule',
    needs: ['clusterFirewall'],
    also: ['nodeFirewalls', 'securityGroups'],
    judge: ({ clusterFirewall, nodeFirewalls, securityGroups }) => [
      ...(levelEnabled('cluster', clusterFirewall.options) ? open(CLUSTER, clusterFirewall.rules) : []),
      ...[...(nodeFirewalls ?? [])].flatMap(([node, f]) => (levelEnabled('node', f.options) ? open(onNode(node), f.rules) : [])),
      ...(securityGroups ?? []).flatMap((group) => open(onThing(`group ${group.name}`), group.rules ?? [])),
    ],
  }),
  defineCheck({
    id: 'PVE-F09',
    area: 'firewall',
    severity: 'warning',
    what: 'Rule that names something that does not exist',
    why: 'the firewall leaves the rule out: what it was to allow or deny is not',
    command: 'pve-firewall compile (shows the broken rules)',
    needs: ['clusterFirewall'],
    also: ['nodeFirewalls', 'securityGroups'],
    judge: ({ clusterFirewall, nodeFirewalls, securityGroups }) => [
      ...dead(CLUSTER, clusterFirewall.rules),
      ...[...(nodeFirewalls ?? [])].flatMap(([node, f]) => dead(onNode(node), f.rules)),
      ...(securityGroups ?? []).flatMap((group) => dead(onThing(`group ${group.name}`), group.rules ?? [])),
    ],
  }),
  defineCheck({
    id: 'PVE-F10',
    area: 'firewall',
    severity: 'info',
    what: 'Security group that no rule uses',
    why: 'it looks like protection and is none',
    command: 'pvesh delete /cluster/firewall/groups/<name>',
    needs: ['securityGroups', 'clusterFirewall', 'nodes', 'nodeFirewalls', 'vnetFirewalls', 'guestFirewalls', 'everyFirewall'],
    judge: ({ securityGroups, clusterFirewall, nodes, nodeFirewalls, vnetFirewalls, guestFirewalls, everyFirewall }) => {
      const all = [
        ...clusterFirewall.rules,
        ...[...nodeFirewalls.values(), ...vnetFirewalls.values()].flatMap((f) => f.rules),
        ...[...guestFirewalls.values()].flatMap((d) => d.firewall?.rules ?? []),
      ];
      const used = new Set(all.filter((r) => r.type === 'group').map((r) => r.action));
      const dark = nodes.map((n) => n.node).filter((node) => !nodeFirewalls.has(node));
      const missed = [
        ...(dark.length === 0 ? [] : [`nodes ${some(dark)}`]),
        ...(everyFirewall.unreachable.length === 0 ? [] : [`guests ${some(everyFirewall.unreachable)}`]),
      ];
      const but = missed.length === 0 ? '' : ` (${missed.join(' and ')} could not be looked at)`;
      return securityGroups.flatMap((g) =>
        used.has(g.name) ? [] : [{ on: onThing(g.name), evidence: `${counted(g.rules?.length ?? 0, 'rule')}${but}` }],
      );
    },
  }),
  defineCheck({
    id: 'PVE-F11',
    area: 'firewall',
    severity: 'info',
    what: 'Firewall not in use',
    why: 'whoever reaches the management network reaches every node and guest',
    command: 'pvesh set /cluster/firewall/options --enable 1 (after a rule for your own access)',
    needs: ['clusterFirewall'],
    judge: ({ clusterFirewall: { options, rules } }) =>
      !levelEnabled('cluster', options) && active(rules).length === 0
        ? [{ on: CLUSTER, evidence: 'off, no rules of the datacenter' }]
        : [],
  }),
  defineCheck({
    id: 'PVE-F12',
    area: 'firewall',
    severity: 'warning',
    what: 'Administration of a guest open to everybody',
    why: 'logins and databases are attacked from everywhere: name who may come in',
    command: 'add a source to the rule',
    needs: ['guestFirewalls'],
    judge: ({ guestFirewalls }) =>
      [...guestFirewalls.values()].flatMap((d) => (guestOn(d) ? open(onGuest(d.guest), d.firewall?.rules ?? []) : [])),
  }),
  defineCheck({
    id: 'PVE-F13',
    area: 'firewall',
    severity: 'warning',
    what: 'Rule of a guest that names something that does not exist',
    why: 'the firewall leaves the rule out: what it was to allow or deny is not',
    command: 'pve-firewall compile (shows the broken rules)',
    needs: ['guestFirewalls'],
    judge: ({ guestFirewalls }) => [...guestFirewalls.values()].flatMap((d) => dead(onGuest(d.guest), d.firewall?.rules ?? [])),
  }),
];

function active(rules: readonly FirewallRule[]): readonly FirewallRule[] {
  return rules.filter((r) => r.enabled);
}

function guestOn({ firewall }: GuestDetail): boolean {
  return firewall !== undefined && levelEnabled('guest', firewall.options satisfies FirewallOptions);
}

function eachGuest(details: FactData['details'], say: (detail: GuestDetail) => string | undefined): readonly Finding[] {
  return [...details.values()].flatMap((detail) => {
    const evidence = say(detail);
    return evidence === undefined ? [] : [{ on: onGuest(detail.guest), evidence }];
  });
}

function open(on: Target, rules: readonly FirewallRule[]): readonly Finding[] {
  const found = openRules(rules);
  return found.length === 0 ? [] : [{ on, evidence: `${on.name}: ${some(found, 3)} from anywhere` }];
}

function dead(on: Target, rules: readonly FirewallRule[]): readonly Finding[] {
  const found = rules.flatMap((r) => (r.enabled && r.errors !== undefined ? [`${on.name} rule ${r.pos}: ${r.errors}`] : []));
  return found.length === 0 ? [] : [{ on, evidence: some(found, 2) }];
}

/** Incoming rules that open a login or a database without saying to whom. */
function openRules(rules: readonly FirewallRule[]): readonly string[] {
  return active(rules).flatMap((r) => {
    if (r.type !== 'in' || r.action !== 'ACCEPT' || (r.source !== undefined && !/^(?:0\.0\.0\.0\/0|::\/0)$/.test(r.source)))
      return [];
    if (r.macro !== undefined) return ADMIN_MACROS.has(r.macro) ? [r.macro] : [];
    if (r.dport === undefined) return r.proto === undefined && r.iface === undefined ? ['everything'] : [];
    return r.dport
      .split(',')
      .filter((port) => ADMIN_PORTS.has(port))
      .map((port) => `port ${port}`);
  });
}
