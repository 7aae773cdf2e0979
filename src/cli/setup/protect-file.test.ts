import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ownerOnly } from './protect-file.ts';

it.skipIf(process.platform === 'win32')('closes a file to others', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-proxmox-protect-'));
  try {
    const file = join(folder, 'x');
    await writeFile(file, '', { mode: 0o644 });
    await ownerOnly(file);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

it('on Windows takes what is inherited away and leaves one entry', async () => {
  const ran: [string, readonly string[]][] = [];
  await ownerOnly('C:\\x y.env', 'win32', async (program, args) => void ran.push([program, args]));
  expect(ran).toHaveLength(1);
  const [program, args] = ran[0] ?? [];
  expect(program).toBe('icacls');
  expect(args?.slice(0, 3)).toEqual(['C:\\x y.env', '/inheritance:r', '/grant:r']);
  expect(args?.[3]).toMatch(new RegExp(`${userInfo().username}:F$`));
});

it('fails when the access list can not be set', async () => {
  await expect(ownerOnly('x', 'win32', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
});
