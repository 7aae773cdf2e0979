import { describe, expect, it } from 'vitest';
import { localOffset } from '../world/nights.ts';
import { nextEvents } from './calendar-event.ts';

const MONDAY = Date.UTC(2026, 10, 30, 8, 7, 21) / 1000;
const UTC = () => 0;
const times = (text: string, count = 3) =>
  nextEvents(text, MONDAY, count, UTC)?.map((time) => new Date(time * 1000).toISOString().slice(5, 16));

describe('nextEvents', () => {
  it.each([
    ['*/15', ['11-30T08:15', '11-30T08:30', '11-30T08:45']],
    ['*:0/30', ['11-30T08:30', '11-30T09:00', '11-30T09:30']],
    ['02:00', ['12-01T02:00', '12-02T02:00', '12-03T02:00']],
    ['sun 01:00', ['12-06T01:00', '12-13T01:00', '12-20T01:00']],
    ['sat..mon 3:05', ['12-05T03:05', '12-06T03:05', '12-07T03:05']],
    ['mon,wed 8..10:10,50', ['11-30T08:10', '11-30T08:50', '11-30T09:10']],
    ['8:00/7', ['11-30T08:14', '11-30T08:21', '11-30T08:28']],
    ['fri', ['12-04T00:00', '12-11T00:00', '12-18T00:00']],
    ['daily', ['12-01T00:00', '12-02T00:00', '12-03T00:00']],
    ['hourly', ['11-30T09:00', '11-30T10:00', '11-30T11:00']],
  ])('%s', (text, expected) => expect(times(text)).toEqual(expected));

  it.each(['bogus!', '25:00', '8:75', 'xyz 10:00', '*/0', '1 2 3:00', ''])('%j is no event', (text) =>
    expect(nextEvents(text, MONDAY, 1, UTC)).toBeUndefined(),
  );

  it('is meant in the local time of the nodes, in winter and in summer', () => {
    const at = (month: number) => nextEvents('02:00', Date.UTC(2026, month, 20, 12) / 1000, 1, localOffset)?.[0] ?? 0;
    expect(new Date(at(10) * 1000).toISOString()).toBe('2026-11-21T01:00:00.000Z');
    expect(new Date(at(6) * 1000).toISOString()).toBe('2026-07-21T00:00:00.000Z');
  });

  it('an event on the very second is past', () => {
    expect(nextEvents('08:10', Date.UTC(2026, 10, 30, 8, 10) / 1000, 1, UTC)).toEqual([Date.UTC(2026, 11, 1, 8, 10) / 1000]);
  });
});
