import type { CallToolResult, Tool as ListedTool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { outputSchema } from '../answer/output-schema.ts';
import { toolsOf } from '../tools/catalog.ts';
import type { Tool } from '../tools/define-tool.ts';
import type { Audit } from './audit-log.ts';
import { type Caller, scopeRuntime } from './caller.ts';
import { declarationOf, dispatch } from './dispatch.ts';
import type { Runtime } from './runtime.ts';

/**
 * `tools/list`: the same for every caller and deterministic.
 *
 * @param hideClusters some callers may not know every cluster's name
 */
export function listTools(runtime: Runtime, hideClusters = false): ListedTool[] {
  const { settings } = runtime;
  const clusters = [...settings.clusters.values()];
  return toolsOf(settings.toolsets)
    .filter((tool) => clusters.some((cluster) => cluster.toolsets?.includes(tool.toolset) ?? true))
    .map((tool) => {
      const names = clusters.map((cluster) => cluster.name);
      return describeTool({ ...tool, ...named(declarationOf(tool, names, hideClusters)) }, settings.output === 'structured');
    });
}

export type ToolLists = (runtime: Runtime, hideClusters: boolean) => ListedTool[];

/** The same lists, made once each for a runtime: JSON Schema of dozens of tools is more work than most calls. */
export function createToolLists(): ToolLists {
  const made = new Map<boolean, ListedTool[]>();
  return (runtime, hideClusters) => {
    const list = made.get(hideClusters) ?? listTools(runtime, hideClusters);
    made.set(hideClusters, list);
    return list;
  };
}

function named({ input, output }: ReturnType<typeof declarationOf>): Pick<Tool, 'schema' | 'output'> {
  return { schema: input, output };
}

export function describeTool(tool: Tool, structured: boolean): ListedTool {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: objectSchema(tool.schema),
    ...(structured ? { outputSchema: objectSchema(outputSchema(tool.output)) } : {}),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  };
}

/** Bounds that no model needs to be told to stay within; they are checked all the same. */
const UNTOLD = ['minLength', 'maxLength', 'maxItems'] as const;

/** JSON Schema of an object, without what every reader assumes anyway (each word is paid for in tokens). */
function objectSchema(schema: z.ZodType): ListedTool['inputSchema'] {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => {
      for (const key of UNTOLD) delete jsonSchema[key];
    },
  });
  // zod's type of a JSON Schema is wider than the protocol's; what it makes of an object is an object schema.
  return { ...rest, type: 'object' } as ListedTool['inputSchema'];
}

export interface CallContext {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly progress: ((done: number, total: number, what: string) => void) | undefined;
  readonly audit?: Audit | undefined;
}

/** `tools/call`; undefined when there is no such tool. Failures are answers of their own, never exceptions. */
export async function callTool(
  runtime: Runtime,
  name: string,
  args: unknown,
  context: CallContext,
): Promise<CallToolResult | undefined> {
  const { caller, signal, progress, audit } = context;
  const { settings } = runtime;
  const started = Date.now();
  const tool = toolsOf(settings.toolsets).find((t) => t.name === name);
  if (tool === undefined) {
    audit?.({ started, finished: Date.now(), caller, tool: name, args, outcome: undefined });
    return undefined;
  }
  const outcome = await dispatch(tool, args, scopeRuntime(runtime, caller), {
    form: settings.output,
    maxChars: settings.maxAnswerChars,
    signal,
    progress,
    configured: settings.clusters.size,
  });
  audit?.({ started, finished: Date.now(), caller, tool: name, args, outcome });
  return {
    content: [{ type: 'text', text: outcome.text }],
    ...(outcome.structured === undefined ? {} : { structuredContent: outcome.structured }),
    ...(outcome.isError ? { isError: true } : {}),
  };
}
