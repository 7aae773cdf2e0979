import type { HandlerTable } from '../types.ts';
import type { DemoWorld } from '../world/types.ts';
import { accessHandlers } from './access.ts';
import { agentHandlers } from './agent.ts';
import { aptHandlers } from './apt.ts';
import { backupsHandlers } from './backups.ts';
import { cephHandlers } from './ceph.ts';
import { certificatesHandlers } from './certificates.ts';
import { clusterConfigHandlers } from './cluster-config.ts';
import { clusterCoreHandlers } from './cluster-core.ts';
import { disksHandlers } from './disks.ts';
import { firewallHandlers } from './firewall.ts';
import { haHandlers } from './ha.ts';
import { hardwareHandlers } from './hardware.ts';
import { logsHandlers } from './logs.ts';
import { lxcHandlers } from './lxc.ts';
import { mappingHandlers } from './mapping.ts';
import { nodesHandlers } from './nodes.ts';
import { notificationsHandlers } from './notifications.ts';
import { poolsHandlers } from './pools.ts';
import { qemuHandlers } from './qemu.ts';
import { replicationHandlers } from './replication.ts';
import { reportHandlers } from './report.ts';
import { rrdHandlers } from './rrd.ts';
import { sdnHandlers } from './sdn.ts';
import { snapshotsHandlers } from './snapshots.ts';
import { storageHandlers } from './storage.ts';
import { tasksHandlers } from './tasks.ts';

/** Every endpoint the embedded cluster answers; two handlers for one template are a mistake and throw. */
export function createHandlers(world: DemoWorld): HandlerTable {
  return mergeTables([
    clusterCoreHandlers(world),
    nodesHandlers(world),
    qemuHandlers(world),
    lxcHandlers(world),
    agentHandlers(world),
    snapshotsHandlers(world),
    storageHandlers(world),
    backupsHandlers(world),
    tasksHandlers(world),
    rrdHandlers(world),
    poolsHandlers(world),
    disksHandlers(world),
    accessHandlers(world),
    firewallHandlers(world),
    haHandlers(world),
    replicationHandlers(world),
    sdnHandlers(world),
    clusterConfigHandlers(world),
    notificationsHandlers(world),
    cephHandlers(world),
    hardwareHandlers(world),
    aptHandlers(world),
    certificatesHandlers(world),
    logsHandlers(world),
    mappingHandlers(world),
    reportHandlers(world),
  ]);
}

/** One table out of many; throws when a template occurs twice. */
export function mergeTables(tables: readonly HandlerTable[]): HandlerTable {
  const merged: Record<string, HandlerTable[string]> = {};
  for (const table of tables) {
    for (const [template, handler] of Object.entries(table)) {
      if (template in merged) throw new Error(`two handlers for ${template}`);
      merged[template] = handler;
    }
  }
  return merged;
}
