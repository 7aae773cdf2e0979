import { describe, expect, test } from 'vitest';
import { backupOutcomes, explainFailure } from './task-failure.ts';

const log = (...texts: string[]) => texts.map((text, i) => ({ n: i + 1, text }));

describe('why a task failed', () => {
  test.each([
    ['ERROR: vma_queue_write: write error - No space left on device', /target storage is full/],
    ["TASK ERROR: can't lock file '/var/lock/qemu-server/lock-101.conf' - got timeout", /held a lock/],
    ["ERROR: VM 122 qmp command 'guest-fsfreeze-freeze' failed - got timeout", /guest agent did not answer/],
    ["ERROR: VM 116 qmp command 'backup' failed - got timeout", /monitor in time/],
    ["storage 'nas' is not online", /not reachable from the node/],
    ["can't migrate local disk 'local-lvm:vm-100-disk-0'", /binds the guest to its node/],
    ["can't connect to host 'pve2'", /host on the network did not answer/],
    ["unable to open backup directory '/mnt/backup/dump'", /not reachable from the node/],
    ['TASK ERROR: timeout waiting on systemd', /longer than it is given/],
    ['something entirely new', undefined],
  ])('%s', (line, cause) => {
    const { causes } = explainFailure(log('INFO: starting', line), 'job errors');
    if (cause === undefined) expect(causes).toEqual([]);
    else expect(causes.join(' ')).toMatch(cause);
  });

  test('that a migration was aborted is how each failed one ends, and no cause', () => {
    const { causes } = explainFailure(log("can't connect to host", 'TASK ERROR: migration aborted'), 'migration aborted');
    expect(causes).toEqual([expect.stringMatching(/host on the network/)]);
    expect(explainFailure(log('TASK ERROR: migration aborted'), 'migration aborted').causes).toEqual([]);
  });

  test('the telling line is found in the middle, and harmless lines are not', () => {
    const lines = log(
      'INFO: scan finished with 0 errors',
      ...Array.from({ length: 100 }, (_, i) => `INFO: ${i}%`),
      'ERROR: write failed: No space left on device',
      ...Array.from({ length: 100 }, () => 'INFO: cleaning up'),
      'TASK ERROR: job errors',
    );
    const { relevant } = explainFailure(lines, 'job errors');
    expect(relevant.map((l) => l.text)).toEqual(['ERROR: write failed: No space left on device', 'TASK ERROR: job errors']);
  });

  test('a flood of error lines keeps its beginning and its end', () => {
    const { relevant } = explainFailure(log(...Array.from({ length: 500 }, (_, i) => `error ${i}`)), undefined);
    expect(relevant.length).toBeLessThanOrEqual(25);
    expect(relevant[0]?.text).toBe('error 0');
    expect(relevant.at(-1)?.text).toBe('error 499');
  });

  test('each guest of a backup and how it fared', () => {
    expect(
      backupOutcomes(
        log(
          'INFO: Starting Backup of VM 100 (qemu)',
          'INFO: Finished Backup of VM 100 (00:01:02)',
          'INFO: Starting Backup of VM 101 (lxc)',
          'ERROR: Backup of VM 101 failed - no space',
          'INFO: Starting Backup of VM 102 (qemu)',
        ),
      ),
    ).toEqual([
      { vmid: 100, result: 'ok', why: undefined },
      { vmid: 101, result: 'failed', why: 'no space' },
      { vmid: 102, result: 'unfinished', why: undefined },
    ]);
  });
});
