import { DAY, HOUR } from './units.ts';

/**
 * Epoch seconds of `hour:minute` UTC on the last completed night that lies `days` nights back (0 = the last one).
 * A night counts once two hours have passed, so that its jobs are over.
 */
export function night(now: number, days: number, hour: number, minute: number): number {
  const start = Math.floor(now / DAY) * DAY + hour * HOUR;
  return (start > now - 2 * HOUR ? start - DAY : start) - days * DAY + minute * 60;
}

const BERLIN = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin', dateStyle: 'short', timeStyle: 'medium' });

/** `2026-01-02 03:04:05` in the nodes' local time. */
export function localTime(epochSeconds: number): string {
  return BERLIN.format(epochSeconds * 1000);
}
