/** Certificates of the embedded cluster: a certificate authority and one leaf, made anew at each start. */
import { randomUUID, X509Certificate } from 'node:crypto';
import { generate } from 'selfsigned';

export interface ServerIdentity {
  /** PEM of the certificate authority. */
  readonly ca: string;
  /** PEM of the leaf. */
  readonly cert: string;
  /** PEM of the leaf's private key. */
  readonly key: string;
  /** SHA-256 of the leaf, `AA:BB:...`. */
  readonly fingerprint: string;
}

const DAY = 86_400_000;

/**
 * Makes a CA and a leaf for loopback and the node's name. Validity counts from the machine's clock (two years, begun a
 * day ago, so that a small clock difference does no harm), whatever moment the data set is laid around.
 */
export async function createServerIdentity(nodeName: string): Promise<ServerIdentity> {
  const validity = { notBeforeDate: new Date(Date.now() - DAY), notAfterDate: new Date(Date.now() + 730 * DAY) };
  const authority = await generate(
    [
      { name: 'commonName', value: 'Proxmox Virtual Environment' },
      // Every cluster's authority has an id of its own in its name; with equal names a bundle of two could not be told apart.
      { shortName: 'OU', value: randomUUID() },
      { name: 'organizationName', value: 'PVE Cluster Manager CA' },
    ],
    {
      keyType: 'ec',
      algorithm: 'sha256',
      ...validity,
      extensions: [
        { name: 'basicConstraints', cA: true, critical: true },
        { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
      ],
    },
  );
  const leaf = await generate(
    [
      { name: 'commonName', value: nodeName },
      { name: 'organizationName', value: 'Proxmox Virtual Environment' },
    ],
    {
      keyType: 'ec',
      algorithm: 'sha256',
      ...validity,
      ca: { key: authority.private, cert: authority.cert },
      extensions: [
        { name: 'basicConstraints', cA: false, critical: true },
        { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, critical: true },
        { name: 'extKeyUsage', serverAuth: true },
        {
          name: 'subjectAltName',
          altNames: [
            { type: 2, value: 'localhost' },
            { type: 2, value: nodeName },
            { type: 7, ip: '127.0.0.1' },
            { type: 7, ip: '::1' },
          ],
        },
      ],
    },
  );
  return { ca: authority.cert, cert: leaf.cert, key: leaf.private, fingerprint: new X509Certificate(leaf.cert).fingerprint256 };
}
