import type { DemoRole } from '../../src/demo/types.ts';

/** A question an administrator asks, and the call or calls that answer it. */
export interface Recipe {
  readonly ask: string;
  /** What to know about the answer; one or two sentences. */
  readonly note?: string;
  readonly calls: readonly { readonly tool: string; readonly args: Readonly<Record<string, unknown>> }[];
  /** The token of the embedded cluster that asks; default `auditor`. */
  readonly as?: DemoRole;
  /** Lines of each answer that the page shows. */
  readonly lines?: number;
}

/** @param failed a task that failed at the embedded cluster */
export function recipes(failed: string): Readonly<Record<string, readonly Recipe[]>> {
  const one = (tool: string, args: Readonly<Record<string, unknown>> = {}) => [{ tool, args }];
  return {
    'The cluster': [
      { ask: 'How is the cluster?', calls: one('get_cluster_overview'), lines: 18 },
      { ask: 'What should I look at today?', calls: one('check_health'), lines: 16 },
      { ask: 'Is a node down, or short of memory?', calls: one('list_nodes') },
      { ask: 'How busy was pve1 during the last day?', calls: one('get_metrics', { node: 'pve1', timeframe: 'day' }) },
      {
        ask: 'Does everything still fit when a node fails, and when are the disks full?',
        calls: one('check_capacity'),
        lines: 20,
      },
    ],
    Guests: [
      {
        ask: 'What is running, and where?',
        calls: one('list_guests', {
          status: 'running',
          sort: 'mem',
          fields: ['vmid', 'name', 'node', 'cpu', 'mem', 'memory', 'uptime'],
        }),
      },
      {
        ask: 'What is going on with web-01?',
        note: 'Any guest by name or id; everything about it in one call.',
        calls: one('get_guest', { name: 'web-01' }),
        lines: 24,
      },
      { ask: 'Which guest has the name, the address or the tag ...?', calls: one('search_inventory', { query: 'web' }) },
      { ask: 'Which addresses does it have?', calls: one('get_guest_network', { vmid: 100 }) },
      { ask: 'Which snapshots are there, and how old are they?', calls: one('list_snapshots', { vmid: 101 }) },
    ],
    'Backups and storage': [
      {
        ask: 'Which guests could I not restore today?',
        note: 'A token with PVEAuditor sees no backup through the list of the API; the answer says how it was found out, and what stays hidden.',
        calls: one('check_backup_coverage', { limit: 10 }),
        lines: 18,
      },
      {
        ask: 'What do the backup jobs cover?',
        calls: one('list_backup_jobs', { fields: ['state', 'schedule', 'storage', 'selects', 'guests'] }),
      },
      {
        ask: 'Which storage is filling up?',
        calls: one('list_storage', { state: 'available', fields: ['storage', 'nodes', 'used', 'free', 'total', 'content'] }),
      },
      {
        ask: 'What lies on a storage?',
        calls: one('list_storage_content', { storage: 'nas-backup', content: 'backup', limit: 6 }),
      },
      { ask: 'Are the disks healthy?', calls: one('list_node_disks', { node: 'pve1' }), lines: 16 },
    ],
    'What happened': [
      {
        ask: 'Which tasks failed, and why?',
        calls: [
          {
            tool: 'list_recent_tasks',
            args: { state: 'problem', limit: 6, fields: ['start', 'node', 'type', 'guest', 'status'] },
          },
          { tool: 'get_task', args: { upid: failed } },
        ],
        lines: 12,
      },
      {
        ask: 'What do the logs of a node say?',
        note: 'Opt-in: toolset logs, and the privilege Sys.Syslog.',
        as: 'logs',
        calls: one('get_node_log', { node: 'pve1' }),
      },
      {
        ask: 'What happened, in order?',
        note: 'Opt-in: toolset logs, and the privilege Sys.Syslog.',
        as: 'logs',
        calls: one('get_incident_timeline', { since: '24h' }),
      },
    ],
    'Network and rights': [
      {
        ask: 'Can this address reach port 22 of that guest?',
        calls: one('explain_firewall_path', { vmid: 100, source: '198.51.100.7', port: 22 }),
        lines: 16,
      },
      {
        ask: 'Which firewall rules hold for web-01?',
        calls: one('get_firewall_rules', { name: 'web-01', sections: ['rules', 'groups'] }),
      },
      { ask: 'Who may do what?', calls: one('review_access'), lines: 18 },
      { ask: 'What does my own token see, and what does it lack?', calls: one('check_token_access'), lines: 20 },
    ],
    'High availability, Ceph, hardware, upkeep': [
      { ask: 'What does HA do?', calls: one('get_ha_status') },
      { ask: 'Is replication up to date?', calls: one('list_replication') },
      { ask: 'How is Ceph?', note: 'Opt-in: toolset ceph.', calls: one('get_ceph_status'), lines: 16 },
      {
        ask: 'Which hardware can be passed through?',
        note: 'Opt-in: toolset hardware.',
        calls: one('list_hardware', { node: 'pve1' }),
      },
      { ask: 'Which certificates run out?', note: 'Opt-in: toolset maintenance.', calls: one('list_certificates') },
      {
        ask: 'Which updates are pending?',
        note: 'Opt-in: toolset maintenance. It takes Sys.Modify, which allows far more than reading: the answer says so instead of "none".',
        calls: one('list_updates'),
      },
    ],
  };
}
