import { DemoHttpError, type HandlerRequest, type HandlerTable } from '../types.ts';
import type { HaArea, HaGroup, HaResource, HaRule, LrmState, Row } from '../world/area-types.ts';
import { digestOf } from '../world/digests.ts';
import type { DemoWorld } from '../world/types.ts';
import { ctime, directory, isNine, isQuorate, parameter, seconds } from './answers.ts';

/** A sign of life older than this is taken for death. */
const DEAD_AFTER = 120;
const MIGRATED = 'ha groups have been migrated to rules';

/** HA resources, groups or rules, and the state of the managers. */
export function haHandlers(world: DemoWorld): HandlerTable {
  const { ha } = world.areas;
  const indexNine = ['status', 'resources', 'groups', 'rules'];
  return {
    '/cluster/ha': (request) => (isNine(request) ? indexNine : indexNine.slice(0, 3)).map((id) => ({ id })),
    '/cluster/ha/status': (request) =>
      directory('name', ['current', 'manager_status', ...(request.release === '9.2.11' ? ['disarm-ha', 'arm-ha'] : [])])(request),

    '/cluster/ha/resources': (request) =>
      ha.resources
        .filter((resource) => request.query.type === undefined || resource.type === request.query.type)
        .map((resource) => resourceRow(ha, resource, request)),
    '/cluster/ha/resources/{sid}': (request) => {
      const wanted = parameter(request, 'sid');
      const found = ha.resources.find((resource) => resource.sid === wanted || String(resource.vmid) === wanted);
      if (found === undefined) throw new DemoHttpError(500, `no such resource '${wanted}'`);
      return resourceRow(ha, found, request);
    },

    '/cluster/ha/groups': (request) => {
      if (isNine(request)) throw new DemoHttpError(500, `cannot index groups: ${MIGRATED}`);
      return ha.groups.map((group) => groupRow(ha, group));
    },
    '/cluster/ha/groups/{group}': (request) => {
      if (isNine(request)) throw new DemoHttpError(500, `cannot read group: ${MIGRATED}`);
      const wanted = parameter(request, 'group');
      const found = ha.groups.find((group) => group.group === wanted);
      if (found === undefined) throw new DemoHttpError(500, `no such ha group '${wanted}'`);
      return groupRow(ha, found);
    },

    '/cluster/ha/rules': (request) => {
      const { resource, type } = request.query;
      return ha.rules
        .map((rule, index) => ({ rule, row: ruleRow(ha, rule, index) }))
        .filter(
          ({ rule }) =>
            (type === undefined || rule.type === type) && (resource === undefined || rule.resources.includes(resource)),
        )
        .map(({ row }) => row);
    },
    '/cluster/ha/rules/{rule}': (request) => {
      const wanted = parameter(request, 'rule');
      const index = ha.rules.findIndex((rule) => rule.rule === wanted);
      const found = ha.rules[index];
      if (found === undefined) throw new DemoHttpError(500, `no such ha rule '${wanted}'`);
      return ruleRow(ha, found, index);
    },

    '/cluster/ha/status/current': (request) => currentStatus(world, request),
    '/cluster/ha/status/manager_status': (request) => managerStatus(world, request),
  };
}

function resourceRow(ha: HaArea, resource: HaResource, request: HandlerRequest): Row {
  const { sid, type, comment, group, failback, maxRelocate, maxRestart } = resource;
  return {
    ...(comment === undefined ? {} : { comment }),
    digest: digestOf(ha.resources),
    ...(isNine(request) && failback !== undefined ? { failback } : {}),
    ...(!isNine(request) && group !== undefined ? { group } : {}),
    ...(maxRelocate === undefined ? {} : { max_relocate: maxRelocate }),
    ...(maxRestart === undefined ? {} : { max_restart: maxRestart }),
    sid,
    state: resource.request,
    type,
  };
}

function groupRow(ha: HaArea, group: HaGroup): Row {
  return { ...group, digest: digestOf(ha.groups), type: 'group' };
}

