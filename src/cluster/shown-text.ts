import { textOf } from '../api/lenient.ts';
import { cleanText, oneLine, repairMojibake } from '../redact/plain-text.ts';
import { scrubFreeText } from '../redact/scrub-text.ts';

/** A short text of the API, such as a name, as it may be shown; undefined when there is none. */
export function cleaned(value: unknown): string | undefined {
  const found = textOf(value);
  if (found === undefined) return undefined;
  const text = cleanText(found).trim();
  return text === '' ? undefined : text;
}

/** Somebody's words, which may arrive encoded twice: one line, shortened, without secrets. */
export function lineOf(text: string, max = 200): string {
  return oneLine(scrubFreeText(repairMojibake(text)).text, max);
}

/** What somebody wrote in a comment field: one line, shortened, without secrets. */
export function commentOf(value: unknown): string | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : oneLine(scrubFreeText(text).text, 160);
}
