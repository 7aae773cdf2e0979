import type { Gaps, Hidden, Problem } from '../api/reading.ts';

/**
 * Turns refusals into hidden things with a name: "datacenter options: needs Sys.Audit on /" tells more than "not
 * allowed" where many things are read for one answer. Anything else stays a problem.
 */
export function nameRefused(gaps: Gaps, what: string): Gaps {
  const problems: Problem[] = [];
  const hidden: Hidden[] = [...gaps.hidden];
  for (const problem of gaps.problems) {
    // `Sys.Audit on /`; several privileges may be joined by "or".
    const match = problem.kind === 'forbidden' ? /^(.+) on (\/\S*)$/.exec(problem.needs ?? '') : null;
    if (match === null) problems.push(problem);
    else hidden.push({ what, privilege: match[1] ?? '', path: match[2] ?? '' });
  }
  // Member by member: what comes in may be a whole reading, and its data must not travel along.
  return { problems, hidden, coverage: gaps.coverage, why: gaps.why };
}
