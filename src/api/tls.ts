import { createSecureContext, type TLSSocket } from 'node:tls';
import type { buildConnector } from 'undici';
import type { TlsSettings } from '../config/settings.ts';
import { ApiError } from './errors.ts';

/** SHA-256 of the certificate the peer itself presented, `AA:BB:...`; the chain above it is never looked at. */
export function leafFingerprint(socket: TLSSocket): string | undefined {
  const certificate = socket.getPeerCertificate();
  return certificate.fingerprint256 === undefined || certificate.fingerprint256 === '' ? undefined : certificate.fingerprint256;
}

/**
 * The connector of one cluster: verifies against the system's or the given CA, pins the leaf, or (only when the
 * configuration says so for this cluster) verifies nothing. Nothing process-wide is touched.
 *
 * With a pin the certificate is compared before the socket is handed over, so not a byte of a request (nor the token
 * in it) reaches a stranger. Session resumption is off: a resumed session presents no certificate to compare.
 *
 * @param build undici's own connector builder, handed in because undici is loaded with the first request only
 */
export function tlsConnector(
  build: typeof buildConnector,
  tls: TlsSettings,
  connectTimeoutMs: number,
): ReturnType<typeof buildConnector> {
  const pinned = tls.fingerprints.length > 0;
  const connect = build({
    rejectUnauthorized: tls.verify && (!pinned || tls.caPem !== undefined),
    // Made once: to read the certificates again for each connection costs more than the rest of its handshake.
    secureContext: createSecureContext(tls.caPem === undefined ? {} : { ca: tls.caPem }),
    ...(tls.servername === undefined ? {} : { servername: tls.servername }),
    ...(pinned ? { maxCachedSessions: 0 } : {}),
    timeout: connectTimeoutMs,
    keepAlive: true,
  });
  if (!pinned) return connect;
  const allowed = new Set(tls.fingerprints);
  return (options, callback) => {
    connect(options, (...result) => {
      const [error, socket] = result;
      if (error !== null) return callback(error, null);
      // Plain http is allowed to loopback only; there is no certificate to compare then.
      if (!('getPeerCertificate' in socket)) return callback(null, socket);
      const seen = leafFingerprint(socket);
      if (seen !== undefined && allowed.has(seen)) return callback(null, socket);
      socket.destroy();
      return callback(
        new ApiError('tls', `The server's certificate does not match PROXMOX_TLS_FINGERPRINT (it has ${seen ?? 'none'}).`, {
          hint: "Compare it with the node's own certificate (Node > System > Certificates); nodes differ, and a renewed certificate has a new fingerprint.",
        }),
        null,
      );
    });
  };
}
