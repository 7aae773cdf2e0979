import { Argument, type Command, Option } from 'commander';
import { CLIENT_IDS } from './clients/clients.ts';
import type { ClientConfigFlags } from './configure-client.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { SHELLS, type Shell } from './shell/completion-scripts.ts';
import type { ToolsFlags } from './shell/tools.ts';

/** Adds the commands that make this program at home in shells and clients; each loads its own code. */
export function addShellCommands(program: Command, done: (code: ExitCode) => void): void {
  // Whoever reads the output may have seen enough (`| head`): that is no failure.
  process.stdout.once('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(EXIT.ok);
  });
  // `call` has the parameters of its tool, which commander can't know: everything behind it is handed on.
  program.enablePositionalOptions();
  program
    .command('call')
    .description('Ask one tool from the shell: call <tool> --param value; call --help shows more.')
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .argument('[words...]')
    .action(async (words: string[]) => {
      const { runCall } = await import('./shell/call.ts');
      done(await runCall(words));
    });

  program
    .command('tools')
    .description('List the tools.')
    .option('--json', 'with their schemas, as MCP lists them')
    .option('--toolsets <list>', 'comma-separated: default, all, or names')
    .action(async (flags: ToolsFlags) => {
      const { runTools } = await import('./shell/tools.ts');
      done(await runTools(flags));
    });

  program
    .command('setup')
    .description('Lead through the configuration: connection, token, env file, client. Asks before it writes anything.')
    .action(async () => {
      const { runSetup } = await import('./setup/setup.ts');
      done(await runSetup());
    });

  program
    .command('client-config')
    .description('Print the configuration that starts this server in a client, or merge it into its file.')
    .addArgument(new Argument('<client>', 'which client').choices(CLIENT_IDS))
    .option('--demo', 'serve the embedded cluster')
    .option('--settings <path>', 'settings are in this file (default: ~/.config/mcp-proxmox.env)')
    .addOption(new Option('--env-file <path>').hideHelp())
    .addOption(
      new Option('--secret <how>', 'where the client takes the settings from: a file, its environment, or a question').choices([
        'file',
        'env',
        'prompt',
      ]),
    )
    .option('--url <url>', 'base URL, for --secret env and prompt')
    .option('--token-id <id>', 'user@realm!name, for --secret env and prompt')
    .option('--ca-file <path>', 'CA certificate, for --secret env and prompt')
    .option('--fingerprint <sha256>', 'pinned certificates, for --secret env and prompt')
    .option('--toolsets <list>', 'comma-separated: default, all, or names')
    .option('--name <name>', 'name of the server in the client')
    .option('--windows', 'the client runs on Windows (default: as here)')
    .option('--no-windows', 'the client does not run on Windows')
    .option('--link', "only the address that opens the client's install page")
    .option('--write', "merge into the client's file, with a backup")
    .option('--dry-run', 'show what --write would change')
    .option('--file <path>', "a file in place of the client's own")
    .action(async (client: string, flags: ClientConfigFlags) => {
      const { runClientConfig } = await import('./configure-client.ts');
      done(await runClientConfig(client, flags));
    });

  program
    .command('completion')
    .description("Print a shell's completion script.")
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action(async (shell: Shell) => {
      const { COMPLETION_SCRIPTS } = await import('./shell/completion-scripts.ts');
      process.stdout.write(COMPLETION_SCRIPTS[shell]);
      done(EXIT.ok);
    });

  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .action(async (words: string[]) => {
      const { completions } = await import('./shell/complete.ts');
      for (const word of completions(words, program)) process.stdout.write(`${word}\n`);
      done(EXIT.ok);
    });
}
