import type { ToolsetName } from '../config/toolsets.ts';
import { checkTokenAccess } from './access/check-token-access.ts';
import { reviewAccess } from './access/review-access.ts';
import { checkBackupCoverage } from './backups/check-backup-coverage.ts';
import { listBackupJobs } from './backups/list-backup-jobs.ts';
import { getCephStatus } from './ceph/get-ceph-status.ts';
import { listCephOsds } from './ceph/list-ceph-osds.ts';
import { checkHealth } from './cluster/check-health.ts';
import { getClusterOverview } from './cluster/get-cluster-overview.ts';
import { listPools } from './cluster/list-pools.ts';
import { searchInventoryTool } from './cluster/search-inventory.ts';
import type { Tool } from './define-tool.ts';
import { explainFirewallPath } from './firewall/explain-firewall-path.ts';
import { getFirewallRules } from './firewall/get-firewall-rules.ts';
import { getGuest } from './guests/get-guest.ts';
import { getGuestConfig } from './guests/get-guest-config.ts';
import { getGuestNetwork } from './guests/get-guest-network.ts';
import { getGuestStatus } from './guests/get-guest-status.ts';
import { listGuests } from './guests/list-guests.ts';
import { listSnapshots } from './guests/list-snapshots.ts';
import { getHaStatus } from './ha/get-ha-status.ts';
import { listReplication } from './ha/list-replication.ts';
import { listHardware } from './hardware/list-hardware.ts';
import { getIncidentTimeline } from './logs/get-incident-timeline.ts';
import { getNodeLog } from './logs/get-node-log.ts';
import { getClusterConfig } from './maintenance/get-cluster-config.ts';
import { listCertificates } from './maintenance/list-certificates.ts';
import { listUpdates } from './maintenance/list-updates.ts';
import { checkCapacity } from './metrics/check-capacity.ts';
import { getMetrics } from './metrics/get-metrics.ts';
import { getNodeStatus } from './nodes/get-node-status.ts';
import { listNodeDisks } from './nodes/list-node-disks.ts';
import { listNodeNetwork } from './nodes/list-node-network.ts';
import { listNodes } from './nodes/list-nodes.ts';
import { getSdn } from './sdn/get-sdn.ts';
import { listStorage } from './storage/list-storage.ts';
import { listStorageContent } from './storage/list-storage-content.ts';
import { getTask } from './tasks/get-task.ts';
import { listRecentTasks } from './tasks/list-recent-tasks.ts';

/** Every tool there is, in the order in which clients list them. */
export const catalog: readonly Tool[] = [
  getClusterOverview,
  checkHealth,
  searchInventoryTool,
  listPools,
  listNodes,
  getNodeStatus,
  listNodeNetwork,
  listNodeDisks,
  listGuests,
  getGuest,
  getGuestConfig,
  getGuestStatus,
  listSnapshots,
  getGuestNetwork,
  listStorage,
  listStorageContent,
  listBackupJobs,
  checkBackupCoverage,
  listRecentTasks,
  getTask,
  getFirewallRules,
  explainFirewallPath,
  getMetrics,
  checkCapacity,
  getHaStatus,
  listReplication,
  reviewAccess,
  checkTokenAccess,
  getNodeLog,
  getIncidentTimeline,
  getCephStatus,
  listCephOsds,
  getSdn,
  listUpdates,
  listCertificates,
  getClusterConfig,
  listHardware,
];

/** The tools of the toolsets that are switched on. */
export function toolsOf(toolsets: readonly ToolsetName[]): readonly Tool[] {
  return catalog.filter((tool) => toolsets.includes(tool.toolset));
}
