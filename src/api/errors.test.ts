import { afterEach, beforeEach, expect, type MockInstance, test, vi } from 'vitest';
import { stubCall } from '../../test/support/stub-call.ts';
import { ApiError, toApiError } from './errors.ts';
import { attempt } from './reading.ts';

let stderr: MockInstance<typeof process.stderr.write>;
beforeEach(() => {
  stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => {
  vi.restoreAllMocks();
});
const written = (): string => stderr.mock.calls.map(([text]) => String(text)).join('');

test('what the API said stays as it is, and is no fault of ours', () => {
  const error = new ApiError('forbidden', 'no', { needs: 'VM.Audit on /vms/1' });
  expect(toApiError(error, 'guest 1')).toBe(error);
  expect(written()).toBe('');
});

test('a fault in a reader is a problem without its words; the log has them once, without secrets', async () => {
  const fault = new TypeError('undefined is not iterable, PVEAPIToken=a@pve!b=99999999-0000-4000-8000-000000000000');
  const read = () =>
    attempt({ node: 'pve1', vmid: 100 }, async () => {
      throw fault;
    });
  expect(await read()).toEqual({
    data: undefined,
    coverage: 'partial',
    hidden: [],
    problems: [
      {
        where: { node: 'pve1', vmid: 100 },
        kind: 'internal',
        message: 'An internal fault of this program while reading guest 100, node pve1; please report it.',
        needs: undefined,
      },
    ],
  });
  await read();
  expect(written()).toContain('undefined is not iterable');
  expect(written()).toContain('errors.test.ts');
  expect(written()).not.toContain('99999999');
  expect(stderr).toHaveBeenCalledOnce();
});

test('a request that can not be made names what was asked', async () => {
  const call = stubCall(() => undefined);
  await expect(call.get('/cluster/resources', {})).rejects.toMatchObject({
    kind: 'internal',
    message: 'An internal fault of this program while reading /cluster/resources; please report it.',
  });
});
