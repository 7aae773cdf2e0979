import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError, type Server } from '@modelcontextprotocol/server';
import { toApiError } from '../api/errors.ts';
import type { Session } from '../api/session.ts';
import type { Audit } from './audit-log.ts';
import type { Caller } from './caller.ts';
import type { Runtime } from './runtime.ts';

/** Capabilities that `registerContext` needs; declared at construction. */
export const CONTEXT_CAPABILITIES = {
  resources: { listChanged: false, subscribe: false },
  prompts: { listChanged: false },
  completions: {},
} as const;

export interface ContextParts {
  readonly caller: Caller;
  /** A resource is what a tool answers: reading one is a call. */
  readonly audit: Audit | undefined;
}

/**
 * Resources, prompts and argument completion: ways for people to hand context to a model. What they show is what the
 * tools answer; their code loads with the first question about them.
 */
export function registerContext(server: Server, runtime: () => Promise<Runtime>, { caller, audit }: ContextParts): void {
  server.setRequestHandler('resources/list', async (_request, ctx) => {
    const [{ listResources }, opened] = await Promise.all([import('./resources.ts'), runtime()]);
    const session = onlySession(opened);
    return { resources: session === undefined ? [] : await listResources(opened, session, ctx.mcpReq.signal) };
  });
  server.setRequestHandler('resources/templates/list', async () => {
    const [{ listResourceTemplates }, opened] = await Promise.all([import('./resources.ts'), runtime()]);
    return { resourceTemplates: opened.settings.clusters.size > 1 ? [] : listResourceTemplates(opened) };
  });
  server.setRequestHandler('resources/read', async (request, ctx) => {
    const [{ readResource }, opened] = await Promise.all([import('./resources.ts'), runtime()]);
    const { uri } = request.params;
    const session = onlySession(opened);
    if (session === undefined) throw new ResourceNotFoundError(uri);
    const started = Date.now();
    const read = await readResource(opened, session, uri, ctx.mcpReq.signal, (tool, args, outcome) => {
      const asked = { ...outcome, clusters: [session.cluster], identities: [session.identity] };
      audit?.({ started, finished: Date.now(), caller, tool, args, outcome: asked });
    }).catch((thrown: unknown) => {
      throw new ProtocolError(ProtocolErrorCode.InternalError, toApiError(thrown).message);
    });
    if (read === undefined) throw new ResourceNotFoundError(uri);
    return read;
  });
  server.setRequestHandler('prompts/list', async () => {
    const [{ listPrompts }, opened] = await Promise.all([import('./prompts.ts'), runtime()]);
    return { prompts: listPrompts(opened) };
  });
  server.setRequestHandler('prompts/get', async (request) => {
    const [{ getPrompt }, opened] = await Promise.all([import('./prompts.ts'), runtime()]);
    const { name, arguments: args = {} } = request.params;
    try {
      const prompt = getPrompt(opened, name, args);
      if (prompt !== undefined) return prompt;
    } catch (thrown) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, thrown instanceof Error ? thrown.message : String(thrown));
    }
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt ${JSON.stringify(name.slice(0, 60))}.`);
  });
  server.setRequestHandler('completion/complete', async (request, ctx) => {
    const [{ completeValue }, opened] = await Promise.all([import('./resources.ts'), runtime()]);
    const { argument } = request.params;
    // Names are what the tools about these things would show.
    const allowed = opened.settings.toolsets.includes(argument.name === 'node' ? 'nodes' : 'guests');
    const session = allowed ? onlySession(opened) : undefined;
    const values = session === undefined ? [] : await completeValue(session, argument.name, argument.value, ctx.mcpReq.signal);
    return { completion: { values, hasMore: values.length >= 100 } };
  });
}

/** With several clusters an address such as `proxmox://guests/100` would be a guess: there are no resources then. */
function onlySession(runtime: Runtime): Session | undefined {
  return runtime.settings.clusters.size === 1 ? runtime.session() : undefined;
}
