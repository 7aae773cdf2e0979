import { ProtocolError, ProtocolErrorCode, Server, type ServerContext } from '@modelcontextprotocol/server';
import type { Audit } from './audit-log.ts';
import type { Caller } from './caller.ts';
import { guarded } from './guarded.ts';
import { instructionsFor } from './instructions.ts';
import { CONTEXT_CAPABILITIES, registerContext } from './register-context.ts';
import type { Runtime } from './runtime.ts';
import { type Report, throttled } from './throttled.ts';
import type { ToolLists } from './tool-handlers.ts';
import { VERSION } from './version.ts';

/** How long a client may keep the lists; they change only with the configuration. */
const LIST_TTL_MS = 300_000;

/** What a server instance is made of. */
export interface ServerParts {
  /** Opens what the first question needs; the same runtime every time. */
  readonly runtime: () => Promise<Runtime>;
  /** How many are configured. Default: one. */
  readonly clusters?: number;
  /** Who asks; HTTP tells callers apart. Default: the one local client, which may use all that is configured. */
  readonly caller?: Caller;
  /** Some callers may not know the names of all clusters. */
  readonly hideClusters?: boolean | undefined;
  /** Keeps the lists of tools for other instances. */
  readonly lists?: ToolLists;
  /** Is told of every call. */
  readonly audit?: Audit | undefined;
}

/**
 * One MCP server instance. It is cheap: everything behind it is loaded with the first question, so that a client which
 * only says hello (some start a second process for that) pays for nothing else.
 */
export function createMcpServer({
  runtime,
  clusters = 1,
  caller = { name: 'local' },
  hideClusters = false,
  lists,
  audit,
}: ServerParts): Server {
  const server = new Server(
    { name: 'mcp-proxmox', version: VERSION, title: 'Proxmox VE (read-only)' },
    {
      instructions: instructionsFor(clusters),
      capabilities: { tools: { listChanged: false }, ...CONTEXT_CAPABILITIES },
      cacheHints: { 'tools/list': { ttlMs: LIST_TTL_MS, cacheScope: 'private' } },
    },
  );
  server.setRequestHandler('tools/list', () =>
    guarded(async () => {
      const [{ listTools }, opened] = await Promise.all([import('./tool-handlers.ts'), runtime()]);
      return { tools: (lists ?? listTools)(opened, hideClusters) };
    }),
  );
  server.setRequestHandler('tools/call', ({ params: { name, arguments: args } }, ctx) =>
    guarded(async () => {
      const [{ callTool }, opened] = await Promise.all([import('./tool-handlers.ts'), runtime()]);
      const result = await callTool(opened, name, args, { caller, signal: ctx.mcpReq.signal, progress: progressOf(ctx), audit });
      if (result !== undefined) return result;
      const what = `There is no tool ${JSON.stringify(name.slice(0, 60))}; tools/list shows those there are.`;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, what);
    }),
  );
  const scoped = async () => {
    const [{ scopeRuntime }, opened] = await Promise.all([import('./caller.ts'), runtime()]);
    return scopeRuntime(opened, caller);
  };
  registerContext(server, scoped, { caller, audit });
  return server;
}

function progressOf(ctx: ServerContext): Report | undefined {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return throttled((done, total, what) => {
    const params = { progressToken, progress: done, total, message: `${done} of ${total} ${what}` };
    // The client may be gone; the call itself is told by its signal.
    ctx.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  });
}
