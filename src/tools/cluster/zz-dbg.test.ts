import { it } from 'vitest';
import { openHarness } from '../../../test/support/harness.ts';
it('x', async () => {
  const slow = await openHarness({ nodes: 3, guests: 320, latencyMs: 25 });
  let cursor: string | undefined;
  for (let i = 0; i < 6; i++) {
    const t=Date.now();
    const out = await slow.call('search_inventory', { query: 'memory:', deep: true, fields: ['id'], ...(cursor === undefined ? {} : { cursor }) }, { budgetMs: 2_600, maxChars: 40_000 });
    cursor = /cursor="([^"]+)"/.exec(out.text)?.[1];
    process.stdout.write(`${Date.now()-t} ms reqs ${out.stats.requests}\n${out.text.slice(0, 80)} ... ${out.text.slice(-420)}\n\n`);
    if (cursor === undefined) break;
  }
  await slow.close();
}, 60000);
