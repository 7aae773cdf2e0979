import { createServer, type RequestListener } from 'node:http';
import type { ClusterSettings } from '../../src/config/settings.ts';
import { Secret } from '../../src/redact/secret.ts';

export interface SmallServer {
  readonly url: string;
  /** Path and query of what was asked, below `/api2/json`, oldest first. */
  readonly asked: readonly string[];
  close(): void;
}

/** A server on loopback for answers that no Proxmox VE would give. */
export async function openSmallServer(answer: RequestListener): Promise<SmallServer> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push((request.url ?? '').replace('/api2/json', ''));
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Settings of a cluster at these addresses. */
export function clusterAt(urls: readonly string[], timeoutMs = 5_000): ClusterSettings {
  return {
    name: 'small',
    urls,
    tokenId: 'mcp@pve!ro',
    tokenSecret: new Secret('99999999-0000-4000-8000-000000000000'),
    tls: { verify: true, fingerprints: [] },
    timeoutMs,
  };
}
