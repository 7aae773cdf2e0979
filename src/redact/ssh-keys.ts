import { createHash } from 'node:crypto';
import { decodePercent } from './encodings.ts';
import { REDACTED, type Scrubbed } from './marker.ts';

/** What is shown of a public key: enough to recognise it, without its body. */
export interface SshKeySummary {
  /** `ssh-ed25519`, `ssh-rsa`, ...; `unknown` for a line that is no public key */
  type: string;
  /** `SHA256:...` as `ssh-keygen -l` prints it; `null` where the key's body is no base64 */
  fingerprint: string | null;
  comment: string;
}

const KEY_TYPE = '(?:sk-)?(?:ssh-(?:rsa|dss|ed25519|ed448)|ecdsa-sha2-nistp\\d{3})(?:-cert-v01)?(?:@openssh\\.com)?';
/** Options may stand before the type and hold blanks in quotes. */
const PUBLIC_KEY = new RegExp(`(?:^|\\s)(${KEY_TYPE})\\s+([A-Za-z0-9+/]{4,}={0,3})(?:\\s+([^\\r\\n]*))?$`);

function fingerprintOf(body: string): string | null {
  const bytes = Buffer.from(body, 'base64');
  if (bytes.length === 0) return null;
  return `SHA256:${createHash('sha256').update(bytes).digest('base64').replace(/=+$/, '')}`;
}

/**
 * Turns the `sshkeys` of a guest (percent-encoded authorized_keys lines) into summaries without key bodies.
 * @param scrub cleans comments, which are free text
 * @returns the keys in their order; `privateKeys` counts private keys that were hidden
 */
export function summarizeSshKeys(
  encoded: string,
  scrub: (text: string) => Scrubbed,
): { keys: SshKeySummary[]; privateKeys: number; scrubbed: number } {
  const text = decodePercent(encoded);
  const keys: SshKeySummary[] = [];
  let privateKeys = 0;
  let scrubbed = 0;
  let insidePrivateKey = false;
  for (const rawLine of text.split(/\r\n|[\r\n\0]/)) {
    const line = rawLine.trim();
    if (/BEGIN [A-Z0-9 ]*PRIVATE KEY/.test(line)) {
      privateKeys += 1;
      keys.push({ type: 'private key', fingerprint: null, comment: REDACTED });
      insidePrivateKey = true;
    }
    if (insidePrivateKey) {
      if (/END [A-Z0-9 ]*PRIVATE KEY/.test(line)) insidePrivateKey = false;
      continue;
    }
    if (line === '' || line.startsWith('#')) continue;
    const match = PUBLIC_KEY.exec(line);
    if (match === null) {
      keys.push({ type: 'unknown', fingerprint: null, comment: '' });
      continue;
    }
    const [, type = 'unknown', body = '', comment = ''] = match;
    const clean = scrub(comment.trim());
    scrubbed += clean.redacted;
    keys.push({ type, fingerprint: fingerprintOf(body), comment: clean.text });
  }
  return { keys, privateKeys, scrubbed };
}

const KEY_IN_TEXT = new RegExp(`\\b(${KEY_TYPE})\\s+(AAAA[A-Za-z0-9+/]{4,}={0,3})`, 'g');

/** Puts the fingerprint in place of every public key's body in a text (a cloud-config, a raw configuration). */
export function shortenSshKeys(text: string): string {
  if (!text.includes(' AAAA')) return text;
  return text.replace(KEY_IN_TEXT, (_match, type: string, body: string) => `${type} ${fingerprintOf(body) ?? ''}`.trimEnd());
}
