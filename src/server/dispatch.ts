/**
 * From a call to the cluster it is about. With one cluster a tool never hears of it; with several, every tool gets a
 * `cluster` argument here, and questions about a whole cluster may be asked of all of them at once.
 */
import { z } from 'zod';
import type { Answer } from '../answer/answer.ts';
import { type ClusterAnswer, mergeAnswers, overClusters, resumeAt } from '../answer/merge-clusters.ts';
import type { OutputSpec } from '../answer/spec.ts';
import { createCall } from '../api/call.ts';
import { ApiError, toApiError } from '../api/errors.ts';
import type { Session } from '../api/session.ts';
import { createScrubber, type Scrubber } from '../redact/scrub-text.ts';
import type { PagePosition, PreparedCall, Tool } from '../tools/define-tool.ts';
import { type RunOptions, respond, runTool, type ToolOutcome } from '../tools/run-tool.ts';
import { whichCluster } from './caller.ts';
import type { Runtime } from './runtime.ts';

/** What stands for every cluster; no cluster can have this name. */
const ALL = 'all';

export interface DispatchOptions extends RunOptions {
  /** How many clusters are configured; the runtime holds those that the caller may ask. */
  readonly configured: number;
}

/** What became of a call, and whom it asked. */
export interface Dispatched extends ToolOutcome {
  readonly clusters: readonly string[];
  /** Ids of the tokens it asked with. */
  readonly identities: readonly string[];
}

/**
 * Whether a question can be put to all clusters at once. One about a certain node, storage, task or guest cannot: such a
 * tool requires to be told which, and only a search requires a text that names none.
 */
export function isClusterWide(tool: Tool): boolean {
  const { shape } = tool.schema;
  // A guest may be named by either, so that neither is required.
  if (Object.hasOwn(shape, 'vmid') && Object.hasOwn(shape, 'name')) return false;
  const required = tool.schema.safeParse({}).error?.issues.map((issue) => issue.path[0]) ?? [];
  return required.every((key) => key === 'query');
}

/** Arguments and answer of a tool as they are with these clusters to choose from. */
export interface Declaration {
  readonly input: z.ZodObject;
  readonly output: OutputSpec;
}

/**
 * @param clusters names of the configured clusters
 * @param hideNames advertise any name, for callers of whom some may not know them all
 */
export function declarationOf(tool: Tool, clusters: readonly string[], hideNames: boolean): Declaration {
  if (clusters.length < 2) return { input: tool.schema, output: tool.output };
  const wide = isClusterWide(tool);
  const names = hideNames ? z.string().min(1).max(32) : z.enum(wide ? [...clusters, ALL] : clusters);
  const cluster = wide ? names.describe(hideNames ? 'Name or all (default)' : 'Default: all').optional() : names;
  return {
    input: z.strictObject({ cluster, ...tool.schema.shape }),
    output: wide ? overClusters(tool.output) : tool.output,
  };
}

/** Runs a tool at the cluster, or the clusters, that its arguments name. Never throws. */
export async function dispatch(tool: Tool, raw: unknown, runtime: Runtime, options: DispatchOptions): Promise<Dispatched> {
  let sessions: readonly Session[] = [];
  const run = async (): Promise<ToolOutcome> => {
    if (!runtime.settings.toolsets.includes(tool.toolset)) {
      throw new ApiError('forbidden', `The ${tool.toolset} tools may not be used by this caller.`, {
        hint: "The server's configuration says which toolsets a caller may use, and at which cluster.",
      });
    }
    const { target, args } = targetOf(tool, raw, runtime, options.configured);
    if (target !== ALL) {
      const session = openSession(tool, runtime, target);
      sessions = [session];
      return runTool(tool, args, session, options);
    }
    const targets = [...runtime.settings.clusters.keys()].map((cluster) => openOrError(tool, runtime, cluster));
    sessions = targets.flatMap(({ session }) => (session instanceof Error ? [] : [session]));
    return askAll(tool, args, targets, options);
  };
  const outcome = await run().catch((thrown: unknown) => failure(thrown, options));
  return {
    ...outcome,
    clusters: sessions.map((session) => session.cluster),
    identities: [...new Set(sessions.map((session) => session.identity))],
  };
}

/** Which cluster the call is about, and what is left of its arguments for the tool. */
function targetOf(tool: Tool, raw: unknown, runtime: Runtime, configured: number): { target: string; args: unknown } {
  const names = [...runtime.settings.clusters.keys()];
  const [first] = names;
  if (configured === 1 && first !== undefined) return { target: first, args: raw };
  const { cluster, ...args }: Record<string, unknown> = typeof raw === 'object' && raw !== null ? { ...raw } : {};
  if (cluster !== undefined && cluster !== null && typeof cluster !== 'string')
    throw new ApiError('bad-argument', 'cluster: expected one name.');
  const wanted = cluster?.trim().toLowerCase();
  const wide = isClusterWide(tool);
  if (names.length === 1 && first !== undefined && (wanted === undefined || (wanted === ALL && wide)))
    return { target: first, args };
  if (names.length > 0 && wide && (wanted ?? ALL) === ALL) return { target: ALL, args };
  if (wanted === undefined || !runtime.settings.clusters.has(wanted)) throw whichCluster(names, wanted);
  return { target: wanted, args };
}

