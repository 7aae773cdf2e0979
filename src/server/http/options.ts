import type { BlockList } from 'node:net';
import { Problems } from '../../config/problems.ts';
import { isLoopback, isWildcard, type ListenAddress, parseListenAddress, parsePeers, urlHost } from './address.ts';

/** The flags of `serve --http`, as typed; an empty `http` or `metrics` stands for its default address. */
export interface HttpFlags {
  readonly http: string;
  readonly noAuth?: boolean | undefined;
  readonly authFile?: string | undefined;
  readonly trustProxyHeader?: string | undefined;
  readonly trustedProxy?: readonly string[] | undefined;
  readonly allowedHost?: readonly string[] | undefined;
  readonly allowedOrigin?: readonly string[] | undefined;
  readonly tlsCert?: string | undefined;
  readonly tlsKey?: string | undefined;
  readonly callerProxmoxToken?: boolean | undefined;
  readonly rateLimit?: string | undefined;
  readonly maxConcurrent?: string | undefined;
  readonly auditLog?: string | undefined;
  readonly metrics?: string | undefined;
}

/** How the server knows who asks. */
export type AuthMode =
  | { readonly kind: 'none' }
  | { readonly kind: 'bearer'; readonly file: string }
  | { readonly kind: 'proxy'; readonly header: string; readonly peers: BlockList; readonly file: string | undefined };

/** Bounds for one caller. */
export interface CallerLimits {
  readonly ratePerMinute: number;
  readonly maxConcurrent: number;
}

/** Everything about the listener, checked. */
export interface HttpOptions {
  readonly listen: ListenAddress;
  readonly auth: AuthMode;
  /** Host names a request may be addressed to, lower case, IPv6 in brackets. */
  readonly hosts: ReadonlySet<string>;
  /** Origins of web pages that may ask, besides those of this machine when it listens there only. */
  readonly origins: ReadonlySet<string>;
  readonly localOrigins: boolean;
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** Callers may send Proxmox tokens of their own. */
  readonly ownTokens: boolean;
  readonly limits: CallerLimits;
  /** File for the audit log; `-` for standard error. */
  readonly auditLog: string;
  readonly metrics: ListenAddress | undefined;
  /** What is worth telling at the start. */
  readonly warnings: readonly string[];
}

const DEFAULT_LISTEN: ListenAddress = { host: '127.0.0.1', port: 8765 };
const DEFAULT_METRICS: ListenAddress = { host: '127.0.0.1', port: 9765 };
const DEFAULT_LIMITS: CallerLimits = { ratePerMinute: 600, maxConcurrent: 32 };
/** The names by which this machine is asked by itself. */
export const LOCAL_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
const HEADER_NAME = /^[a-z][a-z0-9-]{1,63}$/;
/** Headers that say something else already. */
const TAKEN_HEADERS = new Set(['authorization', 'host', 'origin', 'cookie', 'content-type', 'content-length', 'accept']);

/**
 * Checks the flags together. Nothing is opened to anybody by leaving something out: without a way to tell callers apart
 * the server does not start.
 *
 * @throws ConfigErrors with every problem found
 */
export function httpOptions(flags: HttpFlags): HttpOptions {
  const problems = new Problems();
  const listen = problems.take('--http', parseListenAddress(flags.http, DEFAULT_LISTEN)) ?? DEFAULT_LISTEN;
  const local = isLoopback(listen.host);
  const auth = authMode(flags, local, problems);
  const hosts = hostNames(flags, listen, problems);
  const origins = new Set((flags.allowedOrigin ?? []).flatMap((text) => originOf(text, problems)));
  const tls = tlsFiles(flags, problems);
  const metrics = metricsAddress(flags.metrics, problems);
  const limits = {
    ratePerMinute: wholeNumber('--rate-limit', flags.rateLimit, DEFAULT_LIMITS.ratePerMinute, 1_000_000, problems),
    maxConcurrent: wholeNumber('--max-concurrent', flags.maxConcurrent, DEFAULT_LIMITS.maxConcurrent, 10_000, problems),
  };
  problems.throwIfAny();
  return {
    listen,
    auth,
    hosts,
    origins,
    localOrigins: local,
    tls,
    ownTokens: flags.callerProxmoxToken ?? false,
    limits,
    auditLog: flags.auditLog ?? '-',
    metrics,
    warnings:
      local || tls !== undefined
        ? []
        : [
            '--http listens beyond this machine without TLS: tokens travel in the clear unless a proxy in front encrypts (--tls-cert, --tls-key)',
          ],
  };
}

