import type { IncomingHttpHeaders } from 'node:http';
import { splitIdentity } from './rights.ts';
import type { DemoRelease, World } from './types.ts';

/** `identity` is the token's id; `refused` is the reason phrase of the 401. */
export type Authentication = { readonly identity: string } | { readonly refused: string };

/**
 * Checks `Authorization: PVEAPIToken=ID=SECRET`. `nowSeconds` (epoch) decides about expiry.
 *
 * A ticket cookie wins over the token, and the embedded cluster issues no tickets. Releases up to 8.4 tell why they
 * refuse, 9.x doesn't.
 */
export function authenticate(
  world: World,
  release: DemoRelease,
  headers: IncomingHttpHeaders,
  nowSeconds: number,
): Authentication {
  if (/(^|;\s*)PVEAuthCookie=/.test(headers.cookie ?? '')) {
    return { refused: hidesReasons(release) ? 'Authentication failed!' : 'permission denied - invalid PVE ticket' };
  }
  const presented = presentedToken(headers);
  if (presented === undefined) return { refused: 'No ticket' };
  const problem = tokenProblem(world, presented, nowSeconds);
  if (problem === undefined) return { identity: presented.id };
  return { refused: hidesReasons(release) ? 'Authentication failed!' : problem };
}

/** The id of the known token that a request carries, valid or not; for the log. */
export function knownTokenOf(world: World, headers: IncomingHttpHeaders): string | undefined {
  const id = presentedToken(headers)?.id;
  return id !== undefined && findToken(world, id).token !== undefined ? id : undefined;
}

function hidesReasons(release: DemoRelease): boolean {
  return release !== '7.4' && release !== '8.4';
}

interface PresentedToken {
  readonly id: string;
  /** Undefined when the value has no `=`. */
  readonly secret: string | undefined;
}

/** The scheme is case-sensitive, may be followed by a space instead of `=`, and the value ends at a semicolon. */
function presentedToken({ authorization }: IncomingHttpHeaders): PresentedToken | undefined {
  const value = /^PVEAPIToken[= ]([^;]*)/.exec(authorization ?? '')?.[1];
  if (value === undefined) return undefined;
  const equals = value.lastIndexOf('=');
  return equals === -1 ? { id: value, secret: undefined } : { id: value.slice(0, equals), secret: value.slice(equals + 1) };
}

function findToken(world: World, id: string) {
  const { userid, tokenid } = splitIdentity(id);
  const user = world.users.find((candidate) => candidate.userid === userid);
  return { userid, user, token: user?.tokens.find((candidate) => candidate.tokenid === tokenid) };
}

function tokenProblem(world: World, { id, secret }: PresentedToken, nowSeconds: number): string | undefined {
  if (secret === undefined) return 'no token value specified';
  const { userid, user, token } = findToken(world, id);
  if (user === undefined) return `no such user ('${userid}')`;
  if (user.enable !== 1) return `user '${userid}' is disabled`;
  if (isExpired(user.expire, nowSeconds)) return `user '${userid}' access expired`;
  if (token === undefined) return `no such token '${id}'`;
  if (isExpired(token.expire, nowSeconds)) return `token '${id}' access expired`;
  return token.secret === secret ? undefined : 'invalid token value!';
}

/** 0 means never. */
function isExpired(expire: number, nowSeconds: number): boolean {
  return expire !== 0 && expire <= nowSeconds;
}
