import { Command, CommanderError, Option } from 'commander';
import { VERSION } from '../server/version.ts';
import type { CheckFlags } from './check.ts';
import type { DemoFlags } from './demo.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { HttpTokenFlags } from './http-token.ts';
import { addShellCommands } from './shell-commands.ts';

const ROLES = ['auditor', 'noacl', 'scoped', 'full', 'backup-one', 'blind-one', 'logs'];

/** Runs one of the commands for people; each loads its own code. */
export async function runCommand(argv: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  const program = new Command('mcp-proxmox')
    .description('Read-only MCP server for Proxmox VE; without a command it serves over stdio (mcp-proxmox --help).')
    .version(VERSION)
    .showHelpAfterError('(--help shows the flags)')
    .exitOverride();

  program
    .command('check')
    .description('Check the connection, its TLS, and what the token can and cannot see; changes nothing.')
    .option('--check-write-denied', 'prove that writes are denied, by ten requests that can do nothing')
    .option('--json', 'the report for programs')
    .option('--settings <path>', 'read settings from this file; no other file is ever read (or --env-file)')
    .addOption(new Option('--env-file <path>').hideHelp())
    .option('--config <path>', 'JSON file with one or more clusters')
    .option('--cluster <name>', 'only this one of the configured clusters')
    .addOption(new Option('--demo [token]', 'check the embedded cluster, as one of its tokens').choices(ROLES).preset('auditor'))
    .addHelpText(
      'after',
      '\nExit codes: 0 all good; 1 something is missing or too much; 2 wrong settings; 3 no answer, or the token is refused.',
    )
    .action(async (flags: CheckFlags & { settings?: string }) => {
      const { runCheck } = await import('./check.ts');
      code = await runCheck({ ...flags, envFile: flags.settings ?? flags.envFile });
    });

  program
    .command('demo')
    .description('Start an embedded cluster, ask the real server six questions about it, and show the answers.')
    .option('--full', 'whole answers instead of their first lines')
    .action(async (flags: DemoFlags) => {
      const { runDemo } = await import('./demo.ts');
      code = await runDemo(flags);
    });

  program
    .command('http-token <name>')
    .description('Make a bearer token for a caller of `serve --http`, and the entry for its --auth-file.')
    .option('--clusters <list>', 'the clusters it may ask, comma-separated')
    .option('--toolsets <list>', 'the toolsets it may use, comma-separated')
    .option('--expires <when>', 'ISO date, or days such as 90d')
    .action(async (name: string, flags: HttpTokenFlags) => {
      const { runHttpToken } = await import('./http-token.ts');
      code = runHttpToken(name, flags);
    });

  addShellCommands(program, (done) => {
    code = done;
  });

  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    return thrown.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
  return code;
}
