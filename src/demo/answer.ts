/** From a parsed request to a reply: authentication, routing, permission, forwarding, validation, handler, in this order. */
import type { IncomingHttpHeaders } from 'node:http';
import { authenticate } from './authenticate.ts';
import { compileEndpoints, type Endpoint, type EndpointTable } from './endpoints.ts';
import type { ReleaseFacts } from './facts.ts';
import {
  bareReply,
  errorReply,
  htmlReply,
  isReplyFormat,
  plainReply,
  type Reply,
  type ReplyFormat,
  successReply,
} from './reply.ts';
import { type ParamValue, type ParamValues, segmentsOf } from './request-target.ts';
import { type RightsAt, rightsOf } from './rights.ts';
import type { Route } from './route.ts';
import { DemoHttpError, type DemoRelease, type Handler, type HandlerTable, type World } from './types.ts';
import { compileWrites } from './writes.ts';

export interface EngineOptions {
  readonly world: World;
  readonly handlers: HandlerTable;
  readonly release: DemoRelease;
  readonly facts: ReleaseFacts;
  /** The cluster's clock, epoch milliseconds. */
  readonly now: () => number;
  /** Told of a handler that threw something else than a `DemoHttpError`: a mistake in the embedded cluster. */
  readonly onCrash: (error: unknown, path: string) => void;
}

export interface ParsedRequest {
  readonly method: string;
  /** Decoded, as the client wrote it. */
  readonly path: string;
  /** Query and form body. */
  readonly values: ParamValues;
  readonly headers: IncomingHttpHeaders;
}

export interface Answer {
  readonly reply: Reply;
  /** A failed authentication is answered late. */
  readonly penalty: boolean;
}

/** Path parts below `/api2`. */
export interface ApiPath {
  /** What stands in the place of the representation: `json`, `extjs`, ...; undefined for a bare `/api2`. */
  readonly format: string | undefined;
  /** Path below the representation, slashes collapsed, without a trailing one except for `/`. */
  readonly path: string;
}

/** Splits a decoded path; undefined when it isn't below `/api2`. */
export function apiPathOf(decoded: string): ApiPath | undefined {
  const [root, format, ...rest] = segmentsOf(decoded);
  return root === 'api2' ? { format, path: `/${rest.join('/')}` } : undefined;
}

/** Builds the engine; the facts are compiled once. */
export function createEngine(options: EngineOptions): (request: ParsedRequest) => Answer {
  const tables = new Map<string, EndpointTable>([...compileWrites(), ['GET', compileEndpoints(options.facts)]]);
  return (request) => {
    const api = apiPathOf(request.path);
    if (api === undefined) return { reply: outsideApi(request.path), penalty: false };
    const segments = segmentsOf(api.path);
    const table = tables.get(request.method);
    const route = table?.match(segments);
    const endpoint = route === undefined ? undefined : table?.get(route.template);
    let identity: string | undefined;
    if (endpoint?.open !== true) {
      const authentication = authenticate(options.world, options.release, request.headers, options.now() / 1000);
      if ('refused' in authentication) return { reply: bareReply(401, authentication.refused), penalty: true };
      identity = authentication.identity;
    }
    return { reply: answerApi(options, request, api, { identity, route, endpoint }), penalty: false };
  };
}

interface Routed {
  readonly identity: string | undefined;
  readonly route: Route | undefined;
  readonly endpoint: Endpoint | undefined;
}

/** The web interface, and the complaint about any other file. */
function outsideApi(path: string): Reply {
  if (segmentsOf(path).length === 0)
    return htmlReply('Proxmox Virtual Environment', 'The embedded cluster has no web interface.');
  return plainReply(500, `no such file '${path}'\n`);
}

function answerApi(options: EngineOptions, request: ParsedRequest, api: ApiPath, routed: Routed): Reply {
  if (api.path.includes('\n') || api.format === undefined) return plainReply(501, 'no such uri');
  const { format } = api;
  if (!isReplyFormat(format)) return plainReply(501, `no formatter for uri ${api.path}, ${format}`);
  try {
    return call(options, request, api.path, format, routed);
  } catch (error) {
    if (error instanceof DemoHttpError) return errorReply(error, format, options.release);
    options.onCrash(error, api.path);
    return errorReply(new DemoHttpError(500, `embedded cluster: ${String(error)}`), format, options.release);
  }
}

