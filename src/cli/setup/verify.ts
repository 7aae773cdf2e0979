import { loadSettings } from '../../config/load-settings.ts';
import type { Environment } from '../../config/variables.ts';
import { createScrubber } from '../../redact/scrub-text.ts';
import { checkCluster } from '../check-cluster.ts';
import { renderReport } from '../check-report.ts';
import { verdictOf } from '../check-verdict.ts';
import type { ExitCode } from '../exit-codes.ts';
import { paintFor, widthOf } from '../terminal.ts';
import type { Dialog } from './dialog.ts';

/** What `check` finds with these variables. @throws ConfigErrors */
export async function verify(ui: Dialog, variables: Environment): Promise<{ exit: ExitCode; reasons: readonly string[] }> {
  const { clusters } = await loadSettings({ env: variables });
  const [cluster] = clusters.values();
  if (cluster === undefined) throw new Error('settings without a cluster');
  const report = await checkCluster(cluster, { writeProbe: false, progress: (what) => ui.info(what) });
  const text = renderReport(report, {
    paint: paintFor(process.stdout, process.env),
    width: widthOf(process.stdout),
    now: Date.now(),
  });
  process.stdout.write(`\n${createScrubber([cluster.tokenSecret.reveal()]).text(text).text}`);
  return verdictOf(report);
}
