import { createHash } from 'node:crypto';

/** SHA-1 in hexadecimal over a value's JSON: what most `digest` members look like. */
export function digestOf(value: unknown): string {
  return createHash('sha1').update(JSON.stringify(value)).digest('hex');
}

/** SHA-256 in hexadecimal over a value's JSON: the digests of the newer configuration files. */
export function longDigestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

/** Base64 of UTF-8 text. */
export function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
