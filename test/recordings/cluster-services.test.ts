import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../src/redact/secret.ts';
import { createRuntime, type Runtime } from '../../src/server/runtime.ts';
import { catalog } from '../../src/tools/catalog.ts';
import { runTool, type ToolOutcome } from '../../src/tools/run-tool.ts';
import { settingsFor } from '../support/harness.ts';
import { recordOf, tableOf } from '../support/read-answer.ts';
import { CANARY_FORMS } from './canaries.ts';
import type { RecordedRole } from './recording-set.ts';
import { type ReplayServer, startReplayServer } from './replay-server.ts';

let server: ReplayServer;
const runtimes = new Map<RecordedRole, Runtime>();

beforeAll(async () => {
  server = await startReplayServer();
  for (const role of ['full', 'readonly', 'noacl'] as const) {
    const { id, secret } = server.token(role);
    const settings = settingsFor({
      name: 'recorded',
      urls: [server.url],
      tokenId: id,
      tokenSecret: new Secret(secret),
      tls: { verify: true, caPem: server.ca, fingerprints: [] },
      timeoutMs: 10_000,
    });
    runtimes.set(role, createRuntime(settings));
  }
});
afterAll(async () => {
  await Promise.all([...runtimes.values()].map((r) => r.close()));
  await server.close();
});

async function ask(role: RecordedRole, name: string, args = {}): Promise<ToolOutcome> {
  const tool = catalog.find((t) => t.name === name);
  const runtime = runtimes.get(role);
  if (tool === undefined || runtime === undefined) throw new Error(`no tool ${name}`);
  const outcome = await runTool(tool, args, runtime.session(), { form: 'text', maxChars: 20_000 });
  for (const form of CANARY_FORMS) expect(outcome.text).not.toContain(form);
  process.stderr.write(`\n=== ${role} ${name} ${JSON.stringify(args)}\n${outcome.text}\n`);
  return outcome;
}

describe('x', () => {
  it('look', async () => {
    for (const [r, n, a] of [
      ['readonly', 'get_ha_status', {}],
      ['readonly', 'list_replication', {}],
      ['readonly', 'get_metrics', { node: 'pve1', timeframe: 'hour' }],
      ['readonly', 'get_metrics', { vmid: 201, timeframe: 'hour' }],
      ['readonly', 'get_metrics', { vmid: 200, timeframe: 'hour', series: 'all' }],
      ['readonly', 'get_metrics', { storage: 'local', node: 'pve1', timeframe: 'hour' }],
      ['readonly', 'get_ceph_status', {}],
      ['readonly', 'list_ceph_osds', {}],
      ['readonly', 'get_sdn', {}],
      ['full', 'get_node_log', { source: 'cluster' }],
      ['full', 'get_node_log', { source: 'journal', node: 'pve1', lines: 5 }],
      ['readonly', 'get_node_log', { source: 'journal', node: 'pve1', lines: 5 }],
    ] as const)
      await ask(r, n, a);
    process.stderr.write(server.missing.join('\n'));
  });
});
