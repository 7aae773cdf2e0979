import { test } from 'vitest';
import { openHarness } from '../../../test/support/harness.ts';
import { runTool } from '../run-tool.ts';
import { checkCapacity } from './check-capacity.ts';
test('look', async () => {
  const h = await openHarness();
  for (const role of ['auditor', 'full', 'scoped', 'noacl'] as const) {
    const x = await openHarness({ demo: h.demo, role });
    for (const args of [{}, {deep: true}, {storage: 'local-lvm'}, {storage:'nas'}]) {
      const o = await runTool(checkCapacity, args, x.session, { form: 'text', maxChars: 10000 });
      process.stderr.write(`\n=== ${role} ${JSON.stringify(args)} (${o.stats.requests} req, ${o.text.length})\n${o.text}\n`);
    }
    await x.close();
  }
  await h.close();
});
