import { describe, expect, test } from 'vitest';
import { guestOf } from '../../test/support/guest-of.ts';
import type { Guest, Node } from '../cluster/inventory.ts';
import { failovers, nodeCapacities } from './capacity.ts';

const GIB = 2 ** 30;

function node(name: string, memGib: number, usedGib: number, extra: Partial<Node> = {}): Node {
  return {
    node: name,
    status: 'online',
    hasFigures: true,
    cpu: 0.2,
    maxCpu: 8,
    mem: usedGib * GIB,
    maxMem: memGib * GIB,
    disk: undefined,
    maxDisk: undefined,
    uptime: undefined,
    level: undefined,
    haState: undefined,
    ...extra,
  };
}

function guest(vmid: number, on: string, memGib: number, usedGib: number, extra: Partial<Guest> = {}): Guest {
  const figures = { cpu: 0.1, maxCpu: 2, mem: usedGib * GIB, maxMem: memGib * GIB };
  return guestOf({ vmid, name: undefined, node: on, ...figures, ...extra });
}

const verdicts = (nodes: Node[], guests: Guest[], all = true) =>
  Object.fromEntries(failovers(nodes, guests, all).map((f) => [f.node, f.verdict]));

describe('losing a node', () => {
  test.each<[string, Node[], Guest[], string]>([
    ['room for everything', [node('a', 32, 8), node('b', 64, 8)], [guest(100, 'a', 16, 8)], 'fits'],
    ['nothing runs there', [node('a', 32, 1), node('b', 64, 8)], [guest(100, 'b', 16, 8)], 'nothing-runs'],
    [
      'stopped guests need nothing',
      [node('a', 32, 1), node('b', 64, 8)],
      [guest(100, 'a', 64, 0, { status: 'stopped' })],
      'nothing-runs',
    ],
    ['room only for what is used now', [node('a', 32, 8), node('b', 32, 4)], [guest(100, 'a', 32, 8)], 'fits-by-use'],
    ['no room', [node('a', 32, 30), node('b', 32, 28)], [guest(100, 'a', 30, 29), guest(101, 'b', 26, 25)], 'does-not-fit'],
    [
      'promised memory counts, not only used',
      [node('a', 32, 8), node('b', 32, 6)],
      [guest(100, 'a', 12, 8), guest(101, 'b', 24, 4)],
      'fits-by-use',
    ],
    ['no other node', [node('a', 32, 8)], [guest(100, 'a', 16, 8)], 'no-other-node'],
    [
      'the other node is off',
      [node('a', 32, 8), node('b', 64, 0, { status: 'offline' })],
      [guest(100, 'a', 16, 8)],
      'no-other-node',
    ],
    [
      'figures of the other are not visible',
      [node('a', 32, 8), node('b', 64, 8, { maxMem: undefined })],
      [guest(100, 'a', 16, 8)],
      'unknown',
    ],
    [
      'memory of a guest is not told',
      [node('a', 32, 8), node('b', 64, 8)],
      [guest(100, 'a', 16, 8, { maxMem: undefined })],
      'unknown',
    ],
  ])('%s: %s', (_what, nodes, guests, verdict) => {
    expect(verdicts(nodes, guests)['a']).toBe(verdict);
  });

  test('one guest does not fit although the sum of the room would do', () => {
    const nodes = [node('a', 64, 34), node('b', 32, 12), node('c', 32, 12)];
    const guests = [guest(100, 'a', 33, 32)];
    expect(failovers(nodes, guests, true)[0]).toMatchObject({ verdict: 'does-not-fit', leftOut: [{ vmid: 100 }] });
  });

  test('HA guests get the room first, then the largest', () => {
    const nodes = [node('a', 64, 40), node('b', 32, 1)];
    const guests = [guest(100, 'a', 20, 20), guest(101, 'a', 16, 16, { haState: 'started' }), guest(102, 'a', 10, 10)];
    const [down] = failovers(nodes, guests, true);
    expect(down).toMatchObject({ verdict: 'does-not-fit', ha: 1 });
    expect(down?.leftOut.map((g) => g.vmid)).toEqual([100]);
  });

  test('with hidden guests "fits" is not known, "does not fit" is', () => {
    expect(verdicts([node('a', 32, 8), node('b', 64, 8)], [guest(100, 'a', 16, 8)], false)['a']).toBe('unknown');
    expect(verdicts([node('a', 32, 8), node('b', 64, 8)], [], false)['a']).toBe('unknown');
    expect(verdicts([node('a', 32, 30), node('b', 32, 28)], [guest(100, 'a', 30, 29)], false)['a']).toBe('does-not-fit');
  });

  test('quorum: one vote a node', () => {
    const quorum = (nodes: Node[]) => failovers(nodes, [], true).map((f) => f.quorate);
    expect(quorum([node('a', 1, 0), node('b', 1, 0), node('c', 1, 0)])).toEqual([true, true, true]);
    expect(quorum([node('a', 1, 0), node('b', 1, 0), node('c', 1, 0, { status: 'offline' })])).toEqual([false, false]);
    expect(quorum([node('a', 1, 0), node('b', 1, 0)])).toEqual([false, false]);
    expect(quorum([node('a', 1, 0)])).toEqual([undefined]);
  });
});

test('allocation counts what runs, on its node', () => {
  const rows = nodeCapacities(
    [node('a', 32, 8), node('b', 32, 0, { status: 'offline', mem: 5 })],
    [
      guest(100, 'a', 16, 8),
      guest(101, 'a', 4, 1, { status: 'stopped' }),
      guest(102, 'a', 4, 0, { template: true }),
      guest(103, 'a', 2, 1, { status: 'paused' }),
    ],
  );
  expect(rows[0]).toMatchObject({ active: 2, allocated: 18 * GIB, vcpus: 4, memUsed: 8 * GIB });
  expect(rows[1]).toMatchObject({ active: 0, memUsed: undefined, cpu: undefined });
});
