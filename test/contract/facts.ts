import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { DemoRelease } from '../../src/demo/types.ts';

/**
 * The schema facts of each release (`src/demo/facts/pve-*.json`): every GET with its parameters. Contract tests hold the
 * requests of the product against them; the replay server uses them to refuse what the real API would refuse.
 */

const Parameter = z.object({
  type: z.enum(['string', 'integer', 'boolean', 'number']),
  optional: z.literal(1).optional(),
  format: z.string().optional(),
  pattern: z.string().optional(),
  enum: z.array(z.string()).optional(),
  minimum: z.coerce.number().optional(),
  maximum: z.coerce.number().optional(),
  minLength: z.coerce.number().optional(),
  maxLength: z.coerce.number().optional(),
});
type Parameter = z.infer<typeof Parameter>;

const Endpoint = z.object({
  params: z.record(z.string(), Parameter),
  /** Absent where only the user root@pam itself may ask. */
  permissions: z.unknown().optional(),
  proxyto: z.string().optional(),
  protected: z.literal(1).optional(),
});
export type EndpointFacts = z.infer<typeof Endpoint>;

export const RELEASES: readonly DemoRelease[] = ['7.4', '8.4', '9.0', '9.2.11'];

const factsDirectory = new URL('../../src/demo/facts/', import.meta.url);
const loaded = new Map<DemoRelease, ReadonlyMap<string, EndpointFacts>>();

/** All GET endpoints of a release, by path template (`/nodes/{node}/tasks`). Parsed once per process. */
export function endpointsOf(release: DemoRelease): ReadonlyMap<string, EndpointFacts> {
  const known = loaded.get(release);
  if (known) return known;
  const text = readFileSync(new URL(`pve-${release}.json`, factsDirectory), 'utf8');
  const facts = new Map(Object.entries(z.record(z.string(), Endpoint).parse(JSON.parse(text))));
  loaded.set(release, facts);
  return facts;
}

/** One reason why the API would answer 400: the parameter it names and what is wrong with it. */
export interface ParameterProblem {
  readonly param: string;
  readonly problem: string;
}

/**
 * What the API would object to in a GET of `template` with these query and path parameters, sorted by parameter name.
 * Path parameters are checked only where they are given. The template must exist in the release.
 */
export function parameterProblems(
  facts: EndpointFacts,
  template: string,
  query: Readonly<Record<string, string>>,
  pathParams: Readonly<Record<string, string>> = {},
): ParameterProblem[] {
  const problems: ParameterProblem[] = [];
  const inPath = new Set(pathParamNames(template));
  for (const [param, value] of [...Object.entries(query), ...Object.entries(pathParams)]) {
    const rule = facts.params[param];
    const fromPath = inPath.has(param) && Object.hasOwn(pathParams, param);
    if (!rule) problems.push({ param, problem: 'unknown parameter' });
    else if (inPath.has(param) && Object.hasOwn(query, param) && query[param] !== pathParams[param])
      problems.push({ param, problem: 'is already given by the path' });
    else if (fromPath || !inPath.has(param)) {
      const problem = valueProblem(rule, value);
      if (problem !== undefined) problems.push({ param, problem });
    }
  }
  for (const [param, rule] of Object.entries(facts.params))
    if (!rule.optional && !inPath.has(param) && !Object.hasOwn(query, param))
      problems.push({ param, problem: 'required parameter is missing' });
  const unique = new Map(problems.map((found) => [`${found.param}\n${found.problem}`, found]));
  return [...unique.values()].sort((a, b) => a.param.localeCompare(b.param));
}

/**
 * Why the given release would refuse a GET of `template` with this query; empty when it would take it.
 * Path parameters, when given, are checked too.
 * Each entry is one readable line: `limit: below the minimum of 0`.
 */
export function validateRequest(
  release: DemoRelease,
  template: string,
  query: Readonly<Record<string, string>>,
  pathParams: Readonly<Record<string, string>> = {},
): string[] {
  const facts = endpointsOf(release).get(template);
  if (!facts) return [`${template}: unknown endpoint in ${release}`];
  return parameterProblems(facts, template, query, pathParams).map(({ param, problem }) => `${param}: ${problem}`);
}

/** A concrete path found among the templates of a release. */
export interface MatchedTemplate {
  readonly template: string;
  readonly params: Readonly<Record<string, string>>;
}

/** Last path parameters whose values may hold slashes: the API routes them as the rest of the path. */
const RESTFUL_TAILS = new Set(['volume', 'cidr']);

/**
 * The template that a decoded path (`/nodes/pve1/tasks`) is routed to; literal segments win over parameters.
 * Undefined when the release has no such GET.
 */
export function matchTemplate(release: DemoRelease, path: string): MatchedTemplate | undefined {
  const wanted = segmentsOf(path);
  let best: CompiledTemplate | undefined;
  for (const candidate of compiledTemplates(release))
    if (fits(candidate, wanted) && (!best || candidate.literals > best.literals)) best = candidate;
  return best && { template: best.template, params: paramsOf(best, wanted) };
}

interface CompiledTemplate {
  readonly template: string;
  /** A literal segment is its text, a parameter is its name in an object. */
  readonly segments: readonly (string | { readonly name: string })[];
  readonly literals: number;
  readonly takesRest: boolean;
}

