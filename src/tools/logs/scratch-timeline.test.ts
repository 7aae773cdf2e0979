import { test } from 'vitest';
import { openHarness } from '../../../test/support/harness.ts';
test('look', async () => {
  for (const [role, args] of [['logs', { since: '24h' }], ['auditor', {}], ['auditor', { vmid: 116, since: '3d' }], ['noacl', {}]] as const) {
    const h = await openHarness({ role });
    const o = await h.call('get_incident_timeline', args, { maxChars: 12000 });
    console.log(role, JSON.stringify(args), o.stats, o.text.length);
    console.log(o.text);
    await h.close();
  }
}, 60000);
