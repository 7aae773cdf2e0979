import type { HandlerTable } from '../types.ts';
import type { DemoWorld } from '../world/types.ts';
import { directory, nodeOf } from './answers.ts';

/** Certificates of a node; any user may read them. */
export function certificatesHandlers(world: DemoWorld): HandlerTable {
  return {
    '/nodes/{node}/certificates': directory('name', ['acme', 'custom', 'info']),
    '/nodes/{node}/certificates/acme': directory('name', ['certificate']),
    '/nodes/{node}/certificates/info': (request) =>
      world.areas.maintenance.node(nodeOf(world, request).node).certificates.map((certificate) => ({
        filename: certificate.filename,
        fingerprint: certificate.fingerprint,
        issuer: certificate.issuer,
        notafter: certificate.notAfter,
        notbefore: certificate.notBefore,
        pem: certificate.pem,
        'public-key-bits': certificate.keyBits,
        'public-key-type': certificate.keyType,
        san: certificate.san,
        subject: certificate.subject,
      })),
  };
}
