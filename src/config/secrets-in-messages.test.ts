import { expect, test } from 'vitest';
import type { ConfigErrors } from './config-error.ts';
import { failure, filesOf, RIGHT, SECRET } from './test-support.ts';
import { VARIABLES } from './variables.ts';

/** Shapes in which a person may paste a secret into the wrong place; each holds the canary. */
const PASTES = [
  SECRET,
  SECRET.toUpperCase(),
  SECRET.replaceAll('-', ''),
  `"${SECRET}"`,
  `mcp@pve!assistant=${SECRET}`,
  `PVEAPIToken=mcp@pve!assistant=${SECRET}`,
  `https://mcp:${SECRET}@pve1.example.com`,
  `https://pve1.example.com/?token=${SECRET}`,
  `https://${SECRET}:1:2`,
  `/etc/${SECRET}`,
  `true,${SECRET}`,
  `\${TOKEN:-${SECRET}}`,
  `x ${SECRET}`,
];

function everything(error: ConfigErrors): string {
  return [
    error.message,
    error.stack,
    ...error.problems.flatMap((one) => [one.message, one.stack, one.variable, one.accepts]),
  ].join('\n');
}

const CANARY = /c0ffee|5ec2e7|4abc-?8def/i;

test.each(VARIABLES)('a secret pasted into %s is in no message', async (name) => {
  for (const paste of PASTES) {
    // An unknown output form makes every case fail, also where the paste by itself would pass.
    const env = { ...RIGHT, PROXMOX_OUTPUT: 'xml', [name]: paste };
    expect(everything(await failure({ env })), paste).not.toMatch(CANARY);
    const { PROXMOX_TOKEN_SECRET: _, ...rest } = env;
    if (name !== 'PROXMOX_TOKEN_SECRET') expect(everything(await failure({ env: rest })), paste).not.toMatch(CANARY);
  }
});

test.each(VARIABLES)('a secret pasted into %s of an env file is in no message', async (name) => {
  for (const paste of PASTES) {
    for (const line of [`${name}=${paste}`, `${name} ${paste}`, `${name}='${paste}`, `${paste}\n${name}=x`]) {
      const readFile = filesOf({ '/e.env': `PROXMOX_OUTPUT=xml\n${line}\n` });
      expect(everything(await failure({ env: {}, flags: { envFile: '/e.env' }, readFile })), line).not.toMatch(CANARY);
    }
  }
});

test.each(['toolsets', 'output', 'envFile', 'config'])('a secret pasted into the flag %s is in no message', async (flag) => {
  for (const paste of PASTES) {
    expect(everything(await failure({ env: { PROXMOX_TIMEOUT: 'x' }, flags: { [flag]: paste } })), paste).not.toMatch(CANARY);
  }
});

test('a secret that is no UUID is kept out wherever it is given a second time', async () => {
  const password = 'Tr0ub4dor';
  for (const name of VARIABLES) {
    const env = { ...RIGHT, PROXMOX_OUTPUT: 'xml', [name]: password, PROXMOX_TOKEN_SECRET: password };
    expect(everything(await failure({ env })), name).not.toContain(password);
  }
  const { PROXMOX_TOKEN_SECRET: _, ...rest } = RIGHT;
  const env = { ...rest, PROXMOX_TOKEN_SECRET_FILE: '/s', PROXMOX_VERIFY_TLS: password, PROXMOX_OUTPUT: password };
  const error = await failure({ env, readFile: filesOf({ '/s': `${password}\n` }) });
  expect(error.problems).toHaveLength(3);
  expect(everything(error)).not.toContain(password);
});

test('the content of a secret file that is wrong is in no message', async () => {
  const { PROXMOX_TOKEN_SECRET: _, ...rest } = RIGHT;
  for (const paste of PASTES.slice(2)) {
    const error = await failure({ env: { ...rest, PROXMOX_TOKEN_SECRET_FILE: '/s' }, readFile: filesOf({ '/s': paste }) });
    expect(error.problems.map((one) => one.variable)).toEqual(['PROXMOX_TOKEN_SECRET_FILE']);
    expect(everything(error), paste).not.toMatch(CANARY);
  }
});
