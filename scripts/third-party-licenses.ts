import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Plugin } from 'rolldown';

interface Package {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly text: string;
}

/**
 * Writes THIRD-PARTY-LICENSES beside the bundle: every package of which code is really in it, with its licence text.
 * A package without a licence stops the build.
 */
export function thirdPartyLicenses(): Plugin {
  return {
    name: 'third-party-licenses',
    generateBundle(_options, bundle) {
      const folders = new Set<string>();
      for (const output of Object.values(bundle)) {
        if (output.type !== 'chunk') continue;
        for (const id of output.moduleIds) {
          const folder = packageFolder(id);
          if (folder !== undefined) folders.add(folder);
        }
      }
      const packages = [...folders].map(readPackage).sort((a, b) => (a.name < b.name ? -1 : 1));
      const source = packages
        .map((p) => `${p.name} ${p.version} (${p.license})\n\n${p.text.trim()}\n`)
        .join(`\n${'-'.repeat(80)}\n\n`);
      this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY-LICENSES', source });
    },
  };
}

function packageFolder(moduleId: string): string | undefined {
  const path = moduleId.replace(/^\0/, '').split('?')[0] ?? '';
  if (!path.includes('/node_modules/')) return undefined;
  for (let folder = dirname(path); folder.includes('node_modules'); folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest) && 'version' in readManifest(manifest)) return folder;
  }
  return undefined;
}

function readManifest(path: string): Record<string, unknown> {
  const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'));
  return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
}

function readPackage(folder: string): Package {
  const manifest = readManifest(join(folder, 'package.json'));
  const name = String(manifest['name']);
  const license = typeof manifest['license'] === 'string' ? manifest['license'] : undefined;
  if (license === undefined) throw new Error(`${name} names no licence`);
  const file = readdirSync(folder).find((f) => /^(licen[cs]e|copying)(\.|-|$)/i.test(f));
  return {
    name,
    version: String(manifest['version']),
    license,
    text:
      file === undefined
        ? `Licensed under ${license}; the package carries no licence file of its own.`
        : readFileSync(join(folder, file), 'utf8'),
  };
}
