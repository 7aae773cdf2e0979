import type { Parsed } from './parsed.ts';
import { quoted } from './quoted.ts';
import { closest } from './suggest.ts';

/** Toolsets that are on unless the administrator chooses others. */
export const DEFAULT_TOOLSETS = [
  'cluster',
  'nodes',
  'guests',
  'storage',
  'backups',
  'tasks',
  'firewall',
  'metrics',
  'ha',
  'access',
] as const;

/** Toolsets that are on only when asked for. */
export const OPT_IN_TOOLSETS = ['logs', 'ceph', 'sdn', 'hardware', 'maintenance'] as const;

/** Every toolset, in catalogue order. */
export const TOOLSETS = [...DEFAULT_TOOLSETS, ...OPT_IN_TOOLSETS] as const;

export type ToolsetName = (typeof TOOLSETS)[number];

/** Words that stand for several toolsets. */
const GROUPS: ReadonlyMap<string, readonly ToolsetName[]> = new Map<string, readonly ToolsetName[]>([
  ['default', DEFAULT_TOOLSETS],
  ['all', TOOLSETS],
]);

/** Every word a list of toolsets may hold: names and the group words `default` and `all`. */
export const TOOLSET_WORDS = [...TOOLSETS, 'default', 'all'] as const;

const ACCEPTS = `a comma-separated list of ${TOOLSET_WORDS.join(', ')}`;

/** True for the name of a toolset (not for a group word). */
export function isToolsetName(word: string): word is ToolsetName {
  return TOOLSETS.some((name) => name === word);
}

/**
 * The toolsets that a list of words asks for, each once and in catalogue order. An unknown word or an empty list is a fault:
 * a typo must never quietly switch tools off or on.
 */
export function selectToolsets(words: readonly string[]): Parsed<readonly ToolsetName[]> {
  const chosen = new Set<ToolsetName>();
  for (const written of words) {
    const word = written.trim().toLowerCase();
    const names = GROUPS.get(word) ?? (isToolsetName(word) ? [word] : undefined);
    if (names === undefined) return { fault: { what: unknownToolset(word), accepts: ACCEPTS } };
    for (const name of names) chosen.add(name);
  }
  if (chosen.size === 0) return { fault: { what: 'names no toolset', accepts: ACCEPTS } };
  return { value: TOOLSETS.filter((name) => chosen.has(name)) };
}

/** Same as {@link selectToolsets}, for a comma-separated list: `default,logs`. */
export function parseToolsets(list: string): Parsed<readonly ToolsetName[]> {
  return selectToolsets(list.split(','));
}

function unknownToolset(word: string): string {
  if (word === '') return 'has an empty entry';
  const meant = closest(word, TOOLSET_WORDS);
  return `${quoted(word)} is not a toolset${meant === undefined ? '' : ` (did you mean ${meant}?)`}`;
}
