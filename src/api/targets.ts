/** A base URL that failed is left alone for this long; doubled with every further failure up to the maximum. */
const REST_MS = 15_000;
const MAX_REST_MS = 240_000;

/** The base URLs of one cluster, and which of them is worth asking now. */
export interface Targets {
  /** Indices to try, best first; all of them, so that a request fails only when every entry node did. */
  order(): readonly number[];
  url(index: number): string;
  failed(index: number): void;
  worked(index: number): void;
}

export function createTargets(urls: readonly string[], now: () => number): Targets {
  const state = urls.map(() => ({ restUntil: 0, restMs: REST_MS }));
  return {
    order() {
      const t = now();
      const indices = urls.map((_, i) => i);
      const resting = (i: number): boolean => (state[i]?.restUntil ?? 0) > t;
      return [...indices.filter((i) => !resting(i)), ...indices.filter(resting)];
    },
    url(index) {
      const url = urls[index];
      if (url === undefined) throw new Error(`no base URL ${index}`);
      return url;
    },
    failed(index) {
      const s = state[index];
      if (s === undefined) return;
      const t = now();
      // Many requests fail together when a node dies; they count as one failure.
      if (s.restUntil > t) return;
      s.restUntil = t + s.restMs;
      s.restMs = Math.min(s.restMs * 2, MAX_REST_MS);
    },
    worked(index) {
      const s = state[index];
      if (s !== undefined) {
        s.restUntil = 0;
        s.restMs = REST_MS;
      }
    },
  };
}
