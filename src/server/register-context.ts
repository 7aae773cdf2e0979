import { ResourceNotFoundError, type Server } from '@modelcontextprotocol/server';
import type { Session } from '../api/session.ts';
import type { Audit } from './audit-log.ts';
import type { Caller } from './caller.ts';
import { guarded } from './guarded.ts';
import type { Asked } from './resources.ts';
import type { Runtime } from './runtime.ts';

/** Capabilities that `registerContext` needs; declared at construction. */
export const CONTEXT_CAPABILITIES = {
  resources: { listChanged: false, subscribe: false },
  prompts: { listChanged: false },
  completions: {},
} as const;

/** The most values that one completion may hold, as the protocol says. */
const MAX_VALUES = 100;

export interface ContextParts {
  readonly caller: Caller;
  /** A resource is what a tool answers, and a listing names guests: whatever asks the cluster is a call. */
  readonly audit: Audit | undefined;
}

/**
 * Resources, prompts and argument completion: ways for people to hand context to a model. What they show is what the
 * tools answer; their code loads with the first question about them.
 */
export function registerContext(server: Server, runtime: () => Promise<Runtime>, { caller, audit }: ContextParts): void {
  /** Tells the log of a listing, under the name of its method. */
  function listed(session: Session, method: string, args: unknown, started: number, asked: Asked, answer: unknown): void {
    const outcome = {
      ...asked,
      text: JSON.stringify(answer),
      structured: undefined,
      isError: asked.errorKind !== undefined,
      clusters: [session.cluster],
      identities: [session.identity],
    };
    audit?.({ started, finished: Date.now(), caller, tool: method, args, outcome });
  }

  server.setRequestHandler('resources/list', ({ method }, ctx) =>
    guarded(async () => {
      const [{ listResources }, opened] = await Promise.all([import('./resources.ts'), runtime()]);
      const session = onlySession(opened);
      if (session === undefined) return { resources: [] };
      const started = Date.now();
      const { resources, asked } = await listResources(opened, session, ctx.mcpReq.signal);
      listed(session, method, {}, started, asked, resources);
      return { resources };
    }),
  );
  server.setRequestHandler('resources/templates/list', () =>
    guarded(async () => {
      const [{ listResourceTemplates }, opened] = await Promise.all([import('./resources.ts'), runtime()]);
      return { resourceTemplates: opened.settings.clusters.size > 1 ? [] : listResourceTemplates(opened) };
    }),
  );
  server.setRequestHandler('resources/read', ({ params: { uri } }, ctx) =>
    guarded(async () => {
      const [{ readResource }, opened] = await Promise.all([import('./resources.ts'), runtime()]);
      const session = onlySession(opened);
      if (session === undefined) throw new ResourceNotFoundError(uri);
      const started = Date.now();
      const read = await readResource(opened, session, uri, ctx.mcpReq.signal, (tool, args, outcome) => {
        const asked = { ...outcome, clusters: [session.cluster], identities: [session.identity] };
        audit?.({ started, finished: Date.now(), caller, tool, args, outcome: asked });
      });
      if (read === undefined) throw new ResourceNotFoundError(uri);
      return read;
    }),
  );
  server.setRequestHandler('prompts/list', () =>
    guarded(async () => {
      const [{ listPrompts }, opened] = await Promise.all([import('./prompts.ts'), runtime()]);
      return { prompts: listPrompts(opened) };
    }),
  );
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: args = {} } }) =>
    guarded(async () => {
      const [{ getPrompt }, opened] = await Promise.all([import('./prompts.ts'), runtime()]);
      return getPrompt(opened, name, args);
    }),
  );
  server.setRequestHandler('completion/complete', ({ method, params: { argument } }, ctx) =>
    guarded(async () => {
      const [{ completeValue, isCompleted }, opened] = await Promise.all([import('./resources.ts'), runtime()]);
      // Names are what the tools about these things would show.
      const allowed = opened.settings.toolsets.includes(argument.name === 'node' ? 'nodes' : 'guests');
      const session = allowed && isCompleted(argument.name) ? onlySession(opened) : undefined;
      if (session === undefined) return { completion: { values: [], hasMore: false } };
      const started = Date.now();
      const { values, asked } = await completeValue(session, argument.name, argument.value, ctx.mcpReq.signal);
      const shown = values.slice(0, MAX_VALUES);
      listed(session, method, { [argument.name]: argument.value }, started, asked, shown);
      return { completion: { values: shown, hasMore: values.length > shown.length } };
    }),
  );
}

/** With several clusters an address such as `proxmox://guests/100` would be a guess: there are no resources then. */
function onlySession(runtime: Runtime): Session | undefined {
  return runtime.settings.clusters.size === 1 ? runtime.session() : undefined;
}
