import { z } from 'zod';
import { bool, entries, int, list, prose, record, table, text, time } from '../../answer/spec.ts';
import type { Call } from '../../api/call.ts';
import { toApiError } from '../../api/errors.ts';
import { attempt, type Gaps, mergeGaps, NO_GAPS, type Reading } from '../../api/reading.ts';
import { whole } from '../../cluster/attempts.ts';
import {
  type AcmePlugin,
  type MetricServer,
  readAcmeAccounts,
  readAcmeDirectories,
  readAcmePlugins,
  readCustomCpuModels,
  readDatacenterOptions,
  readMetricServerDetails,
  readMetricServers,
  readRealmSyncs,
  readRealms,
  readTotem,
} from '../../cluster/cluster-config.ts';
import { parseCorosyncNodes, parseQDevice } from '../../cluster/cluster-status.ts';
import { fanOut } from '../../cluster/fan-out.ts';
import { readMappings } from '../../cluster/hardware.ts';
import { readNotifications } from '../../cluster/notifications.ts';
import { nameRefused } from '../../cluster/refused.ts';
import { scrubFreeText } from '../../redact/scrub-text.ts';
import { defineTool } from '../define-tool.ts';
import { RIGHTS_READS } from '../rights-reads.ts';

const SECTIONS = [
  'options',
  'corosync',
  'notifications',
  'metrics',
  'realms',
  'mappings',
  'acme',
  'cpu_models',
  'notes',
] as const;
type Section = (typeof SECTIONS)[number];

/** Notes are prose of people: only when asked for by name. */
const USUAL: readonly Section[] = SECTIONS.filter((s) => s !== 'notes');
const MAX_DETAILS = 12;

