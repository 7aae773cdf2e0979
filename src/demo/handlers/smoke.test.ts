import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createWorld } from '../world/create-world.ts';
import { createHandlers } from './create-handlers.ts';
it('smoke', () => {
const w=createWorld({now:1796025000000});
const h=createHandlers(w);
for (const r of ['7.4','8.4','9.0','9.2.11']) {
 const f=JSON.parse(readFileSync(`src/demo/facts/pve-${r}.json`,'utf8'));
 console.error(r, Object.keys(f).filter((k)=>!(k in h)).join(' '));
 console.error('  extra', Object.keys(h).filter((k)=>!(k in f)).length);
}
expect(1).toBe(1);
});
