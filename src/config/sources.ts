import { dirname } from 'node:path';
import { parseEnvironmentFile } from './environment-file.ts';
import type { ConfigFlags } from './flags.ts';
import type { Problems } from './problems.ts';
import { permissionWarning, type ReadFile, readNamedFile } from './read-file.ts';
import {
  BEHAVIOUR_VARIABLES,
  CONNECTION_VARIABLES,
  type Environment,
  type Given,
  misspeltVariables,
  VARIABLES,
  type VariableName,
} from './variables.ts';

/** Where the settings come from, with every variable already looked up. */
export interface Sources {
  readonly given: ReadonlyMap<VariableName, Given>;
  /** Variables that were set, but so wrongly that they are not in `given`; each is already noted as a problem. */
  readonly refused: ReadonlySet<VariableName>;
  /** Set in the environment, but not used because an environment file gives the connection. */
  readonly ignored: ReadonlySet<string>;
  /** Where a variable that a configuration file names is looked up. */
  readonly secrets: Environment;
  readonly readFile: ReadFile;
  /** The folder that relative paths of flags start at. */
  readonly cwd: string;
  readonly warnings: string[];
}

export interface SourceOptions {
  readonly env: Environment;
  readonly flags: ConfigFlags;
  readonly readFile: ReadFile;
  readonly cwd: string;
  /** False when the clusters come from elsewhere: the connection variables are then not looked at. */
  readonly connection: boolean;
}

/**
 * Looks up every variable. With `--env-file` the connection variables come from the file alone, so that a file's URL never
 * meets a token from the environment; the others come from the environment first, then from the file.
 * Empty variables count as not set. Problems are noted, among them every variable that looks like one of ours misspelt.
 */
export function gatherSources(options: SourceOptions, problems: Problems): Sources {
  const { env, flags, readFile, cwd } = options;
  const warnings: string[] = [];
  const file = flags.envFile === undefined ? undefined : readEnvironmentFile(flags.envFile, options, problems, warnings);
  hideSecrets(env, problems);
  if (file !== undefined) hideSecrets(file.env, problems);

  const fromFileOnly: readonly string[] = flags.envFile === undefined ? [] : CONNECTION_VARIABLES;
  const ignored = options.connection ? fromFileOnly.filter((name) => isSet(env[name])) : [];
  if (ignored.length > 0) {
    warnings.push(
      `--settings gives the connection: ${ignored.join(', ')} of the environment ${ignored.length === 1 ? 'is' : 'are'} not used`,
    );
  }

  const given = new Map<VariableName, Given>();
  const refused = new Set<VariableName>();
  const names: readonly VariableName[] = options.connection ? VARIABLES : BEHAVIOUR_VARIABLES;
  const refuse = (origin: Environment, wanted: readonly string[]) => {
    for (const { written, meant } of misspeltVariables(origin)) {
      if (!wanted.includes(meant)) continue;
      refused.add(meant);
      problems.add(written, { what: 'is not a variable of this program', accepts: meant });
    }
  };
  refuse(
    env,
    names.filter((name) => !fromFileOnly.includes(name)),
  );
  if (file !== undefined) refuse(file.env, names);

  for (const name of names) {
    const fromEnv = fromFileOnly.includes(name) || !isSet(env[name]) ? undefined : { raw: env[name], base: cwd };
    const found = fromEnv ?? (file && { raw: file.env[name], base: file.folder });
    const text = found?.raw?.trim() ?? '';
    if (found === undefined || text === '') continue;
    const fault = unusable(text);
    if (fault === undefined) {
      given.set(name, { text, base: found.base });
    } else {
      refused.add(name);
      problems.add(name, { what: fault, accepts: 'the plain value' });
    }
  }
  const secrets = flags.envFile === undefined ? env : (file?.env ?? {});
  return { given, refused, ignored: new Set(ignored), secrets, readFile, cwd, warnings };
}

function readEnvironmentFile(
  path: string,
  options: SourceOptions,
  problems: Problems,
  warnings: string[],
): { env: Environment; folder: string } | undefined {
  const variable = '--settings';
  const accepts = 'the path of a file with lines such as PROXMOX_URL=https://pve1.example.com:8006';
  const file = problems.take(variable, readNamedFile(options.readFile, { text: path, base: options.cwd }, accepts));
  if (file === undefined) return undefined;
  const env = problems.take(variable, parseEnvironmentFile(file.text));
  if (env === undefined) return undefined;
  const warning = isSet(env.PROXMOX_TOKEN_SECRET) ? permissionWarning(variable, file) : undefined;
  if (warning !== undefined) warnings.push(warning);
  return { env, folder: dirname(file.path) };
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value.trim() !== '';
}

/** Mistakes that are the same for every variable: they come from the program that set it, not from the person. */
function unusable(text: string): string | undefined {
  if (/\$\{[^}]*\}/.test(text)) return 'holds a placeholder that nobody filled in';
  if (/^["'`]|["'`]$/.test(text)) return 'has quotation marks around the value';
  return undefined;
}

function hideSecrets(env: Environment, problems: Problems): void {
  if (env.PROXMOX_TOKEN_SECRET !== undefined) problems.hide(env.PROXMOX_TOKEN_SECRET);
}
