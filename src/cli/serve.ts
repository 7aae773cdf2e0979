import { parseArgs } from 'node:util';
import { ConfigErrors } from '../config/config-error.ts';
import type { Settings } from '../config/settings.ts';
import type { AuditLog } from '../server/audit-log.ts';
import type { HttpFlags } from '../server/http/options.ts';
import { serveOverStdio } from '../server/stdio.ts';
import { VERSION } from '../server/version.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { type OpenedSettings, openSettings } from './open-settings.ts';
import { SERVE_USAGE } from './usage.ts';

const FLAGS = {
  demo: { type: 'boolean' },
  toolsets: { type: 'string' },
  output: { type: 'string' },
  structured: { type: 'boolean' },
  settings: { type: 'string' },
  // The same; but Node looks at this one too, wherever it stands, and does not start when the file is missing.
  'env-file': { type: 'string' },
  config: { type: 'string' },
  help: { type: 'boolean' },
  version: { type: 'boolean' },
  'audit-log': { type: 'string' },
  http: { type: 'string' },
  'no-auth': { type: 'boolean' },
  'auth-file': { type: 'string' },
  'trust-proxy-header': { type: 'string' },
  'trusted-proxy': { type: 'string', multiple: true },
  'allowed-host': { type: 'string', multiple: true },
  'allowed-origin': { type: 'string', multiple: true },
  'tls-cert': { type: 'string' },
  'tls-key': { type: 'string' },
  'caller-proxmox-token': { type: 'boolean' },
  'rate-limit': { type: 'string' },
  'max-concurrent': { type: 'string' },
  metrics: { type: 'string' },
} as const;

/** Flags that say something about the HTTP server only. */
const HTTP_ONLY = [
  'no-auth',
  'auth-file',
  'trust-proxy-header',
  'trusted-proxy',
  'allowed-host',
  'allowed-origin',
  'tls-cert',
  'tls-key',
  'caller-proxmox-token',
  'rate-limit',
  'max-concurrent',
  'metrics',
] as const;
/** Their value may be left out. */
const OPTIONAL_VALUE: ReadonlySet<string> = new Set(['--http', '--metrics']);

/** Standard output belongs to the protocol; everything for people goes to standard error. */
function tell(line: string): void {
  process.stderr.write(`mcp-proxmox: ${line}\n`);
}

/** Serves until the client goes, or over HTTP until it is stopped. Wrong settings stop it before a client can be misled. */
export async function serve(argv: readonly string[]): Promise<ExitCode> {
  const flags = parseFlags(argv);
  if (typeof flags === 'string') {
    tell(flags);
    return EXIT.usage;
  }
  if (flags.help === true) {
    process.stdout.write(SERVE_USAGE);
    return EXIT.ok;
  }
  if (flags.version === true) {
    process.stdout.write(`${VERSION}\n`);
    return EXIT.ok;
  }
  try {
    const { settings, close } = await settingsOf(flags);
    for (const warning of settings.warnings) tell(`warning: ${warning}`);
    let serving = false;
    try {
      if (flags.http !== undefined) {
        const { runHttp } = await import('./serve-http.ts');
        return await runHttp(settings, httpFlags(flags, flags.http), tell);
      }
      const log = await openLog(flags['audit-log'], settings);
      process.stdin.once('end', () => void Promise.all([close(), log?.close()]));
      serveOverStdio(settings, tell, log?.record);
      serving = true;
      return EXIT.ok;
    } finally {
      // An embedded cluster that was left open would keep the process alive.
      if (!serving) await close();
    }
  } catch (thrown) {
    if (!(thrown instanceof ConfigErrors)) throw thrown;
    tell(thrown.message);
    if (flags.demo !== true && Object.keys(process.env).every((name) => !name.startsWith('PROXMOX_'))) {
      tell(
        'No cluster at hand? `mcp-proxmox --demo` serves an embedded one; `mcp-proxmox setup` leads through the configuration.',
      );
    }
    return EXIT.usage;
  }
}

type ServeFlags = ReturnType<typeof parseStrictly>;

function parseStrictly(argv: readonly string[]) {
  return parseArgs({ args: withValues(argv), options: FLAGS, strict: true, allowPositionals: false }).values;
}

function parseFlags(argv: readonly string[]): ServeFlags | string {
  try {
    const flags = parseStrictly(argv);
    const lost = flags.http === undefined ? HTTP_ONLY.filter((name) => flags[name] !== undefined) : [];
    return lost.length === 0 ? flags : `--${lost[0]} is of use with --http only`;
  } catch (thrown) {
    return `${thrown instanceof Error ? thrown.message : String(thrown)} (mcp-proxmox --help lists the flags)`;
  }
}

/** `--http` may stand alone, which the parser knows for switches only: it then gets an empty value. */
function withValues(argv: readonly string[]): string[] {
  const args: string[] = [];
  for (const [i, arg] of argv.entries()) {
    const next = argv[i + 1];
    args.push(OPTIONAL_VALUE.has(arg) && (next === undefined || next.startsWith('-')) ? `${arg}=` : arg);
  }
  return args;
}

function httpFlags(flags: ServeFlags, http: string): HttpFlags {
  return {
    http,
    noAuth: flags['no-auth'],
    authFile: flags['auth-file'],
    trustProxyHeader: flags['trust-proxy-header'],
    trustedProxy: flags['trusted-proxy'],
    allowedHost: flags['allowed-host'],
    allowedOrigin: flags['allowed-origin'],
    tlsCert: flags['tls-cert'],
    tlsKey: flags['tls-key'],
    callerProxmoxToken: flags['caller-proxmox-token'],
    rateLimit: flags['rate-limit'],
    maxConcurrent: flags['max-concurrent'],
    auditLog: flags['audit-log'],
    metrics: flags.metrics,
  };
}

async function openLog(path: string | undefined, settings: Settings): Promise<AuditLog | undefined> {
  if (path === undefined) return undefined;
  const { openAuditLog } = await import('../server/audit-log.ts');
  return openAuditLog(path, settings, tell);
}

async function settingsOf(flags: ServeFlags): Promise<OpenedSettings> {
  const given = {
    toolsets: flags.toolsets,
    output: flags.output,
    structured: flags.structured,
    envFile: flags.settings ?? flags['env-file'],
    config: flags.config,
  };
  const opened = await openSettings(given, flags.demo === true ? 'auditor' : undefined);
  if (flags.demo === true) tell('serving the embedded demo cluster; nothing of it is real');
  return opened;
}
