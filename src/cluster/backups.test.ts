import { expect, test } from 'vitest';
import { stubCall } from '../../test/support/stub-call.ts';
import { readStorageBackups } from './backups.ts';

const NAMED = 'nas:backup/vzdump-qemu-100-2026_01_01-00_00_00.vma.zst';
const RENAMED = 'nas:backup/vzdump-before-upgrade.vma.zst';

/** A storage whose content list leaves out, as the API does, what the rights do not open. */
function callWith(storageRights: Readonly<Record<string, number>>, dryRun: unknown = [{ volid: NAMED }, { volid: RENAMED }]) {
  const asked: string[] = [];
  const rights = { '/access': { 'Sys.Audit': 1 }, '/vms': { 'VM.Backup': 1 }, '/vms/100': { 'VM.Backup': 1 } };
  const call = stubCall((path) => {
    if (path === '/access/permissions') return { ...rights, '/storage/nas': storageRights };
    if (path.startsWith('/access/')) return [];
    asked.push(path.split('/').at(-1) ?? '');
    if (path.endsWith('/prunebackups')) return dryRun;
    const all = storageRights['Datastore.Allocate'] === 1;
    return [{ volid: NAMED, content: 'backup', size: 5 }, ...(all ? [{ volid: RENAMED, content: 'backup', size: 7 }] : [])];
  });
  return { call, asked };
}

const place = { node: 'n1', storage: 'nas' };
const SPACE = { 'Datastore.Audit': 1, 'Datastore.AllocateSpace': 1 };

test('a renamed backup is found though no right on a guest opens it', async () => {
  const { call, asked } = callWith(SPACE);
  const { data, coverage } = await readStorageBackups(call, { ...place, plugin: 'nfs' });
  expect(data.map((b) => [b.volid, b.source])).toEqual([
    [RENAMED, 'dry-run'],
    [NAMED, 'content'],
  ]);
  expect(coverage).toBe('complete');
  expect(asked).toEqual(['content', 'prunebackups']);
});

test('where the dry run tells nothing, renamed backups may be missing', async () => {
  const { call } = callWith(SPACE, null);
  const { data, coverage, problems } = await readStorageBackups(call, { ...place, plugin: 'nfs' });
  expect(data.map((b) => b.volid)).toEqual([NAMED]);
  expect(coverage).toBe('partial');
  expect(problems).toMatchObject([{ kind: 'malformed-answer', where: place }]);
});

test('no dry run with Datastore.Allocate, for one guest, or on a backup server', async () => {
  for (const [rights, query] of [
    [{ ...SPACE, 'Datastore.Allocate': 1 }, { plugin: 'nfs' }],
    [SPACE, { plugin: 'nfs', vmid: 100, type: 'qemu' }],
    [SPACE, { plugin: 'pbs' }],
  ] as const) {
    const { call, asked } = callWith(rights);
    expect((await readStorageBackups(call, { ...place, ...query })).coverage).toBe('complete');
    expect(asked).toEqual(['content']);
  }
});
