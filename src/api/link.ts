import type { ClusterSettings } from '../config/settings.ts';
import { type Breaker, createBreaker, type Dependency, dependencies } from './breaker.ts';
import { type EndpointPath, endpointSpec } from './endpoints.ts';
import { ApiError } from './errors.ts';
import { createSender, type RawAnswer, type Sender, TransportError } from './get.ts';
import { createLimits, type Limits } from './limits.ts';
import { createTargets, type Targets } from './targets.ts';

/** More sockets than requests in flight would never be used. */
const CONNECTIONS = 8;
/** How long a connection may take, in milliseconds: quick where another entry node can be tried, else as long as a far one needs. */
const CONNECT_MS = { several: 4_000, only: 12_000 };
/** Waiting this long, or as long as settings allow, without an answer is what makes something silent, in milliseconds. */
const FAIR_WAIT_MS = 5_000;
/** A connection that fails faster than this may be tried again by every call, in milliseconds. */
const SLOW_CONNECT_MS = 1_500;

/** One question on the wire. */
export interface WireRequest {
  readonly path: EndpointPath;
  readonly params: Readonly<Record<string, string | number>>;
  /** Filled path and query below `/api2/json`. */
  readonly pathAndQuery: string;
  readonly authorization: string;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Who brought the identity, while the API has not let it in yet. */
  readonly stranger?: string | undefined;
  /** Asked when it is this request's turn: why it must not be sent any more. */
  refused?(): ApiError | undefined;
}

/**
 * The way to one cluster: its entry nodes, connections, limits, and the memory of what is silent. Shared by all
 * identities that ask this cluster; holds nothing that an identity may see.
 */
export interface Link {
  readonly settings: ClusterSettings;
  now(): number;
  send(request: WireRequest): Promise<RawAnswer>;
  close(): Promise<void>;
}

