/**
 * The contract between the parts of the embedded cluster: the HTTPS engine (`server.ts`), the data set (`world/`)
 * and the endpoint handlers (`handlers/`).
 */

import type { DemoWorld } from './world/types.ts';

/** The releases whose schema facts ship in `facts/`; the engine validates requests against the chosen one. */
export type DemoRelease = '7.4' | '8.4' | '9.0' | '9.2.11';

/**
 * Tokens every embedded cluster knows.
 * - `auditor`: privilege-separated, PVEAuditor on `/`.
 * - `noacl`: privilege-separated without any ACL entry.
 * - `scoped`: PVEAuditor on one pool and one storage only.
 * - `full`: all rights (the owner is an Administrator, not root@pam).
 * - `backup-one`: auditor plus VM.Backup on one guest and Datastore.AllocateSpace on one storage.
 * - `blind-one`: auditor on `/`, but NoAccess on one vmid.
 * - `logs`: auditor plus Sys.Syslog and the optional backup privileges everywhere.
 */
export type DemoRole = 'auditor' | 'noacl' | 'scoped' | 'full' | 'backup-one' | 'blind-one' | 'logs';

export interface DemoToken {
  /** `user@realm!name` */
  readonly id: string;
  readonly secret: string;
}

/** What a switched fault does to the requests it matches. */
export type FaultKind =
  | 'hang' // accept, never answer
  | 'reset' // destroy the socket
  | 'drip' // headers, then one byte a second
  | 'html' // a 200 HTML page, as a login page or proxy would send
  | 'broken-json' // 200 with a body cut in the middle
  | 'huge' // an endless JSON body, well over any sane cap
  | 'status-596' // as the real proxy: 596 with the reason `Connection timed out`
  | 'status-595' // 595 `No route to host`
  | 'status-500'
  | 'slow'; // answers rightly after `delayMs`

export interface Fault {
  readonly kind: FaultKind;
  /** Matches the concrete path below /api2/json, e.g. `/nodes/pve1/storage/nfs/content`; a string is a prefix. */
  readonly match: string | RegExp;
  /** How many requests it hits before it switches itself off; default: all. */
  readonly times?: number;
  readonly delayMs?: number;
}

export interface FaultSwitch {
  /** Switches a fault on; returns a function that switches this one off. */
  add(fault: Fault): () => void;
  clear(): void;
}

export interface LoggedRequest {
  readonly method: string;
  /** Decoded path below /api2/json. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Token id, or undefined when the request carried none that is known. */
  readonly token: string | undefined;
  /** Status of the answer; 0 when a fault left the request without one. */
  readonly status: number;
  /** Arrival, epoch milliseconds of the machine's clock. */
  readonly at: number;
}

export interface DemoOptions {
  readonly release?: DemoRelease;
  /** Generated cluster instead of the hand-made one: number of nodes and guests. */
  readonly nodes?: number;
  readonly guests?: number;
  /** One node without cluster configuration. */
  readonly standalone?: boolean;
  /** Epoch milliseconds the data set is laid around; default: the moment of start. */
  readonly now?: number;
  /** The clock stays at `now`, for answers that must be the same every time; default: it runs on from there. */
  readonly standingClock?: boolean;
  /** Added to every answer. */
  readonly latencyMs?: number;
  /** Delay of a failed authentication; the real API takes 3000. */
  readonly authDelayMs?: number;
  /** Port on 127.0.0.1; default: any free one. */
  readonly port?: number;
}

export interface DemoCluster {
  /** `https://127.0.0.1:port` */
  readonly url: string;
  /** PEM of the certificate authority that signed the server's leaf. */
  readonly ca: string;
  /** SHA-256 of the leaf certificate, `AA:BB:...`. */
  readonly fingerprint: string;
  token(role: DemoRole): DemoToken;
  readonly faults: FaultSwitch;
  /** Everything that was asked, oldest first. */
  readonly requests: LoggedRequest[];
  /** Every secret planted in the data set, in every form it may appear in; none may ever leave the MCP server. */
  readonly canaries: readonly string[];
  readonly world: DemoWorld;
  close(): Promise<void>;
}

/** One row of /access/acl. */
export interface AclEntry {
  path: string;
  type: 'user' | 'group' | 'token';
  /** `user@realm`, group name or `user@realm!token`. */
  ugid: string;
  roleid: string;
  propagate: 0 | 1;
}

export interface WorldUser {
  userid: string;
  groups: string[];
  enable: 0 | 1;
  expire: number;
  tokens: { tokenid: string; secret: string; privsep: 0 | 1; expire: number; comment?: string }[];
}

/** What the engine itself needs of the data set; the handlers see the full type of `world/`. */
export interface World {
  /** Epoch milliseconds the data set is laid around. */
  readonly now: number;
  readonly users: WorldUser[];
  readonly acl: AclEntry[];
  /** Role name to privileges. */
  readonly roles: Record<string, readonly string[]>;
  /** `local` marks the node whose API answers; without a mark it is the first one online. */
  readonly nodes: { node: string; online: boolean; local?: boolean }[];
  /** vmid to pool, for permission inheritance from `/pool/NAME`. */
  poolOf(vmid: number): string | undefined;
  poolsOfStorage(storage: string): readonly string[];
}

/** Privilege to propagate flag (1 = inherited below, 0 = held here only). */
export type Rights = ReadonlyMap<string, 0 | 1>;

export interface HandlerRequest {
  /** Path template as in the schema facts, e.g. `/nodes/{node}/qemu/{vmid}/config`. */
  readonly template: string;
  /** Path parameters, decoded and already validated. */
  readonly params: Readonly<Record<string, string>>;
  /** Query parameters, validated against the facts. */
  readonly query: Readonly<Record<string, string>>;
  readonly release: DemoRelease;
  /** `user@realm!token` of the caller. */
  readonly identity: string;
  /** Rights of the caller at an ACL path, e.g. `/vms/100`. */
  rights(path: string): Rights;
  /** True when the caller holds at least one of the privileges at the path. */
  may(path: string, ...anyOf: string[]): boolean;
  /** Epoch milliseconds now. */
  now(): number;
}

/** A handler returns the `data` member, or a `HandlerReply` when there is more to say. Errors: throw `DemoHttpError`. */
export type Handler = (request: HandlerRequest) => unknown;

export class HandlerReply {
  readonly data: unknown;
  /** Keys that stand beside `data` (`total`, `changes`). */
  readonly extra: Readonly<Record<string, unknown>>;
  /** Written as it is made: compressed whatever the client asked for, its length not told. */
  readonly streamed: boolean;
  constructor(data: unknown, extra: Readonly<Record<string, unknown>>, streamed = false) {
    this.data = data;
    this.extra = extra;
    this.streamed = streamed;
  }
}

/** An error with the API's own manners: status, reason phrase (first line), whole message, `errors` map. */
export class DemoHttpError extends Error {
  override readonly name = 'DemoHttpError';
  readonly status: number;
  readonly errors: Readonly<Record<string, string>> | undefined;
  constructor(status: number, message: string, errors?: Readonly<Record<string, string>>) {
    super(message);
    this.status = status;
    this.errors = errors;
  }
}

/** Template to handler; assembled from the files in `handlers/`. */
export type HandlerTable = Readonly<Record<string, Handler>>;
