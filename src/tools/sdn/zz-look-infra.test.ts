import { it } from 'vitest';
import { openHarness } from '../../../test/support/harness.ts';

it('look', async () => {
  const { cfault, ...rest } = JSON.parse(process.env['OPTS'] ?? '{}');
  const h = await openHarness(rest);
  if (cfault) h.demo.faults.add({ ...cfault, match: cfault.re ? new RegExp(cfault.re) : cfault.match });
  for (const line of (process.env['CALLS'] ?? '').split(';')) {
    const [name, ...r] = line.trim().split(' ');
    const t = Date.now();
    h.demo.requests.length = 0;
    const out = await h.call(name ?? '', JSON.parse(r.join(' ') || '{}'), { form: (process.env['FORM'] ?? 'text') as never });
    process.stdout.write(
      `\n=== ${line} [${out.stats.requests} requests, ${out.text.length} chars, redacted ${out.stats.redacted}, error ${out.isError}, ${Date.now() - t} ms]\n${out.text}\n`,
    );
    if (process.env['REQ'])
      process.stdout.write(h.demo.requests.map((q) => `${q.status} ${q.path} ${JSON.stringify(q.query)}\n`).join(''));
  }
  await h.close();
}, 90000);
