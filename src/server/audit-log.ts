/** One JSON line a call: who asked what, of which cluster, what it cost and how it ended. Never a secret, never an answer. */
import { createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { shorten } from '../answer/cut.ts';
import { unusable } from '../config/config-error.ts';
import type { Settings } from '../config/settings.ts';
import { REDACTED } from '../redact/marker.ts';
import { createScrubber, type Scrubber, scrubFreeText } from '../redact/scrub-text.ts';
import type { Secret } from '../redact/secret.ts';
import { isSecretName } from '../redact/secret-names.ts';
import type { Caller } from './caller.ts';
import type { Dispatched } from './dispatch.ts';

/** A call that has ended. */
export interface CallRecord {
  /** Epoch milliseconds. */
  readonly started: number;
  readonly finished: number;
  readonly caller: Caller;
  readonly tool: string;
  /** As the client sent them. */
  readonly args: unknown;
  /** Undefined: there is no such tool. */
  readonly outcome: Dispatched | undefined;
}

/** Is told of every call. */
export type Audit = (call: CallRecord) => void;

export interface AuditLog {
  readonly record: Audit;
  /** Resolves when everything is written. */
  close(): Promise<void>;
}

/** Bounds of what a caller can make the log hold, in characters, entries and levels. */
const MAX_TEXT = 200;
/** Of a longer text nothing is looked at. */
const MAX_READ = 2_000;
const MAX_ENTRIES = 40;
const MAX_DEPTH = 4;
/** Of all levels together: a body has room for tens of thousands. */
const MAX_ALL = 100;

/**
 * The line about a call, without its line end.
 *
 * @param known hides the configured secrets; those that the call itself carried are hidden here
 */
export function auditLine(call: CallRecord, known: Scrubber): string {
  const { outcome, caller } = call;
  const carried = [...(caller.secrets ?? []), ...[...(caller.tokens?.values() ?? [])].map((token) => token.secret)];
  // Cut after it is cleaned: half of a secret would not be known for one.
  const clean = (text: string) =>
    shorten(known.text(scrubFreeText(without(carried, text.slice(0, MAX_READ))).text).text, MAX_TEXT);
  return JSON.stringify({
    time: new Date(call.started).toISOString(),
    caller: clean(caller.name),
    tool: clean(call.tool),
    args: plain(call.args ?? {}, clean, { entries: MAX_ALL }, 0),
    clusters: outcome?.clusters ?? [],
    as: outcome?.identities ?? [],
    requests: outcome?.stats.requests ?? 0,
    redacted: outcome?.stats.redacted ?? 0,
    chars: outcome?.text.length ?? 0,
    ms: call.finished - call.started,
    outcome: outcomeOf(outcome),
  });
}

/** `ok`, the kind of the error, or `unknown-tool`. */
export function outcomeOf(outcome: Dispatched | undefined): string {
  if (outcome === undefined) return 'unknown-tool';
  return outcome.errorKind ?? 'ok';
}

/**
 * A text without secrets of which each request brings others: nobody but the caller knows them, so that they are looked
 * for as they are and not in every encoding, which would cost more than the call.
 */
function without(secrets: readonly Secret[], text: string): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret.reveal(), REDACTED), text);
}

/** Arguments as far as a log needs them: bounded, and with every text cleaned. */
function plain(value: unknown, clean: (text: string) => string, left: { entries: number }, depth: number): unknown {
  left.entries -= 1;
  if (depth >= MAX_DEPTH || left.entries < 0) return '…';
  if (typeof value === 'string') return clean(value);
  if (typeof value !== 'object' || value === null) return value;
  const most = Math.min(MAX_ENTRIES, left.entries);
  if (Array.isArray(value)) return value.slice(0, most).map((item: unknown) => plain(item, clean, left, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, most)
      .map(([key, item]): [string, unknown] => [clean(key), isSecretName(key) ? REDACTED : plain(item, clean, left, depth + 1)]),
  );
}

/**
 * Opens the log.
 *
 * @param path a file to append to (made with mode 600); `-` for standard error
 * @param settings their secrets never appear in it
 * @param tell where a failure to write is reported, once
 * @throws ConfigErrors when the file can't be opened: without its log this server must not start
 */
export async function openAuditLog(path: string, { clusters }: Settings, tell: (line: string) => void): Promise<AuditLog> {
  const known = createScrubber([...clusters.values()].map((cluster) => cluster.tokenSecret.reveal()));
  if (path === '-') {
    return {
      record: (call) => {
        process.stderr.write(`${auditLine(call, known)}\n`);
      },
      close: async () => {},
    };
  }
  try {
    await (await open(path, 'a', 0o600)).close();
  } catch (thrown) {
    throw unusable('--audit-log', thrown, 'a file that can be written, or - for standard error');
  }
  const stream = createWriteStream(path, { flags: 'a', mode: 0o600 });
  let failed = false;
  stream.on('error', (error) => {
    if (!failed) tell(`the audit log cannot be written: ${error.message}`);
    failed = true;
  });
  return {
    record: (call) => {
      stream.write(`${auditLine(call, known)}\n`);
    },
    close: () => new Promise((resolve) => stream.end(resolve)),
  };
}
