import { z } from 'zod';
import { closest } from '../../config/suggest.ts';
import type { Tool } from '../../tools/define-tool.ts';

/** A parameter of a tool, as a shell sees it. */
export interface Parameter {
  /** As the tool calls it: `guest_type`. */
  readonly name: string;
  /** `--guest-type`; `--guest_type` is understood as well. */
  readonly flag: string;
  readonly type: 'boolean' | 'list' | 'value';
  /** The values it can have, where these are few. */
  readonly values: readonly string[];
  readonly required: boolean;
  readonly description: string;
}

/** Flags of `call` itself. No tool has a parameter of the same name; a test sees to that. */
export const CALL_FLAGS = {
  json: 'value',
  demo: 'boolean',
  output: 'value',
  toolsets: 'value',
  settings: 'value',
  'env-file': 'value',
  config: 'value',
  help: 'boolean',
} as const;

export type CallFlag = keyof typeof CALL_FLAGS;

/** What was typed behind `call`. */
export interface CallWords {
  readonly tool: string | undefined;
  readonly flags: Readonly<Partial<Record<CallFlag, string>>>;
  /** By the tool's own names; the values are text, which the tool's own check turns into what they are. */
  readonly params: Readonly<Record<string, string | boolean | readonly string[]>>;
}

/** A mistake in what was typed. */
export class WordError extends Error {
  override readonly name = 'WordError';
}

/** Parameters of a tool from its schema; with `cluster`, which every tool has where several are configured. */
export function parametersOf(tool: Tool): readonly Parameter[] {
  const { properties = {}, required = [] } = z.toJSONSchema(tool.schema, { io: 'input' });
  const own = Object.entries(properties).map(([name, schema]): Parameter => {
    const { type, enum: values, items, description = '' } = typeof schema === 'object' ? schema : {};
    const inner = typeof items === 'object' && !Array.isArray(items) ? items : undefined;
    return {
      name,
      flag: flagOf(name),
      type: type === 'boolean' ? 'boolean' : type === 'array' ? 'list' : 'value',
      values: (values ?? inner?.enum ?? []).map(String),
      required: required.includes(name),
      description,
    };
  });
  const cluster = {
    name: 'cluster',
    flag: '--cluster',
    values: [],
    required: false,
    description: 'With several clusters: which one',
  };
  return own.some((p) => p.name === 'cluster') ? own : [...own, { ...cluster, type: 'value' }];
}

export function flagOf(name: string): string {
  return `--${name.replaceAll('_', '-')}`;
}

/**
 * Reads `TOOL --param value --other=value --flag --no-flag`, with the command's own flags anywhere among them. The tool has to
 * be found before its parameters can be understood, so that the two passes are one: the first word without hyphens is the tool.
 *
 * @throws WordError
 */
export function readCallWords(words: readonly string[], toolOf: (name: string) => Tool): CallWords {
  const flags: Partial<Record<CallFlag, string>> = {};
  const params: Record<string, string | boolean | string[]> = {};
  const toolIndex = findTool(words);
  const tool = toolIndex === undefined ? undefined : toolOf(words[toolIndex] ?? '');
  const known = tool === undefined ? [] : parametersOf(tool);
  for (let i = 0; i < words.length; i += 1) {
    if (i === toolIndex) continue;
    const { key, attached } = splitWord(words[i] ?? '');
    const next = (): string => {
      if (attached !== undefined) return attached;
      i += 1;
      const value = words[i];
      if (value === undefined) throw new WordError(`--${key} needs a value`);
      return value;
    };
    if (isCallFlag(key)) {
      flags[key] = CALL_FLAGS[key] === 'boolean' ? 'true' : next();
      continue;
    }
    const found = parameterFor(key, known, tool);
    if (found.parameter.type === 'boolean') {
      const value = attached ?? (isBoolean(words[i + 1]) ? next() : 'true');
      params[found.parameter.name] = found.negated ? value !== 'true' : value;
    } else if (found.parameter.type === 'list') {
      const earlier = params[found.parameter.name];
      params[found.parameter.name] = [
        ...(Array.isArray(earlier) ? earlier : []),
        ...next()
          .split(',')
          .map((part) => part.trim()),
      ];
    } else {
      params[found.parameter.name] = next();
    }
  }
  return { tool: tool?.name, flags, params };
}

/** The first word that is neither a flag nor the value of one of the command's own flags. */
function findTool(words: readonly string[]): number | undefined {
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i] ?? '';
    if (!word.startsWith('--')) return i;
    const { key, attached } = splitWord(word);
    if (isCallFlag(key) && CALL_FLAGS[key] === 'value' && attached === undefined) i += 1;
  }
  return undefined;
}

function splitWord(word: string): { key: string; attached: string | undefined } {
  const match = /^--([A-Za-z][\w-]*)(?:=([\s\S]*))?$/.exec(word);
  if (match === null) throw new WordError(`${JSON.stringify(word)} is no parameter; write --name value`);
  return { key: (match[1] ?? '').replaceAll('_', '-'), attached: match[2] };
}

function isCallFlag(key: string): key is CallFlag {
  return Object.hasOwn(CALL_FLAGS, key);
}

function isBoolean(word: string | undefined): boolean {
  return word !== undefined && /^(?:true|false|yes|no|1|0)$/.test(word);
}

function parameterFor(
  key: string,
  known: readonly Parameter[],
  tool: Tool | undefined,
): { parameter: Parameter; negated: boolean } {
  const named = (flag: string): Parameter | undefined => known.find((p) => p.flag === flag);
  const parameter = named(`--${key}`);
  if (parameter !== undefined) return { parameter, negated: false };
  const positive = key.startsWith('no-') ? named(`--${key.slice(3)}`) : undefined;
  if (positive?.type === 'boolean') return { parameter: positive, negated: true };
  if (tool === undefined) throw new WordError('name the tool; mcp-proxmox tools lists them');
  const flags = known.map((p) => p.flag);
  const near = closest(`--${key}`, flags);
  throw new WordError(
    `${tool.name} has no --${key}; ${near === undefined ? `it takes ${flags.join(', ')}` : `did you mean ${near}?`}`,
  );
}
