import { accessChecks } from './access.ts';
import { backupChecks } from './backups.ts';
import { cephChecks } from './ceph.ts';
import { certificateChecks } from './certificates.ts';
import type { Check } from './check.ts';
import { clusterChecks } from './cluster.ts';
import { diskChecks } from './disks.ts';
import { firewallChecks } from './firewall.ts';
import { guestConfigChecks } from './guest-configs.ts';
import { guestChecks } from './guests.ts';
import { haChecks } from './ha.ts';
import { networkChecks } from './network.ts';
import { nodeChecks } from './nodes.ts';
import { notificationChecks } from './notifications.ts';
import { replicationChecks } from './replication.ts';
import { storageChecks } from './storage.ts';
import { taskChecks } from './tasks.ts';
import { updateChecks } from './updates.ts';
import { versionChecks } from './versions.ts';

/** Every health check there is, by area. */
export const healthChecks: readonly Check[] = [
  ...clusterChecks,
  ...nodeChecks,
  ...versionChecks,
  ...certificateChecks,
  ...storageChecks,
  ...diskChecks,
  ...haChecks,
  ...replicationChecks,
  ...backupChecks,
  ...taskChecks,
  ...guestChecks,
  ...guestConfigChecks,
  ...firewallChecks,
  ...accessChecks,
  ...notificationChecks,
  ...updateChecks,
  ...cephChecks,
  ...networkChecks,
];
