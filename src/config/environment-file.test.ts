import { expect, test } from 'vitest';
import { parseEnvironmentFile } from './environment-file.ts';

test.each<[string, Record<string, string>]>([
  ['PROXMOX_URL=https://pve1:8006 # the first node\n', { PROXMOX_URL: 'https://pve1:8006' }],
  ['PROXMOX_URL="https://pve1:8006"\n', { PROXMOX_URL: 'https://pve1:8006' }],
  ["export PROXMOX_TOKEN_ID='mcp@pve!a'\r\nPROXMOX_TIMEOUT = 5\r\n", { PROXMOX_TOKEN_ID: 'mcp@pve!a', PROXMOX_TIMEOUT: '5' }],
  ['# PROXMOX_URL\n#PROXMOX_URL=x\n\nOTHER=1\n', { OTHER: '1' }],
  ['', {}],
])('%j', (text, env) => {
  expect(parseEnvironmentFile(text).value).toEqual(env);
});

test.each([
  ['PROXMOX_VERIFY_TLS true\nPROXMOX_URL=https://pve1', 'PROXMOX_VERIFY_TLS'],
  ['PROXMOX_URL=https://pve1\nPROXMOX_TLS_FINGERPRINT', 'PROXMOX_TLS_FINGERPRINT'],
  ['PROXMOX_TOKEN_SECRET: c0ffee00-1234-4abc-8def-5ec2e75ec2e7', 'PROXMOX_TOKEN_SECRET'],
  ['c0ffee00-1234-4abc-8def-5ec2e75ec2e7\nPROXMOX_URL=https://pve1', 'without "="'],
  ['PROXMOX_TOKEN_SECRET="c0ffee00\nPROXMOX_URL=https://pve1', 'PROXMOX_TOKEN_SECRET'],
])('%j would lose a setting, so it is refused', (text, word) => {
  const { fault } = parseEnvironmentFile(text);
  expect(fault?.what).toContain(word);
  expect(JSON.stringify(fault)).not.toContain('c0ffee');
});
