import { counted, formatDuration } from '../../answer/units.ts';
import type { Task } from '../../cluster/tasks.ts';
import { type Check, defineCheck, type Finding, onThing, some } from './check.ts';

/** Sessions of people: they last as long as somebody looks. */
const SESSIONS: ReadonlySet<string> = new Set(['vncproxy', 'vncshell', 'spiceproxy', 'spiceshell', 'termproxy', 'vztermproxy']);

/** Tasks of the last day. */
export const taskChecks: readonly Check[] = [
  defineCheck({
    id: 'PVE-T01',
    area: 'tasks',
    severity: 'warning',
    what: 'Tasks failed in the last 24 h',
    why: 'what they were to do was not done',
    command: 'pvenode task list --errors 1; pvenode task log UPID',
    needs: ['ended'],
    judge: ({ ended }) => byType(ended.filter((t) => t.state === 'failed' && !SESSIONS.has(t.type))),
  }),
  defineCheck({
    id: 'PVE-T02',
    area: 'tasks',
    severity: 'info',
    what: 'Tasks ended with warnings in the last 24 h',
    why: 'they did their work, but not all of it was right',
    command: 'pvenode task log UPID',
    needs: ['ended'],
    judge: ({ ended }) => byType(ended.filter((t) => t.state === 'warning')),
  }),
  defineCheck({
    id: 'PVE-T03',
    area: 'tasks',
    severity: 'warning',
    what: 'Task runs unusually long',
    why: 'it may hang, and holds its guest locked as long',
    command: 'pvenode task log UPID (on <node>)',
    needs: ['running'],
    thresholds: ['task-hours'],
    judge: ({ running }, by) =>
      running.flatMap((t) => {
        const age = t.start === undefined ? undefined : by.now - t.start;
        if (age === undefined || age < by.threshold('task-hours') * 3_600 || SESSIONS.has(t.type)) return [];
        return [
          {
            on: onThing(`${t.type}${t.id === undefined ? '' : ` ${t.id}`}`, { node: t.node }),
            evidence: `on ${t.node} for ${formatDuration(age)}`,
          },
        ];
      }),
  }),
];

/** One finding a kind of task and node, with the newest ending. */
function byType(tasks: readonly Task[]): readonly Finding[] {
  const groups = new Map<string, Task[]>();
  for (const t of tasks) {
    const key = `${t.type}\n${t.node}`;
    groups.set(key, [...(groups.get(key) ?? []), t]);
  }
  return [...groups.values()].flatMap((group): Finding[] => {
    const [newest] = [...group].sort((a, b) => (b.start ?? 0) - (a.start ?? 0));
    if (newest === undefined) return [];
    const ids = [...new Set(group.flatMap((t) => t.id ?? []))].sort();
    const whom = ids.length === 0 ? '' : ` (${some(ids)})`;
    return [
      {
        on: onThing(`${newest.type} on ${newest.node}`, { node: newest.node }),
        evidence: `${counted(group.length, 'task')}${whom}, last: ${newest.status ?? 'no status'}`,
      },
    ];
  });
}
