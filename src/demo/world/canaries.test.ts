import { expect, it } from 'vitest';
import { createHandlers } from '../handlers/create-handlers.ts';
import { call } from '../handlers/test-request.ts';
import { DemoHttpError, type DemoRelease } from '../types.ts';
import { collectCanaries, plant } from './canaries.ts';
import { createCore } from './create-core.ts';
import { createWorld } from './create-world.ts';

const NOW = Date.UTC(2026, 0, 14, 11, 30);

/** Everything an all-powerful caller can read of guests, nodes, storage and tasks, as one text. */
function readEverything(release: DemoRelease): string {
  const world = createWorld({ now: NOW, release });
  const table = createHandlers(world);
  const texts: string[] = [];
  const read = (path: string, query: Record<string, string> = {}): void => {
    try {
      const { data, extra } = call(table, path, { query, release, now: NOW });
      texts.push(JSON.stringify([data, extra]));
    } catch (error) {
      if (!(error instanceof DemoHttpError)) throw error;
    }
  };
  read('/storage');
  for (const { node } of world.nodes) {
    const root = `/nodes/${node}`;
    for (const part of ['network', 'config', 'subscription']) read(`${root}/${part}`);
    for (const task of world.tasks.get(node) ?? []) read(`${root}/tasks/${task.upid}/log`, { limit: '5000' });
    read(`${root}/tasks`, { limit: '5000', source: 'all' });
    for (const storage of world.storages) read(`${root}/storage/${storage.storage}/content`);
    for (const guest of world.guestsOn(node)) {
      const path = `${root}/${guest.type}/${guest.vmid}`;
      for (const part of ['config', 'pending', 'cloudinit', 'snapshot', 'agent/file-read', 'agent/exec-status']) {
        if (guest.type === 'qemu' || !/cloudinit|agent/.test(part)) read(`${path}/${part}`, { file: '/etc/x', pid: '1' });
      }
      read(`${path}/config`, { current: '1' });
      if (guest.type === 'qemu') read(`${path}/cloudinit/dump`, { type: 'user' });
      for (const snapshot of guest.detail.snapshots) {
        read(`${path}/snapshot/${snapshot.name}/config`);
        read(`${path}/config`, { snapshot: snapshot.name });
      }
    }
    for (const backup of world.backups('local', node)) read(`${root}/storage/local/content/${backup.volid}`);
    for (const backup of world.backups('pbs-main', node)) read(`${root}/vzdump/extractconfig`, { volume: backup.volid });
  }
  return texts.join('\n');
}

it('every planted secret can be read by somebody, in the place it was planted for', () => {
  const text = readEverything('9.2.11');
  const missing = createCore({ now: NOW }).canaries.filter(
    (canary) => ![canary.value, ...canary.forms].some((form) => text.includes(form)),
  );
  expect(missing).toEqual([]);
});

it('gives every encoding once', () => {
  const sink = { canaries: [] };
  expect(plant(sink, 'a', 'one', 'b25l')).toBe('one');
  plant(sink, 'b', 'one');
  expect(collectCanaries(sink)).toEqual(['one', 'b25l']);
});

it('plants no secret so short that it could occur by chance', () => {
  expect(collectCanaries(createCore({ now: NOW })).filter((form) => form.length < 12)).toEqual([]);
});