function call(options: EngineOptions, request: ParsedRequest, path: string, format: ReplyFormat, routed: Routed): Reply {
  const { world } = options;
  if (path === '/' && request.method === 'GET') return successReply(ROOT_INDEX, format, false);
  const { route, endpoint } = routed;
  const notImplemented = () => new DemoHttpError(501, `Method '${request.method} ${path}' not implemented`);
  if (route === undefined || endpoint === undefined) throw notImplemented();
  const own = withoutPathParams(route, request.values);
  const rights: RightsAt = routed.identity === undefined ? () => new Map() : rightsOf(world, routed.identity);
  const query = firstValues(own);
  const refused = endpoint.permission({ world, identity: routed.identity, params: { ...query, ...route.params }, rights });
  if (refused !== undefined) throw refused;
  const target = targetNode(world, endpoint, route);
  if (target.kind === 'offline') return bareReply(595, 'No route to host');
  const errors = endpoint.parameters(new Map<string, ParamValue>([...Object.entries(route.params), ...own]));
  if (errors !== undefined) throw new DemoHttpError(400, 'Parameter verification failed.', errors);
  const handler = request.method === 'GET' ? options.handlers[route.template] : refuseWrite;
  if (handler === undefined) throw notImplemented();
  const result = handler({
    template: route.template,
    params: route.params.node === 'localhost' ? { ...route.params, node: localNode(world) } : route.params,
    query,
    release: options.release,
    identity: routed.identity ?? '',
    rights,
    may: (aclPath, ...anyOf) => anyOf.some((privilege) => rights(aclPath).has(privilege)),
    now: options.now,
  });
  return successReply(result, format, endpoint.protected || target.kind === 'remote');
}

const ROOT_INDEX = ['version', 'cluster', 'nodes', 'storage', 'access', 'pools'].map((subdir) => ({ subdir }));

/** A write that got this far is permitted and well-formed; the embedded cluster still takes none. */
const refuseWrite: Handler = ({ template }) => {
  throw new DemoHttpError(400, 'Parameter verification failed.', { [template]: 'the embedded cluster can not be changed' });
};

/** Values that the path doesn't give already; one that contradicts the path is refused. */
function withoutPathParams(route: Route, values: ParamValues): ParamValues {
  const own = new Map<string, ParamValue>();
  const errors: Record<string, string> = {};
  for (const [name, value] of values) {
    const inPath = Object.hasOwn(route.params, name) ? route.params[name] : undefined;
    if (inPath === undefined) own.set(name, value);
    else if (inPath !== value) errors[name] = 'duplicate parameter (already defined in URI) with conflicting values!';
  }
  if (Object.keys(errors).length > 0) throw new DemoHttpError(400, 'Parameter verification failed.', errors);
  return own;
}

/** Repeated keys are refused later; until then their first value stands. */
export function firstValues(values: ParamValues): Record<string, string> {
  const first: Record<string, string> = {};
  for (const [name, value] of values) first[name] = typeof value === 'string' ? value : (value[0] ?? '');
  return first;
}

type Target = { readonly kind: 'local' | 'remote' | 'offline' };

/** Where a call has to be answered. Calls that aren't forwarded are answered here, for offline nodes' objects too. */
function targetNode(world: World, endpoint: Endpoint, route: Route): Target {
  const name = endpoint.proxyto === undefined ? undefined : route.params[endpoint.proxyto];
  if (name === undefined || name === 'localhost') return { kind: 'local' };
  const node = world.nodes.find((candidate) => candidate.node === name);
  if (node === undefined) throw new DemoHttpError(500, lookupFailure(world, name));
  if (node.node === localNode(world)) return { kind: 'local' };
  return { kind: node.online ? 'remote' : 'offline' };
}

/** Name resolution ignores case, so another spelling of a node's name fails a step later than an unknown name. */
function lookupFailure(world: World, name: string): string {
  const wanted = name.toLowerCase();
  return world.nodes.some((candidate) => candidate.node.toLowerCase() === wanted)
    ? `address lookup for '${name}' did not find any IP address`
    : `hostname lookup '${name}' failed - failed to get address info for: ${name}: Name or service not known`;
}

/** The node whose API answers. */
export function localNode(world: World): string {
  const { nodes } = world;
  return (nodes.find((node) => node.local === true) ?? nodes.find((node) => node.online) ?? nodes[0])?.node ?? 'localhost';
}
