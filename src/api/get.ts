import { gunzipSync, inflateSync } from 'node:zlib';
import type { Agent, Dispatcher } from 'undici';
import type { TlsSettings } from '../config/settings.ts';
import { ApiError } from './errors.ts';
import { tlsConnector } from './tls.ts';

/** No answer of the API that this program asks for comes near this. */
export const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** One HTTP answer, body decoded to text. The reason phrase carries the error text of older releases. */
export interface RawAnswer {
  readonly status: number;
  readonly reason: string;
  readonly contentType: string;
  readonly body: string;
  /** The server's clock, from the Date header; epoch milliseconds. */
  readonly serverTime: number | undefined;
}

/** A failure below HTTP: nothing (or not everything) came back. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  /**
   * - `connect`: no connection; nothing was sent
   * - `lost`: the connection broke while waiting
   * - `timeout`: connected, but no answer in time
   */
  readonly phase: 'connect' | 'lost' | 'timeout';
  constructor(phase: 'connect' | 'lost' | 'timeout', message: string, cause: unknown) {
    super(message, { cause });
    this.phase = phase;
  }
}

/** The one thing that can send to a cluster. It has no parameter for a method: it can send nothing but GET. */
export interface Sender {
  get(
    url: string,
    authorization: string,
    options: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<RawAnswer>;
  close(): Promise<void>;
}

const CONNECT_CODES = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'UND_ERR_CONNECT_TIMEOUT',
]);
/** Our own: the wait ended before there was a connection. */
const NOT_CONNECTED = 'NOT_CONNECTED';
const LOST_CODES = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'ECONNABORTED']);

/**
 * undici is loaded with the first request: it would be a good part of the cold start.
 *
 * @param connectTimeoutMs how long a connection may take, TLS included
 */
export function createSender(tls: TlsSettings, connections: number, connectTimeoutMs: number): Sender {
  let agent: Agent | undefined;
  let request: typeof Dispatcher.prototype.request | undefined;

  async function open(): Promise<Agent> {
    if (agent === undefined) {
      const undici = await import('undici');
      agent ??= new undici.Agent({
        connections,
        // The API closes idle connections after 5 s without notice; ours go first.
        keepAliveTimeout: 3_000,
        keepAliveMaxTimeout: 3_000,
        pipelining: 1,
        connect: tlsConnector(undici.buildConnector, tls, connectTimeoutMs),
      });
      request = agent.request.bind(agent);
    }
    return agent;
  }

  return {
    async get(url, authorization, { signal, timeoutMs }) {
      await open();
      if (request === undefined) throw new ApiError('cancelled', 'The program is closing its connections.');
      const { origin, pathname, search } = new URL(url);
      const timer = new AbortController();
      const timeout = setTimeout(() => timer.abort(), timeoutMs);
      timeout.unref();
      const stop = AbortSignal.any([signal, timer.signal]);
      try {
        const answer = await whenConnected(
          stop,
          request({
            origin,
            path: pathname + search,
            method: 'GET',
            headers: { authorization, accept: 'application/json' },
            signal: stop,
            headersTimeout: timeoutMs,
            bodyTimeout: timeoutMs,
          }),
        );
        const body = await readBounded(answer.body);
        const date = Date.parse(headerText(answer.headers['date']));
        return {
          status: answer.statusCode,
          reason: latin1ToUtf8(answer.statusText),
          contentType: headerText(answer.headers['content-type']),
          body: decode(body, headerText(answer.headers['content-encoding'])),
          serverTime: Number.isNaN(date) ? undefined : date,
        };
      } catch (thrown) {
        throw transportError(thrown, signal, timer.signal, { timeoutMs, connectTimeoutMs });
      } finally {
        clearTimeout(timeout);
      }
    },
    async close() {
      await agent?.destroy();
      request = undefined;
    },
  };
}

/**
 * The answer, or nothing more than the end of the wait: a request that is stopped while its connection is being made
 * hears of it from undici only when that is decided.
 */
async function whenConnected<T>(stop: AbortSignal, answer: Promise<T>): Promise<T> {
  let onStop = (): void => undefined;
  const stopped = new Promise<never>((_, reject) => {
    // One that was sent fails first, with its own error.
    onStop = () => setImmediate(() => reject(Object.assign(new Error('stopped'), { code: NOT_CONNECTED })));
    stop.addEventListener('abort', onStop, { once: true });
  });
  answer.catch(() => undefined);
  try {
    return await Promise.race([answer, stopped]);
  } finally {
    stop.removeEventListener('abort', onStop);
  }
}

function headerText(value: string | string[] | undefined): string {
  return Array.isArray(value) ? value.join(', ') : (value ?? '');
}

