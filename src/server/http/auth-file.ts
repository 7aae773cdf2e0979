/** Named callers and the hashes of their bearer tokens, from a JSON file that may change while the server runs. */
import { timingSafeEqual } from 'node:crypto';
import { unwatchFile, watchFile } from 'node:fs';
import { z } from 'zod';
import type { Parsed } from '../../config/parsed.ts';
import { Problems } from '../../config/problems.ts';
import { type NamedFile, readFileFromDisk, readNamedFile } from '../../config/read-file.ts';
import { jsonPath } from '../../config/schema-issues.ts';
import { selectToolsets, TOOLSET_WORDS } from '../../config/toolsets.ts';
import type { Caller } from '../caller.ts';

/** A caller as the file has it. */
export interface RegisteredCaller {
  readonly caller: Caller;
  /** SHA-256 of the tokens it may come with. */
  readonly hashes: readonly Buffer[];
  /** Epoch milliseconds. */
  readonly expiresAt: number | undefined;
  readonly ratePerMinute: number | undefined;
  readonly maxConcurrent: number | undefined;
}

/** The callers, as the file was when it was last right. */
export interface AuthFile {
  /** Whose token has this hash. */
  byHash(hash: Buffer): RegisteredCaller | undefined;
  byName(name: string): RegisteredCaller | undefined;
  /** Some of them may not ask every cluster. */
  someLimited(): boolean;
  close(): void;
}

export const CALLER_NAME = /^[A-Za-z0-9][A-Za-z0-9@._+-]{0,63}$/;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/i);

const callerSchema = z.strictObject({
  name: z.string().regex(CALLER_NAME).describe('Shown in the audit log.'),
  sha256: z
    .union([sha256, z.array(sha256).min(1).max(8)])
    .optional()
    .describe('SHA-256 of the bearer token, in hex; several while a token is being replaced.'),
  clusters: z.array(z.string().min(1).max(32)).min(1).optional().describe('The clusters it may ask; all when left out.'),
  toolsets: z.array(z.enum(TOOLSET_WORDS)).min(1).optional().describe('The toolsets it may use; all that are on when left out.'),
  expires: z
    .string()
    .max(40)
    .optional()
    .describe('ISO time, or a date (its beginning), UTC: from then on its tokens are refused.'),
  ratePerMinute: z.number().int().min(1).max(1_000_000).optional(),
  maxConcurrent: z.number().int().min(1).max(10_000).optional(),
  ownProxmoxToken: z.boolean().optional().describe('True: it must send a Proxmox token of its own with every request.'),
});

/** The file's schema. */
export const authFileSchema = z.strictObject({
  $schema: z.string().max(400).optional().describe('Address of this schema, for editors.'),
  callers: z.array(callerSchema).min(1).max(10_000),
});

/** JSON Schema (draft 2020-12) of the file of callers, for editors and for the documentation. */
export function authFileJsonSchema(): z.core.JSONSchema.BaseSchema {
  return { ...z.toJSONSchema(authFileSchema, { io: 'input' }), title: 'mcp-proxmox callers' };
}

type Entry = z.infer<typeof callerSchema>;

export interface AuthFileOptions {
  readonly path: string;
  readonly clusters: readonly string[];
  /** Callers prove themselves by a token; otherwise a proxy names them and the file only limits. */
  readonly tokens: boolean;
  /** Told of changes, and of those that were not taken over. */
  readonly tell: (line: string) => void;
  /** Milliseconds between looks at the file. */
  readonly pollMs?: number | undefined;
}

const POLL_MS = 1_000;

/**
 * Reads the file and keeps looking at it. A change is taken over when the whole file is right; until then the callers
 * of before remain, and the reason is told.
 *
 * @throws ConfigErrors when the file is wrong at the start
 */
export function openAuthFile(options: AuthFileOptions): AuthFile {
  const first = readNamed(options);
  let known = register(parseCallers(first.text, options));
  let { text } = first;
  const reload = (): void => {
    try {
      const now = readNamed(options).text;
      if (now === text) return;
      text = now;
      known = register(parseCallers(now, options));
      options.tell(`--auth-file: reloaded, ${known.byName.size} callers`);
    } catch (thrown) {
      options.tell(
        `--auth-file: the change is not taken over, the callers of before remain. ${thrown instanceof Error ? thrown.message : String(thrown)}`,
      );
    }
  };
  const interval = options.pollMs ?? POLL_MS;
  watchFile(first.path, { interval, persistent: false }, reload);
  // What changed before the watch began is no change to it.
  const early = setTimeout(reload, interval).unref();
  if (first.mode !== undefined && (first.mode & 0o022) !== 0) {
    options.tell(`warning: --auth-file: ${first.shown} can be changed by other users; chmod 600 it`);
  }
  return {
    byHash: (hash) =>
      // What is compared is the hash of what came, which nobody can bring nearer to a known one bit by bit.
      known.byStart.get(startOf(hash))?.find((entry) => entry.hashes.some((own) => timingSafeEqual(own, hash))),
    byName: (name) => known.byName.get(name),
    someLimited: () => known.someLimited,
    close() {
      clearTimeout(early);
      unwatchFile(first.path, reload);
    },
  };
}

