import { expect, test } from 'vitest';
import { guestOf } from '../../test/support/guest-of.ts';
import { stubCall } from '../../test/support/stub-call.ts';
import { ApiError } from '../api/errors.ts';
import { NO_GAPS } from '../api/reading.ts';
import { parseRelease } from '../api/release.ts';
import { scanGuests } from './health-guests.ts';
import { parseInventory } from './inventory.ts';

const guests = [100, 101, 102].map((vmid) => guestOf({ vmid }));
const base = {
  inventory: { ...parseInventory([{ type: 'node', node: guests[0]?.node, status: 'online' }]), guests },
  release: { data: parseRelease('9.2.11'), lacks: [] },
  guests: NO_GAPS,
  storages: NO_GAPS,
  seesCluster: true,
};
const scan = (answer: (vmid: number) => unknown) => {
  const call = stubCall((_, { vmid }) => answer(Number(vmid)));
  return scanGuests(call, base, guests, new Set(['details', 'snapshots']), 0);
};

test.each(['bad-argument', 'forbidden', 'timeout'] as const)(
  'a guest that is lost with %s is told, in every fact',
  async (kind) => {
    const { facts, done, stoppedAfter } = await scan((vmid) => (vmid === 101 ? new ApiError(kind, 'Not this one') : []));
    expect(stoppedAfter).toBeUndefined();
    expect(done).toBe(kind === 'bad-argument' ? 2 : 3);
    for (const fact of [facts.details, facts.snapshots]) expect(fact.lacks.map((l) => l.why).join()).toContain('guest 101');
  },
);
