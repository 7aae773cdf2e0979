import { DemoHttpError, type HandlerRequest, type HandlerTable } from '../types.ts';
import type { NotificationEndpoint, Row } from '../world/area-types.ts';
import { longDigestOf } from '../world/digests.ts';
import type { DemoWorld } from '../world/types.ts';
import { directory, parameter } from './answers.ts';

const KINDS: readonly NotificationEndpoint['type'][] = ['gotify', 'sendmail', 'smtp', 'webhook'];

/** Notification targets and matchers (8.1 and later); stored secrets are never part of an answer, headers are. */
export function notificationsHandlers(world: DemoWorld): HandlerTable {
  const { endpoints, matchers } = world.areas.config;
  const digest = longDigestOf([endpoints, matchers]);
  const one = <T extends { readonly name: string; readonly section: Row }>(
    request: HandlerRequest,
    rows: readonly T[],
    what: string,
  ): Row => {
    const name = parameter(request, 'name');
    const found = rows.find((row) => row.name === name);
    if (found === undefined) throw new DemoHttpError(404, `${what} '${name}' not found`);
    return { ...found.section, digest, name };
  };
  const table: Record<string, HandlerTable[string]> = {
    '/cluster/notifications': directory('name', ['endpoints', 'matchers', 'targets', 'matcher-fields', 'matcher-field-values']),
    '/cluster/notifications/endpoints': (request) =>
      KINDS.filter((kind) => kind !== 'webhook' || hasWebhooks(request)).map((name) => ({ name })),
    '/cluster/notifications/matchers': () => matchers.map(({ name, section }) => ({ ...section, name })),
    '/cluster/notifications/matchers/{name}': (request) => one(request, matchers, 'matcher'),
    '/cluster/notifications/targets': () =>
      [...endpoints]
        .sort((left, right) => KINDS.indexOf(left.type) - KINDS.indexOf(right.type))
        .map(({ name, type, section }) => ({
          ...(section.comment === undefined ? {} : { comment: section.comment }),
          ...(section.disable === undefined ? {} : { disable: section.disable }),
          name,
          origin: section.origin,
          type,
        })),
    '/cluster/notifications/matcher-fields': directory('name', ['type', 'hostname', 'job-id']),
    '/cluster/notifications/matcher-field-values': () => fieldValues(world),
  };
  for (const kind of KINDS) {
    const own = endpoints.filter((endpoint) => endpoint.type === kind);
    table[`/cluster/notifications/endpoints/${kind}`] = () => own.map(({ name, section }) => ({ ...section, name }));
    table[`/cluster/notifications/endpoints/${kind}/{name}`] = (request) => one(request, own, 'endpoint');
  }
  return table;
}

/** Webhooks came with 8.3; every release here that has notifications has them. */
function hasWebhooks(request: HandlerRequest): boolean {
  return request.release !== '7.4';
}

function fieldValues(world: DemoWorld): Row[] {
  const types = ['package-updates', 'fencing', 'replication', 'vzdump', 'system-mail'];
  const backups = world.backupJobs.map((job) => ({ comment: job.options.comment ?? null, field: 'job-id', value: job.id }));
  const copies = world.areas.replication.jobs.map((job) => ({ comment: job.comment ?? null, field: 'job-id', value: job.id }));
  return [
    ...types.map((value) => ({ field: 'type', value })),
    ...backups,
    ...copies,
    ...world.nodes.map((node) => ({ field: 'hostname', value: node.node })),
  ];
}
