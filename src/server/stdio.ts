import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createMcpServer } from './create-server.ts';
import type { Runtime } from './runtime.ts';

/** Serves one client over standard input and output, in both protocol eras. Standard output carries nothing else. */
export function serveOverStdio(runtime: Runtime, tell: (line: string) => void): void {
  serveStdio(() => createMcpServer(runtime), {
    onerror: (error: Error) => tell(`protocol: ${error.message}`),
  });
  // With the client gone, open connections to the cluster would keep the process alive.
  process.stdin.once('end', () => void runtime.close());
}
