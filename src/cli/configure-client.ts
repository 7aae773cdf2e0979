import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { commandLine, type Launch, launchOf } from './client-config.ts';
import { CLIENT_IDS, type ClientDefinition, clientOf, type Place, type SecretBy } from './clients/clients.ts';
import { type ClientPiece, clientPiece, DEFAULT_ENV_FILE, type PlainVariable } from './clients/entry.ts';
import { installLink } from './clients/links.ts';
import { planChange } from './clients/plan-change.ts';
import { renderFile } from './clients/render.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';

export interface ClientConfigFlags {
  readonly name?: string | undefined;
  readonly demo?: boolean | undefined;
  readonly windows?: boolean | undefined;
  readonly settings?: string | undefined;
  /** The other name of `settings`. */
  readonly envFile?: string | undefined;
  readonly secret?: SecretBy | undefined;
  readonly url?: string | undefined;
  readonly tokenId?: string | undefined;
  readonly caFile?: string | undefined;
  readonly fingerprint?: string | undefined;
  readonly toolsets?: string | undefined;
  /** Only the address that opens the client. */
  readonly link?: boolean | undefined;
  /** Merge into the client's own file. */
  readonly write?: boolean | undefined;
  /** With `write`: only show what would change. */
  readonly dryRun?: boolean | undefined;
  /** Write to this file in place of the client's own. */
  readonly file?: string | undefined;
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** How this very program would be started again by a client. */
export function ownLaunch(): Launch {
  const script = process.argv[1];
  if (script === undefined) throw new Error('the path of this program is not known');
  // Global commands are links into the package.
  return launchOf(realpathSync(script));
}

export function ownPlace(): Place {
  return { platform: process.platform, home: homedir(), cwd: process.cwd(), env: process.env };
}

/**
 * `mcp-proxmox client-config <client>`: standard output is the configuration and nothing else; where it belongs is told on
 * standard error. Needs no settings, and never shows or writes a secret.
 */
export async function runClientConfig(id: string, flags: ClientConfigFlags): Promise<ExitCode> {
  const client = clientOf(id);
  if (client === undefined) {
    tell(`mcp-proxmox client-config: use one of ${CLIENT_IDS.join(', ')}`);
    return EXIT.usage;
  }
  const piece = pieceOf(client, flags);
  if (typeof piece === 'string') {
    tell(`mcp-proxmox client-config: ${piece}`);
    return EXIT.usage;
  }
  const link = installLink(client.id, piece);
  if (flags.link === true) {
    if (link === undefined) {
      tell(`mcp-proxmox client-config: ${client.title} has no install link; --write changes its file`);
      return EXIT.usage;
    }
    process.stdout.write(`${link}\n`);
    return EXIT.ok;
  }
  const file = flags.file === undefined ? client.file(ownPlace()) : resolve(flags.file);
  if (flags.write === true || flags.dryRun === true) return writeClientFile(client, piece, file, flags.dryRun === true);
  process.stdout.write(renderFile(client, piece));
  for (const line of hints(client, piece, file, link)) tell(line);
  return EXIT.ok;
}

/** The piece that the flags ask for, or what is wrong with them. */
function pieceOf(client: ClientDefinition, flags: ClientConfigFlags): ClientPiece | string {
  const demo = flags.demo === true;
  const name = flags.name ?? (demo ? 'proxmox-demo' : 'proxmox');
  if (!/^[A-Za-z0-9_-]{1,40}$/.test(name)) return '--name: use letters, digits, hyphens and underscores';
  const values = plainValues(flags);
  const given = Object.keys(values).length > 0;
  const file = flags.settings ?? flags.envFile;
  if (demo && (given || file !== undefined || flags.secret !== undefined)) {
    return '--demo serves an embedded cluster and takes no settings of a real one';
  }
  if (file !== undefined && (flags.secret ?? 'file') !== 'file') return `--settings contradicts --secret ${flags.secret}`;
  const [byDefault = 'file'] = client.secretBy;
  const secretBy = flags.secret ?? (file === undefined ? byDefault : 'file');
  if (!client.secretBy.includes(secretBy)) {
    return `--secret: ${client.title} can't do ${secretBy}; use ${client.secretBy.join(' or ')}`;
  }
  if (given && secretBy === 'file')
    return '--url, --token-id, --ca-file and --fingerprint belong in the env file (or use --secret env)';
  return clientPiece(client, {
    name,
    launch: ownLaunch(),
    windows: flags.windows ?? process.platform === 'win32',
    demo,
    secretBy,
    envFile: absolute(file ?? DEFAULT_ENV_FILE),
    toolsets: flags.toolsets,
    values,
  });
}

function plainValues({ url, tokenId, caFile, fingerprint }: ClientConfigFlags): Partial<Record<PlainVariable, string>> {
  return {
    ...(url === undefined ? {} : { PROXMOX_URL: url }),
    ...(tokenId === undefined ? {} : { PROXMOX_TOKEN_ID: tokenId }),
    ...(caFile === undefined ? {} : { PROXMOX_CA_FILE: absolute(caFile) }),
    ...(fingerprint === undefined ? {} : { PROXMOX_TLS_FINGERPRINT: fingerprint }),
  };
}

/** Clients start the server in a folder of their own choice; `~/` is understood by the server itself. */
export function absolute(path: string): string {
  return /^~[/\\]/.test(path) ? path : resolve(path);
}

function hints(client: ClientDefinition, piece: ClientPiece, file: string, link: string | undefined): readonly string[] {
  const { command, args, env } = piece.entry;
  return [
    '',
    `${client.title}: ${file}`,
    ...(client.id === 'claude-code' && env === undefined
      ? [`or, for all your projects: claude mcp add --scope user ${piece.name} -- ${commandLine({ command, args }, [])}`]
      : []),
    ...(link === undefined ? [] : [`or open: ${link}`]),
    'or let this command merge it into the file: add --write (--dry-run shows what would change).',
    client.after,
  ];
}

/** Merges into a client's file, with a backup; with `dryRun` only shows the difference. */
async function writeClientFile(client: ClientDefinition, piece: ClientPiece, file: string, dryRun: boolean): Promise<ExitCode> {
  const change = await planChange(client, piece, file);
  if (change.kind === 'refused') {
    tell(`${file} was left as it is: ${change.why}. Add this by hand:`);
    process.stdout.write(renderFile(client, piece));
    return EXIT.failed;
  }
  if (change.kind === 'none') {
    tell(`${file} has it already; nothing to change.`);
    return EXIT.ok;
  }
  tell(`${file} (${change.what})`);
  for (const line of change.lines) process.stdout.write(`${line}\n`);
  if (dryRun) {
    tell('Nothing was written.');
    return EXIT.ok;
  }
  const backup = await change.write();
  tell(backup === undefined ? 'Written.' : `Written; the old file is ${backup}`);
  tell(client.after);
  return EXIT.ok;
}
