import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { backupAndWrite } from './backup-and-write.ts';

let folder: string;
const now = new Date('2026-11-30T17:42:00Z');

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-proxmox-write-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('writes a new file, with the folders on the way', async () => {
  const path = join(folder, 'a/b/x.json');
  expect(await backupAndWrite(path, 'new', { now })).toBeUndefined();
  expect(await readFile(path, 'utf8')).toBe('new');
});

it('keeps a copy of what was there', async () => {
  const path = join(folder, 'x.json');
  await writeFile(path, 'old');
  const backup = await backupAndWrite(path, 'new', { now });
  expect(backup).toBe(`${path}.20261130-174200.bak`);
  expect(await readFile(backup ?? '', 'utf8')).toBe('old');
  expect(await readFile(path, 'utf8')).toBe('new');
  expect((await readdir(folder)).sort()).toEqual(['x.json', 'x.json.20261130-174200.bak']);
});

it('never overwrites a backup', async () => {
  const path = join(folder, 'x.json');
  for (const text of ['one', 'two', 'three']) await backupAndWrite(path, text, { now });
  const backups = (await readdir(folder)).filter((name) => name.endsWith('.bak'));
  const texts = await Promise.all(backups.map((name) => readFile(join(folder, name), 'utf8')));
  expect(texts.sort()).toEqual(['one', 'two']);
});

it('leaves the old file and no draft when it fails', async () => {
  const path = join(folder, 'x.json');
  await writeFile(path, 'old');
  await expect(
    backupAndWrite(path, 'new', {
      now,
      protect: (draft) => (draft.endsWith('.tmp') ? Promise.reject(new Error('no')) : Promise.resolve()),
    }),
  ).rejects.toThrow('no');
  expect(await readFile(path, 'utf8')).toBe('old');
  expect((await readdir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

it.skipIf(process.platform === 'win32')(
  'gives file and backup the wanted mode, keeps the mode otherwise, and follows a link',
  async () => {
    const path = join(folder, 'x.env');
    await writeFile(path, 'old', { mode: 0o640 });
    await symlink(path, join(folder, 'link'));
    await backupAndWrite(join(folder, 'link'), 'new', { now });
    expect((await stat(path)).mode & 0o777).toBe(0o640);
    expect(await readFile(path, 'utf8')).toBe('new');
    const backup = await backupAndWrite(path, 'newer', { mode: 0o600, now: new Date('2026-12-01T00:00:00Z') });
    for (const each of [path, backup ?? '']) expect((await stat(each)).mode & 0o777).toBe(0o600);
  },
);
