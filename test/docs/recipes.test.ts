import { afterAll, beforeAll, expect, it } from 'vitest';
import { answerForTerminal } from '../../src/cli/demo-text.ts';
import { flagOf } from '../../src/cli/shell/tool-words.ts';
import { demoClusterSettings } from '../../src/demo/demo-settings.ts';
import { startDemoCluster } from '../../src/demo/start-demo-cluster.ts';
import type { DemoCluster, DemoRole } from '../../src/demo/types.ts';
import { createRuntime, type Runtime } from '../../src/server/runtime.ts';
import { catalog } from '../../src/tools/catalog.ts';
import { runTool } from '../../src/tools/run-tool.ts';
import { settingsFor } from '../support/harness.ts';
import { keepFile } from './keep.ts';
import { type Recipe, recipes } from './recipe-list.ts';

const NOW = Date.UTC(2026, 10, 30, 12, 0, 0);
const WIDTH = 150;
const LINES = 12;

let demo: DemoCluster;
const runtimes = new Map<DemoRole, Runtime>();
let failed: string;

beforeAll(async () => {
  demo = await startDemoCluster({ now: NOW, standingClock: true });
  failed = demo.world.tasks.get('pve1')?.find((t) => t.type === 'vzdump' && t.status === 'job errors')?.upid ?? '';
});
afterAll(async () => {
  for (const runtime of runtimes.values()) await runtime.close();
  await demo?.close();
});

it('docs/recipes.md shows questions, calls and what is really answered', async () => {
  const page = [
    '<!-- Generated: `npm run docs` writes this page, and a test compares it with what the embedded cluster answers. -->',
    '# Recipes',
    '',
    'Questions, the call that answers each, and the first lines of a real answer (of the embedded cluster, which has a dead node and a few',
    'other troubles on purpose). An assistant picks the calls by itself; from a shell they are the same: add `--demo` to try one.',
  ];
  for (const [chapter, list] of Object.entries(recipes(failed))) {
    page.push('', `## ${chapter}`);
    for (const recipe of list) page.push(...(await section(recipe)));
  }
  keepFile('docs/recipes.md', `${page.join('\n')}\n`);
});

function runtimeOf(role: DemoRole): Runtime {
  const runtime = runtimes.get(role) ?? createRuntime(settingsFor(demoClusterSettings(demo, role)), () => NOW);
  runtimes.set(role, runtime);
  return runtime;
}

async function section({ ask, note, calls, as = 'auditor', lines = LINES }: Recipe): Promise<string[]> {
  const text = ['', `### ${ask}`, ...(note === undefined ? [] : ['', note])];
  for (const { tool: name, args } of calls) {
    const tool = catalog.find((t) => t.name === name);
    // A recipe may be written before its tool; without the tool it is not shown.
    if (tool === undefined) return [];
    const session = runtimeOf(as).session();
    session.forget();
    const outcome = await runTool(tool, args, session, { form: 'text', maxChars: 10_000 });
    expect(outcome.isError, `${ask}: ${outcome.text}`).toBe(false);
    const shown = answerForTerminal(outcome.text.replace(/(<\/?upstream-text)-[0-9a-f]+/g, '$1-tag'), WIDTH, lines);
    text.push('', '```sh', commandOf(name, args), '```', '', '```text', ...shown, '```');
  }
  return text;
}

function commandOf(tool: string, args: Readonly<Record<string, unknown>>): string {
  const words = Object.entries(args).map(
    ([key, value]) => `${flagOf(key)} ${word(Array.isArray(value) ? value.join(',') : String(value))}`,
  );
  return ['mcp-proxmox call', tool, ...words].join(' ');
}

function word(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text}'`;
}
