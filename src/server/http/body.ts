import type { IncomingMessage } from 'node:http';
import type { Refusal } from './refusal.ts';

/** Questions are small: the longest arguments of any tool are a few kilobytes. */
export const MAX_BODY_BYTES = 1024 * 1024;

export type Body =
  | { readonly json: unknown; readonly refusal?: undefined }
  | { readonly json?: undefined; readonly refusal: Refusal };

const TOO_LARGE: Refusal = { status: 413, reason: 'body', message: `The body may not be longer than ${MAX_BODY_BYTES} bytes.` };

/** Reads a JSON body, never more than {@link MAX_BODY_BYTES} of it. Rejects when the client leaves in the middle. */
export async function readJson(request: IncomingMessage): Promise<Body> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return { refusal: TOO_LARGE };
  const bytes = await readBytes(request);
  if (bytes === undefined) return { refusal: TOO_LARGE };
  try {
    const json: unknown = JSON.parse(bytes.toString('utf8'));
    return { json };
  } catch {
    return { refusal: { status: 400, reason: 'json', message: 'Parse error: the body is not JSON.', code: -32_700 } };
  }
}

/** By events and not by iteration, which would tear down the connection before the refusal is sent. */
function readBytes(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BODY_BYTES) chunks.push(chunk);
      else {
        request.pause();
        resolve(undefined);
      }
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', reject);
    request.on('close', () => reject(new Error('the client left')));
  });
}

/** How many messages a body carries, and whether it opens a stream that stays open. */
export function messagesIn(json: unknown): { readonly count: number; readonly listens: boolean } {
  const all = Array.isArray(json) ? json : [json];
  const listens = all.some((message: unknown) => methodOf(message) === 'subscriptions/listen');
  return { count: Math.max(1, all.length), listens };
}

function methodOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'method' in message ? message.method : undefined;
}
