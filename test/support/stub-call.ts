import { type Call, createCall } from '../../src/api/call.ts';
import { ApiError } from '../../src/api/errors.ts';
import { parseRelease } from '../../src/api/release.ts';
import type { Got, Query } from '../../src/api/session.ts';
import { createScrubber } from '../../src/redact/scrub-text.ts';
import type { PagePosition } from '../../src/tools/define-tool.ts';

/** Where a tool that is run without a client begins. */
export const FIRST_PAGE: PagePosition = { after: undefined, asked: Math.floor(Date.now() / 1000) };

/** What a stubbed read gives: the data of the answer, or an error to throw. */
export type StubAnswer = (
  path: string,
  params: Readonly<Record<string, string | number>>,
  query: Query,
) => unknown | Promise<unknown>;

/**
 * A call whose reads are answered by a function, for what the embedded cluster does not do: missing packages, odd rows.
 * An `ApiError` that it returns is thrown; a path it knows nothing of (`undefined`) fails the test.
 */
export function stubCall(answer: StubAnswer, release = '9.2.11'): Call {
  return createCall({
    cluster: 'stub',
    identity: 'tester@pve!t',
    key: 'stub',
    scrubber: createScrubber([]),
    health: { ignore: [], thresholds: {} },
    now: () => Date.now(),
    async get(path, params, query, caller): Promise<Got> {
      caller.sent(path);
      const data = await answer(path, params, query);
      if (data instanceof ApiError) throw data;
      if (data === undefined) throw new Error(`no stubbed answer for ${path}`);
      return { data, total: undefined, changes: undefined, redacted: 0, clockOffset: 0, at: Date.now() };
    },
    derive: (from, make) => make(from),
    release: async () => parseRelease(release),
    isStranger: () => false,
    kept: () => 0,
    forget: () => undefined,
  });
}
