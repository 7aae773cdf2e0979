import type { ConfigFlags } from '../config/flags.ts';
import { loadSettings } from '../config/load-settings.ts';
import type { Settings } from '../config/settings.ts';
import type { DemoRole } from '../demo/types.ts';

/** Settings and what has to be closed after use. */
export interface OpenedSettings {
  readonly settings: Settings;
  close(): Promise<void>;
}

/**
 * Settings of the configured clusters, or of an embedded one.
 *
 * @param demo as which of its tokens the embedded cluster is to be asked; without it nothing is embedded
 * @throws ConfigErrors
 */
export async function openSettings(flags: ConfigFlags, demo: DemoRole | undefined): Promise<OpenedSettings> {
  const options = { env: process.env, flags };
  if (demo === undefined) return { settings: await loadSettings(options), close: async () => undefined };
  const [{ startDemoCluster }, { demoClusterSettings }] = await Promise.all([
    import('../demo/start-demo-cluster.ts'),
    import('../demo/demo-settings.ts'),
  ]);
  const embedded = await startDemoCluster();
  const cluster = demoClusterSettings(embedded, demo);
  try {
    return { settings: await loadSettings({ ...options, clusters: new Map([[cluster.name, cluster]]) }), close: embedded.close };
  } catch (thrown) {
    // It listens; left open it would keep the process alive after the complaint.
    await embedded.close();
    throw thrown;
  }
}
