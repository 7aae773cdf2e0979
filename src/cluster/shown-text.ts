import { textOf } from '../api/lenient.ts';
import { cleanText, oneLine } from '../redact/plain-text.ts';
import { scrubFreeText } from '../redact/scrub-text.ts';

/** A short text of the API, such as a name, as it may be shown; undefined when there is none. */
export function cleaned(value: unknown): string | undefined {
  const found = textOf(value);
  return found === undefined ? undefined : cleanText(found);
}

/** What somebody wrote in a comment field: one line, shortened, without secrets. */
export function commentOf(value: unknown): string | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : oneLine(scrubFreeText(text).text, 160);
}
