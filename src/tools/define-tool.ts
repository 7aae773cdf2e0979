import { z } from 'zod';
import type { Answer } from '../answer/answer.ts';
import type { OutputSpec, SortKey } from '../answer/spec.ts';
import type { Call } from '../api/call.ts';
import type { EndpointPath } from '../api/endpoints.ts';
import { ApiError } from '../api/errors.ts';
import type { ToolsetName } from '../config/toolsets.ts';
import { coerceArguments } from './coerce.ts';
import { PAGING_KEYS, paging } from './params.ts';

/** What a paged tool is told about the page that is wanted. */
export interface PageRequest {
  /** Sort key of the last row that was shown; rows up to it need not be read again. */
  readonly after: SortKey | undefined;
  readonly limit: number | undefined;
  /** When the first page was asked, in whole seconds since the epoch: what relative times are reckoned from. */
  readonly asked: number;
}

export interface ToolDefinition<S extends z.ZodRawShape, O extends OutputSpec> {
  /** snake_case, verb first; never renamed. */
  readonly name: string;
  readonly title: string;
  readonly toolset: ToolsetName;
  /** One to three short sentences: what it answers, what it costs if that is much. Paid for in every conversation. */
  readonly description: string;
  readonly params: S;
  /** True when one of its tables can be continued; adds `limit`, `cursor` and `fields`. */
  readonly paged?: boolean;
  readonly output: O;
  /** Every endpoint it may read; source of the permission docs, and checked against what it really sends. */
  readonly reads: readonly EndpointPath[];
  run(args: z.output<z.ZodObject<S>>, call: Call, page: PageRequest): Promise<Answer<O>>;
}

/** Which page of an answer is read; the first is after no row. */
export type PagePosition = Pick<PageRequest, 'after' | 'asked'>;

/** A call whose arguments are known to be right. */
export interface PreparedCall {
  /** Arguments without paging, as the cursor's hash covers them. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly limit: number | undefined;
  readonly cursor: string | undefined;
  readonly fields: readonly string[] | undefined;
  run(call: Call, position: PagePosition): Promise<Answer>;
}

/** A tool as the rest of the program handles it; the types of its arguments and rows stay inside. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly toolset: ToolsetName;
  readonly description: string;
  readonly paged: boolean;
  readonly output: OutputSpec;
  readonly reads: readonly EndpointPath[];
  /** The advertised schema of the arguments. */
  readonly schema: z.ZodObject;
  /** Checks arguments; throws an ApiError of kind `bad-argument` that says what is wrong. */
  prepare(raw: unknown): PreparedCall;
}

const pages = z.object(paging);

/** Declares a tool. The file reads like its description: name, parameters, what it reads, how it answers. */
export function defineTool<const S extends z.ZodRawShape, const O extends OutputSpec>(definition: ToolDefinition<S, O>): Tool {
  const own = z.strictObject(definition.params);
  const schema = definition.paged === true ? z.strictObject({ ...definition.params, ...paging }) : own;
  return {
    name: definition.name,
    title: definition.title,
    toolset: definition.toolset,
    description: definition.description,
    paged: definition.paged ?? false,
    output: definition.output,
    reads: definition.reads,
    schema,
    prepare(raw) {
      const checked = schema.safeParse(coerceArguments(schema, raw));
      if (!checked.success) throw badArguments(definition.name, Object.keys(schema.shape), checked.error);
      const all: Record<string, unknown> = { ...checked.data };
      const args = Object.fromEntries(
        Object.entries(all).filter(
          ([key, value]) => value !== undefined && !(definition.paged === true && PAGING_KEYS.includes(key)),
        ),
      );
      const parsed = own.parse(args);
      const { limit, cursor, fields } = pages.parse(definition.paged === true ? pick(all, PAGING_KEYS) : {});
      return {
        args,
        limit,
        cursor,
        fields,
        run: (call, position) => definition.run(parsed, call, { ...position, limit }),
      };
    },
  };
}

function pick(from: Readonly<Record<string, unknown>>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(keys.flatMap((key) => (from[key] === undefined ? [] : [[key, from[key]]])));
}

function badArguments(tool: string, known: readonly string[], error: z.ZodError): ApiError {
  const said = error.issues.slice(0, 4).map((issue) => {
    const where = issue.path.join('.');
    if (isMissing(issue)) return `${where} is missing`;
    const text = issue.message.replace(/^Invalid input: /, '');
    return where === '' ? text : `${where}: ${text}`;
  });
  const shown = error.issues.flatMap(({ path: [key] }) => (typeof key === 'string' ? (SHOWN_BY.get(key) ?? []) : []));
  return new ApiError('bad-argument', `${tool}: ${said.join('; ')}.`, {
    hint: [
      ...[...new Set(shown)].map((by) => `${by} shows what there is.`),
      `Accepted: ${known.length === 0 ? 'no arguments' : known.join(', ')}.`,
    ].join(' '),
  });
}

/** Which tool shows the values that a parameter takes. */
const SHOWN_BY: ReadonlyMap<string, string> = new Map([
  ['node', 'list_nodes'],
  ['vmid', 'list_guests'],
  ['name', 'list_guests'],
  ['storage', 'list_storage'],
  ['upid', 'list_recent_tasks'],
]);

function isMissing(issue: z.core.$ZodIssue): boolean {
  return issue.path.length === 1 && issue.message.endsWith('received undefined');
}
