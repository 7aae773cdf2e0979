import { build } from 'tsdown';

const root = new URL('..', import.meta.url).pathname;

/** Bundles one TypeScript file the way the product is, as `NAME.mjs` in a folder. */
export async function bundle(name, entry, outDir, { minify = false } = {}) {
  await build({
    config: false,
    cwd: root,
    entry: { [name]: entry },
    outDir,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minify,
    dts: false,
    noExternal: [/.*/],
    inlineOnly: false,
    outExtensions: () => ({ js: '.mjs' }),
    logLevel: 'silent',
  });
}
