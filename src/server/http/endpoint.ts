import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { type AuthInfo, createMcpHandler } from '@modelcontextprotocol/server';
import type { Audit } from '../audit-log.ts';
import type { Caller } from '../caller.ts';
import { createMcpServer } from '../create-server.ts';
import type { Metrics } from '../metrics.ts';
import type { Runtime } from '../runtime.ts';
import { createToolLists } from '../tool-handlers.ts';
import type { AuthFile } from './auth-file.ts';
import { authenticate, takeOwnTokens } from './authenticate.ts';
import { messagesIn, readJson } from './body.ts';
import {
  allowOrigin,
  answerPreflight,
  checkContentType,
  checkHost,
  checkMethod,
  checkOrigin,
  checkQuery,
  checkRepeated,
} from './guards.ts';
import { createLimiter, type Overload } from './limiter.ts';
import type { HttpOptions } from './options.ts';
import { type Refusal, sendRefusal } from './refusal.ts';
import { createTurns } from './turns.ts';

/** Streams that stay open for nothing but news, which this server never has. */
const MAX_SUBSCRIPTIONS = 256;

export interface EndpointParts {
  readonly runtime: Runtime;
  readonly options: HttpOptions;
  readonly authFile: AuthFile | undefined;
  readonly metrics: Metrics;
  readonly audit: Audit;
  readonly tell: (line: string) => void;
  /** Told of every request that is turned away: why, and the address it came from. */
  readonly refused: (reason: string, from: string | undefined) => void;
}

/** The MCP endpoint: everything between a request and the protocol. */
export interface Endpoint {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Requests that are being read or answered; open streams without a question are none. */
  underWay(): number;
  /** Takes no more requests, and ends the streams that wait for news. */
  drain(): void;
  close(): Promise<void>;
}

/** A request from the moment it is admitted. */
interface Exchange {
  /** Its answer is sent, or its client gone. */
  isOver(): boolean;
  /** It is a stream for news: nobody waits for its end. */
  waits(): void;
}

export function createEndpoint(parts: EndpointParts): Endpoint {
  const { runtime, options, authFile, metrics, audit, tell } = parts;
  const { clusters } = runtime.settings;
  const limiter = createLimiter();
  const lists = createToolLists();
  const turn = createTurns();
  const callers = new WeakMap<AuthInfo, Caller>();
  const streams = new Set<ServerResponse>();
  let underWay = 0;
  let draining = false;

  // Fresh for each request: no instance, and so no caller's state, is ever met by another request.
  const mcp = createMcpHandler(
    ({ authInfo }) => {
      const caller = authInfo === undefined ? undefined : callers.get(authInfo);
      if (caller === undefined) throw new Error('a request without its caller');
      // One list of tools for all: as soon as one caller may not know every cluster, nobody is told their names by it.
      const hide = authFile?.someLimited();
      return createMcpServer({ runtime: async () => runtime, clusters: clusters.size, caller, hideClusters: hide, lists, audit });
    },
    { maxSubscriptions: MAX_SUBSCRIPTIONS },
  );
  const answer = toNodeHandler(mcp, { onerror: (error) => tell(`http: ${error.message}`) });

  /** A chain of questions; the first that is not answered well ends it. */
  async function admit(request: IncomingMessage, response: ServerResponse): Promise<Refusal | undefined> {
    const early = checkRepeated(request) ?? checkHost(request, options) ?? checkOrigin(request, options) ?? checkQuery(request);
    if (early !== undefined) return early;
    allowOrigin(request, response);
    if (request.method === 'OPTIONS' && request.headers.origin !== undefined) {
      answerPreflight(request, response);
      return undefined;
    }
    const identified = authenticate(request, options.auth, authFile, options.limits, Date.now());
    // From here on nothing needs it any more.
    delete request.headers.authorization;
    if (identified.refusal !== undefined) return identified.refusal;
    const { who } = identified;
    const wrongForm = checkMethod(request) ?? checkContentType(request);
    if (wrongForm !== undefined) return wrongForm;
    const allowed = [...clusters.keys()].filter((name) => who.caller.clusters?.has(name) ?? true);
    const own = takeOwnTokens(request, allowed, clusters.size, options.ownTokens);
    if (own.refusal !== undefined) return own.refusal;
    if (draining)
      return {
        status: 503,
        reason: 'draining',
        message: 'This server is stopping.',
        headers: { 'retry-after': '5', connection: 'close' },
      };

    const admission = limiter.admit(who.caller.name, who.limits);
    if (admission.refused !== undefined) return overLimit(admission);
    const exchange = track(request, response, admission.release);
    const body = await readJson(request);
    if (body.refusal !== undefined) return body.refusal;
    const { count, listens } = messagesIn(body.json);
    const more = admission.add(count - 1);
    if (more !== undefined) return overLimit(more);
    if (listens) exchange.waits();

    await turn();
    if (exchange.isOver()) return undefined;
    const authInfo: AuthInfo = { token: '', clientId: who.caller.name, scopes: [] };
    callers.set(authInfo, { ...who.caller, tokens: own.tokens });
    await answer(Object.assign(request, { auth: authInfo }), response, body.json);
    return undefined;
  }

  /** Counts a request until its answer is sent or its connection is gone. */
  function track(request: IncomingMessage, response: ServerResponse, release: () => void): Exchange {
    let over = false;
    underWay += 1;
    metrics.inFlight(1);
    closeWithConnection(request, response);
    response.once('close', () => {
      over = true;
      if (!streams.delete(response)) underWay -= 1;
      metrics.inFlight(-1);
      metrics.answered(response.statusCode);
      release();
    });
    return {
      isOver: () => over,
      waits() {
        underWay -= 1;
        streams.add(response);
        if (draining) response.destroy();
      },
    };
  }

  return {
    async handle(request, response) {
      const refusal = await admit(request, response);
      if (refusal === undefined) return;
      parts.refused(refusal.reason, request.socket.remoteAddress);
      if (!response.headersSent && !response.destroyed) sendRefusal(request, response, refusal);
    },
    underWay: () => underWay,
    drain() {
      draining = true;
      for (const response of streams) response.destroy();
    },
    close: () => mcp.close(),
  };
}

/**
 * Node tells only the answer whose turn it is that the connection ended; one that waits behind it (the client pipelined)
 * would count as under way for ever, and go on upstream.
 */
function closeWithConnection({ socket }: IncomingMessage, response: ServerResponse): void {
  const lost = (): void => {
    response.emit('close');
  };
  // One listener for each request that is under way on it.
  setMaxListeners(0, socket);
  socket.once('close', lost);
  response.once('close', () => socket.off('close', lost));
}

function overLimit({ refused, retryAfterSeconds }: Overload): Refusal {
  if (refused === 'batch')
    return { status: 400, reason: 'batch', message: 'The batch holds more messages than this caller may send at once.' };
  const message = refused === 'rate' ? 'Too many requests.' : 'Too many requests at the same time.';
  return { status: 429, reason: refused, message, headers: { 'retry-after': String(retryAfterSeconds) } };
}
