/** Lenient decoders: each gives `undefined` instead of throwing, so redaction never fails on odd input. */

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** Strict UTF-8 decoding; `undefined` if the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return undefined; // not UTF-8: for the caller that is an answer, not a failure
  }
}

/**
 * Percent-decoding that copes with a stray `%`: well-formed runs are decoded, everything else stays.
 * The same string comes back where nothing was encoded.
 */
export function decodePercent(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    const decoded = decodeUtf8(Buffer.from(run.replaceAll('%', ''), 'hex'));
    return decoded ?? run;
  });
}

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/**
 * The text inside a base64 or base64url string; `undefined` if the string isn't base64 or holds no printable text
 * (binary data, a hex digest, a plain word).
 */
export function decodeBase64Text(text: string): string | undefined {
  const compact = text.replace(/\s+/g, '');
  if (compact.length < 4 || !BASE64.test(compact)) return undefined;
  const decoded = decodeUtf8(Buffer.from(compact, 'base64'));
  if (decoded === undefined || decoded === '') return undefined;
  return /[^\t\n\r\x20-\x7e\u00a0-\u{10ffff}]/u.test(decoded) ? undefined : decoded;
}

/** Base64 of the text's UTF-8 bytes. */
export function encodeBase64Text(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