export const getClusterConfig = defineTool({
  name: 'get_cluster_config',
  title: 'Cluster configuration',
  toolset: 'maintenance',
  description:
    'Datacenter options, corosync, notification targets and matchers, metric servers, realms and syncs, device mappings, ACME, CPU models; never secrets. A section asked for by name has more detail.',
  params: { sections: z.array(z.enum(SECTIONS)).max(10).optional() },
  output: {
    options: entries('datacenter options'),
    corosync: record({
      cluster: text(),
      config_version: int(),
      encrypted: bool(),
      link_mode: text(),
      ip_version: text(),
      links: int(),
      qdevice: text(),
    }),
    members: table({ node: text(), id: int(), votes: int(), links: list('link: address') }),
    targets: table({ target: text(), type: text(), enabled: bool(), place: text(), comment: text() }, 'of notifications'),
    matchers: table(
      { matcher: text(), enabled: bool(), targets: list(), when: text(), comment: text() },
      'which notifications go where',
    ),
    metric_servers: table({ id: text(), type: text(), server: text(), port: int(), enabled: bool(), details: text() }),
    realms: table({ realm: text(), type: text(), default: bool(), tfa: text(), comment: text() }),
    realm_syncs: table({
      id: text(),
      realm: text(),
      schedule: text(),
      enabled: bool(),
      last_run: time(),
      next_run: time(),
      comment: text(),
    }),
    mappings: table({ kind: text(), id: text(), node: text(), path: text(), ids: text(), about: text() }),
    acme: record({ accounts: list(), authorities: list('that the product knows') }),
    acme_plugins: table({ plugin: text(), type: text(), api: text() }),
    cpu_models: table({ model: text(), based_on: text(), flags: text() }, 'put together by administrators'),
    notes: prose(),
  },
  reads: [
    '/cluster/options',
    '/cluster/config/totem',
    '/cluster/config/nodes',
    '/cluster/config/qdevice',
    '/cluster/notifications/targets',
    '/cluster/notifications/matchers',
    '/cluster/notifications/endpoints/sendmail',
    '/cluster/notifications/endpoints/smtp',
    '/cluster/notifications/endpoints/gotify',
    '/cluster/notifications/endpoints/webhook',
    '/cluster/metrics/server',
    '/cluster/metrics/server/{id}',
    '/access/domains',
    '/cluster/jobs/realm-sync',
    '/cluster/mapping/pci',
    '/cluster/mapping/usb',
    '/cluster/mapping/dir',
    '/cluster/acme/account',
    '/cluster/acme/directories',
    '/cluster/acme/plugins',
    '/cluster/qemu/custom-cpu-models',
    '/version',
    ...RIGHTS_READS,
  ],
  async run(args, call) {
    const named = new Set<Section>(args.sections ?? []);
    const wanted = new Set<Section>(named.size === 0 ? USUAL : named);
    const read = <T>(section: Section, reader: () => Promise<Reading<T>>) => (wanted.has(section) ? reader() : NOTHING);
    const [options, corosync, notifications, metrics, realms, syncs, mappings, acme, models] = await Promise.all([
      wanted.has('options') || wanted.has('notes') ? readOptions(call) : NOTHING,
      read('corosync', () => readCorosync(call)),
      read('notifications', () => whereKnown(() => readNotifications(call, named.has('notifications')))),
      read('metrics', () => readMetrics(call, named.has('metrics'))),
      read('realms', () => attempt({}, () => readRealms(call))),
      read('realms', () => whereKnown(() => attempt({}, () => readRealmSyncs(call)))),
      read('mappings', () => whole(() => readMappings(call))),
      read('acme', () => readAcme(call, named.has('acme'))),
      read('cpu_models', () => whereKnown(() => readModels(call))),
    ]);
    const gaps: Gaps = mergeGaps(
      options,
      nameRefused(corosync, 'corosync configuration'),
      nameRefused(notifications, 'notification targets and matchers'),
      nameRefused(metrics, 'metric servers'),
      realms,
      nameRefused(syncs, 'realm syncs'),
      mappings,
      acme,
      models,
    );
    return {
      headline: headline(wanted, gaps),
      sections: {
        options:
          options.data === undefined || !wanted.has('options') ? undefined : Object.fromEntries(options.data.values.entries()),
        corosync: corosync.data === undefined || corosync.data === 'standalone' ? undefined : corosync.data.record,
        members: corosync.data === undefined || corosync.data === 'standalone' ? undefined : corosync.data.members,
        targets: notifications.data?.targets.map((t) => ({
          target: t.name,
          type: t.type,
          enabled: t.enabled,
          place: t.place,
          comment: t.comment,
        })),
        matchers: notifications.data?.matchers.map((m) => ({
          matcher: m.name,
          enabled: m.enabled,
          targets: m.targets,
          when: matcherText(m),
          comment: m.comment,
        })),
        metric_servers: metrics.data?.map((m) => ({ ...m })),
        realms: realms.data?.map((r) => ({
          realm: r.realm,
          type: r.type,
          default: r.isDefault ? true : undefined,
          tfa: r.tfa,
          comment: r.comment,
        })),
        realm_syncs: syncs.data?.map((s) => ({
          id: s.id,
          realm: s.realm,
          schedule: s.schedule,
          enabled: s.enabled,
          last_run: s.lastRun,
          next_run: s.nextRun,
          comment: s.comment,
        })),
        mappings: mappings.data?.map((m) => ({ ...m })),
        acme:
          acme.data?.accounts === undefined ? undefined : { accounts: acme.data.accounts, authorities: acme.data.authorities },
        acme_plugins: acme.data?.plugins?.map((p) => ({ plugin: p.id, type: p.type, api: p.api })),
        cpu_models: models.data?.map((m) => ({ model: m.name, based_on: m.basedOn, flags: m.flags })),
        notes: options.data === undefined || !wanted.has('notes') ? undefined : scrubFreeText(options.data.notes ?? '').text,
      },
      gaps,
      notes: corosync.data === 'standalone' ? ['This node stands alone: there is no cluster, so no corosync configuration.'] : [],
    };
  },
});

const NOTHING = { data: undefined, ...NO_GAPS };

/** Only what the web interface needs is answered to a token without the right; the rest is left out silently. */
async function readOptions(call: Call) {
  const [options, may] = await Promise.all([
    attempt({}, () => readDatacenterOptions(call)),
    attempt({}, () => call.rights.has('Sys.Audit', '/')),
  ]);
  const gaps = mergeGaps(options, may);
  if (may.data !== false) return { data: options.data, ...gaps };
  const hidden: Gaps = {
    ...NO_GAPS,
    coverage: 'partial',
    hidden: [{ what: 'most datacenter options', privilege: 'Sys.Audit', path: '/' }],
  };
  return { data: options.data, ...mergeGaps(gaps, hidden) };
}

interface Corosync {
  readonly record: {
    readonly cluster: string | undefined;
    readonly config_version: number | undefined;
    readonly encrypted: boolean | undefined;
    readonly link_mode: string | undefined;
    readonly ip_version: string | undefined;
    readonly links: number | undefined;
    readonly qdevice: string | undefined;
  };
  readonly members: readonly {
    readonly node: string;
    readonly id: number | undefined;
    readonly votes: number;
    readonly links: readonly string[];
  }[];
}

