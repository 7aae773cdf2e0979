import { type Call, createCall } from '../api/call.ts';
import { type ApiError, toApiError } from '../api/errors.ts';
import { rawOf, textOf } from '../api/lenient.ts';
import { createLink } from '../api/link.ts';
import type { Problem } from '../api/reading.ts';
import { createSession } from '../api/session.ts';
import { type Inventory, readInventory } from '../cluster/inventory.ts';
import { readTokenAccess } from '../cluster/token-access.ts';
import type { ClusterSettings } from '../config/settings.ts';
import type { TokenAccess } from '../insights/token-access.ts';
import { cleanText } from '../redact/plain-text.ts';
import { inspectTls, type TlsState } from './inspect-tls.ts';
import type { ProbeResult, ProbeTargets } from './write-probe.ts';

/** A failure, in words for a person. */
export interface Failure {
  readonly kind: string;
  readonly message: string;
  readonly hint: string | undefined;
}

/** One base URL: what it presents, and whether it answers. */
export interface TargetReport {
  readonly url: string;
  readonly tls: TlsState;
  /** Milliseconds to the first answer, connection included. */
  readonly ms: number | undefined;
  readonly failure: Failure | undefined;
}

/** One request, timed. */
export interface Timing {
  readonly path: string;
  readonly ms: number;
  readonly failure: Failure | undefined;
  /** Missing privilege, when it was refused. */
  readonly needs: string | undefined;
}

/** Everything that a check finds out about one cluster. */
export interface ClusterReport {
  readonly name: string;
  readonly tokenId: string;
  readonly targets: readonly TargetReport[];
  /** Why nothing could be asked; the rest is then missing. */
  readonly failure: Failure | undefined;
  readonly version: { readonly release: string; readonly repoid: string | undefined } | undefined;
  /** The node's clock minus this machine's, in milliseconds; it comes in whole seconds. */
  readonly clockOffset: number | undefined;
  readonly nodes: readonly { readonly node: string; readonly status: string }[] | undefined;
  readonly timings: readonly Timing[];
  readonly access: TokenAccess | undefined;
  readonly problems: readonly Problem[];
  /** Undefined when the probe was not asked for. */
  readonly writes: readonly ProbeResult[] | undefined;
}

/** A check may take longer than a tool call: nobody's model waits for it. */
const BUDGET_MS = 90_000;

export interface CheckOptions {
  readonly writeProbe: boolean;
  /** Tells a person what is going on. */
  readonly progress: (what: string) => void;
}

/** Asks one cluster everything that a check is about. Failures are part of the report, never thrown. */
export async function checkCluster(settings: ClusterSettings, options: CheckOptions): Promise<ClusterReport> {
  options.progress(`asking ${settings.urls.map((url) => new URL(url).host).join(', ')}`);
  const targets = await Promise.all(settings.urls.map((url) => checkTarget(url, settings)));
  const answering = targets.filter((t) => t.failure === undefined).map((t) => t.url);
  const empty: ClusterReport = {
    name: settings.name,
    tokenId: settings.tokenId,
    targets,
    failure: undefined,
    version: undefined,
    clockOffset: undefined,
    nodes: undefined,
    timings: [],
    access: undefined,
    problems: [],
    writes: undefined,
  };
  const [first] = answering;
  if (first === undefined) return { ...empty, failure: worstFailure(targets) };
  const link = createLink({ ...settings, urls: answering });
  try {
    const call = createCall(createSession(link, settings.tokenId, settings.tokenSecret.reveal()), { budgetMs: BUDGET_MS });
    const { timings, inventory, version, clockOffset } = await timeRequests(call);
    options.progress("reading the token's rights");
    const access = await readAccess(call);
    const known = {
      ...empty,
      timings,
      version,
      clockOffset,
      nodes: inventory?.nodes.map(({ node, status }) => ({ node, status })),
    };
    if (!options.writeProbe) return { ...known, ...access };
    options.progress('probing that writes are denied');
    // Loaded only here, and only when it was asked for: nothing else in the program can send anything but GET.
    const { probeWrites } = await import('./write-probe.ts');
    const writes = await probeWrites(first, settings, probeTargets(inventory));
    return { ...known, ...access, writes };
  } finally {
    await link.close();
  }
}

