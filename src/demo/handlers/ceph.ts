import { DemoHttpError, type HandlerRequest, type HandlerTable } from '../types.ts';
import type { CephArea, CephOsd, CephPool, Row } from '../world/area-types.ts';
import type { DemoWorld } from '../world/types.ts';
import { directory, isNine, logPage, missingLog, nodeOf, parameter } from './answers.ts';

const COMMIT = 'c92aebb279828e9c3c1f5d24613efca272649e62';

/** Throws what a node without a working Ceph answers. */
function required(ceph: CephArea): CephArea {
  if (ceph.state === 'absent') throw new DemoHttpError(500, 'binary not installed: /usr/bin/ceph-mon');
  if (ceph.state === 'bare') throw new DemoHttpError(500, 'pveceph configuration not initialized');
  return ceph;
}

function versionText(version: string): string {
  return `ceph version ${version} (${COMMIT}) squid (stable)`;
}

/** Ceph as the cluster and its nodes see it; truth values are JSON booleans where Ceph itself wrote them. */
export function cephHandlers(world: DemoWorld): HandlerTable {
  const area = world.areas.ceph;
  const ready = () => required(area);
  /** Checks node and state, then answers. */
  const onNode =
    (answer: (ceph: CephArea, request: HandlerRequest) => unknown) =>
    (request: HandlerRequest): unknown => {
      nodeOf(world, request);
      return answer(ready(), request);
    };
  const configRaw = onNode((ceph) => ceph.conf);
  const configDb = onNode((ceph) => ceph.configDb);
  const poolList = onNode((ceph) => ceph.pools.map((pool) => poolRow(pool)));
  const poolStatus = onNode((ceph, request) => {
    const name = parameter(request, 'name');
    const pool = ceph.pools.find((candidate) => candidate.name === name);
    if (pool === undefined) throw new DemoHttpError(500, `mon_command failed - error parsing pool name`);
    return poolDetail(pool);
  });
  return {
    '/cluster/ceph': (request) =>
      directory('name', ['flags', 'metadata', ...(request.release === '9.2.11' ? ['restart-bulk'] : []), 'status'])(request),
    '/cluster/ceph/status': () => status(world, ready()),
    '/cluster/ceph/metadata': () => metadata(world, ready()),
    '/cluster/ceph/flags': () => ready().flags,
    '/cluster/ceph/flags/{flag}': (request) => {
      const name = parameter(request, 'flag');
      return ready().flags.find((flag) => flag.name === name)?.value ?? 0;
    },

    '/nodes/{node}/ceph': directory('name', [
      'cmd-safety',
      'cfg',
      'crush',
      'fs',
      'init',
      'log',
      'mds',
      'mgr',
      'mon',
      'osd',
      'pool',
      'restart',
      'rules',
      'start',
      'status',
      'stop',
    ]),
    '/nodes/{node}/ceph/status': onNode((ceph) => status(world, ceph)),
    '/nodes/{node}/ceph/cfg': (request) =>
      directory('name', request.release === '7.4' ? ['raw', 'db'] : ['raw', 'db', 'value'])(request),
    '/nodes/{node}/ceph/cfg/raw': configRaw,
    '/nodes/{node}/ceph/config': configRaw,
    '/nodes/{node}/ceph/cfg/db': configDb,
    '/nodes/{node}/ceph/configdb': configDb,
    '/nodes/{node}/ceph/cfg/value': onNode((ceph, request) => configValues(ceph, parameter(request, 'config-keys'))),
    '/nodes/{node}/ceph/crush': onNode((ceph) => crushMap(ceph)),
    '/nodes/{node}/ceph/rules': onNode(() => [{ name: 'replicated_rule' }, { name: 'nvme-only' }]),
    '/nodes/{node}/ceph/releases': onNode(() => [
      { available: 0, 'is-default': 0, release: 'reef', unsupported: 0, version: '18.2' },
      { available: 1, 'is-default': 1, release: 'squid', unsupported: 0, version: '19.2' },
      { available: 1, 'is-default': 0, release: 'tentacle', unsupported: 0, version: '20.2' },
    ]),
    '/nodes/{node}/ceph/cmd-safety': onNode((ceph, request) => {
      const { service, id } = request.query;
      const osd = service === 'osd' ? ceph.osds.find((candidate) => String(candidate.id) === id) : undefined;
      // With one OSD down already, stopping another one leaves groups below their minimal size.
      if (osd?.up === true)
        return { safe: false, status: '41 PGs are already too degraded, would become too degraded or might become unavailable' };
      return { safe: true };
    }),
    '/nodes/{node}/ceph/log': (request) => {
      const { node } = nodeOf(world, request);
      const ceph = ready();
      return ceph.monitors.includes(node) ? logPage(ceph.log, request) : missingLog();
    },

    '/nodes/{node}/ceph/mon': onNode((ceph) =>
      ceph.monitors.map((name, rank) => ({ addr: `${ipOf(world, name)}:6789/0`, name, quorum: 1, rank, state: 'running' })),
    ),
    '/nodes/{node}/ceph/mgr': onNode((ceph) =>
      ceph.monitors.map((name, index) => ({ name, state: index === 0 ? 'active' : 'standby' })),
    ),
    '/nodes/{node}/ceph/mds': onNode((ceph) =>
      ceph.monitors.map((name, index) => ({
        addr: `${ipOf(world, name)}:6800/1`,
        ...(index === 0 ? { fs_name: ceph.fileSystem } : {}),
        name,
        rank: index === 0 ? 0 : -1,
        standby_replay: false,
        state: index === 0 ? 'up:active' : 'up:standby',
      })),
    ),
    '/nodes/{node}/ceph/fs': onNode((ceph, request) => [
      {
        data_pool: 'cephfs_data',
        ...(isNine(request) ? { data_pool_ids: [4], data_pools: ['cephfs_data'], metadata_pool_id: 3 } : {}),
        metadata_pool: 'cephfs_metadata',
        name: ceph.fileSystem,
      },
    ]),

    '/nodes/{node}/ceph/osd': onNode((ceph) => osdTree(ceph)),
    '/nodes/{node}/ceph/osd/{osdid}': directory('name', ['metadata', 'lv-info']),
    '/nodes/{node}/ceph/osd/{osdid}/metadata': onNode((ceph, request) => osdMetadata(world, osdOf(ceph, request))),
    '/nodes/{node}/ceph/osd/{osdid}/lv-info': onNode((ceph, request) => {
      const osd = osdOf(ceph, request);
      const { node } = nodeOf(world, request);
      if (osd.node !== node) {
        throw new DemoHttpError(
          500,
          `OSD '${osd.id}' not found in 'ceph-volume lvm list' on node '${node}'.\nMaybe it was created before LVM became the default?`,
        );
      }
      return {
        creation_time: '2025-03-02 10:11:12.000000000 +0100',
        lv_name: `osd-block-${osd.id}`,
        lv_path: `/dev/ceph-vg${osd.id}/osd-block-${osd.id}`,
        lv_size: osd.total,
        lv_uuid: `demoLV-${osd.id}`,
        vg_name: `ceph-vg${osd.id}`,
      };
    }),

    '/nodes/{node}/ceph/pool': poolList,
    '/nodes/{node}/ceph/pools': poolList,
    '/nodes/{node}/ceph/pool/{name}': (request) =>
      world.release === '7.4' ? poolStatus(request) : directory('name', ['status'])(request),
    '/nodes/{node}/ceph/pools/{name}': poolStatus,
    '/nodes/{node}/ceph/pool/{name}/status': poolStatus,
  };
}

