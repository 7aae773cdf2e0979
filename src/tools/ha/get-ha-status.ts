import { bool, duration, int, list, record, table, text } from '../../answer/spec.ts';
import { byText } from '../../api/lenient.ts';
import { attempt, mergeGaps } from '../../api/reading.ts';
import {
  type HaManager,
  type HaOverview,
  type HaResource,
  type HaRule,
  type HaStatus,
  HEARTBEAT_LIMIT_S,
  heartbeatAge,
  readHa,
} from '../../cluster/ha.ts';
import { type Inventory, offlineGaps, readInventory } from '../../cluster/inventory.ts';
import { defineTool } from '../define-tool.ts';

/** States of a resource in which the manager has lost, or is about to lose, the guest. */
const BAD_STATES: ReadonlySet<string> = new Set(['error', 'fence', 'recovery', 'freeze']);
/** Wanted states after which it is no fault that the guest does not run. */
const WANTED_DOWN: ReadonlySet<string> = new Set(['stopped', 'disabled', 'ignored']);

export const getHaStatus = defineTool({
  name: 'get_ha_status',
  title: 'HA status',
  toolset: 'ha',
  description:
    'High availability: managed guests (wanted and actual state, faulty ones first), heartbeats of the managers, quorum, placement rules or groups.',
  params: {},
  paged: true,
  output: {
    ha: record({
      quorum: text(),
      armed: text('whether fencing can act; 9.2 and later'),
      master: text(),
      placement: text('rules (9.0 and later) or groups'),
    }),
    resources: table({
      sid: text(),
      guest: text(),
      state: text('as the manager reports it'),
      wanted: text(),
      node: text(),
      problem: text(),
      placement: list('group, or rules in force that name it'),
      max_restart: int(),
      max_relocate: int(),
      failback: bool(),
      comment: text(),
    }),
    managers: table({
      role: text(),
      node: text(),
      status: text(),
      heartbeat_age: duration(),
      problem: text(),
    }),
    rules: table({
      rule: text(),
      type: text(),
      resources: list(),
      affinity: text(),
      nodes: list('node:priority'),
      strict: bool(),
      enabled: bool(),
      problem: text(),
      comment: text(),
    }),
    groups: table({ group: text(), nodes: list('node:priority'), restricted: bool(), failback: bool(), comment: text() }),
  },
  reads: ['/version', '/cluster/ha/status/current', '/cluster/ha/rules', '/cluster/ha/groups', '/cluster/resources'],
  async run(_args, call) {
    const [ha, inventory] = await Promise.all([readHa(call), attempt({}, () => readInventory(call))]);
    const { status, rules, groups, placement } = ha.data;
    const resources = (status?.resources ?? []).map((r) => resourceRow(r, ha.data, inventory.data));
    const managers = status === undefined ? [] : status.managers.map((m) => managerRow(m, status, call.now()));
    const unseen = (status?.resources ?? []).filter((r) => r.node !== undefined && nameKnown(r, inventory.data) === false);
    return {
      headline: headline(status, resources, managers, rules),
      sections: {
        ha: {
          quorum: quorumText(status),
          armed: status?.armedText ?? status?.armed,
          master: masterText(managers),
          placement: placementText(placement, rules),
        },
        resources:
          status === undefined || resources.length === 0
            ? undefined
            : {
                rows: resources,
                // Faulty first, then by number: vm:9 before vm:100.
                key: (row: ResourceRow) => [row.rank, Number(row.sid.split(':')[1]) || 0, row.sid],
              },
        managers: managers.length === 0 ? undefined : managers,
        rules: rules === undefined || rules.length === 0 ? undefined : [...rules].sort(byTrouble).map(ruleRow),
        groups:
          groups === undefined || groups.length === 0
            ? undefined
            : groups.map((g) => ({
                group: g.group,
                nodes: g.nodes,
                restricted: g.restricted,
                failback: !g.noFailback,
                comment: g.comment,
              })),
      },
      gaps: mergeGaps(
        ha,
        inventory,
        ...(inventory.data === undefined ? [] : [offlineGaps(inventory.data, new Set(resources.map((r) => r.node ?? '')))]),
      ),
      notes: unseen.length === 0 ? [] : [`Names are shown of guests only that the token may see: not of ${sids(unseen)}.`],
    };
  },
});

function nameKnown(resource: HaResource, inventory: Inventory | undefined): boolean | undefined {
  if (inventory === undefined || resource.vmid === undefined) return undefined;
  return inventory.guests.some((g) => g.vmid === resource.vmid);
}

function sids(resources: readonly HaResource[]): string {
  const named = resources.slice(0, 8).map((r) => r.sid);
  return named.join(', ') + (resources.length > named.length ? ` and ${resources.length - named.length} more` : '');
}

type ResourceRow = ReturnType<typeof resourceRow>;

