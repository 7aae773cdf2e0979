import { expect, it } from 'vitest';
import { clientEntry, commandLine, launchOf } from './client-config.ts';

it('starts an installed package by its name, a working copy by its file', () => {
  expect(launchOf('/home/a/.npm/_npx/1/node_modules/mcp-proxmox/dist/mcp-proxmox.mjs')).toEqual({
    command: 'npx',
    args: ['-y', 'mcp-proxmox'],
  });
  expect(launchOf('/src/dist/mcp-proxmox.mjs')).toEqual({ command: 'node', args: ['/src/dist/mcp-proxmox.mjs'] });
});

it('makes an entry that is valid JSON, and a command line that a shell reads back', () => {
  const launch = launchOf('/my files/dist/mcp-proxmox.mjs');
  expect(JSON.parse(clientEntry('pve', launch, ['--demo']))).toEqual({
    mcpServers: { pve: { command: 'node', args: ['/my files/dist/mcp-proxmox.mjs', '--demo'] } },
  });
  expect(commandLine(launch, ['--demo', "it's"])).toBe("node '/my files/dist/mcp-proxmox.mjs' --demo 'it'\\''s'");
});
