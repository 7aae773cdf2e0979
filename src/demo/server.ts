/** The HTTPS server of the embedded cluster: connections, request bodies, delays, faults, log. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { apiPathOf, createEngine, firstValues, localNode, type ParsedRequest } from './answer.ts';
import { knownTokenOf } from './authenticate.ts';
import type { ReleaseFacts } from './facts.ts';
import { faultReply, playOnConnection } from './fault-effects.ts';
import { createFaultBoard } from './faults.ts';
import { createConnectionBook } from './keep-alive.ts';
import { bareReply, plainReply, type Reply } from './reply.ts';
import { type ParamValue, type ParamValues, parseForm, parseTarget } from './request-target.ts';
import { sendReply } from './send.ts';
import { createServerIdentity } from './tls.ts';
import type { DemoRelease, FaultSwitch, HandlerTable, LoggedRequest, World } from './types.ts';

export interface DemoServerOptions {
  readonly world: World;
  readonly handlers: HandlerTable;
  readonly release: DemoRelease;
  readonly facts: ReleaseFacts;
  /** Port on 127.0.0.1; default: any free one. */
  readonly port?: number;
  /** Added to every answer. */
  readonly latencyMs?: number;
  /** Delay of a failed authentication; default 3000. */
  readonly authDelayMs?: number;
  /** After this silence a connection is closed; default 5000. */
  readonly idleTimeoutMs?: number;
  /** Told of mistakes in handlers; default: one line with the stack to stderr. */
  readonly onCrash?: (error: unknown, path: string) => void;
  /** The clock stays at the data set's moment: what is answered does not depend on when it is asked. */
  readonly standingClock?: boolean | undefined;
}

export interface DemoServer {
  /** `https://127.0.0.1:port` */
  readonly url: string;
  /** PEM of the certificate authority. */
  readonly ca: string;
  /** SHA-256 of the leaf, `AA:BB:...`. */
  readonly fingerprint: string;
  readonly faults: FaultSwitch;
  /** Everything that was asked, oldest first. */
  readonly requests: LoggedRequest[];
  close(): Promise<void>;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly parsed: ParsedRequest;
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'DELETE']);
const MAX_HEADER_LINES = 64;
const MAX_HEADER_BYTES = 8 * 1024;
const MAX_BODY_BYTES = 512 * 1024;
/** Node counts the request line too, and the real API takes very long ones. */
const MAX_HEAD_BYTES = 256 * 1024;

