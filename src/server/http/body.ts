import type { IncomingMessage } from 'node:http';
import type { Refusal } from './refusal.ts';

/** Questions are small: the longest arguments of any tool are a few kilobytes. */
export const MAX_BODY_BYTES = 1024 * 1024;
/** A megabyte arrives in under a thousand; sent byte by byte the pieces would take a hundred times its memory. */
const MAX_PIECES = 4_096;
/** Messages of the protocol are a dozen levels deep; what walks through thousands of them runs out of stack. */
const MAX_DEPTH = 64;

export type Body =
  | { readonly json: unknown; readonly refusal?: undefined }
  | { readonly json?: undefined; readonly refusal: Refusal };

const NOT_JSON: Refusal = { status: 400, reason: 'json', message: 'Parse error: the body is not JSON.', code: -32_700 };
const TOO_DEEP: Refusal = {
  status: 400,
  reason: 'json',
  message: `The body may not be nested more than ${MAX_DEPTH} deep.`,
  code: -32_600,
};
const TOO_LARGE: Refusal = { status: 413, reason: 'body', message: `The body may not be longer than ${MAX_BODY_BYTES} bytes.` };

/** Reads a JSON body, never more than {@link MAX_BODY_BYTES} of it. Rejects when the client leaves in the middle. */
export async function readJson(request: IncomingMessage): Promise<Body> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return { refusal: TOO_LARGE };
  const bytes = await readBytes(request);
  if (bytes === undefined) return { refusal: TOO_LARGE };
  const text = bytes.toString('utf8');
  if (isDeeper(text, MAX_DEPTH)) return { refusal: TOO_DEEP };
  try {
    const json: unknown = JSON.parse(text);
    return { json };
  } catch {
    return { refusal: NOT_JSON };
  }
}

/** Whether a JSON text opens more brackets inside each other than that. */
export function isDeeper(text: string, levels: number): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i += 1) {
    const char = text[i];
    if (char === '"') inString = !inString;
    else if (inString) i += char === '\\' ? 1 : 0;
    else if (char === '[' || char === '{') depth += 1;
    else if (char === ']' || char === '}') depth -= 1;
    if (depth > levels) return true;
  }
  return false;
}

/** By events and not by iteration, which would tear down the connection before the refusal is sent. */
function readBytes(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BODY_BYTES && chunks.length < MAX_PIECES) chunks.push(chunk);
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
