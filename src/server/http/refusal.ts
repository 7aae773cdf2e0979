import type { IncomingMessage, ServerResponse } from 'node:http';

/** Why a request goes no further. Its words say nothing about callers, clusters or the machine. */
export interface Refusal {
  readonly status: number;
  /** A word for the metrics. */
  readonly reason: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** JSON-RPC error code; -32000 for what HTTP has the words for. */
  readonly code?: number;
}

/** Answers in the form that MCP clients read. The connection ends: what is left of the request is not read. */
export function sendRefusal(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: refusal.code ?? -32_000, message: refusal.message }, id: null });
  response.writeHead(refusal.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    ...(request.complete ? {} : { connection: 'close' }),
    ...refusal.headers,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}