function authMode(flags: HttpFlags, local: boolean, problems: Problems): AuthMode {
  const none: AuthMode = { kind: 'none' };
  const { authFile, trustProxyHeader } = flags;
  if (flags.noAuth === true) {
    if (authFile !== undefined || trustProxyHeader !== undefined) {
      problems.add('--no-auth', { what: 'contradicts the other flags about authentication', accepts: 'one of them' });
    }
    if (!local)
      problems.add('--no-auth', {
        what: 'is accepted on this machine only',
        accepts: 'a loopback address for --http, or --auth-file',
      });
    return none;
  }
  if (trustProxyHeader !== undefined) {
    const header = trustProxyHeader.trim().toLowerCase();
    if (!HEADER_NAME.test(header) || TAKEN_HEADERS.has(header)) {
      problems.add('--trust-proxy-header', {
        what: 'is not a header that could name a caller',
        accepts: 'a name such as X-Forwarded-User',
      });
    }
    const peers = problems.take('--trusted-proxy', parsePeers(flags.trustedProxy ?? ['127.0.0.0/8', '::1']));
    return peers === undefined ? none : { kind: 'proxy', header, peers, file: authFile };
  }
  if (flags.trustedProxy !== undefined) {
    problems.add('--trusted-proxy', { what: 'is of no use alone', accepts: 'it together with --trust-proxy-header' });
  }
  if (authFile !== undefined) return { kind: 'bearer', file: authFile };
  problems.add('--http', {
    what: 'needs to know who may ask',
    accepts:
      '--auth-file FILE (mcp-proxmox http-token makes its entries), --trust-proxy-header NAME, or --no-auth on this machine',
  });
  return none;
}

function hostNames(flags: HttpFlags, listen: ListenAddress, problems: Problems): ReadonlySet<string> {
  const names = new Set(isLoopback(listen.host) ? LOCAL_HOSTS : []);
  if (!isWildcard(listen.host)) names.add(urlHost(listen.host).toLowerCase());
  for (const text of flags.allowedHost ?? []) {
    const name = hostName(text.trim());
    if (name === undefined) {
      problems.add('--allowed-host', {
        what: 'is not a host name',
        accepts: 'a name or address without scheme, such as mcp.example.com',
      });
    } else {
      names.add(name);
    }
  }
  if (names.size === 0 && (flags.allowedHost ?? []).length === 0) {
    problems.add('--http', {
      what: 'listens on every interface without a name that clients may ask for',
      accepts: "--allowed-host NAME as well, with the name in the clients' URL",
    });
  }
  return names;
}

/** The name of a `Host` header or flag, without its port; undefined when it is none. */
export function hostName(text: string): string | undefined {
  const match = /^(\[[0-9a-fA-F:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(?::\d{1,5})?$/.exec(text);
  return match?.[1]?.toLowerCase();
}

function originOf(text: string, problems: Problems): string[] {
  const origin = URL.canParse(text) ? new URL(text).origin : 'null';
  // `https://app.example/` is the same origin; one with a path is a misunderstanding.
  if (origin !== 'null' && text.replace(/\/$/, '').toLowerCase() === origin) return [origin];
  problems.add('--allowed-origin', {
    what: 'is not an origin',
    accepts: 'scheme and host of the web page, such as https://app.example.com',
  });
  return [];
}

function tlsFiles({ tlsCert, tlsKey }: HttpFlags, problems: Problems): HttpOptions['tls'] {
  if (tlsCert !== undefined && tlsKey !== undefined) return { certFile: tlsCert, keyFile: tlsKey };
  if (tlsCert !== undefined || tlsKey !== undefined) {
    problems.add(tlsCert === undefined ? '--tls-key' : '--tls-cert', {
      what: 'stands alone',
      accepts: '--tls-cert and --tls-key together',
    });
  }
  return undefined;
}

function metricsAddress(text: string | undefined, problems: Problems): ListenAddress | undefined {
  if (text === undefined) return undefined;
  const address = problems.take('--metrics', parseListenAddress(text, DEFAULT_METRICS));
  if (address !== undefined && !isLoopback(address.host)) {
    problems.add('--metrics', {
      what: 'has no authentication and is served on this machine only',
      accepts: 'a loopback address',
    });
  }
  return address;
}

function wholeNumber(flag: string, text: string | undefined, fallback: number, most: number, problems: Problems): number {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value >= 1 && value <= most) return value;
  problems.add(flag, { what: 'is not a number in range', accepts: `a whole number from 1 to ${most}` });
  return fallback;
}