function ruleRow(ha: HaArea, rule: HaRule, index: number): Row {
  return { ...rule, digest: digestOf(ha.rules), order: index + 1, resources: rule.resources.join(',') };
}

/** Managers write every few seconds. */
function lastSeen(lrm: LrmState, request: HandlerRequest): number {
  return lrm.lastSeen ?? seconds(request) - 3;
}

function lrmText(lrm: LrmState, request: HandlerRequest): string {
  const timestamp = lastSeen(lrm, request);
  const alive = seconds(request) - timestamp <= DEAD_AFTER;
  const state = !alive ? 'old timestamp - dead?' : lrm.state === 'active' ? 'active' : 'idle';
  const watchdog = request.release === '9.2.11' ? `, watchdog ${state === 'active' ? 'active' : 'standby'}` : '';
  return `${lrm.node} (${state}${watchdog}, ${ctime(timestamp)})`;
}

function currentStatus(world: DemoWorld, request: HandlerRequest): Row[] {
  const { ha } = world.areas;
  const local = world.nodes.find((node) => node.local)?.node ?? ha.master;
  const quorate = isQuorate(world);
  const quorum = {
    id: 'quorum',
    node: local,
    quorate: quorate ? 1 : 0,
    status: quorate ? 'OK' : 'No quorum on node!',
    type: 'quorum',
  };
  if (!ha.used) return [quorum];
  const timestamp = seconds(request) - 2;
  const crs = world.areas.config.options.crs === undefined || request.release === '7.4' ? '' : ' - static load CRS';
  return [
    quorum,
    {
      id: 'master',
      node: ha.master,
      status: `${ha.master} (active, ${ctime(timestamp)})${request.release === '9.2.11' ? crs : ''}`,
      timestamp,
      type: 'master',
    },
    ...(request.release === '9.2.11'
      ? [{ 'armed-state': 'armed', id: 'fencing', node: ha.master, status: 'armed (CRM watchdog active)', type: 'fencing' }]
      : []),
    ...ha.lrms.map((lrm) => ({
      id: `lrm:${lrm.node}`,
      node: lrm.node,
      status: lrmText(lrm, request),
      timestamp: lastSeen(lrm, request),
      type: 'lrm',
    })),
    ...ha.resources.map((resource) => serviceRow(resource, request)),
  ];
}

function serviceRow(resource: HaResource, request: HandlerRequest): Row {
  const { sid, node, comment, group, state } = resource;
  return {
    ...(comment === undefined ? {} : { comment }),
    ...(node === null ? {} : { crm_state: state }),
    ...(isNine(request) ? { failback: resource.failback ?? 1 } : {}),
    ...(!isNine(request) && group !== undefined ? { group } : {}),
    id: `service:${sid}`,
    max_relocate: resource.maxRelocate ?? 1,
    max_restart: resource.maxRestart ?? 1,
    node,
    request_state: resource.request,
    sid,
    state,
    status: `${sid} (${node ?? '---'}, ${state})`,
    type: 'service',
  };
}

function managerStatus(world: DemoWorld, request: HandlerRequest): Row {
  const { ha } = world.areas;
  const local = world.nodes.find((node) => node.local)?.node ?? ha.master;
  const quorum = { node: local, quorate: isQuorate(world) ? '1' : '0' };
  if (!ha.used) return { lrm_status: {}, manager_status: {}, quorum };
  const managed = ha.resources.filter((resource) => resource.node !== null);
  return {
    lrm_status: Object.fromEntries(
      ha.lrms.map((lrm) => [lrm.node, { mode: 'active', results: {}, state: lrm.state, timestamp: lastSeen(lrm, request) }]),
    ),
    manager_status: {
      master_node: ha.master,
      node_status: Object.fromEntries(world.nodes.map((node) => [node.node, node.online ? 'online' : 'fence'])),
      service_status: Object.fromEntries(
        managed.map(({ sid, node, state }) => [
          sid,
          { node, ...(state === 'started' ? { running: 1 } : {}), state, uid: digestOf(sid).slice(0, 22) },
        ]),
      ),
      timestamp: seconds(request) - 2,
    },
    quorum,
  };
}