const compiled = new Map<DemoRelease, readonly CompiledTemplate[]>();

function compiledTemplates(release: DemoRelease): readonly CompiledTemplate[] {
  const known = compiled.get(release);
  if (known) return known;
  const templates = [...endpointsOf(release).keys()].map((template): CompiledTemplate => {
    const segments = segmentsOf(template).map((segment) => {
      const name = paramName(segment);
      return name === undefined ? segment : { name };
    });
    const last = segments.at(-1);
    return {
      template,
      segments,
      literals: segments.filter((segment) => typeof segment === 'string').length,
      takesRest: typeof last === 'object' && RESTFUL_TAILS.has(last.name),
    };
  });
  compiled.set(release, templates);
  return templates;
}

function fits({ segments, takesRest }: CompiledTemplate, wanted: readonly string[]): boolean {
  if (takesRest ? wanted.length < segments.length : wanted.length !== segments.length) return false;
  return segments.every((segment, index) => typeof segment === 'object' || segment === wanted[index]);
}

function paramsOf({ segments, takesRest }: CompiledTemplate, wanted: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    segments.flatMap((segment, index) => {
      if (typeof segment === 'string') return [];
      const rest = takesRest && index === segments.length - 1;
      return [[segment.name, rest ? wanted.slice(index).join('/') : (wanted[index] ?? '')]];
    }),
  );
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

/** Names of the `{…}` segments of a template, in order. */
export function pathParamNames(template: string): string[] {
  return template.split('/').flatMap((segment) => paramName(segment) ?? []);
}

function paramName(segment: string): string | undefined {
  return segment.startsWith('{') && segment.endsWith('}') ? segment.slice(1, -1) : undefined;
}

function valueProblem(rule: Parameter, value: string): string | undefined {
  switch (rule.type) {
    case 'boolean':
      // The query parser of the API takes nothing else, not even "true" or "on".
      return value === '0' || value === '1' ? undefined : `not a boolean (0 or 1): '${value}'`;
    case 'integer':
      return /^[+-]?\d+$/.test(value) ? rangeProblem(rule, Number(value)) : `not an integer: '${value}'`;
    case 'number':
      return /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(value)
        ? rangeProblem(rule, Number(value))
        : `not a number: '${value}'`;
    case 'string':
      return stringProblem(rule, value);
  }
}

function rangeProblem(rule: Parameter, value: number): string | undefined {
  if (rule.minimum !== undefined && value < rule.minimum) return `below the minimum of ${rule.minimum}`;
  if (rule.maximum !== undefined && value > rule.maximum) return `above the maximum of ${rule.maximum}`;
  return undefined;
}

function stringProblem(rule: Parameter, value: string): string | undefined {
  if (rule.enum && !rule.enum.includes(value)) return `'${value}' is not one of ${rule.enum.join(', ')}`;
  if (rule.minLength !== undefined && value.length < rule.minLength) return `shorter than ${rule.minLength} characters`;
  if (rule.maxLength !== undefined && value.length > rule.maxLength) return `longer than ${rule.maxLength} characters`;
  if (rule.pattern !== undefined && !perlPattern(rule.pattern).test(value)) return `'${value}' does not match ${rule.pattern}`;
  const format = rule.format === undefined ? undefined : FORMATS[rule.format];
  if (format && !format(value)) return `'${value}' is not a valid ${rule.format}`;
  return undefined;
}

/** The API anchors its patterns; `(?^:…)` and `(?^i:…)` are Perl's way to print a group with its own flags. */
function perlPattern(pattern: string): RegExp {
  const ignoreCase = pattern.includes('(?^i:');
  return new RegExp(`^(?:${pattern.replaceAll(/\(\?\^i?:/g, '(?:')})$`, ignoreCase ? 'i' : '');
}

const listOf = (item: (value: string) => boolean) => (value: string) =>
  value
    .split(/[,;\s]+/)
    .filter((part) => part !== '')
    .every(item);
const oneOf =
  (...values: readonly string[]) =>
  (value: string) =>
    values.includes(value);
const matching = (pattern: RegExp) => (value: string) => pattern.test(value);

const content = oneOf('images', 'rootdir', 'vztmpl', 'iso', 'backup', 'snippets', 'import', 'none');

/** The named formats that requests of the product touch; an unlisted format is not checked. */
const FORMATS: Readonly<Record<string, (value: string) => boolean>> = {
  'pve-node': matching(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i),
  'pve-vmid': matching(/^[1-9]\d{2,8}$/),
  'pve-storage-id': matching(/^[a-z][a-z0-9._-]*[a-z0-9]$/i),
  'pve-configid': matching(/^[a-z][\w-]+$/i),
  'pve-poolid': matching(/^[\w.-]+(?:\/[\w.-]+){0,2}$/),
  'pve-userid': matching(/^[^\s:/]+@[A-Za-z][\w.-]+$/),
  'pve-task-status-type-list': listOf(oneOf('ok', 'warning', 'error', 'unknown')),
  'pve-storage-content': content,
  'pve-storage-content-list': listOf(content),
  'prune-backups': listOf(matching(/^keep-(?:all=[01]|(?:last|hourly|daily|weekly|monthly|yearly)=\d+)$/)),
};
