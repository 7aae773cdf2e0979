import { describe, expect, it } from 'vitest';
import { createWorld } from './create-world.ts';

const NOW = Date.UTC(2026, 0, 14, 11, 30);

describe('hand-made cluster', () => {
  const world = createWorld({ now: NOW });

  it('has three nodes, one of them off, and some thirty guests', () => {
    expect(world.nodes.map((node) => [node.node, node.online])).toEqual([
      ['pve1', true],
      ['pve2', true],
      ['pve3', false],
    ]);
    expect(world.guests.size).toBeGreaterThanOrEqual(30);
  });

  it('has a dozen kinds of storage', () => {
    const kinds = new Set(world.storages.map((storage) => storage.type));
    for (const kind of [
      'dir',
      'lvm',
      'lvmthin',
      'zfspool',
      'nfs',
      'cifs',
      'cephfs',
      'rbd',
      'pbs',
      'iscsi',
      'btrfs',
      'esxi',
      'purestorage',
    ]) {
      expect(kinds).toContain(kind);
    }
  });

  it('has tasks in every state and two that run', () => {
    const tasks = [...world.tasks.values()].flat();
    expect(tasks.length).toBeGreaterThan(140);
    expect(tasks.filter((task) => task.endtime === undefined)).toHaveLength(2);
    const states = new Set(tasks.map((task) => task.status));
    for (const state of [
      'OK',
      'WARNINGS: 2',
      'job errors',
      'unexpected status',
      'interrupted by signal',
      'received interrupt',
      'connection timed out',
    ]) {
      expect(states).toContain(state);
    }
    expect(tasks.some((task) => task.log()?.length === 1201)).toBe(true);
    expect(new Set(tasks.map((task) => task.upid)).size).toBe(tasks.length);
    for (const task of tasks) expect(task.upid).toMatch(/^UPID:pve\d:[0-9A-F]{8}:[0-9A-F]{8}:[0-9A-F]{8}:[a-z]+:[^:]*:[^:]+:$/);
  });

  it('lies around the given moment', () => {
    const now = NOW / 1000;
    for (const task of [...world.tasks.values()].flat()) expect(task.starttime).toBeLessThan(now);
    const backups = world.storages.flatMap((storage) => world.backups(storage.storage, 'pve1'));
    expect(Math.max(...backups.map((backup) => backup.ctime))).toBeLessThan(now);
    expect(now - Math.max(...backups.map((backup) => backup.ctime))).toBeLessThan(36 * 3600);
  });
});

describe('generated clusters', () => {
  it('are quick, as large as asked for, and keep the special guests', () => {
    const started = performance.now();
    const world = createWorld({ now: NOW, nodes: 32, guests: 5000 });
    expect(performance.now() - started).toBeLessThan(1500);
    expect(world.nodes).toHaveLength(32);
    expect(world.guests.size).toBe(5000);
    expect(world.guests.get(101)?.name).toBe('db-primary.demo.example');
    expect(world.guestsOn('pve20').length).toBeGreaterThan(100);
  });

  it('are equal for equal options', () => {
    const shape = () => {
      const world = createWorld({ now: NOW, nodes: 5, guests: 200 });
      return JSON.stringify([
        [...world.guests.values()].map((guest) => [guest, guest.detail.config, [...guest.detail.changes]]),
        world.backups('pbs-bulk', 'pve1'),
        [...world.tasks.values()].map((tasks) => tasks.map((task) => [task.upid, task.status, task.log()])),
      ]);
    };
    expect(shape()).toBe(shape());
  });

  it('can be smaller than the hand-made one', () => {
    const world = createWorld({ now: NOW, nodes: 1, guests: 5 });
    expect(world.nodes.map((node) => node.node)).toEqual(['pve1']);
    expect(world.guests.size).toBe(5);
    expect([...world.guests.values()].every((guest) => guest.node === 'pve1')).toBe(true);
  });
});

it('a standalone node has no HA states and node id 0', () => {
  const world = createWorld({ now: NOW, standalone: true });
  expect(world.nodes.map(({ node, nodeid, hastate }) => ({ node, nodeid, hastate }))).toEqual([
    { node: 'pve1', nodeid: 0, hastate: undefined },
  ]);
  expect([...world.guests.values()].filter((guest) => guest.hastate !== undefined)).toEqual([]);
});
