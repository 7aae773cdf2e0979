import { ConfigErrors } from '../config/config-error.ts';
import type { ClusterSettings, Settings } from '../config/settings.ts';
import { closest } from '../config/suggest.ts';
import type { DemoRole } from '../demo/types.ts';
import { createScrubber } from '../redact/scrub-text.ts';
import { checkCluster } from './check-cluster.ts';
import { reportJson } from './check-json.ts';
import { renderReport } from './check-report.ts';
import { verdictOf, worstExit } from './check-verdict.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { openSettings } from './open-settings.ts';
import { paintFor, widthOf } from './terminal.ts';

export interface CheckFlags {
  readonly checkWriteDenied?: boolean | undefined;
  readonly json?: boolean | undefined;
  readonly envFile?: string | undefined;
  readonly config?: string | undefined;
  /** Only this one of the configured clusters. */
  readonly cluster?: string | undefined;
  /** The embedded cluster, as one of its tokens. */
  readonly demo?: DemoRole | undefined;
}

function tell(line: string): void {
  process.stderr.write(`mcp-proxmox check: ${line}\n`);
}

/** `mcp-proxmox check`: the report goes to standard output, what goes on meanwhile to standard error. */
export async function runCheck(flags: CheckFlags): Promise<ExitCode> {
  if (flags.demo !== undefined)
    tell(`starting the embedded cluster, to be asked as its token "${flags.demo}"; nothing of it is real`);
  try {
    const { settings, close } = await openSettings({ envFile: flags.envFile, config: flags.config }, flags.demo);
    try {
      for (const warning of settings.warnings) tell(`warning: ${warning}`);
      const clusters = chosenClusters(settings, flags.cluster);
      return clusters === undefined ? EXIT.usage : await checkAll(clusters, flags);
    } finally {
      await close();
    }
  } catch (thrown) {
    if (!(thrown instanceof ConfigErrors)) throw thrown;
    tell(thrown.message);
    return EXIT.usage;
  }
}

function chosenClusters(settings: Settings, name: string | undefined): readonly ClusterSettings[] | undefined {
  if (name === undefined) return [...settings.clusters.values()];
  const found = settings.clusters.get(name);
  if (found !== undefined) return [found];
  const names = [...settings.clusters.keys()];
  const near = closest(name, names);
  tell(`--cluster: there is no such cluster; ${near === undefined ? `use one of ${names.join(', ')}` : `did you mean ${near}?`}`);
  return undefined;
}

async function checkAll(clusters: readonly ClusterSettings[], flags: CheckFlags): Promise<ExitCode> {
  // Nothing in a report holds a secret; what upstream puts into texts of its own is looked at once more all the same.
  const scrub = createScrubber(clusters.map((c) => c.tokenSecret.reveal()));
  const reports = [];
  for (const cluster of clusters) {
    const report = await checkCluster(cluster, {
      writeProbe: flags.checkWriteDenied === true,
      progress: (what) => tell(`${cluster.name}: ${what}`),
    });
    reports.push(report);
    if (flags.json !== true) {
      const paint = paintFor(process.stdout, process.env);
      const text = renderReport(report, { paint, width: widthOf(process.stdout), now: Date.now() });
      process.stdout.write(`${reports.length > 1 ? '\n' : ''}${scrub.text(text).text}`);
    }
  }
  if (flags.json === true) process.stdout.write(`${JSON.stringify(scrub.value(reportJson(reports)).value, undefined, 2)}\n`);
  return worstExit(reports.map((report) => verdictOf(report).exit));
}
