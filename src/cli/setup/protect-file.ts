import { execFile } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { promisify } from 'node:util';

/** Runs a program of the system. */
export type RunProgram = (program: string, args: readonly string[]) => Promise<unknown>;

const runProgram: RunProgram = (program, args) => promisify(execFile)(program, [...args], { windowsHide: true });

/**
 * Makes a file its owner's alone: mode 0600, or on Windows, where modes mean nothing, an access list with one entry and nothing
 * inherited.
 */
export async function ownerOnly(path: string, platform: NodeJS.Platform = process.platform, run = runProgram): Promise<void> {
  if (platform !== 'win32') {
    await chmod(path, 0o600);
    return;
  }
  const user = userInfo().username;
  const domain = process.env['USERDOMAIN'];
  const account = domain === undefined ? user : `${domain}\\${user}`;
  await run('icacls', [path, '/inheritance:r', '/grant:r', `${account}:F`]);
}
