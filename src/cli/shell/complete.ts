import type { Command } from 'commander';
import { OPT_IN_TOOLSETS, TOOLSET_WORDS } from '../../config/toolsets.ts';
import { catalog } from '../../tools/catalog.ts';
import { CALL_FLAGS, flagOf, parametersOf } from './tool-words.ts';

/** Asks the shell for the names of files. */
export const FILES = ':file';

/** Flags whose value is a path, and those whose values are known but not declared anywhere a program could look. */
const PATHS = new Set(['--settings', '--env-file', '--config', '--ca-file', '--file']);
const VALUES: Readonly<Record<string, readonly string[]>> = {
  '--toolsets': [...TOOLSET_WORDS, ...OPT_IN_TOOLSETS.map((name) => `default,${name}`)],
  '--output': ['text', 'json'],
};

/** Flags of the server itself, which commander does not know. */
const SERVE_FLAGS = [
  '--demo',
  '--toolsets',
  '--output',
  '--structured',
  '--settings',
  '--config',
  '--http',
  '--help',
  '--version',
];

/**
 * Words that may stand where the cursor is. Pure.
 *
 * @param words what was typed after the program's name; the last one is being typed and may be empty. As bash has it, an equals
 * sign may be a word of its own.
 */
export function completions(words: readonly string[], program: Command): readonly string[] {
  const { before, current } = typedSoFar(words);
  const [first, ...rest] = before;
  const commands = program.commands.map((c) => c.name()).filter((name) => !name.startsWith('_'));
  const candidates = first === undefined ? [...commands, 'serve', ...SERVE_FLAGS] : after(first, rest, program);
  if (candidates[0] === FILES) return candidates;
  const shown = current === '' ? candidates.filter((word) => first !== undefined || !word.startsWith('-')) : candidates;
  return [...new Set(shown)].filter((word) => word.startsWith(current));
}

function typedSoFar(words: readonly string[]): { before: readonly string[]; current: string } {
  const joined = words.filter((word, i) => word !== '=' || i === words.length - 1);
  const current = joined.at(-1) ?? '';
  const before = joined.slice(0, -1);
  if (current === '=') return { before, current: '' };
  const attached = /^(--[\w-]+)=(.*)$/.exec(current);
  return attached === null ? { before, current } : { before: [...before, attached[1] ?? ''], current: attached[2] ?? '' };
}

function after(command: string, words: readonly string[], program: Command): readonly string[] {
  const previous = words.at(-1) ?? '';
  if (command.startsWith('--') || command === 'serve')
    return valuesAfter(command === 'serve' ? previous : (words.at(-1) ?? command)) ?? SERVE_FLAGS;
  if (command === 'call') return callWords(words);
  const found = program.commands.find((c) => c.name() === command);
  if (found === undefined) return [];
  const option = found.options.find((o) => o.long === previous);
  if (option?.argChoices !== undefined) return option.argChoices;
  if (option !== undefined && (option.required || option.optional)) return valuesAfter(previous) ?? [];
  const [argument] = found.registeredArguments;
  const positional = words.some((word) => !word.startsWith('-')) ? [] : (argument?.argChoices ?? []);
  return [...positional, ...found.options.flatMap((o) => o.long ?? [])];
}

function valuesAfter(flag: string): readonly string[] | undefined {
  return PATHS.has(flag) ? [FILES] : VALUES[flag];
}

function callWords(words: readonly string[]): readonly string[] {
  const previous = flagOf((words.at(-1) ?? '').replace(/^--/, ''));
  const own = Object.entries(CALL_FLAGS).find(([name]) => `--${name}` === previous);
  if (own?.[1] === 'value') return valuesAfter(previous) ?? [];
  const tool = catalog.find((t) => words.some((word) => word.replaceAll('-', '_') === t.name));
  const flags = Object.keys(CALL_FLAGS).map((name) => `--${name}`);
  if (tool === undefined) return [...catalog.map((t) => t.name), ...flags];
  const parameters = parametersOf(tool);
  const parameter = parameters.find((p) => p.flag === previous && words.length > 1);
  // A value is being typed: what it can be is known or not, but it is no flag.
  if (parameter !== undefined && parameter.type !== 'boolean') return parameter.values;
  const used = new Set(words);
  return [...parameters.map((p) => p.flag), ...flags].filter((flag) => !used.has(flag));
}
