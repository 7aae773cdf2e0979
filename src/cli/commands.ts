import { Command, CommanderError } from 'commander';
import { VERSION } from '../server/version.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';

/** Runs one of the commands for people; each loads its own code. */
export async function runCommand(argv: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  const program = new Command('mcp-proxmox')
    .description('Read-only MCP server for Proxmox VE; without a command it serves over stdio.')
    .version(VERSION)
    .exitOverride();
  try {
    await program.parseAsync(['node', 'mcp-proxmox', ...argv]);
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    return thrown.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
  return code;
}
