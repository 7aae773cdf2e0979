import { expect, test } from 'vitest';
import { parseGuestReplication } from './guest-replication.ts';

test('jobs of the guest, whatever the types', () => {
  expect(
    parseGuestReplication(
      [
        { id: '100-1', guest: '100', target: 'n3', last_sync: 0, fail_count: '2', error: 'zfs failed, password=hunter2', pid: 7 },
        { id: '100-0', target: 'n2', schedule: '*/5', last_sync: 50, next_sync: '60', disable: 1 },
        { id: '101-0', guest: 101 },
        {},
        null,
      ],
      100,
    ),
  ).toEqual([
    {
      id: '100-0',
      target: 'n2',
      schedule: '*/5',
      lastSync: 50,
      nextSync: 60,
      duration: undefined,
      failCount: 0,
      error: undefined,
      disabled: true,
      running: false,
    },
    {
      id: '100-1',
      target: 'n3',
      schedule: '*/15',
      lastSync: undefined,
      nextSync: undefined,
      duration: undefined,
      failCount: 2,
      error: 'zfs failed, password=[redacted]',
      disabled: false,
      running: true,
    },
  ]);
  expect(parseGuestReplication(null, 100)).toEqual([]);
});