function openSession(tool: Tool, runtime: Runtime, name: string): Session {
  const session = runtime.session(name);
  if (runtime.settings.clusters.get(name)?.toolsets?.includes(tool.toolset) ?? true) return session;
  throw new ApiError('forbidden', `The configuration of cluster ${name} does not allow the ${tool.toolset} tools.`, {
    hint: 'Its administrator decides which toolsets it may be asked with.',
  });
}

interface Target {
  readonly cluster: string;
  readonly session: Session | ApiError;
}

function openOrError(tool: Tool, runtime: Runtime, cluster: string): Target {
  try {
    return { cluster, session: openSession(tool, runtime, cluster) };
  } catch (thrown) {
    return { cluster, session: toApiError(thrown) };
  }
}

/** One call at every cluster at the same time; a cluster that can't answer costs its own rows only. */
function askAll(tool: Tool, raw: unknown, targets: readonly Target[], options: DispatchOptions): Promise<ToolOutcome> {
  const stats = { requests: 0, redacted: 0 };
  const sessions = targets.flatMap(({ session }) => (session instanceof Error ? [] : [session]));
  const { form, maxChars } = options;
  const around = {
    stats,
    scrub: combined(sessions.map((session) => session.scrubber)),
    now: () => sessions[0]?.now() ?? Date.now(),
    form,
    maxChars,
  };

  return respond(around, () => {
    const prepared = tool.prepare(raw);
    const read = async ({ after, asked }: PagePosition): Promise<Answer> => {
      const parts = await Promise.all(
        targets.map(async ({ cluster, session }): Promise<ClusterAnswer> => {
          if (session instanceof Error) return { cluster, answer: session };
          // Progress of several fan-outs does not add up.
          const call = createCall(session, { signal: options.signal, budgetMs: options.budgetMs });
          try {
            return { cluster, answer: await prepared.run(call, { after: resumeAt(after, cluster), asked }) };
          } catch (thrown) {
            return { cluster, answer: toApiError(thrown) };
          } finally {
            stats.requests += call.stats.requests;
            stats.redacted += call.stats.redacted;
          }
        }),
      );
      throwIfNone(parts);
      return withLimits(mergeAnswers(tool.output, parts, { after, limit: prepared.limit }), targets.length < options.configured);
    };
    return {
      output: overClusters(tool.output),
      prepared: { ...prepared, fields: withCluster(prepared) },
      scope: { tool: tool.name, args: prepared.args, identity: targets.map(identityOf).join(' ') },
      read,
    };
  });
}

/** Rows without their cluster could not be told apart. */
function withCluster({ fields }: PreparedCall): readonly string[] | undefined {
  return fields === undefined || fields.length === 0 || fields.includes('cluster') ? fields : ['cluster', ...fields];
}

function identityOf({ cluster, session }: Target): string {
  return session instanceof Error ? cluster : session.key;
}

/** Without a single answer there is nothing to merge; a cancelled call has none either. */
function throwIfNone(parts: readonly ClusterAnswer[]): void {
  const errors = parts.flatMap(({ cluster, answer }) => (answer instanceof Error ? [{ cluster, error: answer }] : []));
  const [first] = errors;
  const cancelled = errors.find(({ error }) => error.kind === 'cancelled');
  if (cancelled !== undefined) throw cancelled.error;
  if (first === undefined || errors.length < parts.length) return;
  if (errors.every(({ error }) => error.message === first.error.message)) throw first.error;
  throw new ApiError(first.error.kind, errors.map(({ cluster, error }) => `${cluster}: ${error.message}`).join(' '), {
    hint: first.error.hint,
    needs: first.error.needs,
  });
}

function withLimits(answer: Answer, limited: boolean): Answer {
  if (!limited) return answer;
  return { ...answer, notes: ['This covers the clusters that this caller may ask; there are others.', ...(answer.notes ?? [])] };
}

/** What any of them hides. */
function combined(scrubbers: readonly Scrubber[]): Scrubber {
  const start = createScrubber([]);
  return {
    text: (input) =>
      scrubbers.reduce((done, scrubber) => {
        const { text, redacted } = scrubber.text(done.text);
        return { text, redacted: done.redacted + redacted };
      }, start.text(input)),
    value: (input) =>
      scrubbers.reduce((done, scrubber) => {
        const { value, redacted } = scrubber.value(done.value);
        return { value, redacted: done.redacted + redacted };
      }, start.value(input)),
  };
}

function failure(thrown: unknown, { form, maxChars }: RunOptions): Promise<ToolOutcome> {
  return respond({ stats: { requests: 0, redacted: 0 }, scrub: createScrubber([]), now: Date.now, form, maxChars }, () => {
    throw thrown;
  });
}
