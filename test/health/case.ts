import type { Given } from '../support/health-facts.ts';

/** Facts on which a check speaks, and the nearest ones on which it must not. */
export interface Case {
  readonly fires: Given;
  /** What the findings are on, in order of name; with `:severity` where it is not the check's own. */
  readonly on: readonly string[];
  /** None of these may fire. */
  readonly near: readonly Given[];
}

export type Cases = Readonly<Record<string, Case>>;