function ipOf(world: DemoWorld, node: string): string {
  return world.nodes.find((candidate) => candidate.node === node)?.ip ?? '127.0.0.1';
}

function osdOf(ceph: CephArea, request: HandlerRequest): CephOsd {
  const id = parameter(request, 'osdid');
  const found = ceph.osds.find((osd) => String(osd.id) === id);
  if (found === undefined) throw new DemoHttpError(500, `OSD '${id}' does not exists on host '${parameter(request, 'node')}'`);
  return found;
}

function status(world: DemoWorld, ceph: CephArea): Row {
  const down = ceph.osds.filter((osd) => !osd.up);
  const total = ceph.osds.reduce((sum, osd) => sum + osd.total, 0);
  const used = ceph.osds.reduce((sum, osd) => sum + osd.used, 0);
  const groups = ceph.pools.reduce((sum, pool) => sum + pool.pgNum, 0);
  const degraded = down.length === 0 ? 0 : 41;
  const check = (count: number, message: string, details: string[]): Row => ({
    detail: details.map((detail) => ({ message: detail })),
    muted: false,
    severity: 'HEALTH_WARN',
    summary: { count, message },
  });
  const checks = {
    ...(down.length === 0
      ? {}
      : {
          OSD_DOWN: check(
            down.length,
            `${down.length} osds down`,
            down.map((osd) => `osd.${osd.id} (root=default,host=${osd.node}) is down`),
          ),
          PG_DEGRADED: check(
            degraded,
            `Degraded data redundancy: 18231/164079 objects degraded (11.111%), ${degraded} pgs degraded`,
            [],
          ),
        }),
    ...(ceph.flags.some((flag) => flag.value === 1) ? { OSDMAP_FLAGS: check(1, 'noscrub flag(s) set', []) } : {}),
  };
  return {
    election_epoch: 38,
    fsid: ceph.fsid,
    fsmap: {
      by_rank: [{ filesystem_id: 1, gid: 24_117, name: ceph.monitors[0], rank: 0, status: 'up:active' }],
      epoch: 19,
      id: 1,
      in: 1,
      max: 1,
      up: 1,
      'up:standby': ceph.monitors.length - 1,
    },
    health: { checks, mutes: [], status: Object.keys(checks).length === 0 ? 'HEALTH_OK' : 'HEALTH_WARN' },
    mgrmap: { available: true, modules: ['dashboard', 'restful'], num_standbys: ceph.monitors.length - 1, services: {} },
    monmap: {
      epoch: 3,
      min_mon_release_name: 'squid',
      mons: ceph.monitors.map((name, rank) => {
        const addr = `${ipOf(world, name)}:6789/0`;
        return { addr, name, public_addr: addr, rank };
      }),
      num_mons: ceph.monitors.length,
    },
    osdmap: {
      epoch: 1_204,
      num_in_osds: ceph.osds.filter((osd) => osd.in).length,
      num_osds: ceph.osds.length,
      num_remapped_pgs: 0,
      num_up_osds: ceph.osds.length - down.length,
      osd_in_since: Math.floor(world.now / 1000) - 120 * 86_400,
      osd_up_since: Math.floor(world.now / 1000) - 1_800,
    },
    pgmap: {
      bytes_avail: total - used,
      bytes_total: total,
      bytes_used: used,
      data_bytes: Math.round(used / 3),
      ...(degraded > 0 ? { degraded_objects: 18_231, degraded_ratio: 0.111_111, degraded_total: 164_079 } : {}),
      num_objects: 54_693,
      num_pgs: groups,
      num_pools: ceph.pools.length,
      pgs_by_state: [
        { count: groups - degraded, state_name: 'active+clean' },
        ...(degraded > 0 ? [{ count: degraded, state_name: 'active+undersized+degraded' }] : []),
      ],
      read_bytes_sec: 18_432_000,
      read_op_per_sec: 412,
      write_bytes_sec: 7_340_032,
      write_op_per_sec: 233,
    },
    progress_events: {},
    quorum: ceph.monitors.map((_, rank) => rank),
    quorum_age: 312_000,
    quorum_names: ceph.monitors,
    servicemap: { epoch: 11, modified: new Date(world.now - 86_400_000).toISOString().replace('Z', '000+0000'), services: {} },
  };
}

