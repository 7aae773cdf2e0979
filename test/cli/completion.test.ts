import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DIST, runCli } from '../support/run-cli.ts';

const run = promisify(execFile);
let folder: string;
let hasBash = true;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-proxmox-completion-'));
  const command = join(folder, 'mcp-proxmox');
  await writeFile(command, `#!/bin/sh\nexec '${process.execPath}' '${DIST}mcp-proxmox.mjs' "$@"\n`);
  await chmod(command, 0o755);
  // On Windows a program named bash may be another system's.
  hasBash =
    process.platform !== 'win32' &&
    (await run('bash', ['--version']).then(
      () => true,
      () => false,
    ));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What bash itself offers at the end of a line: the script is loaded, and the function called that it registered. */
async function offered(line: string): Promise<string[]> {
  const script = `
    source <(mcp-proxmox completion bash)
    line=$1
    # As readline splits words: at blanks, and at the characters of COMP_WORDBREAKS.
    read -ra words <<< "\${line//=/ = }"
    [[ $line == *' ' ]] && words+=('')
    COMP_WORDS=("\${words[@]}"); COMP_CWORD=$(( \${#words[@]} - 1 )); COMP_LINE=$line; COMP_POINT=\${#line}
    spec=$(complete -p mcp-proxmox); [[ $spec =~ -F\\ ([^ ]+) ]]
    compopt() { echo "files"; }
    \${BASH_REMATCH[1]} mcp-proxmox
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await run('bash', ['--norc', '-c', script, 'bash', line], {
    env: { PATH: `${folder}:${process.env['PATH'] ?? ''}`, HOME: folder },
  });
  return stdout.split('\n').filter((word) => word !== '');
}

describe('completion in bash', () => {
  it.each([
    ['mcp-proxmox c', ['check', 'call', 'client-config', 'completion']],
    ['mcp-proxmox client-config c', ['claude-desktop', 'claude-code', 'cursor', 'codex']],
    ['mcp-proxmox call list_g', ['list_guests']],
    ['mcp-proxmox call list_guests --gu', ['--guest-type']],
    ['mcp-proxmox call list_guests --guest-type ', ['qemu', 'lxc']],
    ['mcp-proxmox call list_guests --guest-type=l', ['lxc']],
    ['mcp-proxmox call list_guests --guest_type=', ['qemu', 'lxc']],
    ['mcp-proxmox call list_guests --demo --ou', ['--output']],
    ['mcp-proxmox call list_guests --output ', ['text', 'json']],
    ['mcp-proxmox check --demo sc', ['scoped']],
    ['mcp-proxmox completion ', ['bash', 'zsh', 'fish']],
    ['mcp-proxmox --tools', ['--toolsets']],
    ['mcp-proxmox call list_nodes --env-file ', ['files']],
    ['mcp-proxmox call nothing_of_this_n', []],
  ])('%s', async (line, words) => {
    if (!hasBash) return;
    expect((await offered(line)).sort()).toEqual([...words].sort());
  });
});

it.each(['bash', 'zsh', 'fish'])('prints a script for %s that asks the program', async (shell) => {
  const { code, stdout } = await runCli(['completion', shell]);
  expect(code).toBe(0);
  expect(stdout).toContain('__complete');
});

it('an unknown shell: exit 2', async () => {
  expect((await runCli(['completion', 'cmd'])).code).toBe(2);
});
