import { reportFault } from './faults.ts';

/** Every way in which a read can fail, as the answers name it. */
export type ErrorKind =
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'wrong-node'
  | 'node-unreachable'
  | 'unreachable'
  | 'timeout'
  | 'bad-parameter'
  | 'bad-argument'
  | 'unsupported-by-this-release'
  | 'not-configured'
  | 'malformed-answer'
  | 'too-large'
  | 'tls'
  | 'cancelled'
  | 'upstream'
  | 'internal';

export interface ApiErrorDetail {
  /** What to do next, one sentence. */
  readonly hint?: string | undefined;
  /** Missing privilege as `VM.Audit on /vms/100`, when the failure is about rights. */
  readonly needs?: string | undefined;
  /** HTTP status of the answer, when there was one. */
  readonly status?: number | undefined;
  readonly cause?: unknown;
}

/**
 * A failed read. `message` is fit for a reader: cleaned of secrets and server paths, without stack or URL.
 * `bad-argument` is a mistake of the caller found before any request; `bad-parameter` one found by the API; `internal` is a
 * fault of this program.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly kind: ErrorKind;
  readonly hint: string | undefined;
  readonly needs: string | undefined;
  readonly status: number | undefined;

  constructor(kind: ErrorKind, message: string, detail: ApiErrorDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.kind = kind;
    this.hint = detail.hint;
    this.needs = detail.needs;
    this.status = detail.status;
  }
}

/**
 * Turns anything thrown into an ApiError, so that readers can report it as a problem. What is none yet is a fault of this
 * program: its own words say nothing to a reader and may hold anything, so that they go to the log only.
 *
 * @param reading what was being read, as a noun phrase
 */
export function toApiError(thrown: unknown, reading?: string): ApiError {
  if (thrown instanceof ApiError) return thrown;
  reportFault(thrown);
  const where = reading === undefined ? '' : ` while reading ${reading}`;
  return new ApiError('internal', `An internal fault of this program${where}; please report it.`, { cause: thrown });
}
