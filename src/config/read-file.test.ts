import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { permissionWarning, readFileFromDisk, readNamedFile } from './read-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'config-'));
afterAll(() => rmSync(folder, { recursive: true }));

const read = (text: string) => readNamedFile(readFileFromDisk, { text, base: folder }, 'a file');

describe('files on disk', () => {
  test('relative paths start at the base folder, and a byte order mark is dropped', () => {
    writeFileSync(join(folder, 'a.txt'), '\uFEFFhello\n');
    expect(read('a.txt').value).toMatchObject({ text: 'hello\n', path: join(folder, 'a.txt') });
    expect(read('./a.txt').value?.text).toBe('hello\n');
    expect(read(join(folder, 'a.txt')).value?.text).toBe('hello\n');
  });

  test('~/ is the home directory', () => {
    const seen: string[] = [];
    const spy = (path: string) => {
      seen.push(path);
      return { text: '' };
    };
    readNamedFile(spy, { text: '~/x/y', base: folder }, 'a file');
    readNamedFile(spy, { text: '~user/x', base: '/base' }, 'a file');
    expect(seen).toEqual([join(homedir(), 'x/y'), '/base/~user/x']);
  });

  test.skipIf(process.platform === 'win32')('a file that others can read is warned about, through a link as well', () => {
    const path = join(folder, 'secret.txt');
    writeFileSync(path, 'x');
    symlinkSync(path, join(folder, 'link.txt'));
    for (const [mode, warned] of [
      [0o600, false],
      [0o400, false],
      [0o640, true],
      [0o604, true],
      [0o644, true],
    ] as const) {
      chmodSync(path, mode);
      for (const name of ['secret.txt', 'link.txt']) {
        const file = read(name).value;
        const warning = file && permissionWarning('PROXMOX_TOKEN_SECRET_FILE', file);
        expect(warning !== undefined, `${name} ${mode.toString(8)}`).toBe(warned);
        if (warned) expect(warning).toContain(`mode ${mode.toString(8)}`);
      }
    }
  });

  test('what cannot be read is told with the reason', () => {
    mkdirSync(join(folder, 'dir.d'));
    writeFileSync(join(folder, 'big.txt'), Buffer.alloc(1024 * 1024 + 1));
    expect(read('none.txt').fault?.what).toBe(`"${join(folder, 'none.txt')}" does not exist`);
    expect(read('dir.d/').fault?.what).toContain('is a directory');
    expect(read('big.txt').fault?.what).toContain('too large');
    expect(read('a.txt/b').fault?.what).toContain('does not exist');
    expect(read('a\0b').fault?.what).toContain('NUL');
    expect(read(`./${'x'.repeat(290)}`).fault?.what).toContain('too long');
  });

  test.each([
    'c0ffee00-1234-4abc-8def-5ec2e75ec2e7',
    '/c0ffee00-1234-4abc-8def-5ec2e75ec2e7',
    'hunter2-secret',
    'mcp@pve!a=b/c',
    'https://u:hunter2/x',
  ])('a secret given as the path is not repeated (%#)', (text) => {
    expect(read(text).fault?.what).toBe('the file does not exist');
  });
});
