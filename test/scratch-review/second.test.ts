import { test } from 'vitest';
import { demoClusterSettings } from '../../src/demo/demo-settings.ts';
import { startDemoCluster } from '../../src/demo/start-demo-cluster.ts';
import { createRuntime } from '../../src/server/runtime.ts';
import { runTool } from '../../src/tools/run-tool.ts';
import { checkBackupCoverage } from '../../src/tools/backups/check-backup-coverage.ts';
import { settingsFor } from '../support/harness.ts';
test('second', async () => {
  const demo = await startDemoCluster({ authDelayMs: 20 });
  demo.faults.add({ kind: 'hang', match: /^\/nodes\/[^/]+\/storage\/[^/]+\// });
  const rt = createRuntime(settingsFor({ ...demoClusterSettings(demo), timeoutMs: 1000 }));
  for (let i = 0; i < 3; i++) {
    const from = demo.requests.length; const t0 = performance.now();
    const o = await runTool(checkBackupCoverage, { limit: 1000 }, rt.session(), { form: 'text', maxChars: 40_000 });
    const base = performance.now() - t0;
    console.error(i, Math.round(base), demo.requests.slice(from).map((r) => `${r.path.replace('/nodes/','')} ${JSON.stringify(r.query)} ${r.status}`).filter((x) => x.includes('storage/')));
    console.error(o.text.split('\n').filter((l) => l.startsWith('Problem')).join('\n'));
  }
  await rt.close(); await demo.close();
}, 100_000);
