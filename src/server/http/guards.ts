import type { IncomingMessage, ServerResponse } from 'node:http';
import { type HttpOptions, hostName, LOCAL_HOSTS } from './options.ts';
import type { Refusal } from './refusal.ts';

/** Headers that decide who asks, from where and what: Node keeps the first of several, a proxy in front may look at the last. */
const ONCE = ['host', 'origin', 'authorization', 'content-type'] as const;

/** A header that stands there twice means something else to each who reads it. */
export function checkRepeated(request: IncomingMessage): Refusal | undefined {
  const repeated = ONCE.find((name) => (request.headersDistinct[name]?.length ?? 0) > 1);
  if (repeated === undefined) return undefined;
  return { status: 400, reason: 'repeated-header', message: `The header ${repeated} may stand there only once.` };
}

/** A page that got a name of its own to point here still sends that name: it is refused. */
export function checkHost(request: IncomingMessage, { hosts }: Pick<HttpOptions, 'hosts'>): Refusal | undefined {
  const name = hostName(request.headers.host ?? '');
  if (name !== undefined && hosts.has(name)) return undefined;
  return { status: 403, reason: 'host', message: 'This server is not asked under that name (Host).' };
}

/** Browsers tell where a request comes from; clients that are no web page send no Origin and pass. */
export function checkOrigin(
  request: IncomingMessage,
  options: Pick<HttpOptions, 'origins' | 'localOrigins'>,
): Refusal | undefined {
  const { origin } = request.headers;
  if (origin === undefined || isAllowedOrigin(origin, options)) return undefined;
  return { status: 403, reason: 'origin', message: 'Web pages of that origin may not ask this server (Origin).' };
}

function isAllowedOrigin(origin: string, { origins, localOrigins }: Pick<HttpOptions, 'origins' | 'localOrigins'>): boolean {
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  return origins.has(url.origin) || (localOrigins && /^https?:$/.test(url.protocol) && LOCAL_HOSTS.includes(url.hostname));
}

/** What an address carries ends up in logs and histories: a token in it is refused, and nothing else belongs there. */
export function checkQuery(request: IncomingMessage): Refusal | undefined {
  if (!(request.url ?? '').includes('?')) return undefined;
  return {
    status: 400,
    reason: 'query',
    message: 'The address takes no parameters; a token belongs in the Authorization header, never in an address.',
  };
}

export function checkMethod(request: IncomingMessage): Refusal | undefined {
  if (request.method === 'POST') return undefined;
  return { status: 405, reason: 'method', message: 'Method not allowed.', headers: { allow: 'POST, OPTIONS' } };
}

export function checkContentType(request: IncomingMessage): Refusal | undefined {
  if (/^application\/json\s*(?:;|$)/i.test(request.headers['content-type'] ?? '')) return undefined;
  return { status: 415, reason: 'content-type', message: 'Content-Type must be application/json.' };
}

/** Lets pages of an allowed origin read the answer. The origin was checked before. */
export function allowOrigin(request: IncomingMessage, response: ServerResponse): void {
  const { origin } = request.headers;
  if (origin === undefined) return;
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-expose-headers', 'mcp-protocol-version, www-authenticate, retry-after');
  response.setHeader('vary', 'origin');
}

/** A browser's question whether it may ask. */
export function answerPreflight(request: IncomingMessage, response: ServerResponse): void {
  const wanted = String(request.headers['access-control-request-headers'] ?? '');
  response.writeHead(204, {
    'access-control-allow-methods': 'POST',
    ...(/^[A-Za-z0-9-]+(?:\s*,\s*[A-Za-z0-9-]+){0,31}$/.test(wanted) ? { 'access-control-allow-headers': wanted } : {}),
    'access-control-max-age': '600',
  });
  response.end();
}
