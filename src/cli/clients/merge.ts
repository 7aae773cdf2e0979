import { isDeepStrictEqual } from 'node:util';
import type { ClientDefinition } from './clients.ts';
import type { ClientPiece } from './entry.ts';
import { appendJsonc, parseJsonc, setJsonc } from './jsonc-edit.ts';
import { renderFile, renderToml } from './render.ts';
import { setToml } from './toml-edit.ts';

/** What became of a client's file, or why nothing can. */
export type Merged =
  | { readonly ok: true; readonly text: string; readonly change: 'new file' | 'added' | 'replaced' | 'none' }
  | { readonly ok: false; readonly why: string };

/**
 * A client's file with this server in it and everything else as it was. Pure: nothing is written. A file that can't be
 * understood is refused rather than repaired.
 *
 * @param text content of the file; undefined when there is none
 */
export function mergeClientFile(client: ClientDefinition, piece: ClientPiece, text: string | undefined): Merged {
  if (text === undefined || text.trim() === '') return { ok: true, text: renderFile(client, piece), change: 'new file' };
  try {
    const merged = client.format === 'toml' ? mergeToml(client, piece, text) : mergeJson(client, piece, text);
    return { ok: true, ...merged };
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError || thrown instanceof TypeError)) throw thrown;
    return { ok: false, why: thrown.message };
  }
}

type Change = { readonly text: string; readonly change: 'added' | 'replaced' | 'none' };

function mergeToml({ root }: ClientDefinition, piece: ClientPiece, text: string): Change {
  const merged = setToml(text, root, piece.name, renderToml(root, piece));
  if (merged === text) return { text, change: 'none' };
  return {
    text: merged,
    change: merged.replaceAll('\r', '').startsWith(text.replaceAll('\r', '').trimEnd()) ? 'added' : 'replaced',
  };
}

function mergeJson({ root }: ClientDefinition, { name, entry, inputs }: ClientPiece, text: string): Change {
  const before = recordOf(parseJsonc(text));
  if (before === undefined) throw new TypeError('the file is not an object');
  const servers = recordOf(before[root]);
  const known = listOf(before['inputs']);
  const missing = inputs.filter((input) => !known.some((other) => recordOf(other)?.['id'] === input.id));
  if (isDeepStrictEqual(servers?.[name], entry) && missing.length === 0) return { text, change: 'none' };
  let merged = setJsonc(text, [root, name], entry);
  for (const input of missing) merged = appendJsonc(merged, ['inputs'], input);
  // The edit is of text; that it changed what it should and nothing else is looked at before anybody writes it.
  const expected = {
    ...before,
    ...(missing.length === 0 ? {} : { inputs: [...known, ...missing] }),
    [root]: { ...servers, [name]: entry },
  };
  if (!isDeepStrictEqual(parseJsonc(merged), JSON.parse(JSON.stringify(expected)))) {
    throw new TypeError('the file is written in a way that this program cannot edit safely');
  }
  return { text: merged, change: servers?.[name] === undefined ? 'added' : 'replaced' };
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
