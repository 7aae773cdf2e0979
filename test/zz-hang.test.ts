import { it } from 'vitest';
import { openHarness } from './support/harness.ts';
import { startDemoCluster } from '../src/demo/start-demo-cluster.ts';
it('x', async () => {
  const demo = await startDemoCluster({ authDelayMs: 20 });
  demo.faults.add({ kind: 'hang', match: '/nodes/pve2/' });
  const calls: [string, object, 'full' | 'auditor'][] = [
    ['check_health', {}, 'auditor'], ['check_health', { deep: true }, 'auditor'], ['check_backup_coverage', {}, 'auditor'], ['check_backup_coverage', {}, 'full'],
    ['check_capacity', {}, 'auditor'], ['check_capacity', {}, 'full'],
    ['list_updates', {}, 'full'], ['list_updates', {}, 'auditor'], ['list_hardware', {}, 'full'], ['list_hardware', {}, 'auditor'],
  ];
  const lines: string[] = [];
  await Promise.all(calls.map(async ([name, args, role]) => {
    const h = await openHarness({ demo, role });
    const t0 = performance.now();
    const first = await h.call(name, { ...args });
    const t1 = performance.now();
    const second = await h.call(name, { ...args });
    const t2 = performance.now();
    const problems = first.text.split('\n').filter((l) => /^(Problem|Coverage)/.test(l)).map((l) => l.slice(0, 150));
    lines.push(`${name} ${JSON.stringify(args)} ${role}\t${Math.round(t1 - t0)} ms (2nd ${Math.round(t2 - t1)} ms) err=${first.isError}/${second.isError} req=${first.stats.requests}/${second.stats.requests} :: ${problems.join(' | ').slice(0, 330)}`);
    await h.close();
  }));
  console.log(lines.sort().join('\n'));
  await demo.close();
}, 120_000);
