import { describe, expect, test } from 'vitest';
import { stubCall } from '../../test/support/stub-call.ts';
import { ApiError } from '../api/errors.ts';
import { checkSegment } from '../api/segments.ts';
import { fanOut } from './fan-out.ts';

const call = stubCall(() => []);
const read = (item: string) =>
  fanOut(
    call,
    ['good', item],
    (node) => ({ node }),
    async (node) => checkSegment('node', node),
  );

describe('fan-out', () => {
  test('an item of the API whose name cannot be asked for costs its own row only', async () => {
    const { results, gaps } = await read('b/../ad');
    expect(results.map((r) => r.item)).toEqual(['good']);
    expect(gaps).toMatchObject({ coverage: 'partial', problems: [{ kind: 'malformed-answer', where: { node: 'b/../ad' } }] });
  });

  test.each(['cancelled', 'unauthenticated'] as const)('%s is no gap', async (kind) => {
    const failing = fanOut(
      call,
      ['a', 'b'],
      () => ({}),
      async () => {
        throw new ApiError(kind, 'no');
      },
    );
    await expect(failing).rejects.toMatchObject({ kind });
  });
});
