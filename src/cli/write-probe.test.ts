import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { demoClusterSettings } from '../demo/demo-settings.ts';
import { startDemoCluster } from '../demo/start-demo-cluster.ts';
import { probeWrites, writeProbes } from './write-probe.ts';

const TARGETS = {
  node: 'pve1',
  storage: { node: 'pve1', storage: 'local' },
  qemu: { node: 'pve1', vmid: 100 },
  lxc: { node: 'pve2', vmid: 221 },
};

describe('the requests', () => {
  it('are exactly these ten, and none of them would act without its parameters', () => {
    const probes = writeProbes(TARGETS).map((p) => `${p.method} ${p.path}`);
    expect(probes).toEqual([
      'PUT /access/acl',
      'POST /pools',
      'POST /storage',
      'POST /cluster/firewall/rules',
      'POST /cluster/backup',
      'POST /cluster/ha/resources',
      'POST /nodes/pve1/network',
      'POST /nodes/pve1/storage/local/content',
      'POST /nodes/pve1/qemu/100/snapshot',
      'POST /nodes/pve2/lxc/221/snapshot',
    ]);
    for (const probe of probes) expect(probe).not.toMatch(/\/(status|config|agent|migrate|clone|move|template)\b/);
  });

  it('refuse a path that is no path, before anything is sent', () => {
    expect(() => writeProbes({ ...TARGETS, node: '../access' })).toThrow(/node/);
  });

  it('send no token to a server whose certificate is not the pinned one', async () => {
    const demo = await startDemoCluster();
    try {
      const settings = { ...demoClusterSettings(demo), tls: { verify: true, fingerprints: [Array(32).fill('AB').join(':')] } };
      const results = await probeWrites(demo.url, settings, TARGETS);
      expect(results.map((r) => r.outcome)).toEqual(Array(10).fill('inconclusive'));
      expect(results[0]?.detail).toContain('does not match PROXMOX_TLS_FINGERPRINT');
      expect(demo.requests).toEqual([]);
    } finally {
      await demo.close();
    }
  });
});

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s*)?['"]([^'"]+)['"]|\bimport\(\s*['"`]([^'"`]+)['"`]\s*\)/g;
/** Minified: no blanks, and `import"./x.mjs"`. */
const BUILT_IMPORT = /(?:\bfrom|\bimport)\s*["'`](\.[^"'`]+)["'`]|\bimport\(\s*["'`](\.[^"'`]+)["'`]\s*\)/g;

/** Every file that can be loaded from a file, by import or lazily; `stop` is not looked into. */
function reachable(start: string, pattern: RegExp, stop: (file: string) => boolean = () => false): ReadonlySet<string> {
  const found = new Set<string>();
  const queue = [start];
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (found.has(file) || !/\.(ts|mjs)$/.test(file)) continue;
    found.add(file);
    if (stop(file)) continue;
    for (const match of readFileSync(file, 'utf8').matchAll(pattern)) {
      const target = match[1] ?? match[2] ?? '';
      if (target.startsWith('.')) queue.push(resolve(dirname(file), target));
    }
  }
  return found;
}

describe('the server can never reach it', () => {
  const here = dirname(fileURLToPath(import.meta.url));
  const probe = join(here, 'write-probe.ts');

  it('in the source: only the check command loads it', () => {
    expect(reachable(join(here, 'serve.ts'), IMPORT)).not.toContain(probe);
    expect(reachable(join(here, '../server/create-server.ts'), IMPORT)).not.toContain(probe);
    // The scan does see lazy imports: the way through the check command leads there, and no other.
    expect(reachable(join(here, 'main.ts'), IMPORT)).toContain(probe);
    expect(reachable(join(here, 'main.ts'), IMPORT, (file) => file.endsWith('/check-cluster.ts'))).not.toContain(probe);
  });

  it('in the build: the chunk with the probe is not reachable from the chunk that serves', () => {
    const dist = resolve(here, '../../dist');
    const files = readdirSync(dist).filter((name) => name.endsWith('.mjs'));
    const holding = files.filter((name) => readFileSync(join(dist, name), 'utf8').includes('mcp-proxmox-probe=1'));
    expect(holding).toHaveLength(1);
    const serve = files.filter((name) => name.startsWith('serve-'));
    // Over stdio, and over HTTP.
    expect(serve).toHaveLength(2);
    for (const chunk of serve) {
      const fromServer = reachable(join(dist, chunk), BUILT_IMPORT);
      expect(fromServer.size).toBeGreaterThan(5);
      expect(fromServer).not.toContain(join(dist, holding[0] ?? ''));
    }
    expect(reachable(join(dist, 'mcp-proxmox.mjs'), BUILT_IMPORT)).toContain(join(dist, holding[0] ?? ''));
  });
});
