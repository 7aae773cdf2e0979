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
  /** A session for a caller's own token. It is kept only as long as it is used. */
  sessionFor(cluster: string, tokenId: string, secret: string): Session;
  close(): Promise<void>;
}

/** Sessions of callers' own tokens that are kept at the same time. */
const MAX_FOREIGN = 500;

/** @param now epoch milliseconds; another clock than the system's is for tests and generated docs */
export function createRuntime(settings: Settings, now: () => number = Date.now): Runtime {
  const links = new Map<string, Link>();
  const own = new Map<string, Session>();
  // In order of use: the least recently used one goes first.
  const foreign = new Map<string, Session>();

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
        session = createSession(link(cluster), cluster.tokenId, cluster.tokenSecret.reveal());
        own.set(cluster.name, session);
      }
      return session;
    },
    sessionFor(name, tokenId, secret) {
      const cluster = clusterSettings(name);
      const key = sessionKey(cluster.name, tokenId, secret);
      const session = foreign.get(key) ?? createSession(link(cluster), tokenId, secret);
      foreign.delete(key);
      foreign.set(key, session);
      const oldest = foreign.size > MAX_FOREIGN ? foreign.keys().next().value : undefined;
      if (oldest !== undefined) foreign.delete(oldest);
      return session;
    },
    close: async () => {
      await Promise.all([...links.values()].map((l) => l.close()));
    },
  };
}
