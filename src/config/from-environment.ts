import { parseBaseUrls } from './base-urls.ts';
import type { ConfigFlags } from './flags.ts';
import type { Parsed } from './parsed.ts';
import type { Problems } from './problems.ts';
import { parseBoolean, parseMaxAnswerChars, parseOutput, parseTimeout } from './scalars.ts';
import { type ClusterSettings, ENVIRONMENT_CLUSTER, type OutputForm, TIMEOUT_SECONDS } from './settings.ts';
import type { Sources } from './sources.ts';
import { readTls } from './tls-settings.ts';
import { parseTokenId } from './token.ts';
import { readSecretFile, takeSecret } from './token-secret.ts';
import { parseToolsets, type ToolsetName } from './toolsets.ts';
import { FOREIGN_NAMES, type VariableName } from './variables.ts';

/** What flags and environment say about how to work; only what was said. */
export interface Behaviour {
  readonly toolsets: readonly ToolsetName[] | undefined;
  readonly output: OutputForm | undefined;
  readonly maxAnswerChars: number | undefined;
  /** Milliseconds. */
  readonly timeoutMs: number | undefined;
}

/** Reads the flags and the variables that say how to work; a flag wins over its variable. Notes what is wrong. */
export function behaviourFromEnvironment(sources: Sources, flags: ConfigFlags, problems: Problems): Behaviour {
  return {
    toolsets:
      flags.toolsets === undefined
        ? parsed(sources, 'PROXMOX_TOOLSETS', parseToolsets, problems)
        : problems.take('--toolsets', parseToolsets(flags.toolsets)),
    output: outputFromFlags(flags, problems) ?? parsed(sources, 'PROXMOX_OUTPUT', parseOutput, problems),
    maxAnswerChars: parsed(sources, 'PROXMOX_MAX_ANSWER_CHARS', parseMaxAnswerChars, problems),
    timeoutMs: parsed(sources, 'PROXMOX_TIMEOUT', parseTimeout, problems),
  };
}

/**
 * The one cluster that the environment (or the `--env-file`) describes, or undefined after noting what is wrong or missing.
 * `timeoutMs` is undefined when none was given.
 */
export function clusterFromEnvironment(
  sources: Sources,
  timeoutMs: number | undefined,
  problems: Problems,
): ClusterSettings | undefined {
  const urls = required(
    sources,
    'PROXMOX_URL',
    parseBaseUrls,
    'the base URL of a node, such as https://pve1.example.com:8006',
    problems,
  );
  const tokenId = required(
    sources,
    'PROXMOX_TOKEN_ID',
    parseTokenId,
    'user@realm!tokenname, such as mcp@pve!assistant',
    problems,
  );
  const tokenSecret = secretFromEnvironment(sources, problems);
  const tls = readTls(
    {
      verify: parsed(sources, 'PROXMOX_VERIFY_TLS', parseBoolean, problems),
      caFile: sources.given.get('PROXMOX_CA_FILE'),
      fingerprints: sources.given.get('PROXMOX_TLS_FINGERPRINT')?.text.split(','),
      servername: sources.given.get('PROXMOX_TLS_SERVERNAME')?.text,
    },
    {
      verify: 'PROXMOX_VERIFY_TLS',
      caFile: 'PROXMOX_CA_FILE',
      fingerprints: 'PROXMOX_TLS_FINGERPRINT',
      servername: 'PROXMOX_TLS_SERVERNAME',
    },
    urls,
    sources.readFile,
    problems,
  );
  if (urls === undefined || tokenId === undefined || tokenSecret === undefined) return undefined;
  return { name: ENVIRONMENT_CLUSTER, urls, tokenId, tokenSecret, tls, timeoutMs: timeoutMs ?? TIMEOUT_SECONDS.default * 1000 };
}

function outputFromFlags(flags: ConfigFlags, problems: Problems): OutputForm | undefined {
  const output = flags.output === undefined ? undefined : problems.take('--output', parseOutput(flags.output));
  if (flags.structured !== true) return output;
  if (output === 'text') problems.add('--structured', { what: 'contradicts --output text', accepts: 'one of the two' });
  return 'structured';
}

function secretFromEnvironment(sources: Sources, problems: Problems): ReturnType<typeof takeSecret> {
  const inline = sources.given.get('PROXMOX_TOKEN_SECRET');
  const path = sources.given.get('PROXMOX_TOKEN_SECRET_FILE');
  if (inline !== undefined && path !== undefined) {
    problems.add('PROXMOX_TOKEN_SECRET', { what: 'and PROXMOX_TOKEN_SECRET_FILE are both set', accepts: 'one of the two' });
    return undefined;
  }
  if (inline !== undefined) return takeSecret('PROXMOX_TOKEN_SECRET', inline.text, problems);
  if (path !== undefined) return readSecretFile('PROXMOX_TOKEN_SECRET_FILE', path, sources, problems);
  if (!sources.refused.has('PROXMOX_TOKEN_SECRET_FILE')) {
    noteMissing(
      sources,
      'PROXMOX_TOKEN_SECRET',
      "the token's UUID here, or a file with it in PROXMOX_TOKEN_SECRET_FILE",
      problems,
    );
  }
  return undefined;
}

function parsed<T>(sources: Sources, name: VariableName, parse: (text: string) => Parsed<T>, problems: Problems): T | undefined {
  const given = sources.given.get(name);
  return given && problems.take(name, parse(given.text));
}

function required<T>(
  sources: Sources,
  name: VariableName,
  parse: (text: string) => Parsed<T>,
  accepts: string,
  problems: Problems,
): T | undefined {
  if (!sources.given.has(name)) noteMissing(sources, name, accepts, problems);
  return parsed(sources, name, parse, problems);
}

function noteMissing(sources: Sources, name: VariableName, accepts: string, problems: Problems): void {
  // Set but refused (or misspelt): that is already told, and one mistake is one problem.
  if (sources.refused.has(name)) return;
  const foreign = FOREIGN_NAMES.get(name)?.find((other) => sources.secrets[other] !== undefined);
  const why = sources.ignored.has(name)
    ? ' in the file that gives the connection; that of the environment is not used with it'
    : foreign === undefined
      ? ''
      : ` (${foreign} is set, but not used)`;
  problems.add(name, { what: `is not set${why}`, accepts });
}
