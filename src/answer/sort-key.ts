/**
 * The total order of rows, which cursors continue from.
 *
 * A cursor is small, so what it holds of a key is small: keys are *folded*. Long strings keep their start and get a hash
 * of the whole; keys of many parts keep the first ones and get a hash of the rest. Sorting uses folded keys as well, so
 * the order that was shown and the order that a cursor continues are the same one.
 */
import { createHash } from 'node:crypto';
import { byText } from '../api/lenient.ts';
import type { SortKey } from './spec.ts';

/** Longest string part, in bytes of JSON: volume ids and UPIDs fit whole. */
const PART_BYTES = 88;
/** What is kept of a longer one, in bytes of JSON; the rest is for the hash. */
const KEPT_BYTES = 71;
/** Most parts of a folded key. */
export const MAX_PARTS = 7;

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}

/** Bytes of a string inside JSON, without the quotes around it. */
function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

function foldText(text: string): string {
  // A character takes at most 6 bytes of JSON (`\u0000`).
  if (text.length * 6 <= PART_BYTES || jsonBytes(text) <= PART_BYTES) return text;
  let kept = '';
  let bytes = 0;
  for (const char of text) {
    bytes += jsonBytes(char);
    if (bytes > KEPT_BYTES) break;
    kept += char;
  }
  return `${kept}~${hash(text)}`;
}

/** A number that JSON can hold: infinities become the outermost numbers, NaN counts as unknown and goes last. */
function foldNumber(value: number): number {
  if (Number.isNaN(value)) return Number.MAX_VALUE;
  return Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE) || 0;
}

function foldPart(part: string | number): string | number {
  return typeof part === 'number' ? foldNumber(part) : foldText(part);
}

/** The small form of a key. Folding twice changes nothing. */
export function foldKey(key: SortKey): SortKey {
  if (key.length <= MAX_PARTS) return key.map(foldPart);
  const rest = hash(JSON.stringify(key.slice(MAX_PARTS - 1).map(foldPart)));
  return [...key.slice(0, MAX_PARTS - 1).map(foldPart), rest];
}

/** Order of folded keys: element by element, numbers before strings, a key before its own continuations. */
export function compareFolded(a: SortKey, b: SortKey): number {
  for (let i = 0; i < Math.min(a.length, b.length); i += 1) {
    const left = a[i] ?? 0;
    const right = b[i] ?? 0;
    if (left === right) continue;
    if (typeof left === 'number') return typeof right === 'number' ? left - right : -1;
    return typeof right === 'number' ? 1 : byText(left, right);
  }
  return a.length - b.length;
}

/**
 * The order of rows, for readers that resume after the key of a cursor: negative when `a` comes first.
 * Keys may be folded or not.
 */
export function compareSortKeys(a: SortKey, b: SortKey): number {
  return compareFolded(foldKey(a), foldKey(b));
}

/** Names as people count: `net2` before `net10`. Deterministic, a total order. */
export function compareNatural(a: string, b: string): number {
  const left = a.split(/(\d+)/);
  const right = b.split(/(\d+)/);
  // Odd places hold digits, even ones what is between them.
  for (let i = 0; i < Math.min(left.length, right.length); i += 1) {
    const x = left[i] ?? '';
    const y = right[i] ?? '';
    const order = (i % 2 === 1 ? Number(x) - Number(y) || 0 : 0) || byText(x, y);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}
