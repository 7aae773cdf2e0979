import { parseArgs } from 'node:util';
import { ConfigErrors } from '../config/config-error.ts';
import { loadSettings } from '../config/load-settings.ts';
import type { Settings } from '../config/settings.ts';
import { serveOverStdio } from '../server/stdio.ts';
import { VERSION } from '../server/version.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { SERVE_USAGE } from './usage.ts';

const FLAGS = {
  demo: { type: 'boolean' },
  toolsets: { type: 'string' },
  output: { type: 'string' },
  structured: { type: 'boolean' },
  'env-file': { type: 'string' },
  config: { type: 'string' },
  help: { type: 'boolean' },
  version: { type: 'boolean' },
} as const;

/** Standard output belongs to the protocol; everything for people goes to standard error. */
function tell(line: string): void {
  process.stderr.write(`mcp-proxmox: ${line}\n`);
}

/** Serves over stdio until the client goes. Wrong settings stop it before a client can be misled. */
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
    const settings = await settingsOf(flags);
    for (const warning of settings.warnings) tell(`warning: ${warning}`);
    serveOverStdio(settings, tell);
    return EXIT.ok;
  } catch (thrown) {
    if (!(thrown instanceof ConfigErrors)) throw thrown;
    tell(thrown.message);
    if (Object.keys(process.env).every((name) => !name.startsWith('PROXMOX_'))) {
      tell('No cluster at hand? `mcp-proxmox --demo` serves an embedded one; `mcp-proxmox setup` leads through the configuration.');
    }
    return EXIT.usage;
  }
}

type ServeFlags = { [K in keyof typeof FLAGS]?: (typeof FLAGS)[K]['type'] extends 'boolean' ? boolean : string };

function parseFlags(argv: readonly string[]): ServeFlags | string {
  try {
    return parseArgs({ args: [...argv], options: FLAGS, strict: true, allowPositionals: false }).values;
  } catch (thrown) {
    return `${thrown instanceof Error ? thrown.message : String(thrown)} (mcp-proxmox --help lists the flags)`;
  }
}

async function settingsOf(flags: ServeFlags): Promise<Settings> {
  const given = {
    toolsets: flags.toolsets,
    output: flags.output,
    structured: flags.structured,
    envFile: flags['env-file'],
    config: flags.config,
  };
  if (flags.demo !== true) return loadSettings({ env: process.env, flags: given });
  const [{ startDemoCluster }, { demoClusterSettings }] = await Promise.all([
    import('../demo/start-demo-cluster.ts'),
    import('../demo/demo-settings.ts'),
  ]);
  const demo = await startDemoCluster({});
  process.stdin.once('end', () => void demo.close());
  const cluster = demoClusterSettings(demo);
  tell('serving the embedded demo cluster; nothing of it is real');
  return loadSettings({ env: process.env, flags: given, clusters: new Map([[cluster.name, cluster]]) });
}
