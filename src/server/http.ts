/** The HTTP server: the listener with its time-outs, health for load balancers, metrics, and an orderly end. */
import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import { ConfigError, ConfigErrors, unusable } from '../config/config-error.ts';
import type { Settings } from '../config/settings.ts';
import { openAuditLog } from './audit-log.ts';
import { isLoopback, type ListenAddress, urlHost } from './http/address.ts';
import { openAuthFile } from './http/auth-file.ts';
import { boundConnections, isShared } from './http/connections.ts';
import { createEndpoint } from './http/endpoint.ts';
import { type HttpOptions, hostName } from './http/options.ts';
import { createRefusalReport } from './http/refusal-report.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { createRuntime } from './runtime.ts';

/** A little longer than any call may take, so that calls under way end by themselves. */
const DRAIN_MS = 25_000;
const DRAIN_STEP_MS = 50;
const MAX_HEADER_BYTES = 16 * 1024;
/** How often connections are looked through for those that take too long; Node's own 30 s would treble the limits. */
const CHECK_CONNECTIONS_MS = 2_000;
/** How often the certificate's files are looked at. */
const TLS_POLL_MS = 60_000;

export interface HttpServer {
  /** `http://127.0.0.1:8765/mcp` */
  readonly url: string;
  readonly metricsUrl: string | undefined;
  /** Takes nothing new, lets what is under way end within a bound, then closes everything. */
  close(): Promise<void>;
}

export interface ServeHttpParts {
  readonly settings: Settings;
  readonly options: HttpOptions;
  /** For people; standard error. */
  readonly tell: (line: string) => void;
  /** Milliseconds between looks at the file of callers. */
  readonly pollMs?: number;
  readonly drainMs?: number;
}

/**
 * Serves MCP over Streamable HTTP, stateless: any number of instances can stand behind a plain load balancer.
 *
 * @throws ConfigErrors when a file or address cannot be used
 */
