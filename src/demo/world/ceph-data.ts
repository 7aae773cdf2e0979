import type { CephArea, CephOsd, CephPool } from './area-types.ts';
import { plant } from './canaries.ts';
import { hex, uuidOf } from './random.ts';
import type { WorldCore } from './types.ts';

const FLAGS: readonly (readonly [name: string, description: string])[] = [
  ['nobackfill', 'Backfilling of PGs is suspended.'],
  ['nodeep-scrub', 'Deep Scrubbing is disabled.'],
  ['nodown', 'OSD failure reports are being ignored, such that the monitors will not mark OSDs down.'],
  ['noin', 'OSDs that were previously marked out will not be marked back in when they start.'],
  ['noout', 'OSDs will not automatically be marked out after the configured interval.'],
  ['norebalance', 'Rebalancing of PGs is suspended.'],
  ['norecover', 'Recovery of PGs is suspended.'],
  ['noscrub', 'Scrubbing is disabled.'],
  ['notieragent', 'Cache tiering activity is suspended.'],
  ['noup', 'OSDs are not allowed to start.'],
  ['pause', 'Pauses read and writes.'],
];

const OSD_BYTES = 1_920_383_410_176;

/**
 * Ceph over the online nodes of the hand-made cluster: a warning, one OSD down, mixed versions. Generated and
 * standalone clusters have none; `state` may be switched afterwards.
 */
export function createCeph(core: WorldCore): CephArea {
  const fsid = uuidOf('demo ceph fsid');
  const hosts = core.nodes.filter((node) => node.online).slice(0, 3);
  const osds: CephOsd[] = hosts.flatMap((host, hostIndex) =>
    [0, 1].map((slot) => {
      const id = hostIndex * 2 + slot;
      const down = hostIndex === hosts.length - 1 && slot === 1;
      return {
        id,
        node: host.node,
        up: !down,
        in: true,
        deviceClass: slot === 0 ? 'nvme' : 'ssd',
        total: OSD_BYTES,
        used: Math.round(OSD_BYTES * (0.412 + id * 0.031)),
        pgs: down ? 0 : 97 + id,
        version: hostIndex === 0 ? '19.2.3' : '19.2.2',
      };
    }),
  );
  const used = osds.reduce((sum, osd) => sum + osd.used, 0);
  const pool = (id: number, name: string, application: string, share: number, pgNum: number): CephPool => ({
    id,
    name,
    size: 3,
    minSize: 2,
    pgNum,
    pgNumFinal: name === 'vm-pool' ? 32 : pgNum,
    application,
    used: Math.round(used * share),
    usedFraction: share * 0.46,
  });
  const monHosts = hosts.map((host) => host.ip).join(' ');
  const dashboard = plant(
    core,
    '/nodes/{node}/ceph/cfg/db mgr/dashboard/ALERTMANAGER password',
    `dash-${hex('demo ceph dashboard', 20)}`,
  );
  const restful = plant(core, '/nodes/{node}/ceph/cfg/db mgr/restful/admin/key', uuidOf('demo ceph restful'));
  const keystone = plant(core, '/nodes/{node}/ceph/cfg/raw rgw_keystone_admin_password', `ks-${hex('demo ceph keystone', 20)}`);
  const clientKey = plant(core, '/nodes/{node}/ceph/cfg/raw client key', `AQ${hex('demo ceph client', 36)}==`);
  const logPassword = plant(core, '/nodes/{node}/ceph/log', `cl${hex('demo ceph log', 20)}`);
  return {
    state: core.generated || core.standalone ? 'absent' : 'present',
    fsid,
    monitors: hosts.map((host) => host.node),
    osds,
    pools: [
      pool(1, '.mgr', 'mgr', 0.000_001, 1),
      pool(2, 'vm-pool', 'rbd', 0.86, 128),
      pool(3, 'cephfs_metadata', 'cephfs', 0.001, 16),
      pool(4, 'cephfs_data', 'cephfs', 0.12, 32),
    ],
    fileSystem: 'cephfs',
    flags: FLAGS.map(([name, description]) => ({ name, description, value: name === 'noscrub' ? 1 : 0 })),
    conf: [
      '[global]',
      '\tauth_client_required = cephx',
      '\tauth_cluster_required = cephx',
      '\tauth_service_required = cephx',
      '\tcluster_network = 10.21.0.0/24',
      `\tfsid = ${fsid}`,
      '\tmon_allow_pool_delete = true',
      `\tmon_host = ${monHosts}`,
      '\tosd_pool_default_min_size = 2',
      '\tosd_pool_default_size = 3',
      '\tpublic_network = 10.20.0.0/24',
      '',
      '[client]',
      '\tkeyring = /etc/pve/priv/$cluster.$name.keyring',
      '',
      '[client.backup]',
      `\tkey = ${clientKey}`,
      '',
      '[client.rgw.gate]',
      `\trgw_keystone_admin_password = ${keystone}`,
      '\trgw_keystone_url = https://keystone.demo.example:5000',
      '',
    ].join('\n'),
    configDb: [
      { can_update_at_runtime: 1, level: 'advanced', mask: '', name: 'osd_pool_default_size', section: 'global', value: '3' },
      {
        can_update_at_runtime: 1,
        level: 'basic',
        mask: 'host:pve2',
        name: 'osd_memory_target',
        section: 'osd',
        value: '4294967296',
      },
      {
        can_update_at_runtime: 0,
        level: 'unknown',
        mask: '',
        name: 'mgr/dashboard/ALERTMANAGER_API_PASSWORD',
        section: 'mgr',
        value: dashboard,
      },
      { can_update_at_runtime: 0, level: 'unknown', mask: '', name: 'mgr/restful/admin/key', section: 'mgr', value: restful },
    ],
    log: createLog(
      core,
      hosts[0]?.node ?? 'pve1',
      osds.find((osd) => !osd.up),
      logPassword,
    ),
  };
}

function createLog(core: WorldCore, leader: string, down: CephOsd | undefined, password: string): string[] {
  const start = core.now - 30 * 60_000;
  const texts = [
    `[INF] osd.${down?.id ?? 0} marked down after no beacon for 903.1 seconds`,
    `[WRN] Health check failed: 1 osds down (OSD_DOWN)`,
    '[WRN] Health check failed: Degraded data redundancy: 18231/164079 objects degraded (PG_DEGRADED)',
    '[INF] pgmap: 177 pgs: 41 active+undersized+degraded, 136 active+clean',
    `[INF] from='client.admin' cmd='[{"prefix": "dashboard ac-user-create", "password": "${password}"}]': dispatch`,
    '[WRN] Health check update: 1 osds down, since Mitternacht â Prüfung läuft (OSD_DOWN)',
  ];
  return texts.map((text, index) => {
    const time = new Date(start + index * 5 * 60_000).toISOString().replace('Z', '000+0000');
    return `${time} mon.${leader} (mon.0) ${4_100 + index} : cluster ${text}`;
  });
}
