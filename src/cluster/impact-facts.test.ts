import { describe, expect, test } from 'vitest';
import { guestOf } from '../../test/support/guest-of.ts';
import { stubCall } from '../../test/support/stub-call.ts';
import { guestsInQuestion, parseTarget, readImpactFacts } from './impact-facts.ts';
import { type Inventory, parseInventory } from './inventory.ts';

describe('what is named', () => {
  test.each([
    ['storage:nas-media', 'storage', 'nas-media'],
    ['Node: pve2', 'node', 'pve2'],
    ['bridge=vmbr1', 'bridge', 'vmbr1'],
    ['vlan:020', 'vlan', '20'],
    ['mapping:gpu-a', 'mapping', 'gpu-a'],
    ['vnet:lan1', 'vnet', 'lan1'],
  ])('%s', (text, kind, id) => {
    expect(parseTarget(text)).toEqual({ kind, id });
  });
  test.each(['nas-media', 'disk:x', 'storage:', 'storage:a b', 'storage:../x', 'vlan:0', 'vlan:4095', 'node:a/b', 'node:%2e'])(
    '%s is refused before anything is read',
    (text) => {
      expect(() => parseTarget(text)).toThrow(expect.objectContaining({ kind: 'bad-argument' }));
    },
  );
});

describe('whose configuration is worth reading', () => {
  const inventory: Inventory = {
    guests: [guestOf({ vmid: 100 }), guestOf({ vmid: 101, node: 'n2' }), guestOf({ vmid: 200, type: 'lxc' })],
    nodes: [],
    storages: [],
    pools: [],
    networks: [],
    readAt: 0,
    clockAhead: 0,
  };
  const limited = {
    storage: 's',
    plugin: 'zfspool',
    content: [],
    nodes: ['n2'],
    enabled: true,
    shared: false,
    place: undefined,
    retention: undefined,
    namespace: undefined,
    vgname: undefined,
    thinpool: undefined,
  };
  const asked = (kind: Parameters<typeof guestsInQuestion>[0]['target']['kind'], id: string) =>
    guestsInQuestion({ target: { kind, id }, inventory, storages: [limited] }).map((g) => g.vmid);
  test.each([
    ['node', 'n1', [100, 200]],
    ['mapping', 'x', [100, 101]],
    ['storage', 's', [101]],
    ['storage', 'other', [100, 101, 200]],
    ['bridge', 'vmbr0', [100, 101, 200]],
  ] as const)('%s %s', (kind, id, vmids) => {
    expect(asked(kind, id)).toEqual(vmids);
  });
});

test.each([
  ['bridge', 1],
  ['vlan', 1],
  ['vnet', 0],
] as const)('a %s: the interfaces of a node that is off are missing, also where no guest is known on it', async (kind, told) => {
  const inventory = parseInventory(
    ['n1', 'n2'].map((node) => ({ type: 'node', node, status: node === 'n1' ? 'online' : 'offline' })),
  );
  const call = stubCall((path) => (path === '/access/permissions' ? {} : []));
  const { problems } = await readImpactFacts(call, { kind, id: '20' }, inventory);
  expect(problems.filter((p) => p.where.node === 'n2')).toHaveLength(told);
});
