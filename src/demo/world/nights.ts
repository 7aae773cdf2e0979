import { DAY, HOUR } from './units.ts';

/**
 * Epoch seconds of `hour:minute` in the nodes' local time on the last completed night that lies `days` nights back (0 = the last one).
 * A night counts once two hours have passed, so that its jobs are over.
 */
export function night(now: number, days: number, hour: number, minute: number): number {
  const ahead = localOffset(now);
  const start = Math.floor((now + ahead) / DAY) * DAY + hour * HOUR - ahead;
  return (start > now - 2 * HOUR ? start - DAY : start) - days * DAY + minute * 60;
}

const BERLIN = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin', dateStyle: 'short', timeStyle: 'medium' });

/** `2026-01-02 03:04:05` in the nodes' local time. */
export function localTime(epochSeconds: number): string {
  return BERLIN.format(epochSeconds * 1000);
}

/** Seconds that the nodes' local time is ahead of UTC at that moment. */
export function localOffset(epochSeconds: number): number {
  return Date.parse(`${localTime(epochSeconds).replace(' ', 'T')}Z`) / 1000 - Math.floor(epochSeconds);
}
