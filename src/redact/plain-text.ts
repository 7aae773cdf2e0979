import { randomBytes } from 'node:crypto';
import { decodeUtf8 } from './encodings.ts';

/** Nothing to clean in it: the common case, decided by one search. */
const PLAIN = /^[\x20-\x7e]*$/;

/**
 * ANSI and other terminal sequences: CSI; OSC, DCS and the like with their content if they end; two-character escapes.
 * The one-byte forms (0x9b) are left to the control characters: double-encoded text is full of them.
 */
const TERMINAL = /\x1b\[[0-?]{0,64}[ -/]{0,8}[@-~]?|\x1b[\]PX^_][^\x07\x1b\n]{0,4096}(?:\x07|\x1b\\)|\x1b[ -/]{0,4}[0-~]?/g;

/**
 * Characters that can't be seen (soft hyphen, joiners, direction marks and overrides, fillers, invisible operators, tags,
 * variation selectors), but for the two selectors that choose between text and emoji.
 */
const INVISIBLE = /(?![\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}|[\ufff9-\ufffb]/gu;

const LONE_SURROGATE = /\p{Surrogate}/gu;

/**
 * Makes an upstream text safe to print: no control characters, terminal sequences, direction overrides, invisible
 * characters or Unicode tags. Without `multiline` line breaks and tabs become blanks; with it `\n` and `\t` stay and every
 * other line break becomes `\n`. Visible text is never changed. Repair double encoding before: it lives in control
 * characters.
 */
export function cleanText(text: string, options: { multiline?: boolean } = {}): string {
  if (PLAIN.test(text)) return text;
  const visible = text
    .replace(TERMINAL, '')
    .replace(INVISIBLE, '')
    .replace(/[\ufe0e\ufe0f]{2,}/g, (run) => run.charAt(0))
    .replace(LONE_SURROGATE, '\ufffd')
    .replace(/\r\n?|[\u0085\u2028\u2029\v\f]/g, '\n');
  return options.multiline === true
    ? visible.replace(/[\x00-\x08\x0e-\x1f\x7f-\x9f]/g, '')
    : visible.replace(/[\n\t]/g, ' ').replace(/[\x00-\x1f\x7f-\x9f]/g, '');
}

/**
 * One line for a table cell: cleaned, blanks collapsed and trimmed, at most `max` UTF-16 units including the `…` that
 * shows a cut. Never cuts a character in two.
 */
export function oneLine(text: string, max: number): string {
  const line = cleanText(text).replace(/\s+/g, ' ').trim();
  if (line.length <= max) return line;
  if (max < 1) return '';
  let end = max - 1;
  const last = line.charCodeAt(end - 1);
  if (last >= 0xd800 && last <= 0xdbff) end -= 1;
  return `${line.slice(0, end).trimEnd()}…`;
}

/** A tag nobody upstream can guess. */
function randomTag(): string {
  return randomBytes(8).toString('hex');
}

/**
 * Puts long free text (notes, logs) between two lines that carry a random tag, so that a reader can tell where upstream
 * text ends whatever stands in it. The text is cleaned; the tag, and anything that looks like such a line, is defused.
 * @param tag for tests; leave it out everywhere else
 */
export function fenceText(text: string, tag: string = randomTag()): string {
  const defused = cleanText(text, { multiline: true })
    .split(tag)
    .join('[tag]')
    .replace(/<(?=\s*\/?\s*upstream-text)/gi, '‹');
  return `<upstream-text-${tag}>\n${defused}${defused.endsWith('\n') ? '' : '\n'}</upstream-text-${tag}>`;
}

/**
 * Repairs UTF-8 that was encoded twice, as logs, task states and some comments arrive: only if every character fits a
 * byte and those bytes are valid UTF-8 with at least one character beyond ASCII. Correct text fails that test (`ü` alone is
 * no valid sequence) and comes back untouched.
 */
export function repairMojibake(text: string): string {
  if (!/[\u0080-\u00ff]/.test(text) || /[^\0-\u00ff]/.test(text)) return text;
  return decodeUtf8(Buffer.from(text, 'latin1')) ?? text;
}
