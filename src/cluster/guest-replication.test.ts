import { expect, test } from 'vitest';
import { parseGuestReplication } from './guest-replication.ts';

test('jobs of the guest only, sorted, whatever the types', () => {
  const jobs = parseGuestReplication(
    [
      { id: '100-1', guest: '100', target: 'n3', last_sync: 0, fail_count: '2', error: 'zfs failed, password=hunter2', pid: 7 },
      { id: '100-0', target: 'n2', schedule: '*/5', last_sync: 50, next_sync: '60', disable: 1 },
      { id: '101-0', guest: 101 },
      {},
      null,
    ],
    100,
  );
  expect(jobs).toMatchObject([
    { job: { id: '100-0', schedule: '*/5', disabled: true }, state: { lastSync: 50, nextSync: 60, failCount: 0 } },
    {
      job: { id: '100-1', schedule: '*/15' },
      state: { lastSync: undefined, failCount: 2, error: 'zfs failed, password=[redacted]', running: true },
    },
  ]);
  expect(() => parseGuestReplication(null, 100)).toThrow('no list');
});
