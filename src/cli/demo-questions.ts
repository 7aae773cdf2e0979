/** A call of one tool. */
export interface ToolCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A way to answer a question: one call, or one whose argument another call finds. */
export interface Way extends ToolCall {
  /** Asked first; what `pick` finds in its answer becomes the argument `as`. */
  readonly after?: ToolCall & { readonly pick: RegExp; readonly as: string };
}

/** One question of the walk-through. The first way whose tools the server offers is taken. */
export interface Question {
  readonly ask: string;
  readonly ways: readonly Way[];
}

/** What an administrator asks on a Monday morning. Fields are chosen so that the rows fit a terminal. */
export const QUESTIONS: readonly Question[] = [
  {
    ask: 'What is running, and where?',
    ways: [
      {
        tool: 'list_guests',
        args: { status: 'running', sort: 'mem', fields: ['vmid', 'name', 'node', 'cpu', 'mem', 'memory', 'uptime'] },
      },
    ],
  },
  {
    ask: 'What is broken?',
    ways: [
      { tool: 'check_health', args: {} },
      { tool: 'list_nodes', args: {} },
    ],
  },
  {
    ask: 'Which guests are not backed up?',
    ways: [
      { tool: 'check_backup_coverage', args: {} },
      { tool: 'list_backup_jobs', args: { fields: ['state', 'schedule', 'storage', 'selects', 'guests'] } },
    ],
  },
  {
    ask: 'Which storage is filling up?',
    ways: [
      {
        tool: 'list_storage',
        args: { state: 'available', fields: ['storage', 'nodes', 'used', 'free', 'total', 'content'] },
      },
    ],
  },
  {
    ask: 'May the office reach the web server by SSH?',
    ways: [
      { tool: 'explain_firewall_path', args: { name: 'web-01', source: '198.51.100.7', port: 22 } },
      { tool: 'get_firewall_rules', args: { name: 'web-01', sections: ['rules', 'groups'] } },
    ],
  },
  {
    ask: 'Why did the last backup fail?',
    ways: [
      {
        tool: 'get_task',
        args: {},
        after: {
          tool: 'list_recent_tasks',
          args: { state: 'failed', type: 'vzdump', limit: 1 },
          pick: /UPID:\S+/,
          as: 'upid',
        },
      },
      { tool: 'list_recent_tasks', args: { state: 'failed', type: 'vzdump', fields: ['start', 'node', 'guest', 'status'] } },
    ],
  },
];

/** The way to take with the tools there are; undefined when there is none. */
export function wayOf(question: Question, offered: ReadonlySet<string>): Way | undefined {
  return question.ways.find((way) => offered.has(way.tool) && (way.after === undefined || offered.has(way.after.tool)));
}