/** Callers where they are found at once, however many there are: whoever has no token at all can make the server look. */
interface Register {
  readonly byName: ReadonlyMap<string, RegisteredCaller>;
  /** By the first bytes of their hashes. */
  readonly byStart: ReadonlyMap<number, readonly RegisteredCaller[]>;
  readonly someLimited: boolean;
}

function startOf(hash: Buffer): number {
  return hash.readUInt32BE(0);
}

function register(callers: readonly RegisteredCaller[]): Register {
  const byStart = new Map<number, RegisteredCaller[]>();
  for (const entry of callers) {
    for (const start of entry.hashes.map(startOf)) byStart.set(start, [...(byStart.get(start) ?? []), entry]);
  }
  return {
    byName: new Map(callers.map((entry) => [entry.caller.name, entry])),
    byStart,
    someLimited: callers.some(({ caller }) => caller.clusters !== undefined),
  };
}

function readNamed({ path }: AuthFileOptions): NamedFile {
  const problems = new Problems();
  const file = problems.take(
    '--auth-file',
    readNamedFile(readFileFromDisk, { text: path, base: process.cwd() }, 'the path of a JSON file'),
  );
  problems.throwIfAny();
  if (file === undefined) throw new Error('unreachable: a missing file is a problem');
  return file;
}

/** @throws ConfigErrors with everything that is wrong; no message repeats a piece of the file beyond names that were checked */
function parseCallers(text: string, options: AuthFileOptions): readonly RegisteredCaller[] {
  const problems = new Problems();
  const add = (path: readonly (string | number)[], what: string, accepts: string) =>
    problems.add(path.length === 0 ? '--auth-file' : `--auth-file ${jsonPath(path)}`, { what, accepts });
  const parsed = parse(text);
  const checked = authFileSchema.safeParse(parsed.value);
  if (parsed.fault !== undefined) problems.add('--auth-file', parsed.fault);
  else if (!checked.success) {
    for (const issue of checked.error.issues.slice(0, 10)) {
      add(
        issue.path.filter((part) => typeof part !== 'symbol'),
        'is not what belongs there',
        describeField(issue),
      );
    }
  }
  const entries = checked.data?.callers ?? [];
  const names = new Set<string>();
  const hashes = new Set<string>();
  const callers = entries.map((entry, i) => {
    const at = (key: keyof Entry) => ['callers', i, key];
    if (names.has(entry.name)) add(at('name'), 'is there twice', 'one entry a caller');
    names.add(entry.name);
    const own = entry.sha256 === undefined ? [] : [entry.sha256].flat().map((hash) => hash.toLowerCase());
    if (options.tokens && own.length === 0) add(at('sha256'), 'is missing', 'the hash that mcp-proxmox http-token printed');
    for (const hash of own) {
      if (hashes.has(hash)) add(at('sha256'), 'is there twice', 'a token of its own for each caller');
      hashes.add(hash);
    }
    const unknown = (entry.clusters ?? []).filter((name) => !options.clusters.includes(name));
    if (unknown.length > 0) add(at('clusters'), 'names a cluster that is not configured', options.clusters.join(', '));
    const toolsets = entry.toolsets && problems.take(`--auth-file ${jsonPath(at('toolsets'))}`, selectToolsets(entry.toolsets));
    const expiresAt = entry.expires === undefined ? undefined : timeOf(entry.expires);
    if (Number.isNaN(expiresAt)) add(at('expires'), 'is not a time', 'a date such as 2027-01-31, or an ISO time');
    return {
      caller: {
        name: entry.name,
        clusters: entry.clusters && new Set(entry.clusters),
        toolsets: toolsets && new Set(toolsets),
        ownTokensOnly: entry.ownProxmoxToken,
      },
      hashes: own.map((hash) => Buffer.from(hash, 'hex')),
      expiresAt,
      ratePerMinute: entry.ratePerMinute,
      maxConcurrent: entry.maxConcurrent,
    };
  });
  problems.throwIfAny();
  return callers;
}

/** Epoch milliseconds, or NaN. What only some parsers take for a time is none, and without a zone it is UTC everywhere. */
export function timeOf(text: string): number {
  const match = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?)?$/.exec(text);
  const [, day = '', clock = '00:00', zone = 'Z'] = match ?? [];
  return Date.parse(`${day}T${clock}${zone}`);
}

/** The parser's own message repeats the file's text: it is dropped. */
function parse(text: string): Parsed<unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return { value };
  } catch {
    return { fault: { what: 'is not JSON', accepts: 'JSON as mcp-proxmox http-token prints it' } };
  }
}

/** What belongs where the schema found a fault. */
function describeField(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return `only ${Object.keys(callerSchema.shape).join(', ')}`;
  const key = [...issue.path].reverse().find((part) => typeof part === 'string');
  if (key === 'sha256') return '64 hex digits (the hash, never the token)';
  if (key === 'name') return 'letters, digits and @ . _ + -, at most 64';
  if (key === 'toolsets') return TOOLSET_WORDS.join(', ');
  return '{"callers": [{"name": "...", "sha256": "..."}]}';
}
