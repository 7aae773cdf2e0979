import { test } from 'vitest';
import { openHarness } from '../../../test/support/harness.ts';
test('look', async () => {
  for (const [role, args] of [['noacl', {}], ['scoped', {}], ['scoped', { deep: true }],['blind-one',{deep:true}]] as const) {
    const h = await openHarness({ role });
    const o = await h.call('check_health', args, { maxChars: 40000 });
    console.log(role, JSON.stringify(args), o.stats, o.text.length);
    console.log(role==='blind-one'? o.text.slice(o.text.indexOf('## not_')): o.text);
    await h.close();
  }
  const h = await openHarness({ role: 'auditor', nodes: 5, guests: 500 });
  for (const args of [{}, { deep: true }] as const) {
    h.session.forget();
    const t = Date.now();
    const o = await h.call('check_health', args, { maxChars: 40000 });
    console.log(JSON.stringify(args), o.stats, o.text.length, Date.now() - t);
    console.log(o.text);
  }
  await h.close();
}, 60000);
