/** The schema facts of a release: which endpoints it has, their parameters, permissions and forwarding. */
import { z } from 'zod';
import type { DemoRelease } from './types.ts';

const bound = z.union([z.number(), z.string()]).transform(Number);

const parameterFacts = z.object({
  type: z.enum(['string', 'integer', 'number', 'boolean']),
  format: z.string().optional(),
  optional: z.number().optional(),
  minimum: bound.optional(),
  maximum: bound.optional(),
  minLength: bound.optional(),
  maxLength: bound.optional(),
  pattern: z.string().optional(),
  enum: z.array(z.string()).optional(),
});

const permissionFacts = z.object({
  user: z.string().optional(),
  /** Nested expression, e.g. `["perm", "/vms/{vmid}", ["VM.Audit"]]`. */
  check: z.array(z.unknown()).optional(),
});

const endpointFacts = z.object({
  params: z.record(z.string(), parameterFacts),
  permissions: permissionFacts.optional(),
  /** The path parameter that names the node to forward to. */
  proxyto: z.string().optional(),
  /** 1 = answered by the privileged daemon. */
  protected: z.number().optional(),
});

const releaseFacts = z.record(z.string(), endpointFacts);

export type ParameterFacts = z.infer<typeof parameterFacts>;
export type PermissionFacts = z.infer<typeof permissionFacts>;
export type EndpointFacts = z.infer<typeof endpointFacts>;
/** Path template to facts; GET endpoints only. */
export type ReleaseFacts = Readonly<Record<string, EndpointFacts>>;

/** Reads the facts of one release; each lies in a chunk of its own that loads on demand. */
export async function loadFacts(release: DemoRelease): Promise<ReleaseFacts> {
  return releaseFacts.parse(await importFacts(release));
}

async function importFacts(release: DemoRelease): Promise<unknown> {
  switch (release) {
    case '7.4':
      return (await import('./facts-7-4.ts')).unparsedFacts;
    case '8.4':
      return (await import('./facts-8-4.ts')).unparsedFacts;
    case '9.0':
      return (await import('./facts-9-0.ts')).unparsedFacts;
    case '9.2.11':
      return (await import('./facts-9-2.ts')).unparsedFacts;
  }
}
