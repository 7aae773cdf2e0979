/** Names of the structured form: what the renderer writes and the output schema declares. */
import type { Kind } from './spec.ts';

/** A key tells its unit. */
const SUFFIXES: Partial<Record<Kind, string>> = {
  bytes: '_bytes',
  percent: '_pct',
  duration: '_s',
  rate: '_bytes_per_s',
};

/** `mem` of kind bytes → `mem_bytes`. A name that already ends so stays. */
export function columnKey(name: string, kind: Kind): string {
  const suffix = SUFFIXES[kind] ?? '';
  return name.endsWith(suffix) ? name : name + suffix;
}

const RESERVED: ReadonlySet<string> = new Set([
  'summary',
  'shown',
  'coverage',
  'coverage_why',
  'problems',
  'hidden',
  'redacted',
  'notes',
  'next',
  'cursor',
]);

/** Sections stand beside the answer's own keys; one of the same name gets another: `notes` → `notes_section`. */
export function sectionKey(name: string): string {
  return RESERVED.has(name) ? `${name}_section` : name;
}
