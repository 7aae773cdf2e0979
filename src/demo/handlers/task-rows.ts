import type { DemoTask } from '../world/types.ts';
import type { Row } from './resource-rows.ts';

/**
 * Text as the API hands out what it read from a log file: the bytes of its UTF-8 form, each taken for a character.
 * ASCII stays as it is.
 */
export function doubleEncoded(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** What every answer about a task tells of it. */
export function taskIdentity(task: DemoTask): Row {
  return {
    upid: task.upid,
    node: task.node,
    starttime: task.starttime,
    type: task.type,
    id: task.id,
    user: task.user,
    ...(task.tokenid === undefined ? {} : { tokenid: task.tokenid }),
  };
}

/** A row of /cluster/tasks: a running task has neither end nor status, a finished one no process id. */
export function clusterTaskRow(task: DemoTask): Row {
  return task.endtime === undefined
    ? { ...taskIdentity(task), pid: task.pid, saved: '0' }
    : { ...taskIdentity(task), endtime: task.endtime, status: doubleEncoded(task.status ?? ''), saved: '1' };
}

/** A row of /nodes/{node}/tasks. */
export function nodeTaskRow(task: DemoTask): Row {
  const row = { ...taskIdentity(task), pid: task.pid, pstart: task.pstart };
  return task.endtime === undefined
    ? { ...row, saved: '0', status: 'RUNNING' }
    : { ...row, endtime: task.endtime, status: doubleEncoded(task.status ?? '') };
}