/** A node that stands alone has no such configuration: that is a state. */
async function readCorosync(call: Call): Promise<Reading<Corosync | 'standalone' | undefined>> {
  let alone = false;
  const reading = await attempt({}, async () => {
    try {
      const [totem, nodes, qdevice] = await Promise.all([
        readTotem(call),
        call.get('/cluster/config/nodes', {}),
        call.get('/cluster/config/qdevice', {}),
      ]);
      return { totem, nodes: parseCorosyncNodes(nodes.data), device: parseQDevice(qdevice.data) };
    } catch (thrown) {
      if (toApiError(thrown).kind !== 'not-configured') throw thrown;
      alone = true;
      return undefined;
    }
  });
  if (alone) return { data: 'standalone', ...NO_GAPS };
  if (reading.data === undefined) return { ...reading, data: undefined };
  const { totem, nodes, device } = reading.data;
  const parts = [device?.state, device?.algorithm, device?.host].filter((p) => p !== undefined);
  return {
    ...NO_GAPS,
    data: {
      record: {
        cluster: totem.clusterName,
        config_version: totem.configVersion,
        encrypted: totem.encrypted,
        link_mode: totem.linkMode,
        ip_version: totem.ipVersion,
        links: totem.links.length === 0 ? undefined : totem.links.length,
        qdevice: device === undefined ? 'none' : parts.join(', '),
      },
      members: nodes.map((n) => ({
        node: n.node,
        id: n.nodeId,
        votes: n.votes,
        links: [...n.links].sort(([a], [b]) => a - b).map(([link, address]) => `${link}: ${address}`),
      })),
    },
  };
}

async function readMetrics(call: Call, details: boolean): Promise<Reading<readonly MetricServer[] | undefined>> {
  const servers = await attempt({}, () => readMetricServers(call));
  if (servers.data === undefined || !details) return servers;
  const out = await fanOut(
    call,
    servers.data.slice(0, MAX_DETAILS),
    () => ({}),
    (s) => readMetricServerDetails(call, s.id),
  );
  const found = new Map(out.results.map((r) => [r.item.id, r.data]));
  return { data: servers.data.map((s) => ({ ...s, details: found.get(s.id) })), ...mergeGaps(servers, out.gaps) };
}

interface Acme {
  readonly accounts: readonly string[] | undefined;
  /** Only when ACME was asked for by name. */
  readonly authorities: readonly string[] | undefined;
  readonly plugins: readonly AcmePlugin[] | undefined;
}

/** The plugins need a right that also changes things, so they are not asked for without it. */
async function readAcme(call: Call, detailed: boolean): Promise<Reading<Acme>> {
  const [accounts, directories, may] = await Promise.all([
    attempt({}, () => readAcmeAccounts(call)),
    detailed ? attempt({}, () => readAcmeDirectories(call)) : NOTHING,
    attempt({}, () => call.rights.has('Sys.Modify', '/')),
  ]);
  if (may.data !== true) {
    const hidden: Gaps = {
      ...NO_GAPS,
      coverage: 'partial',
      hidden: [{ what: 'ACME plugins', privilege: 'Sys.Modify', path: '/' }],
    };
    return {
      data: { accounts: accounts.data, authorities: directories.data, plugins: undefined },
      ...mergeGaps(accounts, directories, may, hidden),
    };
  }
  const plugins = await attempt({}, () => readAcmePlugins(call));
  return {
    data: { accounts: accounts.data, authorities: directories.data, plugins: plugins.data },
    ...mergeGaps(accounts, directories, may, plugins),
  };
}

async function readModels(call: Call) {
  const [models, coverage] = await Promise.all([
    attempt({}, () => readCustomCpuModels(call)),
    call.rights.over({ privilege: 'Mapping.Audit', under: '/mapping/cpu', what: 'CPU models' }),
  ]);
  return { data: models.data, ...mergeGaps(models, coverage) };
}

/** What a release does not have is not missing. */
async function whereKnown<T>(read: () => Promise<Reading<T | undefined>>): Promise<Reading<T | undefined>> {
  const reading = await read();
  const unknown = reading.problems.length > 0 && reading.problems.every((p) => p.kind === 'unsupported-by-this-release');
  return unknown ? NOTHING : reading;
}

function matcherText(m: { readonly conditions: readonly string[]; readonly mode: string; readonly inverted: boolean }): string {
  const joined = m.conditions.length === 0 ? 'everything' : m.conditions.join(m.mode === 'any' ? ' or ' : ' and ');
  return m.inverted ? `not (${joined})` : joined;
}

function headline(wanted: ReadonlySet<Section>, gaps: Gaps): string {
  const missing = gaps.problems.length > 0 || gaps.hidden.length > 0 ? ', as far as this token sees it' : '';
  return `Cluster configuration: ${SECTIONS.filter((s) => wanted.has(s)).join(', ')}${missing}`;
}