/** Starts the server on 127.0.0.1; it listens when the promise resolves. */
export async function createDemoServer(options: DemoServerOptions): Promise<DemoServer> {
  const { world, release, latencyMs = 0, authDelayMs = 3000, idleTimeoutMs = 5000 } = options;
  const started = Date.now();
  const now = options.standingClock === true ? () => world.now : () => world.now + (Date.now() - started);
  const onCrash = options.onCrash ?? ((error, path) => console.error(`embedded cluster, ${path}:`, error));
  const engine = createEngine({ world, handlers: options.handlers, release, facts: options.facts, now, onCrash });
  const faults = createFaultBoard();
  const requests: LoggedRequest[] = [];
  const connections = createConnectionBook();
  const timers = new Set<NodeJS.Timeout>();

  function later(ms: number, action: () => void): void {
    if (ms <= 0) {
      action();
      return;
    }
    const timer = setTimeout(() => {
      timers.delete(timer);
      action();
    }, ms);
    timers.add(timer);
  }

  function finish(exchange: Exchange, reply: Reply, delayMs = 0): void {
    const { request, response, parsed } = exchange;
    const lastOnConnection = connections.count(request.socket) || reply.status >= 400 || reply.streamed === true;
    if (lastOnConnection) connections.giveUp(request.socket);
    log(parsed, reply.status);
    later(delayMs + latencyMs, () => sendReply(request, response, reply, { lastOnConnection, date: new Date(now()) }));
  }

  function log(parsed: ParsedRequest, status: number): void {
    const { method, headers } = parsed;
    const query = firstValues(parsed.values);
    requests.push({ method, path: shownPath(parsed), query, token: knownTokenOf(world, headers), status, at: Date.now() });
  }

  function respond(exchange: Exchange): void {
    const { parsed, response } = exchange;
    const fault = faults.take(shownPath(parsed));
    if (fault !== undefined) {
      const status = playOnConnection(fault, response);
      if (status !== undefined) {
        log(parsed, status);
        return;
      }
      const reply = faultReply(fault, release, () => engine(parsed).reply);
      if (reply !== undefined) {
        finish(exchange, reply, fault.delayMs);
        return;
      }
    }
    const slowness = fault === undefined ? 0 : (fault.delayMs ?? 1000);
    if (!METHODS.has(parsed.method)) {
      finish(exchange, bareReply(501, `method '${parsed.method}' not available`), slowness);
      return;
    }
    const { reply, penalty } = engine(parsed);
    finish(exchange, reply, slowness + (penalty ? authDelayMs : 0));
  }

  function receive(request: IncomingMessage, response: ServerResponse): void {
    if (!connections.open(request.socket)) return;
    if (hasTooManyHeaders(request)) {
      // The real server stops listening to such a connection and lets it run into the idle timeout.
      later(idleTimeoutMs, () => request.socket.destroy());
      return;
    }
    const method = request.method ?? '';
    const { path, query } = parseTarget(request.url ?? '/');
    const exchange = { request, response, parsed: { method, path, values: query, headers: request.headers } };
    if (request.headers['transfer-encoding'] !== undefined) {
      request.resume();
      finish(exchange, plainReply(501, 'chunked transfer encoding not supported'));
    } else if (Number(request.headers['content-length'] ?? 0) === 0) {
      respond(exchange);
    } else if (method === 'GET') {
      request.resume();
      finish(exchange, plainReply(501, `Unexpected content for method '${method}'`));
    } else {
      readBody(request, (body) => {
        const form = body === undefined ? undefined : parseBody(request.headers['content-type'], body);
        if (form === undefined) finish(exchange, plainReply(body === undefined ? 413 : 500, 'unable to read the request body'));
        else respond({ ...exchange, parsed: { ...exchange.parsed, values: new Map([...query, ...form]) } });
      });
    }
  }

  const identity = await createServerIdentity(localNode(world));
  const server = createHttpsServer(
    {
      key: identity.key,
      cert: identity.cert,
      minVersion: 'TLSv1.2',
      // The real server negotiates no protocol at all.
      ALPNProtocols: [],
      maxHeaderSize: MAX_HEAD_BYTES,
      keepAliveTimeout: idleTimeoutMs,
      headersTimeout: idleTimeoutMs,
      connectionsCheckingInterval: Math.min(1000, idleTimeoutMs),
    },
    receive,
  );
  // Silent connections and garbage are dropped without a word.
  server.on('clientError', (_error, socket) => socket.destroy());

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.port;

  let closed: Promise<void> | undefined;

  return {
    url: `https://127.0.0.1:${port}`,
    ca: identity.ca,
    fingerprint: identity.fingerprint,
    faults,
    requests,
    close() {
      closed ??= new Promise((resolve, reject) => {
        for (const timer of timers) clearTimeout(timer);
        timers.clear();
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      });
      return closed;
    },
  };
}

/** Path below `/api2/json` for log and faults; elsewhere the whole path. */
function shownPath({ path }: ParsedRequest): string {
  return apiPathOf(path)?.path ?? path;
}

function hasTooManyHeaders({ rawHeaders }: IncomingMessage): boolean {
  if (rawHeaders.length / 2 >= MAX_HEADER_LINES) return true;
  let bytes = 0;
  // Two more for the colon and the space, two for the line end.
  for (const part of rawHeaders) bytes += part.length + 2;
  return bytes >= MAX_HEADER_BYTES;
}

/** Gives the body, or undefined when it is longer than the API takes. */
function readBody(request: IncomingMessage, done: (body: string | undefined) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  });
  request.on('end', () => done(size > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks).toString('utf8')));
}

/** Form or JSON object; undefined when it is neither. */
function parseBody(contentType: string | undefined, body: string): ParamValues | undefined {
  if (contentType?.startsWith('application/json') !== true) return parseForm(body);
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined;
  return new Map<string, ParamValue>(Object.entries(parsed).map(([name, value]) => [name, String(value)]));
}
