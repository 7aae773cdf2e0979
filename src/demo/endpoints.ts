/** Schema facts compiled into what the engine asks at each request. */
import type { EndpointFacts, ReleaseFacts } from './facts.ts';
import { compilePermission, type PermissionTest } from './permission-check.ts';
import { createRouter, type Route } from './route.ts';
import { compileParameters, type ParameterTest } from './validate.ts';

export interface Endpoint {
  readonly permission: PermissionTest;
  readonly parameters: ParameterTest;
  /** Path parameter with the node that has to answer. */
  readonly proxyto: string | undefined;
  /** Answered by the privileged daemon. */
  readonly protected: boolean;
  /** Callable without authentication. */
  readonly open: boolean;
}

export interface EndpointTable {
  match(segments: readonly string[]): Route | undefined;
  get(template: string): Endpoint | undefined;
}

/** Compiles all endpoints of one HTTP method; throws on facts it doesn't understand. */
export function compileEndpoints(facts: ReleaseFacts): EndpointTable {
  const endpoints = new Map(Object.entries(facts).map(([template, entry]) => [template, compileEndpoint(entry)]));
  const match = createRouter(endpoints.keys());
  return { match, get: (template) => endpoints.get(template) };
}

function compileEndpoint(facts: EndpointFacts): Endpoint {
  return {
    permission: compilePermission(facts.permissions),
    parameters: compileParameters(facts.params),
    proxyto: facts.proxyto,
    protected: facts.protected === 1,
    open: facts.permissions?.user === 'world',
  };
}
