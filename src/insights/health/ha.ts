import { formatDuration } from '../../answer/units.ts';
import { type HaGroup, type HaManager, type HaRule, type HaStatus, HEARTBEAT_LIMIT_S, heartbeatAge } from '../../cluster/ha.ts';
import { isOnline } from '../../cluster/inventory.ts';
import { type Check, CLUSTER, defineCheck, type Finding, type Judging, onNode, onThing, some, type Target } from './check.ts';

/** High availability. */
export const haChecks: readonly Check[] = [
  defineCheck({
    id: 'PVE-H01',
    area: 'ha',
    severity: 'critical',
    what: 'HA resource in error',
    why: 'HA has given up on it and does nothing more',
    command: 'ha-manager set <name> --state disabled; (repair); ha-manager set <name> --state started',
    needs: ['ha'],
    judge: ({ ha: { status } }) => inStates(status, ['error']),
  }),
  defineCheck({
    id: 'PVE-H02',
    area: 'ha',
    severity: 'critical',
    what: 'HA resource being recovered',
    why: 'its node was lost; when it stays in this state it finds no node to run on',
    command: 'ha-manager status',
    needs: ['ha'],
    judge: ({ ha: { status } }) => inStates(status, ['fence', 'recovery']),
  }),
  defineCheck({
    id: 'PVE-H03',
    area: 'ha',
    severity: 'warning',
    what: 'HA resource without a guest',
    why: 'left over from a removed guest; a new one with its number falls under HA',
    command: 'ha-manager remove <name>',
    needs: ['ha'],
    judge: ({ ha: { status } }) => inStates(status, ['not found', 'deleting']),
  }),
  defineCheck({
    id: 'PVE-H04',
    area: 'ha',
    severity: 'critical',
    what: 'Local HA manager dead although its node is up',
    why: 'HA can neither start nor stop anything there, and may fence the node',
    command: 'ssh <node> systemctl restart pve-ha-lrm',
    needs: ['ha', 'nodes'],
    judge: ({ ha: { status }, nodes }, by) =>
      managers(status, 'lrm').flatMap((m) => (isOnline(nodes, m.node) ? silent(m, status, by) : [])),
  }),
  defineCheck({
    id: 'PVE-H05',
    area: 'ha',
    severity: 'critical',
    what: 'No working HA master',
    why: 'nothing is recovered when a node fails',
    command: 'systemctl status pve-ha-crm (on every node)',
    needs: ['ha'],
    judge: ({ ha: { status } }, by) => {
      const masters = managers(status, 'master');
      if (status.resources.length === 0) return [];
      if (masters.length === 0) return [{ on: CLUSTER, evidence: 'none elected' }];
      return masters.flatMap((m) => silent(m, status, by));
    },
  }),
  defineCheck({
    id: 'PVE-H06',
    area: 'ha',
    severity: 'warning',
    what: 'Fencing not armed',
    why: 'a lost node is not fenced, so its guests are not started elsewhere',
    command: 'ha-manager status',
    needs: ['ha'],
    judge: ({ ha: { status } }) =>
      status.armed === undefined || status.armed === 'armed' || status.resources.length === 0
        ? []
        : [{ on: CLUSTER, evidence: status.armedText ?? status.armed }],
  }),
  defineCheck({
    id: 'PVE-H07',
    area: 'ha',
    severity: 'warning',
    what: 'Placement that cannot be met',
    why: 'a resource of it stays down, or two stay together, until nodes come back',
    command: 'ha-manager rules config',
    needs: ['ha', 'nodes'],
    judge: ({ ha: { rules, groups, status }, nodes }) => {
      const known = new Set(status.resources.map((r) => r.sid));
      const online = nodes.filter((n) => n.status === 'online').map((n) => n.node);
      return [
        ...(rules ?? []).flatMap((rule) => unsatisfiable(rule, known, online)),
        ...(groups ?? []).flatMap((group) => strandedGroup(group, status, online)),
      ];
    },
  }),
  defineCheck({
    id: 'PVE-H08',
    area: 'ha',
    severity: 'warning',
    what: 'HA rule in conflict',
    why: 'the manager ignores it',
    command: 'ha-manager rules config',
    needs: ['ha'],
    judge: ({ ha: { rules } }) =>
      (rules ?? []).flatMap((rule) =>
        rule.errors.length === 0 ? [] : [{ on: onThing(`rule ${rule.rule}`), evidence: some(rule.errors, 2) }],
      ),
  }),
  defineCheck({
    id: 'PVE-H09',
    area: 'ha',
    severity: 'info',
    what: 'HA rule about a resource that is not under HA',
    why: 'it has no effect there',
    command: 'ha-manager rules config',
    needs: ['ha'],
    judge: ({ ha: { rules, status } }) => {
      const known = new Set(status.resources.map((r) => r.sid));
      return (rules ?? []).flatMap((rule) => {
        const unknown = rule.enabled ? rule.resources.filter((sid) => !known.has(sid)) : [];
        return unknown.length === 0 ? [] : [{ on: onThing(`rule ${rule.rule}`), evidence: some(unknown) }];
      });
    },
  }),
  defineCheck({
    id: 'PVE-H10',
    area: 'ha',
    severity: 'warning',
    what: 'HA resource not running although it should',
    why: 'HA was told to run it and does not',
    command: 'ha-manager status; ha-manager set <name> --state started',
    needs: ['ha'],
    judge: ({ ha: { status } }) =>
      status.resources.flatMap((r) =>
        r.wanted === 'started' && (r.state === 'stopped' || r.state === 'freeze' || r.state === 'ignored')
          ? [{ on: onResource(r), evidence: `${r.state}${r.node === undefined ? '' : ` on ${r.node}`}` }]
          : [],
      ),
  }),
  defineCheck({
    id: 'PVE-H11',
    area: 'ha',
    severity: 'info',
    what: 'Node in maintenance',
    why: 'HA keeps its guests away from it',
    command: 'ha-manager crm-command node-maintenance disable <node>',
    needs: ['nodes'],
    judge: ({ nodes }) =>
      nodes.flatMap((n) => (n.haState === 'maintenance' ? [{ on: onNode(n.node), evidence: 'maintenance mode' }] : [])),
  }),
  defineCheck({
    id: 'PVE-H12',
    area: 'ha',
    severity: 'warning',
    what: 'HA with fewer than three votes',
    why: 'with one node down there is no majority, so HA cannot act when it is needed',
    command: 'pvecm qdevice setup <address of an outside host>',
    needs: ['ha', 'quorum'],
    judge: ({ ha: { status }, quorum: { votes } }) =>
      status.resources.length > 0 && votes !== undefined && votes.expected > 0 && votes.expected < 3
        ? [{ on: CLUSTER, evidence: `${votes.expected} votes, ${status.resources.length} resources` }]
        : [],
  }),
];

