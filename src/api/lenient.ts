/**
 * Lenient parsing of API values: numbers come as strings, booleans as 0, 1, "1", true or not at all, keys vanish.
 * Each function answers `undefined` where there is nothing usable; none but `listOf` throws.
 */
import { ApiError } from './errors.ts';

/** A JSON object, as far as anybody can promise. */
export type Raw = Readonly<Record<string, unknown>>;

export function isRaw(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object behind the value; an empty one when it is none. */
export function rawOf(value: unknown): Raw {
  return isRaw(value) ? value : {};
}

/** The objects in a list; anything else in it is left out, and a value that is no list is an empty one. */
export function rowsOf(value: unknown): readonly Raw[] {
  return Array.isArray(value) ? value.filter(isRaw) : [];
}

/**
 * The objects in the list that an answer is; anything else in it is left out. For a whole answer, where `rowsOf` would
 * turn one that tells nothing into "there is none".
 *
 * @param what the list, as a noun phrase for the error: `the list of tasks`
 * @throws ApiError `malformed-answer` when the value is no list
 */
export function listOf(value: unknown, what: string): readonly Raw[] {
  if (!Array.isArray(value)) throw new ApiError('malformed-answer', `The API's answer for ${what} is no list.`);
  return value.filter(isRaw);
}

/** A text that is not empty; numbers become text. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : undefined;
}

/** A finite number, also out of a text; nothing out of "N/A" or an empty text. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const parsed = Number(value);
  return Number.isFinite(parsed) ? parsed : undefined;
}

export function intOf(value: unknown): number | undefined {
  const parsed = numberOf(value);
  return parsed === undefined ? undefined : Math.trunc(parsed);
}

/** A guest id, 100 and up. */
export function vmidOf(value: unknown): number | undefined {
  const parsed = numberOf(value);
  return parsed !== undefined && Number.isInteger(parsed) && parsed >= 100 ? parsed : undefined;
}

/** Perl's truth: 1, "1", true, "yes", "on"; absent stays absent, so that the caller decides on the default. */
export function boolOf(value: unknown): boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'boolean') return value;
  const text = String(value).trim().toLowerCase();
  if (text === '' || text === '0' || text === 'no' || text === 'off' || text === 'false') return false;
  return text === '1' || text === 'yes' || text === 'on' || text === 'true' || numberOf(text) !== undefined ? true : undefined;
}

/** Seconds since the epoch; 0 means "never" or "unknown" throughout the API and is no time. */
export function timeOf(value: unknown): number | undefined {
  const parsed = numberOf(value);
  return parsed === undefined || parsed <= 0 ? undefined : parsed;
}

/** Tags: separated by `;`, in old configurations also by commas or blanks. Sorted, each once. */
export function tagsOf(value: unknown): readonly string[] {
  const text = textOf(value);
  if (text === undefined) return [];
  return [...new Set(text.split(/[;,\s]+/).filter((tag) => tag !== ''))].sort();
}

/** A comma list such as `content` or `nodes`; a list stays one. */
export function commaList(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((v) => textOf(v) ?? []);
  return (
    textOf(value)
      ?.split(/[,;\s]+/)
      .filter((part) => part !== '') ?? []
  );
}

/**
 * A property string such as `virtio=BC:24:11:..,bridge=vmbr0,firewall=1`. A part without `=` gets the key
 * `defaultKey` (volume, model, ...); the first one wins.
 */
export function propertiesOf(value: unknown, defaultKey = ''): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const part of (textOf(value) ?? '').split(',')) {
    if (part === '') continue;
    const at = part.indexOf('=');
    const key = at < 0 ? defaultKey : part.slice(0, at).trim();
    if (!found.has(key)) found.set(key, at < 0 ? part : part.slice(at + 1));
  }
  return found;
}

const SIZE_UNITS: Readonly<Record<string, number>> = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40, P: 2 ** 50 };

/** Bytes out of a size such as `32G` or `4M` in a disk string. */
export function sizeOf(value: unknown): number | undefined {
  const match = /^(\d+(?:\.\d+)?)([KMGTP]?)i?B?$/.exec(textOf(value) ?? '');
  if (match === null) return undefined;
  return Math.round(Number(match[1]) * (SIZE_UNITS[match[2] ?? ''] ?? 1));
}

/** Compares texts by code unit: the same everywhere, whatever the machine's language. */
export function byText(a: string | undefined, b: string | undefined): number {
  const x = a ?? '';
  const y = b ?? '';
  return x < y ? -1 : x > y ? 1 : 0;
}
