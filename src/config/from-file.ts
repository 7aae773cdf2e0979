import { dirname } from 'node:path';
import type { Secret } from '../redact/secret.ts';
import { parseBaseUrl } from './base-urls.ts';
import { type ClusterEntry, clusterSchema, fileSchema } from './config-schema.ts';
import { HEALTH_THRESHOLDS, THRESHOLD_NAMES, type ThresholdName, thresholdOf, thresholdPairs } from './health-thresholds.ts';
import type { Problems } from './problems.ts';
import { permissionWarning, readNamedFile } from './read-file.ts';
import { timeoutFromSeconds } from './scalars.ts';
import { jsonPath, noteSchemaIssues } from './schema-issues.ts';
import { type ClusterSettings, type HealthSettings, type OutputForm, TIMEOUT_SECONDS } from './settings.ts';
import type { Sources } from './sources.ts';
import { closest } from './suggest.ts';
import { readTls } from './tls-settings.ts';
import { parseTokenId } from './token.ts';
import { readSecretFile, takeSecret } from './token-secret.ts';
import { selectToolsets, type ToolsetName } from './toolsets.ts';
import type { Given } from './variables.ts';

/** What a configuration file says; only what it says. */
export interface FileSettings {
  readonly clusters: ReadonlyMap<string, ClusterSettings>;
  readonly toolsets: readonly ToolsetName[] | undefined;
  readonly output: OutputForm | undefined;
  readonly maxAnswerChars: number | undefined;
  readonly health: HealthSettings | undefined;
  /** The environment variables that clusters take their secrets from. */
  readonly secretVariables: ReadonlySet<string>;
}

/** How clusters of a file get what isn't in the file itself. */
interface Surroundings {
  readonly sources: Sources;
  /** The file's folder: its relative paths start there. */
  readonly folder: string;
  /** Time-out of clusters that name none, in milliseconds. */
  readonly timeoutMs: number | undefined;
  readonly problems: Problems;
}

/**
 * Reads a JSON configuration file of many clusters. Every problem is noted under its path in the file
 * (`clusters.main.urls[0]`); undefined when the file can't be read as a whole. Messages repeat no secret and no piece of the
 * file beyond short plain words.
 */
export function readConfigFile(
  variable: string,
  path: Given,
  sources: Sources,
  timeoutMs: number | undefined,
  problems: Problems,
): FileSettings | undefined {
  const file = problems.take(variable, readNamedFile(sources.readFile, path, 'the path of a JSON configuration file'));
  if (file === undefined) return undefined;
  const json = parseJson(file.text);
  if (json === undefined) {
    problems.add(variable, {
      what: 'the file is not JSON',
      accepts: 'JSON: double quotes, no comments, no comma after the last entry',
    });
    return undefined;
  }
  const entries = clusterEntries(json.value);
  for (const { raw } of entries) hideInlineSecret(raw, problems);

  const whole = fileSchema.safeParse(json.value);
  if (!whole.success) noteSchemaIssues(variable, json.value, whole.error.issues, problems);

  const surroundings: Surroundings = { sources, folder: dirname(file.path), timeoutMs, problems };
  const clusters = new Map<string, ClusterSettings>();
  const secretVariables = new Set<string>();
  let inline = false;
  for (const { name, raw } of entries) {
    // One by one, so that a flaw in one cluster doesn't hide the values that are wrong in another.
    const entry = clusterSchema.safeParse(raw);
    if (!entry.success) continue;
    if (entry.data.tokenSecretEnv !== undefined) secretVariables.add(entry.data.tokenSecretEnv);
    inline ||= entry.data.tokenSecret !== undefined;
    const cluster = readCluster(name, entry.data, surroundings);
    if (cluster !== undefined) clusters.set(name, cluster);
  }
  const warning = inline ? permissionWarning(variable, file) : undefined;
  if (warning !== undefined) sources.warnings.push(warning);

  const said = whole.success ? whole.data : undefined;
  checkThresholds(said?.health?.thresholds ?? {}, problems);
  return {
    clusters,
    toolsets: said?.toolsets && problems.take('toolsets', selectToolsets(said.toolsets)),
    output: said?.output,
    maxAnswerChars: said?.maxAnswerChars,
    health: said?.health && { ignore: (said.health.ignore ?? []).map(withoutAbsent), thresholds: said.health.thresholds ?? {} },
    secretVariables,
  };
}

