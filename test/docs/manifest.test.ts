import { expect, it } from 'vitest';
import { VARIABLES } from '../../src/config/variables.ts';
import { keepFile } from './keep.ts';
import { mcpbManifest } from './write-manifest.ts';

it('the bundle manifest lists the tools of the catalogue', () => {
  keepFile('packaging/mcpb/manifest.json', `${JSON.stringify(mcpbManifest(), undefined, 2)}\n`);
});

it('the bundle manifest sets variables that the program knows, and hides the secret', () => {
  const text = JSON.stringify(mcpbManifest());
  const manifest: { server: { mcp_config: { env: object } }; user_config: Record<string, { sensitive?: boolean }> } =
    JSON.parse(text);
  for (const variable of Object.keys(manifest.server.mcp_config.env)) expect(VARIABLES).toContain(variable);
  const sensitive = Object.entries(manifest.user_config).filter(([, value]) => value.sensitive === true);
  expect(sensitive.map(([key]) => key)).toEqual(['token_secret']);
});
