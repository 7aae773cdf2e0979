import { describe, expect, test } from 'vitest';
import { guestOf } from '../../test/support/guest-of.ts';
import { stubCall } from '../../test/support/stub-call.ts';
import { parseInventory } from './inventory.ts';
import { readMigrationFacts } from './migration-facts.ts';

const guest = guestOf();
const inventory = {
  ...parseInventory([guest.node, 'other'].map((node) => ({ type: 'node', node, status: 'online' }))),
  guests: [guest],
};

describe('a VNet is a bridge of the node', () => {
  const read = (rights: object) => {
    const call = stubCall((path) => {
      if (path === '/access/permissions')
        return { '/access': { 'Sys.Audit': 1 }, '/storage': { 'Datastore.Audit': 1 }, ...rights };
      if (path.endsWith('/config')) return { net0: 'virtio=BC:24:11:00:00:01,bridge=lan1' };
      return [];
    });
    return readMigrationFacts(call, guest, inventory);
  };
  const localnetwork = { '/sdn/zones/localnetwork': { 'SDN.Audit': 1 } };

  test('where VNets are hidden, one that is not shown may be there, and that is told', async () => {
    const { data, hidden, coverage } = await read({ ...localnetwork, '/sdn/zones': {} });
    expect(data.targets).toMatchObject([{ node: 'other', bridgesSure: false }]);
    expect(hidden).toMatchObject([{ privilege: 'SDN.Audit', path: '/sdn/zones' }]);
    expect(coverage).toBe('partial');
  });
  test('where they are all seen, it is not', async () => {
    const { data, coverage } = await read({ ...localnetwork, '/sdn/zones': { 'SDN.Audit': 1 } });
    expect(data.targets).toMatchObject([{ node: 'other', bridgesSure: true }]);
    expect(coverage).toBe('complete');
  });
});
