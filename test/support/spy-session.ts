import type { EndpointPath } from '../../src/api/endpoints.ts';
import { type ErrorKind, toApiError } from '../../src/api/errors.ts';
import type { Query, Session } from '../../src/api/session.ts';

/** One read as a tool asked for it, whether or not it became a request. */
export interface SeenRead {
  readonly path: EndpointPath;
  readonly params: Readonly<Record<string, string | number>>;
  readonly query: Query;
  /** Undefined while it is under way and when it went well. */
  failed: ErrorKind | undefined;
  done: boolean;
}

/** A session that behaves like the given one and notes what it is asked. */
export interface SpySession extends Session {
  readonly reads: readonly SeenRead[];
}

/** Watches the reads of one tool call, where the log of the cluster cannot tell who asked. */
export function spyOn(session: Session): SpySession {
  const reads: SeenRead[] = [];
  return {
    ...session,
    reads,
    async get(path, params, query, caller) {
      const read: SeenRead = { path, params, query, failed: undefined, done: false };
      reads.push(read);
      try {
        return await session.get(path, params, query, caller);
      } catch (thrown) {
        read.failed = toApiError(thrown).kind;
        throw thrown;
      } finally {
        read.done = true;
      }
    },
  };
}
