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
  outputOptions: {
    codeSplitting: {
      // What every start and every command reads its settings with: one file instead of ten, each of which costs a start.
      groups: [
        {
          name: 'settings',
          test: /\/src\/(config\/(base-urls|config-error|environment-file|from-environment|load-settings|problems|quoted|read-file|scalars|sources|suggest|tls-settings|tls-values|token-secret|token|toolsets|variables)|redact\/secret|cli\/exit-codes|server\/version)\.ts$/,
        },
      ],
    },
  },
  outExtensions: () => ({ js: '.mjs' }),
});