function resourceRow(resource: HaResource, { rules, groups }: HaOverview, inventory: Inventory | undefined) {
  const guest = inventory?.guests.find((g) => g.vmid === resource.vmid);
  const problem = resourceProblem(resource, inventory);
  const named = (rules ?? []).filter((r) => r.enabled && r.errors.length === 0 && r.resources.includes(resource.sid));
  // After the migration the group's name stays behind in the resource, without any effect.
  const group = groups !== undefined && resource.group !== undefined ? [resource.group] : [];
  return {
    sid: resource.sid,
    guest: guest?.name,
    state: resource.state,
    wanted: resource.wanted,
    node: resource.node,
    problem,
    placement: [...group, ...named.map((r) => r.rule)],
    max_restart: resource.maxRestart,
    max_relocate: resource.maxRelocate,
    failback: resource.failback,
    comment: resource.comment,
    rank: problem === undefined ? 1 : 0,
  };
}

/** Why somebody should look at a resource; undefined when it is as it should be. */
function resourceProblem(resource: HaResource, inventory: Inventory | undefined): string | undefined {
  const { state, wanted, node } = resource;
  if (state === 'error') return 'in error: left alone until it is disabled and enabled again';
  if (state === 'fence') return 'its node is being fenced';
  if (state === 'recovery') return 'no node found for it yet';
  if (BAD_STATES.has(state)) return `state ${state}`;
  if (node === undefined) return 'no such guest';
  const where = inventory?.nodes.find((n) => n.node === node);
  if (where !== undefined && where.status !== 'online') return `node ${where.status}`;
  if (state === 'ignored' || (wanted !== undefined && WANTED_DOWN.has(wanted))) return undefined;
  // What the manager says and what the guest does can part: somebody shut it down by hand, or it is starting.
  const guest = inventory?.guests.find((g) => g.vmid === resource.vmid);
  if (state === 'started' && guest !== undefined && guest.status !== 'running') return `guest is ${guest.status}`;
  if (state !== 'started' && wanted === 'started') return `not started yet (${state})`;
  return undefined;
}

function managerRow(manager: HaManager, status: HaStatus, nowMs: number) {
  const age = heartbeatAge(manager, status, nowMs);
  return {
    role: manager.role,
    node: manager.node,
    status: manager.status,
    heartbeat_age: age,
    problem:
      age === undefined
        ? 'no sign of life known'
        : age > HEARTBEAT_LIMIT_S
          ? `silent for over ${HEARTBEAT_LIMIT_S} s`
          : undefined,
  };
}

function ruleRow(rule: HaRule) {
  return {
    rule: rule.rule,
    type: rule.type,
    resources: rule.resources,
    affinity: rule.affinity,
    nodes: rule.nodes.length === 0 ? undefined : rule.nodes,
    strict: rule.strict,
    enabled: rule.enabled,
    problem: rule.errors.length === 0 ? undefined : rule.errors.join('; '),
    comment: rule.comment,
  };
}

/** Rules that are not followed first, disabled ones last. */
function byTrouble(a: HaRule, b: HaRule): number {
  const rank = (rule: HaRule) => (rule.errors.length > 0 ? 0 : rule.enabled ? 1 : 2);
  return rank(a) - rank(b) || byText(a.rule, b.rule);
}

function quorumText(status: HaStatus | undefined): string | undefined {
  if (status?.quorate === undefined) return status?.quorumText;
  return status.quorate ? 'yes' : `NO: ${status.quorumText ?? 'the cluster has no quorum'}`;
}

function masterText(managers: readonly ReturnType<typeof managerRow>[]): string | undefined {
  const master = managers.find((m) => m.role === 'master');
  if (master === undefined) return undefined;
  return `${master.node} (${master.problem ?? master.status})`;
}

function placementText(placement: HaOverview['placement'], rules: readonly HaRule[] | undefined): string | undefined {
  if (placement === 'migrated') return 'rules (groups were migrated to rules)';
  if (placement === 'groups') return rules === undefined ? 'groups' : 'groups (not migrated to rules yet)';
  return placement === 'rules' ? 'rules' : undefined;
}

function headline(
  status: HaStatus | undefined,
  resources: readonly ResourceRow[],
  managers: readonly ReturnType<typeof managerRow>[],
  rules: readonly HaRule[] | undefined,
): string {
  if (status === undefined) return 'HA: the current state could not be read, only its configuration';
  const quorum = status.quorate === undefined ? '' : status.quorate ? ', quorum yes' : ', NO QUORUM';
  if (resources.length === 0) return `HA is not used: no guest is managed${quorum}`;
  const faulty = resources.filter((r) => r.problem !== undefined).length;
  const silent = managers.filter((m) => m.problem !== undefined);
  const broken = (rules ?? []).filter((r) => r.enabled && r.errors.length > 0).length;
  return [
    `HA: ${resources.length} managed ${resources.length === 1 ? 'guest' : 'guests'}, ${faulty === 0 ? 'all as wanted' : `${faulty} ${faulty === 1 ? 'needs' : 'need'} attention`}${quorum}`,
    `managers silent: ${silent.length === 0 ? 'none' : silent.map((m) => `${m.role} ${m.node}`).join(', ')}`,
    ...(broken === 0 ? [] : [`${broken} ${broken === 1 ? 'rule' : 'rules'} not followed`]),
  ].join('; ');
}
