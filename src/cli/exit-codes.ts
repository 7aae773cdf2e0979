/** Exit codes of every command; documented in docs/. */
export const EXIT = {
  ok: 0,
  /** It ran, and what it found is not good (a tool's error, a failed check). */
  failed: 1,
  /** Configuration or arguments are wrong; nothing was asked. */
  usage: 2,
  /** The cluster can't be reached or refuses the token. */
  unreachable: 3,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
