import { type EndpointPath, endpointSpec } from './endpoints.ts';
import { ApiError } from './errors.ts';

/** How long something that did not answer is not asked again. */
export const SILENCE_MS = 30_000;

/** Something that a request depends on. */
export interface Dependency {
  readonly name: string;
  /** Two silent ones of this sort make what they belong to silent as well; of others only when it answered nothing since. */
  readonly escalates: boolean;
}

/** Remembers what did not answer, so that the next question about it is answered at once. */
export interface Breaker {
  /** Throws when one of the dependencies is silent; lets one probe through when its time is over. */
  check(chain: readonly Dependency[]): void;
  /**
   * The most specific dependency timed out.
   *
   * @param asked when the request was sent, by the breaker's clock
   */
  trip(chain: readonly Dependency[], asked?: number): void;
  /** Everything in the chain answered. */
  reset(chain: readonly Dependency[]): void;
  /** The request told nothing (it never got there): the next one may probe in its place. */
  giveBack(chain: readonly Dependency[]): void;
  /** The request was given up early. Alone that tells nothing either; after another one that stayed unanswered it does. */
  giveUp(chain: readonly Dependency[], asked: number): void;
}

const CLUSTER: Dependency = { name: 'the cluster', escalates: false };

/**
 * What a request depends on, from the general to the specific: cluster, node, then storage, agent or slow endpoint.
 * The last one is what a time-out is blamed on, so that a dead storage does not make its node look dead.
 */
export function dependencies(path: EndpointPath, params: Readonly<Record<string, string | number>>): readonly Dependency[] {
  const node = params['node'];
  // A Ceph that hangs takes all of its endpoints along, and nothing else: node and cluster are well.
  if (path.includes('/ceph/')) {
    return node === undefined
      ? [CLUSTER, { name: 'Ceph', escalates: false }]
      : [CLUSTER, { name: `node ${node}`, escalates: false }, { name: `Ceph on node ${node}`, escalates: false }];
  }
  if (node === undefined) return [CLUSTER, { name: path, escalates: true }];
  const chain = [CLUSTER, { name: `node ${node}`, escalates: false }];
  if (params['storage'] !== undefined) return [...chain, { name: `storage ${params['storage']} on ${node}`, escalates: false }];
  if (path.includes('/agent/')) return [...chain, { name: `the guest agent of ${params['vmid']}`, escalates: false }];
  const { cost } = endpointSpec(path);
  if (cost === 'slow' || cost === 'shells-out') {
    return [...chain, { name: `${path.replace('/nodes/{node}/', '')} on node ${node}`, escalates: true }];
  }
  return chain;
}

/** What else is affected. Nearly every question starts from the list of resources. */
function hintFor(name: string): string | undefined {
  if (name === CLUSTER.name) return undefined;
  return name === '/cluster/resources'
    ? 'Nearly every question starts from it: repeat when that time is over.'
    : 'Answers about the rest of the cluster are not affected.';
}

/** Less than this is no sign of silence even of a node that said nothing before, in milliseconds. */
const SIGN_MS = 2_000;

interface Silence {
  /** When the request was sent that stayed unanswered. */
  asked: number;
  since: number;
  until: number;
  probing: boolean;
  readonly parent: string | undefined;
}

export function createBreaker(now: () => number): Breaker {
  const silent = new Map<string, Silence>();
  /** When something last answered. */
  const answered = new Map<string, number>();

  function silence(name: string, parent: string | undefined, asked: number): void {
    const t = now();
    silent.set(name, { asked, since: t, until: t + SILENCE_MS, probing: false, parent });
  }

  function giveBack(chain: readonly Dependency[]): void {
    for (const { name } of chain) {
      const entry = silent.get(name);
      if (entry?.probing !== true) continue;
      entry.probing = false;
      entry.until = now();
    }
  }

  /** Whether something answered nothing at all since the first of so many silent things below it was asked. */
  function isMute(name: string, least: number): boolean {
    const t = now();
    const asked = [...silent.values()].flatMap((s) => (s.parent === name && s.until > t ? [s.asked] : []));
    return asked.length >= least && (answered.get(name) ?? Number.NEGATIVE_INFINITY) < Math.min(...asked);
  }

  return {
    check(chain) {
      const t = now();
      for (const { name } of chain) {
        const entry = silent.get(name);
        if (entry === undefined || t >= entry.until) continue;
        const ago = Math.max(1, Math.round((t - entry.since) / 1000));
        const wait = Math.max(1, Math.ceil((entry.until - t) / 1000));
        throw new ApiError('timeout', `${name} did not answer ${ago} s ago; not asked again for ${wait} s.`, {
          hint: hintFor(name),
        });
      }
      // Half open: this caller probes; those that come meanwhile still fail fast.
      for (const { name } of chain) {
        const entry = silent.get(name);
        if (entry === undefined) continue;
        entry.until = t + SILENCE_MS;
        entry.probing = true;
      }
    },
    trip(chain, asked = now()) {
      const last = chain.at(-1);
      const parent = chain.at(-2);
      if (last === undefined) return;
      // What it belongs to was probed by the same request, and is neither proven silent nor well.
      giveBack(chain.slice(0, -1));
      silence(last.name, parent?.name, asked);
      if (parent === undefined || (parent.name === CLUSTER.name && !last.escalates)) return;
      const t = now();
      const siblings = [...silent.values()].filter((s) => s.parent === parent.name && s.until > t).length;
      // Two dead storages are nothing against their node, if it said anything while they were waited for.
      if ((last.escalates && siblings >= 2) || isMute(parent.name, 2)) silence(parent.name, undefined, asked);
    },
    giveUp(chain, asked) {
      giveBack(chain);
      const parent = chain.at(-2);
      if (parent === undefined || parent.name === CLUSTER.name || now() - asked < SIGN_MS) return;
      if (isMute(parent.name, 1)) silence(parent.name, undefined, asked);
    },
    reset(chain) {
      for (const { name } of chain) silent.delete(name);
      // Only of what others belong to: cluster and node.
      for (const { name } of chain.slice(0, 2)) answered.set(name, now());
    },
    giveBack,
  };
}