function onResource(r: HaStatus['resources'][number]): Target {
  return onThing(r.sid, { vmid: r.vmid, node: r.node });
}

function inStates(status: HaStatus, states: readonly string[]): readonly Finding[] {
  return status.resources.flatMap((r) =>
    states.includes(r.state.toLowerCase())
      ? [{ on: onResource(r), evidence: `${r.state}${r.node === undefined ? '' : ` on ${r.node}`}` }]
      : [],
  );
}

function managers(status: HaStatus, role: HaManager['role']): readonly HaManager[] {
  return status.managers.filter((m) => m.role === role);
}

function silent(manager: HaManager, status: HaStatus, by: Judging): readonly Finding[] {
  const age = heartbeatAge(manager, status, by.now * 1000);
  return age !== undefined && age > HEARTBEAT_LIMIT_S
    ? [{ on: onNode(manager.node), evidence: `silent for ${formatDuration(age)}` }]
    : [];
}

/** A rule that is switched off, or that the manager ignores, has nothing to meet. */
function unsatisfiable(rule: HaRule, known: ReadonlySet<string>, online: readonly string[]): readonly Finding[] {
  if (!rule.enabled || rule.errors.length > 0) return [];
  const on = onThing(`rule ${rule.rule}`);
  const managed = rule.resources.filter((sid) => known.has(sid));
  if (rule.affinity === 'apart' && managed.length > online.length)
    return [{ on, evidence: `${managed.length} resources apart on ${online.length} online nodes` }];
  const nodes = rule.nodes.map(withoutPriority);
  if (rule.strict === true && managed.length > 0 && nodes.length > 0 && !nodes.some((n) => online.includes(n)))
    return [{ on, evidence: `${some(managed)} only on ${some(nodes)}, which ${nodes.length === 1 ? 'is' : 'are'} not online` }];
  return [];
}

function strandedGroup(group: HaGroup, status: HaStatus, online: readonly string[]): readonly Finding[] {
  const members = status.resources.filter((r) => r.group === group.group).map((r) => r.sid);
  const nodes = group.nodes.map(withoutPriority);
  if (!group.restricted || members.length === 0 || nodes.some((n) => online.includes(n))) return [];
  return [{ on: onThing(`group ${group.group}`), evidence: `${some(members)} only on ${some(nodes)}, not online` }];
}

/** `pve1:2` */
function withoutPriority(node: string): string {
  return node.split(':')[0] ?? node;
}
