import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { HealthSettings } from '../config/settings.ts';
import { redactAnswer } from '../redact/redact-answer.ts';
import { createScrubber, type Scrubber } from '../redact/scrub-text.ts';
import { type EndpointPath, endpointSpec, type QuerySpec } from './endpoints.ts';
import { ApiError, toApiError } from './errors.ts';
import type { RawAnswer } from './get.ts';
import { errorFromAnswer } from './http-error.ts';
import { numberOf, rawOf, textOf } from './lenient.ts';
import type { Link } from './link.ts';
import { atLeast, parseRelease, type Release } from './release.ts';
import { fillPath } from './segments.ts';

/** How long an answer may serve again, in milliseconds. What is not here is only shared while it is under way. */
const TTL_MS: Partial<Record<EndpointPath, number>> = {
  '/cluster/resources': 2_000,
  '/cluster/status': 2_000,
  '/version': 300_000,
  '/access/permissions': 60_000,
  '/access/acl': 60_000,
  '/access/roles': 300_000,
  '/access/users/{userid}': 60_000,
  '/cluster/firewall/macros': 600_000,
  '/storage': 10_000,
  '/nodes/{node}/disks/list': 60_000,
  '/nodes/{node}/disks/lvm': 60_000,
  '/nodes/{node}/disks/lvmthin': 60_000,
  '/nodes/{node}/disks/zfs': 60_000,
  '/nodes/{node}/disks/directory': 60_000,
  '/nodes/{node}/apt/versions': 60_000,
};
const CACHE_BYTES = 48 * 1024 * 1024;
/** A token that was refused is not sent again for this long, in milliseconds. */
const REFUSED_MS = 10_000;

/** An answer of the API, parsed and already free of secrets. Shared between readers: never to be changed. */
export interface Got {
  readonly data: unknown;
  /** Matches altogether, where the endpoint pages. */
  readonly total: number | undefined;
  /** Pending network changes, which the API puts beside the data. */
  readonly changes: string | undefined;
  /** Secret values hidden in it. */
  readonly redacted: number;
  /** Server's clock minus ours when it was answered, in milliseconds. */
  readonly clockOffset: number | undefined;
  /** When it was answered, by our clock: epoch milliseconds. */
  readonly at: number;
}

