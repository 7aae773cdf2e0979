import type { ConfigFlags } from './flags.ts';
import { behaviourFromEnvironment, clusterFromEnvironment } from './from-environment.ts';
import { Problems } from './problems.ts';
import { type ReadFile, readFileFromDisk } from './read-file.ts';
import { type ClusterSettings, type HealthSettings, MAX_ANSWER_CHARS, type Settings } from './settings.ts';
import { gatherSources, type Sources } from './sources.ts';
import { DEFAULT_TOOLSETS } from './toolsets.ts';
import { CONNECTION_VARIABLES, type Environment, type Given } from './variables.ts';

export interface LoadOptions {
  /** As `process.env`. */
  readonly env: Environment;
  readonly flags?: ConfigFlags;
  /** Reads a file; the file system's own by default. */
  readonly readFile?: ReadFile;
  /** The folder that relative paths of flags and variables start at; the process's by default. */
  readonly cwd?: string;
  /** Clusters that the caller brings (the embedded demo): nothing about connections is then read. */
  readonly clusters?: ReadonlyMap<string, ClusterSettings>;
}

const NO_HEALTH: HealthSettings = { ignore: [], thresholds: {} };

/**
 * The one way to Settings: flags, environment, `--env-file` and `--config`, checked together. Flags win over the environment,
 * the environment over files, save that an env file's connection is never mixed with the environment's.
 *
 * @throws ConfigErrors with every problem found; no message holds a secret.
 */
export async function loadSettings(options: LoadOptions): Promise<Settings> {
  const { env, flags = {}, readFile = readFileFromDisk, cwd = process.cwd(), clusters: brought } = options;
  const problems = new Problems();
  const sources = gatherSources({ env, flags, readFile, cwd, connection: brought === undefined }, problems);
  const behaviour = behaviourFromEnvironment(sources, flags, problems);
  const config = brought === undefined ? configPath(sources, flags) : undefined;

  // Only a configuration file needs the schema library; without one it isn't loaded, since every start would pay for it.
  const file =
    config && (await import('./from-file.ts')).readConfigFile(config.name, config.path, sources, behaviour.timeoutMs, problems);
  if (config !== undefined) refuseTwoConnections(config.name, sources, file?.secretVariables, problems);
  const clusters = brought ?? file?.clusters ?? environmentClusters(config !== undefined, sources, behaviour.timeoutMs, problems);
  problems.throwIfAny();
  return {
    clusters,
    toolsets: behaviour.toolsets ?? file?.toolsets ?? DEFAULT_TOOLSETS,
    output: behaviour.output ?? file?.output ?? 'text',
    maxAnswerChars: behaviour.maxAnswerChars ?? file?.maxAnswerChars ?? MAX_ANSWER_CHARS.default,
    health: file?.health ?? NO_HEALTH,
    warnings: sources.warnings,
  };
}

function configPath(sources: Sources, flags: ConfigFlags): { name: string; path: Given } | undefined {
  if (flags.config !== undefined) return { name: '--config', path: { text: flags.config, base: sources.cwd } };
  const path = sources.given.get('PROXMOX_CONFIG');
  return path && { name: 'PROXMOX_CONFIG', path };
}

function environmentClusters(
  configured: boolean,
  sources: Sources,
  timeoutMs: number | undefined,
  problems: Problems,
): ReadonlyMap<string, ClusterSettings> {
  // A file that was named but couldn't be read has already told why; the environment must not step in for it.
  const cluster =
    configured || sources.refused.has('PROXMOX_CONFIG') ? undefined : clusterFromEnvironment(sources, timeoutMs, problems);
  return new Map(cluster === undefined ? [] : [[cluster.name, cluster]]);
}

/**
 * A configuration file says everything about connections; variables beside it would be ignored in silence, so they are
 * refused. `secretVariables` are those the file itself takes secrets from; undefined when the file couldn't be read.
 */
function refuseTwoConnections(
  config: string,
  sources: Sources,
  secretVariables: ReadonlySet<string> | undefined,
  problems: Problems,
): void {
  const own = new Set<string>(secretVariables).add('PROXMOX_CONFIG');
  for (const name of secretVariables === undefined ? (['PROXMOX_URL'] as const) : CONNECTION_VARIABLES) {
    if (!sources.given.has(name) || own.has(name)) continue;
    problems.add(name, { what: `is set beside ${config}, which names the clusters`, accepts: 'one of the two' });
  }
}
