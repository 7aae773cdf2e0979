import { CLIENTS, clientOf } from '../clients/clients.ts';
import { clientPiece } from '../clients/entry.ts';
import { planChange } from '../clients/plan-change.ts';
import { renderFile } from '../clients/render.ts';
import { ownLaunch, ownPlace } from '../configure-client.ts';
import type { Dialog } from './dialog.ts';

/** Offers each client until the person is done: print its configuration, or merge it into its file. */
export async function configureClients(ui: Dialog, envFile: string): Promise<void> {
  for (let count = 0; ; count += 1) {
    const id = await ui.choose(count === 0 ? 'Configure a client?' : 'Another one?', [
      ...CLIENTS.map(({ id: value, title: label }) => ({ value, label })),
      { value: 'none', label: count === 0 ? 'Not now' : 'No, done' },
    ]);
    const client = clientOf(id);
    if (client === undefined) return;
    const piece = clientPiece(client, {
      name: 'proxmox',
      launch: ownLaunch(),
      windows: process.platform === 'win32',
      demo: false,
      secretBy: 'file',
      envFile,
      toolsets: undefined,
      values: {},
    });
    const file = client.file(ownPlace());
    const how = await ui.choose(`${client.title}: ${file}`, [
      { value: 'print', label: 'Print what belongs in it' },
      {
        value: 'merge',
        label: 'Add it',
        hint: 'shows the change and asks first; keeps a backup and everything else in the file',
      },
      { value: 'no', label: 'Leave it' },
    ]);
    if (how === 'no') continue;
    if (how === 'print') {
      process.stdout.write(`\n${renderFile(client, piece)}\n`);
      ui.info(client.after);
      continue;
    }
    const change = await planChange(client, piece, file);
    if (change.kind === 'refused') {
      ui.error(`${file} stays as it is: ${change.why}. Add this by hand:`);
      process.stdout.write(`\n${renderFile(client, piece)}\n`);
    } else if (change.kind === 'none') {
      ui.success(`${file} has it already.`);
    } else {
      ui.show(`${file} (${change.what}):`, change.lines);
      if (!(await ui.confirm('Write it?'))) continue;
      const backup = await change.write();
      ui.success(`Written.${backup === undefined ? '' : ` The old file: ${backup}`}`);
      ui.info(client.after);
    }
  }
}
