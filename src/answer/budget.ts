/** What one part of an answer asks for, in characters. */
export interface Claim {
  /** Always granted: the part's title, and the line that says what was left out. */
  readonly min: number;
  /** For all of it. */
  readonly full: number;
  /** Share of the room relative to others, when there is too little. */
  readonly weight: number;
}

/**
 * Shares out the room: who asks for little gets all of it, the others share what is left by weight, so that no part
 * starves beside a huge one.
 *
 * @returns characters for each claim, in order; never below its `min`, even if the room is too small for that
 */
export function shareOut(room: number, claims: readonly Claim[]): number[] {
  const grants = claims.map((claim) => claim.min);
  let left = Math.max(0, room - grants.reduce((sum, min) => sum + min, 0));
  const open = claims
    .map((claim, index) => ({ index, extra: Math.max(0, claim.full - claim.min), weight: claim.weight }))
    .sort((a, b) => a.extra / a.weight - b.extra / b.weight || a.index - b.index);
  let weights = open.reduce((sum, { weight }) => sum + weight, 0);
  for (const { index, extra, weight } of open) {
    const share = Math.min(extra, Math.floor((left * weight) / weights));
    grants[index] = (grants[index] ?? 0) + share;
    left -= share;
    weights -= weight;
  }
  return grants;
}
