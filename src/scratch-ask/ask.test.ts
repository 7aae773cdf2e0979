import { test } from 'vitest';
import { openHarness } from '../../test/support/harness.ts';
test('ask', async () => {
  const h = await openHarness({ role: (process.env['ROLE'] ?? 'auditor') as never });
  for (const line of (process.env['ASK'] ?? '').split('\n').filter(Boolean)) {
    const [tool, json] = line.split(/ (.*)/);
    const before = h.demo.requests.length;
    const t = Date.now();
    const { text } = await h.call(tool ?? '', JSON.parse(json ?? '{}'));
    process.stdout.write(`\n=== ${line} (${h.demo.requests.length - before} requests, ${Date.now() - t} ms, ${text.length} chars)\n${text}\n`);
  }
  await h.close();
}, 120_000);
