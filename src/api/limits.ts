import { LRUCache } from 'lru-cache';
import pLimit, { type LimitFunction } from 'p-limit';

/** Workers of a node's API are few and single-threaded: more in flight only queues up there and starves its users. */
const PER_NODE = 3;
const PER_CLUSTER = 8;
/** Less than the entry node's share: one slot is always left to those who were let in. */
const STRANGERS = 2;
const MAX_LANES = 1_000;

/** Bounds what is in flight to one cluster, whoever asks. */
export interface Limits {
  /** Runs the work when a slot of the node (or of the entry node, when undefined) and one of the cluster are free. */
  run<T>(node: string | undefined, work: () => Promise<T>): Promise<T>;
  /**
   * Runs work of an identity that the API has not let in yet, one piece at a time for each caller. A wrong token keeps a
   * slot busy for 3 s: who sends many of them must keep out neither the others nor their new tokens.
   */
  stranger<T>(caller: string, work: () => Promise<T>): Promise<T>;
  /** The node answered: it may be asked in parallel. */
  warm(node: string | undefined): void;
  /** The node was silent: one request at a time until it answers, so that a mute node holds one slot, not all. */
  cold(node: string | undefined): void;
}

export function createLimits(): Limits {
  const cluster = pLimit(PER_CLUSTER);
  const strangers = pLimit(STRANGERS);
  const lanes = new LRUCache<string, LimitFunction>({ max: MAX_LANES });
  const nodes = new Map<string | undefined, LimitFunction>();
  const of = (node: string | undefined): LimitFunction => {
    let limit = nodes.get(node);
    if (limit === undefined) {
      limit = pLimit(node === undefined ? PER_NODE : 1);
      nodes.set(node, limit);
    }
    return limit;
  };
  return {
    run: (node, work) => of(node)(() => cluster(work)),
    stranger(caller, work) {
      const lane = lanes.get(caller) ?? pLimit(1);
      lanes.set(caller, lane);
      return lane(() => strangers(work));
    },
    warm: (node) => {
      const limit = of(node);
      if (limit.concurrency !== PER_NODE) limit.concurrency = PER_NODE;
    },
    cold: (node) => {
      if (node !== undefined) of(node).concurrency = 1;
    },
  };
}