async function readBounded(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(): ApiError {
  return new ApiError('too-large', `The API's answer is larger than ${MAX_ANSWER_BYTES / 1024 / 1024} MiB and was cut off.`, {
    hint: 'Ask for less: a filter, a shorter time span or one guest.',
  });
}

/** We never ask for compression, but the journal comes compressed all the same. */
function decode(body: Buffer, encoding: string): string {
  try {
    if (encoding === 'gzip') return gunzipSync(body, { maxOutputLength: MAX_ANSWER_BYTES }).toString('utf8');
    if (encoding === 'deflate') return inflateSync(body, { maxOutputLength: MAX_ANSWER_BYTES }).toString('utf8');
  } catch (cause) {
    if (cause instanceof RangeError) throw tooLarge();
    throw new ApiError('malformed-answer', `The API's answer could not be decompressed.`, { cause });
  }
  return body.toString('utf8');
}

/** HTTP reason phrases arrive as Latin-1 code points; the API writes UTF-8 into them. */
function latin1ToUtf8(text: string): string {
  const decoded = Buffer.from(text, 'latin1').toString('utf8');
  return decoded.includes('\uFFFD') ? text : decoded;
}

function transportError(
  thrown: unknown,
  caller: AbortSignal,
  timer: AbortSignal,
  { timeoutMs, connectTimeoutMs }: { readonly timeoutMs: number; readonly connectTimeoutMs: number },
): Error {
  if (thrown instanceof ApiError) return thrown;
  if (caller.aborted) return new ApiError('cancelled', 'The call was cancelled.', { cause: thrown });
  const cause = deepestCause(thrown);
  if (cause instanceof ApiError) return cause;
  const code = errorCode(cause);
  if (CONNECT_CODES.has(code)) return new TransportError('connect', connectText(code, connectTimeoutMs), thrown);
  if (code === NOT_CONNECTED) return new TransportError('connect', `no connection within ${seconds(timeoutMs)}`, thrown);
  if (timer.aborted || code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') {
    return new TransportError('timeout', `no answer within ${seconds(timeoutMs)}`, thrown);
  }
  if (LOST_CODES.has(code)) return new TransportError('lost', 'the connection broke', thrown);
  if (isTlsCode(code)) return tlsError(code, cause, thrown);
  return new TransportError('lost', cause instanceof Error ? cause.message : String(cause), thrown);
}

function deepestCause(thrown: unknown): unknown {
  let current = thrown;
  for (let depth = 0; depth < 5 && current instanceof Error && current.cause !== undefined; depth += 1) current = current.cause;
  if (current instanceof AggregateError && current.errors.length > 0) return current.errors[0];
  return current;
}

function errorCode(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string') return error.code;
  return '';
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}

function connectText(code: string, connectTimeoutMs: number): string {
  if (code === 'ECONNREFUSED') return 'connection refused';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the host name cannot be resolved';
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return `no connection within ${seconds(connectTimeoutMs)}`;
  return 'no route to the host';
}

function isTlsCode(code: string): boolean {
  return (
    code === 'EPROTO' ||
    code.startsWith('ERR_TLS') ||
    code.startsWith('ERR_SSL') ||
    /CERT|SELF_SIGNED|ISSUER|SIGNATURE/.test(code)
  );
}

function tlsError(code: string, cause: unknown, thrown: unknown): ApiError {
  const hint =
    'Copy /etc/pve/pve-root-ca.pem from a node and name it in PROXMOX_CA_FILE, or pin the nodes in PROXMOX_TLS_FINGERPRINT (mcp-proxmox check shows it).';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return new ApiError('tls', "The server's certificate is for another name than the one in PROXMOX_URL.", {
      hint: `Use the name in the certificate, or give it in PROXMOX_TLS_SERVERNAME. ${hint}`,
      cause: thrown,
    });
  }
  if (code === 'EPROTO' || code === 'ERR_SSL_WRONG_VERSION_NUMBER') {
    return new ApiError('tls', 'The server does not speak TLS at this address and port.', {
      hint: 'Check host and port in PROXMOX_URL: the API listens with TLS on port 8006.',
      cause: thrown,
    });
  }
  if (code === 'CERT_HAS_EXPIRED')
    return new ApiError('tls', "The server's certificate has expired.", {
      hint: 'Renew it on the node (pvecm updatecerts).',
      cause: thrown,
    });
  if (/SELF_SIGNED|UNABLE_TO|ISSUER|SIGNATURE/.test(code)) {
    return new ApiError('tls', "The server's certificate is signed by a CA that this machine does not know.", {
      hint,
      cause: thrown,
    });
  }
  // OpenSSL's own words hold paths of its sources.
  const why = cause instanceof Error && !/openssl|:/i.test(cause.message) ? cause.message : code;
  return new ApiError('tls', `TLS failed: ${why}.`, { hint, cause: thrown });
}
