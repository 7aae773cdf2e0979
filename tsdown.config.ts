import { defineConfig } from 'tsdown';
import { thirdPartyLicenses } from './scripts/third-party-licenses.ts';

export default defineConfig({
  entry: { 'mcp-proxmox': 'src/cli/main.ts', 'mcp-proxmox-check': 'src/cli/main-check.ts' },
  format: 'esm',
  platform: 'node',
  target: 'node20',
  outDir: 'dist',
  clean: true,
  minify: true,
  dts: false,
  sourcemap: false,
  // Everything is bundled: `npx` then fetches one package and no dependency tree.
  noExternal: [/.*/],
  inlineOnly: false,
  plugins: [thirdPartyLicenses()],
  outExtensions: () => ({ js: '.mjs' }),
});
