/** One question of the walk-through, and the one call that answers it. */
export interface Question {
  readonly ask: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What an administrator asks on a Monday morning. Fields are chosen so that the rows fit a terminal. */
export const QUESTIONS: readonly Question[] = [
  {
    ask: 'What is running, and where?',
    tool: 'list_guests',
    args: { status: 'running', sort: 'mem', fields: ['vmid', 'name', 'node', 'cpu', 'mem', 'memory', 'uptime'] },
  },
  { ask: 'Is a node down, or short of memory?', tool: 'list_nodes', args: {} },
  {
    ask: 'Which guests are in no backup job?',
    tool: 'list_backup_jobs',
    args: { fields: ['state', 'schedule', 'storage', 'selects', 'guests'] },
  },
  {
    ask: 'Which storage is filling up?',
    tool: 'list_storage',
    args: { state: 'available', fields: ['storage', 'nodes', 'used', 'free', 'total', 'content'] },
  },
  { ask: 'Who can reach the web server?', tool: 'get_firewall_rules', args: { name: 'web-01', sections: ['rules', 'groups'] } },
  {
    ask: 'Which tasks failed, and why?',
    tool: 'list_recent_tasks',
    args: { state: 'problem', limit: 8, fields: ['start', 'node', 'type', 'guest', 'status'] },
  },
];