async function checkTarget(url: string, settings: ClusterSettings): Promise<TargetReport> {
  const tls = await inspectTls(url, settings.tls);
  const link = createLink({ ...settings, urls: [url] });
  const started = Date.now();
  try {
    const call = createCall(createSession(link, settings.tokenId, settings.tokenSecret.reveal()), {
      budgetMs: settings.timeoutMs + 5_000,
    });
    await call.get('/version', {});
    return { url, tls, ms: Date.now() - started, failure: undefined };
  } catch (thrown) {
    return { url, tls, ms: undefined, failure: failureOf(toApiError(thrown)) };
  } finally {
    await link.close();
  }
}

function failureOf({ kind, message, hint }: ApiError): Failure {
  return { kind, message, hint };
}

/** When nothing answers: a refused token says more than a dead node. */
function worstFailure(targets: readonly TargetReport[]): Failure {
  const failures = targets.flatMap((t) => t.failure ?? []);
  const found = ['unauthenticated', 'tls'].map((kind) => failures.find((f) => f.kind === kind)).find((f) => f !== undefined);
  return found ?? failures[0] ?? { kind: 'unreachable', message: 'No base URL is configured.', hint: undefined };
}

interface Asked {
  readonly timings: readonly Timing[];
  readonly inventory: Inventory | undefined;
  readonly version: ClusterReport['version'];
  readonly clockOffset: number | undefined;
}

/** The requests that everything else stands on, one after the other, so that the times are theirs alone. */
async function timeRequests(call: Call): Promise<Asked> {
  const timings: Timing[] = [];
  const timed = async <T>(path: string, read: () => Promise<T>): Promise<T | undefined> => {
    const started = performance.now();
    const done = (failure?: ApiError): void => {
      const ms = Math.round(performance.now() - started);
      timings.push({ path, ms, failure: failure && failureOf(failure), needs: failure?.needs });
    };
    try {
      const result = await read();
      done();
      return result;
    } catch (thrown) {
      done(toApiError(thrown));
      return undefined;
    }
  };
  const version = await timed('/version', () => call.get('/version', {}));
  await timed('/access/permissions', () => call.get('/access/permissions', {}));
  const inventory = await timed('/cluster/resources', () => readInventory(call));
  await timed('/cluster/status', () => call.get('/cluster/status', {}));
  const node = inventory?.nodes.find((n) => n.status === 'online')?.node;
  if (node !== undefined) await timed(`/nodes/${node}/status`, () => call.get('/nodes/{node}/status', { node }));
  await timed('/storage', () => call.get('/storage', {}));
  await timed('/cluster/tasks', () => call.get('/cluster/tasks', {}));
  const told = rawOf(version?.data);
  const release = textOf(told['version']) ?? textOf(told['release']);
  const repoid = textOf(told['repoid']);
  return {
    timings,
    inventory,
    version: release === undefined ? undefined : { release: cleanText(release), repoid: repoid && cleanText(repoid) },
    clockOffset: version?.clockOffset,
  };
}

async function readAccess(call: Call): Promise<Pick<ClusterReport, 'access' | 'problems'>> {
  try {
    const { data, problems } = await readTokenAccess(call);
    return { access: data, problems };
  } catch (thrown) {
    const { kind, message } = toApiError(thrown);
    return { access: undefined, problems: [{ where: {}, kind, message }] };
  }
}

/** Things that exist, on nodes that are online, as far as the token sees any. */
function probeTargets(inventory: Inventory | undefined): ProbeTargets {
  const online = new Set(inventory?.nodes.filter((n) => n.status === 'online').map((n) => n.node));
  const guest = (type: 'qemu' | 'lxc') => inventory?.guests.find((g) => g.type === type && online.has(g.node));
  return {
    node: [...online][0],
    storage: inventory?.storages.find((s) => s.status === 'available' && online.has(s.node)),
    qemu: guest('qemu'),
    lxc: guest('lxc'),
  };
}
