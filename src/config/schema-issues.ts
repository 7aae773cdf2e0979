import type * as z from 'zod';
import { clusterSchema, fileSchema, healthSchema, ignoreSchema } from './config-schema.ts';
import type { Problems } from './problems.ts';
import { quoted } from './quoted.ts';
import { MAX_ANSWER_CHARS, TIMEOUT_SECONDS } from './settings.ts';
import { closest } from './suggest.ts';
import { TOOLSET_WORDS } from './toolsets.ts';

/** What each setting accepts, in words that follow "use". */
const ACCEPTS: Readonly<Record<string, string>> = {
  $schema: 'the address of the JSON schema',
  clusters: 'an object with at least one cluster, named with up to 32 lower-case letters, digits and dashes (not "all")',
  urls: 'a list of base URLs, such as ["https://pve1.example.com:8006"]',
  tokenId: 'user@realm!tokenname, such as mcp@pve!assistant',
  tokenSecretFile: 'the path of a file with the token secret and nothing else',
  tokenSecretEnv: 'the name of a variable that holds the token secret',
  tokenSecret: "the token's UUID as text",
  caFile: 'the path of a PEM file with the CA certificate',
  fingerprints: 'a list of SHA-256 fingerprints',
  servername: "the host name in the node's certificate",
  verifyTls: 'true or false, without quotes',
  timeoutSeconds: `a number of seconds from ${TIMEOUT_SECONDS.min} to ${TIMEOUT_SECONDS.max}`,
  toolsets: `a list of ${TOOLSET_WORDS.join(', ')}`,
  output: '"text" or "structured"',
  maxAnswerChars: `a whole number from ${MAX_ANSWER_CHARS.min} to ${MAX_ANSWER_CHARS.max}`,
  health: 'an object with "ignore" and "thresholds"',
  ignore: 'a list of objects with "id", "reason" and perhaps "on"',
  id: 'the id of a check, such as PVE-Q01',
  on: 'the name of a node, guest or storage',
  reason: 'a sentence of up to 500 characters that says why it is accepted',
  thresholds: 'an object of numbers by threshold name',
};

/** Which settings an object may hold, by the setting that the object is the value of. */
function settingsAt(path: readonly PropertyKey[]): readonly string[] {
  if (path.length === 0) return Object.keys(fileSchema.shape);
  if (path[0] === 'clusters') return Object.keys(clusterSchema.shape);
  return Object.keys(path.length === 1 ? healthSchema.shape : ignoreSchema.shape);
}

/**
 * Notes what a schema found wrong in the file's value, each under its path. `variable` names the file where there is no path.
 * Values are shown only when they are short plain words.
 */
export function noteSchemaIssues(variable: string, json: unknown, issues: readonly z.core.$ZodIssue[], problems: Problems): void {
  for (const issue of issues) {
    const path = jsonPath(issue.path) || variable;
    if (issue.code === 'unrecognized_keys') {
      const known = settingsAt(issue.path);
      for (const key of issue.keys) problems.add(path, { what: unknownSetting(key, known), accepts: `only ${known.join(', ')}` });
      continue;
    }
    const options = issue.code === 'invalid_value' ? issue.values.map(String) : [];
    const accepts = ACCEPTS[lastName(issue.path)] ?? 'an object with "clusters"';
    problems.add(path, {
      what: issue.code === 'invalid_key' ? 'is not a valid name' : wrongValue(valueAt(json, issue.path), options),
      accepts,
    });
  }
}

/** `clusters.main.urls[0]`; keys that can't be shown are `…`. */
export function jsonPath(path: readonly PropertyKey[]): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else text += `${text === '' ? '' : '.'}${showable(String(part))}`;
  }
  return text;
}

/** A key of the file as messages may show it: someone may have pasted anything there. */
function showable(key: string): string {
  return key === '$schema' || quoted(key) === `"${key}"` ? key : '…';
}

function unknownSetting(key: string, known: readonly string[]): string {
  const shown = showable(key);
  if (shown === '…') return 'has a setting of an unknown name';
  const meant = closest(key, known);
  return `"${shown}" is not a setting${meant === undefined ? '' : ` (did you mean ${meant}?)`}`;
}

function wrongValue(value: unknown, options: readonly string[]): string {
  if (value === undefined) return 'is missing';
  if (Array.isArray(value)) return `a list of ${value.length} is not accepted here`;
  if (typeof value === 'object' && value !== null) return 'this object is not accepted here';
  const meant = typeof value === 'string' ? closest(value, options) : undefined;
  return `${quoted(String(value))} is not accepted here${meant === undefined ? '' : ` (did you mean ${meant}?)`}`;
}

function lastName(path: readonly PropertyKey[]): string {
  const names = path.filter((part) => typeof part === 'string');
  // The name of a cluster or of a threshold is the person's own; what it accepts is told by its parent.
  if (names.length === 2 && names[0] === 'clusters') return 'clusters';
  if (names[1] === 'thresholds') return 'thresholds';
  return names.at(-1) ?? '';
}

function valueAt(json: unknown, path: readonly PropertyKey[]): unknown {
  let value = json;
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Object.getOwnPropertyDescriptor(value, part)?.value;
  }
  return value;
}
