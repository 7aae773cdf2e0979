import { describe, expect, test } from 'vitest';
import { guestOf } from '../../test/support/guest-of.ts';
import { stubCall } from '../../test/support/stub-call.ts';
import { ApiError } from '../api/errors.ts';
import { NO_GAPS } from '../api/reading.ts';
import { parseRelease } from '../api/release.ts';
import type { FactName } from './health-facts.ts';
import { type GuestScope, scanGuests } from './health-guests.ts';
import { parseInventory } from './inventory.ts';

const guests = [100, 101, 102].map((vmid) => guestOf({ vmid }));
const base = {
  inventory: { ...parseInventory([{ type: 'node', node: guests[0]?.node, status: 'online' }]), guests },
  release: { data: parseRelease('9.2.11'), lacks: [] },
  guests: NO_GAPS,
  storages: NO_GAPS,
  seesCluster: true,
};
const EVERYTHING = { node: undefined, vmid: undefined, after: 0, upTo: undefined };
const scan = (answer: (vmid: number) => unknown) => {
  const call = stubCall((_, { vmid }) => answer(Number(vmid)));
  return scanGuests(call, base, EVERYTHING, new Set(['details', 'snapshots']), { oneGo: 'ask', everyFirewall: 'ask' });
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

describe('which guests were compared', () => {
  const reads: string[] = [];
  const look = (scope: Partial<GuestScope>, ...facts: FactName[]) => {
    reads.length = 0;
    const call = stubCall((path) => {
      reads.push(path);
      return [];
    });
    return scanGuests(call, base, { ...EVERYTHING, ...scope }, new Set(facts), { oneGo: 'ask', everyFirewall: 'ask' });
  };

  test('all of them in one go', async () => {
    const { facts } = await look({}, 'details');
    expect([facts.oneGo.data, facts.everyFirewall.data]).toEqual([true, { unreachable: [] }]);
  });

  test.each([{ after: 100 }, { upTo: 101 }])('a part of them (%j): how to get the rest is told', async (scope) => {
    const { facts } = await look(scope, 'details');
    for (const { data, lacks } of [facts.oneGo, facts.everyFirewall])
      expect([data, lacks]).toEqual([undefined, [{ why: 'only 2 of 3 guests could be read in one go: ask' }]]);
  });

  test('all of a node: compared with each other, and no word of what is in no rule', async () => {
    const { facts } = await look({ node: guests[0]?.node }, 'details');
    expect(facts.oneGo.data).toBe(true);
    expect(facts.everyFirewall).toMatchObject({ data: undefined, lacks: [{ spared: true }] });
  });

  test('one guest is compared with nothing', async () => {
    const { facts } = await look({ vmid: 100 }, 'details');
    for (const fact of [facts.oneGo, facts.everyFirewall])
      expect(fact).toMatchObject({ data: undefined, lacks: [{ spared: true }] });
  });

  test('only what is wanted is asked for', async () => {
    await look({}, 'details');
    expect(reads).toHaveLength(3);
    await look({}, 'guestFirewalls');
    expect(new Set(reads.map((path) => path.split('/').slice(-2).join('/')))).toEqual(
      new Set(['firewall/options', 'firewall/rules']),
    );
  });
});
