import { posix, win32 } from 'node:path';

/** Where the process that starts a client lives, as far as file locations depend on it. */
export interface Place {
  readonly platform: NodeJS.Platform;
  /** The home directory. */
  readonly home: string;
  /** The folder of a project, for clients whose file belongs to one. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * How a client can refer to a value that must not stand in its file.
 * - `file`: the server reads it from the file that `--settings` names; every client can
 * - `env`: the client takes it from the environment that it was started in
 * - `prompt`: the client asks for it and keeps it
 */
export type SecretBy = 'file' | 'env' | 'prompt';

/** A program that starts MCP servers, and how its configuration file is written. */
export interface ClientDefinition {
  readonly id: string;
  readonly title: string;
  /** The key that holds the servers by name; in the TOML form the table. */
  readonly root: 'mcpServers' | 'servers' | 'context_servers' | 'mcp_servers';
  readonly format: 'json' | 'toml';
  /** Writes `"type": "stdio"` into the entry. */
  readonly typed: boolean;
  /** Writes `env` even when it is empty. */
  readonly alwaysEnv: boolean;
  /** What it can, its default first. */
  readonly secretBy: readonly SecretBy[];
  /** How it writes the value of a variable of its own environment; absent where `env` is not among `secretBy`. */
  readonly reference?: (variable: string) => string;
  /** Its configuration file. */
  readonly file: (place: Place) => string;
  /** What a person has to know after the file changed. */
  readonly after: string;
}

/** The folder in which programs keep a user's settings on this system. */
function applicationFolder({ platform, home, env }: Place): string {
  if (platform === 'win32') return env['APPDATA'] ?? win32.join(home, 'AppData', 'Roaming');
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support');
  return env['XDG_CONFIG_HOME'] ?? posix.join(home, '.config');
}

function below({ platform }: Place, ...parts: readonly string[]): string {
  return platform === 'win32' ? win32.join(...parts) : posix.join(...parts);
}

/** The clients whose configuration this program can write, in the order of the docs. */
export const CLIENTS: readonly ClientDefinition[] = [
  {
    id: 'claude-desktop',
    title: 'Claude Desktop',
    root: 'mcpServers',
    format: 'json',
    typed: false,
    alwaysEnv: false,
    secretBy: ['file'],
    file: (place) => below(place, applicationFolder(place), 'Claude', 'claude_desktop_config.json'),
    after: 'Quit Claude Desktop and start it again.',
  },
  {
    id: 'claude-code',
    title: 'Claude Code',
    root: 'mcpServers',
    format: 'json',
    typed: true,
    alwaysEnv: false,
    secretBy: ['file', 'env'],
    reference: (variable) => `\${${variable}}`,
    file: (place) => below(place, place.cwd, '.mcp.json'),
    after: 'Start claude in this folder and allow the server when it asks; /mcp shows its state.',
  },
  {
    id: 'cursor',
    title: 'Cursor',
    root: 'mcpServers',
    format: 'json',
    typed: false,
    alwaysEnv: false,
    secretBy: ['file', 'env'],
    reference: (variable) => `\${env:${variable}}`,
    file: (place) => below(place, place.home, '.cursor', 'mcp.json'),
    after: 'Switch the server on under Settings > MCP.',
  },
  {
    id: 'vscode',
    title: 'VS Code',
    root: 'servers',
    format: 'json',
    typed: true,
    alwaysEnv: false,
    secretBy: ['prompt', 'file', 'env'],
    reference: (variable) => `\${env:${variable}}`,
    file: (place) => below(place, applicationFolder(place), 'Code', 'User', 'mcp.json'),
    after: 'Run "MCP: List Servers" from the command palette and start the server. In a project, the file is .vscode/mcp.json.',
  },
  {
    id: 'codex',
    title: 'Codex',
    root: 'mcp_servers',
    format: 'toml',
    typed: false,
    alwaysEnv: false,
    secretBy: ['file', 'env'],
    file: (place) => below(place, place.env['CODEX_HOME'] ?? below(place, place.home, '.codex'), 'config.toml'),
    after: 'Start codex again; /mcp shows its servers.',
  },
  {
    id: 'gemini',
    title: 'Gemini CLI',
    root: 'mcpServers',
    format: 'json',
    typed: false,
    alwaysEnv: false,
    secretBy: ['file', 'env'],
    reference: (variable) => `\${${variable}}`,
    file: (place) => below(place, place.home, '.gemini', 'settings.json'),
    after: 'Start gemini again; /mcp shows its servers.',
  },
  {
    id: 'zed',
    title: 'Zed',
    root: 'context_servers',
    format: 'json',
    typed: false,
    alwaysEnv: true,
    secretBy: ['file'],
    file: (place) =>
      place.platform === 'win32'
        ? below(place, applicationFolder(place), 'Zed', 'settings.json')
        : below(place, place.env['XDG_CONFIG_HOME'] ?? below(place, place.home, '.config'), 'zed', 'settings.json'),
    after: 'Zed starts the server as soon as the file is saved.',
  },
  {
    id: 'windsurf',
    title: 'Windsurf',
    root: 'mcpServers',
    format: 'json',
    typed: false,
    alwaysEnv: false,
    secretBy: ['file', 'env'],
    reference: (variable) => `\${env:${variable}}`,
    file: (place) => below(place, place.home, '.codeium', 'windsurf', 'mcp_config.json'),
    after: 'Refresh the servers in the Cascade panel.',
  },
  {
    id: 'lm-studio',
    title: 'LM Studio',
    root: 'mcpServers',
    format: 'json',
    typed: false,
    alwaysEnv: false,
    secretBy: ['file'],
    file: (place) => below(place, place.home, '.lmstudio', 'mcp.json'),
    after: 'Switch the server on in the Program tab.',
  },
];

export const CLIENT_IDS: readonly string[] = CLIENTS.map((client) => client.id);

export function clientOf(id: string): ClientDefinition | undefined {
  return CLIENTS.find((client) => client.id === id);
}
