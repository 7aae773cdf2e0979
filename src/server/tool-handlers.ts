import type { CallToolResult, Tool as ListedTool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { outputSchema } from '../answer/output-schema.ts';
import type { Session } from '../api/session.ts';
import { toolsOf } from '../tools/catalog.ts';
import type { Tool } from '../tools/define-tool.ts';
import { runTool } from '../tools/run-tool.ts';
import type { Runtime } from './runtime.ts';

/** `tools/list`: the same for every caller and deterministic. */
export function listTools(runtime: Runtime): ListedTool[] {
  return toolsOf(runtime.settings.toolsets).map((tool) => describeTool(tool, runtime.settings.output === 'structured'));
}

export function describeTool(tool: Tool, structured: boolean): ListedTool {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: objectSchema(tool.schema),
    ...(structured ? { outputSchema: objectSchema(outputSchema(tool.output)) } : {}),
    annotations: { title: tool.title, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  };
}

/** JSON Schema of an object, without what every reader assumes anyway (each word is paid for in tokens). */
function objectSchema(schema: z.ZodType): ListedTool['inputSchema'] {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  // zod's type of a JSON Schema is wider than the protocol's; what it makes of an object is an object schema.
  return { ...rest, type: 'object' } as ListedTool['inputSchema'];
}

export interface CallContext {
  readonly session: (cluster: string | undefined) => Session;
  readonly signal: AbortSignal;
  readonly progress: ((done: number, total: number, what: string) => void) | undefined;
}

/** `tools/call`; undefined when there is no such tool. Failures are answers of their own, never exceptions. */
export async function callTool(
  runtime: Runtime,
  name: string,
  args: unknown,
  context: CallContext,
): Promise<CallToolResult | undefined> {
  const { settings } = runtime;
  const tool = toolsOf(settings.toolsets).find((t) => t.name === name);
  if (tool === undefined) return undefined;
  const outcome = await runTool(tool, args, context.session(undefined), {
    form: settings.output,
    maxChars: settings.maxAnswerChars,
    signal: context.signal,
    progress: context.progress,
  });
  return {
    content: [{ type: 'text', text: outcome.text }],
    ...(outcome.structured === undefined ? {} : { structuredContent: outcome.structured }),
    ...(outcome.isError ? { isError: true } : {}),
  };
}
