import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const BENCH = fileURLToPath(new URL('../../bench/http-load.mjs', import.meta.url));

/** The short form of the measurement: the built server in its own process, every answer compared with the data set. */
it('many callers at once get no wrong answer', async () => {
  const child = spawn(process.execPath, [BENCH, '--seconds', '4', '--callers', '60', '--nodes', '8', '--guests', '600'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect(code, said).toBe(0);
  expect(said).toMatch(/wrong or failed 0$/m);
  // Coalescing and the short cache keep the cluster's load far below the callers'.
  const perCall = Number(/([\d.]+) a call/.exec(said)?.[1]);
  expect(perCall, said).toBeLessThan(1);
}, 90_000);