function metadata(world: DemoWorld, ceph: CephArea): Row {
  const daemon = (name: string, extra: Row) => ({
    ceph_version: versionText('19.2.3'),
    ceph_version_short: '19.2.3',
    hostname: name,
    mem_total_kb: String(Math.round((world.nodes.find((node) => node.node === name)?.maxmem ?? 0) / 1024)),
    name,
    ...extra,
  });
  const daemons = (extra: (ip: string) => Row) =>
    Object.fromEntries(ceph.monitors.map((name) => [`${name}@${name}`, daemon(name, extra(ipOf(world, name)))]));
  return {
    mds: daemons((ip) => ({ addr: `${ip}:6800/1` })),
    mgr: daemons((ip) => ({ addr: ip })),
    mon: daemons((ip) => ({ addrs: `[v2:${ip}:3300/0,v1:${ip}:6789/0]`, ceph_release: 'squid' })),
    node: Object.fromEntries(
      ceph.monitors.map((name, index) => {
        const version = index === 0 ? '19.2.3' : '19.2.2';
        return [name, { buildcommit: COMMIT, version: { parts: version.split('.'), str: version } }];
      }),
    ),
    osd: ceph.osds.map((osd) =>
      // A daemon that is down has lost its metadata.
      osd.up
        ? {
            back_addr: `${ipOf(world, osd.node).replace(/^10\.20\./, '10.21.')}:68${10 + osd.id}/1`,
            bluestore_bdev_devices: `nvme${osd.id}n1`,
            bluestore_bdev_size: String(osd.total),
            bluestore_bdev_type: 'ssd',
            ceph_version: versionText(osd.version),
            ceph_version_short: osd.version,
            front_addr: `${ipOf(world, osd.node)}:68${20 + osd.id}/1`,
            hostname: osd.node,
            id: osd.id,
            osd_objectstore: 'bluestore',
            pid: '0',
          }
        : { id: osd.id },
    ),
  };
}

