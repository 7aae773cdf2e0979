/** The sentences that both forms add to an answer. */
import { oneLine } from '../redact/plain-text.ts';
import type { Page, Progress } from './page.ts';
import { counted } from './units.ts';

/** Why rows are missing that no cursor leads to; undefined when none are. */
export function unreachedWords(page: Page<unknown>, progress: Progress): string | undefined {
  const known = page.before + page.available;
  // A reader that resumed by itself hands over the rest only; what was before it has been shown already.
  if (progress.after !== undefined || page.continued || page.of <= known) return undefined;
  return `${page.of - known} more rows match but were not read: narrow the question to see them`;
}

/** That the reader stopped early, and why. */
export function unfinishedWords(why: string, max: number): string {
  const reason = oneLine(why, max);
  return `not finished${reason === '' ? '' : ` (${reason})`}: counts are so far, draw no conclusion before the last page`;
}

/** That something which no cursor continues was cut. */
export function cutWords(maxChars: number): string {
  return `cut to ${maxChars} characters; ask for fewer sections or a narrower filter to see the rest`;
}

/** How many values were hidden, and what that does not mean. */
export function redactedWords(count: number): string {
  return `${counted(count, 'secret value')} in what was read; [redacted] is not unset`;
}
