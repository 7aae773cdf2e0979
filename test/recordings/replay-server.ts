import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { parseTarget, segmentsOf } from '../../src/demo/request-target.ts';
import { createServerIdentity } from '../../src/demo/tls.ts';
import type { LoggedRequest } from '../../src/demo/types.ts';
import { endpointsOf, matchTemplate, parameterProblems } from '../contract/facts.ts';
import { loadRecordings, type QueryValues, RECORDED_ROLES, type RecordedRole } from './recording-set.ts';
import { replay } from './replay.ts';

/** An API server over HTTPS that answers with what a real one was recorded to answer. */
export interface ReplayServer {
  /** `https://127.0.0.1:port` */
  readonly url: string;
  /** PEM of the certificate authority that signed the server's leaf. */
  readonly ca: string;
  /** SHA-256 of the leaf certificate, `AA:BB:...`. */
  readonly fingerprint: string;
  token(role: RecordedRole): RecordedToken;
  /** Everything that was asked, oldest first, whatever the method. */
  readonly requests: LoggedRequest[];
  /** What had no recording (`GET /nodes/pve1/x?y=1 as readonly`); a test should expect it to be empty. */
  readonly missing: string[];
  close(): Promise<void>;
}

export interface RecordedToken {
  /** `user@realm!name` */
  readonly id: string;
  readonly secret: string;
}

export interface ReplayOptions {
  /** Delay of a failed authentication in milliseconds; the real API takes 3000. */
  readonly authDelayMs?: number;
}

const TOKENS: Readonly<Record<RecordedRole, RecordedToken>> = {
  full: { id: 'root@pam!full', secret: '11111111-1111-4111-8111-111111111111' },
  readonly: { id: 'mcp@pve!readonly', secret: '22222222-2222-4222-8222-222222222222' },
  noacl: { id: 'mcp@pve!noacl', secret: '33333333-3333-4333-8333-333333333333' },
};

const RELEASE = '9.2.11';

interface Answer {
  readonly status: number;
  readonly reason: string;
  /** Undefined: no body, no Content-Length, no Content-Type, as with 401 and 595. */
  readonly body: string | undefined;
  /** HTTP-layer errors are plain text without a Content-Type. */
  readonly json?: boolean;
}

/** Starts the replay on a free loopback port. */
export async function startReplayServer({ authDelayMs = 30 }: ReplayOptions = {}): Promise<ReplayServer> {
  const identity = await createServerIdentity('pve1');
  const requests: LoggedRequest[] = [];
  const missing: string[] = [];

  const server = createServer({ cert: identity.cert, key: identity.key, minVersion: 'TLSv1.2' }, (request, response) => {
    const at = Date.now();
    request.resume();
    const { path: rawPath, query } = parseTarget(request.url ?? '/');
    const path = `/${segmentsOf(rawPath.replace(/^\/+api2\/+json(?=\/|$)/, '')).join('/')}`;
    const values = Object.fromEntries(
      [...query].map(([name, value]) => [name, typeof value === 'string' ? value : value.join(',')]),
    );
    const role = roleOf(request);
    const method = request.method ?? 'GET';
    const answer = (): Answer => {
      if (!HANDLED_METHODS.has(method)) return plainText(501, `method '${method}' not available`, method === 'HEAD');
      if (role instanceof Error) return { status: 401, reason: role.message, body: undefined };
      if (!/^\/+api2\/+json(?:\/|$)/.test(rawPath)) return notRecorded(`${method} ${rawPath}`);
      if (method !== 'GET') return notRecorded(`${method} ${path}`);
      if (hasBody(request)) return plainText(501, "Unexpected content for method 'GET'");
      const repeated = [...query].filter(([, value]) => typeof value !== 'string').map(([name]) => name);
      if (repeated.length > 0) return refused(Object.fromEntries(repeated.map((name) => [name, 'given more than once'])));
      return answerGet(role, path, values) ?? notRecorded(`GET ${path}${queryText(values)} as ${role}`);
    };
    const notRecorded = (what: string): Answer => {
      missing.push(what);
      return message(599, `not recorded: ${what}`);
    };
    const picked = answer();
    const token = role instanceof Error ? undefined : TOKENS[role].id;
    requests.push({ at, method, path, query: values, token, status: picked.status });
    if (picked.status === 401) setTimeout(() => send(response, picked), authDelayMs);
    else send(response, picked);
  });
  // As the real API: 100 requests per connection, idle ones closed after five seconds without notice.
  server.maxRequestsPerSocket = 100;
  server.keepAliveTimeout = 5_000;

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve());
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the replay server listens on no port');

  return {
    url: `https://127.0.0.1:${address.port}`,
    ca: identity.ca,
    fingerprint: identity.fingerprint,
    token: (role) => TOKENS[role],
    requests,
    missing,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
}

