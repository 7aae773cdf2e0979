/** What stands in place of every value that was hidden. There is only this one marker in the whole product. */
export const REDACTED = '[redacted]';

/** A text after scrubbing: `redacted` counts the values that were replaced by {@link REDACTED}. */
export interface Scrubbed {
  readonly text: string;
  readonly redacted: number;
}