export function createLink(settings: ClusterSettings, now: () => number = Date.now): Link {
  const targets: Targets = createTargets(settings.urls, now);
  const limits: Limits = createLimits();
  const breaker: Breaker = createBreaker(now);
  const sender: Sender = createSender(
    settings.tls,
    CONNECTIONS,
    Math.min(settings.timeoutMs, settings.urls.length > 1 ? CONNECT_MS.several : CONNECT_MS.only),
  );
  // A timer may fire a little early.
  const fairWaitMs = Math.min(settings.timeoutMs, FAIR_WAIT_MS) * 0.9;
  let lastAnswer = Number.NEGATIVE_INFINITY;

  function send(request: WireRequest): Promise<RawAnswer> {
    return request.stranger === undefined ? sendInTurn(request) : limits.stranger(request.stranger, () => sendInTurn(request));
  }

  async function sendInTurn(request: WireRequest): Promise<RawAnswer> {
    const chain = dependencies(request.path, request.params);
    const node = request.params['node'] === undefined ? undefined : String(request.params['node']);
    return limits.run(node, async () => {
      if (request.signal.aborted) throw new ApiError('cancelled', 'The call was cancelled.');
      const refusal = request.refused?.();
      if (refusal !== undefined) throw refusal;
      // Checked when it is this request's turn: the one before it may just have timed out.
      breaker.check(chain);
      const asked = performance.now();
      const askedAt = now();
      try {
        const answer = await overTargets(request, entryAnswers(request));
        lastAnswer = performance.now();
        if (answer.status === 596) {
          // The entry node already waited 30 s for it.
          breaker.trip(chain, askedAt);
          limits.cold(node);
        } else {
          breaker.reset(chain);
          if (answer.status < 595) limits.warm(node);
        }
        return answer;
      } catch (thrown) {
        const silent = silentOf(chain, thrown, asked);
        if (silent === undefined) {
          if (isGivenUp(thrown)) breaker.giveUp(chain, askedAt);
          else breaker.giveBack(chain);
        } else {
          breaker.trip(silent, askedAt);
          limits.cold(node);
        }
        throw thrown;
      }
    });
  }

  /** What a failed request proves to be silent, as the end of a chain; undefined when it proves nothing. */
  function silentOf(chain: readonly Dependency[], thrown: unknown, asked: number): readonly Dependency[] | undefined {
    if (!(thrown instanceof ApiError)) return undefined;
    const waited = performance.now() - asked;
    // A request that was given up early, with its call's budget or its caller, proves nothing against the node.
    if (isGivenUp(thrown) && waited >= fairWaitMs) return chain;
    // No connection to be had, and nothing came over those that there were.
    if (thrown.kind === 'unreachable' && waited >= SLOW_CONNECT_MS && lastAnswer < asked) return chain.slice(0, 1);
    return undefined;
  }

  function isGivenUp(thrown: unknown): boolean {
    return thrown instanceof ApiError && (thrown.kind === 'timeout' || thrown.kind === 'cancelled');
  }

  /** Whether it is the entry node itself that is slow to answer this, rather than a node, a storage or Ceph behind it. */
  function entryAnswers({ path, params }: WireRequest): boolean {
    return params['node'] === undefined && endpointSpec(path).cost !== 'slow';
  }

  /** Tries the entry nodes in order. Only failures of the entry node itself lead on to the next one. */
  async function overTargets(request: WireRequest, entryAnswers: boolean): Promise<RawAnswer> {
    const tried: string[] = [];
    let timedOut: TransportError | undefined;
    let connected = false;
    for (const index of targets.order()) {
      const url = targets.url(index);
      try {
        const answer = await overFreshConnection(url, request);
        targets.worked(index);
        return answer;
      } catch (thrown) {
        if (!(thrown instanceof TransportError)) throw thrown;
        // A silent node behind a live entry node is no reason to leave the entry node.
        if (thrown.phase === 'timeout' && !entryAnswers) throw timeoutError(request, thrown);
        targets.failed(index);
        tried.push(`${new URL(url).host}: ${thrown.message}`);
        connected ||= thrown.phase === 'lost';
        if (thrown.phase === 'timeout') timedOut = thrown;
      }
    }
    if (timedOut !== undefined) throw timeoutError(request, timedOut);
    if (connected) {
      throw new ApiError('unreachable', `The cluster was reached, but did not answer (${tried.join('; ')}).`, {
        hint: 'Try again in a minute: the API service (pveproxy) of the node may be restarting. Else look at its log, and for a proxy in between.',
      });
    }
    throw new ApiError('unreachable', `No entry node of the cluster can be reached (${tried.join('; ')}).`, {
      hint: 'Check PROXMOX_URL (https://host:8006), the network and any firewall between this machine and the node.',
    });
  }

  /** The API closes idle connections without notice: a GET that met one is sent once more, on a fresh connection. */
  async function overFreshConnection(url: string, request: WireRequest): Promise<RawAnswer> {
    try {
      return await sendOnce(url, request);
    } catch (thrown) {
      if (!(thrown instanceof TransportError) || thrown.phase !== 'lost') throw thrown;
      return sendOnce(url, request).catch((again: unknown) => {
        if (!(again instanceof TransportError) || again.phase !== 'lost') throw again;
        throw new TransportError('lost', `${again.message}, twice`, again);
      });
    }
  }

  function sendOnce(url: string, { pathAndQuery, authorization, signal }: WireRequest): Promise<RawAnswer> {
    return sender.get(`${url}/api2/json${pathAndQuery}`, authorization, { signal, timeoutMs: settings.timeoutMs });
  }

  function timeoutError(request: WireRequest, cause: TransportError): ApiError {
    const chain = dependencies(request.path, request.params);
    const what = chain.at(-1)?.name ?? 'the cluster';
    return new ApiError('timeout', `${what}: ${cause.message}.`, {
      hint: 'It is not asked again for 30 s; PROXMOX_TIMEOUT sets the limit of one request.',
      cause,
    });
  }

  return { settings, now, send, close: () => sender.close() };
}
