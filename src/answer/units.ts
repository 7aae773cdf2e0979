/**
 * Values in units that people read. Pure; `undefined` always means "not told", and is never turned into zero or "no".
 */
import { oneLine } from '../redact/plain-text.ts';
import type { Kind } from './spec.ts';

/** One decimal at most, without a trailing `.0`. */
function short(value: number): string {
  return String(Number(value.toFixed(1)));
}

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB', 'ZiB', 'YiB'] as const;

/** Bytes in binary units: `12.3 GiB`. Sizes beyond 2^53 are shown as near as a double holds them. */
export function formatBytes(bytes: number): string {
  let value = Math.abs(bytes);
  let unit = 0;
  // 1023.95 would be shown as "1024", so it already belongs to the next unit.
  while (value >= 1023.95 && unit < BYTE_UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  // Nothing is smaller than a byte: averages of rates are shown whole.
  const shown = unit === 0 ? String(Math.round(value)) : short(value);
  return `${bytes < 0 && shown !== '0' ? '-' : ''}${shown} ${BYTE_UNITS[unit]}`;
}

/** Bytes per second: `1.2 MiB/s`. */
export function formatRate(bytesPerSecond: number): string {
  return `${formatBytes(bytesPerSecond)}/s`;
}

/** A fraction (1 is all) as a percentage: `12.3%`. What is above nothing never reads as nothing: `<0.1%`. */
export function formatPercent(fraction: number): string {
  if (fraction > 0 && fraction < 0.0005) return '<0.1%';
  return `${short(fraction * 100 || 0)}%`;
}

const DURATION_UNITS = [
  { name: 's', seconds: 1, next: 60 },
  { name: 'min', seconds: 60, next: 60 },
  { name: 'h', seconds: 3600, next: 24 },
  { name: 'd', seconds: 86_400, next: Number.POSITIVE_INFINITY },
] as const;

/** Seconds in the largest unit that fits, one decimal below ten: `40 s`, `12 min`, `1.5 h`, `3.2 d`, `45 d`. */
export function formatDuration(seconds: number): string {
  const sign = seconds < 0 ? '-' : '';
  let shown = '';
  for (const unit of DURATION_UNITS) {
    const value = Math.abs(seconds) / unit.seconds;
    const rounded = value < 9.95 ? Number(value.toFixed(1)) : Math.round(value);
    shown = rounded === 0 ? `0 ${unit.name}` : `${sign}${rounded} ${unit.name}`;
    if (rounded < unit.next) break;
  }
  return shown;
}

/** Last second of the year 9999: what is later is no time but an error upstream. */
const LAST_SECOND = 253_402_300_799;

/** ISO 8601 in UTC with seconds; undefined for what is no time (0 is how the API says "unknown"). */
export function isoTime(epochSeconds: number): string | undefined {
  if (!(epochSeconds > 0 && epochSeconds <= LAST_SECOND)) return undefined;
  return `${new Date(Math.floor(epochSeconds) * 1000).toISOString().slice(0, 19)}Z`;
}

/** How long ago, or how long until: `1.3 d ago`, `in 3 d`, `now`. */
export function formatAge(epochSeconds: number, nowMs: number): string {
  const seconds = nowMs / 1000 - epochSeconds;
  if (Math.abs(seconds) < 1) return 'now';
  return seconds > 0 ? `${formatDuration(seconds)} ago` : `in ${formatDuration(-seconds)}`;
}

/**
 * A point in time and its distance: `2026-11-29T02:00Z, 1.3 d ago`. Undefined for what is no time.
 *
 * @param epochSeconds seconds since the epoch
 * @param nowMs milliseconds since the epoch
 */
export function formatTime(epochSeconds: number, nowMs: number): string | undefined {
  const iso = isoTime(epochSeconds);
  return iso === undefined ? undefined : `${iso.slice(0, 16)}Z, ${formatAge(epochSeconds, nowMs)}`;
}

/** A plain number, with as many decimals as are worth reading: `0.12`, `3.25`, `1234.5`. */
export function formatNumber(value: number): string {
  if (Number.isInteger(value)) return String(value || 0);
  const size = Math.abs(value);
  if (size >= 100) return short(value);
  return String(Number(size >= 1 ? value.toFixed(2) : value.toPrecision(2)));
}

/** `yes` or `no`. */
export function formatBool(value: boolean): string {
  return value ? 'yes' : 'no';
}

/** Texts side by side; a known-empty list is `-`. What does not fit is cut at the end of an item and counted: `a, b +3`. */
export function formatList(items: readonly string[], max: number): string {
  if (items.length === 0) return '-';
  // An item holds more than one character and its separator: never clean more of a huge list than can be shown.
  const cleaned = items.slice(0, max).map((item) => oneLine(item, max));
  const whole = cleaned.join(', ');
  if (items.length === cleaned.length && whole.length <= max) return whole;
  let shown = '';
  let count = 0;
  for (const item of cleaned) {
    const longer = count === 0 ? item : `${shown}, ${item}`;
    if (longer.length + ` +${items.length - count - 1}`.length > max) break;
    shown = longer;
    count += 1;
  }
  const rest = ` +${items.length - count}`;
  // Not even one fits: the start of the first and the count of the others.
  if (count === 0)
    return oneLine(cleaned[0] ?? '', Math.max(1, max - rest.length)) + (items.length > 1 ? ` +${items.length - 1}` : '');
  return shown + rest;
}

export interface CellOptions {
  /** Milliseconds since the epoch, for ages. */
  readonly now: number;
  /** Longest text, in characters. */
  readonly max: number;
}

/** Numbers are formatted by kind; each takes a finite number. */
const NUMERIC: Partial<Record<Kind, (value: number, now: number) => string | undefined>> = {
  int: formatNumber,
  number: formatNumber,
  bytes: formatBytes,
  percent: formatPercent,
  duration: formatDuration,
  rate: formatRate,
  time: formatTime,
};

/** Whether a cell has nothing to tell. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'number' && !Number.isFinite(value));
}

/** A list of texts, whatever else is in it. */
export function textItems(items: readonly unknown[]): string[] {
  return items.filter((item) => !isAbsent(item)).map(String);
}

/**
 * A cell as one line of text, or undefined when it is absent. A value that is not of its kind is shown as it is rather
 * than hidden; without a kind (keys that only the API knows) the value's own type decides.
 */
export function formatCell(kind: Kind | undefined, value: unknown, options: CellOptions): string | undefined {
  if (isAbsent(value)) return undefined;
  if (typeof value === 'number') return (NUMERIC[kind ?? 'number'] ?? formatNumber)(value, options.now);
  if (typeof value === 'boolean') return formatBool(value);
  if (Array.isArray(value)) return formatList(textItems(value), options.max);
  return oneLine(String(value), options.max);
}

/** `1 guest`, `2 guests`; a word in between goes in front of the noun. */
export function countOf(count: number, noun: string, word = ''): string {
  return `${count} ${word}${noun}${count === 1 ? '' : 's'}`;
}