function osdTree(ceph: CephArea): Row {
  const leaf = (osd: CephOsd): Row => ({
    ...(osd.up
      ? {
          apply_latency_ms: 2 + osd.id,
          bytes_used: osd.used,
          ceph_version: versionText(osd.version),
          ceph_version_short: osd.version,
          commit_latency_ms: 2 + osd.id,
          osdtype: 'bluestore',
          percent_used: (osd.used / osd.total) * 100,
          total_space: osd.total,
        }
      : {}),
    crush_weight: 1.7465,
    device_class: osd.deviceClass,
    id: String(osd.id),
    in: osd.in ? 1 : 0,
    leaf: 1,
    name: `osd.${osd.id}`,
    pgs: osd.pgs,
    reweight: 1,
    status: osd.up ? 'up' : 'down',
    type: 'osd',
  });
  const hosts = [...new Set(ceph.osds.map((osd) => osd.node))];
  return {
    flags: `sortbitwise,recovery_deletes,purged_snapdirs${ceph.flags
      .filter((flag) => flag.value === 1)
      .map((flag) => `,${flag.name}`)
      .join('')}`,
    root: {
      children: [
        {
          children: hosts.map((host, index) => ({
            children: ceph.osds.filter((osd) => osd.node === host).map(leaf),
            id: String(-3 - index * 2),
            leaf: 0,
            name: host,
            type: 'host',
            version: index === 0 ? '19.2.3' : '19.2.2',
          })),
          id: '-1',
          leaf: 0,
          name: 'default',
          type: 'root',
        },
      ],
      leaf: 0,
    },
  };
}

function osdMetadata(world: DemoWorld, osd: CephOsd): Row {
  const ip = ipOf(world, osd.node);
  return {
    devices: [
      {
        dev_node: `/dev/dm-${osd.id}`,
        device: 'block',
        physical_device: `nvme${osd.id}n1`,
        size: osd.total,
        support_discard: true,
        type: 'ssd',
      },
    ],
    osd: {
      back_addr: `${ip.replace(/^10\.20\./, '10.21.')}:68${10 + osd.id}/1`,
      encrypted: 0,
      front_addr: `${ip}:68${20 + osd.id}/1`,
      hb_back_addr: null,
      hb_front_addr: null,
      hostname: osd.node,
      id: osd.id,
      mem_usage: osd.up ? 4_102_029_312 : 0,
      osd_data: `/var/lib/ceph/osd/ceph-${osd.id}`,
      osd_objectstore: 'bluestore',
      version: `${osd.version} (${COMMIT}) squid (stable)`,
    },
  };
}

function poolRow(pool: CephPool): Row {
  return {
    application_metadata: { [pool.application]: {} },
    autoscale_status: { pg_num_final: pool.pgNumFinal, pool_id: pool.id, pool_name: pool.name, target_bytes: 0, target_ratio: 0 },
    bytes_used: pool.used,
    crush_rule: 0,
    crush_rule_name: 'replicated_rule',
    min_size: pool.minSize,
    percent_used: pool.usedFraction,
    pg_autoscale_mode: pool.name === 'vm-pool' ? 'warn' : 'on',
    pg_num: pool.pgNum,
    pg_num_final: pool.pgNumFinal,
    pg_num_min: null,
    pool: pool.id,
    pool_name: pool.name,
    size: pool.size,
    target_size: null,
    target_size_ratio: null,
    type: 'replicated',
  };
}

function poolDetail(pool: CephPool): Row {
  return {
    crush_rule: 'replicated_rule',
    fast_read: false,
    hashpspool: true,
    id: pool.id,
    min_size: pool.minSize,
    name: pool.name,
    'nodeep-scrub': false,
    nodelete: false,
    nopgchange: false,
    noscrub: false,
    nosizechange: false,
    pg_autoscale_mode: pool.name === 'vm-pool' ? 'warn' : 'on',
    pg_num: pool.pgNum,
    pg_num_min: null,
    pgp_num: pool.pgNum,
    size: pool.size,
    target_size: null,
    target_size_ratio: null,
    use_gmt_hitset: true,
    write_fadvise_dontneed: false,
  };
}

/** `section:key` pairs, separated by `;`, `,` or blanks, out of ceph.conf and the configuration database. */
function configValues(ceph: CephArea, keys: string): Record<string, Record<string, string>> {
  const values: Record<string, Record<string, string>> = {};
  for (const pair of keys.split(/[;,\s]+/)) {
    const [section = '', key = ''] = pair.split(':');
    const found =
      ceph.configDb.find((row) => row.section === section && row.name === key)?.value ?? confValue(ceph.conf, section, key);
    if (found !== undefined) values[section] = { ...values[section], [key]: String(found) };
  }
  return values;
}

function confValue(conf: string, section: string, key: string): string | undefined {
  let current = '';
  for (const line of conf.split('\n')) {
    const heading = /^\[(.+)\]$/.exec(line)?.[1];
    if (heading !== undefined) current = heading;
    const match = /^\s*([^=]+?)\s*=\s*(.*)$/.exec(line);
    if (match !== null && current === section && match[1] === key) return match[2];
  }
  return undefined;
}

function crushMap(ceph: CephArea): string {
  const devices = ceph.osds.map((osd) => `device ${osd.id} osd.${osd.id} class ${osd.deviceClass}`);
  return ['# begin crush map', ...devices, '', '# end crush map', ''].join('\n');
}
