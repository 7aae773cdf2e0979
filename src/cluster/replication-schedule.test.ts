import { expect, test } from 'vitest';
import { calendarInterval } from './replication-schedule.ts';

test.each([
  ['*/15', 900],
  ['*/30', 1_800],
  ['0/5', 300],
  ['3/5', 300],
  ['10,40', 1_800],
  ['5', 3_600],
  ['*:00', 3_600],
  ['*:0/30', 1_800],
  ['*:*', 60],
  ['22:00', 86_400],
  ['2,14:30', 43_200],
  // From 17:45 to 8:00.
  ['8..17:0/15', 14 * 3_600 + 15 * 60],
  ['hourly', 3_600],
  ['Daily', 86_400],
  ['weekly', 604_800],
])('%s pauses %i s at most', (schedule, seconds) => {
  expect(calendarInterval(schedule)).toBe(seconds);
});

test.each(['mon..fri 22:00', 'sat', '2026-01-01', '*-*-1', '1:2:3', '', 'x', '25:00', '*:75', '*/0', '20..10:00'])(
  '%s is left open',
  (schedule) => {
    expect(calendarInterval(schedule)).toBeUndefined();
  },
);
