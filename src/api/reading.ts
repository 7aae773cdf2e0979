import { type ApiError, type ErrorKind, toApiError } from './errors.ts';

/** Where a problem sits. */
export interface Where {
  readonly cluster?: string;
  readonly node?: string;
  readonly storage?: string;
  readonly vmid?: number;
}

/** Something that could not be read, and therefore is missing from the data. */
export interface Problem {
  readonly where: Where;
  readonly kind: ErrorKind;
  readonly message: string;
  /** `VM.Audit on /vms/100`, when a right is missing. */
  readonly needs?: string | undefined;
}

/** Something that the token is not allowed to see. */
export interface Hidden {
  /** Noun phrase, e.g. `backups of guests`. */
  readonly what: string;
  readonly privilege: string;
  readonly path: string;
  /** Set in answers about several clusters. */
  readonly cluster?: string | undefined;
}

/**
 * How much of the whole the data is.
 * - `complete`: known to be everything
 * - `partial`: known to lack something (see problems and hidden)
 * - `unknown`: it cannot be told whether the token sees everything
 */
export type Coverage = 'complete' | 'partial' | 'unknown';

/** What is missing from a reading; the part that every answer carries. */
export interface Gaps {
  readonly problems: readonly Problem[];
  readonly coverage: Coverage;
  readonly hidden: readonly Hidden[];
  /** Why the coverage is not complete: clauses, with `; ` between them. */
  readonly why?: string | undefined;
}

/** What a reader returns: the data and the truth about it. */
export interface Reading<T> extends Gaps {
  readonly data: T;
}

export const NO_GAPS: Gaps = { problems: [], coverage: 'complete', hidden: [] };

/** A reading that is known to be everything. */
export function complete<T>(data: T): Reading<T> {
  return { data, ...NO_GAPS };
}

/** A reading with the gaps of others. */
export function withGaps<T>(data: T, ...gaps: readonly Gaps[]): Reading<T> {
  return { data, ...mergeGaps(...gaps) };
}

const RANK: Readonly<Record<Coverage, number>> = { complete: 0, unknown: 1, partial: 2 };

/** The single reasons for which coverage is not complete. */
export function clausesOf(why: string | undefined): readonly string[] {
  return why?.split('; ') ?? [];
}

/** The union of gaps: the worst coverage, every problem, hidden thing and reason once. */
export function mergeGaps(...gaps: readonly Gaps[]): Gaps {
  let coverage: Coverage = 'complete';
  const clauses = new Set<string>();
  const problems = new Map<string, Problem>();
  const hidden = new Map<string, Hidden>();
  for (const gap of gaps) {
    if (RANK[gap.coverage] > RANK[coverage]) coverage = gap.coverage;
    for (const clause of clausesOf(gap.why)) clauses.add(clause);
    for (const p of gap.problems) problems.set(JSON.stringify([p.where, p.kind, p.message, p.needs]), p);
    for (const h of gap.hidden) hidden.set(JSON.stringify([h.what, h.privilege, h.path, h.cluster]), h);
  }
  const why = clauses.size === 0 ? undefined : [...clauses].join('; ');
  return { problems: [...problems.values()], coverage, hidden: [...hidden.values()], why };
}

/** A problem row from an error. */
export function problemFrom(thrown: unknown, where: Where): Problem {
  const error: ApiError = toApiError(thrown, placeText(where));
  return { where, kind: error.kind, message: error.message, needs: error.needs };
}

function placeText({ cluster, node, storage, vmid }: Where): string | undefined {
  const parts = [
    ...(vmid === undefined ? [] : [`guest ${vmid}`]),
    ...(storage === undefined ? [] : [`storage ${storage}`]),
    ...(node === undefined ? [] : [`node ${node}`]),
    ...(cluster === undefined ? [] : [`cluster ${cluster}`]),
  ];
  return parts.length === 0 ? undefined : parts.join(', ');
}

/** Gaps made of one failure. A cancelled call is no gap: it is thrown on. */
export function gapFrom(thrown: unknown, where: Where): Gaps {
  const error = toApiError(thrown, placeText(where));
  if (error.kind === 'cancelled' || error.kind === 'bad-argument' || error.kind === 'unauthenticated') throw error;
  return { problems: [problemFrom(error, where)], coverage: 'partial', hidden: [] };
}

/** Runs a read that may fail without failing the whole; the failure becomes a gap and the data undefined. */
export async function attempt<T>(where: Where, read: () => Promise<T>): Promise<Reading<T | undefined>> {
  try {
    return complete(await read());
  } catch (thrown) {
    return { data: undefined, ...gapFrom(thrown, where) };
  }
}

/** "visible " where the data may not be all there is; for headlines, so that a count is never read as the whole. */
export function visibleWord(gaps: Gaps): string {
  return gaps.hidden.length > 0 || gaps.coverage === 'unknown' ? 'visible ' : '';
}
