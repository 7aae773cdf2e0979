/** Shortening that never splits a character and never goes unmarked. */

/** The start of a text in at most `max` characters, with `…` where something was cut off. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  if (max < 1) return '';
  const kept = text.slice(0, max - 1);
  const last = kept.charCodeAt(kept.length - 1);
  // Half a surrogate pair is no character.
  return `${last >= 0xd800 && last <= 0xdbff ? kept.slice(0, -1) : kept}…`;
}

/** A share of the budget, within bounds. */
export function portion(maxChars: number, share: number, least: number, most: number): number {
  return Math.min(Math.max(Math.floor(maxChars * share), least), most);
}

/** Caps for the cells of a row, from generous to tight: the first one is used with which the row is not too long. */
export function firstFitting(caps: readonly number[], rowMax: number, build: (cap: number) => string): string {
  let line = '';
  for (const cap of caps) {
    line = build(cap);
    if (line.length <= rowMax) break;
  }
  return line;
}
