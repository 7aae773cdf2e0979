import { randomBytes } from 'node:crypto';
import { chmod, constants, copyFile, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The text of a file; undefined when there is none. Other failures are thrown. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}

/** What to mind about the file that is written. */
export interface WriteOptions {
  /** Permissions of the file; by default those it has, or those of the system for a new one. */
  readonly mode?: number;
  /** Is handed the new file before it takes the place of the old one; for what `mode` can't say. */
  readonly protect?: (path: string) => Promise<void>;
  /** Now, as it appears in the name of the backup. */
  readonly now?: Date;
}

/**
 * Puts a text in the place of a file, whole or not at all: a copy of the old one is kept beside it, the new one is written under
 * another name and renamed. A link stays a link: what it points to is replaced.
 *
 * @returns path of the backup, or undefined when there was no file
 */
export async function backupAndWrite(path: string, text: string, options: WriteOptions = {}): Promise<string | undefined> {
  const { mode, protect, now = new Date() } = options;
  await mkdir(dirname(path), { recursive: true });
  const target = await realpath(path).catch((thrown: unknown) => {
    if (codeOf(thrown) === 'ENOENT') return path;
    throw thrown;
  });
  const old = await stat(target).catch(() => undefined);
  const backup = old === undefined ? undefined : await copyBeside(target, stampOf(now));
  if (backup !== undefined) {
    // A copy gets the permissions of its original; that of a secret is closed even if the original was not.
    if (mode !== undefined) await chmod(backup, mode);
    await protect?.(backup);
  }
  const draft = `${target}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await writeFile(draft, text, { flag: 'wx', mode: mode ?? (old === undefined ? 0o666 : old.mode & 0o777) });
    await protect?.(draft);
    await rename(draft, target);
  } catch (thrown) {
    await rm(draft, { force: true });
    throw thrown;
  }
  return backup;
}

/** Copies a file beside itself, under a name that nothing has yet. */
async function copyBeside(path: string, stamp: string): Promise<string> {
  for (let count = 1; ; count += 1) {
    const copy = `${path}.${stamp}${count === 1 ? '' : `-${count}`}.bak`;
    try {
      await copyFile(path, copy, constants.COPYFILE_EXCL);
      return copy;
    } catch (thrown) {
      if (codeOf(thrown) !== 'EEXIST') throw thrown;
    }
  }
}

/** `20261130-174200`: sorts by time, and has nothing that a file name may not have. */
function stampOf(now: Date): string {
  return now.toISOString().replace(/\..*/, '').replaceAll(/[-:]/g, '').replace('T', '-');
}

function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
}
