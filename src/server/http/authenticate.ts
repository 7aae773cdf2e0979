import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { parseTokenId, parseTokenSecret } from '../../config/token.ts';
import { Secret } from '../../redact/secret.ts';
import type { Caller, ProxmoxToken } from '../caller.ts';
import { isPeer } from './address.ts';
import type { AuthFile, RegisteredCaller } from './auth-file.ts';
import type { AuthMode, CallerLimits } from './options.ts';
import type { Refusal } from './refusal.ts';

/** Who asks, and within which bounds. */
export interface Identified {
  readonly caller: Caller;
  readonly limits: CallerLimits;
}

export type Authentication =
  | { readonly who: Identified; readonly refusal?: undefined }
  | { readonly who?: undefined; readonly refusal: Refusal };

/** Tokens of `http-token` have 48 characters; what is much shorter could be guessed from its hash. */
export const MIN_TOKEN_CHARS = 32;
const MAX_TOKEN_CHARS = 512;
const PROXY_NAME = /^[\w.@+:\\/-]{1,128}$/;

/** Tells who sent a request, or why that cannot be told. */
export function authenticate(
  request: IncomingMessage,
  mode: AuthMode,
  file: AuthFile | undefined,
  limits: CallerLimits,
  now: number,
): Authentication {
  switch (mode.kind) {
    case 'none':
      return { who: { caller: { name: 'anonymous' }, limits } };
    case 'bearer':
      return byToken(request, file, limits, now);
    case 'proxy': {
      // Whoever reaches this port without the proxy could name anybody.
      if (!isPeer(mode.peers, request.socket.remoteAddress)) return unknown('Requests come through the proxy only.');
      // A proxy that appends instead of replacing leaves the client's own header in front.
      const [value = '', another] = request.headersDistinct[mode.header] ?? [];
      const name = value.trim();
      if (another !== undefined || !PROXY_NAME.test(name)) return unknown('The proxy named no caller.');
      if (file === undefined) return { who: { caller: { name }, limits } };
      return admitted(file.byName(name), limits, now);
    }
  }
}

function byToken(request: IncomingMessage, file: AuthFile | undefined, limits: CallerLimits, now: number): Authentication {
  const token = /^Bearer +([\x21-\x7e]+) *$/i.exec(request.headers.authorization ?? '')?.[1];
  if (token === undefined) return unknown('A bearer token is needed.');
  if (token.length < MIN_TOKEN_CHARS || token.length > MAX_TOKEN_CHARS) return invalid();
  const found = file?.byHash(createHash('sha256').update(token).digest());
  return admitted(found && { ...found, caller: { ...found.caller, secrets: [new Secret(token)] } }, limits, now);
}

function admitted(found: RegisteredCaller | undefined, limits: CallerLimits, now: number): Authentication {
  if (found === undefined) return invalid();
  if (found.expiresAt !== undefined && now >= found.expiresAt) return invalid('expired', 'The access has expired.');
  return {
    who: {
      caller: found.caller,
      limits: {
        ratePerMinute: found.ratePerMinute ?? limits.ratePerMinute,
        maxConcurrent: found.maxConcurrent ?? limits.maxConcurrent,
      },
    },
  };
}

function unknown(message: string): Authentication {
  const headers = { 'www-authenticate': 'Bearer realm="mcp-proxmox"' };
  return { refusal: { status: 401, reason: 'unauthenticated', message, headers } };
}

function invalid(reason = 'invalid-token', message = 'The access is not known.'): Authentication {
  const headers = { 'www-authenticate': `Bearer realm="mcp-proxmox", error="invalid_token", error_description="${message}"` };
  return { refusal: { status: 401, reason, message, headers } };
}

const OWN_TOKEN = 'x-proxmox-token';

export type OwnTokens =
  | { readonly tokens: ReadonlyMap<string, ProxmoxToken>; readonly refusal?: undefined }
  | { readonly tokens?: undefined; readonly refusal: Refusal };

/**
 * The Proxmox tokens that a caller sent of its own, by cluster, and takes them out of the request: nothing behind this
 * point sees them but the session they open. With several clusters each header names its own (`X-Proxmox-Token-lab`).
 *
 * @param clusters the clusters this caller may ask
 * @param configured how many there are in all
 * @param enabled whether own tokens are taken at all
 */
export function takeOwnTokens(
  request: IncomingMessage,
  clusters: readonly string[],
  configured: number,
  enabled: boolean,
): OwnTokens {
  const tokens = new Map<string, ProxmoxToken>();
  const refuse = (message: string): OwnTokens => ({ refusal: { status: 400, reason: 'own-token', message } });
  const names = Object.keys(request.headers).filter((name) => name === OWN_TOKEN || name.startsWith(`${OWN_TOKEN}-`));
  const sent = names.map((name) => ({ name, value: request.headers[name] }));
  for (const name of names) delete request.headers[name];
  for (const { name, value } of sent) {
    // Ignoring it would answer with rights that the caller did not ask for.
    if (!enabled) return refuse('This server takes no Proxmox tokens of callers.');
    const suffix = name.slice(OWN_TOKEN.length + 1);
    if (suffix === '' && configured > 1) return refuse('There are several clusters: send X-Proxmox-Token-<cluster>.');
    const cluster = suffix === '' ? clusters[0] : suffix;
    if (cluster === undefined || !clusters.includes(cluster))
      return refuse('A Proxmox token came for a cluster that is not here.');
    const [, id = '', secret = ''] = /^([^=]{1,300})=([^=]{1,100})$/.exec(typeof value === 'string' ? value.trim() : '') ?? [];
    const tokenId = parseTokenId(id);
    const tokenSecret = parseTokenSecret(secret);
    if (tokenId.fault !== undefined || tokenSecret.fault !== undefined) {
      return refuse('The Proxmox token is not of the form user@realm!name=secret.');
    }
    tokens.set(cluster, { id: tokenId.value, secret: new Secret(tokenSecret.value) });
  }
  return { tokens };
}
