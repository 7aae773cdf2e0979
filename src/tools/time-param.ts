import { ApiError } from '../api/errors.ts';

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, min: 60, h: 3_600, d: 86_400, w: 604_800 };

/**
 * A moment as people and models write it: an ISO date or time (UTC unless it says otherwise), an age such as `90m`,
 * `24h`, `7d`, or seconds since the epoch. Answers seconds since the epoch; throws `bad-argument` naming the parameter.
 *
 * @param asked what ages are reckoned from, in seconds since the epoch: when the first page was asked
 */
export function parseTimeParam(name: string, text: string, asked: number): number {
  const given = text.trim();
  const age = /^(\d+(?:\.\d+)?)\s*(s|m|min|h|d|w)(?:\s*ago)?$/i.exec(given);
  if (age !== null) {
    const [, amount = '', unit = ''] = age;
    return Math.floor(asked - Number(amount) * (UNIT_SECONDS[unit.toLowerCase()] ?? 0));
  }
  if (given === 'now') return Math.floor(asked);
  if (/^\d{9,10}$/.test(given)) return Number(given);
  // A time without a zone is UTC, as every time in the answers is.
  const iso = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/.exec(given);
  if (iso !== null) {
    const withTime = given.length > 10 ? given.replace(' ', 'T') : `${given}T00:00`;
    const parsed = Date.parse(iso[1] === undefined ? `${withTime}Z` : withTime);
    if (!Number.isNaN(parsed)) return Math.floor(parsed / 1000);
  }
  throw new ApiError('bad-argument', `${name}: ${JSON.stringify(given.slice(0, 40))} is no time.`, {
    hint: 'Use an age (24h, 7d) or an ISO time (2026-11-29T02:00Z).',
  });
}