export async function serveHttp({ settings, options, tell, pollMs, drainMs = DRAIN_MS }: ServeHttpParts): Promise<HttpServer> {
  const authPath = options.auth.kind === 'none' ? undefined : options.auth.file;
  const authFile =
    authPath === undefined
      ? undefined
      : openAuthFile({
          path: authPath,
          clusters: [...settings.clusters.keys()],
          tokens: options.auth.kind === 'bearer',
          tell,
          pollMs,
        });
  const auditLog = await openAuditLog(options.auditLog, settings, tell);
  const metrics = createMetrics();
  const runtime = createRuntime(settings);
  const report = createRefusalReport(tell);
  const refused = (reason: string, from: string | undefined): void => {
    metrics.refused(reason);
    report.refused(reason, from);
  };
  let draining = false;

  const endpoint = createEndpoint({
    runtime,
    options,
    authFile,
    metrics,
    audit: (call) => {
      auditLog.record(call);
      metrics.call(call);
    },
    tell,
    refused,
  });

  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    response.setHeader('x-content-type-options', 'nosniff');
    response.setHeader('x-accel-buffering', 'no');
    const path = (request.url ?? '').split('?', 1)[0];
    if (path === '/healthz') plain(request, response, 200, 'ok\n');
    else if (path === '/readyz') plain(request, response, draining ? 503 : 200, draining ? 'stopping\n' : 'ready\n');
    else if (path !== '/mcp') plain(request, response, 404, 'not found\n');
    else {
      endpoint.handle(request, response).catch((thrown: unknown) => {
        // Mostly a client that left in the middle of its own request.
        if (!response.headersSent && !response.destroyed) plain(request, response, 500, 'internal error\n');
        if (!request.destroyed) tell(`http: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
      });
    }
  };
  const { server, stopTls } = createListener(options.tls, listener, tell);
  boundConnections(server, {
    isExempt: (address) => isShared(address, options.auth),
    refused: (from) => refused('connections', from),
  });
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
  });

  const address = await listen(server, options.listen, '--http');
  const metricsServer = options.metrics === undefined ? undefined : createMetricsServer(metrics);
  const metricsAddress =
    metricsServer === undefined || options.metrics === undefined
      ? undefined
      : await listen(metricsServer, options.metrics, '--metrics').catch(async (thrown: unknown) => {
          await stop(server);
          throw thrown;
        });

  async function closeAll(): Promise<void> {
    draining = true;
    endpoint.drain();
    const closed = stopListening(server);
    const deadline = Date.now() + drainMs;
    while (endpoint.underWay() > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, DRAIN_STEP_MS));
    await endpoint.close();
    server.closeAllConnections();
    await closed;
    if (metricsServer !== undefined) await stop(metricsServer);
    authFile?.close();
    stopTls();
    report.close();
    await runtime.close();
    await auditLog.close();
  }

  let closing: Promise<void> | undefined;
  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://${address}/mcp`,
    metricsUrl: metricsAddress === undefined ? undefined : `http://${metricsAddress}/metrics`,
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}

function plain(request: IncomingMessage, response: ServerResponse, status: number, text: string): void {
  const close = request.complete || request.method === 'GET' || request.method === 'HEAD' ? {} : { connection: 'close' };
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...close });
  response.end(request.method === 'HEAD' ? undefined : text);
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

function createListener(
  tls: HttpOptions['tls'],
  listener: Listener,
  tell: (line: string) => void,
): { server: Server | TlsServer; stopTls: () => void } {
  const limits = {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    // Longer than load balancers keep idle connections, so that it is they who end them.
    keepAliveTimeout: 75_000,
    connectionsCheckingInterval: CHECK_CONNECTIONS_MS,
  };
  if (tls === undefined) return { server: createServer(limits, listener), stopTls: () => {} };
  const { certFile, keyFile } = tls;
  const read = () => ({ cert: readFileSync(certFile), key: readFileSync(keyFile), minVersion: 'TLSv1.2' as const });
  let server: TlsServer;
  try {
    server = createTlsServer({ ...limits, handshakeTimeout: 10_000, ...read() }, listener);
  } catch (thrown) {
    throw unusable('--tls-cert', thrown, 'a PEM certificate chain and its key');
  }
  const renew = (): void => {
    try {
      server.setSecureContext(read());
      tell('--tls-cert: reloaded');
    } catch (thrown) {
      tell(`--tls-cert: the new files are not taken over: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    }
  };
  for (const file of [certFile, keyFile]) watchFile(file, { interval: TLS_POLL_MS, persistent: false }, renew);
  return {
    server,
    stopTls: () => {
      for (const file of [certFile, keyFile]) unwatchFile(file, renew);
    },
  };
}

function createMetricsServer(metrics: Metrics): Server {
  return createServer(
    { maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: 10_000, requestTimeout: 10_000 },
    (request, response) => {
      const name = hostName(request.headers.host ?? '')?.replace(/^\[|\]$/g, '');
      if (name === undefined || !isLoopback(name)) plain(request, response, 403, 'forbidden\n');
      else if (request.method !== 'GET' || request.url !== '/metrics') plain(request, response, 404, 'not found\n');
      else {
        response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' });
        response.end(metrics.render());
      }
    },
  );
}

/** Resolves with `host:port` when connections are taken. */
function listen(server: Server | TlsServer, { host, port }: ListenAddress, flag: string): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(unusable(flag, error, 'an address of this machine that is free')));
    server.listen(port, host, () => {
      const bound = server.address();
      if (typeof bound !== 'object' || bound === null) return resolve(`${urlHost(host)}:${port}`);
      // What was allowed for this machine alone (no authentication, metrics) must not depend on what a name resolves to.
      if (!isLoopback(host) || isLoopback(bound.address)) return resolve(`${urlHost(host)}:${bound.port}`);
      server.close();
      const fault = { what: `is not this machine alone: ${host} is ${bound.address} here`, accepts: '127.0.0.1 or [::1]' };
      return reject(new ConfigErrors([new ConfigError(flag, fault)]));
    });
  });
}

function stopListening(server: Server | TlsServer): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

function stop(server: Server | TlsServer): Promise<void> {
  const closed = stopListening(server);
  server.closeAllConnections();
  return closed;
}
