import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { Parsed } from './parsed.ts';
import type { Given } from './variables.ts';

/** A file's text, and its permission bits where the system has them (not on Windows). */
export interface FileText {
  readonly text: string;
  readonly mode?: number;
}

/** Reads a small text file or throws the file system's error. */
export type ReadFile = (path: string) => FileText;

/** No configuration file is this big; a device or a log given by mistake is. */
const MAX_BYTES = 1024 * 1024;

/** {@link ReadFile} from the file system. Regular files and pipes (`/dev/fd/3`), up to 1 MiB. */
export const readFileFromDisk: ReadFile = (path) => {
  const descriptor = openSync(path, 'r');
  try {
    const stat = fstatSync(descriptor);
    if (stat.size > MAX_BYTES) throw Object.assign(new Error('file is too large'), { code: 'EFBIG' });
    const text = readFileSync(descriptor, 'utf8').replace(/^\uFEFF/, '');
    return process.platform === 'win32' || !stat.isFile() ? { text } : { text, mode: stat.mode };
  } finally {
    closeSync(descriptor);
  }
};

/** `~/` means the home directory (clients start servers without a shell); other relative paths start at `base`. */
export function resolvePath(path: string, base: string): string {
  if (/^~[/\\]/.test(path)) return join(homedir(), path.slice(2));
  return isAbsolute(path) ? path : resolve(base, path);
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'does not exist'],
  ['ENOTDIR', 'does not exist'],
  ['EACCES', 'may not be read by this user'],
  ['EPERM', 'may not be read by this user'],
  ['EISDIR', 'is a directory'],
  ['EFBIG', 'is too large to be a configuration file'],
  ['ENAMETOOLONG', 'has too long a name'],
]);

/** A file that was read: what it holds, where it is, and how messages may name it. */
export interface NamedFile extends FileText {
  readonly path: string;
  readonly shown: string;
}

/** The file that a setting names, or a fault that tells the file (never its content) and the reason. */
export function readNamedFile(readFile: ReadFile, given: Given, accepts: string): Parsed<NamedFile> {
  if (given.text.includes('\0')) return { fault: { what: 'the file name holds a NUL character', accepts } };
  const path = resolvePath(given.text, given.base);
  // What doesn't look like a path may be a secret in the wrong place, so it is judged before the folder is put before it.
  const shown = mayBeShown(given.text) ? `"${path}"` : 'the file';
  try {
    return { value: { ...readFile(path), path, shown } };
  } catch (error) {
    const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
    const reason = REASONS.get(code) ?? `cannot be read${/^E[A-Z0-9]+$/.test(code) ? ` (${code})` : ''}`;
    return { fault: { what: `${shown} ${reason}`, accepts } };
  }
}

/** A warning when others than the owner can read a file that holds a secret. */
export function permissionWarning(variable: string, file: NamedFile): string | undefined {
  if (file.mode === undefined || (file.mode & 0o044) === 0) return undefined;
  const bits = (file.mode & 0o777).toString(8).padStart(3, '0');
  return `${variable}: ${file.shown} holds a secret and can be read by other users (mode ${bits}); chmod 600 it`;
}

/** True for text that looks like a path and has nothing in it that looks like a token or a piece of its secret. */
function mayBeShown(path: string): boolean {
  const looksLikePath = /[/\\]|\.[A-Za-z]{2,5}$/.test(path) && /^[\x20-\x7e]{1,300}$/.test(path);
  return looksLikePath && !/[0-9a-f]{8}-|[0-9a-f]{16}|[@=!]|:\/\//i.test(path);
}
