#!/usr/bin/env node
/**
 * The program's entry. Without a command it serves over stdio, which is what every MCP client starts: that path loads
 * nothing it does not need. Commands for people live in chunks of their own.
 */
const [, , command] = process.argv;

if (command === undefined || command === 'serve' || command.startsWith('--')) {
  const { serve } = await import('./serve.ts');
  process.exitCode = await serve(process.argv.slice(command === 'serve' ? 3 : 2));
} else {
  const { runCommand } = await import('./commands.ts');
  process.exitCode = await runCommand(process.argv.slice(2));
}
