import type { Launch } from '../client-config.ts';
import type { ClientDefinition, SecretBy } from './clients.ts';

/** Where the env file is unless somebody says otherwise; the server itself knows what `~` means. */
export const DEFAULT_ENV_FILE = '~/.config/mcp-proxmox.env';

/** What a client's configuration is made from. */
export interface EntryOptions {
  /** Name of the server in the client. */
  readonly name: string;
  readonly launch: Launch;
  /** The client runs on Windows, where `npx` is a script that needs `cmd`. */
  readonly windows: boolean;
  /** The embedded cluster: no settings at all. */
  readonly demo: boolean;
  readonly secretBy: SecretBy;
  /** For `file`. */
  readonly envFile: string;
  readonly toolsets: string | undefined;
  /** Values that are no secrets and may stand in the client's file; for `env` and `prompt`. */
  readonly values: Readonly<Partial<Record<PlainVariable, string>>>;
}

export type PlainVariable = 'PROXMOX_URL' | 'PROXMOX_TOKEN_ID' | 'PROXMOX_CA_FILE' | 'PROXMOX_TLS_FINGERPRINT';

/** How a client starts the server. */
export interface ServerEntry {
  readonly type?: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Codex: names of variables that it hands on from its own environment. */
  readonly env_vars?: readonly string[];
}

/** A value that VS Code asks for. */
export interface PromptInput {
  readonly type: 'promptString';
  readonly id: string;
  readonly description: string;
  readonly password?: true;
}

/** What goes into a client's file. */
export interface ClientPiece {
  readonly name: string;
  readonly entry: ServerEntry;
  readonly inputs: readonly PromptInput[];
}

/** The variables that every connection needs, with the words in which VS Code asks for them. */
const NEEDED = [
  { variable: 'PROXMOX_URL', id: 'proxmox-url', description: 'Proxmox VE URL, such as https://pve1.example.com:8006' },
  { variable: 'PROXMOX_TOKEN_ID', id: 'proxmox-token-id', description: 'API token id, such as mcp@pve!assistant' },
  { variable: 'PROXMOX_TOKEN_SECRET', id: 'proxmox-token-secret', description: 'Secret of the API token' },
] as const;

/** The piece of configuration that starts this server in a client. Pure; holds no secret whatever the options say. */
export function clientPiece(client: ClientDefinition, options: EntryOptions): ClientPiece {
  const { name, demo, secretBy, toolsets } = options;
  const flags = [
    ...(demo ? ['--demo'] : []),
    ...(!demo && secretBy === 'file' ? ['--settings', options.envFile] : []),
    ...(toolsets === undefined ? [] : ['--toolsets', toolsets]),
  ];
  const { command, args } = forPlatform(options.launch, options.windows);
  const settings = demo || secretBy === 'file' ? NOTHING : settingsByReference(client, options);
  return {
    name,
    entry: {
      ...(client.typed ? { type: 'stdio' as const } : {}),
      command,
      args: [...args, ...flags],
      ...(client.alwaysEnv || Object.keys(settings.env).length > 0 ? { env: settings.env } : {}),
      ...(settings.names.length > 0 ? { env_vars: settings.names } : {}),
    },
    inputs: settings.inputs,
  };
}

/** Clients start programs without a shell: on Windows that finds `node.exe`, but no `npx.cmd`. */
function forPlatform({ command, args }: Launch, windows: boolean): Launch {
  return windows && command === 'npx' ? { command: 'cmd', args: ['/c', command, ...args] } : { command, args };
}

interface ReferredSettings {
  readonly env: Readonly<Record<string, string>>;
  readonly names: readonly string[];
  readonly inputs: readonly PromptInput[];
}

const NOTHING: ReferredSettings = { env: {}, names: [], inputs: [] };

function settingsByReference(client: ClientDefinition, { secretBy, values }: EntryOptions): ReferredSettings {
  const env: Record<string, string> = {};
  const names: string[] = [];
  const inputs: PromptInput[] = [];
  for (const { variable, id, description } of NEEDED) {
    const value = variable === 'PROXMOX_TOKEN_SECRET' ? undefined : values[variable];
    if (value !== undefined) {
      env[variable] = value;
    } else if (secretBy === 'prompt') {
      env[variable] = `\${input:${id}}`;
      inputs.push({
        type: 'promptString',
        id,
        description,
        ...(variable === 'PROXMOX_TOKEN_SECRET' ? { password: true as const } : {}),
      });
    } else if (client.reference !== undefined) {
      env[variable] = client.reference(variable);
    } else {
      names.push(variable);
    }
  }
  for (const variable of ['PROXMOX_CA_FILE', 'PROXMOX_TLS_FINGERPRINT'] as const) {
    const value = values[variable];
    if (value !== undefined) env[variable] = value;
  }
  return { env, names, inputs };
}
