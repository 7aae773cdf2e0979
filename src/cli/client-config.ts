import { sep } from 'node:path';

/** How a client would start this program. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * The command that starts this very program again: by its package name when it was installed, by its file when it runs from a
 * working copy.
 *
 * @param script absolute path of the running script, as `process.argv[1]`
 */
export function launchOf(script: string): Launch {
  const installed = script.split(sep).includes('node_modules');
  return installed ? { command: 'npx', args: ['-y', 'mcp-proxmox'] } : { command: 'node', args: [script] };
}

/** The entry of one server in the JSON files that most clients read. */
export function clientEntry(name: string, { command, args }: Launch, flags: readonly string[]): string {
  return JSON.stringify({ mcpServers: { [name]: { command, args: [...args, ...flags] } } }, undefined, 2);
}

/** A command line for people; arguments with anything unusual in them are quoted. */
export function commandLine({ command, args }: Launch, flags: readonly string[]): string {
  return [command, ...args, ...flags]
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(' ');
}
