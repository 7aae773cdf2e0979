import { DemoHttpError, type HandlerRequest, type HandlerTable } from '../types.ts';
import type { MetricServer, Row } from '../world/area-types.ts';
import { digestOf } from '../world/digests.ts';
import { localOffset } from '../world/nights.ts';
import type { DemoGuest, DemoWorld } from '../world/types.ts';
import { badParameter, ctime, directory, isNine, isSet, parameter, seconds } from './answers.ts';
import { nextEvents } from './calendar-event.ts';
import { isKnown, uptimeOf } from './guest-lookup.ts';

/** Datacenter options, corosync, metric servers, scheduled jobs, ACME and CPU models. */
export function clusterConfigHandlers(world: DemoWorld): HandlerTable {
  return {
    '/cluster/options': (request) => datacenterOptions(world, request),
    ...corosyncHandlers(world),
    ...metricHandlers(world),
    ...jobHandlers(world),
    ...acmeHandlers(world),
    ...cpuModelHandlers(world),
  };
}

/** Without Sys.Audit on / only what a user needs for the web interface is shown. */
function datacenterOptions(world: DemoWorld, request: HandlerRequest): Row {
  const { options, registeredTags, userTags } = world.areas.config;
  const audit = request.may('/', 'Sys.Audit');
  const visible = [...world.guests.values()].filter((guest) => request.may(`/vms/${guest.vmid}`, 'VM.Audit'));
  const used = visible.flatMap((guest) => guest.tags?.split(/[;, ]/) ?? []).filter((tag) => tag !== '');
  const allowed = [...new Set([...userTags, ...(audit ? registeredTags : []), ...used])].sort();
  const tags = request.release === '7.4' ? {} : { 'allowed-tags': allowed };
  if (audit) return { ...options, ...tags };
  const { console, 'tag-style': tagStyle } = options;
  return { ...tags, console, 'tag-style': tagStyle };
}

function corosyncHandlers(world: DemoWorld): HandlerTable {
  const { corosync } = world.areas.config;
  const configured = () => {
    if (corosync !== undefined) return corosync;
    throw new DemoHttpError(
      500,
      "Error: Corosync config '/etc/pve/corosync.conf' does not exist - is this node part of a cluster?",
    );
  };
  return {
    '/cluster/config': directory('name', ['nodes', 'totem', 'join', 'qdevice', 'apiversion']),
    '/cluster/config/apiversion': () => '1',
    '/cluster/config/nodes': () => configured().nodes.map((node) => ({ ...node, node: node.name })),
    '/cluster/config/totem': () => configured().totem,
    '/cluster/config/qdevice': () => {
      configured();
      return {};
    },
    '/cluster/config/join': (request) => {
      if (corosync === undefined) throw new DemoHttpError(424, 'node is not in a cluster, no join info available!');
      const local = world.nodes.find((node) => node.local)?.node;
      return {
        config_digest: digestOf(corosync),
        nodelist: world.nodes.map((node) => ({
          ...corosync.nodes.find((row) => row.name === node.node),
          pve_addr: node.ip,
          pve_fp: node.fingerprint,
        })),
        preferred_node: request.query.node ?? local,
        totem: corosync.totem,
      };
    },
  };
}

function metricHandlers(world: DemoWorld): HandlerTable {
  const { metricServers } = world.areas.config;
  const listed = ({ id, type, section }: MetricServer): Row => {
    const { disable, port, server } = section;
    return { ...(disable === undefined ? {} : { disable }), id, port, server, type };
  };
  return {
    '/cluster/metrics': (request) => directory('name', request.release === '7.4' ? ['server'] : ['server', 'export'])(request),
    '/cluster/metrics/server': () => metricServers.map(listed),
    '/cluster/metrics/server/{id}': (request) => {
      const id = parameter(request, 'id');
      const found = metricServers.find((server) => server.id === id);
      if (found === undefined) throw new DemoHttpError(500, `status server entry '${id}' does not exist`);
      return { ...found.section, type: found.type };
    },
    '/cluster/metrics/export': (request) => ({ data: exportMetrics(world, request) }),
  };
}

