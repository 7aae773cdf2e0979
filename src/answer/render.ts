/** From an answer to what is sent: the one door that both forms go through. */
import type { Answer } from './answer.ts';
import { renderStructured } from './render-structured.ts';
import { renderText } from './render-text.ts';
import { resolveSections } from './sections.ts';
import type { OutputSpec, SortKey } from './spec.ts';

export interface RenderOptions {
  /** `text`: compact text alone. `structured`: typed data, and the same as JSON in `text`. */
  readonly form: 'text' | 'structured';
  /** Most characters of `text`. */
  readonly maxChars: number;
  /** Milliseconds since the epoch, for ages. */
  readonly now: number;
  /** How many secret values were hidden in what was read. */
  readonly redacted: number;
  /** Columns of the paged table to show; all of them when absent or empty. */
  readonly fields?: readonly string[] | undefined;
  /** Most rows of the paged table. */
  readonly limit?: number | undefined;
  /** Where to go on, from a cursor. */
  readonly after?: SortKey | undefined;
  /** Makes the cursor that goes on after a row. */
  readonly cursorFor: (after: SortKey) => string;
}

export interface Rendered {
  /** At most `maxChars`. */
  readonly text: string;
  /** In the structured form only. */
  readonly structured?: Record<string, unknown>;
}

/**
 * Renders an answer within its budget. What does not fit is cut at the end of a row or line, and the answer says so; the
 * rest of a paged table is reachable through the cursor that is told.
 *
 * @throws ApiError `bad-argument` for an unknown field
 */
export function renderAnswer<O extends OutputSpec>(output: O, answer: Answer<O>, options: RenderOptions): Rendered {
  const sections = resolveSections(output, answer, options);
  return options.form === 'text' ? { text: renderText(sections, answer, options) } : renderStructured(sections, answer, options);
}
