import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import serverJson from '../../server.json' with { type: 'json' };
import { VARIABLES } from '../../src/config/variables.ts';

/** What the registry's schema of 2025-12-11 asks of the fields that are used here. */
const Variable = z.strictObject({
  name: z.string().regex(/^[A-Z][A-Z0-9_]*$/),
  description: z.string().min(1).max(200),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
  format: z.enum(['string', 'number', 'boolean', 'filepath']).optional(),
  default: z.string().optional(),
});
const common = { transport: z.strictObject({ type: z.literal('stdio') }), environmentVariables: z.array(Variable) };
const Server = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z.string().max(255),
  repository: z.strictObject({ url: z.url(), source: z.literal('github') }),
  packages: z
    .array(
      z.discriminatedUnion('registryType', [
        z.strictObject({
          registryType: z.literal('npm'),
          identifier: z.string(),
          version: z.string(),
          runtimeHint: z.literal('npx'),
          ...common,
        }),
        // An image says its version in its name.
        z.strictObject({ registryType: z.literal('oci'), identifier: z.string(), ...common }),
      ]),
    )
    .min(1),
});

it('server.json has the shape that the registry takes', () => {
  expect(Server.safeParse(serverJson).error).toBeUndefined();
});

it('server.json, package.json, the Dockerfile and the lock file agree', () => {
  const { name, version, packages, repository } = Server.parse(serverJson);
  expect(name).toBe(manifest.mcpName);
  expect(version).toBe(manifest.version);
  expect(manifest.repository.url).toBe(`git+${repository.url}.git`);
  for (const each of packages) {
    if (each.registryType === 'npm') expect([each.identifier, each.version]).toEqual([manifest.name, manifest.version]);
    else expect(each.identifier).toMatch(new RegExp(`^ghcr\\.io/[\\w-]+/mcp-proxmox:${version.replaceAll('.', '\\.')}$`));
  }
  expect(readFileSync('Dockerfile', 'utf8')).toContain(`LABEL io.modelcontextprotocol.server.name="${name}"`);
});

it('the variables are ours, and the secret is marked', () => {
  for (const { environmentVariables } of Server.parse(serverJson).packages) {
    for (const { name } of environmentVariables) expect(VARIABLES).toContain(name);
    expect(environmentVariables.filter((v) => v.isSecret).map((v) => v.name)).toEqual(['PROXMOX_TOKEN_SECRET']);
    expect(environmentVariables.filter((v) => v.isRequired).map((v) => v.name)).toEqual([
      'PROXMOX_URL',
      'PROXMOX_TOKEN_ID',
      'PROXMOX_TOKEN_SECRET',
    ]);
  }
});
