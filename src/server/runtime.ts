import { LRUCache } from 'lru-cache';
import { createLink, type Link } from '../api/link.ts';
import { createSession, type Session, sessionKey } from '../api/session.ts';
import type { ClusterSettings, Settings } from '../config/settings.ts';

/**
 * What lives as long as the process: settings, the ways to the clusters, and the sessions. There is no other state;
 * nothing of it is opened before the first request needs it.
 */
export interface Runtime {
  readonly settings: Settings;
  /** The session of the configured token at the named cluster; the only one, when no name is given. */
  session(cluster?: string): Session;
  /**
   * A session for a caller's own token. It is kept only as long as it is used.
   *
   * @param caller who brings it
   */
  sessionFor(cluster: string, tokenId: string, secret: string, caller: string): Session;
  close(): Promise<void>;
}

/** Sessions of callers' own tokens that are kept at the same time, and for how long after their last use. */
const MAX_FOREIGN = 500;
const FOREIGN_IDLE_MS = 5 * 60_000;
/** Those of tokens that the API has not let in (yet): however many are tried, they push out none of the others. */
const MAX_STRANGERS = 100;
/** Characters of answers that all of them keep together: a large cluster's are some megabytes for each identity. */
const FOREIGN_KEPT = 64 * 1024 * 1024;

/** @param now epoch milliseconds; another clock than the system's is for tests and generated docs */
export function createRuntime(settings: Settings, now: () => number = Date.now): Runtime {
  const links = new Map<string, Link>();
  const own = new Map<string, Session>();
  // Gone with its secret when it is not used for a while; a call under way keeps its session to its end.
  const lifetime = { ttl: FOREIGN_IDLE_MS, updateAgeOnGet: true, ttlAutopurge: true, perf: { now } };
  const foreign = new LRUCache<string, Session>({ max: MAX_FOREIGN, ...lifetime });
  const strangers = new LRUCache<string, Session>({ max: MAX_STRANGERS, ...lifetime });

  /** Those longest unused lose their answers first. */
  function trim(): void {
    let kept = 0;
    for (const session of foreign.values()) {
      kept += session.kept();
      if (kept > FOREIGN_KEPT) session.forget();
    }
  }

  function clusterSettings(name: string | undefined): ClusterSettings {
    const found = name === undefined ? settings.clusters.values().next().value : settings.clusters.get(name);
    if (found === undefined) throw new Error(`no cluster ${name ?? ''} is configured`);
    return found;
  }

  function link(cluster: ClusterSettings): Link {
    let existing = links.get(cluster.name);
    if (existing === undefined) {
      existing = createLink(cluster, now);
      links.set(cluster.name, existing);
    }
    return existing;
  }

  return {
    settings,
    session(name) {
      const cluster = clusterSettings(name);
      let session = own.get(cluster.name);
      if (session === undefined) {
        session = createSession(link(cluster), cluster.tokenId, cluster.tokenSecret.reveal(), settings.health);
        own.set(cluster.name, session);
      }
      return session;
    },
    sessionFor(name, tokenId, secret, caller) {
      const cluster = clusterSettings(name);
      const key = sessionKey(cluster.name, tokenId, secret);
      const session =
        foreign.get(key) ?? strangers.get(key) ?? createSession(link(cluster), tokenId, secret, settings.health, caller);
      if (session.isStranger()) strangers.set(key, session);
      else {
        strangers.delete(key);
        foreign.set(key, session);
        trim();
      }
      return session;
    },
    close: async () => {
      foreign.clear();
      strangers.clear();
      await Promise.all([...links.values()].map((l) => l.close()));
    },
  };
}
