import { it } from 'vitest';
import { startReplayServer } from '../../../test/recordings/replay-server.ts';
import { TOOLSETS } from '../../config/toolsets.ts';
import { Secret } from '../../redact/secret.ts';
import { createRuntime } from '../../server/runtime.ts';
import { catalog } from '../catalog.ts';
import { runTool } from '../run-tool.ts';

it('look', async () => {
  const server = await startReplayServer();
  const t = server.token((process.env['ROLE'] ?? 'readonly') as never);
  const runtime = createRuntime({
    clusters: new Map([
      [
        'c',
        {
          name: 'c',
          urls: [server.url],
          tokenId: t.id,
          tokenSecret: new Secret(t.secret),
          tls: { verify: true, caPem: server.ca, fingerprints: [] },
          timeoutMs: 10000,
        },
      ],
    ]),
    toolsets: TOOLSETS,
    output: 'text',
    maxAnswerChars: 10000,
    health: { ignore: [], thresholds: {} },
    warnings: [],
  } as never);
  for (const line of (process.env['CALLS'] ?? '').split(';')) {
    const [name, ...rest] = line.trim().split(' ');
    const tool = catalog.find((x) => x.name === name)!;
    const out = await runTool(tool, JSON.parse(rest.join(' ') || '{}'), runtime.session(), { form: 'text', maxChars: 10000 });
    process.stdout.write(
      `\n=== ${line} [${out.stats.requests} requests, ${out.text.length} chars, redacted ${out.stats.redacted}, error ${out.isError}]\n${out.text}\n`,
    );
  }
  console.log(server.missing);
  await runtime.close();
  await server.close();
}, 60000);
