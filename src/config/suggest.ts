/**
 * Edits between two short words: insert, delete, replace, or swap two neighbours (each costs 1).
 */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min((last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, (last[column - 1] ?? 0) + (same ? 0 : 1));
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}

/**
 * The known word that was probably meant, or undefined when none is near: the same in another case, else at most one edit for each three letters of the
 * known word, so that short words need to be nearly right.
 */
export function closest(word: string, known: readonly string[]): string | undefined {
  const same = known.find((candidate) => candidate.toLowerCase() === word.toLowerCase());
  if (same !== undefined) return same;
  let best: { word: string; distance: number } | undefined;
  for (const candidate of known) {
    const allowed = Math.max(1, Math.floor(candidate.length / 3));
    // The lengths alone already tell: saves the work, and bounds it for hostile input.
    if (Math.abs(candidate.length - word.length) > allowed) continue;
    const distance = editDistance(word, candidate);
    if (distance <= allowed && (best === undefined || distance < best.distance)) best = { word: candidate, distance };
  }
  return best?.word;
}
