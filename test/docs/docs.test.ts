import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Session } from '../../src/api/session.ts';
import { demoClusterSettings } from '../../src/demo/demo-settings.ts';
import { startDemoCluster } from '../../src/demo/start-demo-cluster.ts';
import type { DemoCluster, DemoRole } from '../../src/demo/types.ts';
import { createRuntime, type Runtime } from '../../src/server/runtime.ts';
import { catalog } from '../../src/tools/catalog.ts';
import type { Tool } from '../../src/tools/define-tool.ts';
import { runTool } from '../../src/tools/run-tool.ts';
import { settingsFor } from '../support/harness.ts';
import { keepFile } from './keep.ts';
import { permissionsPage, type Shown, toolIndex, toolPage } from './write-docs.ts';

/** The embedded cluster and the program look at the same standing clock, so that a page is the same every time. */
const NOW = Date.UTC(2026, 10, 30, 12, 0, 0);

/** The call each page shows; by default without arguments. */
const SHOWN: Readonly<Record<string, readonly Record<string, unknown>[]>> = {
  get_node_status: [{ node: 'pve1' }],
  list_node_network: [{ node: 'pve1' }],
  list_node_disks: [{ node: 'pve1' }],
  list_guests: [{ limit: 12 }],
  get_guest: [{ vmid: 100 }, { vmid: 101, sections: ['migration'] }],
  get_guest_config: [{ vmid: 100 }],
  get_guest_status: [{ vmid: 100 }],
  list_snapshots: [{ vmid: 101 }],
  get_guest_network: [{ vmid: 100 }],
  list_storage_content: [{ storage: 'nas-backup', content: 'backup', limit: 8 }],
  get_firewall_rules: [{ vmid: 100 }],
  explain_firewall_path: [{ vmid: 100, source: '198.51.100.7', port: 22 }],
  list_recent_tasks: [{ state: 'problem', limit: 8 }],
  get_metrics: [{ node: 'pve1', timeframe: 'day' }],
  search_inventory: [{ query: 'web' }, { query: '10.20.0.0/24', deep: true }, { depends_on: 'node:pve2' }],
  get_node_log: [{ node: 'pve1' }],
  get_incident_timeline: [{ since: '24h' }],
  check_backup_coverage: [{ limit: 15 }],
  list_ceph_osds: [{}],
};

let demo: DemoCluster;
let runtime: Runtime;

/** Tools whose page is worth more with further privileges than PVEAuditor. */
const AS: Readonly<Record<string, DemoRole>> = { get_node_log: 'logs' };

beforeAll(async () => {
  demo = await startDemoCluster({ now: NOW, standingClock: true });
  const auditor = demoClusterSettings(demo);
  const others = [...new Set(Object.values(AS))].map((role) => demoClusterSettings(demo, role, role));
  const clusters = new Map([auditor, ...others].map((cluster) => [cluster.name, cluster]));
  runtime = createRuntime({ ...settingsFor(auditor), clusters }, () => NOW);
});
afterAll(async () => {
  await runtime.close();
  await demo.close();
});

async function shown(tool: Tool): Promise<Shown[]> {
  const { name } = tool;
  const answers: Shown[] = [];
  for (const args of name === 'get_task' ? [{ upid: await failedTask() }] : (SHOWN[name] ?? [{}])) {
    const { text, isError, stats } = await runTool(tool, args, sessionFor(name), { form: 'text', maxChars: 10_000 });
    expect(isError, `${name} ${JSON.stringify(args)}: ${text}`).toBe(false);
    answers.push({ args, text, requests: stats.requests, token: AS[name] });
  }
  return answers;
}

function sessionFor(name: string): Session {
  return runtime.session(AS[name] ?? 'demo');
}

async function failedTask(): Promise<string | undefined> {
  return demo.world.tasks.get('pve1')?.find((t) => t.type === 'vzdump' && t.status === 'job errors')?.upid;
}

test.each(catalog.map((tool) => [tool.name, tool] as const))(
  'docs/tools/%s.md shows what the tool really answers',
  async (name, tool) => {
    sessionFor(name).forget();
    keepFile(`docs/tools/${name}.md`, toolPage(tool, await shown(tool)));
  },
);

test('the index, the permissions page, and no page of a tool that is gone', () => {
  keepFile('docs/tools/README.md', toolIndex(catalog));
  keepFile('docs/permissions.md', permissionsPage(catalog));
  const names = new Set(catalog.map((t) => `${t.name}.md`));
  expect(readdirSync('docs/tools').filter((file) => file !== 'README.md' && !names.has(file))).toEqual([]);
});