/** Methods that the API routes at all. */
const HANDLED_METHODS = new Set(['GET', 'POST', 'PUT', 'DELETE']);

function answerGet(role: RecordedRole, path: string, query: QueryValues): Answer | undefined {
  const set = loadRecordings(role);
  const exact = set.find(path, query);
  if (exact) return fromRecording(exact);
  const matched = matchTemplate(RELEASE, path);
  const facts = matched && endpointsOf(RELEASE).get(matched.template);
  if (!matched || !facts) return message(501, `Method 'GET ${path}' not implemented`, '');
  const problems = parameterProblems(facts, matched.template, query, matched.params);
  if (problems.length > 0) return refused(Object.fromEntries(problems.map(({ param, problem }) => [param, problem])));
  const found = replay(set, { path, query, template: matched.template, params: matched.params, facts });
  return found && fromRecording(found);
}

function fromRecording({ status, reason, body }: { status: number; reason: string; body: unknown }): Answer {
  return { status, reason, body: body === null ? undefined : JSON.stringify(body), json: true };
}

/** An API error: the reason is the first line, the body keeps the whole text, most of them with a final newline. */
function message(status: number, text: string, end = '\n'): Answer {
  return { status, reason: text.split('\n')[0] ?? '', body: JSON.stringify({ data: null, message: text + end }), json: true };
}

function refused(errors: Readonly<Record<string, string>>): Answer {
  const text = 'Parameter verification failed.';
  return { status: 400, reason: text, body: JSON.stringify({ data: null, errors, message: `${text}\n` }), json: true };
}

function plainText(status: number, text: string, headersOnly = false): Answer {
  return { status, reason: text, body: headersOnly ? undefined : text };
}

/** The role whose token the request carries, or the reason of the 401. */
function roleOf({ headers }: IncomingMessage): RecordedRole | Error {
  // A ticket cookie wins over the token, and none of the recorded ones is valid any more.
  if (/(?:^|;\s*)PVEAuthCookie=/.test(headers.cookie ?? '')) return new Error('Authentication failed!');
  const given = /^PVEAPIToken[= ](.*)$/.exec(headers.authorization ?? '')?.[1];
  if (given === undefined) return new Error('No ticket');
  return (
    RECORDED_ROLES.find((role) => given === `${TOKENS[role].id}=${TOKENS[role].secret}`) ?? new Error('Authentication failed!')
  );
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function queryText(query: QueryValues): string {
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function send(response: ServerResponse, { status, reason, body, json }: Answer): void {
  const now = new Date().toUTCString();
  response.setHeader('Cache-Control', 'max-age=0');
  response.setHeader('Pragma', 'no-cache');
  response.setHeader('Server', 'pve-api-daemon/3.0');
  response.setHeader('Date', now);
  response.setHeader('Expires', now);
  // Any error closes the connection.
  if (status !== 200) response.setHeader('Connection', 'close');
  if (body === undefined) {
    // Without chunked encoding and without a length, the end of the connection ends the (empty) answer.
    response.useChunkedEncodingByDefault = false;
  } else {
    response.setHeader('Content-Length', Buffer.byteLength(body));
    if (json) response.setHeader('Content-Type', 'application/json;charset=UTF-8');
  }
  // Bytes of UTF-8, as the API writes them; Node takes one character per byte here, and no control characters.
  response.writeHead(
    status,
    Buffer.from(reason, 'utf8')
      .toString('latin1')
      .replaceAll(/[\0-\x1f\x7f]/g, ' '),
  );
  response.end(body);
}
