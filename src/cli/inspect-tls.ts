import { isIP } from 'node:net';
import { connect, type PeerCertificate } from 'node:tls';
import type { TlsSettings } from '../config/settings.ts';
import { cleanText } from '../redact/plain-text.ts';

/** The certificate that a server presents by itself (the leaf). Whoever answers wrote it: its texts are cleaned. */
export interface Leaf {
  /** SHA-256, upper-case hex pairs with colons, as PROXMOX_TLS_FINGERPRINT takes it. */
  readonly fingerprint: string;
  readonly subject: string;
  readonly issuer: string;
  /** Names and addresses it is good for, e.g. `DNS:pve1`, `IP:192.0.2.1`. */
  readonly names: readonly string[];
  /** Epoch seconds. */
  readonly validUntil: number | undefined;
}

/**
 * How far a server's certificate can be trusted under the settings.
 * - `verified`: chain and name hold, by `by`
 * - `pinned`: it is one of the pinned ones (and verified too, where a CA is given)
 * - `unchecked`: the settings say not to look
 * - `untrusted`: it does not hold; `why` is OpenSSL's code, or `pin`
 * - `none`: plain http
 * - `failed`: there was no TLS connection; `why` says it
 */
export interface TlsState {
  readonly state: 'verified' | 'pinned' | 'unchecked' | 'untrusted' | 'none' | 'failed';
  readonly by: 'system' | 'ca' | undefined;
  readonly why: string | undefined;
  readonly leaf: Leaf | undefined;
}

const TIMEOUT_MS = 5_000;

/**
 * Shakes hands with a server to look at its certificate, and hangs up: nothing is sent, above all no token. Never throws.
 *
 * @param url base URL of an entry node
 */
export async function inspectTls(url: string, tls: TlsSettings, timeoutMs = TIMEOUT_MS): Promise<TlsState> {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'https:') return { state: 'none', by: undefined, why: undefined, leaf: undefined };
  const host = hostname.replace(/^\[|\]$/g, '');
  const servername = tls.servername ?? (isIP(host) === 0 ? host : '');
  return new Promise((resolve) => {
    const failed = (why: string): void => resolve({ state: 'failed', by: undefined, why, leaf: undefined });
    const socket = connect({
      host,
      port: port === '' ? 443 : Number(port),
      // Looking at a certificate that does not hold is the point; whether it holds is judged below.
      rejectUnauthorized: false,
      servername,
      ...(tls.caPem === undefined ? {} : { ca: tls.caPem }),
    });
    // All of it must be done by then; a server that drips bytes is never idle.
    const timer = setTimeout(() => {
      failed(`no TLS handshake within ${timeoutMs / 1000} s`);
      socket.destroy();
    }, timeoutMs);
    socket.on('error', (error) => {
      failed(error.message);
      socket.destroy();
    });
    // Whatever was said before counts; this is for a server that hangs up without a word.
    socket.once('close', () => {
      clearTimeout(timer);
      failed('the server closed the connection');
    });
    socket.once('secureConnect', () => {
      const leaf = leafOf(socket.getPeerCertificate());
      const fault = socket.authorized ? undefined : String(socket.authorizationError ?? 'unknown');
      resolve({ ...judge(tls, leaf, fault), leaf });
      socket.destroy();
    });
  });
}

/** Pure: what the settings make of a certificate. `fault` is why the chain or the name does not hold. */
export function judge(tls: TlsSettings, leaf: Leaf | undefined, fault: string | undefined): Omit<TlsState, 'leaf'> {
  if (!tls.verify) return { state: 'unchecked', by: undefined, why: fault };
  const by = tls.caPem === undefined ? 'system' : 'ca';
  if (tls.fingerprints.length > 0) {
    if (leaf === undefined || !tls.fingerprints.includes(leaf.fingerprint))
      return { state: 'untrusted', by: undefined, why: 'pin' };
    if (tls.caPem === undefined || fault === undefined)
      return { state: 'pinned', by: tls.caPem === undefined ? undefined : 'ca', why: undefined };
  }
  return fault === undefined ? { state: 'verified', by, why: undefined } : { state: 'untrusted', by, why: fault };
}

function leafOf(certificate: PeerCertificate): Leaf | undefined {
  // Without a certificate Node hands out an empty object.
  if (certificate.fingerprint256 === undefined) return undefined;
  const until = Date.parse(certificate.valid_to);
  return {
    fingerprint: certificate.fingerprint256,
    subject: nameOf(certificate.subject),
    issuer: nameOf(certificate.issuer),
    names: cleanText(certificate.subjectaltname ?? '')
      .split(/,\s*/)
      .flatMap((name) => (name === '' ? [] : [name.replace(/^IP Address:/, 'IP:')])),
    validUntil: Number.isNaN(until) ? undefined : until / 1000,
  };
}

/** `CN=pve1, O=Proxmox Virtual Environment`: the common name first; a part that occurs more than once is a list. */
function nameOf(parts: object): string {
  const named = Object.entries(parts).map(
    ([key, value]) => [key, Array.isArray(value) ? value.join('+') : String(value)] as const,
  );
  const sorted = [...named.filter(([key]) => key === 'CN'), ...named.filter(([key]) => key !== 'CN')];
  return cleanText(sorted.map(([key, value]) => `${key}=${value}`).join(', '));
}
