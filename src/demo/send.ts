import type { IncomingMessage, ServerResponse } from 'node:http';
import { deflateSync, gzipSync } from 'node:zlib';
import type { Reply } from './reply.ts';

/** Bodies up to this size are never compressed. */
const COMPRESS_ABOVE_BYTES = 1024;

export interface SendOptions {
  /** True when the connection has to end after this answer, whatever it is. */
  readonly lastOnConnection: boolean;
  /** The cluster's clock, for `Date` and `Expires`. */
  readonly date: Date;
}

/**
 * Puts a reply on the wire with the real API's headers, in its order: Content-Length with every body, no chunks,
 * compression only when asked for; streams are the exception to both.
 */
export function sendReply(request: IncomingMessage, response: ServerResponse, reply: Reply, options: SendOptions): void {
  const plain = reply.body === undefined ? undefined : Buffer.from(reply.body, 'utf8');
  const streamed = reply.streamed === true && plain !== undefined;
  const { body, encoding } = streamed
    ? { body: gzipSync(plain), encoding: 'gzip' }
    : compress(plain, String(request.headers['accept-encoding'] ?? ''));
  const close = options.lastOnConnection || !response.shouldKeepAlive;
  const date = options.date.toUTCString();
  const headers: string[] = ['Cache-Control', 'max-age=0'];
  // A relayed answer brings the other daemon's header along.
  if (reply.relayed === true && !close) headers.push('Connection', 'close');
  headers.push('Connection', close ? 'close' : 'Keep-Alive', 'Date', date, 'Pragma', 'no-cache', 'Server', 'pve-api-daemon/3.0');
  if (encoding !== undefined) headers.push('Content-Encoding', encoding);
  if (body !== undefined && !streamed) headers.push('Content-Length', String(body.length));
  if (reply.contentType !== undefined) headers.push('Content-Type', reply.contentType);
  headers.push('Expires', date);
  writeHead(response, reply.status, reply.reason, headers);
  response.end(body);
}

/** Writes status line and headers exactly as given; without a Content-Length the body ends with the connection. */
export function writeHead(response: ServerResponse, status: number, reason: string, headers: string[]): void {
  response.sendDate = false;
  response.useChunkedEncodingByDefault = false;
  response.writeHead(status, reasonPhrase(reason), headers);
}

/** Status lines carry bytes: the text's UTF-8, without control characters. */
function reasonPhrase(reason: string): string {
  return Buffer.from(reason.replace(/[\u0000-\u001f\u007f]/g, ' ').trim(), 'utf8').toString('latin1');
}

function compress(body: Buffer | undefined, accepted: string): { body: Buffer | undefined; encoding: string | undefined } {
  if (body === undefined || body.length <= COMPRESS_ABOVE_BYTES) return { body, encoding: undefined };
  if (/\bgzip\b/.test(accepted)) return { body: gzipSync(body), encoding: 'gzip' };
  if (/\bdeflate\b/.test(accepted)) return { body: deflateSync(body), encoding: 'deflate' };
  return { body, encoding: undefined };
}
