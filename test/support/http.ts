import { createHash } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { Agent, type IncomingHttpHeaders, type RequestOptions, request } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClusterSettings, Settings } from '../../src/config/settings.ts';
import { type HttpFlags, httpOptions } from '../../src/server/http/options.ts';
import { type HttpServer, serveHttp } from '../../src/server/http.ts';
import { settingsFor } from './harness.ts';

/** Settings for several clusters, in this order. */
export function settingsForAll(clusters: readonly ClusterSettings[], more: Partial<Settings> = {}): Settings {
  const [first] = clusters;
  if (first === undefined) throw new Error('no cluster');
  return { ...settingsFor(first), clusters: new Map(clusters.map((cluster) => [cluster.name, cluster])), ...more };
}

export interface TestServer extends HttpServer {
  /** What it told people. */
  readonly lines: string[];
  /** Its audit log so far. */
  readonly auditFile: string;
}

/** The HTTP server in this process, on a free port of this machine, with the checks of its flags. */
export async function openHttp(
  settings: Settings,
  flags: Partial<HttpFlags> = { noAuth: true },
  timing: { pollMs?: number; drainMs?: number } = {},
): Promise<TestServer> {
  const lines: string[] = [];
  const auditFile = join(mkdtempSync(join(tmpdir(), 'mcp-audit-')), 'audit.jsonl');
  const options = httpOptions({ http: '127.0.0.1:0', auditLog: auditFile, ...flags });
  const server = await serveHttp({ settings, options, tell: (line) => lines.push(line), ...timing });
  return { ...server, lines, auditFile };
}

/** A token and the hash that the file of callers holds. */
export function bearer(name: string): {
  readonly token: string;
  readonly sha256: string;
  readonly headers: Record<string, string>;
} {
  const token = `mcpx_${name}-${'t'.repeat(40)}`;
  return { token, sha256: createHash('sha256').update(token).digest('hex'), headers: { authorization: `Bearer ${token}` } };
}

/** Writes a file of callers and gives its path. */
export function authFile(
  callers: readonly object[],
  path = join(mkdtempSync(join(tmpdir(), 'mcp-auth-')), 'callers.json'),
): string {
  writeFileSync(path, JSON.stringify({ callers }), { mode: 0o600 });
  return path;
}

export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 256 });

/** One request, with whatever headers: also those that a well-behaved client would not send. */
export function send(
  url: string,
  options: RequestOptions & { readonly ca?: string } = {},
  body?: string | Buffer,
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const secure = url.startsWith('https:');
    const outgoing = (secure ? tlsRequest : request)(url, { ...(secure ? {} : { agent }), ...options }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Posts one JSON-RPC message the way an MCP client of the 2025 era does. */
export function post(
  url: string,
  message: unknown,
  headers: Record<string, string> = {},
  options: RequestOptions & { readonly ca?: string } = {},
): Promise<RawResponse> {
  return send(
    url,
    {
      method: 'POST',
      ...options,
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    },
    JSON.stringify(message),
  );
}

export interface ToolAnswer {
  readonly status: number;
  readonly text: string;
  readonly isError: boolean;
}

/** Calls a tool. The text is that of the answer, or of the refusal. */
export async function callTool(
  url: string,
  name: string,
  args: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<ToolAnswer> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  const response = await post(url, message, headers);
  const { result, error } = rpcOf(response);
  if (result === undefined) return { status: response.status, text: error?.message ?? response.text, isError: true };
  return { status: response.status, text: result.content?.[0]?.text ?? '', isError: result.isError ?? false };
}

interface RpcAnswer {
  readonly result?: {
    readonly content?: readonly { readonly text: string }[];
    readonly isError?: boolean;
    readonly tools?: readonly {
      readonly name: string;
      readonly inputSchema: { readonly properties?: Record<string, unknown>; readonly required?: readonly string[] };
    }[];
    readonly resources?: readonly unknown[];
  };
  readonly error?: { readonly code: number; readonly message: string };
}

/** The JSON-RPC answer in a response, plain or as a server-sent event. */
export function rpcOf({ text }: RawResponse): RpcAnswer {
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  // The shape is what the tests then look at.
  return JSON.parse(data) as RpcAnswer;
}