interface Metric {
  readonly id: string;
  readonly metric: string;
  readonly timestamp: number;
  readonly type: 'gauge' | 'derive';
  readonly value: number;
}

/** The newest sample of every node, guest and storage; with `history`, of the last half hour. */
function exportMetrics(world: DemoWorld, request: HandlerRequest): Metric[] {
  const now = seconds(request);
  const newest = now - (now % 10);
  const since = Number(request.query['start-time'] ?? 0);
  const times = isSet(request, 'history')
    ? Array.from({ length: 180 }, (_, index) => newest - index * 10).filter((time) => time >= since)
    : [newest];
  const wanted = request.query['node-list']?.split(/[,;\s]+/);
  const nodes = world.nodes
    .filter((node) => node.online)
    .filter((node) => (isSet(request, 'local-only') ? node.local : wanted === undefined || wanted.includes(node.node)));
  return times.flatMap((timestamp) =>
    nodes.flatMap((node) => {
      const sample = (id: string, type: Metric['type'], values: Readonly<Record<string, number>>): Metric[] =>
        Object.entries(values).map(([metric, value]) => ({ id, metric, timestamp, type, value }));
      const storages = world.storages
        .filter((storage) => !storage.disabled && storage.use(node.node).active)
        .flatMap((storage) => {
          const { total, used } = storage.use(node.node);
          return sample(`storage/${node.node}/${storage.storage}`, 'gauge', { disk_total: total, disk_used: used });
        });
      return [
        ...sample(`node/${node.node}`, 'gauge', {
          uptime: timestamp - node.bootedAt,
          cpu_avg1: node.loadavg[0],
          cpu_avg5: node.loadavg[1],
          cpu_avg15: node.loadavg[2],
          cpu_max: node.maxcpu,
          cpu_current: node.cpu,
          cpu_iowait: node.iowait,
          mem_total: node.maxmem,
          mem_used: node.mem,
          swap_total: node.swapTotal,
          swap_used: node.swapUsed,
          disk_total: node.maxdisk,
          disk_used: node.disk,
        }),
        ...world.guestsOn(node.node).flatMap((guest) => guestMetrics(world, guest, timestamp, sample)),
        ...storages,
      ];
    }),
  );
}

type Sample = (id: string, type: Metric['type'], values: Readonly<Record<string, number>>) => Metric[];

function guestMetrics(world: DemoWorld, guest: DemoGuest, timestamp: number, sample: Sample): Metric[] {
  if (guest.template || !isKnown(world, guest)) return [];
  const id = `${guest.type}/${guest.vmid}`;
  const fixed = sample(id, 'gauge', {
    uptime: uptimeOf(guest, timestamp),
    cpu_max: guest.cpus,
    mem_total: guest.maxmem,
    disk_total: guest.maxdisk,
  });
  if (guest.power !== 'running') return fixed;
  return [
    ...sample(id, 'gauge', { cpu_current: guest.cpu, mem_used: guest.mem }),
    ...sample(id, 'derive', {
      disk_read: guest.diskread,
      disk_write: guest.diskwrite,
      net_in: guest.netin,
      net_out: guest.netout,
    }),
    ...fixed,
  ];
}

function jobHandlers(world: DemoWorld): HandlerTable {
  const { realmSyncJobs } = world.areas.config;
  return {
    '/cluster/jobs': (request) =>
      directory('subdir', request.release === '7.4' ? ['schedule-analyze'] : ['schedule-analyze', 'realm-sync'])(request),
    '/cluster/jobs/realm-sync': (request) =>
      realmSyncJobs.map((job) => ({
        ...job,
        'last-run': null,
        'next-run': nextEvents(String(job.schedule), seconds(request), 1, localOffset)?.[0] ?? null,
      })),
    '/cluster/jobs/realm-sync/{id}': (request) => {
      const id = parameter(request, 'id');
      const found = realmSyncJobs.find((job) => job.id === id);
      if (found === undefined) throw badParameter('id', 'No such job.');
      const { id: _inThePath, ...rest } = found;
      return rest;
    },
    '/cluster/jobs/schedule-analyze': (request) => {
      const schedule = parameter(request, 'schedule');
      const start = Number(request.query.starttime ?? seconds(request));
      const times = nextEvents(schedule, start, Number(request.query.iterations ?? 10), localOffset);
      if (times === undefined) {
        throw badParameter(
          'schedule',
          `invalid format - invalid calendar event '${schedule}' - unable to parse calendar event: invalid\n\n`,
        );
      }
      return times.map((timestamp) => ({ timestamp, utc: ctime(timestamp) }));
    },
  };
}

