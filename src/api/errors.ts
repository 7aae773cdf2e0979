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
  | 'upstream';

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
 * `bad-argument` is a mistake of the caller found before any request; `bad-parameter` one found by the API.
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

/** Turns anything thrown into an ApiError, so that readers can report it as a problem. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new ApiError('upstream', message, { cause: thrown });
}