/** Who asks: a call's cancellation, deadline and bookkeeping. */
export interface Caller {
  readonly signal: AbortSignal;
  readonly deadline: number;
  /** A request really went out for this caller. */
  sent(path: EndpointPath): void;
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;
type Params = Readonly<Record<string, string | number>>;

/**
 * One identity at one cluster. Owns the answers under way, the cache and the secrets to scrub; nothing of it is ever
 * reachable for another identity.
 */
export interface Session {
  readonly cluster: string;
  /** `user@realm!token` */
  readonly identity: string;
  /** Short hash of cluster, token id and secret. */
  readonly key: string;
  /** Finds what must never appear in an answer, in every encoding. Made once: building the search costs more than many a use of it. */
  readonly scrubber: Scrubber;
  /** What the administrator says about health checks; the same for every cluster and identity. */
  readonly health: HealthSettings;
  now(): number;
  get(path: EndpointPath, params: Params, query: Query, caller: Caller): Promise<Got>;
  /**
   * What a pure function makes of an answer, or of what was made of one: once, for as long as that is kept. Shared: never
   * to be changed.
   */
  derive<S extends object, T>(from: S, make: (from: S) => T): T;
  release(caller: Caller): Promise<Release | undefined>;
  /** The API has not let it in yet. */
  isStranger(): boolean;
  /** Characters of the answers that are kept. */
  kept(): number;
  /** Forgets what was read, so that the next reads go to the cluster. */
  forget(): void;
}

interface Flight {
  readonly answer: Promise<Got>;
  readonly abort: AbortController;
  waiting: number;
}

/** Key of a session: identities never share one. */
export function sessionKey(cluster: string, tokenId: string, secret: string): string {
  return createHash('sha256')
    .update(JSON.stringify([cluster, tokenId, secret]))
    .digest('base64url')
    .slice(0, 22);
}

const NO_HEALTH: HealthSettings = { ignore: [], thresholds: {} };

/** @param broughtBy the caller whose own token it is: until the API lets it in, its requests wait in a line of their own */
export function createSession(
  link: Link,
  tokenId: string,
  secret: string,
  health: HealthSettings = NO_HEALTH,
  broughtBy?: string,
): Session {
  const authorization = `PVEAPIToken=${tokenId}=${secret}`;
  const flights = new Map<string, Flight>();
  // Purged by the clock and not by use: hundreds of idle identities must not each hold an inventory.
  const cache = new LRUCache<string, Got>({ max: 2_000, maxSize: CACHE_BYTES, ttlAutopurge: true });
  let scrubber: Scrubber | undefined;
  const derived = new WeakMap<object, Map<unknown, unknown>>();
  let known: Release | undefined;
  let refused: { readonly error: ApiError; readonly until: number } | undefined;
  let stranger = broughtBy;

  async function get(path: EndpointPath, params: Params, query: Query, caller: Caller): Promise<Got> {
    const pathAndQuery = fillPath(path, params) + encodeQuery(path, query);
    for (const { what, since } of gatesOf(path, query)) {
      const release = await sessionRelease(caller);
      if (release !== undefined && !atLeast(release, since))
        throw new ApiError('unsupported-by-this-release', `Proxmox VE ${release.text} has no ${what}; it came with ${since}.`);
    }
    const cached = cache.get(pathAndQuery);
    if (cached !== undefined) return cached;
    // Who waits no longer asks nothing.
    if (caller.signal.aborted) throw cancelled();
    if (link.now() >= caller.deadline) throw outOfTime();
    const refusedBefore = refusal();
    if (refusedBefore !== undefined) throw refusedBefore;
    let flight = flights.get(pathAndQuery);
    if (flight === undefined || flight.abort.signal.aborted) flight = take(path, params, pathAndQuery, caller);
    return wait(flight, caller, link.now());
  }

  function take(path: EndpointPath, params: Params, pathAndQuery: string, caller: Caller): Flight {
    const abort = new AbortController();
    caller.sent(path);
    const answer = link
      .send({ path, params, pathAndQuery, authorization, signal: abort.signal, stranger, refused: refusal })
      .then((raw) => {
        if (raw.status !== 401) stranger = undefined;
        const got = understand(path, params, raw);
        const ttl = TTL_MS[path];
        if (ttl !== undefined) cache.set(pathAndQuery, got, { ttl, size: Math.max(1, raw.body.length) });
        return got;
      })
      .finally(() => {
        if (flights.get(pathAndQuery)?.answer === answer) flights.delete(pathAndQuery);
      });
    const flight: Flight = { answer, abort, waiting: 0 };
    flights.set(pathAndQuery, flight);
    // Every waiter has its own copy of the outcome; with none left a rejection is nobody's.
    answer.catch(() => undefined);
    return flight;
  }

  /** Each refusal takes the API 3 s and is a line in its log: a refused token is not tried again and again. */
  function refusal(): ApiError | undefined {
    return refused !== undefined && link.now() < refused.until ? refused.error : undefined;
  }

  function understand(path: EndpointPath, params: Params, raw: RawAnswer): Got {
    if (raw.status !== 200) {
      const error = errorFromAnswer(path, params, raw, known);
      if (error.kind === 'unauthenticated') refused = { error, until: link.now() + REFUSED_MS };
      throw error;
    }
    const body = parseBody(raw);
    const { value, redacted } = redactAnswer(path, body);
    if (path === '/version') known = releaseOf(value.data) ?? known;
    const at = link.now();
    const changes = value['changes'];
    return {
      data: value.data,
      total: numberOf(value['total']),
      changes: typeof changes === 'string' ? changes : undefined,
      redacted,
      clockOffset: raw.serverTime === undefined ? undefined : raw.serverTime - at,
      at,
    };
  }

  function derive<S extends object, T>(from: S, make: (from: S) => T): T {
    let made = derived.get(from);
    if (made === undefined) {
      made = new Map();
      derived.set(from, made);
    }
    if (!made.has(make)) made.set(make, make(from));
    // Under a function stands nothing but what it made.
    return made.get(make) as T;
  }

  /** Asked anew every few minutes, since clusters are upgraded; while it can't be told the last one holds. */
  async function sessionRelease(caller: Caller): Promise<Release | undefined> {
    try {
      return releaseOf((await get('/version', {}, {}, caller)).data) ?? known;
    } catch (thrown) {
      if (known === undefined || toApiError(thrown).kind === 'cancelled') throw thrown;
      return known;
    }
  }

  return {
    cluster: link.settings.name,
    identity: tokenId,
    key: sessionKey(link.settings.name, tokenId, secret),
    get scrubber() {
      scrubber ??= createScrubber([secret]);
      return scrubber;
    },
    health,
    now: link.now,
    get,
    derive,
    release: sessionRelease,
    isStranger: () => stranger !== undefined,
    kept: () => cache.calculatedSize,
    forget: () => cache.clear(),
  };
}

function cancelled(): ApiError {
  return new ApiError('cancelled', 'The call was cancelled.');
}

function outOfTime(): ApiError {
  return new ApiError('timeout', "The call's time budget is used up.");
}

/** Waits for a shared answer; the request itself is given up only when nobody waits for it any more. */
function wait(flight: Flight, caller: Caller, now: number): Promise<Got> {
  const { signal } = caller;
  flight.waiting += 1;
  return new Promise<Got>((resolve, reject) => {
    let left = false;
    const leave = (): void => {
      if (left) return;
      left = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      flight.waiting -= 1;
    };
    const giveUp = (error: ApiError): void => {
      leave();
      if (flight.waiting === 0) flight.abort.abort();
      reject(error);
    };
    const onAbort = (): void => giveUp(cancelled());
    const timer = setTimeout(() => giveUp(outOfTime()), Math.max(0, caller.deadline - now));
    signal.addEventListener('abort', onAbort, { once: true });
    flight.answer.then(resolve, reject).finally(leave);
  });
}

function releaseOf(data: unknown): Release | undefined {
  return parseRelease(textOf(rawOf(data)['version']) ?? '');
}

/** What of a question only some releases know. A filter that was left out for an old one would change what the answer means. */
function gatesOf(path: EndpointPath, query: Query): readonly { readonly what: string; readonly since: string }[] {
  const spec = endpointSpec(path);
  const keys = Object.entries(spec.query ?? {}).flatMap(([key, declared]) =>
    query[key] === undefined || typeof declared !== 'object' || !('since' in declared)
      ? []
      : [{ what: `parameter ${key} of ${path}`, since: declared.since }],
  );
  return spec.since === undefined ? keys : [{ what: path, since: spec.since }, ...keys];
}

/** Encodes a query; `undefined` is left out, booleans become 1 and 0. A key that is not declared is a mistake of ours. */
function encodeQuery(path: EndpointPath, query: Query): string {
  const declared = endpointSpec(path).query ?? {};
  const parts: string[] = [];
  for (const key of Object.keys(query).sort()) {
    const value = query[key];
    if (value === undefined) continue;
    if (!Object.hasOwn(declared, key)) throw new Error(`query parameter ${key} is not declared for ${path}`);
    const text = typeof value === 'boolean' ? (value ? '1' : '0') : String(value);
    if (!mayHold(declared[key], text)) throw new Error(`query parameter ${key} of ${path} may not be ${JSON.stringify(text)}`);
    parts.push(`${encodeURIComponent(key)}=${encodeURIComponent(wellFormed(text))}`);
  }
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

function mayHold(spec: QuerySpec | undefined, text: string): boolean {
  const type = typeof spec === 'object' && 'type' in spec ? spec.type : spec;
  if (type === 'int') return /^-?\d+$/.test(text);
  if (type === 'bool') return text === '0' || text === '1';
  return typeof type !== 'object' || type.includes(text);
}

/** Half of a surrogate pair, as JSON may carry it, can't be encoded. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

function parseBody(raw: RawAnswer): { data: unknown } & Record<string, unknown> {
  const wrong = (why: string): ApiError =>
    new ApiError('malformed-answer', `The answer is not what Proxmox VE sends: ${why}.`, {
      hint: 'Check that PROXMOX_URL leads to a Proxmox VE node (port 8006) and not to a proxy or login page.',
    });
  let parsed: unknown;
  try {
    parsed = JSON.parse(raw.body);
  } catch {
    throw wrong(/<html|<!doctype/i.test(raw.body.slice(0, 500)) ? 'an HTML page' : 'broken JSON');
  }
  if (typeof parsed !== 'object' || parsed === null || !('data' in parsed)) throw wrong('JSON without data');
  // The check above is what makes it this shape.
  return parsed as { data: unknown } & Record<string, unknown>;
}
