/**
 * Cursors: where a list goes on. Self-contained (the HTTP server keeps no state), bound to the tool, its arguments and
 * the identity that reads, and holding the last row's sort key instead of an offset, so that rows which come and go
 * between two calls neither repeat nor hide others. It also holds when the first page was asked: "since 2d" means the
 * same span on every page. A cursor gives no rights: what it says is only where to go on.
 */
import { createHash } from 'node:crypto';
import { ApiError } from '../api/errors.ts';
import { foldKey, MAX_PARTS } from './sort-key.ts';
import type { SortKey } from './spec.ts';

const VERSION = 2;
/** Longest cursor, in characters. */
export const MAX_CURSOR_CHARS = 1024;
/** A folded string part is shorter. */
const MAX_PART_CHARS = 128;
/** The year 9999, in seconds. */
const LAST_MOMENT = 253_402_300_799;

/** Where a list goes on. */
export interface Position {
  /** Sort key of the last row that was shown. */
  readonly after: SortKey;
  /** When the first page was asked, in whole seconds since the epoch. */
  readonly asked: number;
}

/** What a cursor is bound to. */
export interface CursorScope {
  readonly tool: string;
  /** The call's arguments; those that only choose how much is shown are left out of the binding. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Cluster and token, as one text; only its hash is in the cursor. */
  readonly identity: string;
}

/** Arguments that may change from page to page. */
const FREE_ARGS: ReadonlySet<string> = new Set(['cursor', 'limit', 'fields']);

/** JSON with sorted keys: equal for equal values, whatever the order in which they were written. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}

function digestArgs(args: Readonly<Record<string, unknown>>): string {
  return digest(canonical(Object.fromEntries(Object.entries(args).filter(([name]) => !FREE_ARGS.has(name)))));
}

/** The cursor that continues after a row. At most {@link MAX_CURSOR_CHARS}: long keys are folded. */
export function encodeCursor(cursor: CursorScope & Position): string {
  const { tool, args, identity, after, asked } = cursor;
  const body = [VERSION, tool, digestArgs(args), digest(`identity ${identity}`), asked, foldKey(after)];
  return Buffer.from(JSON.stringify(body)).toString('base64url');
}

function refuse(why: string): ApiError {
  return new ApiError('bad-argument', `cursor: ${why}`, { hint: 'Repeat the call without cursor to start over.' });
}

const NOT_A_CURSOR = 'this is not a cursor that this server gave out';

function parse(text: string): unknown {
  if (text.length > MAX_CURSOR_CHARS || !/^[A-Za-z0-9_-]+$/.test(text)) throw refuse(NOT_A_CURSOR);
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    throw refuse(NOT_A_CURSOR);
  }
}

function isKey(value: unknown): value is SortKey {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_PARTS) return false;
  return value.every((part) => (typeof part === 'string' ? part.length <= MAX_PART_CHARS : Number.isFinite(part)));
}

function isMoment(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= LAST_MOMENT;
}

/**
 * Where to go on. The text comes from outside and is checked as hostile.
 *
 * @throws ApiError `bad-argument` that tells whether it is no cursor, or one of another tool, call or identity
 */
export function decodeCursor(text: string, scope: CursorScope): Position {
  const body = parse(text);
  if (!Array.isArray(body)) throw refuse(NOT_A_CURSOR);
  const [version, tool, args, identity, asked, key]: unknown[] = body;
  if (typeof version === 'number' && version !== VERSION) throw refuse('it was given out by another release of this server');
  if (version !== VERSION || body.length !== 6 || !isMoment(asked) || !isKey(key)) throw refuse(NOT_A_CURSOR);
  if (typeof tool !== 'string' || !/^[a-z][a-z0-9_]{0,63}$/.test(tool)) throw refuse(NOT_A_CURSOR);
  if (tool !== scope.tool) throw refuse(`it belongs to ${tool}, not to ${scope.tool}`);
  if (args !== digestArgs(scope.args)) {
    throw refuse('it belongs to a call with other arguments; only limit and fields may change between pages');
  }
  if (identity !== digest(`identity ${scope.identity}`)) throw refuse('it belongs to another cluster or token');
  return { after: key, asked };
}
