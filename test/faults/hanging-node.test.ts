/**
 * FIELD T2: a node that accepts and never answers, with the time-out and the budget that a call really has: half a minute
 * that nothing shorter stands for. Every question about the whole cluster is answered within its budget with what the other nodes say, and the
 * next call does not wait for the mute node again, whether it was asked about itself, its storages or its guests.
 */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { startDemoCluster } from '../../src/demo/start-demo-cluster.ts';
import type { DemoCluster } from '../../src/demo/types.ts';
import type { ToolOutcome } from '../../src/tools/run-tool.ts';
import { type Harness, openHarness } from '../support/harness.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

const BUDGET_MS = 20_000;
const SECOND_CALL_MS = 2_000;

/** Questions about the whole cluster that need the nodes, and what the healthy node must have said. */
const QUESTIONS: readonly (readonly [tool: string, args: Readonly<Record<string, unknown>>, from: RegExp])[] = [
  ['check_backup_coverage', {}, /nas-backup/],
  ['check_capacity', {}, /pve1/],
  ['check_capacity', { deep: true }, /\b115\b/],
  ['check_health', {}, /pve1 tank/],
  ['get_incident_timeline', { since: '24h' }, /pve1/],
  ['list_certificates', {}, /pve1/],
  ['list_hardware', {}, /pve1/],
  ['list_recent_tasks', {}, /pve1/],
  ['list_replication', {}, /112-0/],
  ['list_updates', {}, /pve1/],
  ['search_inventory', { query: '192.0.2.10', deep: true }, /web-01/],
];

let demo: DemoCluster;
const asked: { harness: Harness; first: ToolOutcome; tookMs: number }[] = [];
beforeAll(async () => {
  demo = await startDemoCluster({ authDelayMs: 20 });
  demo.faults.add({ kind: 'hang', match: '/nodes/pve2/' });
  // All at once, each over connections of its own: what one learns must not help the others.
  await Promise.all(
    QUESTIONS.map(async ([tool, args], index) => {
      const harness = await openHarness({ demo, role: 'full' });
      const started = performance.now();
      const first = await ask(harness, tool, args);
      asked[index] = { harness, first, tookMs: performance.now() - started };
    }),
  );
});
afterAll(async () => {
  for (const { harness } of asked) await harness.close();
  await demo.close();
});

function ask(harness: Harness, tool: string, args: Readonly<Record<string, unknown>>): Promise<ToolOutcome> {
  return harness.call(tool, args, { form: 'structured', maxChars: 40_000 });
}

const Structured = z.looseObject({ coverage: z.string() });

it.each(QUESTIONS.map(([tool, args, from], index) => ({ tool, args, from, index })))(
  'T2 $tool $args: within its budget, without the mute node, and at once the second time',
  async ({ tool, args, from, index }) => {
    const one = asked[index];
    if (one === undefined) throw new Error(`${tool} was not asked`);
    const { harness, first, tookMs } = one;
    expect(first.isError, first.text.slice(0, 300)).toBe(false);
    expect(tookMs).toBeLessThan(BUDGET_MS);
    expect(Structured.parse(first.structured).coverage).not.toBe('complete');
    expect(first.text).toMatch(from);
    expect(first.text).toContain('pve2');
    const started = performance.now();
    const second = await ask(harness, tool, args);
    expect(performance.now() - started).toBeLessThan(SECOND_CALL_MS);
    expect(second.isError).toBe(false);
    expect(second.text).toMatch(from);
    expect(Structured.parse(second.structured).coverage).not.toBe('complete');
  },
);
