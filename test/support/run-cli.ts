import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Folder of the built program, with a slash at its end. */
export const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

/** Runs the built program the way a shell would, with nothing of this process's environment but the path. */
export function runCli(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  script = 'mcp-proxmox.mjs',
  input?: string,
): Promise<CliResult> {
  const started = Date.now();
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [DIST + script, ...args], {
      env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.stdin.end(input);
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr, ms: Date.now() - started }));
  });
}
