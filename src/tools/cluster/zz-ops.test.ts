import { it } from 'vitest';
import { openHarness } from '../../../test/support/harness.ts';

it('look', async () => {
  const h = await openHarness({ role: (process.env['ROLE'] ?? 'auditor') as never });
  for (const line of (process.env['CALLS'] ?? '').split(';')) {
    const [name, ...rest] = line.trim().split(' ');
    const args = JSON.parse(rest.join(' ') || '{}');
    const out = await h.call(name ?? '', args, { form: (process.env['FORM'] ?? 'text') as never });
    process.stdout.write(
      `\n=== ${line} [${out.stats.requests} requests, ${out.text.length} chars, redacted ${out.stats.redacted}, error ${out.isError}]\n${out.text}\n`,
    );
  }
  await h.close();
}, 60000);
