import { expect, test } from 'vitest';
import { stubCall } from '../../test/support/stub-call.ts';
import { ApiError } from '../api/errors.ts';
import { resolveGuest } from './resolve.ts';

const RESOURCES = [{ type: 'node', node: 'pve1', status: 'online' }];
const taken = new ApiError('bad-parameter', 'vmid: VM 100 already exists', { status: 400 });

/** A cluster of which the token sees no guest, and what it says of a number. */
const asking = (nextid: unknown) =>
  resolveGuest(
    stubCall((path) => (path === '/cluster/nextid' ? nextid : RESOURCES)),
    { vmid: 100 },
  );

test('a number that is free belongs to no guest', async () => {
  await expect(asking('100')).rejects.toMatchObject({ kind: 'not-found', message: 'There is no guest 100 in this cluster.' });
});

test('a number that is taken belongs to a guest that is hidden', async () => {
  await expect(asking(taken)).rejects.toMatchObject({ kind: 'forbidden', needs: 'VM.Audit on /vms/100' });
});

test.each([
  new ApiError('timeout', 'no answer'),
  new ApiError('upstream', 'Proxmox answered 500 without a text.', { status: 500 }),
  new ApiError('bad-parameter', 'vmid: type check failed', { status: 400 }),
])('that there is no guest is not claimed when the question failed ($kind)', async (failure) => {
  await expect(asking(failure)).rejects.toMatchObject({ kind: 'upstream', message: expect.stringContaining("can't be told") });
});
