import { appendFileSync, writeFileSync } from 'node:fs';
import { test } from 'vitest';
import { openHarness } from '../support/harness.ts';
test('sweep', async () => {
  const out = '/tmp/sweep.txt'; writeFileSync(out, '');
  const h0 = await openHarness();
  const say = (s: string) => appendFileSync(out, s + '\n');
  const calls: [string, Record<string, unknown>][] = [
    ['list_nodes', {}], ['list_guests', { limit: 5 }], ['list_guests', { status: 'running', limit: 2 }], ['list_storage', { limit: 40 }],
    ['list_storage_content', { storage: 'local' }], ['list_storage_content', { storage: 'local-lvm' }],
    ['list_backup_jobs', {}], ['check_backup_coverage', { limit: 5 }], ['list_recent_tasks', { limit: 3 }], ['list_recent_tasks', { state: 'problem', limit: 3 }],
    ['get_firewall_rules', { }], ['get_firewall_rules', { vmid: 100, sections: ['rules'] }], ['get_firewall_rules', { node: 'pve1', sections: ['rules'] }],
  ];
  const storages = [...new Set(h0.demo.world.storages.map((s: any) => s.storage))];
  for (const s of storages) calls.push(['list_storage_content', { storage: s, content: 'backup', limit: 3 }]);
  for (const role of ['auditor', 'noacl', 'scoped', 'blind-one', 'backup-one', 'full'] as const) {
    const h = await openHarness({ demo: h0.demo, role });
    for (const [tool, args] of calls) {
      const o = await h.call(tool, args, { maxChars: 3000 });
      say(`\n===== ${role} ${tool} ${JSON.stringify(args)} err=${o.isError} req=${o.stats.requests}\n${o.text}`);
    }
    await h.close();
  }
  await h0.close();
}, 200_000);
