import type { ClusterSettings } from '../config/settings.ts';
import { Secret } from '../redact/secret.ts';
import type { DemoCluster, DemoRole } from './types.ts';

/** Settings that lead to an embedded cluster as one of its tokens. */
export function demoClusterSettings(demo: DemoCluster, role: DemoRole = 'auditor', name = 'demo'): ClusterSettings {
  const { id, secret } = demo.token(role);
  return {
    name,
    urls: [demo.url],
    tokenId: id,
    tokenSecret: new Secret(secret),
    tls: { verify: true, caPem: demo.ca, fingerprints: [] },
    timeoutMs: 10_000,
  };
}
