import type { Parsed } from './parsed.ts';
import { quoted } from './quoted.ts';
import { MAX_ANSWER_CHARS, type OutputForm, TIMEOUT_SECONDS } from './settings.ts';

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['on', true],
  ['false', false],
  ['0', false],
  ['no', false],
  ['off', false],
]);

/** `true/false`, `1/0`, `yes/no`, `on/off`, in any case. */
export function parseBoolean(text: string): Parsed<boolean> {
  const value = BOOLEANS.get(text.toLowerCase());
  if (value === undefined) return { fault: { what: `${quoted(text)} is not a boolean`, accepts: 'true or false' } };
  return { value };
}

/** Seconds (decimals allowed) as whole milliseconds. */
export function parseTimeout(text: string): Parsed<number> {
  if (!/^\d{1,9}(\.\d{1,3})?$/.test(text)) {
    return { fault: { what: `${quoted(text)} is not a number of seconds`, accepts: timeoutAccepts } };
  }
  return timeoutFromSeconds(Number(text));
}

/** Seconds as whole milliseconds, within {@link TIMEOUT_SECONDS}. */
export function timeoutFromSeconds(seconds: number): Parsed<number> {
  if (seconds >= TIMEOUT_SECONDS.min && seconds <= TIMEOUT_SECONDS.max) return { value: Math.round(seconds * 1000) };
  const unit = seconds >= 1000 ? ' (the unit is seconds, not milliseconds)' : '';
  return { fault: { what: `${quoted(String(seconds))} is out of range${unit}`, accepts: timeoutAccepts } };
}

const timeoutAccepts = `seconds from ${TIMEOUT_SECONDS.min} to ${TIMEOUT_SECONDS.max}, for example ${TIMEOUT_SECONDS.default}`;

/** Whole characters within {@link MAX_ANSWER_CHARS}. */
export function parseMaxAnswerChars(text: string): Parsed<number> {
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value >= MAX_ANSWER_CHARS.min && value <= MAX_ANSWER_CHARS.max) return { value };
  const accepts = `a whole number from ${MAX_ANSWER_CHARS.min} to ${MAX_ANSWER_CHARS.max}`;
  return { fault: { what: `${quoted(text)} is not a length in that range`, accepts } };
}

/** `text` or `structured`, in any case. */
export function parseOutput(text: string): Parsed<OutputForm> {
  const word = text.toLowerCase();
  if (word === 'text' || word === 'structured') return { value: word };
  return { fault: { what: `${quoted(text)} is not a form of output`, accepts: 'text or structured' } };
}
