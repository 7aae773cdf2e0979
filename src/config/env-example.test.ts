import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { filesOf, load, SECRET } from './test-support.ts';
import { VARIABLES } from './variables.ts';

const example = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8');

test('.env.example shows every variable and no other, and loads once the secret is filled in', async () => {
  const shown = [...example.matchAll(/^#?(PROXMOX_\w+)=/gm)].map((match) => match[1]);
  expect(new Set(shown)).toEqual(new Set(VARIABLES));
  const filled = example.replace(/^PROXMOX_TOKEN_SECRET=$/m, `PROXMOX_TOKEN_SECRET=${SECRET}`);
  const settings = await load({ env: {}, flags: { envFile: '/x/my.env' }, readFile: filesOf({ '/x/my.env': filled }) });
  expect(settings.clusters.get('default')?.urls).toEqual(['https://pve1.example.com:8006']);
});
