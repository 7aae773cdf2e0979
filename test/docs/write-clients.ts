import { CLIENTS, type ClientDefinition, type Place } from '../../src/cli/clients/clients.ts';
import { clientPiece, DEFAULT_ENV_FILE, type EntryOptions } from '../../src/cli/clients/entry.ts';
import { installLink } from '../../src/cli/clients/links.ts';
import { renderFile } from '../../src/cli/clients/render.ts';

const OPTIONS: EntryOptions = {
  name: 'proxmox',
  launch: { command: 'npx', args: ['-y', 'mcp-proxmox'] },
  windows: false,
  demo: false,
  secretBy: 'file',
  envFile: DEFAULT_ENV_FILE,
  toolsets: undefined,
  values: {},
};

const LINUX: Place = { platform: 'linux', home: '~', cwd: '.', env: {} };
const MAC: Place = { platform: 'darwin', home: '~', cwd: '.', env: {} };
const WINDOWS: Place = { platform: 'win32', home: '%USERPROFILE%', cwd: '.', env: { APPDATA: '%APPDATA%' } };

/** Where a client's file is, each place once. */
function places(client: ClientDefinition): string {
  const [linux, mac, windows] = [client.file(LINUX), client.file(MAC), client.file(WINDOWS)];
  const unix = linux === mac ? `\`${linux}\`` : `\`${linux}\` (macOS: \`${mac}\`)`;
  return windows.replaceAll('\\', '/').replace('%USERPROFILE%', '~') === linux ? unix : `${unix}, Windows: \`${windows}\``;
}

/** The table of clients in the README. */
export function clientTable(): string {
  return [
    '| client | file | |',
    '| --- | --- | --- |',
    ...CLIENTS.map((client) => {
      const link = installLink(client.id, clientPiece(client, { ...OPTIONS, secretBy: client.secretBy[0] ?? 'file' }));
      const demo = installLink(client.id, clientPiece(client, { ...OPTIONS, name: 'proxmox-demo', demo: true }));
      const links = link === undefined ? '' : `[install](${link}), [install the demo](${demo})`;
      return `| [${client.title}](docs/clients.md#${client.id}) | ${places(client)} | ${links} |`;
    }),
  ].join('\n');
}

const WAYS = {
  file: 'Settings from the env file:',
  env: "Settings from the client's own environment:",
  prompt: 'The client asks for the settings:',
} as const;

/** The sections of docs/clients.md, one a client. */
export function clientSections(): string {
  return CLIENTS.map((client) => {
    const lines = [`## ${client.id}`, '', `${client.title}: ${places(client)}. ${client.after}`, ''];
    const piece = clientPiece(client, OPTIONS);
    if (client.id === 'claude-code') {
      lines.push(
        'For all your projects:',
        '',
        '```sh',
        `claude mcp add --scope user proxmox -- npx -y mcp-proxmox --settings ${DEFAULT_ENV_FILE}`,
        '```',
        '',
      );
    }
    for (const secretBy of client.secretBy) {
      lines.push(
        WAYS[secretBy],
        '',
        `\`\`\`${client.format}`,
        renderFile(client, clientPiece(client, { ...OPTIONS, secretBy })).trimEnd(),
        '```',
        '',
      );
    }
    const link = installLink(client.id, piece);
    if (link !== undefined) lines.push(`With a click, settings from the env file: [install](${link})`, '');
    return lines.join('\n');
  }).join('\n');
}
