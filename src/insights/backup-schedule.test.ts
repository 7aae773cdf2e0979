import { expect, test } from 'vitest';
import { longestPause } from './backup-schedule.ts';

const H = 3_600;
const D = 86_400;

test.each<[string, number | undefined]>([
  ['02:00', D],
  ['daily', D],
  ['hourly', H],
  ['weekly', 7 * D],
  ['sun 01:00', 7 * D],
  ['sat 03:30', 7 * D],
  ['mon,thu 22:15', 4 * D],
  ['mon..fri 21:30', 3 * D],
  ['fri..mon 21:30', 4 * D],
  ['*-*-1 04:00', 31 * D],
  ['*-*-01,15 04:00', 17 * D],
  ['monthly', 31 * D],
  ['yearly', 366 * D],
  ['0/6:00', 6 * H],
  ['*/2:30', 2 * H],
  ['8..17:0/15', 14 * H + 15 * 60],
  ['22,23:00', 23 * H],
  ['*:0/30', 30 * 60],
  ['30', H],
  ['sun', 7 * D],
  ['mon 0/12:00', 6 * D + 12 * H],
  ['21:00:00', D],
  ['2026-01-01 04:00', undefined],
  ['sometimes', undefined],
  ['25:00', undefined],
  ['12:75', undefined],
  ['', undefined],
  ['mon tue 02:00', undefined],
  ['0/0:00', undefined],
])('%j runs at least every %s s', (schedule, seconds) => {
  expect(longestPause(schedule)).toBe(seconds);
});
