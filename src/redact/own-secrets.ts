import { Buffer } from 'node:buffer';

/** Shorter secrets would tear ordinary words apart. */
const MIN_PLAIN_LENGTH = 4;
/** The encoded forms of anything shorter are too short to be told from chance. */
const MIN_ENCODED_LENGTH = 8;
/** How much of a secret may stand before the ellipsis of a text that was cut. */
const CUT_PREFIX_LENGTH = 8;

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function hexOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('hex');
}

/** One character, plain, percent-encoded, as JSON or HTML escape; any mixture of them in one secret is found. */
function characterPattern(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const percent = hexOf(character).replace(/../g, '%$&');
  const units = Array.from(
    { length: character.length },
    (_, i) => `\\\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
  );
  return `(?:${escapeRegExp(character)}|${percent}|${units.join('')}|&#(?:x0{0,4}${code.toString(16)}|0{0,4}${code});)`;
}

/** The same character as hex bytes in either case of the letter, with the usual separators between bytes. */
function hexPattern(character: string): string {
  const forms = new Set([character, character.toLowerCase(), character.toUpperCase()].map(hexOf));
  return `(?:${[...forms].map((hex) => hex.replace(/../g, '(?:\\\\x|0x)?$&[ :-]?')).join('|')})`;
}

/** Base64 and base64url of the text wherever it begins in the encoded bytes, without the characters shared with neighbours. */
function base64Patterns(text: string): string[] {
  const bytes = Buffer.from(text, 'utf8');
  return [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const first = offset === 0 ? 0 : offset + 1;
    const whole = Math.floor(((offset + bytes.length) * 8) / 6);
    return [...encoded.slice(first, whole)]
      .map((c) => (c === '+' ? '(?:\\+|-|%2[Bb])' : c === '/' ? '(?:\\/|_|%2[Ff])' : c))
      .join('(?:\\\\[rn]|[\\r\\n]){0,4}'); // wrapped base64 has line breaks in it
  });
}

/** Patterns that find known secrets in every encoding; `undefined` if there is no secret worth looking for. */
export interface OwnSecretPatterns {
  readonly caseless: RegExp;
  readonly exact: RegExp | undefined;
}

/**
 * Builds the search for our own secrets: plain in any case, percent-encoded, escaped, hex, base64 at all three
 * alignments, UUIDs with or without dashes, and a secret cut short by an ellipsis. Secrets under 4 characters are left
 * out, encodings of those under 8.
 */
export function ownSecretPatterns(secrets: readonly string[]): OwnSecretPatterns | undefined {
  const caseless: string[] = [];
  const exact: string[] = [];
  // Longest first, so that a secret that is part of another doesn't leave the rest of it behind.
  const wanted = [...new Set(secrets)].filter((s) => s.length >= MIN_PLAIN_LENGTH).sort((a, b) => b.length - a.length);
  for (const secret of wanted) {
    const isUuid = UUID.test(secret);
    const characters = [...secret];
    const atoms = characters.map((c) => (isUuid && c === '-' ? `${characterPattern(c)}?` : characterPattern(c)));
    caseless.push(atoms.join(''));
    if (secret.length < MIN_ENCODED_LENGTH) continue;
    caseless.push(characters.map((c) => (isUuid && c === '-' ? `${hexPattern(c)}?` : hexPattern(c))).join(''));
    if (atoms.length > CUT_PREFIX_LENGTH * 2) {
      const rest = atoms.slice(CUT_PREFIX_LENGTH).reduceRight((inner, atom) => `(?:${atom}${inner})?`, '');
      caseless.push(`${atoms.slice(0, CUT_PREFIX_LENGTH).join('')}${rest}(?=…)`);
    }
    const spellings = new Set([secret, secret.toLowerCase(), secret.toUpperCase()]);
    if (isUuid) for (const spelling of [...spellings]) spellings.add(spelling.replaceAll('-', ''));
    for (const spelling of spellings) exact.push(...base64Patterns(spelling));
  }
  if (caseless.length === 0) return undefined;
  return {
    caseless: new RegExp(caseless.join('|'), 'gi'),
    exact: exact.length === 0 ? undefined : new RegExp(exact.join('|'), 'g'),
  };
}
