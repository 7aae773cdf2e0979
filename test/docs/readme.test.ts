import { afterAll, beforeAll, expect, it } from 'vitest';
import { answerForTerminal } from '../../src/cli/demo-text.ts';
import { demoClusterSettings } from '../../src/demo/demo-settings.ts';
import { startDemoCluster } from '../../src/demo/start-demo-cluster.ts';
import type { DemoCluster } from '../../src/demo/types.ts';
import { createRuntime, type Runtime } from '../../src/server/runtime.ts';
import { runTool } from '../../src/tools/run-tool.ts';
import { settingsFor } from '../support/harness.ts';
import { toolNamed } from '../support/tool-named.ts';
import { keepPart } from './keep.ts';

const NOW = Date.UTC(2026, 10, 30, 12, 0, 0);
const WIDTH = 125;

/** What a reader of the README should see first; few fields, so that it fits. */
const CAPTURE = [
  { ask: 'Is a node down, or short of memory?', tool: 'list_nodes', args: {}, lines: 8 },
  {
    ask: 'Which guests could I not restore today?',
    tool: 'check_backup_coverage',
    args: { limit: 5 },
    lines: 8,
  },
  {
    ask: 'Which tasks failed?',
    tool: 'list_recent_tasks',
    args: { state: 'problem', limit: 3, fields: ['start', 'node', 'type', 'guest', 'status'] },
    lines: 5,
  },
];

let demo: DemoCluster;
let runtime: Runtime;

beforeAll(async () => {
  demo = await startDemoCluster({ now: NOW, standingClock: true });
  runtime = createRuntime(settingsFor(demoClusterSettings(demo)), () => NOW);
});
afterAll(async () => {
  await runtime?.close();
  await demo?.close();
});

it('the answers at the top of the README are real', async () => {
  const lines = ['```text'];
  for (const { ask, tool: name, args, lines: max } of CAPTURE) {
    const { text, isError } = await runTool(toolNamed(name), args, runtime.session(), { form: 'text', maxChars: 10_000 });
    expect(isError, text).toBe(false);
    lines.push(...(lines.length > 1 ? [''] : []), `> ${ask}`, ...answerForTerminal(text, WIDTH, max));
  }
  keepPart('README.md', 'capture', [...lines, '```'].join('\n'));
});
