import { ApiError } from '../api/errors.ts';
import type { ClusterSettings } from '../config/settings.ts';
import type { ToolsetName } from '../config/toolsets.ts';
import type { Secret } from '../redact/secret.ts';
import type { Runtime } from './runtime.ts';

/** A Proxmox API token. */
export interface ProxmoxToken {
  /** `user@realm!name` */
  readonly id: string;
  readonly secret: Secret;
}

/** Who asks, and what of the configuration it may use. */
export interface Caller {
  /** For the audit log. */
  readonly name: string;
  /** The clusters it may ask; absent: all. */
  readonly clusters?: ReadonlySet<string> | undefined;
  /** The toolsets it may use; absent: all that are on. */
  readonly toolsets?: ReadonlySet<ToolsetName> | undefined;
  /** Its own tokens by cluster. With one of them at hand the server's own are never used for it. */
  readonly tokens?: ReadonlyMap<string, ProxmoxToken> | undefined;
  /** It must bring its own token for whatever it asks. */
  readonly ownTokensOnly?: boolean | undefined;
  /** What it proved itself with; kept out of the audit log. */
  readonly secrets?: readonly Secret[] | undefined;
}

/**
 * The runtime as a caller may use it: only its clusters and toolsets are there, and its own tokens take the place of the
 * configured ones. Sessions of anything else cannot be had from it.
 */
export function scopeRuntime(runtime: Runtime, caller: Caller): Runtime {
  const { settings } = runtime;
  const clusters = new Map([...settings.clusters].filter(([name]) => caller.clusters?.has(name) ?? true));
  const somewhere = (name: ToolsetName) => [...clusters.values()].some((cluster) => cluster.toolsets?.includes(name) ?? true);
  const toolsets = settings.toolsets.filter((name) => (caller.toolsets?.has(name) ?? true) && somewhere(name));
  const own = caller.tokens !== undefined && caller.tokens.size > 0;

  return {
    ...runtime,
    settings: { ...settings, clusters, toolsets },
    session(name) {
      const cluster = pickCluster(clusters, name);
      const token = caller.tokens?.get(cluster.name);
      if (token !== undefined) return runtime.sessionFor(cluster.name, token.id, token.secret.reveal(), caller.name);
      if (own || caller.ownTokensOnly === true) {
        throw new ApiError('unauthenticated', `No Proxmox token came with this request for cluster ${cluster.name}.`, {
          hint: `Send it in the header ${ownTokenHeader(settings.clusters.size > 1 ? cluster.name : undefined)}: user@realm!name=secret`,
        });
      }
      return runtime.session(cluster.name);
    },
  };
}

/** Header in which a caller sends its own Proxmox token; with several clusters each has one, so that no secret strays. */
export function ownTokenHeader(cluster: string | undefined): string {
  return cluster === undefined ? 'X-Proxmox-Token' : `X-Proxmox-Token-${cluster}`;
}

function pickCluster(clusters: ReadonlyMap<string, ClusterSettings>, name: string | undefined): ClusterSettings {
  const [only, another] = clusters.values();
  if (name === undefined && only !== undefined && another === undefined) return only;
  const found = name === undefined ? undefined : clusters.get(name);
  if (found === undefined) throw whichCluster([...clusters.keys()], name);
  return found;
}

/** The same words whether a cluster does not exist or is not for this caller. */
export function whichCluster(names: readonly string[], wanted: string | undefined): ApiError {
  const what = wanted === undefined ? 'Which cluster?' : `There is no cluster ${JSON.stringify(wanted.slice(0, 40))} here.`;
  if (names.length === 0) return new ApiError('forbidden', 'This caller may ask none of the clusters.');
  return new ApiError('bad-argument', `${what} There ${names.length === 1 ? 'is' : 'are'}: ${names.join(', ')}.`, {
    hint: `Give cluster=${names[0] ?? ''}${names.length > 1 ? ' or another of them' : ''}; list tools and search_inventory take cluster=all.`,
  });
}
