import { backupAndWrite, readIfThere } from './backup-and-write.ts';
import type { ClientDefinition } from './clients.ts';
import { lineDiff } from './diff.ts';
import type { ClientPiece } from './entry.ts';
import { mergeClientFile } from './merge.ts';

/** What adding a server to a client's file means. */
export type ClientChange =
  | { readonly kind: 'none' }
  | { readonly kind: 'refused'; readonly why: string }
  | {
      readonly kind: 'change';
      /** `new file`, `added` or `replaced`. */
      readonly what: string;
      /** The difference, secrets masked. */
      readonly lines: readonly string[];
      /** Does it; returns the path of the backup, if there was a file. */
      readonly write: () => Promise<string | undefined>;
    };

/** Looks at a client's file and says what would change. Nothing is written before `write` is called. */
export async function planChange(client: ClientDefinition, piece: ClientPiece, file: string): Promise<ClientChange> {
  const before = await readIfThere(file);
  const merged = mergeClientFile(client, piece, before);
  if (!merged.ok) return { kind: 'refused', why: merged.why };
  if (merged.change === 'none') return { kind: 'none' };
  return {
    kind: 'change',
    what: merged.change,
    lines: lineDiff(before ?? '', merged.text),
    write: async () => {
      if ((await readIfThere(file)) !== before)
        throw new Error(`${file} was changed by another program meanwhile; nothing was written`);
      return backupAndWrite(file, merged.text);
    },
  };
}
