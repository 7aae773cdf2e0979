import { test } from 'vitest';
import { openHarness } from '../../../test/support/harness.ts';
test('look', async () => {
  const h = await openHarness({ role: 'auditor' });
  for (const args of [{}, { deep: true }]) {
    const o = await h.call('check_health', args, { maxChars: 40000 });
    console.log(JSON.stringify(args), o.stats, o.text.length);
    console.log(o.text);
  }
  await h.close();
}, 60000);
