import type { Session } from '../../src/api/session.ts';
import type { ClusterSettings, OutputForm, Settings } from '../../src/config/settings.ts';
import { TOOLSETS } from '../../src/config/toolsets.ts';
import { demoClusterSettings } from '../../src/demo/demo-settings.ts';
import { startDemoCluster } from '../../src/demo/start-demo-cluster.ts';
import type { DemoCluster, DemoOptions, DemoRole } from '../../src/demo/types.ts';
import { createRuntime, type Runtime } from '../../src/server/runtime.ts';
import { type RunOptions, runTool, type ToolOutcome } from '../../src/tools/run-tool.ts';
import { toolNamed } from './tool-named.ts';

export interface HarnessOptions extends DemoOptions {
  /** Token the calls are made with; default `auditor`. */
  readonly role?: DemoRole;
  /** A cluster that is already running; it is then not closed by `close`. */
  readonly demo?: DemoCluster;
  readonly cluster?: Partial<ClusterSettings>;
  /** The program's clock, epoch milliseconds; default the machine's. */
  readonly clock?: () => number;
}

export interface Harness {
  readonly demo: DemoCluster;
  readonly runtime: Runtime;
  readonly session: Session;
  /** Calls a tool the way the server does, with the whole way from arguments to text. */
  call(
    tool: string,
    args?: Readonly<Record<string, unknown>>,
    options?: Partial<RunOptions> & { form?: OutputForm },
  ): Promise<ToolOutcome>;
  close(): Promise<void>;
}

/** Settings for one cluster, everything else as by default but all toolsets on. */
export function settingsFor(cluster: ClusterSettings): Settings {
  return {
    clusters: new Map([[cluster.name, cluster]]),
    toolsets: TOOLSETS,
    output: 'text',
    maxAnswerChars: 10_000,
    health: { ignore: [], thresholds: {} },
    warnings: [],
  };
}

/** The embedded cluster with real HTTPS, and a session at it as one of its tokens. */
export async function openHarness(options: HarnessOptions = {}): Promise<Harness> {
  const { role = 'auditor', demo: given, cluster, clock, ...demoOptions } = options;
  const demo = given ?? (await startDemoCluster({ authDelayMs: 20, ...demoOptions }));
  const runtime = createRuntime(settingsFor({ ...demoClusterSettings(demo, role), ...cluster }), clock);
  const session = runtime.session();
  return {
    demo,
    runtime,
    session,
    async call(name, args = {}, callOptions = {}) {
      return runTool(toolNamed(name), args, session, { form: 'text', maxChars: 10_000, ...callOptions });
    },
    async close() {
      await runtime.close();
      if (given === undefined) await demo.close();
      // Whatever a test was about: nothing but GET may ever have been sent.
      const other = demo.requests.find(({ method }) => method !== 'GET');
      if (other !== undefined) throw new Error(`${other.method} ${other.path} was sent`);
    },
  };
}

/** One call at a running embedded cluster as another of its tokens. */
export async function callAs(
  demo: DemoCluster,
  role: DemoRole,
  tool: string,
  args: Readonly<Record<string, unknown>> = {},
  options: Parameters<Harness['call']>[2] = {},
): Promise<ToolOutcome> {
  const harness = await openHarness({ demo, role });
  const outcome = await harness.call(tool, args, options);
  await harness.close();
  return outcome;
}
