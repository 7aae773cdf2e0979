/**
 * Questions to generated clusters beside the floor of each: the bare request over a kept connection, parsed. Run by
 * scale.mjs, which bundles it.
 */
import { Agent } from 'undici';
import { demoClusterSettings } from '../src/demo/demo-settings.ts';
import { startDemoCluster } from '../src/demo/start-demo-cluster.ts';
import { createRuntime } from '../src/server/runtime.ts';
import { catalog } from '../src/tools/catalog.ts';
import { runTool } from '../src/tools/run-tool.ts';
import { settingsFor } from '../test/support/harness.ts';

const RUNS = 5;
const QUESTIONS: readonly { readonly tool: string; readonly args: Record<string, unknown>; readonly floor: string }[] = [
  { tool: 'list_guests', args: {}, floor: '/cluster/resources' },
  { tool: 'list_guests', args: { query: 'web' }, floor: '/cluster/resources' },
  { tool: 'list_nodes', args: {}, floor: '/cluster/resources' },
  { tool: 'list_storage', args: {}, floor: '/cluster/resources' },
  { tool: 'get_cluster_overview', args: {}, floor: '/cluster/resources' },
];

const median = (list: readonly number[]): number => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN;

for (const [nodes, guests] of [
  [5, 500],
  [32, 5_000],
] as const) {
  const demo = await startDemoCluster({ nodes, guests });
  const { id, secret } = demo.token('auditor');
  const agent = new Agent({ connect: { ca: demo.ca } });
  const floors = new Map<string, number>();
  for (const path of new Set(QUESTIONS.map((q) => q.floor))) {
    const times: number[] = [];
    for (let run = 0; run <= RUNS; run += 1) {
      const began = performance.now();
      const answer = await agent.request({
        origin: demo.url,
        path: `/api2/json${path}`,
        method: 'GET',
        headers: { authorization: `PVEAPIToken=${id}=${secret}` },
      });
      JSON.parse(await answer.body.text());
      if (run > 0) times.push(performance.now() - began);
    }
    floors.set(path, median(times));
  }
  const runtime = createRuntime(settingsFor(demoClusterSettings(demo)));
  console.log(`${nodes} nodes, ${guests} guests`);
  for (const { tool: name, args, floor } of QUESTIONS) {
    const tool = catalog.find((t) => t.name === name);
    if (tool === undefined) continue;
    const times: number[] = [];
    let line = '';
    for (let run = 0; run <= RUNS; run += 1) {
      runtime.session().forget();
      const began = performance.now();
      const { text, stats } = await runTool(tool, args, runtime.session(), { form: 'text', maxChars: 10_000 });
      if (run > 0) times.push(performance.now() - began);
      line = `${stats.requests} requests, ${text.length} chars`;
    }
    const ms = median(times);
    const base = floors.get(floor) ?? Number.NaN;
    console.log(
      `  ${`${name} ${JSON.stringify(args)}`.padEnd(34)} ${ms.toFixed(0)} ms, ${(ms / base).toFixed(2)} x floor (${base.toFixed(0)} ms), ${line}`,
    );
  }
  console.log(`  RSS with the embedded cluster in the same process: ${(process.memoryUsage.rss() / 2 ** 20).toFixed(0)} MiB`);
  await agent.close();
  await runtime.close();
  await demo.close();
}
