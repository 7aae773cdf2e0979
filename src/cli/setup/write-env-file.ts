import { parseEnvironmentFile } from '../../config/environment-file.ts';
import { resolvePath } from '../../config/read-file.ts';
import { CONNECTION_VARIABLES } from '../../config/variables.ts';
import { backupAndWrite, readIfThere } from '../clients/backup-and-write.ts';
import { lineDiff } from '../clients/diff.ts';
import { DEFAULT_ENV_FILE } from '../clients/entry.ts';
import { absolute } from '../configure-client.ts';
import type { Dialog } from './dialog.ts';
import { setVariables } from './env-file-text.ts';
import { ownerOnly } from './protect-file.ts';

const HEAD = '# Settings of mcp-proxmox; all of them: .env.example of the package. Keep this file private.\n';
const MODE = 0o600;

/**
 * Shows what would be written where, asks, and writes. An existing file keeps its other lines, and a copy of it stays.
 *
 * @returns path of the file, as a client may name it; undefined when the person did not want it
 */
export async function writeEnvFile(ui: Dialog, variables: Readonly<Record<string, string>>): Promise<string | undefined> {
  for (;;) {
    const typed = await ui.text({
      message: 'File to keep the settings in',
      initial: DEFAULT_ENV_FILE,
      fault: (text) => (text === '' ? 'give the path of a file' : undefined),
    });
    const path = resolvePath(typed, process.cwd());
    const before = await readIfThere(path);
    if (before !== undefined && parseEnvironmentFile(before).fault !== undefined) {
      ui.error(`${path} is there and is no env file; it stays as it is.`);
      continue;
    }
    const after = setVariables(before ?? HEAD, connectionOf(variables));
    if (after === before) {
      // The mode may be wrong all the same.
      await ownerOnly(path);
      ui.success(`${path} holds these settings already.`);
      return absolute(typed);
    }
    ui.show(
      before === undefined ? `${path} (new file):` : `${path} (the old one is kept as a backup):`,
      lineDiff(before ?? '', after).map(masked),
    );
    if (!(await ui.confirm('Write it?'))) return undefined;
    const backup = await backupAndWrite(path, after, { mode: MODE, protect: ownerOnly });
    ui.success(`${path} is written; only you can read it.${backup === undefined ? '' : ` The old file: ${backup}`}`);
    return absolute(typed);
  }
}

/** Everything about the connection is set or taken out: an old pin beside a new CA would be a third thing. */
function connectionOf(variables: Readonly<Record<string, string>>): Record<string, string | undefined> {
  return Object.fromEntries(CONNECTION_VARIABLES.map((name) => [name, variables[name]]));
}

/** The file is written with the secret; the screen does without. */
function masked(line: string): string {
  return line.replace(/^(..(?:export\s+)?\w*SECRET\s*=).*/, '$1***');
}
