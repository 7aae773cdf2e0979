import { it } from 'vitest';
import { openHarness } from '../../../test/support/harness.ts';

it('look', async () => {
  const h = await openHarness({ role: (process.env['ROLE'] ?? 'auditor') as never, ...JSON.parse(process.env['OPTS'] ?? '{}') });
  if (process.env['FAULT']) h.demo.faults.add({ kind: 'hang', match: process.env['FAULT'] });
  for (const line of (process.env['CALLS'] ?? '').split(';')) {
    const [name, ...rest] = line.trim().split(' ');
    const args = JSON.parse(rest.join(' ') || '{}');
    const t0 = Date.now();
    const out = await h.call(name ?? '', args, { form: (process.env['FORM'] ?? 'text') as never });
    process.stdout.write(
      `\n=== ${line} [${Date.now() - t0} ms, ${out.stats.requests} requests, ${out.text.length} chars, redacted ${out.stats.redacted}, error ${out.isError}]\n${out.text}\n`,
    );
  }
  await h.close();
}, 200000);