function acmeHandlers(world: DemoWorld): HandlerTable {
  const { accounts, plugins } = world.areas.config.acme;
  const digest = digestOf(plugins);
  return {
    '/cluster/acme': (request) =>
      directory('name', [
        'account',
        'tos',
        ...(request.release === '7.4' ? [] : ['meta']),
        'directories',
        'plugins',
        'challenge-schema',
      ])(request),
    '/cluster/acme/account': () => accounts.map((name) => ({ name })),
    '/cluster/acme/directories': () => [
      { name: "Let's Encrypt V2", url: 'https://acme-v02.api.letsencrypt.org/directory' },
      { name: "Let's Encrypt V2 Staging", url: 'https://acme-staging-v02.api.letsencrypt.org/directory' },
    ],
    '/cluster/acme/challenge-schema': () => [
      { id: 'cf', name: 'Cloudflare Managed DNS', schema: { fields: { CF_Account_ID: {}, CF_Token: {} } }, type: 'dns' },
      { id: 'standalone', name: 'standalone', schema: {}, type: 'standalone' },
    ],
    '/cluster/acme/plugins': (request) =>
      plugins
        .filter((plugin) => request.query.type === undefined || plugin.type === request.query.type)
        .map((plugin) => ({ ...plugin, digest })),
    '/cluster/acme/plugins/{id}': (request) => {
      const id = parameter(request, 'id');
      const found = plugins.find((plugin) => plugin.plugin === id);
      if (found === undefined) throw new DemoHttpError(500, `ACME plugin '${id}' not defined`);
      return { ...found, digest };
    },
  };
}

function cpuModelHandlers(world: DemoWorld): HandlerTable {
  const { cpuModels } = world.areas.config;
  const digest = digestOf(cpuModels);
  const bare = (name: string) => name.replace(/^custom-/, '');
  return {
    '/cluster/qemu': directory('name', ['cpu-flags', 'custom-cpu-models']),
    '/cluster/qemu/custom-cpu-models': (request) =>
      cpuModels
        .filter((model) =>
          request.may(`/mapping/cpu/${bare(String(model.cputype))}`, 'Mapping.Audit', 'Mapping.Use', 'Mapping.Modify'),
        )
        .map((model) => ({ ...model, digest })),
    '/cluster/qemu/custom-cpu-models/{cputype}': (request) => {
      const wanted = bare(parameter(request, 'cputype'));
      const found = cpuModels.find((model) => bare(String(model.cputype)) === wanted);
      if (found === undefined) throw new DemoHttpError(500, `custom cpu model 'custom-${wanted}' not found`);
      const { hidden: _defaultIsLeftOut, ...rest } = found;
      return { ...rest, digest };
    },
    '/cluster/qemu/cpu-flags': (request) => cpuFlags(world, isNine(request)),
  };
}

/** CPU flags that guests may be given, and the nodes that have them. */
export function cpuFlags(world: DemoWorld, withNodes: boolean): Row[] {
  const online = world.nodes.filter((node) => node.online);
  const vendor = (name: string) => online.filter((node) => node.cpuModel.startsWith(name)).map((node) => node.node);
  const all = online.map((node) => node.node);
  const flags: [name: string, description: string, nodes: string[]][] = [
    ['nested-virt', 'Nested virtualization: svm on AMD, vmx on Intel.', all],
    ['spec-ctrl', 'Spectre mitigation on Intel CPUs.', vendor('Intel')],
    ['ibpb', 'Spectre mitigation on AMD CPUs.', vendor('AMD')],
    ['pdpe1gb', 'Pages of 1 GB in the guest.', all],
    ['aes', 'AES instructions.', all],
  ];
  return flags.map(([name, description, nodes]) => ({ description, name, ...(withNodes ? { 'supported-on': nodes } : {}) }));
}
