import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { Parsed } from './parsed.ts';
import { quoted } from './quoted.ts';

const CA_ACCEPTS = 'a PEM file with the CA certificate, such as /etc/pve/pve-root-ca.pem copied from a node';
const PIN_ACCEPTS = 'SHA-256 fingerprints, comma-separated, each of 64 hex digits with or without colons';
const MAX_PINS = 256;

/**
 * The certificates of a CA file as PEM text, and nothing else of it. Every certificate must parse, none may be a lone server
 * certificate, and a private key in the file is refused: it has no business here.
 */
export function parseCaPem(text: string): Parsed<string> {
  const fault = (what: string): Parsed<string> => ({ fault: { what, accepts: CA_ACCEPTS } });
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) return fault('holds a private key');
  const blocks = text.match(/-----BEGIN (TRUSTED )?CERTIFICATE-----[^-]*-----END (TRUSTED )?CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) return fault('holds no certificate in PEM form');
  let anchors = 0;
  for (const [index, block] of blocks.entries()) {
    const certificate = readCertificate(block);
    if (certificate === undefined) return fault(`holds a certificate that cannot be read (number ${index + 1})`);
    if (certificate.ca || certificate.issuer === certificate.subject) anchors += 1;
  }
  if (anchors === 0) {
    return {
      fault: {
        what: 'holds only a server certificate, not the CA that signed it',
        accepts: `${CA_ACCEPTS}; or pin the certificate by its fingerprint`,
      },
    };
  }
  return { value: `${blocks.join('\n')}\n` };
}

function readCertificate(pem: string): X509Certificate | undefined {
  // Loaded when there is a certificate to read: most starts have none, and it takes longer than all the rest of the settings.
  const { X509Certificate } = process.getBuiltinModule('node:crypto');
  try {
    return new X509Certificate(pem);
  } catch {
    // OpenSSL's words say nothing a person can use; the caller names the file and the certificate's number.
    return undefined;
  }
}

/** SHA-256 fingerprints in any usual spelling, as upper-case hex pairs with colons, each once. */
export function parseFingerprints(entries: readonly string[]): Parsed<readonly string[]> {
  const pins = new Set<string>();
  const fault = (what: string): Parsed<readonly string[]> => ({ fault: { what, accepts: PIN_ACCEPTS } });
  if (entries.length > MAX_PINS) return fault(`has more than ${MAX_PINS} entries`);
  for (const [index, entry] of entries.entries()) {
    const where = entries.length === 1 ? '' : `entry ${index + 1} of ${entries.length} `;
    // "SHA256 Fingerprint=AA:BB" is how openssl prints it.
    const hex = entry.trim().replace(/^sha-?256\s*(fingerprint)?\s*[:=]\s*/i, '');
    if (hex === '') return fault(`${where}is empty`);
    const digits = /^[0-9a-f]{2}(:[0-9a-f]{2})+$/i.test(hex) ? hex.replaceAll(':', '') : hex;
    if (!/^[0-9a-f]+$/i.test(digits)) return fault(`${where}is not a fingerprint`);
    if (digits.length === 40) return fault(`${where}is a SHA-1 fingerprint, which can be forged`);
    if (digits.length !== 64) return fault(`${where}has ${digits.length} hex digits where SHA-256 has 64`);
    pins.add((digits.toUpperCase().match(/../g) ?? []).join(':'));
  }
  return { value: [...pins] };
}

/** A host name for SNI and verification; addresses are refused, since TLS knows no SNI for them. */
export function parseServername(text: string): Parsed<string> {
  const accepts = "the host name in the node's certificate, such as pve1.example.com";
  if (isIP(text.replace(/^\[|\]$/g, '')) !== 0) return { fault: { what: 'is an address, not a host name', accepts } };
  const label = '[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?';
  if (text.length > 253 || !new RegExp(`^${label}(\\.${label})*$`).test(text)) {
    return { fault: { what: `${quoted(text)} is not a host name`, accepts } };
  }
  return { value: text.toLowerCase() };
}
