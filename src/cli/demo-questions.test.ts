import { describe, expect, it } from 'vitest';
import { catalog } from '../tools/catalog.ts';
import { QUESTIONS, type ToolCall, wayOf } from './demo-questions.ts';

const offered = new Set(catalog.map((tool) => tool.name));

function accepts({ tool, args }: ToolCall): void {
  const found = catalog.find((t) => t.name === tool);
  expect(found, tool).toBeDefined();
  expect(() => found?.prepare(args), tool).not.toThrow();
}

describe('the questions', () => {
  it.each(QUESTIONS.map((q) => [q.ask, q] as const))('%s has a way, and its tools take the arguments', (_, question) => {
    const way = wayOf(question, offered);
    expect(way).toBeDefined();
    if (way === undefined) return;
    if (way.after === undefined) return accepts(way);
    accepts(way.after);
    accepts({ tool: way.tool, args: { ...way.args, [way.after.as]: 'UPID:pve1:00000FAD:00061F94:6B0CCA90:vzdump::root@pam:' } });
  });

  it('go another way, or none, when tools are missing', () => {
    const last = QUESTIONS[5];
    if (last === undefined) throw new Error('there are six questions');
    expect(wayOf(last, new Set(['get_task', 'list_recent_tasks']))?.tool).toBe('get_task');
    expect(wayOf(last, new Set(['list_recent_tasks']))?.tool).toBe('list_recent_tasks');
    expect(wayOf(last, new Set(['get_task']))).toBeUndefined();
  });
});