/** A misspelt name would silently leave our own number in force, and a warning behind what is critical would never come. */
function checkThresholds(thresholds: Readonly<Record<string, number>>, problems: Problems): void {
  for (const [name, value] of Object.entries(thresholds)) {
    const path = jsonPath(['health', 'thresholds', name]);
    if (!THRESHOLD_NAMES.includes(name)) {
      const near = closest(name, THRESHOLD_NAMES);
      problems.add(path, {
        what: `is no threshold${near === undefined ? '' : `; did you mean ${near}?`}`,
        accepts: THRESHOLD_NAMES.join(', '),
      });
    } else if (value < 0) problems.add(path, { what: 'is below zero', accepts: 'a number from 0 up' });
  }
  for (const { warning, critical } of thresholdPairs()) {
    const set = [warning, critical].find((name) => Object.hasOwn(thresholds, name));
    if (set === undefined) continue;
    const gap = (at: (name: ThresholdName) => number): number => at(critical) - at(warning);
    // Of some things much is grave, of others little.
    if (Math.sign(gap((name) => HEALTH_THRESHOLDS[name].default)) === -Math.sign(gap((name) => thresholdOf(thresholds, name)))) {
      problems.add(jsonPath(['health', 'thresholds', set]), {
        what: `leaves ${warning} (${thresholdOf(thresholds, warning)}) graver than ${critical} (${thresholdOf(thresholds, critical)})`,
        accepts: 'a warning that comes before what is critical',
      });
    }
  }
}

function readCluster(
  name: string,
  entry: ClusterEntry,
  { sources, folder, timeoutMs, problems }: Surroundings,
): ClusterSettings | undefined {
  const at = (key: keyof ClusterEntry) => jsonPath(['clusters', name, key]);
  const urls = readUrls(entry.urls, at('urls'), problems);
  const tokenId = problems.take(at('tokenId'), parseTokenId(entry.tokenId.trim()));
  const tokenSecret = readSecret(entry, at, { sources, folder, timeoutMs, problems });
  const tls = readTls(
    {
      verify: entry.verifyTls,
      caFile: entry.caFile === undefined ? undefined : { text: entry.caFile, base: folder },
      fingerprints: entry.fingerprints,
      servername: entry.servername,
    },
    { verify: at('verifyTls'), caFile: at('caFile'), fingerprints: at('fingerprints'), servername: at('servername') },
    urls,
    sources.readFile,
    problems,
  );
  const ownTimeout =
    entry.timeoutSeconds === undefined
      ? undefined
      : problems.take(at('timeoutSeconds'), timeoutFromSeconds(entry.timeoutSeconds));
  const toolsets = entry.toolsets && problems.take(at('toolsets'), selectToolsets(entry.toolsets));
  if (urls === undefined || tokenId === undefined || tokenSecret === undefined) return undefined;
  return {
    name,
    urls,
    tokenId,
    tokenSecret,
    tls,
    timeoutMs: ownTimeout ?? timeoutMs ?? TIMEOUT_SECONDS.default * 1000,
    ...(toolsets === undefined ? {} : { toolsets }),
  };
}

function readUrls(written: readonly string[], path: string, problems: Problems): readonly string[] | undefined {
  const urls = written.map((text, index) => problems.take(`${path}[${index}]`, parseBaseUrl(text.trim())));
  const right = urls.filter((url) => url !== undefined);
  return right.length === urls.length ? [...new Set(right)] : undefined;
}

/** The secret from the one place that the entry names: the file itself, a file beside it, or an environment variable. */
function readSecret(
  entry: ClusterEntry,
  at: (key: keyof ClusterEntry) => string,
  { sources, folder, problems }: Surroundings,
): Secret | undefined {
  const places = (['tokenSecret', 'tokenSecretFile', 'tokenSecretEnv'] as const).filter((key) => entry[key] !== undefined);
  if (places.length !== 1) {
    const what = places.length === 0 ? 'is missing' : `and ${places.slice(1).join(' and ')} are both set`;
    problems.add(at(places[0] ?? 'tokenSecretFile'), {
      what,
      accepts: 'exactly one of tokenSecretFile, tokenSecretEnv and tokenSecret',
    });
    return undefined;
  }
  if (entry.tokenSecretFile !== undefined) {
    return readSecretFile(at('tokenSecretFile'), { text: entry.tokenSecretFile, base: folder }, sources, problems);
  }
  if (entry.tokenSecret !== undefined) return takeSecret(at('tokenSecret'), entry.tokenSecret, problems);
  const variable = entry.tokenSecretEnv ?? '';
  const value = sources.secrets[variable];
  if (value === undefined || value.trim() === '') {
    problems.add(at('tokenSecretEnv'), {
      what: 'names a variable that is not set',
      accepts: 'the name of a variable that holds the secret',
    });
    return undefined;
  }
  return takeSecret(at('tokenSecretEnv'), value, problems);
}

/** JSON's value, wrapped so that `null` is told from a failure. The parser's own message repeats the file's text: it is dropped. */
function parseJson(text: string): { value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return { value };
  } catch {
    return undefined;
  }
}

/** The clusters of a file that may be wrong elsewhere. */
function clusterEntries(json: unknown): { name: string; raw: unknown }[] {
  if (!isObject(json) || !isObject(json.clusters)) return [];
  return Object.entries(json.clusters).map(([name, raw]) => ({ name, raw }));
}

function hideInlineSecret(raw: unknown, problems: Problems): void {
  if (isObject(raw) && typeof raw.tokenSecret === 'string') problems.hide(raw.tokenSecret);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `on` left out rather than undefined. */
function withoutAbsent(ignore: { id: string; on?: string | undefined; reason: string }): HealthSettings['ignore'][number] {
  const { on, ...rest } = ignore;
  return on === undefined ? rest : { ...rest, on };
}
