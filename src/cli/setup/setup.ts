import { EXIT, type ExitCode } from '../exit-codes.ts';
import { askConnection } from './ask-connection.ts';
import { askSecret, askToken, type TokenAnswers } from './ask-token.ts';
import { configureClients } from './configure-clients.ts';
import { Cancelled, type Dialog, terminalDialog } from './dialog.ts';
import { verify } from './verify.ts';
import { writeEnvFile } from './write-env-file.ts';

/**
 * `mcp-proxmox setup`: from a URL to a client that answers, one question at a time. Nothing is written before it was shown and
 * agreed to, and nothing on the cluster is ever changed.
 */
export async function runSetup(): Promise<ExitCode> {
  if (process.stdin.isTTY !== true || process.stdout.isTTY !== true) {
    process.stderr.write(
      'mcp-proxmox setup: it asks questions and needs a terminal. Without one, write the env file yourself (.env.example shows how), then:\n' +
        '  mcp-proxmox check --settings FILE\n  mcp-proxmox client-config CLIENT --settings FILE --write\n',
    );
    return EXIT.usage;
  }
  const ui = terminalDialog();
  try {
    return await lead(ui);
  } catch (thrown) {
    if (!(thrown instanceof Cancelled)) throw thrown;
    ui.outro('Stopped. What was not written before was not written at all.');
    return EXIT.failed;
  }
}

async function lead(ui: Dialog): Promise<ExitCode> {
  ui.intro('mcp-proxmox setup: nothing is written before you saw it, and nothing on the cluster is changed');
  let connection = await askConnection(ui, Date.now);
  let token = await askToken(ui, undefined);
  for (;;) {
    const { exit, reasons } = await verify(ui, variablesOf(connection, token));
    if (exit === EXIT.ok) {
      ui.success('The token sees all that it should, and nothing more.');
      break;
    }
    ui.warn(reasons.join('; '));
    const next = await ui.choose(
      exit === EXIT.unreachable ? 'It does not work like this. What next?' : 'It works, but not all is well. What next?',
      [
        { value: 'again', label: 'Check again', hint: 'after you changed something on the cluster' },
        { value: 'go', label: exit === EXIT.unreachable ? 'Keep the settings all the same' : 'Go on' },
        { value: 'secret', label: 'Give the secret again' },
        { value: 'token', label: 'Give another token' },
        { value: 'connection', label: 'Give another URL' },
      ],
      exit === EXIT.unreachable ? 'secret' : 'go',
    );
    if (next === 'go') break;
    if (next === 'secret') token = { id: token.id, secret: await askSecret(ui) };
    if (next === 'token') token = await askToken(ui, token.id);
    if (next === 'connection') connection = await askConnection(ui, Date.now);
  }
  const file = await writeEnvFile(ui, variablesOf(connection, token));
  if (file === undefined) {
    ui.outro('Nothing was written.');
    return EXIT.ok;
  }
  await configureClients(ui, file);
  ui.outro('Done. Ask your assistant: what is running, and where?');
  return EXIT.ok;
}

function variablesOf(connection: Awaited<ReturnType<typeof askConnection>>, token: TokenAnswers): Record<string, string> {
  return { ...connection, PROXMOX_TOKEN_ID: token.id, PROXMOX_TOKEN_SECRET: token.secret.reveal() };
}
