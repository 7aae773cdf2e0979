import { test } from 'vitest';
import { openHarness } from '../../../test/support/harness.ts';
import { runTool } from '../run-tool.ts';
import { explainFirewallPath } from './explain-firewall-path.ts';
test('look', async () => {
  const h = await openHarness();
  const x = await openHarness({ demo: h.demo, role: 'auditor' });
  const y = await openHarness({ demo: h.demo, role: 'scoped' });
  for (const [s, args] of [[x,{source:'203.0.113.9', vmid: 100, port: 443}], [x,{source:'198.51.100.7', vmid: 100, port: 22}],[x,{source:'10.0.0.0/8', vmid: 101, port: 5432}], [x,{source:'any', vmid: 111, port: 3389}],[x,{source:'any', vmid: 104, port: 80}], [x,{source:'100', vmid: 101, port: 5432}], [x,{source:'10.20.0.99', vmid: 112, protocol:'icmp'}], [x, {source:'200', name:'docker-host', port: 80}], [y,{source:'203.0.113.9', vmid: 100, port: 443}], [y,{source:'203.0.113.9', vmid: 100, port: 23}], [x,{source:'203.0.113.9', vmid: 130, port: 23}]] as const) {
      const o = await runTool(explainFirewallPath, args, s.session, { form: 'text', maxChars: 10000 });
      process.stderr.write(`\n=== ${JSON.stringify(args)} (${o.stats.requests} req, ${o.text.length})\n${o.text}\n`);
  }
  await h.close();
});
