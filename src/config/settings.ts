import type { Secret } from '../redact/secret.ts';
import type { ToolsetName } from './toolsets.ts';

/**
 * How the servers of one cluster prove who they are.
 *
 * - `verify` true, nothing else: the chain must lead to a CA that the system trusts and the name must match.
 * - `caPem`: the chain must lead to one of these certificates instead, and the name must match.
 * - `fingerprints` not empty: the leaf certificate's SHA-256 must be in the set. Without `caPem` the pin alone decides
 *   (neither chain nor name is looked at, so a node's self-made certificate can be pinned); with `caPem` both must hold.
 * - `verify` false: nothing is checked. `caPem` is then absent and `fingerprints` empty; asking for both is a configuration error.
 */
export interface TlsSettings {
  readonly verify: boolean;
  /** PEM text, certificates only (anything else that was in the file is left out). */
  readonly caPem?: string;
  /** SHA-256 of leaf certificates, upper-case hex pairs with colons; one for each node that may answer. */
  readonly fingerprints: readonly string[];
  /** Name to ask for (SNI) and to verify, in place of the URL's host. A host name, never an address. */
  readonly servername?: string;
}

/** One cluster and the token to ask it with. */
export interface ClusterSettings {
  /** Unique, `[a-z0-9][a-z0-9-]{0,31}`; `default` when the cluster comes from the environment. */
  readonly name: string;
  /** Base URLs of the same cluster, in order of preference, at least one: scheme, host, port, path prefix; no trailing slash, no `/api2/json`. */
  readonly urls: readonly string[];
  /** `user@realm!name` */
  readonly tokenId: string;
  readonly tokenSecret: Secret;
  readonly tls: TlsSettings;
  /** Time-out of one request, in milliseconds (1,000 to 120,000). */
  readonly timeoutMs: number;
  /** The toolsets this cluster may be asked with; absent means every toolset that is switched on. */
  readonly toolsets?: readonly ToolsetName[];
}

/** One health finding that the administrator has accepted. */
export interface HealthIgnore {
  /** Identifier of the check, for example `PVE-Q01`. */
  readonly id: string;
  /** What it is ignored on (a node, guest or storage); absent means everywhere. */
  readonly on?: string;
  /** Why; shown with the answer. */
  readonly reason: string;
}

/** What the administrator says about health checks. */
export interface HealthSettings {
  readonly ignore: readonly HealthIgnore[];
  /** Numbers in place of the checks' own, by the threshold's name. */
  readonly thresholds: Readonly<Record<string, number>>;
}

/** `text`: compact text only. `structured`: typed structuredContent with the same data as JSON text. */
export type OutputForm = 'text' | 'structured';

/** Everything the product is told from outside, checked and complete. */
export interface Settings {
  /** By cluster name, in the order of the configuration; never empty. */
  readonly clusters: ReadonlyMap<string, ClusterSettings>;
  /** The toolsets switched on, in catalogue order; never empty. */
  readonly toolsets: readonly ToolsetName[];
  readonly output: OutputForm;
  /** Longest answer, in characters (1,000 to 40,000). */
  readonly maxAnswerChars: number;
  readonly health: HealthSettings;
  /** What is worth telling the administrator (on stderr) although it stops nothing. Holds no secret. */
  readonly warnings: readonly string[];
}

/** Name of the one cluster that the environment describes. */
export const ENVIRONMENT_CLUSTER = 'default';

/** Bounds and defaults of the numbers, in the units of the configuration. */
export const TIMEOUT_SECONDS = { default: 10, min: 1, max: 120 } as const;
export const MAX_ANSWER_CHARS = { default: 10_000, min: 1_000, max: 40_000 } as const;
