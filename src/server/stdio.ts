import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Settings } from '../config/settings.ts';
import type { Audit } from './audit-log.ts';
import { createMcpServer } from './create-server.ts';
import type { Runtime } from './runtime.ts';

/** Serves one client over standard input and output, in both protocol eras. Standard output carries nothing else. */
export function serveOverStdio(settings: Settings, tell: (line: string) => void, audit?: Audit): void {
  let opened: Promise<Runtime> | undefined;
  const runtime = (): Promise<Runtime> => {
    opened ??= import('./runtime.ts').then(({ createRuntime }) => createRuntime(settings));
    return opened;
  };
  serveStdio(() => createMcpServer({ runtime, clusters: settings.clusters.size, audit }), {
    onerror: (error: Error) => tell(`protocol: ${error.message}`),
  });
  // With the client gone, open connections to the cluster would keep the process alive.
  process.stdin.once('end', () => void opened?.then((r) => r.close()));
}
